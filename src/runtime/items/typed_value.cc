#include "runtime/items/typed_value.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"
#include "base/utf8.h"
#include "model/number.h"
#include "runtime/expressions/arithmetic.h"
#include "runtime/expressions/comparison.h"
#include "runtime/expressions/evaluate.h"
#include "runtime/values/moment.h"
#include "runtime/values/text_types.h"
#include "runtime/values/time_zone.h"
#include "runtime/values/ulid.h"

namespace trestle::runtime {
namespace {

using design::BaseType;
using design::FieldType;
using Kind = Plain::Kind;

// What a type requires, for messages: "must be an email address".
std::string_view wanted_text(BaseType base) {
  switch (base) {
    case BaseType::kUlid:
      return "must be a ULID: 26 characters of Crockford's base 32";
    case BaseType::kUuid:
      return "must be a UUID";
    case BaseType::kSha256:
      return "must be a SHA-256 digest: 64 hexadecimal digits";
    case BaseType::kEmail:
      return "must be an email address";
    case BaseType::kDomain:
      return "must be a domain name";
    case BaseType::kPatternDomain:
      return "must be a domain name, which may begin with *.";
    case BaseType::kUrl:
      return "must be an http or https URL of at most 2000 characters";
    case BaseType::kE164:
      return "must be a telephone number such as +15551234567";
    case BaseType::kIp:
      return "must be an IP address";
    case BaseType::kCidr:
      return "must be a range of IP addresses such as 10.0.0.0/8";
    case BaseType::kTime:
      return "must be a time such as 2025-10-03T14:30:00Z";
    case BaseType::kDate:
      return "must be a date such as 2025-10-03";
    case BaseType::kHour:
      return "must be an hour such as 2025-10-03-14";
    case BaseType::kMinuteOfDay:
      return "must be a time of day from 00:00 to 23:59";
    case BaseType::kZone:
      return "must be an IANA time zone such as Europe/Berlin";
    case BaseType::kEpoch:
      return "must be a Unix time or a time such as 2025-10-03T14:30:00Z";
    case BaseType::kBool:
      return "must be true or false";
    case BaseType::kBinary:
      return "must be base64";
    case BaseType::kInt:
      return "must be a whole number";
    case BaseType::kNumber:
      return "must be a number";
    case BaseType::kMoney:
      return "must be an amount with at most two decimal places";
    case BaseType::kSet:
    case BaseType::kList:
      return "must be a list";
    case BaseType::kMap:
    case BaseType::kRecord:
      return "must be an object";
    default:
      return "must be text";
  }
}

std::string bounds_text(const FieldType& type, std::string_view unit) {
  const std::string suffix = unit.empty() ? "" : " " + std::string(unit);
  if (type.min && type.max && *type.min == *type.max) return fmt::format("exactly {}{}", *type.min, suffix);
  if (type.min && type.max) return fmt::format("between {} and {}{}", *type.min, *type.max, suffix);
  if (type.min) return fmt::format("at least {}{}", *type.min, suffix);
  return fmt::format("at most {}{}", type.max.value_or(0), suffix);
}

bool in_bounds(const FieldType& type, int64_t value) {
  return (!type.min || value >= *type.min) && (!type.max || value <= *type.max);
}

Plain::TimeForm time_form_of(const FieldType& type) {
  if (!design::is_time(type)) return Plain::TimeForm::kNone;
  if (type.base != BaseType::kEpoch) return Plain::TimeForm::kText;
  return type.milliseconds ? Plain::TimeForm::kMilliseconds : Plain::TimeForm::kSeconds;
}

class Checker {
 public:
  Checker(const design::Design& design, std::vector<FieldFault>& faults) : design_(design), faults_(faults) {}

  Plain check(const FieldType& type, const Plain& input, const std::string& path) {
    Plain result = checked(type, input, path);
    result.set_time_form(time_form_of(type));
    return result;
  }

