// The names of the key attributes of a table.
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

}  // namespace trestle::copy
