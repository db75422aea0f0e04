#include "design/language/resolve/resolve_operation.h"

#include <fmt/format.h>

#include "design/language/raw_update.h"
#include "design/language/source.h"

namespace trestle::design {

using Kind = Expression::Kind;

namespace {

void resolve_answer(Answer& answer, const NameScope& scope, Findings& findings) {
  NameResolver resolver(scope, findings);
  if (answer.value) resolver.resolve(*answer.value);
  if (answer.each) resolver.resolve(*answer.each);
  for (auto& [name, member] : answer.members) resolve_answer(member, scope, findings);
  if (!answer.each) return;
  NameScope inner = scope;
  inner.elements = fields_of_members(*answer.each, scope);
  inner.lenient = inner.elements.empty();
  NameResolver of_member(inner, findings);
  if (answer.where) of_member.resolve(*answer.where);
  if (answer.key) of_member.resolve(*answer.key);
  if (!answer.of) return;
  Answer of = *answer.of;
  resolve_answer(of, inner, findings);
  answer.of = std::make_shared<const Answer>(std::move(of));
}

void resolve_access(Access& access, NameScope& scope, Findings& findings) {
  const Entity* entity = scope.design.entity(access.entity);
  NameScope inner = scope;
  inner.entity = entity;
  NameResolver resolver(inner, findings);
  resolve_bindings(access.by, entity, resolver, findings);
  for (auto* side : {&access.from, &access.to, &access.prefix}) {
    // Each bound of a range is optional.
    if (*side) resolver.resolve(**side);
  }
  if (access.filter) resolver.resolve(*access.filter);
  for (std::string_view field : {std::string_view(access.range_field), std::string_view(access.prefix_field)}) {
    if (!field.empty() && entity != nullptr && entity->field(field) == nullptr) {
      findings.mistake("T004", access.place, fmt::format("{} has no field `{}`", entity->name, field));
    }
  }
}

// Whether the access finds items of a single entity.
bool finds_one_kind(const Access& access) { return access.others.empty() && access.finds.size() < 2; }

void resolve_steps(std::vector<Step>& steps, NameScope scope, Findings& findings);

void resolve_failure(std::shared_ptr<const Failure>& failure, const NameScope& scope, Findings& findings) {
  if (!failure || failure->also.empty()) return;
  Failure copy = *failure;
  resolve_steps(copy.also, scope, findings);
  failure = std::make_shared<const Failure>(std::move(copy));
}

void resolve_write(Write& write, const NameScope& scope, Findings& findings) {
  const Entity* entity = scope.design.entity(write.entity);
  NameScope inner = scope;
  inner.entity = entity;
  NameResolver resolver(inner, findings);
  for (auto* list : {&write.by, &write.set, &write.add, &write.take})
    resolve_bindings(*list, entity, resolver, findings);
  if (!write.from.empty()) {
    const auto item = scope.items.find(write.from);
    if (item == scope.items.end() || item->second != entity)
      findings.mistake("T004", write.place,
                       fmt::format("`${}` is not a {} that an earlier step found", write.from, write.entity));
  }
  if (write.condition) resolver.resolve(*write.condition);
  if (write.when) resolver.resolve(*write.when);
  for (const Binding& set : write.set) {
    if (set.element && write.kind == Write::Kind::kPut)
      findings.mistake("T003", set.place,
                       "`put` writes whole fields; use `update` or `upsert` to set a member of a map");
  }
  for (const std::string& field : write.remove) {
    if (entity != nullptr && entity->field(field) == nullptr) {
      findings.mistake("T004", write.place, fmt::format("{} has no field `{}`", entity->name, field));
    }
  }
  if (!write.raw.empty()) {
    const RawUpdate update = read_raw_update(write.raw);
    if (!update.mistake.empty())
      findings.mistake("T005", write.raw_place, fmt::format("`{}`: {}", write.raw, update.mistake),
                       "use DynamoDB's syntax: SET a = :a, b = :b REMOVE c ADD n :one");
    for (const RawClause& clause : update.clauses) {
      for (const std::string& value : clause.values) {
        Expression input{.kind = Kind::kInput, .text = value.substr(1), .place = write.raw_place};
        resolver.resolve(input);
      }
    }
  }
  resolve_failure(write.otherwise, scope, findings);
}

// Resolves steps in order and adds the names that they define to `scope`.
void walk_steps(std::vector<Step>& steps, NameScope& scope, Findings& findings) {
  for (Step& step : steps) {
    NameResolver resolver(scope, findings);
    if (step.when) resolver.resolve(*step.when);
    if (step.value) resolver.resolve(*step.value);
    if (step.access) {
      resolve_access(*step.access, scope, findings);
      if (!step.name.empty()) {
        // The fields of items of several entities are unknown.
        scope.items[step.name] = finds_one_kind(*step.access) ? scope.design.entity(step.access->entity) : nullptr;
      }
    }
    for (Binding& binding : step.values) {
      resolver.resolve(binding.value);
      if (const auto type = type_of(binding.value, scope))
        scope.values[binding.field] = *type;
      else
        scope.others.insert(binding.field);
    }
    if (step.kind == Step::Kind::kLimit) {
      const Limit* limit = scope.design.limit(step.limit);
      resolve_bindings(step.by, limit == nullptr ? nullptr : scope.design.entity(limit->entity), resolver, findings);
      scope.others.insert("remaining");
    }
    for (Write& write : step.writes) resolve_write(write, scope, findings);
    if (!step.next.empty()) scope.values[step.name] = {.base = BaseType::kInt};
    if (step.kind == Step::Kind::kAtomic) walk_steps(step.steps, scope, findings);
    if (!step.undo.empty()) resolve_steps(step.undo, scope, findings);
    if (step.kind == Step::Kind::kFor) {
      NameScope inner = scope;
      const auto list =
          step.value && step.value->is(Kind::kInput) ? scope.items.find(step.value->text) : scope.items.end();
      if (list != scope.items.end() && list->second != nullptr)
        inner.items[step.name] = list->second;
      else if (const auto type = step.value ? element_type(type_of(*step.value, scope)) : std::nullopt)
        inner.values[step.name] = *type;
      else
        inner.others.insert(step.name);
      walk_steps(step.steps, inner, findings);
      inner.items.erase(step.name);
      // After the loop, the items that its steps found are available as lists.
      for (const auto& [name, entity] : inner.items) scope.items.emplace(name, entity);
    }
    resolve_failure(step.otherwise, scope, findings);
  }
}

void resolve_steps(std::vector<Step>& steps, NameScope scope, Findings& findings) {
  walk_steps(steps, scope, findings);
}

// The literal in front of the field in a key attribute of the same name: "SITE#" for the attribute siteId =
// "SITE#{siteId}".
std::string stored_prefix(const Design& design, const Entity& entity, std::string_view field) {
  const Table* table = design.table(entity.table);
  if (table == nullptr || entity.field(field) == nullptr) return {};
  const auto prefix_in = [&](const KeySchema& schema, const std::vector<Template>& key) -> std::string {
    size_t i = 0;
    for (const auto* half : {&schema.hash, &schema.range}) {
      for (const KeyAttribute& attribute : *half) {
        const size_t at = i++;
        if (attribute.name != field || at >= key.size() || key[at].parts.size() != 2) continue;
        const auto& parts = key[at].parts;
        if (parts[0].is_literal() && parts[1].field == field && parts[1].format.kind == Format::Kind::kPlain)
          return parts[0].literal;
      }
    }
    return {};
  };
  std::string prefix = prefix_in(table->key, entity.key);
  for (const IndexEntry& entry : entity.index) {
    const trestle::design::Index* index = table->index(entry.index);
    if (prefix.empty() && index != nullptr) prefix = prefix_in(index->key, entry.key);
  }
  return prefix;
}

}  // namespace

void resolve_bindings(std::vector<Binding>& bindings, const Entity* entity, NameResolver& resolver,
                      Findings& findings) {
  for (Binding& binding : bindings) {
    const Field* field = entity == nullptr ? nullptr : entity->field(binding.field);
    if (entity != nullptr && field == nullptr && entity->shard(binding.field) == nullptr) {
      std::vector<std::string> known;
      for (const Field& known_field : entity->fields) known.push_back(known_field.name);
      findings.mistake(
          "T004", binding.place,
          fmt::format("{} has no field `{}`{}", entity->name, binding.field, did_you_mean(binding.field, known)));
    }
    if (binding.element && field != nullptr && field->type.base != BaseType::kMap && field->type.base != BaseType::kAny)
      findings.mistake("T003", binding.place, fmt::format("`{}` of {} is not a map", field->name, entity->name));
    resolver.resolve(binding.value, field == nullptr || binding.element ? nullptr : &field->type);
    if (binding.element) resolver.resolve(*binding.element);
  }
}

void resolve_operation(Operation& operation, const Design& design, Findings& findings) {
  for (Input& input : operation.takes) {
    for (const Entity& entity : design.entities) {
      const Field* field = entity.field(input.name);
      if (field == nullptr || type_text(field->type) != type_text(input.type) || !input.prefix.empty()) continue;
      input.prefix = stored_prefix(design, entity, input.name);
    }
  }
  NameScope scope{.design = design, .entity = nullptr, .values = {}, .items = {}, .others = {}};
  for (Input& input : operation.takes) {
    scope.values[input.name] = input.type;
    NameResolver resolver(scope, findings);
    if (input.default_value) resolver.resolve(*input.default_value, &input.type);
  }
  scope.others.insert("next");
  if (operation.access) resolve_access(*operation.access, scope, findings);
  for (auto& [input, failure] : operation.bad) {
    if (operation.input(input) == nullptr) {
      std::vector<std::string> known;
      for (const Input& known_input : operation.takes) known.push_back(known_input.name);
      mistake_unknown(findings, operation.place, fmt::format("input of {}", operation.name), input, known);
    }
    resolve_failure(failure, scope, findings);
  }
  walk_steps(operation.steps, scope, findings);
  if (operation.returns) {
    NameScope results = scope;
    if (operation.access && finds_one_kind(*operation.access)) results.image = design.entity(operation.access->entity);
    resolve_answer(*operation.returns, results, findings);
  }
  if (operation.allow) {
    NameResolver resolver(scope, findings);
    resolver.resolve(*operation.allow);
  }
}

}  // namespace trestle::design