 private:
  Plain checked(const FieldType& type, const Plain& input, const std::string& path) {
    switch (type.base) {
      case BaseType::kInt:
      case BaseType::kNumber:
      case BaseType::kMoney:
        return number(type, input, path);
      case BaseType::kBool:
        return boolean(type, input, path);
      case BaseType::kTime:
      case BaseType::kDate:
      case BaseType::kHour:
      case BaseType::kEpoch:
        return time(type, input, path);
      case BaseType::kSet:
      case BaseType::kList:
        return list(type, input, path);
      case BaseType::kMap:
        return map(type, input, path);
      case BaseType::kRecord:
        return record(type, input, path);
      case BaseType::kAny:
        return any(type, input, path);
      case BaseType::kBinary:
        return binary(type, input, path);
      default:
        return text(type, input, path);
    }
  }

  Plain fault(const std::string& path, std::string reason) {
    faults_.push_back({.field = path, .reason = std::move(reason)});
    return Plain();
  }
  Plain wrong(const FieldType& type, const std::string& path) {
    return fault(path, std::string(wanted_text(type.base)));
  }

  Plain number(const FieldType& type, const Plain& input, const std::string& path) {
    if (!input.is(Kind::kNumber)) return wrong(type, path);
    std::string canonical = input.string();
    if (type.base == BaseType::kInt && !is_integer(canonical)) return wrong(type, path);
    if (type.base == BaseType::kMoney) {
      const size_t point = canonical.find('.');
      if (point != std::string::npos && canonical.size() - point > 3) return wrong(type, path);
    }
    const bool low = type.min && compare_numbers(canonical, std::to_string(*type.min)) < 0;
    const bool high = type.max && compare_numbers(canonical, std::to_string(*type.max)) > 0;
    if (low || high) return fault(path, "must be " + bounds_text(type, ""));
    return Plain::number(std::move(canonical));
  }

  Plain boolean(const FieldType& type, const Plain& input, const std::string& path) {
    return input.is(Kind::kBool) ? input : wrong(type, path);
  }

  Plain time(const FieldType& type, const Plain& input, const std::string& path) {
    std::optional<int64_t> ms;
    if (input.is(Kind::kMoment)) {
      ms = input.integer();
    } else if (input.is(Kind::kText)) {
      const std::string& written = input.string();
      if (type.base == BaseType::kDate)
        ms = parse_date(written);
      else if (type.base == BaseType::kHour)
        ms = parse_hour(written);
      else
        ms = parse_time(written);
    } else if (input.is(Kind::kNumber) && type.base == BaseType::kEpoch) {
      ms = epoch_ms(type, input.string());
    }
    if (!ms) return wrong(type, path);
    return written_time(type, *ms);
  }

  static std::optional<int64_t> epoch_ms(const FieldType& type, const std::string& canonical) {
    const auto value = integer_of(canonical);
    constexpr int64_t kMost = kTimeMaxMs;
    if (!value || *value < 0 || *value > (type.milliseconds ? kMost : kMost / 1000)) return std::nullopt;
    return type.milliseconds ? *value : *value * 1000;
  }

 public:
  static Plain written_time(const FieldType& type, int64_t ms) {
    Plain written = time_in_form(type, ms);
    written.set_time_form(time_form_of(type));
    return written;
  }

 private:
  static Plain time_in_form(const FieldType& type, int64_t ms) {
    switch (type.base) {
      case BaseType::kDate:
        return Plain::text(date_text(ms));
      case BaseType::kHour:
        return Plain::text(hour_text(ms));
      case BaseType::kEpoch: {
        const int64_t cut = floor_to(ms, std::max<int64_t>(type.resolution_ms, type.milliseconds ? 1 : 1000));
        return Plain::number(type.milliseconds ? cut : floor_div(cut, 1000));
      }
      default:
        return Plain::text(time_text(ms, type.resolution_ms));
    }
  }

