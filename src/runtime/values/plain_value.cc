#include "runtime/values/plain_value.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "model/number.h"
#include "runtime/values/moment.h"

namespace trestle::runtime {
namespace {

using Kind = Plain::Kind;

// Appends the members of a set as a DynamoDB set.
Outcome<void> append_members(std::string& out, const Plain& plain, ValueType stored) {
  const auto& elements = plain.elements();
  ValueType type = stored;
  if (!is_set(type)) {
    type = elements.empty() || elements[0].is(Kind::kText) ? ValueType::kStringSet
           : elements[0].is(Kind::kNumber)                 ? ValueType::kNumberSet
                                                           : ValueType::kBinarySet;
  }
  std::vector<std::string_view> members;
  members.reserve(elements.size());
  for (const Plain& element : elements) {
    const bool fits = type == ValueType::kBinarySet   ? element.is(Kind::kBinary)
                      : type == ValueType::kNumberSet ? element.is(Kind::kNumber)
                                                      : element.is(Kind::kText) || element.is(Kind::kNumber);
    if (!fits) return refuse(400, "The members of a set must be of one kind.");
    members.push_back(element.string());
  }
  if (members.empty()) return refuse(400, "A set must have at least one member.");
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  append_set(out, type, std::move(members));
  return {};
}

// `stored` decides how an ambiguous value is stored. Within a list or map it is kNull, so that the value's kind
// decides.
Outcome<void> append_value(std::string& out, const Plain& plain, ValueType stored) {
  switch (plain.kind()) {
    case Kind::kAbsent:
    case Kind::kNull:
      append_null(out);
      return {};
    case Kind::kBool:
      append_bool(out, plain.truth());
      return {};
    case Kind::kNumber: {
      if (stored == ValueType::kString) {
        append_string(out, plain.string());
        return {};
      }
      const auto number = canonical_number(plain.string());
      if (!number) return refuse(400, "A number is beyond 38 digits or out of range.");
      append_number(out, *number);
      return {};
    }
    case Kind::kText:
      if (stored == ValueType::kNumber) {
        const auto number = canonical_number(plain.string());
        if (!number) return refuse(400, fmt::format("`{}` is not a number.", valid_utf8(plain.string(), 60)));
        append_number(out, *number);
      } else if (stored == ValueType::kBinary) {
        append_binary(out, plain.string());
      } else {
        append_string(out, plain.string());
      }
      return {};
    case Kind::kBinary:
      append_binary(out, plain.string());
      return {};
    case Kind::kMoment:
      if (stored == ValueType::kNumber)
        append_number(out, std::to_string(floor_div(plain.integer(), 1000)));
      else
        append_string(out, time_text(plain.integer(), plain.integer() % 1000 == 0 ? 1000 : 1));
      return {};
    case Kind::kDuration:
      append_number(out, std::to_string(plain.integer()));
      return {};
    case Kind::kSet:
      if (stored != ValueType::kList) return append_members(out, plain, stored);
      [[fallthrough]];
    case Kind::kList: {
      if (is_set(stored)) return append_members(out, plain, stored);
      const size_t start = begin_list(out, plain.elements().size());
      for (const Plain& element : plain.elements()) TRY(append_value(out, element, ValueType::kNull));
      end_container(out, start);
      return {};
    }
    case Kind::kMap: {
      std::vector<const std::pair<std::string, Plain>*> members;
      members.reserve(plain.members().size());
      for (const auto& member : plain.members()) {
        if (!member.second.is_absent()) members.push_back(&member);
      }
      std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
      const size_t start = begin_map(out, members.size());
      for (const auto* member : members) {
        append_sized(out, member->first);
        TRY(append_value(out, member->second, ValueType::kNull));
      }
      end_container(out, start);
      return {};
    }
  }
  return {};
}

}  // namespace

ValueType natural_type(const Plain& value, ValueType otherwise) {
  switch (value.kind()) {
    case Plain::Kind::kNumber:
    case Plain::Kind::kDuration:
      return ValueType::kNumber;
    case Plain::Kind::kText:
    case Plain::Kind::kMoment:
      return ValueType::kString;
    case Plain::Kind::kBool:
      return ValueType::kBool;
    case Plain::Kind::kBinary:
      return ValueType::kBinary;
    case Plain::Kind::kList:
      return ValueType::kList;
    case Plain::Kind::kMap:
      return ValueType::kMap;
    default:
      return otherwise;
  }
}

Outcome<Value> to_value(const Plain& plain, ValueType stored) {
  std::string out;
  TRY(append_value(out, plain, stored));
  return Value(std::move(out));
}

Plain to_plain(ValueView value) {
  switch (value.type()) {
    case ValueType::kNull:
      return Plain::null();
    case ValueType::kBool:
      return Plain::boolean(value.boolean());
    case ValueType::kString:
      return Plain::text(std::string(value.scalar()));
    case ValueType::kNumber:
      return Plain::number(std::string(value.scalar()));
    case ValueType::kBinary:
      return Plain::binary(std::string(value.scalar()));
    case ValueType::kStringSet:
    case ValueType::kNumberSet:
    case ValueType::kBinarySet: {
      Plain::List members;
      for (const std::string_view member : value.set()) {
        std::string text(member);
        members.push_back(value.type() == ValueType::kStringSet   ? Plain::text(std::move(text))
                          : value.type() == ValueType::kNumberSet ? Plain::number(std::move(text))
                                                                  : Plain::binary(std::move(text)));
      }
      return Plain::set(std::move(members));
    }
    case ValueType::kList: {
      Plain::List elements;
      elements.reserve(value.list().size());
      for (const ValueView element : value.list()) elements.push_back(to_plain(element));
      return Plain::list(std::move(elements));
    }
    case ValueType::kMap: {
      Plain::Map members;
      members.reserve(value.map().size());
      for (const Field& field : value.map()) members.emplace_back(std::string(field.name), to_plain(field.value));
      return Plain::map(std::move(members));
    }
  }
  return Plain();
}

}  // namespace trestle::runtime
