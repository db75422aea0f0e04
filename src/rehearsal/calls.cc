#include "rehearsal/calls.h"

#include <algorithm>
#include <optional>
#include <set>

#include "rehearsal/input_origins.h"
#include "rehearsal/rival_inputs.h"
#include "rehearsal/sample_plain.h"

namespace trestle::rehearsal {

using design::BaseType;
using design::Binding;
using design::Design;
using design::Entity;
using design::Field;
using design::FieldType;
using design::Input;
using design::Operation;
using design::SampleDraft;
using runtime::Plain;

namespace {

constexpr size_t kCallsMax = 64;
constexpr size_t kMembersMost = 100;
constexpr size_t kPlainCalls = 6;  // the calls before the variants of one input

Plain sampled_field(const Design& design, const Entity& entity, const Field& field, const SampleDraft& draft,
                    size_t index) {
  if (sets_expiry(entity, field))
    return sample_plain({.design = &design,
                         .entity = entity.name,
                         .field = field.name,
                         .type = &field.type,
                         .index = index,
                         .later_s = kLifetimeSeconds});
  const auto members = draft.members.find(field.name);
  if (members != draft.members.end() && field.type.element && design::is_scalar(*field.type.element)) {
    Plain::List list;
    for (const std::string& member : members->second) list.push_back(plain_of_text(*field.type.element, member));
    return Plain::list(std::move(list));
  }
  const auto value = draft.values.find(field.name);
  if (value != draft.values.end() && design::is_scalar(field.type)) return plain_of_text(field.type, value->second);
  if (value == draft.values.end() && field.optional) return {};
  return sample_plain(
      {.design = &design, .entity = entity.name, .field = field.name, .type = &field.type, .index = index});
}

bool is_tallied(const Design& design, const Entity& entity, const Field& field) {
  return std::any_of(design.tallies.begin(), design.tallies.end(),
                     [&](const design::Tally& tally) { return tally.into == entity.name && tally.writes(field.name); });
}

// Whether the field references another item, because it is also in the key of another entity. New items keep its value.
bool is_reference(const Design& design, const Origin& origin) {
  return std::any_of(design.entities.begin(), design.entities.end(),
                     [&](const Entity& other) { return &other != origin.entity && other.in_key(origin.field->name); });
}

// Members for a list of records, such as the lines of an order. Each takes the values of one sample of the entity whose
// field it names, so that it refers to an existing item.
Plain sampled_members(const Design& design, const Drafts& drafts, const Input& input, size_t index) {
  const design::NamedRecord* record = input.type.element == nullptr ? nullptr : design.type(input.type.element->record);
  if (record == nullptr || input.type.element->base != BaseType::kRecord) return {};
  Plain::List members;
  for (size_t i = 0; i < 2; ++i) {
    Plain member = Plain::map();
    for (const Field& field : record->fields) {
      Plain value;
      for (const auto& [entity, list] : drafts) {
        // The member refers to an item only if the field is in that item's key.
        const bool names = entity->field(field.name) != nullptr && entity->in_key(field.name) && !list.empty();
        if (names && i >= list.size()) return members.empty() ? Plain() : Plain::list(std::move(members));
        if (names && !value.exists())
          value = sampled_field(design, *entity, *entity->field(field.name), list[(index + i) % list.size()], index);
      }
      if (!value.exists())
        value = sample_plain(
            {.design = &design, .entity = {}, .field = field.name, .type = &field.type, .index = index + i});
      member.set(field.name, std::move(value));
    }
    if (std::find(members.begin(), members.end(), member) == members.end()) members.push_back(std::move(member));
  }
  return Plain::list(std::move(members));
}

void add(std::vector<Plain>& calls, Plain inputs) {
  if (calls.size() < kCallsMax) calls.push_back(std::move(inputs));
}

// A value with as many members as its type allows, or the greatest or least number. Nothing if there is no such value.
std::optional<Plain> extreme(const Design& design, const Input& input, bool greatest) {
  const FieldType& type = input.type;
  if (type.element && greatest) {
    const size_t members = type.max ? std::min(static_cast<size_t>(*type.max), kMembersMost) : 20;
    return sample_plain(
        {.design = &design, .entity = {}, .field = input.name, .type = &type, .index = 200, .members = members});
  }
  if (type.element) return Plain::list({});
  if (type.base == BaseType::kInt && (greatest ? type.max : type.min))
    return Plain::number(greatest ? *type.max : *type.min);
  return std::nullopt;
}

void add_variants(const Design& design, const Operation& operation, const Plain& whole, std::vector<Plain>& calls) {
  Plain required = whole;
  for (const Input& input : operation.takes) {
    if (input.optional) required.erase(input.name);
  }
  add(calls, required);
  for (const Input& input : operation.takes) {
    if (!input.optional || !whole.member(input.name).exists()) continue;
    Plain without = whole;
    without.erase(input.name);
    add(calls, std::move(without));
    Plain alone = required;
    alone.set(input.name, whole.member(input.name));
    add(calls, std::move(alone));
    if (operation.is_write) {
      Plain removed = whole;
      removed.set(input.name, Plain::null());
      add(calls, std::move(removed));
    }
  }
  for (const Input& input : operation.takes) {
    const auto with = [&](Plain value) {
      Plain other = whole;
      other.set(input.name, std::move(value));
      add(calls, std::move(other));
    };
    for (const std::string& value : input.type.values) with(Plain::text(value));
    if (input.type.base == BaseType::kBool) {
      with(Plain::boolean(true));
      with(Plain::boolean(false));
    }
    for (const bool greatest : {false, true}) {
      if (auto value = extreme(design, input, greatest)) with(std::move(*value));
    }
  }
}

}  // namespace

Plain loaded_fields(const Design& design, const Entity& entity, const SampleDraft& draft, size_t index) {
  Plain fields = Plain::map();
  for (const Field& field : entity.fields) {
    if (field.counter || field.revision || field.extreme != Field::Extreme::kNone || field.touched ||
        is_tallied(design, entity, field))
      continue;
    Plain value = sampled_field(design, entity, field, draft, index);
    if (value.exists()) fields.set(field.name, std::move(value));
  }
  return fields;
}

void remember(const Plain& reply, Remembered& remembered) {
  if (reply.is(Plain::Kind::kMap)) {
    for (const auto& [name, value] : reply.members()) {
      if (value.is(Plain::Kind::kText) || value.is(Plain::Kind::kNumber)) remembered[name] = value;
      remember(value, remembered);
    }
  } else if (reply.is(Plain::Kind::kList)) {
    for (const Plain& element : reply.elements()) remember(element, remembered);
  }
}

// Adds, in front of the variants, calls that name different items where the others name one item twice.
std::vector<Plain> CallMaker::with_rivals_apart(const Operation& operation, std::vector<Plain> calls) const {
  const RivalInputs rivals(design_, drafts_, operation);
  std::vector<Plain> others;
  for (size_t i = 0; i < std::min(kPlainCalls, calls.size()); ++i) {
    Plain other = rivals.apart(calls[i]);
    if (other == calls[i] || std::ranges::find(others, other) != others.end()) continue;
    Plain brief = other;
    for (const Input& input : operation.takes) {
      const Plain& list = other.member(input.name);
      if (list.is(Plain::Kind::kList) && list.elements().size() > 1)
        brief.set(input.name, Plain::list({list.elements().front()}));
    }
    if (brief != other) others.push_back(std::move(brief));
    others.push_back(std::move(other));
  }
  calls.insert(calls.begin() + static_cast<ptrdiff_t>(std::min(kPlainCalls, calls.size())), others.begin(),
               others.end());
  return calls;
}

std::vector<Plain> CallMaker::calls(const Operation& operation, const Remembered& remembered) {
  const Origins origins(design_, operation);
  enum class From { kSample, kNew, kReplies, kNowhere };
  const auto inputs_from = [&](From from, size_t index) {
    Plain inputs = Plain::map();
    std::set<const Field*> used;
    for (const Input& input : operation.takes) {
      const Origin origin = origins.of(input);
      // A second input for the same field takes another value, such as the new name in a renaming.
      const bool another = origin.field != nullptr && !used.insert(origin.field).second;
      Plain value;
      const auto drafts = origin.entity == nullptr ? drafts_.end() : drafts_.find(origin.entity);
      const bool sampled = !another && drafts != drafts_.end() && !drafts->second.empty();
      const bool keeps = from == From::kSample || (from == From::kNew && sampled && is_reference(design_, origin));
      if (from == From::kReplies) {
        const auto known = remembered.find(input.name);
        if (known != remembered.end()) value = known->second;
      }
      if (!value.exists() && sampled && (keeps || from == From::kReplies)) {
        const SampleDraft& draft = drafts->second[index % drafts->second.size()];
        value = sampled_field(design_, *origin.entity, *origin.field, draft, index);
      }
      if (!value.exists() && (from == From::kSample || from == From::kReplies))
        value = sampled_members(design_, drafts_, input, index);
      if (!value.exists()) {
        const std::string_view entity = origin.entity == nullptr ? std::string_view() : origin.entity->name;
        const bool lives = origin.field != nullptr && sets_expiry(*origin.entity, *origin.field);
        value = sample_plain({.design = &design_,
                              .entity = entity,
                              .field = input.name,
                              .type = &input.type,
                              .index = from == From::kSample && !another ? index : ++fresh_,
                              .later_s = lives && from != From::kNowhere ? kLifetimeSeconds : 0});
      }
      inputs.set(input.name, std::move(value));
    }
    return inputs;
  };
  std::vector<Plain> calls;
  const Plain first = inputs_from(From::kSample, 0);
  add(calls, first);
  add(calls, first);  // repeated: nothing may be counted twice, and existing items are refused
  add(calls, inputs_from(From::kNew, 0));
  add(calls, inputs_from(From::kReplies, 1));
  add(calls, inputs_from(From::kSample, 1));
  add(calls, inputs_from(From::kNowhere, 0));
  add_variants(design_, operation, first, calls);
  const Plain another = inputs_from(From::kNew, 1);
  add_variants(design_, operation, another, calls);
  return with_rivals_apart(operation, std::move(calls));
}

}  // namespace trestle::rehearsal
