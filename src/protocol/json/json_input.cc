#include "protocol/json/json_input.h"

#include <cmath>
#include <limits>

#include "base/ascii.h"
#include "protocol/json/base64.h"

namespace trestle {
namespace {

using simdjson::dom::element_type;

// DynamoDB's name for the type of a JSON token.
std::string_view token_name(JsonElement value) {
  switch (value.type()) {
    case element_type::BOOL:
      return value.get_bool().value_unsafe() ? "TRUE_VALUE" : "FALSE_VALUE";
    case element_type::STRING:
      return "STRING_VALUE";
    case element_type::DOUBLE: {
      const double number = value.get_double().value_unsafe();
      return number == std::floor(number) ? "NUMBER_VALUE" : "DECIMAL_VALUE";
    }
    default:
      return "NUMBER_VALUE";
  }
}

std::unexpected<Error> cannot_convert(JsonElement value, std::string_view type) {
  std::string message(token_name(value));
  message.append(" cannot be converted to ").append(type);
  return serialization_failure(std::move(message));
}

std::unexpected<Error> object_not_expected() {
  return serialization_failure("Start of structure or map found where not expected");
}

std::unexpected<Error> unrecognized_collection(std::string_view type) {
  return serialization_failure("Unrecognized collection type " + std::string(type));
}

constexpr std::string_view kModelPackage = "com.amazonaws.dynamodb.v20120810.";

simdjson::dom::parser& thread_parser() {
  static thread_local simdjson::dom::parser parser;
  return parser;
}

}  // namespace

Result<JsonInput> parse_padded_body(std::string_view body) {
  static constexpr std::string_view kEmptyObject =
      "{}                                                                    ";
  static_assert(kEmptyObject.size() >= 2 + kJsonPaddingBytes);
  // An operation may be called without a body, which means without members.
  if (body.empty()) body = kEmptyObject.substr(0, 2);
  auto parsed = thread_parser().parse(body.data(), body.size(), /*realloc_if_needed=*/false);
  simdjson::dom::object object;
  // Text that is not JSON, and JSON that is not an object, are rejected without a message.
  if (parsed.get_object().get(object) != simdjson::SUCCESS) return serialization_failure("");
  return JsonInput(object);
}

Result<JsonInput> parse_body(std::string_view body) {
  static thread_local std::string padded;
  padded.assign(body);
  padded.append(kJsonPaddingBytes, ' ');
  return parse_padded_body(std::string_view(padded).substr(0, body.size()));
}

Result<std::string_view> json_string(JsonElement value) {
  std::string_view text;
  if (value.get_string().get(text) == simdjson::SUCCESS) [[likely]]
    return text;
  if (value.is_array()) return unrecognized_collection("class java.lang.String");
  if (value.is_object()) return object_not_expected();
  return cannot_convert(value, "String");
}

Result<bool> json_boolean(JsonElement value) {
  switch (value.type()) {
    case element_type::BOOL:
      return value.get_bool().value_unsafe();
    case element_type::STRING: {
      const std::string_view text = value.get_string().value_unsafe();
      for (std::string_view yes : {"TRUE", "1", "YES"}) {
        if (equals_ignoring_case(text, yes)) return true;
      }
      for (std::string_view no : {"FALSE", "0", "NO"}) {
        if (equals_ignoring_case(text, no)) return false;
      }
      return serialization_failure("Unexpected token received from parser");
    }
    case element_type::ARRAY:
      return unrecognized_collection("class java.lang.Boolean");
    case element_type::OBJECT:
      return object_not_expected();
    default:
      return cannot_convert(value, "Boolean");
  }
}

Result<int64_t> json_integer(JsonElement value, std::string_view type) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  switch (value.type()) {
    case element_type::INT64:
      return value.get_int64().value_unsafe();
    case element_type::UINT64:
      return kMax;
    case element_type::DOUBLE: {
      const double number = std::floor(value.get_double().value_unsafe());
      if (number >= static_cast<double>(kMax)) return kMax;
      if (number <= static_cast<double>(std::numeric_limits<int64_t>::min()))
        return std::numeric_limits<int64_t>::min();
      return static_cast<int64_t>(number);
    }
    case element_type::ARRAY:
      return unrecognized_collection("class java.lang." + std::string(type));
    case element_type::OBJECT:
      return object_not_expected();
    default:
      return cannot_convert(value, type);
  }
}

Result<JsonArray> json_list(JsonElement value) {
  JsonArray array;
  if (value.get_array().get(array) == simdjson::SUCCESS) [[likely]]
    return array;
  if (value.is_object()) return object_not_expected();
  return serialization_failure("Unexpected field type");
}

Result<std::vector<std::string_view>> json_string_list(JsonElement value) {
  TRY_INTO(const JsonArray array, json_list(value));
  std::vector<std::string_view> texts;
  for (const JsonElement element : array) {
    if (element.is_null()) continue;
    TRY_INTO(const std::string_view text, json_string(element));
    texts.push_back(text);
  }
  return texts;
}

Result<JsonInput> json_structure(JsonElement value, std::string_view type, JsonPlace place) {
  simdjson::dom::object object;
  if (value.get_object().get(object) == simdjson::SUCCESS) [[likely]]
    return JsonInput(object);
  if (value.is_array()) return unrecognized_collection("class " + std::string(kModelPackage) + std::string(type));
  return serialization_failure(place == JsonPlace::kMember ? "Unexpected field type"
                                                           : "Unexpected value type in payload");
}

Result<JsonInput> json_map(JsonElement value, std::string_view element_type) {
  simdjson::dom::object object;
  if (value.get_object().get(object) == simdjson::SUCCESS) [[likely]]
    return JsonInput(object);
  if (value.is_array()) {
    std::string name("java.util.Map<java.lang.String, ");
    if (element_type.find('.') == std::string_view::npos) name.append(kModelPackage);
    return unrecognized_collection(name.append(element_type).append(">"));
  }
  return serialization_failure("Unexpected field type");
}

Result<void> json_binary(JsonElement value, std::string& out) {
  std::string_view text;
  if (value.get_string().get(text) == simdjson::SUCCESS) [[likely]]
    return append_base64_decoded(out, text);
  if (value.is_array()) return unrecognized_collection("class java.nio.ByteBuffer");
  if (value.is_object()) return object_not_expected();
  return serialization_failure("only base-64-encoded strings are convertible to bytes");
}

}  // namespace trestle
