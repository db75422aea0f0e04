// Which entities use which key space, and what a read can reach there.
#include <algorithm>
#include <set>

#include "design/check/check_impl.h"
#include "design/plan/key_condition.h"

namespace trestle::design {

std::string Occupant::name() const {
  if (guard != nullptr) return entity->name + "'s guard " + guard->name;
  return entry == nullptr ? entity->name : entity->name + "." + entry->name;
}

CheckContext::CheckContext(const Design& made) : design(made) {
  const auto occupant = [](const Entity& entity, const std::vector<Template>& key) {
    Occupant one{.entity = &entity};
    for (const Template& part : key) {
      one.key.push_back(&part);
      one.strings.push_back(strings_of(part, types_of(entity)));
    }
    return one;
  };
  for (const Table& table : design.tables) {
    if (table.key.hash.empty()) continue;  // the reader has reported it
    KeySpace space{.table = &table};
    for (const Entity& entity : design.entities) {
      if (entity.table != table.name || entity.key.size() != 1 + table.key.range.size()) continue;
      space.occupants.push_back(occupant(entity, entity.key));
      for (const Guard& guard : entity.unique) {
        if (guard.key.size() != entity.key.size()) continue;
        Occupant one = occupant(entity, guard.key);
        one.guard = &guard;
        space.occupants.push_back(std::move(one));
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
          Occupant one = occupant(entity, entry.key);
          one.entry = &entry;
          inside.occupants.push_back(std::move(one));
        }
      }
      spaces.push_back(std::move(inside));
    }
  }
}

const KeySpace* CheckContext::space(std::string_view table, std::string_view index) const {
  for (const KeySpace& one : spaces) {
    if (one.table->name == table && (one.index == nullptr ? index.empty() : one.index->name == index)) return &one;
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
      // Within a loop of a transaction there are others beside it.
      const size_t together = std::max(step.writes.size(), looped.contains(&step) ? size_t{2} : size_t{1});
      if (write.entity == entity) out.push_back({&operation, &write, together, !usual.contains(&write)});
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
  return entity.item_bytes <= 1024 ? 1 : static_cast<double>((entity.item_bytes + 1023) / 1024);
}

// The part of a range template that a read fixes, then anything.
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
      // The rest is free; a range over this field still keeps its own kind of value, up to the next literal.
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

bool binds(const std::vector<Binding>& list, std::string_view field) {
  return std::any_of(list.begin(), list.end(), [&](const Binding& b) { return b.field == field; });
}

}  // namespace trestle::design
