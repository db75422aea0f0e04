// Definitions of tables in words, for telling two of them apart: equal words mean equal definitions.
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

// What an index copies besides the keys of its table and its own, which every entry has.
Projection copied_projection(Projection projection, const KeySchema& table, const KeySchema& index);
// A key as CreateTable takes it.
std::vector<KeySchemaElement> key_elements(const KeySchema& key);
// Adds to AttributeDefinitions what the key has and they do not.
void define_attributes(const KeySchema& key, std::vector<KeyAttribute>& attributes);

}  // namespace trestle
