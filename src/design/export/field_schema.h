// The JSON Schema (2020-12) of field types, records, entities and inputs, as plain JSON values: what a caller sends and
// is answered, not DynamoDB's typed form. Shared by export_json_schema and export_openapi. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "design/language/design.h"

namespace trestle::design {

// `refs` is the path of the schemas of records and entities: "#/$defs/", "#/components/schemas/".
Json type_schema(const FieldType& type, std::string_view refs);

// An entity as reads return it: without secret fields. Generated fields are readOnly.
Json entity_schema(const Design& design, const Entity& entity, std::string_view refs);
Json record_schema(const NamedRecord& record, std::string_view refs);
// Whether the name under `types` is a record, not another name of a type.
bool is_record(const NamedRecord& type);

// One input: its type; `null` where it removes an optional field; its default, where that is a plain value.
Json input_schema(const Input& input, bool may_be_null, std::string_view refs);
// All inputs of an operation as one object; other names are rejected. Lists also accept limit, next and descending.
Json inputs_schema(const Design& design, const Operation& operation, std::string_view refs);
// Whether `null` removes the field that this input sets.
bool null_removes(const Design& design, const Operation& operation, const Input& input);

// Whether the operation returns a list, page by page.
bool answers_list(const Operation& operation);
// The entity that a single read answers or a single write changes; null: none.
const Entity* subject(const Design& design, const Operation& operation);

}  // namespace trestle::design
