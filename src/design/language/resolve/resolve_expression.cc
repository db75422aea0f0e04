#include "design/language/resolve/resolve_expression.h"

#include <fmt/format.h>

#include <algorithm>

#include "design/language/source.h"

namespace trestle::design {

using Kind = Expression::Kind;

namespace {

const std::vector<std::string>& known_functions() {
  static const std::vector<std::string> functions = {
      // DynamoDB's functions
      "attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains", "size",
      // values
      "ulid", "uuid", "token", "sha256", "coalesce", "choose", "concat", "ulid_time", "date", "hour", "lower", "epoch",
      "text", "list", "record", "keys", "members", "exists", "append", "without", "union", "hour_of_day", "if", "floor",
      "ceil", "hmac_sha256", "same_text", "compare_versions", "is_a", "packing",
      // answers
      "sum", "count", "first", "last", "min", "max", "all", "scheduled", "recount", "date_range"};
  return functions;
}

bool is_special(std::string_view name) {
  return name == "now" || name == "today" || name == "caller" || name == "items" || name == "item" || name == "old" ||
         name == "new" || name == "absent" || name == "present" || name == "member" || name == "from" || name == "to";
}

const Entity* image_of(const NameScope& scope) { return scope.image != nullptr ? scope.image : scope.entity; }

// The entity if the expression is an item or a list of items of it; null if it is something else or unknown.
const Entity* entity_of(const Expression& e, const NameScope& scope) {
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

// The fields of a record type; null for any other type.
const std::vector<Field>* record_fields(const std::optional<FieldType>& type, const NameScope& scope) {
  const NamedRecord* record = type && type->base == BaseType::kRecord ? scope.design.type(type->record) : nullptr;
  return record == nullptr ? nullptr : &record->fields;
}

}  // namespace

std::optional<FieldType> element_type(const std::optional<FieldType>& type) {
  return type && type->element ? std::optional(*type->element) : std::nullopt;
}

std::optional<FieldType> type_of(const Expression& e, const NameScope& scope) {
  const auto type = [](const Field* field) { return field == nullptr ? std::nullopt : std::optional(field->type); };
  switch (e.kind) {
    case Kind::kName: {
      if (scope.entity != nullptr) return type(scope.entity->field(e.text));
      const Field* field = nullptr;
      for (const auto* fields : scope.elements) {
        const Field* element_field = field_in(*fields, e.text);
        if (field != nullptr && element_field != nullptr && type_text(element_field->type) != type_text(field->type))
          return std::nullopt;
        if (element_field != nullptr) field = element_field;
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

std::vector<const std::vector<Field>*> fields_of_members(const Expression& list, const NameScope& scope) {
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

void NameResolver::resolve(Expression& e, const FieldType* wanted) {
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

bool NameResolver::is_value(const Expression& e, const FieldType& type) {
  return type.base == BaseType::kEnum && e.is(Kind::kName) &&
         std::find(type.values.begin(), type.values.end(), e.text) != type.values.end();
}

bool NameResolver::become_value(Expression& e, const FieldType& type) {
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

void NameResolver::comparison(Expression& e) {
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

void NameResolver::name(Expression& e) {
  if (is_special(e.text) || scope_.lenient) return;
  if (!scope_.elements.empty()) return member_name(e);
  if (scope_.entity == nullptr) {
    findings_.mistake("T004", e.place, fmt::format("`{}` is unknown here", e.text),
                      scope_.image != nullptr && scope_.image->field(e.text) != nullptr
                          ? fmt::format("name the item: new.{}, old.{} or item.{}", e.text, e.text, e.text)
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

void NameResolver::member_name(const Expression& e) {
  std::vector<std::string> known;
  for (const auto* fields : scope_.elements) {
    if (field_in(*fields, e.text) != nullptr) return;
    for (const Field& field : *fields) known.push_back(field.name);
  }
  findings_.mistake("T004", e.place,
                    fmt::format("the members of the list have no field `{}`{}", e.text, did_you_mean(e.text, known)));
}

void NameResolver::input(Expression& e) {
  if (scope_.any_input) return;
  if (scope_.values.contains(e.text) || scope_.items.contains(e.text) || scope_.others.contains(e.text)) return;
  std::vector<std::string> known;
  for (const auto& [known_name, type] : scope_.values) known.push_back(known_name);
  for (const auto& [known_name, entity] : scope_.items) known.push_back(known_name);
  for (const auto& known_name : scope_.others) known.push_back(known_name);
  findings_.mistake("T004", e.place, fmt::format("nothing is named `${}` here{}", e.text, did_you_mean(e.text, known)),
                    "declare it under `takes`, or name an earlier step with `as`");
}

void NameResolver::member(Expression& e) {
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

void NameResolver::no_field(const Expression& e, std::string_view owner, const std::vector<Field>& fields) {
  std::vector<std::string> known;
  for (const Field& field : fields) known.push_back(field.name);
  findings_.mistake("T004", e.place, fmt::format("{} has no field `{}`{}", owner, e.text, did_you_mean(e.text, known)));
}

void NameResolver::call(Expression& e, const FieldType* wanted) {
  const auto& known = known_functions();
  if (std::find(known.begin(), known.end(), e.text) == known.end())
    findings_.mistake("T004", e.place, fmt::format("there is no function `{}`{}", e.text, did_you_mean(e.text, known)));
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

}  // namespace trestle::design
