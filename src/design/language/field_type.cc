#include "design/language/field_type.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <map>

#include "design/language/quantity.h"
#include "design/language/source.h"
#include "design/language/word.h"

namespace trestle::design {
namespace {

const std::map<std::string, BaseType, std::less<>>& simple_types() {
  static const std::map<std::string, BaseType, std::less<>> types = {
      {"string", BaseType::kString}, {"text", BaseType::kText},
      {"int", BaseType::kInt},       {"number", BaseType::kNumber},
      {"money", BaseType::kMoney},   {"bool", BaseType::kBool},
      {"ulid", BaseType::kUlid},     {"uuid", BaseType::kUuid},
      {"token", BaseType::kToken},   {"sha256", BaseType::kSha256},
      {"hex", BaseType::kHex},       {"email", BaseType::kEmail},
      {"domain", BaseType::kDomain}, {"pattern_domain", BaseType::kPatternDomain},
      {"url", BaseType::kUrl},       {"e164", BaseType::kE164},
      {"ip", BaseType::kIp},         {"cidr", BaseType::kCidr},
      {"time", BaseType::kTime},     {"date", BaseType::kDate},
      {"hour", BaseType::kHour},     {"minute_of_day", BaseType::kMinuteOfDay},
      {"zone", BaseType::kZone},     {"epoch", BaseType::kEpoch},
      {"enum", BaseType::kEnum},     {"set", BaseType::kSet},
      {"list", BaseType::kList},     {"map", BaseType::kMap},
      {"binary", BaseType::kBinary}, {"any", BaseType::kAny},
  };
  return types;
}

std::string_view base_name(BaseType base) {
  for (const auto& [name, type] : simple_types()) {
    if (type == base) return name;
  }
  return "record";
}

std::optional<int64_t> integer(std::string_view text) {
  text = trim_blanks(text);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Parses "1..64", "..64" or "1..".
bool read_bounds(std::string_view text, FieldType& type) {
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) return false;
  const std::string_view low = trim_blanks(text.substr(0, dots));
  const std::string_view high = trim_blanks(text.substr(dots + 2));
  const auto read_bound = [](std::string_view digits, std::optional<int64_t>& bound) {
    if (digits.empty()) return true;
    bound = integer(digits);
    return bound.has_value();
  };
  if (!read_bound(low, type.min) || !read_bound(high, type.max)) return false;
  return !(low.empty() && high.empty()) && !(type.min && type.max && *type.min > *type.max);
}

std::vector<std::string_view> split_arguments(std::string_view text) {
  std::vector<std::string_view> out;
  bool bracket = false;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') bracket = true;
    if (i < text.size() && text[i] == ']') bracket = false;
    if (i == text.size() || (text[i] == ',' && !bracket)) {
      out.push_back(trim_blanks(text.substr(start, i - start)));
      start = i + 1;
    }
  }
  return out;
}

// Reads the arguments of `base(...)`. False if they are invalid.
bool read_arguments(std::string_view text, FieldType& type) {
  for (std::string_view argument : split_arguments(text)) {
    switch (type.base) {
      case BaseType::kEnum:
        if (argument.empty()) return false;
        type.values.emplace_back(argument);
        break;
      case BaseType::kString:
        if (argument.starts_with('[') && argument.ends_with(']') && argument.size() > 2) {
          type.characters = argument.substr(1, argument.size() - 2);
        } else if (!read_bounds(argument, type)) {
          return false;
        }
        break;
      case BaseType::kTime:
      case BaseType::kEpoch:
        if (argument == "ms") {
          type.resolution_ms = 1;
          type.milliseconds = true;
        } else if (const auto seconds = parse_duration_s(argument); seconds && *seconds > 0) {
          type.resolution_ms = *seconds * 1000;
        } else {
          return false;
        }
        break;
      case BaseType::kHex:
      case BaseType::kToken:
        type.min = type.max = integer(argument);
        if (!type.min || *type.min < 1 || *type.min > 1024) return false;
        break;
      default:
        if (!read_bounds(argument, type)) return false;
    }
  }
  return true;
}

CharSet characters_of(const std::string& ranges) {
  if (ranges.empty()) return printable_chars();
  CharSet set;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (i + 2 < ranges.size() && ranges[i + 1] == '-') {
      set |= chars_between(ranges[i], ranges[i + 2]);
      i += 2;
    } else {
      set |= chars_of({&ranges[i], 1});
    }
  }
  return set;
}

StringSet digits(size_t min, size_t max) { return StringSet::repeat(chars_between('0', '9'), min, max); }

