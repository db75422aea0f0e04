// Collects the key spaces of a design and computes which keys a read can reach.
#include <algorithm>
#include <set>

#include "design/check/check_impl.h"
#include "design/plan/key_condition.h"
#include "model/limits.h"

namespace trestle::design {

std::string Occupant::name() const {
  if (guard != nullptr) return entity->name + "'s guard " + guard->name;
  return entry == nullptr ? entity->name : entity->name + "." + entry->name;
}

CheckContext::CheckContext(const Design& result) : design(result) {
  const auto occupant = [](const Entity& entity, const std::vector<Template>& key) {
    Occupant key_occupant{.entity = &entity};
    for (const Template& part : key) {
      key_occupant.key.push_back(&part);
      key_occupant.strings.push_back(strings_of(part, types_of(entity)));
    }
    return key_occupant;
  };
  for (const Table& table : design.tables) {
    if (table.key.hash.empty()) continue;  // reported by the reader
    KeySpace space{.table = &table};
    for (const Entity& entity : design.entities) {
      if (entity.table != table.name || entity.key.size() != 1 + table.key.range.size()) continue;
      space.occupants.push_back(occupant(entity, entity.key));
      for (const Guard& guard : entity.unique) {
        if (guard.key.size() != entity.key.size()) continue;
        Occupant guard_occupant = occupant(entity, guard.key);
        guard_occupant.guard = &guard;
        space.occupants.push_back(std::move(guard_occupant));
      }
    }
    spaces.push_back(std::move(space));
    for (const Index& index : table.indexes) {
      if (index.key.hash.empty()) continue;
      KeySpace inside{.table = &table, .index = &index};
      for (const Entity& entity : design.entities) {
        if (entity.table != table.name) continue;
        for (const IndexEntry& entry : entity.index) {
          if (entry.index != index.name || entry.key.size() != index.key.hash.size() + index.key.range.size()) continue;
          Occupant entry_occupant = occupant(entity, entry.key);
          entry_occupant.entry = &entry;
          inside.occupants.push_back(std::move(entry_occupant));
        }
      }
      spaces.push_back(std::move(inside));
    }
  }
}

const KeySpace* CheckContext::space(std::string_view table, std::string_view index) const {
  for (const KeySpace& key_space : spaces) {
    if (key_space.table->name == table && (key_space.index == nullptr ? index.empty() : key_space.index->name == index))
      return &key_space;
  }
  return nullptr;
}

std::vector<CheckContext::EntityWrite> CheckContext::writes_to(std::string_view entity) const {
  std::vector<EntityWrite> out;
  for (const Operation& operation : design.operations) {
    std::set<const Write*> usual;
    const auto main_path = [&](const auto& self, const std::vector<Step>& steps) -> void {
      for (const Step& step : steps) {
        for (const Write& write : step.writes) usual.insert(&write);
        self(self, step.steps);
      }
    };
    main_path(main_path, operation.steps);
    std::set<const Step*> looped;
    each_step(operation.steps, [&](const Step& step) {
      if (step.kind != Step::Kind::kAtomic || step.steps.empty()) return;
      looped.insert(&step);
      for (const Step& loop : step.steps) {
        for (const Step& inner : loop.steps) looped.insert(&inner);
      }
    });
    each_write(operation, [&](const Write& write, const Step& step) {
      // A write inside a loop of a transaction always runs with other writes.
      const size_t writes_in_transaction = std::max(step.writes.size(), looped.contains(&step) ? size_t{2} : size_t{1});
      if (write.entity == entity) out.push_back({&operation, &write, writes_in_transaction, !usual.contains(&write)});
    });
  }
  return out;
}

bool CheckContext::accumulates(const Entity& entity) const {
  for (const Field& field : entity.fields) {
    if (field.counter || field.extreme != Field::Extreme::kNone) return true;
  }
  for (const Tally& tally : design.tallies) {
    if (tally.into == entity.name) return true;
  }
  return false;
}

bool can_share_key(const Occupant& a, const Occupant& b, std::string* example) {
  std::string both;
  for (size_t i = 0; i < a.strings.size() && i < b.strings.size(); ++i) {
    const auto text = StringSet::common(a.strings[i], b.strings[i]);
    if (!text) return false;
    both += (i == 0 ? "`" : ", `") + *text + "`";
  }
  if (example != nullptr) *example = both;
  return true;
}

bool names_field(const Expression& expression, std::string_view field) {
  bool found = false;
  each_expression(expression, [&](const Expression& part) { found = found || part.is_name(field); });
  return found;
}

double write_units(const Entity& entity) {
  constexpr auto kUnit = static_cast<int64_t>(kWriteUnitBytes);
  const int64_t units = std::max<int64_t>((entity.item_bytes + kUnit - 1) / kUnit, 1);
  return static_cast<double>(units);
}

// The strings of a range attribute that a read can match: the prefix that its bindings fix, then anything.
static StringSet range_reach(const Entity& entity, const Access& access, const std::vector<Template>& keys, size_t at,
                             size_t hashes) {
  const Template& key = keys[at];
  StringSet set;
  const TypeOf types = types_of(entity);
  const auto bound = [&](std::string_view field) {
    return determines_sort_key(keys, hashes, field) && binds(access.by, field);
  };
  bool whole = true;
  for (const TemplatePart& part : key.parts) {
    if (!part.is_literal() && !bound(part.field)) {
      // The rest is unconstrained. A range over this field still limits it to values of the field's type.
      if (part.field == access.range_field) set.then(strings_of(part, types));
      whole = false;
      break;
    }
    set.then(strings_of(part, types));
  }
  if (!whole) set.then(StringSet::anything());
  return set;
}

Reach reach_of(const CheckContext& context, const Operation&, const Access& access) {
  Reach reach;
  const Entity* entity = context.design.entity(access.entity);
  if (entity == nullptr || access.kind == Access::Kind::kRaw || access.by_guard) return reach;
  const IndexEntry* entry = access.index.empty() ? nullptr : entity->entry(access.index);
  reach.space = context.space(entity->table, entry == nullptr ? "" : entry->index);
  if (reach.space == nullptr) return reach;
  const std::vector<Template>& key = entry == nullptr ? entity->key : entry->key;
  const size_t hashes = reach.space->schema().hash.size();
  if (key.size() != hashes + reach.space->schema().range.size()) return Reach{};
  for (size_t i = 0; i < key.size(); ++i) {
    if (access.kind == Access::Kind::kScan)
      reach.strings.push_back(StringSet::anything());
    else if (i < hashes || (access.kind == Access::Kind::kGet && entry == nullptr))
      reach.strings.push_back(strings_of(key[i], types_of(*entity)));
    else
      reach.strings.push_back(range_reach(*entity, access, key, i, hashes));
  }
  for (const Occupant& occupant : reach.space->occupants) {
    bool all = occupant.strings.size() == reach.strings.size();
    for (size_t i = 0; all && i < reach.strings.size(); ++i) {
      all = StringSet::common(occupant.strings[i], reach.strings[i]).has_value();
    }
    if (all) reach.occupants.push_back(&occupant);
  }
  return reach;
}

RawReach raw_reach_of(const CheckContext& context, const Operation& operation, const Access& access) {
  RawReach reach;
  const KeySpace* space = access.where ? context.space(access.raw_table, access.raw_index) : nullptr;
  if (space == nullptr) return reach;
  reach.condition = read_raw_condition(*access.where, space->schema(), operation);
  for (size_t i = 0; i < space->schema().hash.size(); ++i) {
    if (!reach.condition.equal[i]) return reach;
  }
  reach.space = space;
  for (const Occupant& occupant : space->occupants) {
    bool all = std::find(access.finds.begin(), access.finds.end(), occupant.entity->name) != access.finds.end();
    for (size_t i = 0; all && i < occupant.strings.size(); ++i)
      all = StringSet::common(occupant.strings[i], reach.condition.strings[i]).has_value();
    if (all) reach.intended.push_back(&occupant);
  }
  return reach;
}

const Field* own_id(const Entity& entity) {
  const auto found = std::find_if(entity.fields.begin(), entity.fields.end(), [](const Field& field) {
    return field.identifier || (field.automatic && is_unique_by_nature(field.type));
  });
  return found == entity.fields.end() ? nullptr : &*found;
}

bool names_one_item(const CheckContext& context, const Entity& entity, const std::set<std::string>& fields) {
  bool all_key = true;
  for (const std::string& field : fields_of_key(entity.key))
    all_key = all_key && (fields.contains(field) || entity.shard(field) != nullptr);
  if (all_key) return true;
  for (const std::string& name : fields) {
    const Field* field = entity.field(name);
    if (field == nullptr) continue;
    const bool own =
        field->identifier || (field->automatic && is_unique_by_nature(field->type)) || !field->sha256_of.empty();
    if (own) return true;
    for (const Guard& guard : entity.unique) {
      if (!guard.key.empty() && guard.key[0].fields() == std::vector<std::string>{name}) return true;
    }
    for (const Entity& other : context.design.entities) {
      const Field* id = &other == &entity ? nullptr : own_id(other);
      const auto key = fields_of_key(entity.key);
      if (id != nullptr && id->name == name && std::all_of(key.begin(), key.end(), [&](const std::string& name_in_key) {
            return other.field(name_in_key) != nullptr;
          }))
        return true;
    }
  }
  return false;
}

bool is_log(const Entity& entity) {
  return std::any_of(entity.fields.begin(), entity.fields.end(), [&](const Field& field) {
    return (field.type.base == BaseType::kTime || field.type.base == BaseType::kEpoch) && entity.in_key(field.name);
  });
}

// Whether items of the entity are written as children (`each`) or as targets of a tally.
static bool entity_is_derived(const CheckContext& context, const Entity& entity) {
  for (const Tally& tally : context.design.tallies) {
    if (tally.into == entity.name) return true;
  }
  return std::any_of(context.design.entities.begin(), context.design.entities.end(), [&](const Entity& owner) {
    return std::any_of(owner.eaches.begin(), owner.eaches.end(),
                       [&](const Each& each) { return each.entity == entity.name; });
  });
}

bool can_change(const CheckContext& context, const Entity& entity, const Field& field) {
  if (field.immutable) return false;
  const auto writes = context.writes_to(entity.name);
  // If no operation creates items, the design does not list every write of the entity.
  const bool created = std::any_of(writes.begin(), writes.end(), [](const CheckContext::EntityWrite& entity_write) {
    return entity_write.write->kind == Write::Kind::kPut || entity_write.write->kind == Write::Kind::kUpsert;
  });
  if (!created) return !entity_is_derived(context, entity);
  return std::any_of(writes.begin(), writes.end(), [&](const CheckContext::EntityWrite& entity_write) {
    const Write& write = *entity_write.write;
    if (write.kind != Write::Kind::kUpdate && write.kind != Write::Kind::kUpsert) return false;
    return binds(write.set, field.name) || (write.sets_inputs && entity_write.operation->input(field.name) != nullptr);
  });
}

std::vector<std::string> fields_of_key(const std::vector<Template>& key) {
  std::vector<std::string> fields;
  for (const Template& part : key) {
    for (std::string& field : part.fields()) {
      if (std::find(fields.begin(), fields.end(), field) == fields.end()) fields.push_back(std::move(field));
    }
  }
  return fields;
}

bool written_together(const CheckContext& context, const Entity& a, const Entity& b) {
  const auto writes = [](const Operation& operation, const Entity& entity) {
    bool found = false;
    each_write(operation, [&](const Write& write, const Step&) {
      found = found || (write.entity == entity.name && write.kind != Write::Kind::kCheck);
    });
    return found;
  };
  for (const Operation& operation : context.design.operations) {
    if (writes(operation, a) && writes(operation, b)) return true;
  }
  const auto follows = [&](const Entity& from, const Entity& to) {
    for (const Each& each : from.eaches) {
      if (each.entity == to.name) return true;
    }
    for (const Tally& tally : context.design.tallies) {
      if (tally.of == from.name && tally.into == to.name) return true;
    }
    for (const Reaction& reaction : context.design.reactions) {
      const Operation* run = reaction.entity == from.name ? context.design.operation(reaction.run) : nullptr;
      if (run != nullptr && writes(*run, to)) return true;
    }
    return false;
  };
  return follows(a, b) || follows(b, a);
}

bool binds(const std::vector<Binding>& list, std::string_view field) {
  return std::any_of(list.begin(), list.end(), [&](const Binding& b) { return b.field == field; });
}

bool has_one_spelling(const TemplatePart& part, const FieldType& type) {
  switch (part.format.kind) {
    case Format::Kind::kLower:
    case Format::Kind::kFold: {
      if (type.base == BaseType::kEmail || type.base == BaseType::kDomain) return true;
      StringSet capitals = StringSet::anything();
      capitals.then(StringSet::repeat(chars_between('A', 'Z'), 1, 1)).then(StringSet::anything());
      return !StringSet::common(strings_of(type), capitals);
    }
    case Format::Kind::kCut:
      return (type.base == BaseType::kDate && part.format.unit == "day") ||
             (type.base == BaseType::kHour && part.format.unit == "hour");
    default:
      return true;
  }
}

}  // namespace trestle::design
