// For tests: the JSON of an attribute value nested to a chosen depth.
#pragma once

#include <fmt/format.h>

#include <string>

namespace trestle {

// A string inside this many maps.
inline std::string nested(int levels) {
  std::string value = R"({"S":"leaf"})";
  for (int i = 0; i < levels; ++i) value = fmt::format(R"({{"M":{{"n":{}}}}})", value);
  return value;
}

}  // namespace trestle
