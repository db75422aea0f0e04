// Readable descriptions of table definitions, for comparison: equal texts mean equal definitions.
//
//   key_words(table.key)       "PK S (hash), SK S (range)"
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/table_requests.h"

namespace trestle {

std::string key_words(const KeySchema& key);
// "all attributes", "keys only", or the names in order.
std::string projection_words(const Projection& projection);
// "none", "keys", "new images", ...
std::string stream_words(const std::optional<StreamViewType>& view);

// The attributes that an index projects in addition to the keys of its table and its own, which every entry has.
Projection copied_projection(Projection projection, const KeySchema& table, const KeySchema& index);
// A key as CreateTable's parameters.
std::vector<KeySchemaElement> key_elements(const KeySchema& key);
// Adds the key's attributes that AttributeDefinitions lacks.
void define_attributes(const KeySchema& key, std::vector<KeyAttribute>& attributes);

}  // namespace trestle
