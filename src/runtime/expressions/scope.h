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
  const Names* inner_names = nullptr;  // hide those of `names`; null: there are none
  // Bare names: fields of the item at hand (a map), then these.
  const Plain* fields = nullptr;
  const Plain* items = nullptr;  // `items`: a list
  // The entity of the items, if known: the sum of a map's field over no items is then an empty map.
  const design::Entity* items_entity = nullptr;
  const Plain* caller = nullptr;  // `caller`: a map of claims; null or absent: not signed in
  const Plain* old_item = nullptr;
  const Plain* new_item = nullptr;
  int64_t now_ms = 0;  // one `now` for the whole operation
};

}  // namespace trestle::runtime
