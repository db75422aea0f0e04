#include "api/design_description.h"

#include <algorithm>

#include "base/json/json_writer.h"
#include "design/check/check.h"
#include "design/check/report.h"
#include "design/docs/docs.h"
#include "design/language/reader.h"
#include "design/plan/plan.h"
#include "design/plan/plan_text.h"

namespace trestle::api {
namespace {

Json key_names(const KeySchema& key) {
  Json names = Json::array();
  for (const auto* attributes : {&key.hash, &key.range}) {
    for (const KeyAttribute& attribute : *attributes) names.add(attribute.name);
  }
  return names;
}

Json tables_json(const design::Design& design) {
  Json tables = Json::array();
  for (const design::Table& table : design.tables) {
    Json indexes = Json::array();
    for (const design::Index& index : table.indexes)
      indexes.add(Json::object({{"name", index.name}, {"local", index.local}, {"key", key_names(index.key)}}));
    tables.add(Json::object({{"name", table.name},
                             {"type", table.type_attribute},
                             {"ttl", table.ttl_attribute},
                             {"key", key_names(table.key)},
                             {"indexes", std::move(indexes)}}));
  }
  return tables;
}

Json entities_json(const design::Design& design) {
  Json entities = Json::array();
  for (const design::Entity& entity : design.entities) {
    Json key = Json::array();
    for (const design::Template& part : entity.key) key.add(part.text);
    Json guards = Json::array();
    for (const design::Guard& guard : entity.unique) guards.add(guard.type);
    Json fields = Json::array();
    for (const design::Field& field : entity.fields)
      fields.add(Json::object({{"name", field.name}, {"type", design::type_text(field.type)}}));
    entities.add(Json::object({{"name", entity.name},
                               {"about", entity.about},
                               {"table", entity.table},
                               {"type", entity.type},
                               {"key", std::move(key)},
                               {"guards", std::move(guards)},
                               {"fields", std::move(fields)}}));
  }
  return entities;
}

// The entities that an operation reads or writes, each once.
Json reached_entities(const design::Operation& operation) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  design::each_access(operation, [&](const design::Access& access) {
    add(access.entity);
    for (const auto& [entity, index] : access.others) add(entity);
  });
  design::each_write(operation, [&](const design::Write& write, const design::Step&) { add(write.entity); });
  return Json::strings(names);
}

Json operations_json(const design::Design& design) {
  Json operations = Json::array();
  for (const design::Operation& operation : design.operations) {
    Json inputs = Json::array();
    for (const design::Input& input : operation.takes) {
      inputs.add(Json::object({{"name", input.name},
                               {"type", design::type_text(input.type)},
                               {"optional", input.optional},
                               {"of", input.of}}));
    }
    operations.add(Json::object({{"name", operation.name},
                                 {"write", operation.is_write},
                                 {"about", operation.about},
                                 {"line", operation.place.line},
                                 {"inputs", std::move(inputs)},
                                 {"entities", reached_entities(operation)}}));
  }
  return operations;
}

std::string plans_json(const design::Design& design) {
  std::string plans;
  for (const design::Plan& plan : design::plan_design(design))
    plans += (plans.empty() ? "" : ",\n") + design::plan_json(design, plan);
  return "[" + plans + "]";
}

void add_member(std::string& out, std::string_view name, std::string_view json) {
  if (out.size() > 1) out += ",\n";
  out.append(json_quoted(name)).append(": ").append(json);
}

}  // namespace

std::string describe_design(std::string_view source, const design::Prices* prices) {
  const design::Reading reading = design::read_design(source);
  const design::Report report = design::check_design(reading);
  const design::Design& design = reading.design;
  const bool has_errors = report.count(design::Severity::kError) > 0;
  std::string out = "{";
  add_member(out, "source", json_quoted(source));
  add_member(out, "name", json_quoted(design.name));
  add_member(out, "version", std::to_string(design.version));
  add_member(out, "about", json_quoted(design.about));
  add_member(out, "report", design::report_json(design.name, report));
  add_member(out, "tables", tables_json(design).line());
  add_member(out, "entities", entities_json(design).line());
  add_member(out, "operations", operations_json(design).line());
  add_member(out, "plans", has_errors ? "[]" : plans_json(design));
  add_member(out, "document", json_quoted(reading.mistakes.empty() ? design::docs_html(reading, report, prices) : ""));
  return out + "}\n";
}

}  // namespace trestle::api
