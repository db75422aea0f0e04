// T211 to T214, T218, T219: indexes that are not used, repeat the table or copy too much, and entities that nothing
// reads.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "design/check/check_impl.h"
#include "design/language/raw_condition.h"
#include "design/plan/extreme_read.h"
#include "design/plan/plan_impl.h"

namespace trestle::design {
namespace {

struct Use {
  const Operation* operation;
  const Access* access;
  bool constant;  // the access fixes the partition key to a constant
};

// The index entries that the design reads, with their readers, and the entities that it reads at all.
struct Uses {
  std::map<const IndexEntry*, std::vector<Use>> entries;
  std::set<const Entity*> entities;
};

Uses uses_of(const CheckContext& context) {
  Uses uses;
  for (const Operation& operation : context.design.operations) {
    each_access(operation, [&](const Access& access) {
      if (access.kind != Access::Kind::kRaw) {
        const Entity* entity = context.design.entity(access.entity);
        if (entity == nullptr) return;
        uses.entities.insert(entity);
        for (const auto& [name, index] : access.others) {
          const Entity* other = context.design.entity(name);
          if (other == nullptr) continue;
          uses.entities.insert(other);
          if (const IndexEntry* other_entry = other->entry(index))
            uses.entries[other_entry].push_back({&operation, &access, false});
        }
        const IndexEntry* entry = entity->entry(access.index);
        if (entry == nullptr || entry->key.empty()) return;
        const bool constant =
            !entry->key[0].fields().empty() && std::all_of(access.by.begin(), access.by.end(), [&](const Binding& b) {
              return !entry->key[0].uses(b.field) || b.value.is(Expression::Kind::kText) ||
                     b.value.is(Expression::Kind::kNumber);
            });
        uses.entries[entry].push_back({&operation, &access, constant});
        return;
      }
      const KeySpace* space = access.where ? context.space(access.raw_table, access.raw_index) : nullptr;
      if (space == nullptr) return;
      const RawCondition condition = read_raw_condition(*access.where, space->schema(), operation);
      // A read without the partition key fails (T201), so it does not count as a use.
      for (size_t i = 0; i < space->schema().hash.size(); ++i) {
        if (!condition.equal[i]) return;
      }
      for (const Occupant& occupant : space->occupants) {
        bool all = true;
        for (size_t i = 0; i < occupant.strings.size(); ++i)
          all = all && StringSet::common(occupant.strings[i], condition.strings[i]).has_value();
        if (!all) continue;
        uses.entities.insert(occupant.entity);
        if (occupant.entry != nullptr)
          uses.entries[occupant.entry].push_back({&operation, &access, condition.constant[0]});
      }
    });
    each_step(operation.steps, [&](const Step& step) {
      if (step.kind != Step::Kind::kLimit) return;
      if (const Limit* limit = context.design.limit(step.limit))
        uses.entities.insert(context.design.entity(limit->entity));
    });
  }
  // When the item with the minimum or maximum of a tally is deleted, the next value is read from an index.
  for (const Tally& tally : context.design.tallies) {
    const Entity* of = context.design.entity(tally.of);
    for (const TallyExtreme& extreme : tally.extremes) {
      if (never_comes_back(context.design, tally, extreme)) continue;
      const auto read = extreme_read(context.design, tally, extreme);
      if (!read) continue;
      for (const IndexEntry& entry : of->index) {
        if (&entry.key == read->key) uses.entries[&entry].push_back({nullptr, nullptr, false});
      }
    }
  }
  for (const Entity& entity : context.design.entities) {
    for (const Shard& shard : entity.shards) uses.entities.insert(context.design.entity(shard.count_entity));
  }
  return uses;
}

std::set<std::string> fields_of(const std::vector<Template>& key, size_t from, size_t to) {
  std::set<std::string> fields;
  for (size_t i = from; i < to && i < key.size(); ++i) {
    for (std::string& field : key[i].fields()) fields.insert(std::move(field));
  }
  return fields;
}

void repeats_table(const Entity& entity, const IndexEntry& entry, const Index& index, Findings& findings) {
  if (index.local || entry.condition || entity.key.empty()) return;
  const size_t hashes = index.key.hash.size();
  const auto table_hash = fields_of(entity.key, 0, 1);
  if (table_hash.empty() || table_hash != fields_of(entry.key, 0, hashes)) return;
  if (fields_of(entity.key, 1, entity.key.size()) != fields_of(entry.key, hashes, entry.key.size())) return;
  findings.add("T211", Severity::kWarning, entry.place,
               fmt::format("{}.{} has the same partition and sort fields ({}) as the table itself: every write is paid "
                           "for twice without benefit",
                           entity.name, entry.name, fmt::join(table_hash, " and ")),
               "remove the entry, and read the table");
}

// Whether the entity is a hand-written guard: every write is part of a transaction and conditional, or a delete. False
// if the design has no writes of it.
bool is_guard_entity(const CheckContext& context, const Entity& entity) {
  const auto writes = context.writes_to(entity.name);
  return !writes.empty() && std::all_of(writes.begin(), writes.end(), [](const CheckContext::EntityWrite& w) {
    return w.writes_in_transaction > 1 &&
           (w.write->exists == Write::Exists::kAbsent || w.write->condition || w.write->kind == Write::Kind::kDelete);
  });
}

// Whether the type is an unlimited map of `any`, or an unlimited list of `any` or records.
bool holds_any_number(const FieldType& type) {
  if (type.max) return false;
  const bool any = type.element == nullptr || type.element->base == BaseType::kAny;
  return (type.base == BaseType::kMap && any) ||
         (type.base == BaseType::kList && (any || type.element->base == BaseType::kRecord));
}

void large_projection(const CheckContext& context, const KeySpace& space, Findings& findings) {
  if (space.index == nullptr || space.index->projection.type == ProjectionType::kKeysOnly) return;
  std::vector<std::string> copied;
  bool large = false;
  for (const Occupant& occupant : space.occupants) {
    for (const Field& field : occupant.entity->fields) {
      const bool packed = std::any_of(occupant.entity->packs.begin(), occupant.entity->packs.end(),
                                      [&](const Pack& p) { return p.field == field.name; });
      if (!is_unbounded(field.type) && !holds_any_number(field.type) && !packed &&
          bytes_max(field.type).value_or(0) <= 16 * 1024)
        continue;
      const bool counts = is_unbounded(field.type) || packed || bytes_max(field.type).value_or(0) > 16 * 1024;
      const auto& listed = space.index->projection.non_key_attributes;
      const bool included = space.index->projection.type == ProjectionType::kAll ||
                            std::find(listed.begin(), listed.end(), field.name) != listed.end();
      const std::string name = occupant.entity->name + "." + field.name;
      large = large || (included && counts);
      if (included && std::find(copied.begin(), copied.end(), name) == copied.end()) copied.push_back(name);
    }
  }
  (void)context;
  if (copied.empty()) return;
  findings.add("T218", large ? Severity::kWarning : Severity::kNote, space.index->place,
               fmt::format("{} copies {}: every write of the item pays for them again, a page of 1 MB holds few items, "
                           "and storage doubles",
                           space.index->name, fmt::join(copied, ", ")),
               "project only the attributes that lists need, and read the item for the rest");
}

}  // namespace

void check_indexes(const CheckContext& context, Findings& findings) {
  const Uses uses = uses_of(context);
  for (const KeySpace& space : context.spaces) {
    large_projection(context, space, findings);
    // Every item is in an index on attributes of the table's key.
    const bool holds_all =
        space.index != nullptr && std::ranges::all_of(key_attributes(space.index->key), [&](auto* attribute) {
          return space.table->key.contains(attribute->name);
        });
    if (space.index != nullptr && space.occupants.empty() && !holds_all) {
      findings.add("T212", Severity::kWarning, space.index->place,
                   fmt::format("no entity writes the key of {}: the index stays empty", space.index->name),
                   "remove it; an index can be added later");
    }
  }
  for (const Entity& entity : context.design.entities) {
    const Table* table = context.design.table(entity.table);
    if (table == nullptr) continue;
    for (const IndexEntry& entry : entity.index) {
      const Index* index = table->index(entry.index);
      if (index == nullptr) continue;
      repeats_table(entity, entry, *index, findings);
      const auto use = uses.entries.find(&entry);
      if (use == uses.entries.end()) {
        findings.add("T213", Severity::kWarning, entry.place,
                     fmt::format("{}.{} is never read: every write of {} pays for an index entry that nothing uses",
                                 entity.name, entry.name, entity.name),
                     "remove the entry, or add the read that it is meant for");
        continue;
      }
      const bool few = !entry.key[0].fields().empty() &&
                       std::all_of(entry.key[0].parts.begin(), entry.key[0].parts.end(), [&](const TemplatePart& p) {
                         const Field* field = p.is_literal() ? nullptr : entity.field(p.field);
                         return p.is_literal() || (field != nullptr && value_count(field->type));
                       });
      const bool always_constant =
          std::all_of(use->second.begin(), use->second.end(), [](const Use& u) { return u.constant; });
      if (few && always_constant && !entry.condition) {
        findings.add("T219", Severity::kWarning, entry.place,
                     fmt::format("{}.{} is read only with constants for {}, but contains the items with every value: "
                                 "you pay for writes and storage of entries that are never read",
                                 entity.name, entry.name, fmt::join(entry.key[0].fields(), ", ")),
                     fmt::format("make it sparse: `if: {} = <the value that is read>`", entry.key[0].fields()[0]));
      }
    }
    if (!uses.entities.contains(&entity) && !is_guard_entity(context, entity)) {
      findings.add("T214", Severity::kNote, entity.place, fmt::format("nothing reads {}", entity.name),
                   "add the read that it is meant for, or remove the entity");
    }
  }
}

}  // namespace trestle::design
