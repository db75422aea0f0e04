#include "design/export/export_openapi.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "design/export/field_schema.h"

namespace trestle::design {
namespace {

constexpr std::string_view kSchemas = "#/components/schemas/";

Json schema_ref(std::string_view name) { return Json::object({{"$ref", fmt::format("{}{}", kSchemas, name)}}); }

const std::map<int, std::string_view>& failure_words() {
  static const std::map<int, std::string_view> words = {
      {400, "An input is missing, unknown or invalid; `errors` names each."},
      {401, "The token or API key is invalid, or missing where one is required."},
      {403, "The caller is not allowed to call this operation."},
      {404, "The item does not exist."},
      {409, "Conflict: a value is already taken, or the item is in another state or revision."},
      {410, "The item has expired."},
      {413, "The body is larger than the server allows."},
      {415, "The content type is not application/json."},
      {429, "Too many requests; retry after Retry-After seconds."},
      {503, "The database is throttling or unreachable; retry."},
  };
  return words;
}

const Field* revision_of(const Entity* entity) {
  if (entity == nullptr) return nullptr;
  for (const Field& field : entity->fields) {
    if (field.revision) return &field;
  }
  return nullptr;
}

std::set<int> failures_of(const Operation& operation) {
  // Every operation rejects an invalid token (401); 413 and 415 concern the body.
  std::set<int> statuses = {400, 401, 413, 415, 503};
  if (operation.allow) statuses.insert(403);
  if (operation.access && !operation.returns && (operation.access->kind == Access::Kind::kGet || operation.access->one))
    statuses.insert(404);
  each_step(operation.steps, [&](const Step& step) {
    if (step.otherwise) statuses.insert(step.otherwise->status);
    if (step.kind == Step::Kind::kLimit) statuses.insert(step.otherwise ? step.otherwise->status : 429);
    for (const Write& write : step.writes) {
      if (write.otherwise)
        statuses.insert(write.otherwise->status);
      else if (write.condition || write.exists != Write::Exists::kEither)
        statuses.insert(409);
    }
  });
  if (operation.is_write) statuses.insert(409);
  return statuses;
}

// The schema of an item that the access returns. In a query of several entities, `_entity` tells them apart.
Json found_schema(const Access& access) {
  if (access.others.empty()) return schema_ref(access.entity);
  Json choices = Json::array({});
  const auto add = [&](const std::string& entity) {
    const Json tag = Json::object({{"type", "string"}, {"const", entity}});
    choices.add(Json::object(
        {{"allOf", Json::array({schema_ref(entity),
                                Json::object({{"type", "object"},
                                              {"properties", Json::object({{std::string(kEntityMember), tag}})},
                                              {"required", Json::array({std::string(kEntityMember)})}})})}}));
  };
  add(access.entity);
  for (const auto& [entity, index] : access.others) add(entity);
  return Json::object({{"oneOf", std::move(choices)}});
}

// The schema of an expression in an answer, if it is obvious: an item, a field of an item, an input, a count.
Json value_schema(const Design& design, const Operation& operation, const Expression& value) {
  std::map<std::string, std::pair<const Entity*, bool>> found;  // by step: the entity, and whether it is a list
  std::map<std::string, const Access*> several;
  each_step(operation.steps, [&](const Step& step) {
    if (!step.access || step.name.empty()) return;
    if (!step.access->others.empty()) {
      several[step.name] = &*step.access;
      return;
    }
    found[step.name] = {design.entity(step.access->entity),
                        step.access->kind != Access::Kind::kGet && !step.access->one};
  });
  if (value.is(Expression::Kind::kInput)) {
    if (const Input* input = operation.input(value.text)) return type_schema(input->type, kSchemas);
    if (const auto step = several.find(value.text); step != several.end())
      return Json::object({{"type", "array"}, {"items", found_schema(*step->second)}});
    if (const auto step = found.find(value.text); step != found.end() && step->second.first != nullptr) {
      Json schema = schema_ref(step->second.first->name);
      return step->second.second ? Json::object({{"type", "array"}, {"items", std::move(schema)}}) : schema;
    }
  }
  if (value.is(Expression::Kind::kMember) && value.arguments[0].is(Expression::Kind::kInput)) {
    const auto step = found.find(value.arguments[0].text);
    const Field* field =
        step == found.end() || step->second.first == nullptr ? nullptr : step->second.first->field(value.text);
    if (field != nullptr) return type_schema(field->type, kSchemas);
  }
  if (value.is_name("items") && operation.access && design.entity(operation.access->entity) != nullptr) {
    return Json::object({{"type", "array"}, {"items", found_schema(*operation.access)}});
  }
  if (value.is(Expression::Kind::kBool) || value.is(Expression::Kind::kCompare))
    return Json::object({{"type", "boolean"}});
  if (value.is(Expression::Kind::kCall) && value.text == "count") return Json::object({{"type", "integer"}});
  if (value.is(Expression::Kind::kCall) && value.text == "scheduled") return Json::object({{"type", "array"}});
  return Json::object();
}

Json answer_schema(const Design& design, const Operation& operation, const Answer& answer) {
  if (answer.each && answer.key) return Json::object({{"type", "object"}});
  if (answer.each) {
    Json out = Json::object({{"type", "array"}});
    if (answer.of && (!answer.of->members.empty() || answer.of->each))
      out.set("items", answer_schema(design, operation, *answer.of));
    return out;
  }
  if (answer.value) return value_schema(design, operation, *answer.value);
  Json properties = Json::object();
  for (const auto& [name, member] : answer.members) properties.set(name, answer_schema(design, operation, member));
  return Json::object({{"type", "object"}, {"properties", std::move(properties)}});
}

Json success_schema(const Design& design, const Operation& operation) {
  if (operation.returns) return answer_schema(design, operation, *operation.returns);
  const Entity* entity = subject(design, operation);
  Json schema = entity == nullptr ? Json::object({{"type", "object"}}) : schema_ref(entity->name);
  if (operation.access && !operation.access->others.empty()) schema = found_schema(*operation.access);
  if (operation.access && !operation.access->fields.empty() && entity != nullptr) {
    Json properties = Json::object();
    for (const std::string& name : operation.access->fields) {
      if (const Field* field = entity->field(name)) properties.set(name, type_schema(field->type, kSchemas));
    }
    schema = Json::object({{"type", "object"}, {"properties", std::move(properties)}});
  }
  if (answers_list(operation)) {
    return Json::object(
        {{"type", "object"},
         {"properties",
          Json::object({{"items", Json::object({{"type", "array"}, {"items", std::move(schema)}})},
                        {"next", Json::object({{"type", "string"}, {"description", "Absent on the last page"}})}})},
         {"required", Json::array({"items"})}});
  }
  return Json::object({{"type", "object"}, {"properties", Json::object({{"item", std::move(schema)}})}});
}

// Whether the answer is a single item with a revision.
bool has_etag(const Design& design, const Operation& operation) {
  return !operation.returns && !answers_list(operation) && revision_of(subject(design, operation)) != nullptr;
}

Json responses(const Design& design, const Operation& operation) {
  Json ok = Json::object({{"description", answers_list(operation) ? "A page of items" : "Done"}});
  if (has_etag(design, operation)) {
    ok.set("headers", Json::object({{"ETag", Json::object({{"description", "The item's revision"},
                                                           {"schema", Json::object({{"type", "string"}})}})}}));
  }
  ok.set("content",
         Json::object({{"application/json", Json::object({{"schema", success_schema(design, operation)}})}}));
  Json out = Json::object({{"200", std::move(ok)}});
  for (const int status : failures_of(operation)) {
    out.set(std::to_string(status), Json::object({{"$ref", fmt::format("#/components/responses/Problem{}", status)}}));
  }
  return out;
}

// Whether an input is plain text in a query string, repeated for a list. Other inputs are JSON.
bool fits_query(const FieldType& type) {
  const bool list = (type.base == BaseType::kSet || type.base == BaseType::kList) && is_scalar(*type.element);
  return is_scalar(type) || list || type.base == BaseType::kText || type.base == BaseType::kBool ||
         type.base == BaseType::kBinary;
}

Json query_parameter(const std::string& name, bool required, bool as_json, const Json& schema) {
  Json out = Json::object({{"name", name}, {"in", "query"}, {"required", required}});
  if (as_json) return out.set("content", Json::object({{"application/json", Json::object({{"schema", schema}})}}));
  return out.set("schema", schema);
}

Json header_parameter(std::string_view name, std::string_view description, Json schema) {
  return Json::object({{"name", name},
                       {"in", "header"},
                       {"required", false},
                       {"description", description},
                       {"schema", std::move(schema)}});
}

Json if_match() {
  return header_parameter("If-Match", "The ETag that the caller has seen; another revision is rejected with 409",
                          Json::object({{"type", "string"}}));
}

Json if_none_match() {
  return header_parameter("If-None-Match", "ETags that the caller has; the answer is 304 if one is current",
                          Json::object({{"type", "string"}}));
}

Json idempotency_key() {
  return header_parameter(
      "Idempotency-Key",
      "For 24 hours, the same key and inputs return the first answer again without repeating the write",
      Json::object({{"type", "string"}, {"minLength", 1}, {"maxLength", 255}}));
}

Json call(const Design& design, const Operation& operation, bool by_query) {
  Json out = Json::object({{"operationId", by_query ? "get_" + operation.name : operation.name}});
  out.set("tags", Json::array({operation.is_write ? "writes" : "reads"}));
  if (!operation.about.empty()) out.set("description", operation.about);
  Json parameters = Json::array();
  if (by_query) {
    const Json inputs = inputs_schema(design, operation, kSchemas);
    const Json* properties = inputs.find("properties");
    for (const Input& input : operation.takes)
      parameters.add(
          query_parameter(input.name, !input.optional, !fits_query(input.type), *properties->find(input.name)));
    if (answers_list(operation)) {
      for (const char* name : {"limit", "next", "descending"})
        parameters.add(query_parameter(name, false, false, *properties->find(name)));
    }
    if (has_etag(design, operation)) parameters.add(if_none_match());
  } else if (operation.is_write) {
    if (revision_of(subject(design, operation)) != nullptr) parameters.add(if_match());
    parameters.add(idempotency_key());
  }
  if (!parameters.empty()) out.set("parameters", std::move(parameters));
  if (!by_query) {
    out.set("requestBody",
            Json::object({{"required", true},
                          {"content",
                           Json::object({{"application/json",
                                          Json::object({{"schema", inputs_schema(design, operation, kSchemas)}})}})}}));
  }
  Json answers = responses(design, operation);
  if (by_query && has_etag(design, operation)) answers.set("304", Json::object({{"description", "Not modified"}}));
  out.set("responses", std::move(answers));
  if (operation.allow) {
    out.set("security",
            Json::array({Json::object({{"token", Json::array()}}), Json::object({{"apiKey", Json::array()}})}));
    out.set("x-trestle-allow", expression_text(*operation.allow));
  }
  return out;
}

Json problem_schema() {
  Json text = Json::object({{"type", "string"}});
  Json field = Json::object({{"type", "object"}, {"properties", Json::object({{"field", text}, {"reason", text}})}});
  return Json::object(
      {{"type", "object"},
       {"description", "RFC 9457"},
       {"properties",
        Json::object({{"type", Json::object({{"type", "string"}, {"format", "uri-reference"}})},
                      {"title", text},
                      {"status", Json::object({{"type", "integer"}})},
                      {"detail", text},
                      {"retryable",
                       Json::object({{"type", "boolean"}, {"description", "Whether the same call may succeed later"}})},
                      {"errors", Json::object({{"type", "array"}, {"items", std::move(field)}})}})},
       {"required", Json::array({"type", "title", "status", "detail", "retryable"})}});
}

Json components(const Design& design, const std::set<int>& statuses, bool with_tokens) {
  Json schemas = Json::object();
  for (const NamedRecord& type : design.types) {
    if (is_record(type)) schemas.set(type.name, record_schema(type, kSchemas));
  }
  for (const Entity& entity : design.entities) schemas.set(entity.name, entity_schema(design, entity, kSchemas));
  schemas.set("Problem", problem_schema());
  Json problems = Json::object();
  for (const int status : statuses) {
    const auto words = failure_words().find(status);
    Json problem = Json::object({{"description", words == failure_words().end() ? "Rejected" : words->second}});
    if (status == 401) {
      problem.set("headers",
                  Json::object({{"WWW-Authenticate", Json::object({{"schema", Json::object({{"type", "string"}})}})}}));
    }
    if (status == 429 || status == 503) {
      problem.set("headers",
                  Json::object({{"Retry-After", Json::object({{"description", "Seconds"},
                                                              {"schema", Json::object({{"type", "integer"}})}})}}));
    }
    problem.set("content",
                Json::object({{"application/problem+json", Json::object({{"schema", schema_ref("Problem")}})}}));
    problems.set(fmt::format("Problem{}", status), std::move(problem));
  }
  Json out = Json::object({{"schemas", std::move(schemas)}, {"responses", std::move(problems)}});
  if (with_tokens) {
    out.set("securitySchemes",
            Json::object({{"token", Json::object({{"type", "http"}, {"scheme", "bearer"}, {"bearerFormat", "JWT"}})},
                          {"apiKey", Json::object({{"type", "apiKey"}, {"in", "header"}, {"name", "X-Api-Key"}})}}));
  }
  return out;
}

}  // namespace

Exported export_openapi(const Design& design) {
  Exported out;
  Json paths = Json::object();
  std::set<int> statuses;
  bool with_tokens = false;
  for (const Operation& operation : design.operations) {
    Json path = Json::object({{"post", call(design, operation, false)}});
    if (!operation.is_write) path.set("get", call(design, operation, true));
    paths.set(fmt::format("/designs/{}/{}", design.name, operation.name), std::move(path));
    for (const int status : failures_of(operation)) statuses.insert(status);
    with_tokens = with_tokens || operation.allow;
  }
  Json info = Json::object({{"title", design.name}, {"version", std::to_string(design.version)}});
  if (!design.about.empty()) info.set("description", design.about);
  Json whole = Json::object({{"openapi", "3.1.0"}, {"info", std::move(info)}});
  whole.set("servers", Json::array({Json::object({{"url", "/"}})}));
  whole.set("tags", Json::array({Json::object({{"name", "reads"}}), Json::object({{"name", "writes"}})}));
  whole.set("paths", std::move(paths));
  whole.set("components", components(design, statuses, with_tokens));
  out.text = whole.text();
  return out;
}

}  // namespace trestle::design
