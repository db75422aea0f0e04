#include "runtime/requests/extra_attributes.h"

#include <fmt/format.h>

#include <deque>

#include "runtime/expressions/evaluate.h"
#include "runtime/items/item_form.h"

namespace trestle::runtime {

using design::Request;
using design::RequestKind;

namespace {

// The most attributes that one condition compares: an expression may have 4 KB and 300 operators.
constexpr size_t kComparedAttributesMax = 200;

// Whether the copied item has an expiry that does not follow from its fields, so that another program must have set it.
Outcome<bool> has_foreign_expiry(const RequestParts& parts, const Request& request, ItemView item) {
  const design::Table* table = parts.design.table(request.table);
  if (table == nullptr || table->ttl_attribute.empty() || !item.find(table->ttl_attribute)) return false;
  const design::Entity& entity = *request.entity;
  if (entity.field(table->ttl_attribute) != nullptr) return false;
  if (!entity.ttl) return true;
  TRY_INTO(const Plain time, evaluate(*entity.ttl, parts.scope(parts.name(request.extras_from))));
  return !time.exists();
}

}  // namespace

Outcome<void> put_extras(const RequestParts& parts, const Request& request, WriteAction& action, Plain& fields) {
  const auto& stored = parts.state.stored;
  ItemEditor editor(action.item);
  std::deque<Value> values;  // the editor refers to them
  const auto set = [&](const std::string& name, const Plain& value) -> Outcome<void> {
    if (!value.exists()) return {};
    TRY_INTO(Value attribute, to_value(value, natural_type(value, ValueType::kMap)));
    editor.set(name, values.emplace_back(std::move(attribute)));
    fields.set(name, value);
    return {};
  };
  if (const auto from = stored.find(request.extras_from); !request.extras_from.empty() && from != stored.end()) {
    action.copied = from->second;
    for (const Field& extra : parts.codec.extras(*request.entity, from->second)) editor.set(extra.name, extra.value);
    parts.codec.add_extras(*request.entity, from->second, false, fields);
    TRY_INTO(const bool foreign, has_foreign_expiry(parts, request, from->second));
    const std::string& ttl = parts.design.table(request.table)->ttl_attribute;
    if (foreign && !action.item.find(ttl)) editor.set(ttl, *from->second.find(ttl));
  } else if (const Plain* item = request.extras_from.empty() ? nullptr : parts.name(request.extras_from)) {
    // A resumed call knows only the item's fields and its other attributes as they were recorded.
    for (const auto& [name, value] : item->is(Plain::Kind::kMap) ? item->members() : Plain::Map()) {
      if (request.entity->field(name) == nullptr) TRY(set(name, value));
    }
  }
  const Plain* additional = parts.name("$additional");
  if (request.additional && additional != nullptr) {
    for (const auto& [name, value] : additional->members()) TRY(set(name, value));
  }
  action.item = editor.build();
  return {};
}

Outcome<AdditionalAttributes> additional_attributes(const RequestParts& parts, const WriteAction& action) {
  AdditionalAttributes attributes;
  const Plain* additional = parts.name("$additional");
  if (!action.prepared->request.additional || action.kind != RequestKind::kUpdateItem || additional == nullptr)
    return attributes;
  for (const auto& [name, value] : additional->members()) {
    std::optional<Value> attribute;
    if (value.exists()) {
      TRY_INTO(attribute, to_value(value, natural_type(value, ValueType::kMap)));
    }
    attributes.emplace_back(name, std::move(attribute));
  }
  return attributes;
}

Outcome<void> delete_as_copied(std::vector<WriteAction>& actions) {
  for (const WriteAction& put : actions) {
    if (put.prepared == nullptr || !put.copied) continue;
    const Request& request = put.prepared->request;
    for (WriteAction& deletion : actions) {
      if (deletion.prepared == nullptr || deletion.kind != RequestKind::kDeleteItem || deletion.table != put.table ||
          !is_own(deletion.prepared->request) || deletion.key != key_of(*deletion.prepared->table, *put.copied))
        continue;
      deletion.unchanged.clear();
      for (const Field& field : put.copied->attributes()) {
        if (!deletion.key.find(field.name)) deletion.unchanged.emplace_back(field.name, Value(field.value));
      }
      if (deletion.unchanged.size() > kComparedAttributesMax)
        return refuse(409, fmt::format("This {} has more than {} attributes; a larger item cannot be moved safely.",
                                       request.entity->name, kComparedAttributesMax));
    }
  }
  return {};
}

}  // namespace trestle::runtime
