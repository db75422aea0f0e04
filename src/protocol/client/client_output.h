// Members of requests, as a client writes them. What is absent, or is DynamoDB's default, is left out.
//
//   put(json, "TableName", request.table_name);
//   put_choice(json, "Select", request.select, kSelects);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/parameters.h"
#include "protocol/json/attribute_value_json.h"
#include "protocol/json/json_output.h"
#include "protocol/validation/constraints.h"

namespace trestle {

inline void put(JsonOutput& json, std::string_view name, std::string_view text) { json.member(name, text); }
inline void put(JsonOutput& json, std::string_view name, int64_t value) { json.member(name, value); }
inline void put(JsonOutput& json, std::string_view name, bool value) { json.member(name, value); }
inline void put(JsonOutput& json, std::string_view name, ItemView item) {
  json.key(name);
  append_item_json(json.text(), item);
}
inline void put(JsonOutput& json, std::string_view name, ValueView value) {
  json.key(name);
  append_value_json(json.text(), value);
}
inline void put(JsonOutput& json, std::string_view name, const std::string& text) {
  put(json, name, std::string_view(text));
}
inline void put(JsonOutput& json, std::string_view name, const Item& item) { put(json, name, item.view()); }
inline void put(JsonOutput& json, std::string_view name, const Value& value) { put(json, name, value.view()); }
void put(JsonOutput& json, std::string_view name, const std::vector<std::string>& texts);
void put(JsonOutput& json, std::string_view name, const std::vector<Value>& values);
void put(JsonOutput& json, std::string_view name, const NameMap& names);
void put(JsonOutput& json, std::string_view name, const ValueMap& values);
template <class T>
void put(JsonOutput& json, std::string_view name, const std::optional<T>& value) {
  if (value) put(json, name, *value);
}

// Writes a flag whose default is false.
inline void put_flag(JsonOutput& json, std::string_view name, bool value) {
  if (value) put(json, name, true);
}

template <class E, size_t N>
void put_choice(JsonOutput& json, std::string_view name, E value, const Choice<E> (&choices)[N]) {
  put(json, name, choice_name(choices, value));
}
template <class E, size_t N>
void put_choice(JsonOutput& json, std::string_view name, std::optional<E> value, const Choice<E> (&choices)[N]) {
  if (value) put_choice(json, name, *value, choices);
}

// Seconds since 1970, of milliseconds.
inline void put_timestamp(JsonOutput& json, std::string_view name, const std::optional<int64_t>& ms) {
  if (ms) json.key(name).timestamp_ms(*ms);
}

// A list of objects, each written by write(json, element) between its braces.
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

// A whole request that is one member.
template <class T>
void write_only_member(std::string_view name, const T& value, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, name, value);
  json.end_object();
}

// Members that many requests share.
void put_placeholders(JsonOutput& json, const Placeholders& placeholders);
void put_projection(JsonOutput& json, const ReadProjection& projection);
void put_condition(JsonOutput& json, const WriteCondition& condition);
// Expected, QueryFilter, ScanFilter or KeyConditions.
void put_conditions(JsonOutput& json, std::string_view name, const std::optional<LegacyConditions>& conditions);
void put_return_consumed_capacity(JsonOutput& json, ReturnConsumedCapacity value);
void put_return_item_collection_metrics(JsonOutput& json, bool value);

}  // namespace trestle
