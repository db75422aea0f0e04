// Checks the key schemas of CreateTable and UpdateTable and joins them with AttributeDefinitions. Pure. Checks are in
// DynamoDB's order, with its messages.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/error.h"
#include "model/table_requests.h"

namespace trestle {

// "[a, b]".
std::string bracketed(std::span<const std::string> names);
// The same, in the iteration order of a Java HashSet with that many buckets (a power of two), which is the order of
// sets in DynamoDB's messages. Exact for ASCII names.
std::string bracketed_set(std::vector<std::string> names, size_t buckets);
// The names of the definitions in the order in which DynamoDB lists them.
std::string bracketed_definitions(std::span<const KeyAttribute> definitions);
inline constexpr size_t kDefaultBuckets = 16;

// The definition with that name, or null.
const KeyAttribute* find_definition(std::span<const KeyAttribute> definitions, std::string_view name);

// Checks that every key attribute is defined.
Result<void> check_defined(std::span<const KeySchemaElement> elements, std::span<const KeyAttribute> definitions);

// The key of a table: one hash attribute and optionally one range attribute, each defined.
Result<KeySchema> define_table_key(std::span<const KeySchemaElement> elements,
                                   std::span<const KeyAttribute> definitions);
// The same for a local index. define_local_index() checks its two attributes further.
Result<KeySchema> define_local_key(std::span<const KeySchemaElement> elements,
                                   std::span<const KeyAttribute> definitions);
// The key of a global index: one to four hash attributes, then up to four range attributes.
Result<KeySchema> define_global_key(std::span<const KeySchemaElement> elements,
                                    std::span<const KeyAttribute> definitions);

}  // namespace trestle
