#include "design/language/resolve/resolve.h"

#include <fmt/format.h>

#include <algorithm>

#include "design/language/resolve/resolve_expression.h"
#include "design/language/resolve/resolve_operation.h"
#include "design/language/source.h"

namespace trestle::design {
namespace {

// Gives a key as many templates as it must have. The passes that follow a mistake rely on the number.
void complete_key(std::vector<Template>& key, size_t size, const std::string& name) {
  key.resize(std::min(key.size(), size));
  while (key.size() < size) key.push_back({.text = name, .parts = {{.literal = name}}});
}

std::vector<std::string> declared_names(const auto& objects) {
  std::vector<std::string> names;
  for (const auto& object : objects) names.push_back(object.name);
  return names;
}

// The keys of an entity must have as many templates as its table and indexes have key attributes.
void resolve_keys(Entity& entity, const Design& design, Findings& findings) {
  const Table* table = design.table(entity.table);
  if (table == nullptr) {
    // A missing name has been reported by the reader.
    if (!entity.table.empty() || design.tables.empty())
      mistake_unknown(findings, entity.place, "table", entity.table, declared_names(design.tables));
  } else {
    const size_t wanted = 1 + table->key.range.size();
    if (!entity.key.empty() && entity.key.size() != wanted) {
      findings.mistake("T003", entity.key[0].place,
                       fmt::format("{}: the key of {} has {} attributes, but there are {} templates", entity.name,
                                   table->name, wanted, entity.key.size()));
    }
    complete_key(entity.key, wanted, entity.name);
    for (IndexEntry& entry : entity.index) {
      const trestle::design::Index* index = table->index(entry.index);
      if (index == nullptr) {
        mistake_unknown(findings, entry.place, fmt::format("index of {}", table->name), entry.index,
                        declared_names(table->indexes));
      } else if (entry.key.size() != index->key.hash.size() + index->key.range.size()) {
        findings.mistake(
            "T003", entry.place,
            fmt::format("{}.{}: the key of {} has {} attributes, but there are {} templates", entity.name, entry.name,
                        index->name, index->key.hash.size() + index->key.range.size(), entry.key.size()));
        complete_key(entry.key, index->key.hash.size() + index->key.range.size(), entry.name);
      }
    }
    for (Guard& guard : entity.unique) guard.key.resize(std::min(guard.key.size(), wanted));
  }
  complete_key(entity.key, std::max<size_t>(entity.key.size(), 1), entity.name);
  for (IndexEntry& entry : entity.index) complete_key(entry.key, std::max<size_t>(entry.key.size(), 1), entry.name);
  for (Guard& guard : entity.unique) complete_key(guard.key, std::max<size_t>(guard.key.size(), 1), guard.name);
}

void need_field(const Entity& entity, std::string_view field, Place place, Findings& findings) {
  if (entity.field(field) == nullptr)
    mistake_unknown(findings, place, fmt::format("field of {}", entity.name), field, declared_names(entity.fields));
}

// A field of the entity that `owner` names; empty: none is named.
void need_field_of(const Design& design, std::string_view owner, std::string_view field, Place place,
                   Findings& findings) {
  if (owner.empty()) return;
  const Entity* other = design.entity(owner);
  if (other == nullptr) return mistake_unknown(findings, place, "entity", owner, declared_names(design.entities));
  need_field(*other, field, place, findings);
}

void resolve_former_keys(Entity& entity, Findings& findings) {
  for (auto& key : entity.formerly) {
    if (key.size() != entity.key.size()) {
      findings.mistake("T003", entity.place,
                       fmt::format("{}: a former key has {} templates, but the key has {}", entity.name, key.size(),
                                   entity.key.size()));
      complete_key(key, entity.key.size(), entity.name);
    }
    for (const Template& part : key) {
      for (const std::string& field : part.fields()) {
        if (entity.shard(field) == nullptr) need_field(entity, field, part.place, findings);
      }
    }
  }
}

void resolve_guard(Guard& guard, const Entity& entity, Findings& findings) {
  for (const Template& key : guard.key) {
    for (const std::string& field : key.fields()) need_field(entity, field, guard.place, findings);
  }
  // A guard always keeps the owner's key fields.
  for (const Template& key : entity.key) {
    for (const std::string& part : key.fields()) {
      const Shard* shard = entity.shard(part);
      const std::string& field = shard == nullptr ? part : shard->of;
      if (std::ranges::find(guard.keeps, field) == guard.keeps.end()) guard.keeps.push_back(field);
    }
  }
  for (const std::string& field : guard.keeps) need_field(entity, field, guard.place, findings);
}

void resolve_entity(Entity& entity, const Design& design, Findings& findings) {
  resolve_keys(entity, design, findings);
  const NameScope scope{.design = design, .entity = &entity, .values = {}, .items = {}, .others = {}};
  NameResolver resolver(scope, findings);
  for (IndexEntry& entry : entity.index) {
    if (entry.condition) resolver.resolve(*entry.condition);
  }
  if (entity.ttl) resolver.resolve(*entity.ttl);
  for (Field& field : entity.fields) {
    if (field.default_value) resolver.resolve(*field.default_value, &field.type);
  }
  resolve_former_keys(entity, findings);
  for (const Flow& flow : entity.flows) need_field(entity, flow.field, flow.place, findings);
  for (const Shard& shard : entity.shards) need_field(entity, shard.of, shard.place, findings);
  for (const Pack& pack : entity.packs) {
    need_field(entity, pack.field, pack.place, findings);
    for (const auto& [field, figure] : pack.figures) need_field(entity, field, pack.place, findings);
  }
  for (const Spill& spill : entity.spills) need_field(entity, spill.field, spill.place, findings);
  for (const Each& each : entity.eaches) need_field(entity, each.field, each.place, findings);
  for (Guard& guard : entity.unique) resolve_guard(guard, entity, findings);
  for (const Shard& shard : entity.shards) {
    need_field_of(design, shard.count_entity, shard.count_field, shard.place, findings);
    need_field_of(design, shard.epochs_entity, shard.epochs_field, shard.place, findings);
  }
  for (const Each& each : entity.eaches) need_field_of(design, each.entity, each.member, each.place, findings);
}

void resolve_reaction(Reaction& reaction, const Design& design, const std::vector<std::string>& entities,
                      Findings& findings) {
  if (design.entity(reaction.entity) == nullptr)
    mistake_unknown(findings, reaction.place, "entity", reaction.entity, entities);
  for (const std::string& name : {reaction.then, reaction.run, reaction.ask}) {
    if (name.empty() || design.operation(name) != nullptr) continue;
    std::vector<std::string> known;
    for (const Operation& operation : design.operations) known.push_back(operation.name);
    mistake_unknown(findings, reaction.place, "operation", name, known);
  }
  NameScope scope{.design = design, .image = design.entity(reaction.entity), .values = {}, .items = {}, .others = {}};
  NameResolver resolver(scope, findings);
  if (reaction.condition) resolver.resolve(*reaction.condition);
  if (!reaction.ask.empty()) scope.others = {"asked"};
  for (Binding& binding : reaction.send) resolver.resolve(binding.value);
  scope.others = {"event"};
  if (reaction.run.empty()) scope.others.insert({"status", "errorMessage", "duration_ms", "reply"});
  const Operation* called = design.operation(reaction.run.empty() ? reaction.then : reaction.run);
  for (Binding& binding : reaction.with) {
    const Input* input = called == nullptr ? nullptr : called->input(binding.field);
    resolver.resolve(binding.value, input == nullptr ? nullptr : &input->type);
    if (called == nullptr || input != nullptr) continue;
    std::vector<std::string> known;
    for (const Input& known_input : called->takes) known.push_back(known_input.name);
    mistake_unknown(findings, binding.place, fmt::format("input of {}", called->name), binding.field, known);
  }
}

}  // namespace

void resolve_names(Design& design, Findings& findings) {
  std::vector<std::string> entities;
  for (const Entity& entity : design.entities) entities.push_back(entity.name);
  const auto need_entity = [&](std::string_view name, Place place) {
    if (design.entity(name) == nullptr) mistake_unknown(findings, place, "entity", name, entities);
  };
  for (Entity& entity : design.entities) resolve_entity(entity, design, findings);
  for (const Limit& limit : design.limits) need_entity(limit.entity, limit.place);
  for (Tally& tally : design.tallies) {
    need_entity(tally.of, tally.place);
    need_entity(tally.into, tally.place);
    const NameScope scope{.design = design, .entity = design.entity(tally.of), .values = {}, .items = {}, .others = {}};
    NameResolver resolver(scope, findings);
    const Entity* into = design.entity(tally.into);
    for (auto* list : {&tally.by, &tally.add}) resolve_bindings(*list, into, resolver, findings);
    for (TallyExtreme& extreme : tally.extremes) {
      std::vector<Binding> figure = {std::move(extreme.figure)};
      resolve_bindings(figure, into, resolver, findings);
      extreme.figure = std::move(figure[0]);
    }
    if (tally.when) resolver.resolve(*tally.when);
  }
  for (Role& role : design.roles) {
    const NameScope scope{.design = design, .values = {}, .items = {}, .others = {}, .any_input = true};
    NameResolver(scope, findings).resolve(role.rule);
  }
  for (Reaction& reaction : design.reactions) resolve_reaction(reaction, design, entities, findings);
  for (Operation& operation : design.operations) resolve_operation(operation, design, findings);
}

}  // namespace trestle::design
