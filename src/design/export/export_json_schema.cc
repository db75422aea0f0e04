#include "design/export/export_json_schema.h"

#include <fmt/format.h>

#include "design/export/field_schema.h"

namespace trestle::design {

Exported export_json_schema(const Design& design) {
  constexpr std::string_view kRefs = "#/$defs/";
  Json definitions = Json::object();
  Exported out;
  for (const NamedRecord& type : design.types) {
    if (is_record(type)) definitions.set(type.name, record_schema(type, kRefs));
  }
  for (const Entity& entity : design.entities) {
    if (definitions.find(entity.name) != nullptr) {
      out.notes.push_back(
          fmt::format("type {0} and entity {0} have the same name: only the entity is exported", entity.name));
    }
    definitions.set(entity.name, entity_schema(design, entity, kRefs));
  }
  for (const Operation& operation : design.operations) {
    Json inputs = inputs_schema(design, operation, kRefs);
    if (!operation.about.empty()) inputs.set("description", operation.about);
    definitions.set(operation.name + ".inputs", std::move(inputs));
  }
  Json whole = Json::object({{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                             {"$id", fmt::format("urn:trestle:design:{}:{}", design.name, design.version)}});
  whole.set("title", design.name);
  if (!design.about.empty()) whole.set("description", design.about);
  whole.set("$defs", std::move(definitions));
  out.text = whole.text();
  return out;
}

}  // namespace trestle::design
