// Functions of values: ids, digests, times, text, choices.
#include <fmt/format.h>

#include <cstdlib>
#include <unordered_map>

#include "base/ascii.h"
#include "base/random_id.h"
#include "base/sha256.h"
#include "model/number.h"
#include "runtime/expressions/arithmetic.h"
#include "runtime/expressions/comparison.h"
#include "runtime/expressions/functions.h"
#include "runtime/values/moment.h"
#include "runtime/values/packing.h"
#include "runtime/values/plain_json.h"
#include "runtime/values/text_types.h"
#include "runtime/values/ulid.h"
#include "runtime/values/versions.h"

namespace trestle::runtime {

std::optional<std::string> text_of(const Plain& value) {
  switch (value.kind()) {
    case PlainKind::kText:
    case PlainKind::kNumber:
      return value.string();
    case PlainKind::kMoment:
      return time_text(value.integer(), value.integer() % 1000 == 0 ? 1000 : 1);
    case PlainKind::kDuration:
      return std::to_string(value.integer());
    case PlainKind::kBool:
      return value.truth() ? "true" : "false";
    default:
      return std::nullopt;
  }
}

namespace {

constexpr size_t kPackingRememberedMax = 1 << 20;

Outcome<Operand> truth(bool value) { return Operand(Plain::boolean(value)); }
Outcome<Operand> text(std::string value) { return Operand(Plain::text(std::move(value))); }

Outcome<int64_t> time_argument(std::string_view function, const Plain& value) {
  const auto time = time_of(value);
  if (!time) return refuse(400, fmt::format("{}() requires a time.", function));
  return *time;
}

// Whether the expression is a claim of the caller.
bool is_claim(const design::Expression& e) {
  return e.is_name("caller") || (e.is(ExpressionKind::kMember) && is_claim(e.arguments[0]));
}

// A claim with several values may be text with several words. Only a whole word is a value.
bool has_word(std::string_view text, std::string_view word) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(" ,", at), text.size());
    if (text.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

// The nearest whole number above or below `value`; absent if it is not a number.
Outcome<Operand> whole(const Plain& value, bool above) {
  if (!value.is(PlainKind::kNumber)) return Operand();
  Number number = number_of(value.string());
  const bool fraction = number.count > number.exponent + 1;
  if (!fraction) return Operand(value);
  const int digits = std::max(0, number.exponent + 1);  // of the integer part
  number.count = digits;
  while (number.count > 0 && number.digits[static_cast<size_t>(number.count - 1)] == 0) --number.count;
  const bool outwards = number.negative != above;
  if (number.count == 0) number = Number{};
  if (!outwards) return Operand(Plain::number(number.text()));
  const auto next = above ? add(number, number_of("1")) : subtract(number, number_of("1"));
  if (!next) return refuse(400, next.error().message);
  return Operand(Plain::number(next->text()));
}
Outcome<Operand> floor_of(const Arguments& arguments) { return whole(*arguments[0], false); }
Outcome<Operand> ceil_of(const Arguments& arguments) { return whole(*arguments[0], true); }

// ---- DynamoDB's functions

Outcome<Operand> exists(const Arguments& arguments) { return truth(arguments[0]->exists()); }
Outcome<Operand> not_exists(const Arguments& arguments) { return truth(!arguments[0]->exists()); }

Outcome<Operand> begins_with(const Arguments& arguments) {
  const auto whole = text_of(*arguments[0]), start = text_of(*arguments[1]);
  return truth(whole && start && whole->starts_with(*start));
}

Outcome<Operand> contains(const Arguments& arguments) {
  const Plain& whole = *arguments[0];
  const Plain& part = *arguments[1];
  if (const auto text = text_of(part); whole.is(PlainKind::kText) && text) {
    if (is_claim(arguments.expression(0))) return truth(has_word(whole.string(), *text));
    return truth(whole.string().find(*text) != std::string::npos);
  }
  if (!whole.is(PlainKind::kList) && !whole.is(PlainKind::kSet)) return truth(false);
  for (const Plain& element : whole.elements()) {
    if (equal_operands(arguments.expression(0), element, arguments.expression(1), part)) return truth(true);
  }
  return truth(false);
}

// An attribute that is absent, a number or a bool has no size. A time is text, except for Unix time.
bool has_size(const Plain& value) {
  return value.exists() && !value.is(PlainKind::kNumber) && !value.is(PlainKind::kBool);
}

// The size as DynamoDB counts it: for text, the number of UTF-16 units.
Outcome<Operand> size(const Arguments& arguments) {
  const Plain& value = *arguments[0];
  size_t count = 0;
  if (is_attribute(arguments.expression(0)) && !has_size(value)) return Operand();
  if (value.is(PlainKind::kText)) {
    for (const char c : value.string()) {
      const auto byte = static_cast<unsigned char>(c);
      count += (byte & 0xC0) != 0x80 ? 1 : 0;
      count += byte >= 0xF0 ? 1 : 0;
    }
  } else if (value.is(PlainKind::kBinary)) {
    count = value.string().size();
  } else {
    count = count_of(value);
  }
  return Operand(Plain::number(static_cast<int64_t>(count)));
}

// size() of an attribute that the planner has renamed.
Outcome<Operand> attribute_size(const Arguments& arguments) {
  return has_size(*arguments[0]) ? size(arguments) : Operand();
}

Outcome<Operand> attribute_type(const Arguments& arguments) {
  const Plain& value = *arguments[0];
  const auto wanted = text_of(*arguments[1]);
  const auto name = [&]() -> std::string_view {
    switch (value.kind()) {
      case PlainKind::kText:
      case PlainKind::kMoment:
        return "S";
      case PlainKind::kNumber:
      case PlainKind::kDuration:
        return "N";
      case PlainKind::kBinary:
        return "B";
      case PlainKind::kBool:
        return "BOOL";
      case PlainKind::kNull:
        return "NULL";
      case PlainKind::kList:
        return "L";
      case PlainKind::kMap:
        return "M";
      case PlainKind::kSet:
        if (value.elements().empty() || value.elements()[0].is(PlainKind::kText)) return "SS";
        return value.elements()[0].is(PlainKind::kNumber) ? "NS" : "BS";
      default:
        return "";
    }
  }();
  return truth(wanted && !name.empty() && *wanted == name);
}

// ---- Ids and digests

Outcome<Operand> ulid(const Arguments& arguments) { return text(make_ulid(arguments.scope().now_ms)); }

Outcome<Operand> uuid(const Arguments&) { return text(random_uuid()); }

Outcome<Operand> token(const Arguments& arguments) {
  int64_t bytes = 32;
  if (arguments.size() > 0 && arguments[0]->is(PlainKind::kNumber))
    bytes = integer_of(arguments[0]->string()).value_or(0);
  if (bytes < 1 || bytes > 1024) return refuse(400, "token() generates 1 to 1024 bytes.");
  return text(make_token(static_cast<size_t>(bytes)));
}

Outcome<Operand> digest(const Arguments& arguments) {
  // Null stays null: removing a secret also removes its digest.
  if (!arguments[0]->exists()) return Operand(*arguments[0]);
  std::string out;
  if (arguments[0]->is(PlainKind::kBinary)) {
    append_hex(out, sha256(arguments[0]->string()));
    return text(std::move(out));
  }
  const auto whole = text_of(*arguments[0]);
  if (!whole) return refuse(400, "sha256() requires text.");
  append_hex(out, sha256(*whole));
  return text(std::move(out));
}

// hmac_sha256(key, text), in hexadecimal digits.
Outcome<Operand> keyed_digest(const Arguments& arguments) {
  if (!arguments[0]->exists() || !arguments[1]->exists()) return Operand();
  const auto key = text_of(*arguments[0]), whole = text_of(*arguments[1]);
  if (!key || !whole) return refuse(400, "hmac_sha256() requires a key and a text.");
  std::string out;
  append_hex(out, hmac_sha256(*key, *whole));
  return text(std::move(out));
}

// Whether two texts are equal, compared in a time that does not reveal where they differ.
Outcome<Operand> same_text(const Arguments& arguments) {
  const auto a = text_of(*arguments[0]), b = text_of(*arguments[1]);
  if (!a || !b || a->size() != b->size()) return truth(false);
  unsigned difference = 0;
  for (size_t i = 0; i < a->size(); ++i)
    difference |= static_cast<unsigned>(static_cast<unsigned char>((*a)[i]) ^ static_cast<unsigned char>((*b)[i]));
  return truth(difference == 0);
}

Outcome<Operand> time_of_ulid(const Arguments& arguments) {
  if (!arguments[0]->exists()) return Operand();
  const auto time = arguments[0]->is(PlainKind::kText) ? ulid_time(arguments[0]->string()) : std::nullopt;
  if (!time || *time > kTimeMaxMs) return refuse(400, "ulid_time() requires a ULID.");
  return Operand(Plain::moment(*time));
}

// ---- Times

Outcome<Operand> date(const Arguments& arguments) {
  if (!arguments[0]->exists()) return Operand();
  TRY_INTO(const int64_t time, time_argument("date", *arguments[0]));
  return text(date_text(time));
}
Outcome<Operand> hour(const Arguments& arguments) {
  if (!arguments[0]->exists()) return Operand();
  TRY_INTO(const int64_t time, time_argument("hour", *arguments[0]));
  return text(hour_text(time));
}
// "08": two digits, so that hours used as member names of a map sort correctly.
Outcome<Operand> hour_of_day(const Arguments& arguments) {
  if (!arguments[0]->exists()) return Operand();
  TRY_INTO(const int64_t time, time_argument("hour_of_day", *arguments[0]));
  return text(hour_text(time).substr(11));
}
// epoch(t), epoch(t, 'ms'), epoch(t, 1m).
Outcome<Operand> epoch(const Arguments& arguments) {
  if (!arguments[0]->exists()) return Operand();
  TRY_INTO(const int64_t time, time_argument("epoch", *arguments[0]));
  if (arguments.size() < 2) return Operand(Plain::number(floor_div(time, 1000)));
  if (arguments[1]->is(PlainKind::kText) && arguments[1]->string() == "ms") return Operand(Plain::number(time));
  if (!arguments[1]->is(PlainKind::kDuration) || arguments[1]->integer() < 1)
    return refuse(400, "epoch() requires a duration or 'ms' after the time.");
  return Operand(Plain::number(floor_to(floor_div(time, 1000), arguments[1]->integer())));
}
Outcome<Operand> date_range(const Arguments& arguments) {
  if (!arguments[0]->exists() || !arguments[1]->exists()) return Operand();
  TRY_INTO(const int64_t from, time_argument("date_range", *arguments[0]));
  TRY_INTO(const int64_t to, time_argument("date_range", *arguments[1]));
  constexpr int64_t kDaysMax = 3660;
  if (to - from > kDaysMax * kDayMs) return refuse(400, "date_range() returns at most 3660 days.");
  Plain::List days;
  for (int64_t day = floor_to(from, kDayMs); day <= to; day += kDayMs) days.push_back(Plain::text(date_text(day)));
  return Operand(Plain::list(std::move(days)));
}

// ---- Text

Outcome<Operand> concat(const Arguments& arguments) {
  std::string out;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i]->exists()) return Operand();
    const auto part = text_of(*arguments[i]);
    if (!part) return refuse(400, "concat() requires texts, numbers and times.");
    out += *part;
  }
  return text(std::move(out));
}
Outcome<Operand> lower_case(const Arguments& arguments) {
  const auto whole = text_of(*arguments[0]);
  if (!whole) return Operand();
  return text(lower(*whole));
}
// compare_versions(a, b): -1, 0 or 1, by semantic versioning.
Outcome<Operand> versions_order(const Arguments& arguments) {
  const auto a = text_of(*arguments[0]), b = text_of(*arguments[1]);
  if (!a || !b) return Operand();
  return Operand(Plain::number(static_cast<int64_t>(compare_versions(*a, *b))));
}
std::optional<std::string> date_of_text(std::string_view text) {
  return parse_date(text) ? std::optional(std::string(text)) : std::nullopt;
}
// is_a(x, 'domain'): whether a text has the format of the named type.
Outcome<Operand> is_a(const Arguments& arguments) {
  using Fold = std::optional<std::string> (*)(std::string_view);
  static const std::unordered_map<std::string_view, Fold> kinds = {
      {"email", email_text}, {"domain", domain_text}, {"pattern_domain", pattern_domain_text},
      {"url", url_text},     {"e164", e164_text},     {"ip", ip_text},
      {"cidr", cidr_text},   {"uuid", uuid_text},     {"date", date_of_text}};
  const auto name = text_of(*arguments[1]);
  const auto kind = name ? kinds.find(*name) : kinds.end();
  if (kind == kinds.end()) return refuse(500, "The design's is_a() does not name a known type.");
  return truth(arguments[0]->is(PlainKind::kText) && kind->second(arguments[0]->string()).has_value());
}
Outcome<Operand> as_text(const Arguments& arguments) {
  auto whole = text_of(*arguments[0]);
  if (!whole) return Operand();
  return text(std::move(*whole));
}

