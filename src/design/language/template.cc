#include "design/language/template.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>

#include "base/ascii.h"
#include "design/language/source.h"
#include "model/number.h"

namespace trestle::design {
namespace {

constexpr std::string_view kDigits = "0123456789";

bool is_field_name(std::string_view name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

std::optional<Format> parse_format(std::string_view text) {
  Format format;
  if (text == "escape") return Format{.kind = Format::Kind::kEscape};
  if (text == "lower") return Format{.kind = Format::Kind::kLower};
  if (text == "fold") return Format{.kind = Format::Kind::kFold};
  if (text == "minute" || text == "hour" || text == "day" || text == "month") {
    return Format{.kind = Format::Kind::kCut, .unit = std::string(text)};
  }
  const bool hash = text.starts_with("sha256/");
  if (!hash && !text.starts_with('0')) return std::nullopt;
  const std::string_view digits = text.substr(hash ? 7 : 1);
  if (digits.empty() || digits.size() > 2 || digits.find_first_not_of(kDigits) != std::string_view::npos)
    return std::nullopt;
  format.kind = hash ? Format::Kind::kHash : Format::Kind::kPad;
  format.digits = std::stoi(std::string(digits));
  if (format.digits < 1 || format.digits > (hash ? 64 : kNumberDigitsMax)) return std::nullopt;
  return format;
}

size_t cut_length(std::string_view unit) {
  if (unit == "month") return 7;
  if (unit == "day") return 10;
  return unit == "hour" ? 13 : 16;
}

std::string escaped(std::string_view value) {
  std::string out;
  for (char c : value) {
    if (c == '#')
      out += "%23";
    else if (c == '%')
      out += "%25";
    else
      out.push_back(c);
  }
  return out;
}

std::string unescaped(std::string_view value) {
  std::string out;
  for (size_t i = 0; i < value.size(); ++i) {
    const std::string_view three = value.substr(i, 3);
    if (three == "%23" || three == "%25") {
      out.push_back(three == "%23" ? '#' : '%');
      i += 2;
    } else {
      out.push_back(value[i]);
    }
  }
  return out;
}

// Formats Unix time as "2025-10-03T14:30". Returns other text unchanged.
std::string minute_of_epoch(const std::string& value, bool milliseconds) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size()) return value;
  const std::chrono::sys_time<std::chrono::milliseconds> time(std::chrono::milliseconds(number) *
                                                              (milliseconds ? 1 : 1000));
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count());
}

// The pattern of a value of the type, truncated to the minute: "0" stands for a digit.
std::string_view shape_of_time(const FieldType& type) {
  if (type.base == BaseType::kDate) return "0000-00-00";
  return type.base == BaseType::kHour ? "0000-00-00-00" : "0000-00-00T00:00";
}

}  // namespace

std::string render(const TemplatePart& part, const std::string& value, const FieldType* type) {
  switch (part.format.kind) {
    case Format::Kind::kPlain:
      return value;
    case Format::Kind::kPad: {
      const auto width = static_cast<size_t>(part.format.digits);
      return value.size() >= width ? value : std::string(width - value.size(), '0') + value;
    }
    case Format::Kind::kCut: {
      const bool epoch = type != nullptr && type->base == BaseType::kEpoch;
      return (epoch ? minute_of_epoch(value, type->milliseconds) : value).substr(0, cut_length(part.format.unit));
    }
    case Format::Kind::kHash:
      return sha256_hex(value).substr(0, static_cast<size_t>(part.format.digits));
    case Format::Kind::kEscape:
      return escaped(value);
    case Format::Kind::kLower:
      return lower(value);
    case Format::Kind::kFold:
      return escaped(lower(value));
  }
  return value;
}