  Plain list(const FieldType& type, const Plain& input, const std::string& path) {
    const bool set = type.base == BaseType::kSet;
    if (!input.is(Kind::kList) && !input.is(Kind::kSet)) return wrong(type, path);
    const auto& from = input.elements();
    Plain::List result;
    result.reserve(from.size());
    for (size_t i = 0; i < from.size(); ++i) {
      const std::string at = fmt::format("{}[{}]", path, i);
      if (!from[i].exists())
        fault(at, "must not be null");
      else
        result.push_back(check(*type.element, from[i], at));
    }
    if (set && from.empty()) return fault(path, "must have at least one member");
    Plain out = set ? Plain::set(std::move(result)) : Plain::list(std::move(result));
    if (!in_bounds(type, static_cast<int64_t>(set ? out.elements().size() : from.size())))
      return fault(path, "must have " + bounds_text(type, "members"));
    return out;
  }

  Plain map(const FieldType& type, const Plain& input, const std::string& path) {
    if (!input.is(Kind::kMap)) return wrong(type, path);
    if (!in_bounds(type, static_cast<int64_t>(input.members().size())))
      return fault(path, "must have " + bounds_text(type, "members"));
    Plain::Map result;
    result.reserve(input.members().size());
    for (const auto& [name, value] : input.members()) {
      if (name.empty()) return fault(path, "must not have a member without a name");
      const std::string at = path + "." + name;
      if (type.element->base == BaseType::kAny && value.is(Kind::kNull))
        result.emplace_back(name, value);
      else if (!value.exists())
        fault(at, "must not be null");
      else
        result.emplace_back(name, check(*type.element, value, at));
    }
    return Plain::map(std::move(result));
  }

  Plain record(const FieldType& type, const Plain& input, const std::string& path) {
    const design::NamedRecord* record = design_.type(type.record);
    if (!input.is(Kind::kMap) || record == nullptr) return wrong(type, path);
    Plain::Map result;
    for (const design::Field& field : record->fields) {
      const Plain& value = input.member(field.name);
      const std::string at = path + "." + field.name;
      if (value.exists())
        result.emplace_back(field.name, check(field.type, value, at));
      else if (field.default_value)
        result.emplace_back(field.name, evaluate(*field.default_value, {}).value_or(Plain()));
      else if (!field.optional)
        fault(at, value.is_absent() ? "is missing" : "must not be null");
    }
    for (const auto& member : input.members()) {
      const auto known = [&](const design::Field& field) { return field.name == member.first; };
      if (std::none_of(record->fields.begin(), record->fields.end(), known))
        fault(path + "." + member.first, "is unknown");
    }
    return Plain::map(std::move(result));
  }

  // DynamoDB fails on a map with an unnamed member when an expression or projection reads it.
  static bool has_unnamed_member(const Plain& value) {
    if (value.is(Kind::kList) || value.is(Kind::kSet)) return std::ranges::any_of(value.elements(), has_unnamed_member);
    return value.is(Kind::kMap) && std::ranges::any_of(value.members(), [](const auto& member) {
             return member.first.empty() || has_unnamed_member(member.second);
           });
  }

  Plain any(const FieldType& type, const Plain& input, const std::string& path) {
    (void)type;
    if (!valid_text(input)) return fault(path, "must be valid UTF-8");
    if (has_unnamed_member(input)) return fault(path, "must not have a member without a name");
    return input;
  }
  static bool valid_text(const Plain& value) {
    switch (value.kind()) {
      case Kind::kText:
        return is_utf8(value.string());
      case Kind::kList:
      case Kind::kSet:
        return std::all_of(value.elements().begin(), value.elements().end(), valid_text);
      case Kind::kMap:
        return std::all_of(value.members().begin(), value.members().end(),
                           [](const auto& member) { return is_utf8(member.first) && valid_text(member.second); });
      default:
        return true;
    }
  }

  Plain binary(const FieldType& type, const Plain& input, const std::string& path) {
    std::optional<std::string> bytes;
    if (input.is(Kind::kBinary)) bytes = input.string();
    if (input.is(Kind::kText)) bytes = base64_bytes(input.string());
    if (!bytes) return wrong(type, path);
    if (!in_bounds(type, static_cast<int64_t>(bytes->size())))
      return fault(path, "must have " + bounds_text(type, "bytes"));
    return Plain::binary(std::move(*bytes));
  }