// ---- Packing

// packing(value, over_bytes, saves, 'original_size'): a figure about storing a packed field. A call uses several
// figures of the same value, so those of the last value are cached.
Outcome<Operand> packing_figure(const Arguments& arguments) {
  struct Remembered {
    std::string bytes, thresholds;
    Packing packing;
  };
  thread_local Remembered last;
  const auto over = text_of(*arguments[1]), saves = text_of(*arguments[2]), figure = text_of(*arguments[3]);
  if (!arguments[0]->exists() || !over || !saves || !figure) return Operand();
  std::string bytes = arguments[0]->is(PlainKind::kText) || arguments[0]->is(PlainKind::kBinary)
                          ? arguments[0]->string()
                          : plain_json(*arguments[0]);
  const std::string thresholds = *over + " " + *saves;
  if (last.bytes != bytes || last.thresholds != thresholds || bytes.empty()) {
    last.packing = packing_of(bytes, std::atoll(over->c_str()), std::strtod(saves->c_str(), nullptr));
    last.bytes = bytes.size() <= kPackingRememberedMax ? std::move(bytes) : std::string();
    last.thresholds = thresholds;
  }
  const Packing& is = last.packing;
  if (*figure == "compressed") return truth(is.packed);
  if (*figure == "original_size") return Operand(Plain::number(static_cast<int64_t>(is.original_size)));
  if (*figure == "storage_size") return Operand(Plain::number(static_cast<int64_t>(is.storage_size)));
  if (!is.packed) return Operand();
  if (*figure == "compression_algorithm") return text("gzip");
  const auto ratio = canonical_number(
      fmt::format("{:.4f}", static_cast<double>(is.storage_size) / static_cast<double>(is.original_size)));
  return Operand(Plain::number(ratio.value_or("1")));
}

