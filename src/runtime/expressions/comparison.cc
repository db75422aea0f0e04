#include "runtime/expressions/comparison.h"

#include "model/number.h"
#include "runtime/expressions/arithmetic.h"
#include "runtime/values/moment.h"

namespace trestle::runtime {
namespace {

using Kind = Plain::Kind;

bool looks_like_time(const std::string& text) {
  return text.size() >= 17 && text.size() <= 40 && text[4] == '-' && (text[10] == 'T' || text[10] == 't');
}

bool is_container(const Plain& value) { return value.is(Kind::kList) || value.is(Kind::kMap) || value.is(Kind::kSet); }

}  // namespace

std::optional<int64_t> time_of(const Plain& value) {
  switch (value.kind()) {
    case Kind::kMoment:
      return value.integer();
    case Kind::kText: {
      const auto time = parse_any_time(value.string());
      // Another program may have stored a time without an offset. It counts as UTC, like all times.
      return time || !looks_like_time(value.string()) ? time : parse_time(value.string() + "Z");
    }
    case Kind::kNumber: {
      if (value.time_form() == Plain::TimeForm::kNone) return time_of_number(value.string());
      const auto number = integer_of(value.string());
      if (!number || *number > kTimeMaxMs || *number < kTimeMinMs) return std::nullopt;
      return value.time_form() == Plain::TimeForm::kSeconds ? *number * 1000 : *number;
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::strong_ordering> compare_values(const Plain& a, const Plain& b) {
  if (!a.exists() || !b.exists()) return std::nullopt;
  if (a.kind() == b.kind()) {
    switch (a.kind()) {
      case Kind::kNumber:
        return compare_numbers(a.string(), b.string());
      case Kind::kText:
      case Kind::kBinary:
        return a.string() <=> b.string();
      case Kind::kMoment:
      case Kind::kDuration:
        return a.integer() <=> b.integer();
      case Kind::kBool:
        return a.truth() <=> b.truth();
      default:
        return std::nullopt;
    }
  }
  if (a.is(Kind::kDuration) && b.is(Kind::kNumber)) return compare_numbers(std::to_string(a.integer()), b.string());
  if (a.is(Kind::kNumber) && b.is(Kind::kDuration)) return compare_numbers(a.string(), std::to_string(b.integer()));
  return std::nullopt;
}

std::optional<std::strong_ordering> compare(const Plain& a, const Plain& b) {
  if (a.is_time() || b.is_time()) {
    const auto left = time_of(a), right = time_of(b);
    if (left && right) return *left <=> *right;
  }
  return compare_values(a, b);
}

bool equal(const Plain& a, const Plain& b) {
  if (!a.exists() || !b.exists()) return false;
  if (!is_container(a) || !is_container(b)) {
    const auto order = compare(a, b);
    return order && *order == std::strong_ordering::equal;
  }
  if (a.is(Kind::kMap) != b.is(Kind::kMap)) return false;
  if (a.is(Kind::kMap)) {
    if (a.members().size() != b.members().size()) return false;
    for (const auto& [name, value] : a.members()) {
      const Plain& other = b.member(name);
      if (!(value.is(Kind::kNull) && other.is(Kind::kNull)) && !equal(value, other)) return false;
    }
    return true;
  }
  if (a.kind() != b.kind() || a.elements().size() != b.elements().size()) return false;
  for (size_t i = 0; i < a.elements().size(); ++i) {
    const Plain& left = a.elements()[i];
    const Plain& right = b.elements()[i];
    if (!(left.is(Kind::kNull) && right.is(Kind::kNull)) && !equal(left, right)) return false;
  }
  return true;
}

}  // namespace trestle::runtime
