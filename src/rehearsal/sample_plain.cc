#include "rehearsal/sample_plain.h"

#include <fmt/format.h>

#include <algorithm>

#include "design/sample/sample_value.h"
#include "model/number.h"

namespace trestle::rehearsal {

using design::BaseType;
using design::FieldType;
using runtime::Plain;

namespace {

constexpr int64_t kDaySeconds = 86'400;

// A text that differs for every index, within the type's characters and length.
std::string distinct_text(const SamplePlainRequest& request, std::string text) {
  const FieldType& type = *request.type;
  if (request.index < 4) return text;
  std::string number = std::to_string(request.index);
  const size_t most = type.max ? static_cast<size_t>(*type.max) : 200;
  if (number.size() >= most) return text;
  const std::string start = text.substr(0, most - number.size());
  const design::StringSet all = design::strings_of(type);
  if (all.contains(start + number)) return start + number;
  // If digits are not allowed, letters are used instead.
  for (char& digit : number) digit = static_cast<char>(digit - '0' + 'a');
  return all.contains(start + number) ? start + number : text;
}

std::string scalar_text(const SamplePlainRequest& request) {
  switch (request.type->base) {
    case BaseType::kEmail:
      return fmt::format("person{}@example.com", request.index);
    case BaseType::kDomain:
      return fmt::format("site{}.example", request.index);
    case BaseType::kText: {
      const size_t most = static_cast<size_t>(std::min<int64_t>(request.type->max.value_or(40), 40));
      const size_t least = static_cast<size_t>(std::clamp<int64_t>(request.type->min.value_or(0), 0, 400'000));
      std::string text = fmt::format("Text number {}.", request.index).substr(0, most);
      text.resize(std::max(text.size(), least), 'x');
      return text;
    }
    case BaseType::kBinary:
      return "AQIDBA==";
    default:
      break;
  }
  const int64_t later_s = request.type->base == BaseType::kUlid ? 0 : request.later_s;  // ids of different samples
                                                                                        // differ anyway
  const design::SampleRequest sample{.design = request.design,
                                     .entity = request.entity,
                                     .field = request.field,
                                     .type = request.type,
                                     .index = request.index,
                                     .at_s = design::kSampleNowSeconds + later_s};
  const std::string text = design::sample_value(sample);
  return request.type->base == BaseType::kString ? distinct_text(request, text) : text;
}

Plain record_of(const SamplePlainRequest& request) {
  Plain record = Plain::map();
  const design::NamedRecord* named = request.design->type(request.type->record);
  if (named == nullptr) return record;
  for (const design::Field& field : named->fields) {
    SamplePlainRequest inner = request;
    inner.field = field.name;
    inner.type = &field.type;
    record.set(field.name, sample_plain(inner));
  }
  return record;
}

Plain::List members_of(const SamplePlainRequest& request) {
  const FieldType& type = *request.type;
  const size_t least = static_cast<size_t>(std::max<int64_t>(type.min.value_or(0), 0));
  const size_t most = type.max ? static_cast<size_t>(*type.max) : request.members;
  const size_t count = std::max(least, std::min(most, request.members));
  // Members are distinct, also in lists: an operation may write an item for each. A list repeats members if there are
  // too few distinct ones.
  Plain::List out;
  for (size_t i = 0; i < 4 * request.members && out.size() < count; ++i) {
    SamplePlainRequest inner = request;
    inner.type = type.element.get();
    inner.index = request.index + i;
    inner.members = 2;
    inner.later_s = request.later_s + static_cast<int64_t>(i) * kDaySeconds;
    Plain member = sample_plain(inner);
    if (std::find(out.begin(), out.end(), member) == out.end()) out.push_back(std::move(member));
  }
  for (size_t i = 0; type.base != BaseType::kSet && !out.empty() && out.size() < count; ++i)
    out.push_back(Plain(out[i]));
  return out;
}

}  // namespace

Plain plain_of_text(const FieldType& type, const std::string& text) {
  if (type.base == BaseType::kBool) return Plain::boolean(text == "true");
  if (design::is_numeric(type)) {
    const auto number = canonical_number(text);
    return number ? Plain::number(*number) : Plain::text(text);
  }
  return Plain::text(text);
}

Plain sample_plain(const SamplePlainRequest& request) {
  const FieldType& type = *request.type;
  switch (type.base) {
    case BaseType::kSet:
    case BaseType::kList:
      return Plain::list(members_of(request));  // JSON has no sets: callers pass lists
    case BaseType::kMap: {
      Plain map = Plain::map();
      if (!type.element) {
        map.set("note", Plain::text("example"));
        return map;
      }
      size_t number = 0;
      for (Plain& member : members_of(request)) map.set(fmt::format("key{}", ++number), std::move(member));
      return map;
    }
    case BaseType::kRecord:
      return record_of(request);
    case BaseType::kAny: {
      Plain map = Plain::map();
      map.set("note", Plain::text(fmt::format("example {}", request.index)));
      map.set("amount", Plain::number(static_cast<int64_t>(request.index)));
      return map;
    }
    default:
      return plain_of_text(type, scalar_text(request));
  }
}

}  // namespace trestle::rehearsal