// ---- Choices: only the chosen argument is evaluated.

Outcome<Operand> coalesce(const design::Expression& call, const Scope& scope) {
  for (const design::Expression& argument : call.arguments) {
    TRY_INTO(Operand value, operand_of(argument, scope));
    if (value->exists()) return value;
  }
  return Operand();
}
// choose(x, 'a', 1, 'b', 2, otherwise)
Outcome<Operand> choose(const design::Expression& call, const Scope& scope) {
  if (call.arguments.empty()) return Operand();
  TRY_INTO(const Operand value, operand_of(call.arguments[0], scope));
  size_t i = 1;
  for (; i + 1 < call.arguments.size(); i += 2) {
    TRY_INTO(const Operand operand, operand_of(call.arguments[i], scope));
    if (equal(*value, *operand)) return operand_of(call.arguments[i + 1], scope);
  }
  return i < call.arguments.size() ? operand_of(call.arguments[i], scope) : Outcome<Operand>(Operand());
}
Outcome<Operand> conditional(const design::Expression& call, const Scope& scope) {
  if (call.arguments.size() < 2) return Operand();
  TRY_INTO(const bool first, holds(call.arguments[0], scope));
  if (first) return operand_of(call.arguments[1], scope);
  return call.arguments.size() > 2 ? operand_of(call.arguments[2], scope) : Outcome<Operand>(Operand());
}
// The first argument if it is present, even as null.
Outcome<Operand> input_or(const design::Expression& call, const Scope& scope) {
  if (call.arguments.size() < 2) return Operand();
  TRY_INTO(Operand first, operand_of(call.arguments[0], scope));
  if (!first->is_absent()) return first;
  return operand_of(call.arguments[1], scope);
}
// The second argument if the first, an input, is present, even as null; else the third.
Outcome<Operand> if_input(const design::Expression& call, const Scope& scope) {
  if (call.arguments.size() < 3) return Operand();
  TRY_INTO(const Operand input, operand_of(call.arguments[0], scope));
  return operand_of(call.arguments[input->is_absent() ? 2 : 1], scope);
}

}  // namespace

