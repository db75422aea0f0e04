// T203, T205 to T208, T210, T215, T230: reads that return too much or too little, or that DynamoDB rejects.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "design/check/check_impl.h"
#include "design/language/raw_condition.h"
#include "design/plan/key_condition.h"
#include "design/plan/plan_impl.h"

namespace trestle::design {
namespace {

// T210: begins_with and BETWEEN read a contiguous range of the sort key, so the known fields must come first.
void sort_key_order(const Entity& entity, const Access& access, const KeySpace& space, const std::vector<Template>& key,
                    Findings& findings) {
  const size_t hashes = space.schema().hash.size();
  std::set<std::string> usable;
  for (size_t i = 0; i < hashes; ++i) {
    for (const std::string& field : key[i].fields()) usable.insert(field);
  }
  std::string stopped_at;
  for (size_t i = hashes; i < key.size(); ++i) {
    for (const std::string& field : key[i].fields()) {
      if (!stopped_at.empty()) break;
      usable.insert(field);
      // A lossy part of the partition key, such as the day, does not determine the value in the sort key.
      if (!binds(access.by, field) || !determines_sort_key(key, hashes, field)) stopped_at = field;
    }
  }
  const auto check = [&](const std::string& field, bool equality) {
    if (field.empty() || entity.shard(field) != nullptr) return;
    const bool shard_source =
        std::any_of(entity.shards.begin(), entity.shards.end(), [&](const Shard& s) { return s.of == field; });
    if (equality ? usable.contains(field) || shard_source : field == stopped_at) return;
    findings.add(
        "T210", Severity::kError, access.place,
        stopped_at.empty() || !std::any_of(key.begin(), key.end(), [&](const Template& t) { return t.uses(field); })
            ? fmt::format("`{}` is not in the key that this reads: DynamoDB finds items by their key alone", field)
            : fmt::format(
                  "`{}` comes after `{}` in the sort key, which is not supplied: a sort key is matched from its start",
                  field, stopped_at),
        "give the earlier field, or add an index whose sort key begins with this one");
  };
  for (const Binding& binding : access.by) check(binding.field, true);
  check(access.range_field, false);
  check(access.prefix_field, false);
}

bool determines_item(const CheckContext& context, const Entity& entity, const IndexEntry& entry) {
  const auto fields = fields_of_key(entry.key);
  return names_one_item(context, entity, {fields.begin(), fields.end()});
}

void projection(const Table& table, const Entity& entity, const Index& index, const Operation& operation,
                const Access& access, Findings& findings) {
  if (index.projection.type == ProjectionType::kAll) return;
  std::vector<std::string> missing;
  const auto& attributes = index.projection.non_key_attributes;
  if (entity.ttl && !table.ttl_attribute.empty() && !index.key.contains(table.ttl_attribute) &&
      !table.key.contains(table.ttl_attribute) &&
      std::ranges::find(attributes, table.ttl_attribute) == attributes.end())
    missing.push_back(table.ttl_attribute);
  for (const Field& field : entity.fields) {
    if (operation.returns || (!missing.empty() && field.name == table.ttl_attribute)) continue;
    const auto& copied = index.projection.non_key_attributes;
    const bool in_key =
        entity.in_key(field.name) || std::any_of(entity.index.begin(), entity.index.end(), [&](const IndexEntry& e) {
          return e.index == index.name &&
                 std::any_of(e.key.begin(), e.key.end(), [&](const Template& t) { return t.uses(field.name); });
        });
    const bool wanted = access.fields.empty() ||
                        std::find(access.fields.begin(), access.fields.end(), field.name) != access.fields.end();
    if (wanted && !field.optional && !field.secret && !in_key &&
        std::find(copied.begin(), copied.end(), field.name) == copied.end())
      missing.push_back(field.name);
  }
  if (missing.empty()) return;
  findings.add("T215", Severity::kNote, access.place,
               fmt::format("{} does not contain {}: each item found must be read again from the table", index.name,
                           fmt::join(missing, ", ")),
               "project them, or return only fields that the index contains");
}

void structured(const CheckContext& context, const Operation& operation, const Access& access, Findings& findings) {
  const Entity* entity = context.design.entity(access.entity);
  if (entity == nullptr) return;
  if (access.kind == Access::Kind::kScan) {
    const bool small = entity->count > 0 && entity->count <= 1000;
    findings.add("T206", small ? Severity::kNote : Severity::kWarning, access.place,
                 fmt::format("`{}` scans: it reads and pays for every item of {}, in undefined order", operation.name,
                             entity->table),
                 small ? "" : "store the listed items under one partition key, or declare `count` if there are few");
    return;
  }
  const Reach reach = reach_of(context, operation, access);
  if (reach.space == nullptr) return;
  const IndexEntry* entry = access.index.empty() ? nullptr : entity->entry(access.index);
  const std::vector<Template>& key = entry == nullptr ? entity->key : entry->key;
  if (access.kind == Access::Kind::kQuery) sort_key_order(*entity, access, *reach.space, key, findings);
  std::vector<std::string> others;
  for (const Occupant* occupant : reach.occupants) {
    if (occupant->entity != entity || occupant->guard != nullptr || occupant->entry != entry)
      others.push_back(occupant->name());
  }
  const bool filtered = access.filter && names_field(*access.filter, reach.space->table->type_attribute);
  // A query of several entities filters out the items of all others.
  if (!others.empty() && access.kind == Access::Kind::kQuery && !filtered && access.others.empty()) {
    findings.add(
        "T203", Severity::kError, access.place,
        fmt::format(
            "`{}` is meant to return {}, but also returns {}: they share the partition and the start of the sort key",
            operation.name, entity->name, fmt::join(others, ", ")),
        "begin the sort key with a prefix that only the intended items have");
  }
  // `limit: 1` deliberately selects one of several: the newest, or any.
  if (entry != nullptr && access.one && access.limit != 1 && !entry->one &&
      !determines_item(context, *entity, *entry)) {
    findings.add(
        "T207", Severity::kWarning, access.place,
        fmt::format("`{}` expects one item, but nothing makes {}.{} unique: if there are two, it returns either",
                    operation.name, entity->name, entry->name),
        "guard the field with `unique`, or return a list");
  }
  // T207 for a query of the table: the partition can contain several items.
  if (entry == nullptr && access.kind == Access::Kind::kQuery && access.one && access.limit != 1 &&
      !access.descending && !access.filter && access.range_field.empty()) {
    std::set<std::string> fixed;
    for (const Binding& binding : access.by) fixed.insert(binding.field);
    if (!names_one_item(context, *entity, fixed)) {
      findings.add("T207", Severity::kWarning, access.place,
                   fmt::format("`{}` expects one item, but a partition of {} can hold several: if there are two, it "
                               "returns the first by sort key",
                               operation.name, entity->name),
                   "supply the whole key, select one with `order` and `limit: 1`, or return a list");
    }
  }
  if (entry != nullptr && entry->one && !determines_item(context, *entity, *entry)) {
    findings.add("T207", Severity::kWarning, entry->place,
                 fmt::format("{}.{} declares that its values identify one item, but nothing enforces it: an index can "
                             "hold any number of equal keys",
                             entity->name, entry->name),
                 "guard the field with `unique`");
  }
  if (access.consistent && reach.space->index != nullptr && !reach.space->index->local) {
    findings.add("T208", Severity::kError, access.place,
                 fmt::format("`{}` requests a consistent read of the global index {}: DynamoDB rejects it",
                             operation.name, reach.space->index->name),
                 "read the table, or accept eventual consistency");
  }
  if (reach.space->index != nullptr)
    projection(*context.design.table(entity->table), *entity, *reach.space->index, operation, access, findings);
}

// T205: compares the inputs that the caller has, if the design states them (`knows`), with those that the key needs.
void known_inputs(const CheckContext& context, const Operation& operation, Findings& findings) {
  if (!operation.states_knows) return;
  bool puts = false;
  std::set<std::string> needed;
  Place place = operation.place;
  const auto from = [&](const std::vector<Binding>& by) {
    for (const Binding& binding : by) {
      if (binding.value.is(Expression::Kind::kInput)) needed.insert(binding.value.text);
    }
  };
  if (operation.access) {
    place = operation.access->place;
    from(operation.access->by);
    if (operation.access->where) {
      if (const KeySpace* space = context.space(operation.access->raw_table, operation.access->raw_index)) {
        for (const std::string& name : read_raw_condition(*operation.access->where, space->schema(), operation).inputs)
          needed.insert(name);
      }
    }
  }
  if (operation.steps.size() == 1) {
    place = operation.steps[0].place;
    for (const Write& write : operation.steps[0].writes) {
      from(write.by);
      const Entity* entity = context.design.entity(write.entity);
      if (write.kind != Write::Kind::kPut || entity == nullptr) continue;
      place = write.place;
      puts = true;
      for (const Template& key : entity->key) {
        for (const std::string& field : key.fields()) {
          if (operation.input(field) != nullptr) needed.insert(field);
        }
      }
    }
  }
  for (const std::string& name : needed) {
    if (std::find(operation.knows.begin(), operation.knows.end(), name) != operation.knows.end()) continue;
    findings.add("T205", Severity::kError, place,
                 fmt::format("`{}` needs `{}`, but its caller knows only {}", operation.name, name,
                             fmt::join(operation.knows, ", ")),
                 puts ? "build the key from values that the caller knows, or take the rest as an input"
                      : "add an index on a value that the caller knows, or query by the known part of the key");
  }
}

// T230: a query of an index can filter only on attributes that the index contains. DynamoDB rejects any other filter.
void index_filters(const CheckContext& context, const Operation& operation, const Access& access, const Entity& entity,
                   Findings& findings) {
  const Table* table = context.design.table(entity.table);
  const IndexEntry* entry = access.index.empty() || access.by_guard ? nullptr : entity.entry(access.index);
  const std::string name = entry == nullptr ? access.raw_index : entry->index;
  const Index* index = table == nullptr || name.empty() ? nullptr : table->index(name);
  if (index == nullptr || access.kind == Access::Kind::kScan) return;
  std::vector<std::string> missing;
  for (const Field& field : entity.fields) {
    if (names_field(*access.filter, field.name) &&
        !index_copies(*index, *table, stored_in(context.design, entity, field.name).attribute))
      missing.push_back(field.name);
  }
  if (missing.empty()) return;
  findings.add("T230", Severity::kError, access.filter->place,
               fmt::format("`{}` filters by {}, which {} does not contain: DynamoDB rejects the query", operation.name,
                           fmt::join(missing, ", "), index->name),
               "project it, or select the items in `returns`");
}

// T230: DynamoDB rejects a query whose filter names an attribute of the key that it queries.
void key_filters(const CheckContext& context, const Operation& operation, const Access& access, const Entity& entity,
                 Findings& findings) {
  const Table* table = context.design.table(entity.table);
  const IndexEntry* entry = access.index.empty() || access.by_guard ? nullptr : entity.entry(access.index);
  const Index* index = table == nullptr || entry == nullptr ? nullptr : table->index(entry->index);
  if (table == nullptr || access.kind == Access::Kind::kScan) return;
  const KeySchema& key = index == nullptr ? table->key : index->key;
  std::set<std::string> keys;
  each_expression(*access.filter, [&](const Expression& part) {
    if (!part.is(Expression::Kind::kName)) return;
    const std::string attribute = stored_in(context.design, entity, part.text).attribute;
    if (key.contains(attribute)) keys.insert(attribute);
  });
  if (keys.empty()) return;
  findings.add("T230", Severity::kError, access.filter->place,
               fmt::format("`{}` filters by {}, part of the key that it queries: DynamoDB rejects the query",
                           operation.name, fmt::join(keys, ", ")),
               "use `by`, `range` or `prefix`, or select the items in `returns`");
}

// T230: DynamoDB evaluates a filter on the stored attributes.
void filters(const CheckContext& context, const Operation& operation, const Access& access, Findings& findings) {
  const Entity* entity = context.design.entity(access.entity);
  if (!access.filter || entity == nullptr) return;
  Namer namer;
  std::vector<PlannedName> names;
  std::vector<PlannedValue> values;
  index_filters(context, operation, access, *entity, findings);
  key_filters(context, operation, access, *entity, findings);
  if (ConditionWriter(context.design, *entity, namer, names, values).can_evaluate(*access.filter)) return;
  findings.add("T230", Severity::kError, access.filter->place,
               fmt::format("`{}` filters by `{}`, which DynamoDB cannot evaluate: it compares stored attributes with "
                           "values and with each other, cannot compute, cannot look into fields that are packed, "
                           "spilled, encrypted or stored in a key template, and cannot compare times of different "
                           "forms or a field with itself",
                           operation.name, expression_text(*access.filter)),
               "store the compared value in a separate field, or select the items in `returns`");
}

}  // namespace

void check_reads(const CheckContext& context, Findings& findings) {
  for (const Operation& operation : context.design.operations) {
    each_access(operation, [&](const Access& access) {
      filters(context, operation, access, findings);
      if (access.kind != Access::Kind::kRaw) structured(context, operation, access, findings);
    });
    known_inputs(context, operation, findings);
  }
}

}  // namespace trestle::design
