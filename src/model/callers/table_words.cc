#include "model/callers/table_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace trestle {

std::string key_words(const KeySchema& key) {
  std::string words;
  const auto say = [&](const std::vector<KeyAttribute>& list, std::string_view role) {
    for (const KeyAttribute& attribute : list)
      words += fmt::format("{}{} {} ({})", words.empty() ? "" : ", ", attribute.name, type_name(attribute.type), role);
  };
  say(key.hash, "hash");
  say(key.range, "range");
  return words;
}

std::string projection_words(const Projection& projection) {
  if (projection.type == ProjectionType::kAll) return "all attributes";
  if (projection.type == ProjectionType::kKeysOnly) return "keys only";
  auto names = projection.non_key_attributes;
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string stream_words(const std::optional<StreamViewType>& view) {
  if (!view) return "none";
  switch (*view) {
    case StreamViewType::kKeysOnly:
      return "keys";
    case StreamViewType::kNewImage:
      return "new images";
    case StreamViewType::kOldImage:
      return "old images";
    case StreamViewType::kNewAndOldImages:
      return "new and old images";
  }
  return {};
}

Projection copied_projection(Projection projection, const KeySchema& table, const KeySchema& index) {
  std::erase_if(projection.non_key_attributes,
                [&](const std::string& name) { return table.contains(name) || index.contains(name); });
  return projection;
}

std::vector<KeySchemaElement> key_elements(const KeySchema& key) {
  std::vector<KeySchemaElement> elements;
  for (const auto& attribute : key.hash) elements.push_back({.attribute_name = attribute.name});
  for (const auto& attribute : key.range) elements.push_back({.attribute_name = attribute.name, .is_range = true});
  return elements;
}

void define_attributes(const KeySchema& key, std::vector<KeyAttribute>& attributes) {
  for (const auto* list : {&key.hash, &key.range}) {
    for (const KeyAttribute& attribute : *list) {
      const auto same = [&](const KeyAttribute& key_attribute) { return key_attribute.name == attribute.name; };
      if (std::none_of(attributes.begin(), attributes.end(), same)) attributes.push_back(attribute);
    }
  }
}

}  // namespace trestle
