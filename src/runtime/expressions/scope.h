// The names that an expression of a design may use while it is evaluated.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "design/language/design.h"
#include "runtime/values/plain.h"

namespace trestle::runtime {

using Names = std::map<std::string, Plain, std::less<>>;

struct Scope {
  // `$name`: inputs, lets, results of steps. Absent if unknown.
  const Names* names = nullptr;
  const Names* inner_names = nullptr;  // hide the entries of `names` with the same name; may be null
  // Bare names: the fields of the current item (a map), then the following.
  const Plain* fields = nullptr;
  const Plain* items = nullptr;  // `items`: a list
  // The entity of `items`, if known, so that the sum of a map field over no items is an empty map.
  const design::Entity* items_entity = nullptr;
  const Plain* caller = nullptr;  // `caller`: a map of claims; null or absent: not signed in
  const Plain* old_item = nullptr;
  const Plain* new_item = nullptr;
  int64_t now_ms = 0;  // the same `now` for the whole operation
};

}  // namespace trestle::runtime