namespace {

std::string read_back(const TemplatePart& part, std::string_view text) {
  if (part.format.kind == Format::Kind::kEscape || part.format.kind == Format::Kind::kFold) return unescaped(text);
  if (part.format.kind == Format::Kind::kPad) {
    const size_t first = std::min(text.find_first_not_of('0'), text.empty() ? 0 : text.size() - 1);
    return std::string(text.substr(first));
  }
  return std::string(text);
}

// Matches parts[index..] against `text`, trying longer values first, and stores the values of a match in `values`. The
// string set of a part is computed only once the literals before it match, because most texts are tried against
// templates that do not match.
bool fit(const std::vector<TemplatePart>& parts, std::vector<std::optional<StringSet>>& sets, const TypeOf& type_of,
         size_t index, std::string_view text, FieldValues& values) {
  if (index == parts.size()) return text.empty();
  const TemplatePart& part = parts[index];
  if (part.is_literal()) {
    return text.starts_with(part.literal) &&
           fit(parts, sets, type_of, index + 1, text.substr(part.literal.size()), values);
  }
  if (!sets[index]) sets[index] = strings_of(part, type_of);
  std::string_view next;
  if (index + 1 < parts.size() && parts[index + 1].is_literal()) next = parts[index + 1].literal;
  for (size_t length = text.size() + 1; length-- > 0;) {
    const std::string_view value = text.substr(0, length);
    if (!text.substr(length).starts_with(next) || !sets[index]->contains(value)) continue;
    if (!part.is_lossy() || part.format.kind == Format::Kind::kFold) {
      const std::string read = read_back(part, value);
      const auto [known, inserted] = values.emplace(part.field, read);
      if (!inserted && known->second != read) continue;
      if (fit(parts, sets, type_of, index + 1, text.substr(length), values)) return true;
      if (inserted) values.erase(part.field);
    } else if (fit(parts, sets, type_of, index + 1, text.substr(length), values)) {
      return true;
    }
    if (index + 1 == parts.size()) break;  // the last part must match the whole rest
  }
  return false;
}

}  // namespace

std::string sha256_hex(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::string out;
  for (unsigned char byte : digest) out += fmt::format("{:02x}", byte);
  return out;
}

std::vector<std::string> Template::fields() const {
  std::vector<std::string> out;
  for (const TemplatePart& part : parts) {
    if (!part.is_literal() && std::find(out.begin(), out.end(), part.field) == out.end()) out.push_back(part.field);
  }
  return out;
}
bool Template::uses(std::string_view field) const {
  return std::any_of(parts.begin(), parts.end(), [&](const TemplatePart& part) { return part.field == field; });
}
std::string Template::literal_prefix() const { return parts.empty() || !parts[0].is_literal() ? "" : parts[0].literal; }

std::optional<Template> parse_template(std::string_view text, Place place, Findings& findings) {
  Template key{.text = std::string(text), .place = place};
  std::string literal;
  const auto flush = [&] {
    if (!literal.empty()) key.parts.push_back({.literal = std::exchange(literal, {})});
  };
  const auto fail = [&](std::string_view message, size_t at) {
    findings.mistake("T005", {place.line, place.column}, fmt::format("`{}`: {} at character {}", text, message, at + 1),
                     "write placeholders as {field} or {field:format}");
    return std::nullopt;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
      literal.push_back(c);
      ++i;
      continue;
    }
    if (c == '}') return fail("a `}` without a matching `{`", i);
    if (c != '{') {
      literal.push_back(c);
      continue;
    }
    const size_t close = text.find('}', i);
    if (close == std::string_view::npos) return fail("a `{` without a matching `}`", i);
    std::string_view inside = text.substr(i + 1, close - i - 1);
    const size_t colon = inside.find(':');
    TemplatePart part{.field = std::string(inside.substr(0, colon))};
    if (!is_field_name(part.field)) return fail("expected the name of a field", i + 1);
    if (colon != std::string_view::npos) {
      const auto format = parse_format(inside.substr(colon + 1));
      if (!format)
        return fail(fmt::format("expected a format (04 to 0{}, day, sha256/16, escape, lower)", kNumberDigitsMax),
                    i + 2 + colon);
      part.format = *format;
    }
    flush();
    key.parts.push_back(std::move(part));
    i = close;
  }
  flush();
  if (key.parts.empty()) return fail("a key cannot be empty", 0);
  return key;
}

namespace {

// Appends the rendered key up to the first field without a value. Returns whether the key is complete.
bool append_rendered(std::string& out, const Template& key, const FieldValues& values, const TypeOf& type_of) {
  for (const TemplatePart& part : key.parts) {
    if (part.is_literal()) {
      out += part.literal;
      continue;
    }
    const auto value = values.find(part.field);
    if (value == values.end()) return false;
    out += render(part, value->second, type_of ? type_of(part.field) : nullptr);
  }
  return true;
}

}  // namespace

