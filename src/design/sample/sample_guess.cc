#include "design/sample/sample_guess.h"

#include <algorithm>
#include <functional>

#include "design/language/field_type.h"
#include "design/language/template.h"

namespace trestle::design {
namespace {

bool is_delimiter(char c) {
  return c == '#' || c == '|' || c == '_' || c == ':' || c == '/' || c == '-' || c == '@' || c == '.';
}

std::string with_braces(std::string_view literal) {
  std::string out;
  for (const char c : literal) {
    out.push_back(c);
    if (c == '{' || c == '}') out.push_back(c);
  }
  return out;
}

// The template that produces `text` from the row: at each position the longest attribute value that matches in full,
// otherwise one literal character.
std::string template_of(std::string_view text, const SampleRow& row, const std::vector<std::string>& fields) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const std::string* best = nullptr;
    size_t length = 0;
    if (at == 0 || is_delimiter(text[at - 1])) {
      for (const std::string& field : fields) {
        const auto value = row.find(field);
        if (value == row.end() || value->second.empty() || value->second.size() <= length) continue;
        if (!text.substr(at).starts_with(value->second)) continue;
        const size_t end = at + value->second.size();
        if (end < text.size() && !is_delimiter(text[end])) continue;
        best = &field;
        length = value->second.size();
      }
    }
    if (best != nullptr) {
      out += "{" + *best + "}";
      at += length;
    } else {
      out += with_braces(text.substr(at, 1));
      ++at;
    }
  }
  return out;
}

}  // namespace

std::string guess_type(ValueType stored, const std::vector<std::string>& values, bool in_key) {
  const auto all = [&](BaseType base) {
    FieldType type{.base = base};
    if (base == BaseType::kTime) type.resolution_ms = 1000;
    const StringSet strings = strings_of(type);
    return !values.empty() &&
           std::all_of(values.begin(), values.end(), [&](const std::string& value) { return strings.contains(value); });
  };
  switch (stored) {
    case ValueType::kBool:
      return "bool";
    case ValueType::kBinary:
      return "binary";
    case ValueType::kStringSet:
      return "set<string>";
    case ValueType::kNumberSet:
      return "set<number>";
    case ValueType::kBinarySet:
      return "set<binary>";
    case ValueType::kList:
      return "list<any>";
    case ValueType::kMap:
    case ValueType::kNull:
      return "any";
    case ValueType::kNumber: {
      const auto whole = [](const std::string& value) {
        return !value.empty() && value.find_first_not_of("-0123456789") == std::string::npos;
      };
      return in_key || (!values.empty() && std::all_of(values.begin(), values.end(), whole)) ? "int" : "number";
    }
    case ValueType::kString:
      break;
  }
  if (all(BaseType::kUlid)) return "ulid";
  if (all(BaseType::kUuid)) return "uuid";
  if (all(BaseType::kSha256)) return "sha256";
  if (all(BaseType::kTime)) return "time";
  {
    const StringSet fine = strings_of(FieldType{.base = BaseType::kTime, .resolution_ms = 1});
    if (!values.empty() &&
        std::all_of(values.begin(), values.end(), [&](const std::string& value) { return fine.contains(value); }))
      return "time(ms)";
  }
  if (all(BaseType::kDate)) return "date";
  if (all(BaseType::kE164)) return "e164";
  if (all(BaseType::kEmail)) return "email";
  if (!in_key) return "string";
  constexpr std::string_view kSafe = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz._-";
  const bool safe = std::all_of(values.begin(), values.end(), [&](const std::string& value) {
    return !value.empty() && value.size() <= 128 && value.find_first_not_of(kSafe) == std::string::npos;
  });
  return safe ? "string([0-9A-Za-z._-], 1..128)" : "string(1..200)";
}

std::optional<std::string> guess_template(const std::vector<SampleRow>& rows, const std::string& attribute,
                                          const std::vector<std::string>& fields) {
  std::optional<std::string> found;
  for (const SampleRow& row : rows) {
    const auto value = row.find(attribute);
    if (value == row.end() || value->second.empty()) continue;
    const std::string value_template = template_of(value->second, row, fields);
    if (!found) found = value_template;
    if (*found != value_template) return std::nullopt;
  }
  if (!found) return found;
  // Nothing if the text found is not a valid template.
  Findings ignored;
  return parse_template(*found, {}, ignored) ? found : std::nullopt;
}

}  // namespace trestle::design
