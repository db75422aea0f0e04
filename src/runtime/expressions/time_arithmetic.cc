// `+ - * /` on numbers, times and durations.
//
//   number op number                exact; products and quotients to 38 digits
//   time +- duration                a time; ISO text and Unix numbers count as times
//   time - time                     a duration
//   duration +- duration, duration * number, duration / number, duration / duration
#include <fmt/format.h>

#include "runtime/expressions/arithmetic.h"
#include "runtime/expressions/comparison.h"
#include "runtime/expressions/operand.h"
#include "runtime/values/moment.h"

namespace trestle::runtime {
namespace {

std::unexpected<Refused> cannot(ExpressionKind kind, const Plain& a, const Plain& b) {
  const char* verb = kind == ExpressionKind::kAdd        ? "added to"
                     : kind == ExpressionKind::kSubtract ? "subtracted from"
                     : kind == ExpressionKind::kMultiply ? "multiplied by"
                                                         : "divided into";
  const auto name = [](const Plain& value) -> std::string {
    const auto text = text_of(value);
    return text ? fmt::format("`{}`", text->substr(0, 40)) : "a list, map or truth value";
  };
  return refuse(400, fmt::format("{} cannot be {} {}.", name(b), verb, name(a)));
}

Outcome<Plain> numbers(ExpressionKind kind, const Plain& a, const Plain& b) {
  const Number left = number_of(a.string()), right = number_of(b.string());
  auto result = kind == ExpressionKind::kAdd        ? add(left, right)
                : kind == ExpressionKind::kSubtract ? subtract(left, right)
                : kind == ExpressionKind::kMultiply ? multiply(left, right)
                                                    : divide(left, right);
  if (!result) return refuse(400, "The result of a calculation is out of range, or divided by zero.");
  return Plain::number(result->text());
}

Outcome<Plain> time_in_range(int64_t ms) {
  if (ms < kTimeMinMs || ms > kTimeMaxMs) return refuse(400, "A time is out of range: the years 0000 to 9999.");
  return Plain::moment(ms);
}

// Ten thousand years. The sum of two such durations does not overflow.
constexpr int64_t kDurationMax = 316'000'000'000;

Outcome<Plain> duration_in_range(int64_t seconds) {
  if (seconds > kDurationMax || seconds < -kDurationMax) return refuse(400, "A duration is out of range.");
  return Plain::duration(seconds);
}

Outcome<Plain> scaled(ExpressionKind kind, const Plain& duration, const Plain& number) {
  TRY_INTO(const Plain result, numbers(kind, Plain::number(duration.integer()), number));
  const auto seconds = integer_of(result.string());
  if (!seconds) return refuse(400, "A duration is out of range.");
  return duration_in_range(*seconds);
}

}  // namespace

Outcome<Plain> apply_operator(ExpressionKind kind, const Plain& a, const Plain& b) {
  if (!a.exists() || !b.exists()) return Plain();
  const bool a_duration = a.is(PlainKind::kDuration), b_duration = b.is(PlainKind::kDuration);
  if (a.is(PlainKind::kNumber) && b.is(PlainKind::kNumber)) return numbers(kind, a, b);
  const bool sum = kind == ExpressionKind::kAdd || kind == ExpressionKind::kSubtract;
  if (a_duration && b_duration) {
    if (kind == ExpressionKind::kAdd) return duration_in_range(a.integer() + b.integer());
    if (kind == ExpressionKind::kSubtract) return duration_in_range(a.integer() - b.integer());
    if (kind == ExpressionKind::kDivide) return numbers(kind, Plain::number(a.integer()), Plain::number(b.integer()));
    return cannot(kind, a, b);
  }
  if (!sum) {
    if (a_duration && b.is(PlainKind::kNumber)) return scaled(kind, a, b);
    if (b_duration && a.is(PlainKind::kNumber) && kind == ExpressionKind::kMultiply) return scaled(kind, b, a);
    return cannot(kind, a, b);
  }
  if (b_duration || (a_duration && kind == ExpressionKind::kAdd)) {
    const auto time = time_of(b_duration ? a : b);
    if (!time) return cannot(kind, a, b);
    const int64_t ms = (b_duration ? b : a).integer() * 1000;
    return time_in_range(kind == ExpressionKind::kAdd ? *time + ms : *time - ms);
  }
  if (kind == ExpressionKind::kSubtract && !a_duration) {
    const auto left = time_of(a), right = time_of(b);
    if (left && right) return duration_in_range(floor_div(*left - *right, 1000));
  }
  return cannot(kind, a, b);
}

}  // namespace trestle::runtime
