// Names: what the file names exists, and a word that is one of an enum's values becomes that value.
#include <fmt/format.h>

#include <map>
#include <set>

#include "design/language/raw_update.h"
#include "design/language/reader_impl.h"

namespace trestle::design {

using Kind = Expression::Kind;

namespace {

const std::vector<std::string>& known_functions() {
  static const std::vector<std::string> functions = {
      // DynamoDB's own
      "attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains", "size",
      // values
      "ulid", "uuid", "token", "sha256", "coalesce", "choose", "concat", "ulid_time", "date", "hour", "lower", "epoch",
      "text", "list", "record", "keys", "members", "exists", "append", "without", "union", "hour_of_day", "if", "floor",
      "ceil", "hmac_sha256", "same_text", "compare_versions", "is_a", "packing",
      // results
      "sum", "count", "first", "last", "min", "max", "all", "scheduled", "recount", "date_range"};
  return functions;
}

bool is_special(std::string_view name) {
  return name == "now" || name == "today" || name == "caller" || name == "items" || name == "item" || name == "old" ||
         name == "new" || name == "absent" || name == "present" || name == "member" || name == "from" || name == "to";
}

// The meaning of names at one place of the file.
struct Scope {
  const Design& design;
  const Entity* entity = nullptr;  // bare names are its fields
  const Entity* image = nullptr;   // that `old`, `new`, `item` and `items` are of, unless `entity`
  std::map<std::string, FieldType, std::less<>> values;     // $name
  std::map<std::string, const Entity*, std::less<>> items;  // $name, an item of that entity
  std::set<std::string, std::less<>> others;                // $name of something else
  // In an answer with `each`: a bare name is a field of every member that has it.
  std::vector<const std::vector<Field>*> elements = {};
  bool lenient = false;    // bare names may be anything: members of which nothing is known
  bool any_input = false;  // so may $name: the rule of a role, which is resolved again in each operation
};

const Entity* image_of(const Scope& scope) { return scope.image != nullptr ? scope.image : scope.entity; }

// The entity of which the expression is an item, or a list of items; null: it is something else, or not known.
const Entity* entity_of(const Expression& e, const Scope& scope) {
  if (e.is(Kind::kInput)) {
    const auto item = scope.items.find(e.text);
    return item == scope.items.end() ? nullptr : item->second;
  }
  const bool image = e.is_name("items") || e.is_name("item") || e.is_name("old") || e.is_name("new");
  return image ? image_of(scope) : nullptr;
}

const Field* field_in(const std::vector<Field>& fields, std::string_view name) {
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

// The fields of a record, null if the type is none.
const std::vector<Field>* record_fields(const std::optional<FieldType>& type, const Scope& scope) {
  const NamedRecord* record = type && type->base == BaseType::kRecord ? scope.design.type(type->record) : nullptr;
  return record == nullptr ? nullptr : &record->fields;
}

std::optional<FieldType> element_type(const std::optional<FieldType>& type) {
  return type && type->element ? std::optional(*type->element) : std::nullopt;
}

std::optional<FieldType> type_of(const Expression& e, const Scope& scope) {
  const auto type = [](const Field* field) { return field == nullptr ? std::nullopt : std::optional(field->type); };
  switch (e.kind) {
    case Kind::kName: {
      if (scope.entity != nullptr) return type(scope.entity->field(e.text));
      const Field* field = nullptr;
      for (const auto* fields : scope.elements) {
        const Field* one = field_in(*fields, e.text);
        if (field != nullptr && one != nullptr && type_text(one->type) != type_text(field->type)) return std::nullopt;
        if (one != nullptr) field = one;
      }
      return type(field);
    }
    case Kind::kInput: {
      const auto value = scope.values.find(e.text);
      return value == scope.values.end() ? std::nullopt : std::optional(value->second);
    }
    case Kind::kMember: {
      const Entity* owner = entity_of(e.arguments[0], scope);
      if (owner != nullptr) return type(owner->field(e.text));
      const auto* fields = record_fields(type_of(e.arguments[0], scope), scope);
      return fields == nullptr ? std::nullopt : type(field_in(*fields, e.text));
    }
    case Kind::kIndex:
      return element_type(type_of(e.arguments[0], scope));
    default:
      return std::nullopt;
  }
}

// What the members of a list have as fields; nothing: that is not known.
std::vector<const std::vector<Field>*> fields_of_members(const Expression& list, const Scope& scope) {
  if (const Entity* entity = entity_of(list, scope)) {
    if (entity->additional) return {};
    return {&entity->fields};
  }
  if (const auto* fields = record_fields(element_type(type_of(list, scope)), scope)) return {fields};
  const bool joins = list.is(Kind::kCall) && (list.text == "union" || list.text == "without" || list.text == "append");
  std::vector<const std::vector<Field>*> all;
  for (size_t i = 0; joins && i < list.arguments.size(); ++i) {
    const auto some = fields_of_members(list.arguments[i], scope);
    if (some.empty()) return {};
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

class Resolver {
 public:
  Resolver(const Scope& scope, Findings& findings) : scope_(scope), findings_(findings) {}

  // `wanted`: the type of the field that receives the value.
  void resolve(Expression& e, const FieldType* wanted = nullptr) {
    if (wanted != nullptr && become_value(e, *wanted)) return;
    switch (e.kind) {
      case Kind::kCompare:
      case Kind::kIn:
      case Kind::kBetween:
        return comparison(e);
      case Kind::kName:
        return name(e);
      case Kind::kInput:
        return input(e);
      case Kind::kMember:
        return member(e);
      case Kind::kCall:
        return call(e, wanted);
      default:
        break;
    }
    for (Expression& argument : e.arguments) resolve(argument);
  }

 private:
  static bool is_value(const Expression& e, const FieldType& type) {
    return type.base == BaseType::kEnum && e.is(Kind::kName) &&
           std::find(type.values.begin(), type.values.end(), e.text) != type.values.end();
  }
  // Resolves a bare word, or text, to a value of an enum. A word that is a field, too, is the value.
  bool become_value(Expression& e, const FieldType& type) {
    if (type.base != BaseType::kEnum || (!e.is(Kind::kName) && !e.is(Kind::kText))) return false;
    if (e.is(Kind::kName) && !is_value(e, type)) {
      const bool field = scope_.entity != nullptr && scope_.entity->field(e.text) != nullptr;
      if (field || is_special(e.text)) return false;
    }
    if (std::find(type.values.begin(), type.values.end(), e.text) == type.values.end()) {
      findings_.mistake(
          "T004", e.place,
          fmt::format("`{}` is not a value of {}{}", e.text, type_text(type), did_you_mean(e.text, type.values)));
    }
    e.kind = Kind::kText;
    return true;
  }
  void comparison(Expression& e) {
    std::optional<FieldType> type;
    for (const Expression& side : e.arguments) {
      if (!type) type = type_of(side, scope_);
    }
    std::vector<std::optional<FieldType>> types;
    for (const Expression& side : e.arguments) types.push_back(type_of(side, scope_));
    for (size_t i = 0; i < e.arguments.size(); ++i) {
      Expression& side = e.arguments[i];
      const FieldType* wanted = type && !types[i] ? &*type : nullptr;
      for (size_t j = 0; j < types.size() && wanted == nullptr; ++j) {
        if (j != i && types[j] && is_value(side, *types[j])) wanted = &*types[j];
      }
      resolve(side, wanted);
    }
  }
  void name(Expression& e) {
    if (is_special(e.text) || scope_.lenient) return;
    if (!scope_.elements.empty()) return member_name(e);
    if (scope_.entity == nullptr) {
      findings_.mistake("T004", e.place, fmt::format("`{}` is not known here", e.text),
                        scope_.image != nullptr && scope_.image->field(e.text) != nullptr
                            ? fmt::format("say of which item: new.{}, old.{} or item.{}", e.text, e.text, e.text)
                            : fmt::format("write ${} for an input or a step", e.text));
      return;
    }
    if (scope_.entity->field(e.text) != nullptr || scope_.entity->shard(e.text) != nullptr) return;
    const Table* table = scope_.design.table(scope_.entity->table);
    if (table != nullptr && table->key.contains(e.text)) return;
    std::vector<std::string> known;
    for (const Field& field : scope_.entity->fields) known.push_back(field.name);
    findings_.mistake("T004", e.place,
                      fmt::format("{} has no field `{}`{}", scope_.entity->name, e.text, did_you_mean(e.text, known)));
  }
  // A field of the members of a list.
  void member_name(const Expression& e) {
    std::vector<std::string> known;
    for (const auto* fields : scope_.elements) {
      if (field_in(*fields, e.text) != nullptr) return;
      for (const Field& field : *fields) known.push_back(field.name);
    }
    findings_.mistake("T004", e.place,
                      fmt::format("the members of the list have no field `{}`{}", e.text, did_you_mean(e.text, known)));
  }
  void input(Expression& e) {
    if (scope_.any_input) return;
    if (scope_.values.contains(e.text) || scope_.items.contains(e.text) || scope_.others.contains(e.text)) return;
    std::vector<std::string> known;
    for (const auto& [known_name, type] : scope_.values) known.push_back(known_name);
    for (const auto& [known_name, entity] : scope_.items) known.push_back(known_name);
    for (const auto& known_name : scope_.others) known.push_back(known_name);
    findings_.mistake("T004", e.place,
                      fmt::format("nothing is named `${}` here{}", e.text, did_you_mean(e.text, known)),
                      "declare it under `takes`, or name an earlier step with `as`");
  }
  void member(Expression& e) {
    Expression& base = e.arguments[0];
    const Entity* owner = entity_of(base, scope_);
    if (owner == nullptr) {
      resolve(base);
      const auto type = type_of(base, scope_);
      const auto* fields = record_fields(type, scope_);
      if (fields != nullptr && field_in(*fields, e.text) == nullptr) no_field(e, type->record, *fields);
      return;
    }
    if (owner->field(e.text) == nullptr && owner->shard(e.text) == nullptr) no_field(e, owner->name, owner->fields);
  }
  void no_field(const Expression& e, std::string_view owner, const std::vector<Field>& fields) {
    std::vector<std::string> known;
    for (const Field& field : fields) known.push_back(field.name);
    findings_.mistake("T004", e.place,
                      fmt::format("{} has no field `{}`{}", owner, e.text, did_you_mean(e.text, known)));
  }
  // A word among the arguments is a value of the enum that it is compared with, or that receives the result.
  void call(Expression& e, const FieldType* wanted) {
    const auto& known = known_functions();
    if (std::find(known.begin(), known.end(), e.text) == known.end())
      findings_.mistake("T004", e.place,
                        fmt::format("there is no function `{}`{}", e.text, did_you_mean(e.text, known)));
    const size_t count = e.arguments.size();
    const auto compared = e.text == "choose" && count > 0 ? type_of(e.arguments[0], scope_) : std::nullopt;
    for (size_t i = 0; i < count; ++i) {
      const FieldType* type = nullptr;
      if (e.text == "coalesce" || (i > 0 && (e.text == "if" || e.text == "choose"))) type = wanted;
      // choose(x, value, result, ..., otherwise)
      if (e.text == "choose" && i % 2 == 1 && i + 1 < count) type = compared ? &*compared : nullptr;
      resolve(e.arguments[i], type);
    }
  }

  const Scope& scope_;
  Findings& findings_;
};

}  // namespace

void Reader::resolve_entity(Entity& entity) {
  std::vector<std::string> tables;
  for (const Table& table : design_.tables) tables.push_back(table.name);
  const Table* table = design_.table(entity.table);
  if (table == nullptr) {
    unknown(entity.place, "table", entity.table, tables);
  } else {
    const size_t wanted = 1 + table->key.range.size();
    if (!entity.key.empty() && entity.key.size() != wanted) {
      findings_.mistake("T003", entity.key[0].place,
                        fmt::format("{}: the key of {} has {} attributes, and {} templates are given", entity.name,
                                    table->name, wanted, entity.key.size()));
      entity.key.resize(std::min(entity.key.size(), wanted));
    }
    for (IndexEntry& entry : entity.index) {
      const trestle::design::Index* index = table->index(entry.index);
      std::vector<std::string> known;
      for (const auto& one : table->indexes) known.push_back(one.name);
      if (index == nullptr) {
        unknown(entry.place, fmt::format("index of {}", table->name), entry.index, known);
      } else if (entry.key.size() != index->key.hash.size() + index->key.range.size()) {
        findings_.mistake(
            "T003", entry.place,
            fmt::format("{}.{}: the key of {} has {} attributes, and {} templates are given", entity.name, entry.name,
                        index->name, index->key.hash.size() + index->key.range.size(), entry.key.size()));
      }
    }
    for (Guard& guard : entity.unique) guard.key.resize(std::min(guard.key.size(), wanted));
  }
  const Scope scope{.design = design_, .entity = &entity, .values = {}, .items = {}, .others = {}};
  Resolver resolver(scope, findings_);
  for (IndexEntry& entry : entity.index) {
    if (entry.condition) resolver.resolve(*entry.condition);
  }
  if (entity.ttl) resolver.resolve(*entity.ttl);
  for (Field& field : entity.fields) {
    if (field.default_value) resolver.resolve(*field.default_value, &field.type);
  }
  std::vector<std::string> fields;
  for (const Field& field : entity.fields) fields.push_back(field.name);
  const auto need_field = [&](std::string_view field, Place place) {
    if (entity.field(field) == nullptr) unknown(place, fmt::format("field of {}", entity.name), field, fields);
  };
  for (const auto& key : entity.formerly) {
    if (key.size() != entity.key.size())
      findings_.mistake(
          "T003", entity.place,
          fmt::format("{}: a former key has {} templates, and its key {}", entity.name, key.size(), entity.key.size()));
    for (const Template& part : key) {
      for (const std::string& field : part.fields()) {
        if (entity.shard(field) == nullptr) need_field(field, part.place);
      }
    }
  }
  for (const Flow& flow : entity.flows) need_field(flow.field, flow.place);
  for (const Shard& shard : entity.shards) need_field(shard.of, shard.place);
  for (const Pack& pack : entity.packs) need_field(pack.field, pack.place);
  for (const Spill& spill : entity.spills) need_field(spill.field, spill.place);
  for (const Each& each : entity.eaches) need_field(each.field, each.place);
  for (Guard& guard : entity.unique) {
    for (const Template& key : guard.key) {
      for (const std::string& field : key.fields()) need_field(field, guard.place);
    }
    // What names the owner is kept always.
    for (const Template& key : entity.key) {
      for (const std::string& part : key.fields()) {
        const Shard* shard = entity.shard(part);
        const std::string& field = shard == nullptr ? part : shard->of;
        if (std::ranges::find(guard.keeps, field) == guard.keeps.end()) guard.keeps.push_back(field);
      }
    }
    for (const std::string& field : guard.keeps) need_field(field, guard.place);
  }
  const auto need_entity_field = [&](std::string_view owner, std::string_view field, Place place) {
    if (owner.empty()) return;
    const Entity* other = design_.entity(owner);
    std::vector<std::string> known;
    if (other == nullptr) {
      for (const Entity& one : design_.entities) known.push_back(one.name);
      return unknown(place, "entity", owner, known);
    }
    for (const Field& one : other->fields) known.push_back(one.name);
    if (other->field(field) == nullptr) unknown(place, fmt::format("field of {}", owner), field, known);
  };
  for (const Shard& shard : entity.shards) {
    need_entity_field(shard.count_entity, shard.count_field, shard.place);
    need_entity_field(shard.epochs_entity, shard.epochs_field, shard.place);
  }
  for (const Each& each : entity.eaches) need_entity_field(each.entity, each.member, each.place);
}

namespace {

void resolve_bindings(std::vector<Binding>& bindings, const Entity* entity, Resolver& resolver, Findings& findings) {
  for (Binding& binding : bindings) {
    const Field* field = entity == nullptr ? nullptr : entity->field(binding.field);
    if (entity != nullptr && field == nullptr && entity->shard(binding.field) == nullptr) {
      std::vector<std::string> known;
      for (const Field& one : entity->fields) known.push_back(one.name);
      findings.mistake(
          "T004", binding.place,
          fmt::format("{} has no field `{}`{}", entity->name, binding.field, did_you_mean(binding.field, known)));
    }
    if (binding.element && field != nullptr && field->type.base != BaseType::kMap && field->type.base != BaseType::kAny)
      findings.mistake("T003", binding.place, fmt::format("`{}` of {} is no map", field->name, entity->name));
    resolver.resolve(binding.value, field == nullptr || binding.element ? nullptr : &field->type);
    if (binding.element) resolver.resolve(*binding.element);
  }
}

void resolve_answer(Answer& answer, const Scope& scope, Findings& findings) {
  Resolver resolver(scope, findings);
  if (answer.value) resolver.resolve(*answer.value);
  if (answer.each) resolver.resolve(*answer.each);
  for (auto& [name, member] : answer.members) resolve_answer(member, scope, findings);
  if (!answer.each) return;
  Scope inner = scope;
  inner.elements = fields_of_members(*answer.each, scope);
  inner.lenient = inner.elements.empty();
  Resolver of_member(inner, findings);
  if (answer.where) of_member.resolve(*answer.where);
  if (answer.key) of_member.resolve(*answer.key);
  if (!answer.of) return;
  Answer of = *answer.of;
  resolve_answer(of, inner, findings);
  answer.of = std::make_shared<const Answer>(std::move(of));
}

void resolve_access(Access& access, Scope& scope, Findings& findings) {
  const Entity* entity = scope.design.entity(access.entity);
  Scope inner = scope;
  inner.entity = entity;
  Resolver resolver(inner, findings);
  resolve_bindings(access.by, entity, resolver, findings);
  for (auto* side : {&access.from, &access.to, &access.prefix}) {
    // An input that bounds a range may be absent altogether.
    if (*side) resolver.resolve(**side);
  }
  if (access.filter) resolver.resolve(*access.filter);
  for (std::string_view field : {std::string_view(access.range_field), std::string_view(access.prefix_field)}) {
    if (!field.empty() && entity != nullptr && entity->field(field) == nullptr) {
      findings.mistake("T004", access.place, fmt::format("{} has no field `{}`", entity->name, field));
    }
  }
}

// Whether all that is found is of one entity.
bool finds_one_kind(const Access& access) { return access.others.empty() && access.finds.size() < 2; }

void resolve_steps(std::vector<Step>& steps, Scope scope, Findings& findings);

void resolve_failure(std::shared_ptr<const Failure>& failure, const Scope& scope, Findings& findings) {
  if (!failure || failure->also.empty()) return;
  Failure copy = *failure;
  resolve_steps(copy.also, scope, findings);
  failure = std::make_shared<const Failure>(std::move(copy));
}

void resolve_write(Write& write, const Scope& scope, Findings& findings) {
  const Entity* entity = scope.design.entity(write.entity);
  Scope inner = scope;
  inner.entity = entity;
  Resolver resolver(inner, findings);
  for (auto* list : {&write.by, &write.set, &write.add, &write.take})
    resolve_bindings(*list, entity, resolver, findings);
  if (!write.from.empty()) {
    const auto item = scope.items.find(write.from);
    if (item == scope.items.end() || item->second != entity)
      findings.mistake("T004", write.place,
                       fmt::format("`${}` is no {} that an earlier step found", write.from, write.entity));
  }
  if (write.condition) resolver.resolve(*write.condition);
  if (write.when) resolver.resolve(*write.when);
  for (const Binding& set : write.set) {
    if (set.element && write.kind == Write::Kind::kPut)
      findings.mistake("T003", set.place,
                       "`put` writes whole fields; a member of a map is set by `update` or `upsert`");
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
                       "write it as DynamoDB takes it: SET a = :a, b = :b REMOVE c ADD n :one");
    for (const RawClause& clause : update.clauses) {
      for (const std::string& value : clause.values) {
        Expression input{.kind = Kind::kInput, .text = value.substr(1), .place = write.raw_place};
        resolver.resolve(input);
      }
    }
  }
  resolve_failure(write.otherwise, scope, findings);
}

// `scope` grows by the names that the steps make.
void walk_steps(std::vector<Step>& steps, Scope& scope, Findings& findings) {
  for (Step& step : steps) {
    Resolver resolver(scope, findings);
    if (step.when) resolver.resolve(*step.when);
    if (step.value) resolver.resolve(*step.value);
    if (step.access) {
      resolve_access(*step.access, scope, findings);
      if (!step.name.empty()) {
        // Items of several entities have no fields of which each is sure to have one.
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
      Scope inner = scope;
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
      // What a loop finds is a list afterwards.
      for (const auto& [name, entity] : inner.items) scope.items.emplace(name, entity);
    }
    resolve_failure(step.otherwise, scope, findings);
  }
}

void resolve_steps(std::vector<Step>& steps, Scope scope, Findings& findings) { walk_steps(steps, scope, findings); }

}  // namespace

// What an attribute of the field's name has before the field: "SITE#" of the attribute siteId = "SITE#{siteId}".
std::string Reader::stored_prefix(const Entity& entity, std::string_view field) const {
  const Table* table = design_.table(entity.table);
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

void Reader::resolve_operation(Operation& operation) {
  for (Input& input : operation.takes) {
    for (const Entity& entity : design_.entities) {
      const Field* field = entity.field(input.name);
      if (field == nullptr || type_text(field->type) != type_text(input.type) || !input.prefix.empty()) continue;
      input.prefix = stored_prefix(entity, input.name);
    }
  }
  Scope scope{.design = design_, .entity = nullptr, .values = {}, .items = {}, .others = {}};
  for (Input& input : operation.takes) {
    scope.values[input.name] = input.type;
    Resolver resolver(scope, findings_);
    if (input.default_value) resolver.resolve(*input.default_value, &input.type);
  }
  scope.others.insert("next");
  if (operation.access) resolve_access(*operation.access, scope, findings_);
  for (auto& [input, failure] : operation.bad) {
    if (operation.input(input) == nullptr) {
      std::vector<std::string> known;
      for (const Input& one : operation.takes) known.push_back(one.name);
      unknown(operation.place, fmt::format("input of {}", operation.name), input, known);
    }
    resolve_failure(failure, scope, findings_);
  }
  walk_steps(operation.steps, scope, findings_);
  if (operation.returns) {
    Scope results = scope;
    if (operation.access && finds_one_kind(*operation.access)) results.image = design_.entity(operation.access->entity);
    resolve_answer(*operation.returns, results, findings_);
  }
  if (operation.allow) {
    Resolver resolver(scope, findings_);
    resolver.resolve(*operation.allow);
  }
}

void Reader::resolve_reaction(Reaction& reaction, const std::vector<std::string>& entities) {
  if (design_.entity(reaction.entity) == nullptr) unknown(reaction.place, "entity", reaction.entity, entities);
  for (const std::string& name : {reaction.then, reaction.run, reaction.ask}) {
    if (name.empty() || design_.operation(name) != nullptr) continue;
    std::vector<std::string> known;
    for (const Operation& operation : design_.operations) known.push_back(operation.name);
    unknown(reaction.place, "operation", name, known);
  }
  Scope scope{.design = design_, .image = design_.entity(reaction.entity), .values = {}, .items = {}, .others = {}};
  Resolver resolver(scope, findings_);
  if (reaction.condition) resolver.resolve(*reaction.condition);
  if (!reaction.ask.empty()) scope.others = {"asked"};
  for (Binding& binding : reaction.send) resolver.resolve(binding.value);
  scope.others = {"event"};
  if (reaction.run.empty()) scope.others.insert({"status", "errorMessage", "duration_ms", "reply"});
  const Operation* called = design_.operation(reaction.run.empty() ? reaction.then : reaction.run);
  for (Binding& binding : reaction.with) {
    const Input* input = called == nullptr ? nullptr : called->input(binding.field);
    resolver.resolve(binding.value, input == nullptr ? nullptr : &input->type);
    if (called == nullptr || input != nullptr) continue;
    std::vector<std::string> known;
    for (const Input& one : called->takes) known.push_back(one.name);
    unknown(binding.place, fmt::format("input of {}", called->name), binding.field, known);
  }
}

void Reader::resolve() {
  std::vector<std::string> entities;
  for (const Entity& entity : design_.entities) entities.push_back(entity.name);
  const auto need_entity = [&](std::string_view name, Place place) {
    if (design_.entity(name) == nullptr) unknown(place, "entity", name, entities);
  };
  for (Entity& entity : design_.entities) resolve_entity(entity);
  for (const Limit& limit : design_.limits) need_entity(limit.entity, limit.place);
  for (Tally& tally : design_.tallies) {
    need_entity(tally.of, tally.place);
    need_entity(tally.into, tally.place);
    const Scope scope{.design = design_, .entity = design_.entity(tally.of), .values = {}, .items = {}, .others = {}};
    Resolver resolver(scope, findings_);
    const Entity* into = design_.entity(tally.into);
    for (auto* list : {&tally.by, &tally.add}) resolve_bindings(*list, into, resolver, findings_);
    for (TallyExtreme& extreme : tally.extremes) {
      std::vector<Binding> figure = {std::move(extreme.figure)};
      resolve_bindings(figure, into, resolver, findings_);
      extreme.figure = std::move(figure[0]);
    }
    if (tally.when) resolver.resolve(*tally.when);
  }
  for (Role& role : design_.roles) {
    const Scope scope{.design = design_, .values = {}, .items = {}, .others = {}, .any_input = true};
    Resolver(scope, findings_).resolve(role.rule);
  }
  for (Reaction& reaction : design_.reactions) resolve_reaction(reaction, entities);
  for (Operation& operation : design_.operations) resolve_operation(operation);
}

}  // namespace trestle::design