// Strings of a pattern such as "0000-00-00T00:00", in which each 0 stands for a digit.
StringSet digits_as(std::string_view pattern) {
  StringSet set;
  for (char c : pattern) set.then(c == '0' ? digits(1, 1) : StringSet::literal({&c, 1}));
  return set;
}

CharSet hex_chars() { return chars_between('0', '9') | chars_between('a', 'f'); }
CharSet letters_digits() { return chars_between('a', 'z') | chars_between('A', 'Z') | chars_between('0', '9'); }

StringSet ip_strings() {
  StringSet four = digits(1, 3);
  for (int i = 0; i < 3; ++i) four.then(StringSet::literal(".")).then(digits(1, 3));
  // In canonical form (RFC 5952) with at least two colons, which no other identifier type contains.
  StringSet six = StringSet::repeat(hex_chars(), 0, 4);
  six.then(StringSet::literal(":")).then(StringSet::repeat(hex_chars(), 0, 4)).then(StringSet::literal(":"));
  six.then(StringSet::repeat(hex_chars() | chars_of(":."), 0, 39));
  return StringSet::either({four, six});
}

constexpr int kNestingMax = 31;  // DynamoDB allows 32 levels, including the attribute itself

int nesting_of(const FieldType& type) { return type.element ? 1 + nesting_of(*type.element) : 0; }

StringSet number_strings(const FieldType& type) {
  StringSet set;
  const bool negative = !type.min || *type.min < 0;
  if (negative) set.then(StringSet::repeat(chars_of("-"), 0, 1));
  // Without bounds the length is unlimited: 1E+125 and 1E-130 are written in full.
  const size_t most =
      type.max && !negative ? std::to_string(std::max<int64_t>(*type.max, 0)).size() : StringSet::kUnbounded;
  set.then(digits(1, most));
  if (type.base != BaseType::kInt) set.then(StringSet::repeat(chars_of("0123456789."), 0, StringSet::kUnbounded));
  return set;
}

}  // namespace