size_t count_of(const Plain& value) {
  if (value.is(PlainKind::kMap)) return value.members().size();
  if (value.is(PlainKind::kList) || value.is(PlainKind::kSet)) return value.elements().size();
  return 0;
}

Outcome<Operand> call_function(const design::Expression& call, const Scope& scope) {
  using Lazy = Outcome<Operand> (*)(const design::Expression&, const Scope&);
  static const std::unordered_map<std::string_view, Lazy> lazy = {
      {"coalesce", coalesce}, {"choose", choose}, {"if", conditional}, {"input_or", input_or}, {"if_input", if_input}};
  static const auto functions = [] {
    std::unordered_map<std::string_view, Function> all = {
        {"exists", {exists, 1}},
        {"attribute_exists", {exists, 1}},
        {"attribute_not_exists", {not_exists, 1}},
        {"attribute_type", {attribute_type, 2}},
        {"begins_with", {begins_with, 2}},
        {"contains", {contains, 2}},
        {"size", {size, 1}},
        {"attribute_size", {attribute_size, 1}},
        {"ulid", {ulid, 0}},
        {"uuid", {uuid, 0}},
        {"token", {token, 0}},
        {"sha256", {digest, 1}},
        {"hmac_sha256", {keyed_digest, 2}},
        {"same_text", {same_text, 2}},
        {"compare_versions", {versions_order, 2}},
        {"is_a", {is_a, 2}},
        {"packing", {packing_figure, 4}},
        {"ulid_time", {time_of_ulid, 1}},
        {"date", {date, 1}},
        {"hour", {hour, 1}},
        {"hour_of_day", {hour_of_day, 1}},
        {"epoch", {epoch, 1}},
        {"date_range", {date_range, 2}},
        {"floor", {floor_of, 1}},
        {"ceil", {ceil_of, 1}},
        {"concat", {concat, 0}},
        {"lower", {lower_case, 1}},
        {"text", {as_text, 1}},
    };
    for (const auto& [name, function] : collection_functions()) all.emplace(name, function);
    return all;
  }();
  if (const auto found = lazy.find(call.text); found != lazy.end()) return found->second(call, scope);
  const auto found = functions.find(call.text);
  if (found == functions.end()) return refuse(500, fmt::format("The design's function {}() is unknown.", call.text));
  if (call.arguments.size() < found->second.least)
    return refuse(500, fmt::format("The design's {}() requires {} arguments.", call.text, found->second.least));
  std::vector<Operand> values;
  values.reserve(call.arguments.size());
  for (const design::Expression& argument : call.arguments) {
    TRY_INTO(Operand value, operand_of(argument, scope));
    values.push_back(std::move(value));
  }
  return found->second.call(Arguments(call, scope, values));
}

}  // namespace trestle::runtime
