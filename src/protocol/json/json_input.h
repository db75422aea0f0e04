// Reads a request body as a JSON object, with DynamoDB's error messages for JSON of the wrong shape.
//
//   TRY_INTO(JsonInput input, parse_body(body));
//   std::optional<std::string_view> table_name;
//   for (const JsonMember member : input) {              // in document order, without members that are null
//     if (member.name == "TableName") TRY_INTO(table_name, json_string(member.value));
//   }                                                    // unknown members are ignored
//
// Every json_...() below returns the value, or DynamoDB's SerializationException if the type is wrong. Read all members
// of a request before validating any value, because DynamoDB reports wrong types first.
//
// Results borrow from the parser of the calling thread and are valid until that thread parses again.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.h"

namespace trestle {

using JsonElement = simdjson::dom::element;
using JsonArray = simdjson::dom::array;

struct JsonMember {
  std::string_view name;
  JsonElement value;
};

class JsonInput {
 public:
  class iterator {
   public:
    using Inner = simdjson::dom::object::iterator;
    iterator(Inner at, Inner end) : at_(at), end_(end) { skip_nulls(); }
    JsonMember operator*() const { return {at_.key(), at_.value()}; }
    iterator& operator++() {
      ++at_;
      skip_nulls();
      return *this;
    }
    friend bool operator!=(const iterator& a, const iterator& b) { return a.at_ != b.at_; }

   private:
    void skip_nulls() {
      while (at_ != end_ && at_.value().is_null()) ++at_;
    }
    Inner at_;
    Inner end_;
  };

  JsonInput() = default;
  explicit JsonInput(simdjson::dom::object object) : object_(object) {}
  iterator begin() const { return iterator(object_.begin(), object_.end()); }
  iterator end() const { return iterator(object_.end(), object_.end()); }
  // Includes members that are null.
  simdjson::dom::object object() const { return object_; }

 private:
  simdjson::dom::object object_;
};

// Parses a body. The first form copies it. The second reads it in place, and needs kJsonPaddingBytes of readable memory
// (with any content) after its end. The result borrows from this thread's parser, not from the body.
inline constexpr size_t kJsonPaddingBytes = simdjson::SIMDJSON_PADDING;
Result<JsonInput> parse_body(std::string_view body);
Result<JsonInput> parse_padded_body(std::string_view body);

// Errors: "NUMBER_VALUE cannot be converted to String" and similar.
Result<std::string_view> json_string(JsonElement value);
Result<bool> json_boolean(JsonElement value);
// `type`: "Integer" or "Long", as DynamoDB's model declares the member. A decimal is truncated.
Result<int64_t> json_integer(JsonElement value, std::string_view type);
Result<JsonArray> json_list(JsonElement value);
// A list of strings; null elements are skipped.
Result<std::vector<std::string_view>> json_string_list(JsonElement value);

// The position of a structure or map decides how DynamoDB rejects a string or number in its place: as a member of the
// request or of another structure ("Unexpected field type"), or as an element of a list or map ("Unexpected value type
// in payload").
enum class JsonPlace { kMember, kElement };
// `type`: the structure's name in the model, such as "KeySchemaElement".
Result<JsonInput> json_structure(JsonElement value, std::string_view type, JsonPlace place);
// `element_type`: the type of the map's values, such as "AttributeValue", or the full name if it is not a DynamoDB
// structure, such as "java.lang.String".
Result<JsonInput> json_map(JsonElement value, std::string_view element_type);
// Appends the decoded bytes of a base64 string to out.
Result<void> json_binary(JsonElement value, std::string& out);

// DynamoDB's message for a string or number in place of a list or map inside a map.
inline constexpr std::string_view kNotParameterized =
    "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class "
    "(sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of "
    "loader 'bootstrap')";

inline std::unexpected<Error> serialization_failure(std::string message) {
  return failure(ErrorCode::kSerialization, std::move(message));
}

}  // namespace trestle
