#include "runtime/values/plain.h"

#include <algorithm>

#include "model/number.h"

namespace trestle::runtime {
namespace {

// The order of a set's members: numbers by value, all others by bytes.
bool precedes(const Plain& a, const Plain& b) {
  if (a.kind() != b.kind()) return a.kind() < b.kind();
  if (a.is(Plain::Kind::kNumber)) return compare_numbers(a.string(), b.string()) < 0;
  if (a.is(Plain::Kind::kText) || a.is(Plain::Kind::kBinary)) return a.string() < b.string();
  return false;
}

}  // namespace

Plain Plain::null() { return {Kind::kNull, std::monostate()}; }
Plain Plain::boolean(bool value) { return {Kind::kBool, value}; }
Plain Plain::number(int64_t value) { return number(std::to_string(value)); }
Plain Plain::number(std::string canonical) { return {Kind::kNumber, std::move(canonical)}; }
Plain Plain::text(std::string value) { return {Kind::kText, std::move(value)}; }
Plain Plain::binary(std::string bytes) { return {Kind::kBinary, std::move(bytes)}; }
Plain Plain::list(List values) { return {Kind::kList, std::move(values)}; }
Plain Plain::map(Map members) { return {Kind::kMap, std::move(members)}; }

Plain Plain::set(List members) {
  std::sort(members.begin(), members.end(), precedes);
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return {Kind::kSet, std::move(members)};
}

Plain Plain::moment(int64_t unix_ms) { return {Kind::kMoment, unix_ms}; }
Plain Plain::duration(int64_t seconds) { return {Kind::kDuration, seconds}; }

bool operator==(const Plain& a, const Plain& b) {
  if (a.kind_ != b.kind_) return false;
  if (a.kind_ != Plain::Kind::kMap) return a.data_ == b.data_;
  return a.members().size() == b.members().size() && std::ranges::all_of(a.members(), [&](const auto& member) {
           const Plain& other = b.member(member.first);
           return !other.is_absent() && other == member.second;
         });
}

const Plain& Plain::member(std::string_view name) const {
  static const Plain absent;
  if (kind_ != Kind::kMap) return absent;
  for (const auto& [own, value] : members()) {
    if (own == name) return value;
  }
  return absent;
}

Plain& Plain::set(std::string_view name, Plain value) {
  for (auto& [own, old] : members()) {
    if (own == name) return old = std::move(value);
  }
  return members().emplace_back(std::string(name), std::move(value)).second;
}

void Plain::erase(std::string_view name) {
  if (kind_ == Kind::kMap) std::erase_if(members(), [&](const auto& member) { return member.first == name; });
}

Plain::List elements_of(const Plain& value) {
  if (value.is(Plain::Kind::kList) || value.is(Plain::Kind::kSet)) return value.elements();
  return {};
}

}  // namespace trestle::runtime
