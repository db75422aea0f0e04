#include "protocol/validation/constraints.h"

#include <algorithm>

#include "base/utf8.h"
#include "model/limits.h"
#include "model/table.h"

namespace trestle {
namespace {

constexpr size_t kViolationsMax = 10;
constexpr std::string_view kNamePattern = "[a-zA-Z0-9_.-]+";

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

bool matches_name_pattern(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_name_character);
}

}  // namespace

std::string member_at_least(int64_t min, std::string_view what) {
  return "Member must have " + std::string(what) + " greater than or equal to " + std::to_string(min);
}
std::string member_at_most(int64_t max, std::string_view what) {
  return "Member must have " + std::string(what) + " less than or equal to " + std::to_string(max);
}

std::string MemberPath::text() const {
  std::string path = parent != nullptr ? parent->text() : std::string();
  if (index > 0) path.append(".").append(std::to_string(index));
  if (!map_key.empty()) path.append(".").append(map_key);
  if (!path.empty()) path.append(".");
  return path.append(name);
}

std::string enum_value_set(std::span<const std::string_view> names) {
  std::string set = "[";
  for (std::string_view name : names) {
    if (set.size() > 1) set.append(", ");
    set.append(name);
  }
  return set.append("]");
}

void Constraints::length_at_least(std::optional<std::string_view> text, const MemberPath& member, size_t min) {
  if (!text || text->size() >= 4 * min || utf16_units(*text) >= min) return;
  violated(member, text, member_at_least(static_cast<int64_t>(min), "length"));
}

void Constraints::length_at_most(std::optional<std::string_view> text, const MemberPath& member, size_t max) {
  if (!text || text->size() <= max || utf16_units(*text) <= max) return;
  violated(member, text, member_at_most(static_cast<int64_t>(max), "length"));
}

void Constraints::value_at_least(std::optional<int64_t> value, const MemberPath& member, int64_t min) {
  if (value && *value < min) violated(member, std::to_string(*value), member_at_least(min, "value"));
}

void Constraints::value_at_most(std::optional<int64_t> value, const MemberPath& member, int64_t max) {
  if (value && *value > max) violated(member, std::to_string(*value), member_at_most(max, "value"));
}

void Constraints::name_pattern(std::optional<std::string_view> text, const MemberPath& member) {
  if (!text || matches_name_pattern(*text)) return;
  violated(member, text, "Member must satisfy regular expression pattern: " + std::string(kNamePattern));
}

void Constraints::table_name_or_arn(std::optional<std::string_view> text, const MemberPath& member) {
  if (!text || table_name_of(*text)) [[likely]]
    return;
  length_at_least(text, member, 1);
  if (!text->empty()) name_pattern(text, member);
  length_at_most(text, member, kNameLengthMax);
}

void Constraints::index_name(std::optional<std::string_view> text, const MemberPath& member) {
  name_pattern(text, member);
  length_at_least(text, member, kNameLengthMin);
  length_at_most(text, member, kNameLengthMax);
}

void Constraints::not_one_of(std::string_view text, const MemberPath& member, std::span<const std::string_view> names) {
  violated(member, text, "Member must satisfy enum value set: " + enum_value_set(names));
}

void Constraints::violated(const MemberPath& member, std::optional<std::string_view> value,
                           std::string_view constraint) {
  std::string message = "Value ";
  if (value) {
    message.append("'").append(*value).append("'");
  } else {
    message.append("null");
  }
  message.append(" at '").append(member.text()).append("' failed to satisfy constraint: ").append(constraint);
  violated_as(std::move(message));
}

void Constraints::violated_as(std::string message) {
  if (violations_.size() < kViolationsMax) violations_.push_back(std::move(message));
}

Result<void> Constraints::refuse() const {
  std::string message = std::to_string(violations_.size());
  message.append(violations_.size() == 1 ? " validation error detected: " : " validation errors detected: ");
  for (size_t i = 0; i < violations_.size(); ++i) {
    if (i > 0) message.append("; ");
    message.append(violations_[i]);
  }
  return invalid(std::move(message));
}

}  // namespace trestle