  Plain text(const FieldType& type, const Plain& input, const std::string& path) {
    if (!input.is(Kind::kText)) return wrong(type, path);
    const std::string& written = input.string();
    if (!is_utf8(written)) return fault(path, "must be valid UTF-8");
    const auto folded = [&](std::optional<std::string> result) {
      return result ? Plain::text(std::move(*result)) : wrong(type, path);
    };
    switch (type.base) {
      case BaseType::kEmail:
        return folded(email_text(written));
      case BaseType::kDomain:
        return folded(domain_text(written));
      case BaseType::kPatternDomain:
        return folded(pattern_domain_text(written));
      case BaseType::kUrl:
        return folded(url_text(written));
      case BaseType::kE164:
        return folded(e164_text(written));
      case BaseType::kIp:
        return folded(ip_text(written));
      case BaseType::kCidr:
        return folded(cidr_text(written));
      case BaseType::kUuid:
        return folded(uuid_text(written));
      case BaseType::kUlid:
        return is_ulid(written) ? input : wrong(type, path);
      case BaseType::kZone:
        return is_time_zone(written) ? input : wrong(type, path);
      case BaseType::kMinuteOfDay:
        return parse_minute_of_day(written) ? input : wrong(type, path);
      case BaseType::kSha256:
        return written.size() == 64 && is_lower_hex(written) ? input : wrong(type, path);
      case BaseType::kHex:
        if (static_cast<int64_t>(written.size()) == type.min.value_or(32) && is_lower_hex(written)) return input;
        return fault(path, fmt::format("must be {} hexadecimal digits in lower case", type.min.value_or(32)));
      case BaseType::kToken: {
        const size_t length = base64url_length(static_cast<size_t>(type.min.value_or(32)));
        if (written.size() == length && is_base64url(written)) return input;
        return fault(path, fmt::format("must be a token of {} characters", length));
      }
      case BaseType::kEnum:
        if (std::find(type.values.begin(), type.values.end(), written) != type.values.end()) return input;
        return fault(path, fmt::format("must be one of {}", fmt::join(type.values, ", ")));
      default:
        break;
    }
    if ((type.min || type.max) && !in_bounds(type, static_cast<int64_t>(character_count(written))))
      return fault(path, "must have " + bounds_text(type, "characters"));
    if (!type.characters.empty() && !has_only(written, type.characters))
      return fault(path, fmt::format("must have only the characters [{}]", type.characters));
    return input;
  }

