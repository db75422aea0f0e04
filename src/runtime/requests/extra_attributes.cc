// Attributes that are no fields: copied with their item, given by the caller, and compared when the item moves.
#include <fmt/format.h>

#include "runtime/call/execution.h"
#include "runtime/items/item_form.h"

namespace trestle::runtime {

using design::Request;
using design::RequestKind;

namespace {

// Puts more clauses in front of those of a section, or makes the section.
void add_to_section(std::string& update, std::string_view section, const std::string& clauses) {
  if (clauses.empty()) return;
  const std::string word = std::string(section) + " ";
  const size_t at = update.starts_with(word) ? 0 : update.find(" " + word);
  if (at == std::string::npos)
    update += (update.empty() ? "" : " ") + word + clauses;
  else
    update.insert(at + (at == 0 && update.starts_with(word) ? 0 : 1) + word.size(), clauses + ", ");
}

// More are not compared in one condition: an expression has at most 4 KB and 300 operators.
constexpr size_t kComparedAttributesMax = 200;

}  // namespace

// Whether the item that is copied has an expiry that its fields do not decide: another program set it.
Outcome<bool> Execution::has_foreign_expiry(const Request& request, ItemView item) const {
  const design::Table* table = core_.design.table(request.table);
  if (table == nullptr || table->ttl_attribute.empty() || !item.find(table->ttl_attribute)) return false;
  const design::Entity& entity = *request.entity;
  if (entity.field(table->ttl_attribute) != nullptr) return false;
  if (!entity.ttl) return true;
  const auto fields = names_.find(request.extras_from);
  TRY_INTO(const Plain time, evaluate(*entity.ttl, scope(fields == names_.end() ? nullptr : &fields->second)));
  return !time.exists();
}

// Attributes that are no fields: those of the item that this one is a copy of, and those that the caller gave.
Outcome<void> Execution::put_extras(const Request& request, WriteAction& action, Plain& fields) const {
  ItemEditor editor(action.item);
  if (const auto from = stored_.find(request.extras_from); !request.extras_from.empty() && from != stored_.end()) {
    for (const Field& extra : core_.codec.extras(*request.entity, from->second)) editor.set(extra.name, extra.value);
    core_.codec.add_extras(*request.entity, from->second, false, fields);
    TRY_INTO(const bool foreign, has_foreign_expiry(request, from->second));
    const std::string& ttl = core_.design.table(request.table)->ttl_attribute;
    if (foreign && !action.item.find(ttl)) editor.set(ttl, *from->second.find(ttl));
  }
  const auto given = names_.find("$additional");
  std::vector<Value> values;  // the editor refers to them
  if (request.additional && given != names_.end()) {
    values.reserve(given->second.members().size());
    for (const auto& [name, value] : given->second.members()) {
      if (!value.exists()) continue;
      TRY_INTO(Value made, to_value(value, natural_type(value, ValueType::kMap)));
      values.push_back(std::move(made));
      editor.set(name, values.back());
      fields.set(name, value);
    }
  }
  action.item = editor.build();
  return {};
}

// The same of an update: null removes.
Outcome<void> Execution::update_extras(WriteAction& action, NameMap& names, ValueMap& values) const {
  const auto given = names_.find("$additional");
  if (!action.prepared->request.additional || action.kind != RequestKind::kUpdateItem || given == names_.end())
    return {};
  std::string set, remove;
  size_t i = 0;
  for (const auto& [name, value] : given->second.members()) {
    const std::string placeholder = fmt::format("#additional{}", ++i);
    names.emplace_back(placeholder, name);
    if (!value.exists()) {
      remove += (remove.empty() ? "" : ", ") + placeholder;
      continue;
    }
    TRY_INTO(Value made, to_value(value, natural_type(value, ValueType::kMap)));
    set += fmt::format("{}{} = :additional{}", set.empty() ? "" : ", ", placeholder, i);
    values.emplace_back(fmt::format(":additional{}", i), std::move(made));
  }
  add_to_section(action.update, "SET", set);
  add_to_section(action.update, "REMOVE", remove);
  return {};
}

// An item that is put elsewhere, as a copy, and deleted here must be deleted as it was copied.
Outcome<void> Execution::delete_as_copied(std::vector<WriteAction>& actions) const {
  for (const WriteAction& put : actions) {
    if (put.prepared == nullptr || put.kind != RequestKind::kPutItem) continue;
    const Request& request = put.prepared->request;
    const auto from = request.extras_from.empty() ? stored_.end() : stored_.find(request.extras_from);
    if (from == stored_.end()) continue;
    for (WriteAction& deletion : actions) {
      if (deletion.prepared == nullptr || deletion.kind != RequestKind::kDeleteItem || deletion.table != put.table ||
          !is_own(deletion.prepared->request) ||
          deletion.key != runtime::key_of(*deletion.prepared->table, from->second))
        continue;
      deletion.unchanged.clear();
      for (const Field& field : from->second.attributes()) {
        if (!deletion.key.find(field.name)) deletion.unchanged.emplace_back(field.name, Value(field.value));
      }
      if (deletion.unchanged.size() > kComparedAttributesMax)
        return refuse(409, fmt::format("This {} has more than {} attributes: that it stays the same while it is moved "
                                       "cannot be said in one condition.",
                                       request.entity->name, kComparedAttributesMax));
    }
  }
  return {};
}

}  // namespace trestle::runtime
