// Writes members of objects without a shape. Absent values are omitted.
//
//   put(json, "Label", stream.label);
#pragma once

#include <string_view>
#include <vector>

#include "protocol/shapes/particular_values.h"
#include "protocol/shapes/shape_writer.h"

namespace trestle {

template <class T>
void put(JsonOutput& json, std::string_view name, const T& value) {
  write_member(json, name, value);
}

// Writes a flag whose default is false.
inline void put_flag(JsonOutput& json, std::string_view name, bool value) {
  if (value) put(json, name, true);
}

// Writes a list of objects; write(json, element) writes the members of one object.
template <class T, class Write>
void put_list(JsonOutput& json, std::string_view name, const std::vector<T>& list, Write write) {
  json.key(name).begin_array();
  for (const T& element : list) {
    json.begin_object();
    write(json, element);
    json.end_object();
  }
  json.end_array();
}

}  // namespace trestle
