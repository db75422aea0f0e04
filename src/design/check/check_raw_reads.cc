// T2..: key conditions as documents write them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

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

// Where a caller asks by `version`, and the item has both `latest_version`, of which the key is made, and
// `current_version`: the other one. Null: the name fits one field alone.
const Field* rival_of(const Entity& entity, std::string_view written, std::string_view asked) {
  const auto fits = [&](std::string_view name) {
    return name.size() > asked.size() + 1 && name.ends_with(asked) && name[name.size() - asked.size() - 1] == '_';
  };
  if (entity.field(asked) != nullptr || !fits(written)) return nullptr;
  const auto rival = std::find_if(entity.fields.begin(), entity.fields.end(),
                                  [&](const Field& field) { return field.name != written && fits(field.name); });
  return rival == entity.fields.end() ? nullptr : &*rival;
}

// A read by one field of a key that is built from another: `UPDATES#{current_version}` of UPDATES#{latest_version}.
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
            fmt::format("`{}` asks by `{}`, which can be `{}` or `{}` of {}; the key is made of `{}`", operation.name,
                        condition.fields[i][j], written[j], rival->name, occupant.entity->name, written[j]),
            fmt::format("ask by `{}`, or make the key of `{}`", written[j], rival->name));
        return;
      }
      if (input == nullptr || !input->of.starts_with(entity) || input->of == entity + written[j]) continue;
      findings.add("T220", Severity::kError, access.place,
                   fmt::format("`{}` reads by {}, but the key `{}` contains {}: it finds the items of another value",
                               operation.name, input->of.substr(entity.size()), occupant.key[i]->text, written[j]),
                   fmt::format("use {{{}}} in the key", input->of.substr(entity.size())));
    }
  }
}

// T207: one item is expected, and what the caller knows of the key leaves several possible.
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
    const bool meant = std::find(access.finds.begin(), access.finds.end(), entity.name) != access.finds.end();
    if (!meant || occupant->guard != nullptr) continue;
    std::set<std::string> fixed;  // fields of the item that the condition gives
    for (size_t i = 0; i < occupant->key.size(); ++i) {
      const bool is_bound =
          condition.equal[i] && std::all_of(condition.fields[i].begin(), condition.fields[i].end(), known);
      if (!is_bound) continue;
      for (std::string& field : occupant->key[i]->fields()) fixed.insert(std::move(field));
    }
    if (names_one_item(context, entity, fixed)) continue;
    findings.add("T207", Severity::kWarning, access.place,
                 fmt::format("`{}` expects one {}, and nothing makes {} unique: {} can hold several, and it answers "
                             "with either",
                             operation.name, entity.name, fmt::join(fixed, ", "), space.name()),
                 "guard the field with `unique`, make the key of it alone, or answer with a list");
  }
}

void check_one(const CheckContext& context, const Operation& operation, const Access& access, Findings& findings) {
  if (!access.where) return;
  const KeySpace* space = context.space(access.raw_table, access.raw_index);
  if (space == nullptr) {
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
    return;
  }
  const RawCondition condition = read_raw_condition(*access.where, space->schema(), operation);
  for (const std::string& name : condition.other_attributes) {
    findings.add("T217", Severity::kError, access.place,
                 fmt::format("`{}` is not a key attribute of {}: a key condition names only key attributes", name,
                             space->name()),
                 "filter on it after the read, or index it");
  }
  for (const std::string& name : condition.bare_names) {
    if (!is_reserved_word(name)) continue;
    findings.add("T209", Severity::kWarning, access.place,
                 fmt::format("`{}` is one of DynamoDB's reserved words: an expression that names it is refused", name),
                 fmt::format("write #{} and give the name in ExpressionAttributeNames", name));
  }
  bool hash_given = true;
  for (size_t i = 0; i < space->schema().hash.size(); ++i) {
    if (condition.equal[i]) continue;
    hash_given = false;
    findings.add("T201", Severity::kError, access.place,
                 fmt::format("`{}` does not say what {} equals: DynamoDB finds a partition by its key's hash first, so "
                             "a sort key alone reads nothing",
                             operation.name, space->schema().hash[i].name),
                 fmt::format("add an index whose partition key is what the caller knows, or give {}",
                             space->schema().hash[i].name));
  }
  if (!hash_given) return;

  std::vector<const Occupant*> in_partition;
  std::vector<const Occupant*> found;
  for (const Occupant& occupant : space->occupants) {
    bool hash = true;
    bool all = true;
    for (size_t i = 0; i < occupant.strings.size(); ++i) {
      const bool meets = StringSet::common(occupant.strings[i], condition.strings[i]).has_value();
      all = all && meets;
      if (i < space->schema().hash.size()) hash = hash && meets;
    }
    if (hash) in_partition.push_back(&occupant);
    if (all) found.push_back(&occupant);
  }
  const auto meant = [&](const Occupant* occupant) {
    return std::find(access.finds.begin(), access.finds.end(), occupant->entity->name) != access.finds.end();
  };
  if (found.empty()) {
    findings.add(
        "T202", Severity::kError, access.place,
        in_partition.empty()
            ? fmt::format("no entity writes such a {}: `{}` always returns nothing", space->schema().hash[0].name,
                          operation.name)
            : fmt::format("that partition of {} contains only {}, with other sort keys: `{}` always returns nothing",
                          space->name(), names_of(in_partition), operation.name),
        "write that key with the entity, or query the key that is written");
    return;
  }
  for (const Occupant* occupant : found) {
    if (access.finds.empty() || meant(occupant)) other_field(operation, access, condition, *occupant, findings);
  }
  std::vector<const Occupant*> others;
  for (const Occupant* occupant : found) {
    if (!access.finds.empty() && !meant(occupant)) others.push_back(occupant);
  }
  // An equality on the whole primary key finds one item; if two entities can have that key, T102 reports it.
  const bool one_item =
      space->index == nullptr && std::all_of(condition.equal.begin(), condition.equal.end(), [](bool e) { return e; });
  if (!others.empty() && !one_item) {
    findings.add("T203", Severity::kError, access.place,
                 fmt::format("`{}` means {}, and also returns {}: they share the partition{}", operation.name,
                             fmt::join(access.finds, ", "), names_of(others),
                             condition.range_given ? " and the start of the sort key" : ""),
                 "narrow the sort key with begins_with on a prefix that only these items have");
  }
  one_of_several(context, operation, access, *space, condition, found, findings);
  for (const std::string& name : access.finds) {
    const bool reached =
        std::any_of(found.begin(), found.end(), [&](const Occupant* o) { return o->entity->name == name; });
    if (reached) continue;
    findings.add("T204", Severity::kError, access.place,
                 fmt::format("`{}` means {}, which has no such key in {}: it returns none of them", operation.name,
                             name, space->name()),
                 "query the key that it has");
  }
}

}  // namespace

void check_raw_reads(const CheckContext& context, Findings& findings) {
  for (const Operation& operation : context.design.operations) {
    each_access(operation, [&](const Access& access) {
      if (access.kind == Access::Kind::kRaw) check_one(context, operation, access, findings);
    });
  }
}

}  // namespace trestle::design
