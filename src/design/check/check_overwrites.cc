// T129, T317, T318, T342: numbers, lists, times and counts that concurrent, late or repeated writes corrupt.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/ascii.h"
#include "design/check/check_impl.h"
#include "design/language/raw_update.h"

namespace trestle::design {
namespace {

bool is_update(const Write& write) { return write.kind == Write::Kind::kUpdate || write.kind == Write::Kind::kUpsert; }

// Whether all examples of the field end with a date and a sequence number, as `policy_20251003_001`.
bool examples_count(const Entity& entity, std::string_view name) {
  size_t shown = 0;
  for (const Example& example : entity.examples) {
    for (const auto& [attribute, text] : example.attributes) {
      if (attribute != name) continue;
      ++shown;
      const size_t last = text.find_last_not_of("0123456789");
      if (last == std::string::npos || last < 8) return false;
      const std::string date = text.substr(last - 8, 8);
      const size_t digits = text.size() - last - 1;
      if (digits < 2 || digits > 6 || date.find_first_not_of("0123456789") != std::string::npos) return false;
      if (date.substr(0, 2) != "19" && date.substr(0, 2) != "20") return false;
    }
  }
  return shown > 0;
}

// T129: a sequence number in the key that nothing allocates.
void unallocated_numbers(const CheckContext& context, Findings& findings) {
  constexpr std::array<std::string_view, 8> kEnds = {"_num", "Num",      "number", "Number",
                                                     "_no",  "sequence", "seq",    "attempt"};
  for (const Entity& entity : context.design.entities) {
    if (entity.key.size() < 2 || context.accumulates(entity)) continue;
    const auto fields = entity.key[1].fields();
    const Field* field = fields.empty() ? nullptr : entity.field(fields.back());
    if (field == nullptr || field->automatic) continue;
    const bool counts = field->type.base == BaseType::kInt && !field->identifier &&
                        std::any_of(kEnds.begin(), kEnds.end(), [&](auto end) { return field->name.ends_with(end); });
    if (!counts && !(field->type.base == BaseType::kString && examples_count(entity, field->name))) continue;
    const auto writes = context.writes_to(entity.name);
    const auto blind = [](const CheckContext::EntityWrite& entity_write) {
      bool counted = false;
      each_step(entity_write.operation->steps, [&](const Step& step) { counted = counted || !step.next.empty(); });
      return entity_write.write->kind == Write::Kind::kPut && entity_write.write->exists == Write::Exists::kEither &&
             !entity_write.write->condition && !counted;
    };
    const bool child =
        std::any_of(context.design.entities.begin(), context.design.entities.end(), [&](const Entity& owner) {
          return std::any_of(owner.eaches.begin(), owner.eaches.end(),
                             [&](const Each& e) { return e.entity == entity.name; });
        });
    const bool put = std::any_of(writes.begin(), writes.end(), [](const CheckContext::EntityWrite& entity_write) {
      return entity_write.write->kind == Write::Kind::kPut;
    });
    if (child || (put && std::none_of(writes.begin(), writes.end(), blind))) continue;
    findings.add(
        "T129", Severity::kNote, entity.key[1].place,
        fmt::format("`{}` numbers the {} items of a key, but nothing allocates the numbers: two writers that read the "
                    "last number both use the next one, and the second overwrites the item of the first",
                    field->name, entity.name),
        "allocate it from a counter (`next`), or put with `if: absent` and retry with the next number");
  }
}

// T317: an update that replaces a whole list with the caller's value.
void replaced_lists(const CheckContext& context, const Operation& operation, const Write& write, Findings& findings) {
  const Entity* entity = context.design.entity(write.entity);
  if (entity == nullptr || !is_update(write) || write.condition) return;
  std::vector<std::string> lists;
  for (const Field& field : entity->fields) {
    if (field.revision) return;
    if (field.type.base != BaseType::kList || field.immutable) continue;
    const auto bound = std::find_if(write.set.begin(), write.set.end(), [&](const Binding& binding) {
      return binding.field == field.name && !binding.element;
    });
    const bool replaced = bound == write.set.end() ? write.sets_inputs && operation.input(field.name) != nullptr
                                                   : bound->value.is(Expression::Kind::kInput);
    if (replaced) lists.push_back("`" + field.name + "`");
  }
  if (lists.empty()) return;
  findings.add("T317", Severity::kNote, write.place,
               fmt::format("`{}` replaces {} of {} with the caller's value: if two callers change members at the same "
                           "time, one change is lost",
                           operation.name, fmt::join(lists, ", "), entity->name),
               "give the entity a `revision` and require it, or use a set and add members");
}

bool says_last(std::string_view name) {
  return name.starts_with("last") || name.ends_with("Last") || name.ends_with("_last");
}

// T318: the time of the last event, set by an event that may arrive late.
void backward_times(const CheckContext& context, const Operation& operation, const Write& write, Findings& findings) {
  const Entity* entity = context.design.entity(write.entity);
  if (entity == nullptr || !is_update(write) || write.condition) return;
  const auto report = [&](const Field& field, Place place) {
    if (!is_time(field.type) || field.extreme != Field::Extreme::kNone || !says_last(field.name)) return;
    findings.add(
        "T318", Severity::kNote, place,
        fmt::format(
            "`{}` sets `{}` of {} without comparing it to the stored time: a late event or a retry moves it back",
            operation.name, field.name, entity->name),
        fmt::format("declare it max<{}>, which keeps the latest, or write with `if: {} < $...`", type_text(field.type),
                    field.name));
  };
  for (const Binding& binding : write.set) {
    const Field* field = entity->field(binding.field);
    if (field != nullptr && binding.value.is(Expression::Kind::kInput)) report(*field, binding.place);
  }
  if (write.raw.empty()) return;
  for (const RawClause& clause : read_raw_update(write.raw).clauses) {
    const Field* field = entity->field(clause.attribute);
    if (field != nullptr && clause.section == Section::kSet) report(*field, write.raw_place);
  }
}

// T342: counts of one event in several items, updated by separate requests.
void separate_figures(const CheckContext& context, const Operation& operation, Findings& findings) {
  std::map<std::string, Place> added;
  for (const Step& step : operation.steps) {
    if (step.kind != Step::Kind::kAtomic || step.when || !step.next.empty()) continue;
    bool adds = false;
    std::string into;
    for (const Write& write : step.writes) {
      const Entity* entity = context.design.entity(write.entity);
      if (entity == nullptr || !is_update(write) || write.add.empty() || write.condition || write.when) continue;
      adds = true;
      into = write.entity;
    }
    if (adds) added.emplace(into, step.place);
  }
  if (added.size() < 2) return;
  std::vector<std::string> names;
  Place last;
  for (const auto& [name, place] : added) {
    names.push_back(name);
    last = std::max(last, place);
  }
  findings.add("T342", Severity::kNote, last,
               fmt::format("`{}` adds to {} in separate requests: a failure between two of them leaves the counts "
                           "permanently different, and a retry counts twice in the first",
                           operation.name, fmt::join(names, ", ")),
               "write them in one transaction (`atomic`), or declare tallies");
}

}  // namespace

void check_overwrites(const CheckContext& context, Findings& findings) {
  unallocated_numbers(context, findings);
  for (const Operation& operation : context.design.operations) {
    each_write(operation, [&](const Write& write, const Step&) {
      replaced_lists(context, operation, write, findings);
      backward_times(context, operation, write, findings);
    });
    separate_figures(context, operation, findings);
  }
}

}  // namespace trestle::design
