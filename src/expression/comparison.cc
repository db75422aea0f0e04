#include "expression/comparison.h"

#include <algorithm>

namespace trestle {
namespace {

bool both_text(ValueView a, ValueView b) {
  return a.type() == b.type() && (a.type() == ValueType::kString || a.type() == ValueType::kBinary);
}

bool set_contains(ValueView set, ValueView member, ValueType member_type) {
  return member.type() == member_type && set.set().contains(member.scalar());
}

}  // namespace

bool begins_with(ValueView value, ValueView prefix) {
  return both_text(value, prefix) && value.scalar().starts_with(prefix.scalar());
}

bool contains(ValueView container, ValueView member) {
  switch (container.type()) {
    case ValueType::kString:
    case ValueType::kBinary:
      return both_text(container, member) && container.scalar().find(member.scalar()) != std::string_view::npos;
    case ValueType::kStringSet:
      return set_contains(container, member, ValueType::kString);
    case ValueType::kNumberSet:
      return set_contains(container, member, ValueType::kNumber);
    case ValueType::kBinarySet:
      return set_contains(container, member, ValueType::kBinary);
    case ValueType::kList: {
      for (ValueView element : container.list()) {
        if (element == member) return true;
      }
      return false;
    }
    default:
      return false;
  }
}

bool is_between(ValueView value, ValueView lower, ValueView upper) {
  const auto from = compare(value, lower);
  const auto to = compare(value, upper);
  return from && to && *from >= 0 && *to <= 0;
}

}  // namespace trestle
