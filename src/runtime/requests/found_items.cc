#include "runtime/requests/found_items.h"

#include <algorithm>

#include "runtime/items/item_form.h"

namespace trestle::runtime {

using design::Request;
using design::RequestKind;

// Whether the request reads whole items. One that lacks a revision then has none, which counts as 0.
static bool is_whole(const PreparedRequest& prepared) {
  return prepared.projection.empty() && (prepared.request.index.empty() || prepared.request.reads_again);
}

bool is_hidden(const RequestParts& parts, const PreparedRequest& prepared, ItemView item) {
  const Request& request = prepared.request;
  if (!request.finds.empty()) {
    const ItemKind kind = kind_of(parts.design, *prepared.table, item);
    if (kind.guard != nullptr || std::ranges::find(request.finds, kind.entity) == request.finds.end()) return true;
    return kind.entity->ttl && has_expired(*prepared.table, item, parts.state.now_ms);
  }
  if (!request.hides_expired || prepared.table == nullptr || prepared.table->ttl_attribute.empty()) return false;
  return has_expired(*prepared.table, item, parts.state.now_ms);
}

bool is_of_entity(const RequestParts& parts, const PreparedRequest& prepared, ItemView item) {
  const design::Entity* entity = prepared.request.entity;
  if (!prepared.may_find_others || parts.codec.is_of(*entity, item)) return true;
  const ItemKind kind = kind_of(parts.design, *prepared.table, item);
  if (kind.entity == nullptr) return prepared.request.kind == RequestKind::kQuery;
  return kind.entity == entity && kind.guard == nullptr;
}

Outcome<Plain> item_fields(const RequestParts& parts, const PreparedPlan& plan, std::string_view step,
                           const PreparedRequest& prepared, ItemView item) {
  if (!prepared.request.finds.empty()) {
    const ItemKind kind = kind_of(parts.design, *prepared.table, item);
    TRY_INTO(Plain fields, parts.codec.decode(*kind.entity, item));
    parts.codec.add_extras(*kind.entity, item, is_whole(prepared), fields);
    fields = ItemCodec::visible(*kind.entity, std::move(fields));
    Plain typed = Plain::map({{std::string(design::kEntityMember), Plain::text(kind.entity->name)}});
    for (auto& [field, value] : fields.members()) {
      if (field != design::kEntityMember) typed.set(field, std::move(value));
    }
    return typed;
  }
  if (prepared.request.raw) {
    // A raw condition may find items of several entities.
    const ItemKind kind = kind_of(parts.design, *prepared.table, item);
    if (kind.entity != nullptr && kind.guard == nullptr) {
      TRY_INTO(Plain fields, parts.codec.decode(*kind.entity, item));
      parts.codec.add_extras(*kind.entity, item, false, fields);
      return ItemCodec::visible(*kind.entity, std::move(fields));
    }
    Plain attributes = Plain::map();
    for (const Field& field : item.attributes()) attributes.set(field.name, to_plain(field.value));
    return attributes;
  }
  const design::Entity& entity = *prepared.request.entity;
  Plain fields;
  if (plan.opens(step, entity)) {
    TRY_INTO(fields, parts.codec.decode(entity, item));
  } else {
    fields = parts.codec.decode_plain_fields(entity, item);
  }
  parts.codec.add_extras(entity, item, is_whole(prepared), fields);
  return fields;
}

}  // namespace trestle::runtime
