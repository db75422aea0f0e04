// Applies the legacy parameter AttributeUpdates: PUT, ADD and DELETE of top-level attributes.
#include <algorithm>
#include <forward_list>

#include "expression/update/update_arithmetic.h"
#include "expression/update/update_impl.h"

namespace trestle {
namespace {

constexpr const char* kTypeMismatch = "Type mismatch for attribute to update";

// The result of ADD to an existing attribute: a sum, a union, or a longer list.
Result<void> append_added(std::string& out, ValueView old, ValueView value) {
  if (old.type() != value.type()) return invalid(kTypeMismatch);
  if (value.type() == ValueType::kNumber) return append_sum(out, old, value, Arithmetic::kAdd);
  if (value.type() == ValueType::kList) {
    append_concatenation(out, old, value);
  } else {
    append_union(out, old, value);
  }
  return {};
}

}  // namespace

Result<Item> apply_legacy(const std::vector<LegacyUpdate>& updates, ItemView item) {
  ItemEditor editor(item);
  std::forward_list<std::string> computed;  // the editor points into these
  for (const LegacyUpdate& update : updates) {
    const auto old = item.find(update.attribute);
    switch (update.action.value_or(UpdateAction::kPut)) {
      case UpdateAction::kPut:
        editor.set(update.attribute, *update.value);
        break;
      case UpdateAction::kAdd:
        if (old) {
          std::string& bytes = computed.emplace_front();
          TRY(append_added(bytes, *old, *update.value));
          editor.set(update.attribute, ValueView(bytes));
        } else {
          editor.set(update.attribute, *update.value);
        }
        break;
      case UpdateAction::kDelete:
        if (!update.value) {
          editor.remove(update.attribute);
        } else if (old) {
          if (old->type() != update.value->view().type()) return invalid(kTypeMismatch);
          std::string& bytes = computed.emplace_front();
          if (append_difference(bytes, *old, *update.value)) {
            editor.set(update.attribute, ValueView(bytes));
          } else {
            editor.remove(update.attribute);
          }
        }
        break;
    }
  }
  return editor.build();
}

Update compile_legacy_update(const std::vector<LegacyUpdate>& updates) {
  auto impl = std::make_unique<Update::Impl>();
  impl->legacy = &updates;
  impl->steps.reserve(updates.size());
  for (const LegacyUpdate& update : updates) impl->steps.push_back({.name = update.attribute});
  for (size_t i = 0; i < updates.size(); ++i) impl->paths.push_back(DocumentPath(impl->steps).subspan(i, 1));
  impl->only_removes = !updates.empty() && std::ranges::all_of(updates, [](const LegacyUpdate& update) {
    return update.action == UpdateAction::kDelete;
  });
  impl->finish();
  return Update(std::move(impl));
}

}  // namespace trestle