  const design::Design& design_;
  std::vector<FieldFault>& faults_;
};

}  // namespace

Plain check_input(const design::Design& design, const FieldType& type, const Plain& input, const std::string& path,
                  std::vector<FieldFault>& faults) {
  return Checker(design, faults).check(type, input, path);
}

Refused refused_inputs(std::vector<FieldFault> faults) {
  std::string message = "The input is not valid: ";
  for (size_t i = 0; i < faults.size() && i < 3; ++i)
    message += fmt::format("{}{} {}", i == 0 ? "" : "; ", faults[i].field, faults[i].reason);
  message += faults.size() > 3 ? "; and more." : ".";
  return {.status = 400, .message = std::move(message), .fields = std::move(faults)};
}

Outcome<Plain> convert_to_type(const design::Design& design, const FieldType& type, Plain value,
                               const std::string& field) {
  if (!value.exists()) return value;
  const bool texts = design::stored_type(type) == ValueType::kString;
  if (design::is_time(type)) {
    // The value may be of another kind of time: a moment for a date, a date for a time.
    const auto ms = time_of(value);
    if (ms) return Checker::written_time(type, *ms);
  } else if (texts && value.is(Kind::kMoment)) {
    return Plain::text(time_text(value.integer(), value.integer() % 1000 == 0 ? 1000 : 1));
  } else if (texts && value.is(Kind::kNumber)) {
    value = Plain::text(value.string());
  } else if (value.is(Kind::kDuration)) {
    value = Plain::number(value.integer());
  } else if (design::is_numeric(type) && value.is(Kind::kMoment)) {
    return Plain::number(floor_div(value.integer(), 1000));
  }
  value.set_time_form(Plain::TimeForm::kNone);
  if (type.base == BaseType::kInt && value.is(Kind::kNumber)) {
    // Computed values such as counters may exceed the bounds for inputs, so only check that the value is an integer.
    if (is_integer(value.string())) return value;
  }
  std::vector<FieldFault> faults;
  // DynamoDB has no empty sets: an empty set is an absent value.
  if (type.base == BaseType::kSet && (value.is(Kind::kSet) || value.is(Kind::kList)) && value.elements().empty())
    return Plain();
  Plain result = Checker(design, faults).check(type, value, field);
  if (!faults.empty()) return std::unexpected(refused_inputs(std::move(faults)));
  return result;
}

// The time from one value of the type to the next.
static int64_t time_step_ms(const FieldType& type) {
  switch (type.base) {
    case BaseType::kDate:
      return kDayMs;
    case BaseType::kHour:
      return kDayMs / 24;
    case BaseType::kEpoch:
      return std::max<int64_t>(type.resolution_ms, type.milliseconds ? 1 : 1000);
    default:
      return type.resolution_ms;
  }
}

Outcome<Plain> convert_compared_time(const design::Design& design, const FieldType& type, Plain value,
                                     const std::string& field, design::Rounding rounding) {
  const auto ms = time_of(value);
  TRY_INTO(Plain converted, convert_to_type(design, type, std::move(value), field));
  const auto earlier = converted.exists() ? time_of(converted) : std::nullopt;
  if (!ms || !earlier || *ms <= *earlier || rounding == design::Rounding::kDown) return converted;
  if (rounding == design::Rounding::kNone) return Plain();
  return Checker::written_time(type, *earlier + time_step_ms(type));
}

bool has_times(const design::Design& design, const FieldType& type) {
  if (design::is_time(type)) return true;
  if (type.element) return has_times(design, *type.element);
  const design::NamedRecord* record = type.base == BaseType::kRecord ? design.type(type.record) : nullptr;
  return record != nullptr &&
         std::ranges::any_of(record->fields, [&](const design::Field& field) { return has_times(design, field.type); });
}

Plain with_time_forms(const design::Design& design, const FieldType& type, Plain value) {
  if (value.is(Kind::kText) || value.is(Kind::kNumber)) {
    value.set_time_form(time_form_of(type));
  } else if (type.element && (value.is(Kind::kList) || value.is(Kind::kSet))) {
    for (Plain& element : value.elements()) element = with_time_forms(design, *type.element, std::move(element));
  } else if (type.element && value.is(Kind::kMap)) {
    for (auto& member : value.members())
      member.second = with_time_forms(design, *type.element, std::move(member.second));
  } else if (const auto* record = type.base == BaseType::kRecord ? design.type(type.record) : nullptr;
             record != nullptr && value.is(Kind::kMap)) {
    for (auto& [name, member] : value.members()) {
      const auto field = std::ranges::find(record->fields, name, &design::Field::name);
      if (field != record->fields.end()) member = with_time_forms(design, field->type, std::move(member));
    }
  }
  return value;
}

const FieldType& epoch_seconds() {
  static const FieldType type{.base = BaseType::kEpoch};
  return type;
}

std::string key_text(const FieldType& type, const Plain& value) {
  switch (value.kind()) {
    case Kind::kNumber:
    case Kind::kText:
    case Kind::kBinary:
      return value.string();
    case Kind::kBool:
      return value.truth() ? "true" : "false";
    case Kind::kMoment: {
      const Plain result = Checker::written_time(type, value.integer());
      return result.string();
    }
    case Kind::kDuration:
      return std::to_string(value.integer());
    default:
      return {};
  }
}

Plain from_key_text(const FieldType& type, std::string_view text) {
  switch (design::stored_type(type)) {
    case ValueType::kNumber: {
      auto canonical = canonical_number(text);
      return canonical ? Plain::number(std::move(*canonical)) : Plain();
    }
    case ValueType::kBool:
      return Plain::boolean(text == "true");
    case ValueType::kBinary:
      return Plain::binary(std::string(text));
    default:
      return Plain::text(std::string(text));
  }
}

}  // namespace trestle::runtime
