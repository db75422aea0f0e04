#include "design/language/design.h"

#include <algorithm>

namespace trestle::design {
namespace {

template <class T>
const T* named(const std::vector<T>& list, std::string_view name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const T& thing) { return thing.name == name; });
  return found == list.end() ? nullptr : &*found;
}

}  // namespace

const Index* Table::index(std::string_view index_name) const { return named(indexes, index_name); }
const Field* Entity::field(std::string_view field_name) const { return named(fields, field_name); }

bool Tally::writes(std::string_view field) const {
  bool found = false;
  each_figure(*this, [&](const Binding& figure) { found = found || figure.field == field; });
  return found;
}
const IndexEntry* Entity::entry(std::string_view entry_name) const { return named(index, entry_name); }
const Guard* Entity::guard(std::string_view guard_name) const { return named(unique, guard_name); }
std::string Entity::guard_attribute(const Table& of, const Guard& guard, const std::string& field_name) const {
  if (!of.key.contains(field_name)) return field_name;
  const size_t part = !of.key.hash.empty() && of.key.hash[0].name == field_name ? 0 : 1;
  const bool same = part < guard.key.size() && guard.key[part].text == "{" + field_name + "}";
  return same ? field_name : "owner_" + field_name;
}
const std::string* Entity::expiry_attribute(const Table& of) const {
  const bool stored = ttl && !of.ttl_attribute.empty() && field(of.ttl_attribute) == nullptr;
  return stored ? &of.ttl_attribute : nullptr;
}
const Shard* Entity::shard(std::string_view shard_field) const {
  for (const Shard& shard : shards) {
    if (shard.field == shard_field) return &shard;
  }
  return nullptr;
}
bool Entity::in_key(std::string_view field_name) const {
  return std::any_of(key.begin(), key.end(), [&](const Template& part) { return part.uses(field_name); });
}
const Input* Operation::input(std::string_view input_name) const { return named(takes, input_name); }
const Table* Design::table(std::string_view table_name) const { return named(tables, table_name); }
const Entity* Design::entity(std::string_view entity_name) const { return named(entities, entity_name); }
const Operation* Design::operation(std::string_view operation_name) const { return named(operations, operation_name); }
const Limit* Design::limit(std::string_view limit_name) const { return named(limits, limit_name); }
const NamedRecord* Design::type(std::string_view type_name) const { return named(types, type_name); }

TypeOf types_of(const Entity& entity) {
  return [&entity](std::string_view field) -> const FieldType* {
    if (const Field* found = entity.field(field)) return &found->type;
    static const FieldType shard_number{.base = BaseType::kInt, .min = 0, .max = 9999};
    return entity.shard(field) != nullptr ? &shard_number : nullptr;
  };
}

const Field* slice_of(const Entity& entity) {
  const auto is_slice = [&](const Field& field) {
    return field.type.base == BaseType::kEpoch && entity.in_key(field.name);
  };
  const auto found = std::ranges::find_if(entity.fields, is_slice);
  return found == entity.fields.end() ? nullptr : &*found;
}

FieldType input_type(const Field& field) { return field.counter ? FieldType{.base = BaseType::kNumber} : field.type; }

bool rename_table(Design& design, std::string_view from, const std::string& to) {
  if (design.table(from) == nullptr || (from != to && design.table(to) != nullptr)) return false;
  const std::string old(from);
  const auto rename = [&](std::string& name) {
    if (name == old) name = to;
  };
  const auto rename_in = [&](Access& access) { rename(access.raw_table); };
  const auto steps = [&](const auto& self, std::vector<Step>& list) -> void {
    for (Step& step : list) {
      if (step.access) rename_in(*step.access);
      self(self, step.steps);
      // Failures are shared and constant, so copy those that change.
      const auto rename_in_failure = [&](std::shared_ptr<const Failure>& failure) {
        if (failure == nullptr || failure->also.empty()) return;
        auto changed = std::make_shared<Failure>(*failure);
        self(self, changed->also);
        failure = std::move(changed);
      };
      rename_in_failure(step.otherwise);
      for (Write& write : step.writes) rename_in_failure(write.otherwise);
    }
  };
  for (Table& table : design.tables) rename(table.name);
  for (Entity& entity : design.entities) rename(entity.table);
  for (Alert& alert : design.alerts) rename(alert.table);
  for (Operation& operation : design.operations) {
    if (operation.access) rename_in(*operation.access);
    steps(steps, operation.steps);
  }
  for (Claim& claim : design.claims) {
    if (claim.kind == "stream" || claim.kind == "billing") rename(claim.subject);
  }
  return true;
}

}  // namespace trestle::design
