// Key templates: `SITE#{domain}`, `DEST#{destination_id}#ATTEMPT#{attempt_num:04}`.
//
// A placeholder names a field and may have a format:
//   {n:04}         at least four digits with leading zeros, so that strings sort like numbers
//   {at:day}       the time truncated to its day; also minute, hour, month. The rest of the value is lost. Unix time is
//                  written as ISO 8601 in UTC.
//   {x:sha256/16}  the first 16 hexadecimal digits of the value's SHA-256. The value is lost.
//   {x:escape}     '#' and '%' written %23 and %25, so that a value never contains the delimiter
//   {x:lower}      in lower case. The original case is lost.
//   {x:fold}       in lower case and escaped
// Literal braces are written {{ and }}.
//
// A template without lossy placeholders can be parsed back: parse(render(values)) == values for values of the fields'
// types, if and only if ambiguity() returns nothing.
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
  std::string literal;  // used if `field` is empty
  std::string field;
  Format format;
  bool is_literal() const { return field.empty(); }
  // Whether the value cannot be parsed back.
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

  std::vector<std::string> fields() const;  // distinct fields, in order
  bool uses(std::string_view field) const;
  bool is_literal() const { return fields().empty(); }
  std::string literal_prefix() const;  // the literal before the first field
};

std::optional<Template> parse_template(std::string_view text, Place place, Findings& findings);

// Field values as plain strings, by field name.
using FieldValues = std::map<std::string, std::string>;
// Returns a field's type; null if there is no such field.
using TypeOf = std::function<const FieldType*(std::string_view field)>;
// Renders the key of `values`; nothing if a field is missing. Without `type_of`, Unix times are not converted to ISO
// 8601 before they are truncated.
std::optional<std::string> render(const Template& key, const FieldValues& values, const TypeOf& type_of = {});
// Renders a placeholder's value. `type` may be null.
std::string render(const TemplatePart& part, const std::string& value, const FieldType* type);

// The values that produce `text`; nothing if the template cannot produce it. Lossy placeholders are left out, except
// `fold`, whose value is returned in lower case.
std::optional<FieldValues> parse(const Template& key, std::string_view text, const TypeOf& type_of);

// Whether `text` contains the template's literals in order, at the beginning and end where the template has them there.
// Much cheaper than parse(), which can succeed only if this is true.
bool has_literals(const Template& key, std::string_view text);

// The strings that the template can produce. A field of unknown type can have any printable value.
StringSet strings_of(const Template& key, const TypeOf& type_of);
StringSet strings_of(const TemplatePart& part, const TypeOf& type_of);
// Whether different values of the field always give different keys.
bool contains_exactly(const Template& key, std::string_view field);
// The literal after the first placeholder of `field`, if the text of that placeholder is of any length; empty
// otherwise.
std::string_view delimiter_after(const Template& key, std::string_view field, const TypeOf& type_of);
// A string that the template can produce from two different sets of values; nothing if there is none.
std::optional<std::string> ambiguity(const Template& key, const TypeOf& type_of);

// SHA-256 of `text` in lower-case hexadecimal digits.
std::string sha256_hex(std::string_view text);

}  // namespace trestle::design
