#include "rehearsal/random_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "design/sample/sample_value.h"
#include "model/number.h"
#include "rehearsal/sample_plain.h"

namespace trestle::rehearsal {

using design::BaseType;
using design::Entity;
using design::Expression;
using design::Field;
using design::FieldType;
using design::Input;
using design::Operation;
using runtime::Plain;

namespace {

constexpr size_t kRandomMembersMost = 3;
constexpr int64_t kLongText = 6'000;
constexpr size_t kValues = 4;  // few, so that items share values

std::vector<std::string> words_of(const design::Design& design) {
  std::set<std::string> words;
  const auto look = [&](const Expression& expression) {
    design::each_expression(expression, [&](const Expression& part) {
      if (part.is(Expression::Kind::kText) || part.is(Expression::Kind::kMember)) words.insert(part.text);
    });
  };
  const auto look_at = [&](const design::Binding& binding) {
    look(binding.value);
    if (binding.element) look(*binding.element);
  };
  for (const Entity& entity : design.entities) {
    for (const design::IndexEntry& entry : entity.index) {
      if (entry.condition) look(*entry.condition);
    }
  }
  for (const design::Tally& tally : design.tallies) {
    if (tally.when) look(*tally.when);
    design::each_figure(tally, look_at);
  }
  for (const Operation& operation : design.operations) {
    design::each_write(operation, [&](const design::Write& write, const design::Step&) {
      if (write.condition) look(*write.condition);
      for (const auto* list : {&write.set, &write.add, &write.take}) std::ranges::for_each(*list, look_at);
    });
  }
  return {words.begin(), words.end()};
}

size_t least_members(const FieldType& type) { return static_cast<size_t>(std::max<int64_t>(type.min.value_or(0), 0)); }

}  // namespace

RandomInputs::RandomInputs(const design::Design& design, uint64_t seed)
    : design_(design), random_(seed), words_(words_of(design)) {}

int64_t RandomInputs::some_lifetime() {
  if (percent(25)) return static_cast<int64_t>(below(7200));
  return kLifetimeSeconds + static_cast<int64_t>(below(3)) * 3600;
}

bool RandomInputs::takes(const FieldType& type, std::string_view text) {
  auto known = strings_.find(&type);
  if (known == strings_.end()) known = strings_.emplace(&type, design::strings_of(type)).first;
  return known->second.contains(text);
}

Plain RandomInputs::number(const FieldType& type) {
  std::vector<int64_t> choices = {0, 1, 2, -1, static_cast<int64_t>(below(20)), 100};
  if (type.min) choices.push_back(*type.min);
  if (type.max) choices.push_back(*type.max);
  std::erase_if(choices,
                [&](int64_t choice) { return (type.min && choice < *type.min) || (type.max && choice > *type.max); });
  if (choices.empty()) return Plain::number(type.min.value_or(0));
  const int64_t whole = choices[below(choices.size())];
  const bool has_room = !type.max || whole < *type.max;
  if (type.base != BaseType::kInt && has_room && percent(30))
    return Plain::number(canonical_number(fmt::format("{}.5", whole)).value_or("0"));
  return Plain::number(whole);
}

// Another text of the type, or `otherwise`.
Plain RandomInputs::text(const FieldType& type, Plain otherwise) {
  const bool is_free = type.base == BaseType::kString || type.base == BaseType::kText;
  if (is_free && type.max.value_or(kLongText) >= kLongText && otherwise.is(Plain::Kind::kText) && percent(10)) {
    // Repeats the text until it is long enough to be packed or spilled.
    std::string text;
    while (text.size() + otherwise.string().size() < size_t{kLongText}) text += otherwise.string();
    return Plain::text(text);
  }
  if (type.base != BaseType::kString || words_.empty() || !percent(20)) return otherwise;
  const std::string& word = words_[below(words_.size())];
  return takes(type, word) ? Plain::text(word) : otherwise;
}

Plain RandomInputs::members(const FieldType& type, std::string_view entity, std::string_view field) {
  const size_t most = type.max ? static_cast<size_t>(std::max<int64_t>(*type.max, 0)) : kRandomMembersMost;
  const size_t least = std::min(least_members(type), most);
  const size_t count = std::max(least, std::min(most, below(kRandomMembersMost + 1)));
  if (type.base == BaseType::kMap) {
    Plain map = Plain::map();
    for (size_t i = 0; i < count; ++i) {
      const bool is_word = !words_.empty() && percent(50);
      const std::string name = is_word ? words_[below(words_.size())] : fmt::format("key{}", 1 + below(kValues));
      if (!name.empty()) map.set(name, random(*type.element, entity, field, 0));
    }
    return map;
  }
  Plain::List list;
  for (size_t tries = 0; list.size() < count && tries < 4 * count; ++tries) {
    Plain member = random(*type.element, entity, field, 0);
    if (std::ranges::find(list, member) == list.end()) list.push_back(std::move(member));
  }
  return Plain::list(std::move(list));
}

Plain RandomInputs::random(const FieldType& type, std::string_view entity, std::string_view field, int64_t later_s) {
  switch (type.base) {
    case BaseType::kEnum:
      return Plain::text(type.values[below(type.values.size())]);
    case BaseType::kBool:
      return Plain::boolean(percent(50));
    case BaseType::kInt:
    case BaseType::kNumber:
    case BaseType::kMoney:
      return number(type);
    case BaseType::kSet:
    case BaseType::kList:
    case BaseType::kMap:
      if (type.element) return members(type, entity, field);
      break;
    case BaseType::kRecord:
      if (const design::NamedRecord* named = design_.type(type.record)) {
        Plain record = Plain::map();
        for (const Field& record_field : named->fields) {
          if (!record_field.optional || percent(60))
            record.set(record_field.name, random(record_field.type, {}, record_field.name, later_s));
        }
        return record;
      }
      break;
    default:
      break;
  }
  return text(type, sample_plain({.design = &design_,
                                  .entity = entity,
                                  .field = field,
                                  .type = &type,
                                  .index = below(kValues),
                                  .later_s = later_s}));
}

// A slightly different value: another letter case, a neighbouring number, another time of the same day.
Plain RandomInputs::changed(const FieldType& type, const Plain& value) {
  if (value.is(Plain::Kind::kNumber) && type.base == BaseType::kInt) {
    const auto next = add(number_of(value.string()), number_of(percent(50) ? "1" : "-1"));
    return next ? Plain::number(next->text()) : value;
  }
  if (!value.is(Plain::Kind::kText)) return value;
  std::string text = value.string();
  if (design::is_time(type)) {
    const auto seconds = design::seconds_of(type, text);
    return seconds ? Plain::text(design::time_value(type, *seconds + 3600)) : value;
  }
  if (type.base != BaseType::kString || text.empty()) return value;
  const auto flip = [](char& c) {
    if (c >= 'a' && c <= 'z')
      c = static_cast<char>(c - 'a' + 'A');
    else if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  };
  switch (below(4)) {
    case 0:
      std::ranges::for_each(text, flip);
      break;
    case 1:
      flip(text[0]);
      break;
    case 2:
      text += "#x";
      break;
    default:
      text += text[0];
      break;
  }
  return takes(type, text) ? Plain::text(text) : value;
}

Plain RandomInputs::value(const Input& input, const Origin& origin, const Items& items, const Plain* item) {
  const bool known = origin.field != nullptr && item != nullptr && item->member(origin.field->name).exists();
  const bool is_key = origin.field != nullptr && origin.entity->in_key(origin.field->name);
  if (known && percent(is_key ? 75 : 20)) return item->member(origin.field->name);
  if (known && percent(is_key ? 60 : 25)) return changed(input.type, item->member(origin.field->name));
  if (const auto others = items.find(origin.entity); origin.field != nullptr && others != items.end() && percent(25)) {
    const Plain& other = others->second[below(others->second.size())].member(origin.field->name);
    if (other.exists()) return other;
  }
  const bool expires = origin.field != nullptr && sets_expiry(*origin.entity, *origin.field);
  const std::string_view entity = origin.entity == nullptr ? std::string_view() : origin.entity->name;
  return random(input.type, entity, input.name, later_s_ + (expires ? some_lifetime() : 0));
}

Plain RandomInputs::of(const Operation& operation, const Items& items, int64_t now_ms) {
  later_s_ = now_ms / 1000 - design::kSampleNowSeconds;
  const Origins origins(design_, operation);
  std::map<const Entity*, const Plain*> chosen;  // one item of each entity
  Plain inputs = Plain::map();
  for (const Input& input : operation.takes) {
    if (input.optional && percent(35)) continue;
    if (input.optional && operation.is_write && percent(12)) {
      inputs.set(input.name, Plain::null());
      continue;
    }
    const Origin origin = origins.of(input);
    if (origin.entity != nullptr && !chosen.contains(origin.entity)) {
      const auto found = items.find(origin.entity);
      const bool any = found != items.end() && percent(85);
      chosen[origin.entity] = any ? &found->second[below(found->second.size())] : nullptr;
    }
    inputs.set(input.name, value(input, origin, items, origin.entity == nullptr ? nullptr : chosen[origin.entity]));
  }
  return inputs;
}

}  // namespace trestle::rehearsal
