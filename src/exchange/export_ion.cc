#include "exchange/export_ion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "exchange/ion_characters.h"
#include "model/number.h"

namespace trestle {
namespace {

// Whether a symbol needs no quotes: an identifier that is not a keyword of Ion, nor "$12", which is a symbol id.
bool is_plain_symbol(std::string_view name) {
  if (name.empty() || !is_identifier_start(name[0])) return false;
  if (!std::ranges::all_of(name, is_identifier)) return false;
  if (name[0] == '$' && name.size() > 1 && std::ranges::all_of(name.substr(1), is_digit)) return false;
  constexpr std::array<std::string_view, 4> kWords = {"null", "true", "false", "nan"};
  return std::ranges::find(kWords, name) == kWords.end() && !name.starts_with("$ion_");
}

void append_escaped(std::string& out, std::string_view text, char quote) {
  for (const char c : text) {
    switch (c) {
      case '\0':
        out.append("\\0");
        break;
      case '\a':
        out.append("\\a");
        break;
      case '\b':
        out.append("\\b");
        break;
      case '\t':
        out.append("\\t");
        break;
      case '\n':
        out.append("\\n");
        break;
      case '\f':
        out.append("\\f");
        break;
      case '\r':
        out.append("\\r");
        break;
      case '\v':
        out.append("\\v");
        break;
      case '\\':
        out.append("\\\\");
        break;
      default:
        if (c == quote) {
          out.push_back('\\');
          out.push_back(c);
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
          fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
        } else {
          out.push_back(c);
        }
    }
  }
}

void append_ion_string(std::string& out, std::string_view text) {
  out.push_back('"');
  append_escaped(out, text, '"');
  out.push_back('"');
}

void append_ion_blob(std::string& out, std::string_view bytes) {
  out.append("{{");
  append_base64(out, bytes);
  out.append("}}");
}

// Appends elements between brackets, separated by commas.
template <class Range, class Append>
void append_ion_list(std::string& out, const Range& elements, Append append) {
  out.push_back('[');
  bool first = true;
  for (const auto& element : elements) {
    if (!first) out.push_back(',');
    first = false;
    append(out, element);
  }
  out.push_back(']');
}

void append_ion_value(std::string& out, ValueView value);

template <class Fields>
void append_ion_struct(std::string& out, const Fields& fields) {
  out.push_back('{');
  bool first = true;
  for (const Field& field : fields) {
    if (!first) out.push_back(',');
    first = false;
    append_ion_symbol(out, field.name);
    out.push_back(':');
    append_ion_value(out, field.value);
  }
  out.push_back('}');
}

// Recursive: values are nested at most as deeply as DynamoDB allows.
void append_ion_value(std::string& out, ValueView value) {
  switch (value.type()) {
    case ValueType::kNull:
      out.append("null");
      break;
    case ValueType::kBool:
      out.append(value.boolean() ? "true" : "false");
      break;
    case ValueType::kString:
      append_ion_string(out, value.scalar());
      break;
    case ValueType::kNumber:
      append_ion_decimal(out, value.scalar());
      break;
    case ValueType::kBinary:
      append_ion_blob(out, value.scalar());
      break;
    case ValueType::kStringSet:
      append_ion_list(out.append("$dynamodb_SS::"), value.set(), append_ion_string);
      break;
    case ValueType::kNumberSet:
      append_ion_list(out.append("$dynamodb_NS::"), value.set(), append_ion_decimal);
      break;
    case ValueType::kBinarySet:
      append_ion_list(out.append("$dynamodb_BS::"), value.set(), append_ion_blob);
      break;
    case ValueType::kList:
      append_ion_list(out, value.list(), append_ion_value);
      break;
    case ValueType::kMap:
      append_ion_struct(out, value.map());
      break;
  }
}

}  // namespace

void append_ion_symbol(std::string& out, std::string_view name) {
  if (is_plain_symbol(name)) {
    out.append(name);
    return;
  }
  out.push_back('\'');
  append_escaped(out, name, '\'');
  out.push_back('\'');
}

// Writes a decimal with a point if that is short, otherwise with 'd' and the exponent.
void append_ion_decimal(std::string& out, std::string_view text) {
  const Number number = number_of(text);
  if (number.is_zero()) {
    out.append("0.");
    return;
  }
  std::string digits;
  for (int i = 0; i < number.count; ++i) digits.push_back(static_cast<char>('0' + number.digits[i]));
  if (number.negative) out.push_back('-');
  const int exponent = number.exponent - (number.count - 1);  // of the last digit
  constexpr int kZerosMax = 5;                                // after the point
  if (exponent > 0) {
    fmt::format_to(std::back_inserter(out), "{}d{}", digits, exponent);
  } else if (number.exponent >= 0) {
    const auto whole = static_cast<size_t>(number.exponent) + 1;
    out.append(digits, 0, whole).append(".").append(digits, whole);
  } else if (-number.exponent - 1 <= kZerosMax) {
    out.append("0.").append(static_cast<size_t>(-number.exponent) - 1, '0').append(digits);
  } else {
    fmt::format_to(std::back_inserter(out), "{}d{}", digits, exponent);
  }
}

void append_ion_item(std::string& out, ItemView item) { append_ion_struct(out, item.attributes()); }

}  // namespace trestle
