// T121, T225, T410, T411, T413, T414: data that grows without bound, and costs that recur with every request.
#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "design/check/check_impl.h"

namespace trestle::design {
namespace {

constexpr double kPerRequest = 50;  // calls per second above which an operation is assumed to run on every request

// Whether the binding adds a member: `add` to a set, `append(...)`, or a map element whose name can have many values.
// `type_of` returns the type of the field or input that names the element.
bool adds_member(const Binding& binding, bool adds, const TypeOf& type_of) {
  if (!binding.element)
    return adds || (binding.value.is(Expression::Kind::kCall) &&
                    (binding.value.text == "append" || binding.value.text == "union"));
  if (!binding.element->is(Expression::Kind::kName) && !binding.element->is(Expression::Kind::kInput)) return false;
  const FieldType* type = type_of(binding.element->text);
  return type != nullptr && !value_count(*type);
}

// Whether items of the entity are log records that no operation updates.
bool written_once(const CheckContext& context, const Entity& entity) {
  if (!is_log(entity)) return false;
  const auto writes = context.writes_to(entity.name);
  return std::all_of(writes.begin(), writes.end(), [&](const CheckContext::EntityWrite& entity_write) {
    return entity_write.write->kind == Write::Kind::kDelete || entity_write.write->kind == Write::Kind::kCheck ||
           entity_write.write->kind == Write::Kind::kPut;
  });
}

bool grows(const CheckContext& context, const Entity& entity, const Field& field) {
  const auto any = [&](const std::vector<Binding>& list, bool adds, const TypeOf& type_of) {
    return std::any_of(list.begin(), list.end(), [&](const Binding& binding) {
      return binding.field == field.name && adds_member(binding, adds, type_of);
    });
  };
  for (const auto& entity_write : context.writes_to(entity.name)) {
    const TypeOf inputs = [&](std::string_view name) -> const FieldType* {
      const Input* input = entity_write.operation->input(name);
      return input == nullptr ? nullptr : &input->type;
    };
    if (any(entity_write.write->add, true, inputs) || any(entity_write.write->set, false, inputs)) return true;
    // A caller can replace the whole collection with one of any size. Records that are written once do not grow.
    if (written_once(context, entity)) continue;
    const auto unbounded = [&](const Expression& value) {
      const FieldType* type = value.is(Expression::Kind::kInput) ? inputs(value.text) : nullptr;
      return type != nullptr && !type->max;
    };
    const bool bound = std::any_of(entity_write.write->set.begin(), entity_write.write->set.end(),
                                   [&](const Binding& binding) { return binding.field == field.name; });
    if (std::any_of(entity_write.write->set.begin(), entity_write.write->set.end(), [&](const Binding& binding) {
          return binding.field == field.name && !binding.element && unbounded(binding.value);
        }))
      return true;
    const FieldType* same = bound || !entity_write.write->sets_inputs ? nullptr : inputs(field.name);
    if (same != nullptr && !same->max) return true;
  }
  for (const Tally& tally : context.design.tallies) {
    const Entity* of = context.design.entity(tally.of);
    if (tally.into == entity.name && of != nullptr && any(tally.add, false, types_of(*of))) return true;
  }
  return false;
}

// Whether an operation or a tally in the design writes the field.
bool is_written(const CheckContext& context, const Entity& entity, const Field& field) {
  const auto writes = context.writes_to(entity.name);
  return std::any_of(writes.begin(), writes.end(),
                     [&](const CheckContext::EntityWrite& entity_write) {
                       const Write& write = *entity_write.write;
                       return binds(write.set, field.name) || binds(write.add, field.name) ||
                              binds(write.take, field.name) || !write.raw.empty() ||
                              (write.sets_inputs && entity_write.operation->input(field.name) != nullptr);
                     }) ||
         std::any_of(context.design.tallies.begin(), context.design.tallies.end(),
                     [&](const Tally& tally) { return tally.into == entity.name && tally.writes(field.name); });
}

void unbounded_members(const CheckContext& context, Findings& findings) {
  for (const Entity& entity : context.design.entities) {
    for (const Field& field : entity.fields) {
      const bool written = is_written(context, entity, field);
      const bool collection =
          field.type.base == BaseType::kSet || field.type.base == BaseType::kList || field.type.base == BaseType::kMap;
      const bool is_limited = field.type.element != nullptr && value_count(*field.type.element).has_value() &&
                              field.type.base == BaseType::kSet;
      if (!collection || field.type.max || field.immutable || is_limited) continue;
      if (written && !grows(context, entity, field)) continue;
      findings.add("T121", Severity::kNote, field.place,
                   fmt::format("`{}` of {} has no limit on its number of members. Each write rewrites and pays for the "
                               "whole item, and DynamoDB rejects it above 400 KB",
                               field.name, entity.name),
                   fmt::format("bound it, {}(..100), or store each member as a separate item", type_text(field.type)));
    }
  }
}

// Whether all items of the occupant are in one or a few partitions.
bool few_partitions(const Occupant& occupant, size_t hashes) {
  for (size_t i = 0; i < hashes && i < occupant.key.size(); ++i) {
    for (const std::string& name : occupant.key[i]->fields()) {
      const Field* field = occupant.entity->field(name);
      if (field == nullptr || !(has_few_values(*field) || value_count(field->type))) return false;
    }
  }
  return true;
}

void wide_filters(const CheckContext& context, Findings& findings) {
  for (const Operation& operation : context.design.operations) {
    each_access(operation, [&](const Access& access) {
      const Entity* entity = context.design.entity(access.entity);
      if (!access.filter || access.kind != Access::Kind::kQuery || entity == nullptr) return;
      if (entity->count > 0 && entity->count <= 1000) return;
      const Reach reach = reach_of(context, operation, access);
      for (const Occupant* occupant : reach.occupants) {
        if (occupant->entity != entity || !few_partitions(*occupant, reach.space->schema().hash.size())) continue;
        findings.add("T225", Severity::kWarning, access.filter->place,
                     fmt::format("`{}` applies a filter to {} items, which are all in one or a few partitions: it "
                                 "reads and pays for every item there, however few it returns",
                                 operation.name, entity->name),
                     "put the filtered field into the key of an index");
        return;
      }
    });
  }
}

// In a table with a local index, the items of one partition key, indexes included, are limited to 10 GB.
void local_collections(const CheckContext& context, Findings& findings) {
  for (const Table& table : context.design.tables) {
    const auto local =
        std::find_if(table.indexes.begin(), table.indexes.end(), [](const Index& index) { return index.local; });
    if (local == table.indexes.end()) continue;
    for (const Entity& entity : context.design.entities) {
      if (entity.table != table.name || entity.ttl || entity.count > 0 || entity.key.size() < 2) continue;
      const auto fields = entity.key[1].fields();
      const bool endless = std::any_of(fields.begin(), fields.end(), [&](const std::string& name) {
        const Field* field = entity.field(name);
        return field != nullptr && (is_time(field->type) || field->type.base == BaseType::kUlid);
      });
      if (!endless) continue;
      findings.add(
          "T410", Severity::kWarning, entity.key[1].place,
          fmt::format("{} items accumulate in a partition of {}, which has the local index {}: a partition of such a "
                      "table holds at most 10 GB, and then DynamoDB rejects every write that makes it larger",
                      entity.name, table.name, local->name),
          "use a global index, let the items expire, or put a time into the partition key");
    }
  }
}

// Whether the name suggests the time of the last event: lastUsed, last_seen, seen_at, timestampLast.
bool names_last_time(std::string_view name) {
  return name.starts_with("last") || name.ends_with("Last") || name.ends_with("_last") || name.ends_with("_seen") ||
         name.ends_with("Seen") || name == "seen_at" || name == "seenAt" || name == "used_at" || name == "usedAt";
}

// Whether the write records that something was just used: `set: {last_seen: $at}`. Such a write usually runs on every
// request.
bool marks_last(const Entity& entity, const Write& write) {
  return std::any_of(write.set.begin(), write.set.end(), [&](const Binding& binding) {
    const Field* field = entity.field(binding.field);
    return field != nullptr && is_time(field->type) && names_last_time(field->name);
  });
}

// T411: an update that runs on every request, of an item whose index entries copy all attributes.
void rewritten_entries(const CheckContext& context, Findings& findings) {
  for (const Operation& operation : context.design.operations) {
    each_write(operation, [&](const Write& write, const Step&) {
      const Entity* entity = context.design.entity(write.entity);
      const bool unstated = operation.peak.per_second == 0 && operation.average.per_second == 0;
      if (operation.peak.per_second < kPerRequest && !(unstated && entity != nullptr && marks_last(*entity, write)))
        return;
      const Table* table = entity == nullptr ? nullptr : context.design.table(entity->table);
      if (table == nullptr || (write.kind != Write::Kind::kUpdate && write.kind != Write::Kind::kUpsert)) return;
      for (const IndexEntry& entry : entity->index) {
        const Index* index = table->index(entry.index);
        if (index == nullptr || index->projection.type != ProjectionType::kAll) continue;
        findings.add("T411", Severity::kNote, write.place,
                     fmt::format("`{}` updates a {} item on every call, and {}.{} copies all attributes: each call "
                                 "also rewrites the index entry",
                                 operation.name, entity->name, entity->name, entry.name),
                     fmt::format("project to {} only the attributes that are read (`project: keys`), or store the "
                                 "changing fields in a separate item",
                                 index->name));
        return;
      }
    });
  }
}

const Field* ttl_field_of(const CheckContext& context, const Entity& entity) {
  const Table* table = context.design.table(entity.table);
  if (table == nullptr || table->ttl_attribute.empty()) return nullptr;
  const std::string ttl = lower(table->ttl_attribute);
  const auto found = std::find_if(entity.fields.begin(), entity.fields.end(),
                                  [&](const Field& field) { return lower(field.name) == ttl; });
  return found == entity.fields.end() ? nullptr : &*found;
}

// T413: items that consist of a key, a time and enum fields, and are read, probably to be counted.
void counted_items(const CheckContext& context, Findings& findings) {
  for (const Entity& entity : context.design.entities) {
    if (entity.key.size() < 2 || context.accumulates(entity)) continue;
    const auto own = entity.key[1].fields();
    const bool by_time =
        own.size() == 1 && entity.field(own[0]) != nullptr &&
        (entity.field(own[0])->type.base == BaseType::kTime || entity.field(own[0])->type.base == BaseType::kEpoch);
    const bool bare = std::all_of(entity.fields.begin(), entity.fields.end(), [&](const Field& field) {
      return entity.in_key(field.name) || is_time(field.type) || value_count(field.type);
    });
    if (!by_time || !bare) continue;
    for (const Operation& operation : context.design.operations) {
      bool counts = false;
      each_access(operation, [&](const Access& access) {
        counts = counts || access.entity == entity.name ||
                 std::find(access.finds.begin(), access.finds.end(), entity.name) != access.finds.end();
      });
      if (!counts) continue;
      findings.add(
          "T413", Severity::kNote, entity.key[1].place,
          fmt::format(
              "{} items contain only their key, times and enums: `{}` seems to read them to count them, which costs "
              "more as they grow in number, and two concurrent callers can both find the count below a limit",
              entity.name, operation.name),
          "count in one item per period (`count: counter`, or a `limit`), which a condition can bound");
      break;
    }
  }
}

// T414: an item of counters for each day or hour that is never deleted.
void endless_figures(const CheckContext& context, Findings& findings) {
  for (const Entity& entity : context.design.entities) {
    if (entity.key.size() < 2 || entity.ttl || entity.count > 0 || ttl_field_of(context, entity) != nullptr) continue;
    const bool figures =
        std::any_of(entity.fields.begin(), entity.fields.end(), [](const Field& field) { return field.counter; });
    const auto period = [&](const std::string& name) {
      const Field* field = entity.field(name);
      return field != nullptr && is_time(field->type);
    };
    const auto owner = entity.key[0].fields();
    const auto own = entity.key[1].fields();
    const auto writes = context.writes_to(entity.name);
    const bool removed = std::any_of(writes.begin(), writes.end(), [](const CheckContext::EntityWrite& entity_write) {
      return entity_write.write->kind == Write::Kind::kDelete;
    });
    if (!figures || removed || std::none_of(own.begin(), own.end(), period) ||
        std::any_of(owner.begin(), owner.end(), period))
      continue;
    findings.add("T414", Severity::kNote, entity.key[1].place,
                 fmt::format("{} has an item of counters for each period, and nothing deletes old ones: the partition "
                             "`{}` grows without limit",
                             entity.name, entity.key[0].text),
                 "let them expire (`ttl`), or declare how many there are (`count`)");
  }
}

}  // namespace

void check_growth(const CheckContext& context, Findings& findings) {
  unbounded_members(context, findings);
  wide_filters(context, findings);
  local_collections(context, findings);
  rewritten_entries(context, findings);
  counted_items(context, findings);
  endless_figures(context, findings);
}

}  // namespace trestle::design
