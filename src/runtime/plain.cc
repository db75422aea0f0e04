#include "runtime/plain.h"

#include <algorithm>

#include "model/number.h"

namespace trestle::runtime {
namespace {

// The order of members of a set: numbers by value, all else by bytes.
bool precedes(const Plain& a, const Plain& b) {
  if (a.kind() != b.kind()) return a.kind() < b.kind();
  if (a.is(Plain::Kind::kNumber)) return compare_numbers(a.string(), b.string()) < 0;
  if (a.is(Plain::Kind::kText) || a.is(Plain::Kind::kBinary)) return a.string() < b.string();
  return false;
}

}  // namespace

Plain Plain::null() {
  Plain plain;
  plain.kind_ = Kind::kNull;
  return plain;
}

Plain Plain::boolean(bool value) {
  Plain plain;
  plain.kind_ = Kind::kBool;
  plain.data_ = value;
  return plain;
}

Plain Plain::number(int64_t value) { return number(std::to_string(value)); }

Plain Plain::number(std::string canonical) {
  Plain plain;
  plain.kind_ = Kind::kNumber;
  plain.data_ = std::move(canonical);
  return plain;
}

Plain Plain::text(std::string value) {
  Plain plain;
  plain.kind_ = Kind::kText;
  plain.data_ = std::move(value);
  return plain;
}

Plain Plain::binary(std::string bytes) {
  Plain plain;
  plain.kind_ = Kind::kBinary;
  plain.data_ = std::move(bytes);
  return plain;
}

Plain Plain::list(List values) {
  Plain plain;
  plain.kind_ = Kind::kList;
  plain.data_ = std::move(values);
  return plain;
}

Plain Plain::map(Map members) {
  Plain plain;
  plain.kind_ = Kind::kMap;
  plain.data_ = std::move(members);
  return plain;
}

Plain Plain::set(List members) {
  std::sort(members.begin(), members.end(), precedes);
  members.erase(std::unique(members.begin(), members.end()), members.end());
  Plain plain;
  plain.kind_ = Kind::kSet;
  plain.data_ = std::move(members);
  return plain;
}

Plain Plain::moment(int64_t unix_ms) {
  Plain plain;
  plain.kind_ = Kind::kMoment;
  plain.data_ = unix_ms;
  return plain;
}

Plain Plain::duration(int64_t seconds) {
  Plain plain;
  plain.kind_ = Kind::kDuration;
  plain.data_ = seconds;
  return plain;
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

}  // namespace trestle::runtime
