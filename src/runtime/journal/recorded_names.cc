#include "runtime/journal/recorded_names.h"

#include <algorithm>
#include <charconv>

#include "runtime/items/stored_item.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kStepsToUndo = "undo.steps";  // no name of a design has a dot
constexpr size_t kNamesBytesMax = 200'000;

// A type that DynamoDB lacks is stored as a map with one member whose name begins with this character. It is doubled in
// other member names that begin with it.
constexpr char kMark = 1;
const std::string kMomentMember = std::string(1, kMark) + "moment";
const std::string kDurationMember = std::string(1, kMark) + "duration";
const std::string kEmptySetMember = std::string(1, kMark) + "set";
const std::string kTimeMember = std::string(1, kMark) + "time";  // a list: the value and its Plain::TimeForm

Plain storable(const Plain& value) {
  if (value.time_form() != Plain::TimeForm::kNone)
    return Plain::map({{kTimeMember, Plain::list({value, Plain::number(static_cast<int64_t>(value.time_form()))})}});
  switch (value.kind()) {
    case Plain::Kind::kMoment:
      return Plain::map({{kMomentMember, Plain::number(value.integer())}});
    case Plain::Kind::kDuration:
      return Plain::map({{kDurationMember, Plain::number(value.integer())}});
    case Plain::Kind::kSet:
      return value.elements().empty() ? Plain::map({{kEmptySetMember, Plain::null()}}) : value;
    case Plain::Kind::kList: {
      Plain::List elements;
      for (const Plain& element : value.elements()) elements.push_back(storable(element));
      return Plain::list(std::move(elements));
    }
    case Plain::Kind::kMap: {
      Plain::Map members;
      for (const auto& [name, member] : value.members())
        members.emplace_back(name.starts_with(kMark) ? kMark + name : name, storable(member));
      return Plain::map(std::move(members));
    }
    default:
      return value;
  }
}

Plain restored(const Plain& value) {
  if (value.is(Plain::Kind::kList)) {
    Plain::List elements;
    for (const Plain& element : value.elements()) elements.push_back(restored(element));
    return Plain::list(std::move(elements));
  }
  if (!value.is(Plain::Kind::kMap)) return value;
  if (value.members().size() == 1) {
    const auto& [name, member] = value.members()[0];
    if (name == kEmptySetMember) return Plain::set({});
    if (name == kTimeMember && member.is(Plain::Kind::kList) && member.elements().size() == 2) {
      Plain time = member.elements()[0];
      const int form = std::atoi(member.elements()[1].string().c_str());
      time.set_time_form(static_cast<Plain::TimeForm>(form));
      return time;
    }
    if (name == kMomentMember || name == kDurationMember) {
      const int64_t number = std::atoll(member.string().c_str());
      return name == kMomentMember ? Plain::moment(number) : Plain::duration(number);
    }
  }
  Plain::Map members;
  for (const auto& [name, member] : value.members())
    members.emplace_back(name.starts_with(kMark) ? name.substr(1) : name, restored(member));
  return Plain::map(std::move(members));
}

}  // namespace

std::string encode_names(const CallState& state) {
  struct Recorded {
    std::string name;
    Value value;
  };
  std::vector<Recorded> recorded;
  size_t bytes = 0;
  for (const auto& [name, plain] : state.names) {
    if (plain.is_absent()) continue;
    auto value = to_value(storable(plain), ValueType::kNull);
    if (!value) continue;
    bytes += name.size() + value->bytes().size();
    recorded.push_back({name, std::move(*value)});
  }
  std::stable_sort(recorded.begin(), recorded.end(), [](const Recorded& a, const Recorded& b) {
    return a.value.bytes().size() < b.value.bytes().size();
  });
  while (bytes > kNamesBytesMax) {
    bytes -= recorded.back().name.size() + recorded.back().value.bytes().size();
    recorded.pop_back();
  }
  std::vector<Field> names;
  for (const Recorded& entry : recorded) names.push_back({entry.name, entry.value});
  Plain entities = Plain::map();
  for (const auto& [name, entity] : state.entity_of) {
    if (entity != nullptr) entities.set(name, Plain::text(entity->name));
  }
  const auto entity_names = to_value(entities, ValueType::kMap);
  const Item all({{"names", Value::map(std::move(names))},
                  {"entities", entity_names ? *entity_names : Value::map({})},
                  {"now", Value::number(state.now_ms)}});
  return all.bytes();
}

Outcome<RecordedNames> decode_names(const design::Design& design, std::string bytes) {
  if (!is_valid_item(bytes)) return refuse(500, "The journal's record of the call is damaged.");
  const Item all(std::move(bytes));
  RecordedNames recorded;
  for (const Field& field : all.find("names")->map())
    recorded.names[std::string(field.name)] = restored(to_plain(field.value));
  const Plain entities = to_plain(*all.find("entities"));
  for (const auto& [name, entity] : entities.members()) recorded.entity_of[name] = design.entity(entity.string());
  recorded.now_ms = std::atoll(std::string(all.find("now")->scalar()).c_str());
  return recorded;
}

std::vector<size_t> steps_to_undo(const Names& names, size_t steps) {
  std::vector<size_t> undone;
  const auto recorded = names.find(kStepsToUndo);
  if (recorded == names.end() || !recorded->second.is(Plain::Kind::kList)) return undone;
  for (const Plain& place : recorded->second.elements()) {
    size_t step = 0;
    const std::string& text = place.string();
    std::from_chars(text.data(), text.data() + text.size(), step);
    if (step < steps) undone.push_back(step);
  }
  return undone;
}

void set_steps_to_undo(Names& names, const std::vector<size_t>& undone) {
  Plain::List list;
  for (const size_t step : undone) list.push_back(Plain::number(static_cast<int64_t>(step)));
  names[std::string(kStepsToUndo)] = Plain::list(std::move(list));
}

}  // namespace trestle::runtime
