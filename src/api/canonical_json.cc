#include "api/canonical_json.h"

#include <algorithm>

#include "runtime/values/plain_json.h"

namespace trestle::api {
namespace {

using runtime::Plain;

Plain sorted(const Plain& plain) {
  if (plain.is(Plain::Kind::kMap)) {
    Plain::Map members;
    for (const auto& [name, value] : plain.members()) members.emplace_back(name, sorted(value));
    std::ranges::sort(members, [](const auto& a, const auto& b) { return a.first < b.first; });
    return Plain::map(std::move(members));
  }
  if (plain.is(Plain::Kind::kList)) {
    Plain::List values;
    for (const Plain& value : plain.elements()) values.push_back(sorted(value));
    return Plain::list(std::move(values));
  }
  return plain;
}

}  // namespace

std::string canonical_json(const Plain& plain) { return runtime::plain_json(sorted(plain)); }

}  // namespace trestle::api
