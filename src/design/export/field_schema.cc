#include "design/export/field_schema.h"

#include <fmt/format.h>
#include <algorithm>

#include "base/contains.h"
#include "design/language/quantity.h"
#include "design/sample/sample_draft.h"

namespace trestle::design {
namespace {

Json string_schema(const FieldType& type) {
  Json out = Json::object({{"type", "string"}});
  if (type.min) out.set("minLength", *type.min);
  if (type.max) out.set("maxLength", *type.max);
  return out;
}

Json pattern(std::string_view expression, std::string_view about) {
  return Json::object({{"type", "string"}, {"pattern", expression}, {"description", about}});
}

Json format(std::string_view name) { return Json::object({{"type", "string"}, {"format", name}}); }

Json number_schema(const FieldType& type, std::string_view name) {
  Json out = Json::object({{"type", name}});
  if (type.min) out.set("minimum", *type.min);
  if (type.max) out.set("maximum", *type.max);
  return out;
}

// Escapes a character class for an ECMA 262 regular expression: "a-z0-9-" of [a-z0-9-].
std::string class_text(const std::string& characters) {
  std::string out;
  for (size_t i = 0; i < characters.size(); ++i) {
    const char c = characters[i];
    const bool range = c == '-' && i > 0 && i + 1 < characters.size() &&
                       std::isalnum(static_cast<unsigned char>(characters[i - 1])) != 0 &&
                       std::isalnum(static_cast<unsigned char>(characters[i + 1])) != 0;
    if (std::string_view("\\]^[|-").find(c) != std::string_view::npos && !range) out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

// The default if it is a plain value; absent for functions such as `now` and `ulid()`.
std::optional<Json> plain_default(const std::optional<Expression>& value, const FieldType& type) {
  if (!value) return std::nullopt;
  switch (value->kind) {
    case Expression::Kind::kText:
      return Json(value->text);
    case Expression::Kind::kNumber:
      return Json::number(value->text);
    case Expression::Kind::kBool:
      return Json(value->truth);
    case Expression::Kind::kName:
      if (type.base == BaseType::kEnum) return Json(value->text);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool is_record(const NamedRecord& type) { return type.fields.size() != 1 || !type.fields[0].name.empty(); }

Json type_schema(const FieldType& type, std::string_view refs) {
  switch (type.base) {
    case BaseType::kString:
      if (!type.characters.empty())
        return string_schema(type).set("pattern", fmt::format("^[{}]*$", class_text(type.characters)));
      return string_schema(type);
    case BaseType::kText:
      return string_schema(type);
    case BaseType::kInt:
      return number_schema(type, "integer");
    case BaseType::kNumber:
      return number_schema(type, "number");
    case BaseType::kMoney:
      return number_schema(type, "number").set("multipleOf", Json::number("0.01"));
    case BaseType::kBool:
      return Json::object({{"type", "boolean"}});
    case BaseType::kUlid:
      return pattern("^[0-7][0-9A-HJKMNP-TV-Z]{25}$", "ULID");
    case BaseType::kUuid:
      return format("uuid");
    case BaseType::kToken:
      return pattern(fmt::format("^[0-9A-Za-z_-]{{{}}}$", (*type.min * 8 + 5) / 6), "base64url");
    case BaseType::kSha256:
      return pattern("^[0-9a-f]{64}$", "SHA-256");
    case BaseType::kHex:
      return pattern(fmt::format("^[0-9a-f]{{{}}}$", *type.min), "hexadecimal");
    case BaseType::kEmail:
      return format("email");
    case BaseType::kDomain:
      return format("hostname");
    case BaseType::kPatternDomain:
      return pattern("^(\\*\\.)?[0-9A-Za-z.-]+$", "a domain, or *. and a domain");
    case BaseType::kUrl:
      return format("uri");
    case BaseType::kE164:
      return pattern("^\\+[0-9]{7,15}$", "E.164");
    case BaseType::kIp:
      return Json::object(
          {{"type", "string"},
           {"anyOf", Json::array({Json::object({{"format", "ipv4"}}), Json::object({{"format", "ipv6"}})})}});
    case BaseType::kCidr:
      return pattern("^[0-9A-Fa-f.:]+/[0-9]{1,3}$", "CIDR");
    case BaseType::kTime:
      return format("date-time");
    case BaseType::kDate:
      return format("date");
    case BaseType::kHour:
      return pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{2}$", "2025-10-03-14");
    case BaseType::kMinuteOfDay:
      return pattern("^([01][0-9]|2[0-3]):[0-5][0-9]$", "22:00");
    case BaseType::kZone:
      return pattern("^[0-9A-Za-z/_+-]+$", "IANA time zone");
    case BaseType::kEpoch:
      return Json::object({{"type", "integer"},
                           {"description", type.milliseconds ? "Unix time in milliseconds" : "Unix time in seconds"}});
    case BaseType::kEnum:
      return Json::object({{"type", "string"}, {"enum", Json::strings(type.values)}});
    case BaseType::kSet:
    case BaseType::kList: {
      Json out = Json::object({{"type", "array"}, {"items", type_schema(*type.element, refs)}});
      if (type.base == BaseType::kSet) out.set("uniqueItems", true);
      if (type.min) out.set("minItems", *type.min);
      if (type.max) out.set("maxItems", *type.max);
      return out;
    }
    case BaseType::kMap: {
      Json out = Json::object({{"type", "object"}, {"additionalProperties", type_schema(*type.element, refs)}});
      if (type.max) out.set("maxProperties", *type.max);
      return out;
    }
    case BaseType::kRecord:
      return Json::object({{"$ref", fmt::format("{}{}", refs, type.record)}});
    case BaseType::kBinary:
      return Json::object({{"type", "string"}, {"contentEncoding", "base64"}});
    case BaseType::kAny:
      return Json::object();
  }
  return Json::object();
}

Json entity_schema(const Design&, const Entity& entity, std::string_view refs) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Field& field : entity.fields) {
    if (field.secret) continue;
    // Any amount may be added to a counter.
    Json schema = field.counter ? Json::object({{"type", "number"}}) : type_schema(field.type, refs);
    if (field.automatic || field.counter || field.revision || !field.sha256_of.empty()) schema.set("readOnly", true);
    if (const auto value = plain_default(field.default_value, field.type)) schema.set("default", *value);
    properties.set(field.name, std::move(schema));
    if (!field.optional) required.add(field.name);
  }
  Json out = Json::object({{"type", "object"}});
  if (!entity.about.empty()) out.set("description", entity.about);
  out.set("properties", std::move(properties));
  if (!required.empty()) out.set("required", std::move(required));
  return out;
}

Json record_schema(const NamedRecord& record, std::string_view refs) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Field& field : record.fields) {
    properties.set(field.name, type_schema(field.type, refs));
    if (!field.optional && !field.default_value) required.add(field.name);
  }
  Json out = Json::object({{"type", "object"}, {"properties", std::move(properties)}});
  if (!required.empty()) out.set("required", std::move(required));
  return out.set("additionalProperties", false);
}

bool null_removes(const Design& design, const Operation& operation, const Input& input) {
  bool removes = false;
  each_write(operation, [&](const Write& write, const Step&) {
    if (write.kind != Write::Kind::kUpdate && write.kind != Write::Kind::kUpsert) return;
    const Entity* entity = design.entity(write.entity);
    const Field* field = entity == nullptr ? nullptr : entity->field(input.name);
    if (field != nullptr && field->optional && write.sets_inputs) removes = true;
  });
  return removes;
}

Json input_schema(const Input& input, bool may_be_null, std::string_view refs) {
  Json schema = type_schema(input.type, refs);
  if (const auto value = plain_default(input.default_value, input.type)) schema.set("default", *value);
  if (!may_be_null) return schema;
  return Json::object({{"anyOf", Json::array({std::move(schema), Json::object({{"type", "null"}})})}});
}

bool answers_list(const Operation& operation) {
  if (operation.returns) {
    // A list that the steps built: its next page continues at $next.
    return std::ranges::any_of(operation.returns->members, [](const AnswerMember& member) {
      return member.name == "next" && member.answer.value && member.answer.value->is(Expression::Kind::kInput) &&
             member.answer.value->text == "next";
    });
  }
  if (!operation.access) return false;
  const Access& access = *operation.access;
  return access.kind != Access::Kind::kGet && !access.one;
}

namespace {

// The value of the input's field in the first example of an entity.
std::optional<Json> example_of(const std::map<const Entity*, std::vector<SampleDraft>>& drafts, const Design& design,
                               const Operation& operation, const Input& input) {
  const size_t dot = input.of.find('.');
  std::vector<const Entity*> candidates = {dot == std::string::npos ? nullptr : design.entity(input.of.substr(0, dot)),
                                           subject(design, operation)};
  for (const Entity& entity : design.entities) candidates.push_back(&entity);
  const std::string name = dot == std::string::npos ? input.name : input.of.substr(dot + 1);
  for (const Entity* entity : candidates) {
    if (entity == nullptr || entity->examples.empty() || entity->field(name) == nullptr || !is_scalar(input.type))
      continue;
    const auto samples = drafts.find(entity);
    if (samples == drafts.end() || samples->second.empty()) continue;
    const auto value = samples->second[0].values.find(name);
    if (value == samples->second[0].values.end()) continue;
    if (is_numeric(input.type)) return Json::number(value->second);
    if (input.type.base == BaseType::kBool) return Json(value->second == "true");
    return Json(value->second);
  }
  return std::nullopt;
}

}  // namespace

Json inputs_schema(const Design& design, const Operation& operation, std::string_view refs) {
  Json properties = Json::object();
  std::vector<std::string> required;
  const bool shows = std::any_of(design.entities.begin(), design.entities.end(),
                                 [](const Entity& entity) { return !entity.examples.empty(); });
  const auto drafts = shows ? sample_drafts(design) : std::map<const Entity*, std::vector<SampleDraft>>();
  for (const Input& input : operation.takes) {
    Json schema = input_schema(input, null_removes(design, operation, input), refs);
    if (auto example = shows ? example_of(drafts, design, operation, input) : std::nullopt)
      schema.set("examples", Json::array({std::move(*example)}));
    properties.set(input.name, std::move(schema));
    if (!input.optional && !list_contains(required, input.name)) required.push_back(input.name);
  }
  if (answers_list(operation)) {
    properties.set("limit", Json::object({{"type", "integer"}, {"minimum", 1}, {"maximum", 1000}}));
    properties.set("next", Json::object({{"type", "string"}, {"description", "The token from the previous page"}}));
    properties.set("descending",
                   Json::object({{"type", "boolean"}, {"default", operation.access && operation.access->descending}}));
  }
  Json out = Json::object({{"type", "object"}, {"properties", std::move(properties)}});
  if (!required.empty()) out.set("required", Json::strings(required));
  return out.set("additionalProperties", operation.additional);
}

const Entity* subject(const Design& design, const Operation& operation) {
  if (operation.access) return design.entity(operation.access->entity);
  const Entity* found = nullptr;
  bool has_key = false;  // the item with the idempotency guard is the answer
  for (const Step& step : operation.steps) {
    for (const Write& write : step.writes) {
      const Entity* entity = write.kind == Write::Kind::kCheck ? nullptr : design.entity(write.entity);
      if (entity == nullptr) continue;
      const bool owns = !operation.idempotent.empty() && entity->guard(operation.idempotent) != nullptr;
      if (owns || !has_key) found = entity;
      has_key = has_key || owns;
    }
  }
  return found;
}

}  // namespace trestle::design