std::optional<std::string> render(const Template& key, const FieldValues& values, const TypeOf& type_of) {
  std::string out;
  if (!append_rendered(out, key, values, type_of)) return std::nullopt;
  return out;
}

bool has_literals(const Template& key, std::string_view text) {
  if (key.parts.size() == 1 && key.parts[0].is_literal()) return text == key.parts[0].literal;
  if (!key.parts.empty() && key.parts.back().is_literal() && !text.ends_with(key.parts.back().literal)) return false;
  bool at_start = true;
  for (const TemplatePart& part : key.parts) {
    if (part.is_literal()) {
      const size_t found =
          at_start && !text.starts_with(part.literal) ? std::string_view::npos : text.find(part.literal);
      if (found == std::string_view::npos) return false;
      text.remove_prefix(found + part.literal.size());
    }
    at_start = part.is_literal();
  }
  return true;
}

std::optional<FieldValues> parse(const Template& key, std::string_view text, const TypeOf& type_of) {
  if (!has_literals(key, text)) return std::nullopt;
  std::vector<std::optional<StringSet>> sets(key.parts.size());
  FieldValues values;
  if (!fit(key.parts, sets, type_of, 0, text, values)) return std::nullopt;
  return values;
}

bool contains_exactly(const Template& key, std::string_view field) {
  return std::ranges::any_of(key.parts, [&](const TemplatePart& part) {
    const Format::Kind kind = part.format.kind;
    return !part.is_literal() && part.field == field &&
           (kind == Format::Kind::kPlain || kind == Format::Kind::kPad || kind == Format::Kind::kEscape ||
            kind == Format::Kind::kHash);
  });
}

std::string_view delimiter_after(const Template& key, std::string_view field, const TypeOf& type_of) {
  for (size_t i = 0; i < key.parts.size(); ++i) {
    const TemplatePart& part = key.parts[i];
    if (part.is_literal() || part.field != field) continue;
    const FieldType* type = type_of(part.field);
    const bool has_width = part.format.kind == Format::Kind::kPad || part.format.kind == Format::Kind::kCut ||
                           part.format.kind == Format::Kind::kHash;
    if (has_width || type == nullptr || is_numeric(*type) || fixed_length(*type) != 0) return {};
    return i + 1 < key.parts.size() ? std::string_view(key.parts[i + 1].literal) : std::string_view();
  }
  return {};
}

StringSet strings_of(const TemplatePart& part, const TypeOf& type_of) {
  if (part.is_literal()) return StringSet::literal(part.literal);
  const FieldType* type = type_of(part.field);
  if (type == nullptr) return StringSet::repeat(printable_chars(), 1, StringSet::kUnbounded);
  const CharSet digit = chars_between('0', '9');
  switch (part.format.kind) {
    case Format::Kind::kPlain:
    case Format::Kind::kLower:
      return strings_of(*type);
    case Format::Kind::kPad: {
      const auto width = static_cast<size_t>(part.format.digits);
      const size_t most =
          type->max && *type->max >= 0 ? std::max(width, std::to_string(*type->max).size()) : StringSet::kUnbounded;
      return StringSet::repeat(digit, width, most);
    }
    case Format::Kind::kCut: {
      StringSet set;
      for (char c : shape_of_time(*type).substr(0, cut_length(part.format.unit))) {
        set.then(c == '0' ? StringSet::repeat(digit, 1, 1) : StringSet::literal({&c, 1}));
      }
      return set;
    }
    case Format::Kind::kHash: {
      const auto length = static_cast<size_t>(part.format.digits);
      return StringSet::repeat(digit | chars_between('a', 'f'), length, length);
    }
    case Format::Kind::kFold:
    case Format::Kind::kEscape: {
      CharSet characters = printable_chars();
      characters.reset('#');
      return StringSet::repeat(characters, 1, StringSet::kUnbounded);
    }
  }
  return StringSet::anything();
}

StringSet strings_of(const Template& key, const TypeOf& type_of) {
  StringSet set;
  for (const TemplatePart& part : key.parts) set.then(strings_of(part, type_of));
  return set;
}

std::optional<std::string> ambiguity(const Template& key, const TypeOf& type_of) {
  std::vector<StringSet> parts;
  for (const TemplatePart& part : key.parts) parts.push_back(strings_of(part, type_of));
  return ambiguous_string(parts);
}

}  // namespace trestle::design
