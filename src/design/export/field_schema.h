// JSON Schemas (2020-12) of field types, records, entities and inputs. They describe the plain JSON that callers send
// and receive, not DynamoDB's typed JSON. Shared by export_json_schema and export_openapi. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/json/json_writer.h"
#include "design/language/design.h"

namespace trestle::design {

// `refs` is the path prefix of record and entity schemas: "#/$defs/" or "#/components/schemas/".
Json type_schema(const FieldType& type, std::string_view refs);

// An entity as reads return it, without secret fields. Generated fields are readOnly.
Json entity_schema(const Design& design, const Entity& entity, std::string_view refs);
Json record_schema(const NamedRecord& record, std::string_view refs);
// Whether a named type is a record rather than an alias.
bool is_record(const NamedRecord& type);

// One input: its type, `null` if `may_be_null`, and its default if that is a plain value.
Json input_schema(const Input& input, bool may_be_null, std::string_view refs);
// All inputs of an operation as one object. Other names are rejected unless the operation takes additional attributes.
// Lists also accept limit, next and descending.
Json inputs_schema(const Design& design, const Operation& operation, std::string_view refs);
// Whether `null` as this input removes the optional field that it sets.
bool null_removes(const Design& design, const Operation& operation, const Input& input);

// Whether the operation returns a list page by page.
bool answers_list(const Operation& operation);
// The entity whose item the operation reads or writes, and so returns; null if there is none.
const Entity* subject(const Design& design, const Operation& operation);

}  // namespace trestle::design
