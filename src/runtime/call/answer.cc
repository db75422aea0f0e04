// The answer of a call: the expression of `returns`, or the item or items.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/call/execution.h"
#include "runtime/values/moment.h"

namespace trestle::runtime {
namespace {

// Computed times and durations as callers read them; absent members are left out.
Plain told(Plain value) {
  switch (value.kind()) {
    case Plain::Kind::kMoment:
      return Plain::text(time_text(value.integer(), value.integer() % 1000 == 0 ? 1000 : 1));
    case Plain::Kind::kDuration:
      return Plain::number(value.integer());
    case Plain::Kind::kList:
      for (Plain& one : value.elements()) one = told(std::move(one));
      return value;
    case Plain::Kind::kMap: {
      auto& members = value.members();
      std::erase_if(members, [](const auto& member) { return member.second.is_absent(); });
      for (auto& [name, one] : members) one = told(std::move(one));
      return value;
    }
    default:
      return value;
  }
}

Plain only(const std::vector<std::string>& fields, Plain item) {
  if (fields.empty() || !item.is(Plain::Kind::kMap)) return item;
  std::erase_if(item.members(), [&](const auto& member) {
    return std::find(fields.begin(), fields.end(), member.first) == fields.end();
  });
  return item;
}

std::optional<std::string> revision_of(const design::Entity& entity, const Plain& item) {
  for (const design::Field& field : entity.fields) {
    if (field.revision && item.member(field.name).is(Plain::Kind::kNumber)) return item.member(field.name).string();
  }
  return std::nullopt;
}

std::string name_text(const Plain& value) {
  switch (value.kind()) {
    case Plain::Kind::kText:
    case Plain::Kind::kNumber:
      return value.string();
    case Plain::Kind::kMoment:
      return time_text(value.integer(), 1000);
    case Plain::Kind::kBool:
      return value.truth() ? "true" : "false";
    default:
      return {};
  }
}

}  // namespace

// Without secret fields, and without fields set to null.
Plain Execution::shown(const design::Entity& entity, Plain fields) const {
  if (fields.is(Plain::Kind::kList)) {
    for (Plain& one : fields.elements()) one = shown(entity, std::move(one));
    return fields;
  }
  if (!fields.is(Plain::Kind::kMap)) return fields;
  std::erase_if(fields.members(), [](const auto& member) { return !member.second.exists(); });
  return ItemCodec::visible(entity, std::move(fields));
}

Outcome<Plain> Execution::answer_value(const design::Answer& answer, const Scope& scope) const {
  if (answer.each) {
    TRY_INTO(const Plain list, evaluate(*answer.each, scope));
    const bool many = list.is(Plain::Kind::kList) || list.is(Plain::Kind::kSet);
    Plain::List elements;
    Plain members = Plain::map();
    for (const Plain& one : many ? list.elements() : Plain::List()) {
      Scope inner = scope;
      inner.fields = &one;
      if (answer.where) {
        TRY_INTO(const bool wanted, holds(*answer.where, inner));
        if (!wanted) continue;
      }
      Plain value = one;
      if (answer.of) {
        TRY_INTO(value, answer_value(*answer.of, inner));
      }
      if (!answer.key) {
        elements.push_back(std::move(value));
        continue;
      }
      TRY_INTO(const Plain name, evaluate(*answer.key, inner));
      members.set(name_text(name), std::move(value));
    }
    return answer.key ? members : Plain::list(std::move(elements));
  }
  if (answer.value) return evaluate(*answer.value, scope);
  Plain members = Plain::map();
  for (const design::AnswerMember& member : answer.members) {
    TRY_INTO(Plain value, answer_value(member.answer, scope));
    if (!value.is_absent()) members.set(member.name, std::move(value));
  }
  return members;
}

Outcome<CallReply> Execution::answer() {
  const design::Operation& operation = prepared_.operation;
  CallReply reply{.body = Plain::map(), .revision = {}, .position = position_};
  for (const auto& [name, entity] : entity_of_) {
    const auto value = names_.find(name);
    if (entity != nullptr && value != names_.end()) value->second = shown(*entity, std::move(value->second));
  }
  if (operation.returns) {
    Scope with_items = scope();
    const auto items = names_.find("items");
    if (operation.access && items != names_.end()) {
      with_items.items = &items->second;
      if (const auto entity = entity_of_.find("items"); entity != entity_of_.end())
        with_items.items_entity = entity->second;
    }
    TRY_INTO(Plain body, answer_value(*operation.returns, with_items));
    if (!body.is(Plain::Kind::kMap)) body = Plain::map({{"result", std::move(body)}});
    reply.body = told(std::move(body));
    return reply;
  }
  if (operation.access) {
    const auto item = names_.find("item");
    const auto items = names_.find("items");
    if (item != names_.end()) {
      const design::Entity* entity = entity_of_["item"];
      if (entity != nullptr) reply.revision = revision_of(*entity, item->second);
      reply.body.set("item", told(only(operation.access->fields, item->second)));
    } else if (items != names_.end()) {
      Plain list = items->second;
      for (Plain& one : list.elements()) one = told(only(operation.access->fields, std::move(one)));
      reply.body.set("items", std::move(list));
    }
    return reply;
  }
  if (!written_) return reply;
  if (written_->read != nullptr) {
    // A transaction returns no items, so the written item is read.
    GetItemRequest request{.table_name = written_->read->request.table, .key = written_->key};
    request.consistent_read = true;
    const auto item = send(&Database::get_item, request);
    if (!item) return std::unexpected(refused_by(item.error()));
    if (item->item) {
      TRY_INTO(written_->fields, core_.codec.decode(*written_->entity, *item->item));
      core_.codec.add_extras(*written_->entity, *item->item, true, written_->fields);
    }
  }
  if (!written_->fields.exists()) return reply;
  reply.revision = revision_of(*written_->entity, written_->fields);
  reply.body.set("item", told(shown(*written_->entity, written_->fields)));
  return reply;
}

}  // namespace trestle::runtime
