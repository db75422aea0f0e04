// Builds a JSON document and writes it as text. Members keep the order in which they were set.
//
//   Json table = Json::object({{"TableName", "authz"}, {"Attributes", Json::array({"PK", "SK"})}});
//   table.set("ItemCount", 3);
//   table.text();      // indented by two spaces; short arrays and objects without nesting are on one line
//
// Only writes JSON. Strings must be UTF-8 and are written unchanged except for the escapes that JSON requires. Not for
// hot paths, because it builds the document as a tree first.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trestle {

class Json {
 public:
  using Member = std::pair<std::string, Json>;

  Json() = default;  // null
  Json(std::string text) : kind_(Kind::kString), text_(std::move(text)) {}
  Json(std::string_view text) : Json(std::string(text)) {}
  Json(const char* text) : Json(std::string(text)) {}
  template <std::same_as<bool> Bool>  // prevents conversions from pointers
  Json(Bool truth) : kind_(Kind::kLiteral), text_(truth ? "true" : "false") {}
  template <std::integral Number>
    requires(!std::same_as<Number, bool> && !std::same_as<Number, char>)
  Json(Number number) : kind_(Kind::kLiteral), text_(std::to_string(number)) {}

  static Json object(std::initializer_list<Member> members = {});
  static Json array(std::initializer_list<Json> values = {});
  static Json strings(const std::vector<std::string>& values);
  // A number that is already JSON text, of any precision.
  static Json number(std::string text);

  // Sets a member: replaces an existing one, otherwise appends it. This must be an object.
  Json& set(std::string_view name, Json value);
  // Appends a value. This must be an array.
  Json& add(Json value);

  bool is_object() const { return kind_ == Kind::kObject; }
  bool is_array() const { return kind_ == Kind::kArray; }
  bool empty() const { return members_.empty() && values_.empty(); }
  size_t size() const { return members_.size() + values_.size(); }
  // The member of that name, or null.
  const Json* find(std::string_view name) const;
  // The unescaped text of a string; for any other leaf its JSON text.
  const std::string& string() const { return text_; }

  // Indented, with a line break at the end.
  std::string text() const;
  // On one line, without a line break.
  std::string line() const;

  friend bool operator==(const Json&, const Json&) = default;

 private:
  enum class Kind { kLiteral, kString, kArray, kObject };

  void write(std::string& out, size_t indent) const;
  bool fits_one_line(size_t indent) const;
  void write_line(std::string& out) const;

  Kind kind_ = Kind::kLiteral;
  std::string text_ = "null";
  std::vector<Json> values_;
  std::vector<Member> members_;
};

// The text in double quotes, escaped.
std::string json_quoted(std::string_view text);

}  // namespace trestle