std::optional<FieldType> take_type(std::string_view& text, Place place, const NamedType& named, Findings& findings) {
  text = trim_blanks(text);
  size_t end = 0;
  while (end < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_' || text[end] == '.'))
    ++end;
  const std::string name(text.substr(0, end));
  std::vector<std::string> known;
  for (const auto& [simple, base] : simple_types()) known.push_back(simple);

  FieldType type;
  const auto simple = simple_types().find(name);
  if (simple == simple_types().end()) {
    if (auto declared = named ? named(name) : std::nullopt) {
      text.remove_prefix(end);
      return declared;
    }
    findings.mistake("T003", place,
                     fmt::format("`{}` is not a type{}", name.empty() ? text : name, did_you_mean(name, known)),
                     "use a type from docs/designs.md, or declare it under `types`");
    return std::nullopt;
  }
  type.base = simple->second;
  text.remove_prefix(end);
  const bool container = type.base == BaseType::kSet || type.base == BaseType::kList || type.base == BaseType::kMap;
  if (container && text.starts_with('<')) {
    const auto too_deep = [&] {
      findings.mistake("T003", place,
                       fmt::format("a value of this type is nested more than {} levels deep", kNestingMax),
                       "DynamoDB stores documents with at most 32 levels");
      return std::nullopt;
    };
    if (std::count(text.begin(), text.end(), '<') > kNestingMax) return too_deep();
    text.remove_prefix(1);
    auto element = take_type(text, place, named, findings);
    if (!element) return std::nullopt;
    if (nesting_of(*element) >= kNestingMax) return too_deep();
    text = trim_blanks(text);
    if (!text.starts_with('>')) {
      findings.mistake("T003", place, fmt::format("expected `>` after the element type of `{}`", name));
      return std::nullopt;
    }
    text.remove_prefix(1);
    if (type.base == BaseType::kSet && !is_scalar(*element)) {
      findings.mistake(
          "T003", place,
          fmt::format("a DynamoDB set contains strings, numbers or binary values, not {}", type_text(*element)),
          "use list<...>");
    }
    type.element = std::make_shared<const FieldType>(std::move(*element));
  } else if (container) {
    type.element = std::make_shared<const FieldType>(
        FieldType{.base = type.base == BaseType::kSet ? BaseType::kString : BaseType::kAny});
  }
  if (text.starts_with('(')) {
    const size_t close = text.find(')');
    if (close == std::string_view::npos || !read_arguments(text.substr(1, close - 1), type)) {
      findings.mistake("T003", place,
                       fmt::format("`{}{}`: invalid bounds", name, text.substr(0, std::min(close, text.size()))),
                       "write them as 1..64, or see the type in docs/designs.md");
      return std::nullopt;
    }
    text.remove_prefix(close + 1);
  } else if (type.base == BaseType::kEnum) {
    findings.mistake("T003", place, "an enum must list its values", "write enum(first, second)");
    return std::nullopt;
  }
  if (type.base == BaseType::kHex && !type.min) type.min = type.max = 32;
  if (type.base == BaseType::kToken && !type.min) type.min = type.max = 32;
  return type;
}

std::string type_text(const FieldType& type) {
  if (type.base == BaseType::kRecord) return type.record;
  std::string out(base_name(type.base));
  if (type.element && type.base != BaseType::kRecord) return fmt::format("{}<{}>", out, type_text(*type.element));
  if (type.base == BaseType::kEnum) return fmt::format("enum({})", fmt::join(type.values, ", "));
  if (type.base == BaseType::kTime || type.base == BaseType::kEpoch) {
    if (type.resolution_ms == 1) return out + "(ms)";
    if (type.resolution_ms != 1000) return fmt::format("{}({})", out, duration_text(type.resolution_ms / 1000));
    return out;
  }
  if (type.base == BaseType::kHex || type.base == BaseType::kToken) return fmt::format("{}({})", out, *type.min);
  std::vector<std::string> arguments;
  if (!type.characters.empty()) arguments.push_back("[" + type.characters + "]");
  if (type.min || type.max) {
    arguments.push_back(
        fmt::format("{}..{}", type.min ? std::to_string(*type.min) : "", type.max ? std::to_string(*type.max) : ""));
  }
  return arguments.empty() ? out : fmt::format("{}({})", out, fmt::join(arguments, ", "));
}

ValueType stored_type(const FieldType& type) {
  switch (type.base) {
    case BaseType::kInt:
    case BaseType::kNumber:
    case BaseType::kMoney:
    case BaseType::kEpoch:
      return ValueType::kNumber;
    case BaseType::kBool:
      return ValueType::kBool;
    case BaseType::kBinary:
      return ValueType::kBinary;
    case BaseType::kSet: {
      const ValueType element = stored_type(*type.element);
      if (element == ValueType::kNumber) return ValueType::kNumberSet;
      return element == ValueType::kBinary ? ValueType::kBinarySet : ValueType::kStringSet;
    }
    case BaseType::kList:
      return ValueType::kList;
    case BaseType::kMap:
    case BaseType::kRecord:
    case BaseType::kAny:
      return ValueType::kMap;
    default:
      return ValueType::kString;
  }
}

bool is_scalar(const FieldType& type) {
  if (type.base == BaseType::kText) return false;
  const ValueType stored = stored_type(type);
  return stored == ValueType::kString || stored == ValueType::kNumber || stored == ValueType::kBinary;
}
bool is_numeric(const FieldType& type) { return stored_type(type) == ValueType::kNumber; }
bool is_time(const FieldType& type) {
  return type.base == BaseType::kTime || type.base == BaseType::kEpoch || type.base == BaseType::kDate ||
         type.base == BaseType::kHour;
}
bool sorts_as_text(const FieldType& type) {
  if (!is_numeric(type)) return true;
  if (type.base == BaseType::kEpoch) return true;  // ten digits (thirteen in milliseconds) from 2001 to 2286
  return type.base == BaseType::kInt && type.min && type.max && *type.min >= 0 &&
         std::to_string(*type.min).size() == std::to_string(*type.max).size();
}
size_t fixed_length(const FieldType& type) {
  switch (type.base) {
    case BaseType::kUlid:
      return 26;
    case BaseType::kUuid:
      return 36;
    case BaseType::kSha256:
      return 64;
    case BaseType::kTime:
      return type.resolution_ms < 1000 ? 24 : 20;
    case BaseType::kDate:
      return 10;
    case BaseType::kHour:
      return 13;
    case BaseType::kMinuteOfDay:
      return 5;
    default:
      return 0;
  }
}

bool is_unique_by_nature(const FieldType& type) {
  return type.base == BaseType::kUlid || type.base == BaseType::kUuid || type.base == BaseType::kToken ||
         type.base == BaseType::kSha256;
}
bool is_unbounded(const FieldType& type) {
  const bool large = type.base == BaseType::kText || type.base == BaseType::kAny || type.base == BaseType::kBinary;
  return large && !type.max;
}
std::optional<int64_t> value_count(const FieldType& type) {
  if (type.base == BaseType::kEnum) return static_cast<int64_t>(type.values.size());
  if (type.base == BaseType::kBool) return 2;
  if (type.base == BaseType::kInt && type.min && type.max && *type.max - *type.min < 1000)
    return *type.max - *type.min + 1;
  return std::nullopt;
}

StringSet strings_of(const FieldType& type) {
  const CharSet crockford = chars_of("0123456789ABCDEFGHJKMNPQRSTVWXYZ");
  switch (type.base) {
    case BaseType::kString:
      return StringSet::repeat(characters_of(type.characters),
                               static_cast<size_t>(std::max<int64_t>(type.min.value_or(1), 1)),
                               type.max ? static_cast<size_t>(std::max<int64_t>(*type.max, 1)) : StringSet::kUnbounded);
    case BaseType::kInt:
    case BaseType::kNumber:
    case BaseType::kMoney:
      return number_strings(type);
    case BaseType::kBool:
      return StringSet::one_of({"true", "false"});
    case BaseType::kUlid:
      return StringSet::repeat(chars_between('0', '7'), 1, 1).then(StringSet::repeat(crockford, 25, 25));
    case BaseType::kUuid: {
      StringSet set = StringSet::repeat(hex_chars(), 8, 8);
      for (size_t length : {4, 4, 4, 12})
        set.then(StringSet::literal("-")).then(StringSet::repeat(hex_chars(), length, length));
      return set;
    }
    case BaseType::kToken: {
      const auto length = static_cast<size_t>((*type.min * 8 + 5) / 6);
      return StringSet::repeat(letters_digits() | chars_of("-_"), length, length);
    }
    case BaseType::kSha256:
      return StringSet::repeat(hex_chars(), 64, 64);
    case BaseType::kHex:
      return StringSet::repeat(hex_chars(), static_cast<size_t>(*type.min), static_cast<size_t>(*type.min));
    case BaseType::kEmail: {
      // Folded to lower case. Unlike RFC 5321, '#' is not accepted before the '@'.
      const CharSet local = chars_between('a', 'z') | chars_between('0', '9') | chars_of("!$%&'*+-/=?^_`{|}~.");
      return StringSet::repeat(local, 1, 64)
          .then(StringSet::literal("@"))
          .then(StringSet::repeat(chars_between('a', 'z') | chars_between('0', '9') | chars_of(".-"), 1, 253));
    }
    case BaseType::kDomain: {
      const CharSet name = chars_between('a', 'z') | chars_between('0', '9') | chars_of("-.");
      return StringSet::repeat(name, 1, 250).then(StringSet::literal(".")).then(StringSet::repeat(name, 2, 63));
    }
    case BaseType::kPatternDomain:
      return StringSet::repeat(chars_between('a', 'z') | chars_between('0', '9') | chars_of("-.*"), 1, 253);
    case BaseType::kUrl:
      return StringSet::repeat(printable_chars(), 8, 2000);
    case BaseType::kE164:
      return StringSet::literal("+").then(digits(7, 15));
    case BaseType::kIp:
      return ip_strings();
    case BaseType::kCidr:
      return ip_strings().then(StringSet::literal("/")).then(digits(1, 3));
    case BaseType::kTime:
      return digits_as(type.resolution_ms < 1000 ? "0000-00-00T00:00:00.000Z" : "0000-00-00T00:00:00Z");
    case BaseType::kDate:
      return digits_as("0000-00-00");
    case BaseType::kHour:
      return digits_as("0000-00-00-00");
    case BaseType::kMinuteOfDay:
      return digits_as("00:00");
    case BaseType::kZone:
      return StringSet::repeat(letters_digits() | chars_of("/_+-"), 1, 64);
    case BaseType::kEpoch:
      return type.milliseconds ? digits(13, 13) : digits(10, 10);
    case BaseType::kEnum:
      return StringSet::one_of(type.values);
    default:
      return StringSet::anything();
  }
}

std::optional<int64_t> bytes_max(const FieldType& type) {
  switch (type.base) {
    case BaseType::kText:
      return type.max ? std::optional<int64_t>(*type.max * 4) : std::nullopt;
    case BaseType::kString:
      // Bounds count characters. One takes up to four bytes, or one byte if the set of characters is restricted.
      if (!type.max) return std::nullopt;
      return *type.max * (type.characters.empty() ? 4 : 1);
    case BaseType::kInt:
    case BaseType::kNumber:
    case BaseType::kMoney:
    case BaseType::kEpoch:
      return 21;
    case BaseType::kBool:
      return 1;
    case BaseType::kUrl:
      return 2000;
    case BaseType::kBinary:
      return type.max;
    case BaseType::kSet:
    case BaseType::kList:
    case BaseType::kMap: {
      const auto element = bytes_max(*type.element);
      if (!type.max || !element) return std::nullopt;
      return 3 + *type.max * (*element + 1);
    }
    case BaseType::kRecord:
    case BaseType::kAny:
      return type.max;
    default:
      return static_cast<int64_t>(strings_of(type).longest());
  }
}

}  // namespace trestle::design
