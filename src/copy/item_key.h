// The key of an item: the item's key attributes, as an item.
#pragma once

#include <string>
#include <vector>

#include "model/table.h"

namespace trestle::copy {

inline std::vector<std::string> key_names(const KeySchema& key) {
  std::vector<std::string> names;
  names.reserve(key.hash.size() + key.range.size());
  for (const KeyAttribute& attribute : key.hash) names.push_back(attribute.name);
  for (const KeyAttribute& attribute : key.range) names.push_back(attribute.name);
  return names;
}

inline Item key_of(const std::vector<std::string>& names, ItemView item) {
  std::vector<Field> fields;
  for (const std::string& name : names) {
    if (const auto value = item.find(name)) fields.push_back({name, *value});
  }
  return Item(std::move(fields));
}

}  // namespace trestle::copy
