// T201 to T204, T207, T209, T216, T217, T220: raw reads, whose key conditions are DynamoDB expressions.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/contains.h"
#include "design/check/check_impl.h"
#include "design/language/raw_condition.h"
#include "model/reserved_words.h"

namespace trestle::design {
namespace {

std::string names_of(const std::vector<const Occupant*>& occupants) {
  std::vector<std::string> names;
  for (const Occupant* occupant : occupants) names.push_back(occupant->entity->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Returns the other field that a name can refer to. If a caller reads by `version`, and the item has `latest_version`,
// which is in the key, and `current_version`, returns the latter. Null if the name fits only one field.
const Field* rival_of(const Entity& entity, std::string_view key_field, std::string_view requested) {
  const auto fits = [&](std::string_view name) {
    return name.size() > requested.size() + 1 && name.ends_with(requested) &&
           name[name.size() - requested.size() - 1] == '_';
  };
  if (entity.field(requested) != nullptr || !fits(key_field)) return nullptr;
  const auto rival = std::find_if(entity.fields.begin(), entity.fields.end(),
                                  [&](const Field& field) { return field.name != key_field && fits(field.name); });
  return rival == entity.fields.end() ? nullptr : &*rival;
}

// T220: a read by one field of a key that contains another: `UPDATES#{current_version}` where the key is
// UPDATES#{latest_version}.
void other_field(const Operation& operation, const Access& access, const RawCondition& condition,
                 const Occupant& occupant, Findings& findings) {
  for (size_t i = 0; i < occupant.key.size(); ++i) {
    const std::vector<std::string> written = occupant.key[i]->fields();
    for (size_t j = 0; j < written.size() && written.size() == condition.fields[i].size(); ++j) {
      const Input* input = operation.input(condition.fields[i][j]);
      const std::string entity = occupant.entity->name + ".";
      const Field* rival = input != nullptr && !input->of.empty()
                               ? nullptr
                               : rival_of(*occupant.entity, written[j], condition.fields[i][j]);
      if (rival != nullptr) {
        findings.add(
            "T220", Severity::kError, access.place,
            fmt::format("`{}` reads by `{}`, which can mean `{}` or `{}` of {}; the key contains `{}`", operation.name,
                        condition.fields[i][j], written[j], rival->name, occupant.entity->name, written[j]),
            fmt::format("read by `{}`, or use `{}` in the key", written[j], rival->name));
        return;
      }
      if (input == nullptr || !input->of.starts_with(entity) || input->of == entity + written[j]) continue;
      findings.add("T220", Severity::kError, access.place,
                   fmt::format("`{}` reads by {}, but the key `{}` contains {}: it finds the wrong items",
                               operation.name, input->of.substr(entity.size()), occupant.key[i]->text, written[j]),
                   fmt::format("use {{{}}} in the key", input->of.substr(entity.size())));
    }
  }
}

// T207: the read expects one item, but the key values that the caller knows match several.
void one_of_several(const CheckContext& context, const Operation& operation, const Access& access,
                    const KeySpace& space, const RawCondition& condition, const std::vector<const Occupant*>& found,
                    Findings& findings) {
  if (!access.one || access.limit == 1) return;
  const auto known = [&](const std::string& name) {
    return !operation.states_knows ||
           std::find(operation.knows.begin(), operation.knows.end(), name) != operation.knows.end();
  };
  for (const Occupant* occupant : found) {
    const Entity& entity = *occupant->entity;
    const bool intended = std::find(access.finds.begin(), access.finds.end(), entity.name) != access.finds.end();
    if (!intended || occupant->guard != nullptr) continue;
    std::set<std::string> fixed;  // fields of the item that the condition determines
    for (size_t i = 0; i < occupant->key.size(); ++i) {
      const bool is_bound =
          condition.equal[i] && std::all_of(condition.fields[i].begin(), condition.fields[i].end(), known);
      if (!is_bound) continue;
      for (std::string& field : occupant->key[i]->fields()) fixed.insert(std::move(field));
    }
    if (names_one_item(context, entity, fixed)) continue;
    findings.add(
        "T207", Severity::kWarning, access.place,
        fmt::format(
            "`{}` expects one {}, but nothing makes {} unique: {} can hold several, and it returns any one of them",
            operation.name, entity.name, fmt::join(fixed, ", "), space.name()),
        "guard the field with `unique`, use it alone as the key, or return a list");
  }
}

// T216: the table or index does not exist.
void unknown_space(const CheckContext& context, const Operation& operation, const Access& access, Findings& findings) {
  std::vector<std::string> known;
  if (const Table* table = context.design.table(access.raw_table)) {
    for (const Index& index : table->indexes) known.push_back(index.name);
  }
  findings.add("T216", Severity::kError, access.place,
               fmt::format("`{}` reads {} {}, which the table does not have", operation.name,
                           access.raw_index.empty() ? "table" : "index",
                           access.raw_index.empty() ? access.raw_table : access.raw_index),
               known.empty() ? "declare it under `tables`"
                             : fmt::format("declare it, or read one of: {}", fmt::join(known, ", ")));
}

// T201, T209, T217: conditions that DynamoDB rejects. Returns whether the condition selects a partition.
bool check_condition(const Operation& operation, const Access& access, const KeySpace& space,
                     const RawCondition& condition, Findings& findings) {
  for (const std::string& name : condition.other_attributes) {
    findings.add("T217", Severity::kError, access.place,
                 fmt::format("`{}` is not a key attribute of {}: a key condition can use only key attributes", name,
                             space.name()),
                 "filter on it after the read, or index it");
  }
  for (const std::string& name : condition.bare_names) {
    if (!is_reserved_word(name)) continue;
    findings.add("T209", Severity::kWarning, access.place,
                 fmt::format("`{}` is a reserved word in DynamoDB: an expression that contains it is rejected", name),
                 fmt::format("write #{} and define it in ExpressionAttributeNames", name));
  }
  bool has_hash = true;
  for (size_t i = 0; i < space.schema().hash.size(); ++i) {
    if (condition.equal[i]) continue;
    has_hash = false;
    findings.add(
        "T201", Severity::kError, access.place,
        fmt::format("`{}` has no equality condition on {}: DynamoDB locates a partition by the partition key, so a "
                    "query by sort key alone is rejected",
                    operation.name, space.schema().hash[i].name),
        fmt::format("add an index whose partition key the caller knows, or supply {}", space.schema().hash[i].name));
  }
  return has_hash;
}

// The occupants that can be in the partition of the condition, and those that can meet the whole condition.
struct FoundOccupants {
  std::vector<const Occupant*> in_partition;
  std::vector<const Occupant*> all;
};
FoundOccupants find_occupants(const KeySpace& space, const RawCondition& condition) {
  FoundOccupants found;
  for (const Occupant& occupant : space.occupants) {
    bool hash = true;
    bool all = true;
    for (size_t i = 0; i < occupant.strings.size(); ++i) {
      const bool meets = StringSet::common(occupant.strings[i], condition.strings[i]).has_value();
      all = all && meets;
      if (i < space.schema().hash.size()) hash = hash && meets;
    }
    if (hash) found.in_partition.push_back(&occupant);
    if (all) found.all.push_back(&occupant);
  }
  return found;
}

// T202: no item can meet the condition.
void nothing_found(const Operation& operation, const Access& access, const KeySpace& space,
                   const std::vector<const Occupant*>& in_partition, Findings& findings) {
  findings.add(
      "T202", Severity::kError, access.place,
      in_partition.empty()
          ? fmt::format("no entity writes such a {}: `{}` never returns an item", space.schema().hash[0].name,
                        operation.name)
          : fmt::format("that partition of {} contains only {} items, with other sort keys: `{}` never returns an item",
                        space.name(), names_of(in_partition), operation.name),
      "write that key with the entity, or query a key that is written");
}

// T203: the read also returns items of other entities.
void other_entities(const Operation& operation, const Access& access, const KeySpace& space,
                    const RawCondition& condition, const std::vector<const Occupant*>& others, Findings& findings) {
  // An equality on the whole primary key returns one item. If two entities can have that key, T102 reports it.
  const bool is_one_item =
      space.index == nullptr && std::ranges::all_of(condition.equal, [](bool equal) { return equal; });
  if (others.empty() || is_one_item) return;
  findings.add("T203", Severity::kError, access.place,
               fmt::format("`{}` is meant to return {}, but also returns {}: they share the partition{}",
                           operation.name, fmt::join(access.finds, ", "), names_of(others),
                           condition.has_range ? " and the start of the sort key" : ""),
               "narrow the sort key with begins_with on a prefix that only the intended items have");
}

// T204: the read does not return the items of an entity that it should return.
void missing_entities(const Operation& operation, const Access& access, const KeySpace& space,
                      const std::vector<const Occupant*>& found, Findings& findings) {
  for (const std::string& name : access.finds) {
    const bool reached =
        std::ranges::any_of(found, [&](const Occupant* occupant) { return occupant->entity->name == name; });
    if (reached) continue;
    findings.add("T204", Severity::kError, access.place,
                 fmt::format("`{}` is meant to return {}, which has no such key in {}: it returns none of them",
                             operation.name, name, space.name()),
                 "query a key that the entity has");
  }
}

void check_raw_read(const CheckContext& context, const Operation& operation, const Access& access, Findings& findings) {
  if (!access.where) return;
  const KeySpace* space = context.space(access.raw_table, access.raw_index);
  if (space == nullptr) return unknown_space(context, operation, access, findings);
  const RawCondition condition = read_raw_condition(*access.where, space->schema(), operation);
  if (!check_condition(operation, access, *space, condition, findings)) return;
  const FoundOccupants found = find_occupants(*space, condition);
  if (found.all.empty()) return nothing_found(operation, access, *space, found.in_partition, findings);
  std::vector<const Occupant*> others;
  for (const Occupant* occupant : found.all) {
    const bool intended = access.finds.empty() || list_contains(access.finds, occupant->entity->name);
    if (intended)
      other_field(operation, access, condition, *occupant, findings);
    else
      others.push_back(occupant);
  }
  other_entities(operation, access, *space, condition, others, findings);
  one_of_several(context, operation, access, *space, condition, found.all, findings);
  missing_entities(operation, access, *space, found.all, findings);
}

}  // namespace

void check_raw_reads(const CheckContext& context, Findings& findings) {
  for (const Operation& operation : context.design.operations) {
    each_access(operation, [&](const Access& access) {
      if (access.kind == Access::Kind::kRaw) check_raw_read(context, operation, access, findings);
    });
  }
}

}  // namespace trestle::design
