#include "runtime/call/answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/expressions/evaluate.h"
#include "runtime/items/stored_item.h"
#include "runtime/values/moment.h"

namespace trestle::runtime {
namespace {

// Converts times and durations to the notation of answers; removes absent members.
Plain presented(Plain value) {
  switch (value.kind()) {
    case Plain::Kind::kMoment:
      return Plain::text(time_text(value.integer(), value.integer() % 1000 == 0 ? 1000 : 1));
    case Plain::Kind::kDuration:
      return Plain::number(value.integer());
    case Plain::Kind::kList:
      for (Plain& element : value.elements()) element = presented(std::move(element));
      return value;
    case Plain::Kind::kMap: {
      auto& members = value.members();
      std::erase_if(members, [](const auto& member) { return member.second.is_absent(); });
      for (auto& [name, member] : members) member = presented(std::move(member));
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

// Without secret fields, and without fields set to null.
Plain visible_fields(const design::Entity& entity, Plain fields) {
  if (fields.is(Plain::Kind::kList)) {
    for (Plain& element : fields.elements()) element = visible_fields(entity, std::move(element));
    return fields;
  }
  if (!fields.is(Plain::Kind::kMap)) return fields;
  std::erase_if(fields.members(), [](const auto& member) { return !member.second.exists(); });
  return ItemCodec::visible(entity, std::move(fields));
}

Outcome<Plain> answer_value(const design::Answer& answer, const Scope& scope) {
  if (answer.each) {
    TRY_INTO(const Plain list, evaluate(*answer.each, scope));
    const bool many = list.is(Plain::Kind::kList) || list.is(Plain::Kind::kSet);
    Plain::List elements;
    Plain members = Plain::map();
    for (const Plain& element : many ? list.elements() : Plain::List()) {
      Scope inner = scope;
      inner.fields = &element;
      if (answer.where) {
        TRY_INTO(const bool wanted, holds(*answer.where, inner));
        if (!wanted) continue;
      }
      Plain value = element;
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

}  // namespace

Outcome<CallReply> compose_answer(const design::Operation& operation, const CallState& state, Names names,
                                  const Plain& caller) {
  CallReply reply{.body = Plain::map(), .revision = {}, .position = state.position};
  for (const auto& [name, entity] : state.entity_of) {
    const auto value = names.find(name);
    if (entity != nullptr && value != names.end()) value->second = visible_fields(*entity, std::move(value->second));
  }
  const auto entity_of = [&](std::string_view name) {
    const auto found = state.entity_of.find(name);
    return found == state.entity_of.end() ? nullptr : found->second;
  };
  // An input may also have one of these names.
  const bool finds_one =
      operation.access && (operation.access->kind == design::Access::Kind::kGet || operation.access->one);
  const auto item = operation.access && finds_one ? names.find("item") : names.end();
  const auto items = operation.access && !finds_one ? names.find("items") : names.end();
  if (operation.returns) {
    Scope scope;
    scope.names = &names;
    scope.caller = &caller;
    scope.now_ms = state.now_ms;
    if (operation.access && items != names.end()) {
      scope.items = &items->second;
      scope.items_entity = entity_of("items");
    }
    TRY_INTO(Plain body, answer_value(*operation.returns, scope));
    if (!body.is(Plain::Kind::kMap)) body = Plain::map({{"result", std::move(body)}});
    reply.body = presented(std::move(body));
    return reply;
  }
  if (operation.access) {
    if (item != names.end()) {
      const design::Entity* entity = entity_of("item");
      if (entity != nullptr) reply.revision = revision_of(*entity, item->second);
      reply.body.set("item", presented(only(operation.access->fields, std::move(item->second))));
    } else if (items != names.end()) {
      Plain list = std::move(items->second);
      for (Plain& element : list.elements()) element = presented(only(operation.access->fields, std::move(element)));
      reply.body.set("items", std::move(list));
    }
    return reply;
  }
  if (!state.written || !state.written->fields.exists()) return reply;
  const WrittenItem& written = *state.written;
  reply.revision = revision_of(*written.entity, written.fields);
  reply.body.set("item", presented(visible_fields(*written.entity, written.fields)));
  return reply;
}

}  // namespace trestle::runtime
