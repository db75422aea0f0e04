// Key templates: `SITE#{domain}`, `DEST#{destination_id}#ATTEMPT#{attempt_num:04}`.
//
// A placeholder names a field and may have a format:
//   {n:04}         at least four digits, zeros in front, so that strings sort as numbers do
//   {at:day}       the time cut to its day; also minute, hour, month. The rest of the value is lost. Unix time is cut
//                  as ISO 8601, in UTC.
//   {x:sha256/16}  the first 16 hexadecimal digits of the value's SHA-256. The value is lost.
//   {x:escape}     with '#' and '%' written %23 and %25, so that a value can never contain the delimiter
//   {x:lower}      in lower case
// Literal braces are written {{ and }}.
//
// A template with no lossy placeholder can be read back: parse(render(values)) == values, for values of the fields'
// types, exactly when ambiguity() finds nothing.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "design/language/field_type.h"
#include "design/language/finding.h"
#include "design/language/string_set.h"

namespace trestle::design {

struct Format {
  enum class Kind { kPlain, kPad, kCut, kHash, kEscape, kLower, kFold };
  Kind kind = Kind::kPlain;
  int digits = 0;    // kPad: width; kHash: number of hexadecimal digits
  std::string unit;  // kCut: minute, hour, day, month
  friend bool operator==(const Format&, const Format&) = default;
};

struct TemplatePart {
  std::string literal;  // when `field` is empty
  std::string field;
  Format format;
  bool is_literal() const { return field.empty(); }
  // Whether the value cannot be read back.
  bool is_lossy() const {
    return format.kind == Format::Kind::kCut || format.kind == Format::Kind::kHash ||
           format.kind == Format::Kind::kLower || format.kind == Format::Kind::kFold;
  }
  friend bool operator==(const TemplatePart&, const TemplatePart&) = default;
};

struct Template {
  std::string text;
  Place place;
  std::vector<TemplatePart> parts;

  std::vector<std::string> fields() const;  // each once, in order
  bool uses(std::string_view field) const;
  bool is_literal() const { return fields().empty(); }
  std::string literal_prefix() const;  // common prefix of all its keys
};

std::optional<Template> parse_template(std::string_view text, Place place, Findings& findings);

// The value of a field, as its plain string.
using FieldValues = std::map<std::string, std::string>;
// Returns a field's type; null if there is no such field.
using TypeOf = std::function<const FieldType*(std::string_view field)>;
// The key that `values` make; nothing if a field is missing. Without `type_of` a value is cut as the text that it is.
std::optional<std::string> render(const Template& key, const FieldValues& values, const TypeOf& type_of = {});
// What a part with a field makes of its value. `type` may be null.
std::string render(const TemplatePart& part, const std::string& value, const FieldType* type);

// The values that make `text`; nothing if it is none of the template's strings. Lossy placeholders are left out, but
// for folded ones, whose value is given as it is folded.
std::optional<FieldValues> parse(const Template& key, std::string_view text, const TypeOf& type_of);

// The strings that the template makes. An unknown field can be anything.
StringSet strings_of(const Template& key, const TypeOf& type_of);
StringSet strings_of(const TemplatePart& part, const TypeOf& type_of);
// A string that it makes from two different sets of values; nothing if there is none.
std::optional<std::string> ambiguity(const Template& key, const TypeOf& type_of);

// SHA-256 of text in lower-case hexadecimal digits.
std::string sha256_hex(std::string_view text);

}  // namespace trestle::design
