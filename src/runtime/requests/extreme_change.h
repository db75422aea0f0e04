// Changes of items whose least or greatest value is a figure of a tally's target (docs/designs.md, "tallies").
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "design/plan/extreme_read.h"
#include "model/database.h"
#include "runtime/expressions/scope.h"
#include "runtime/items/item_form.h"

namespace trestle::runtime {

// Replaces `extreme` by `more` if that is more extreme.
void merge_extreme(bool greatest, std::optional<Value>& extreme, const std::optional<Value>& more);

struct ExtremeChange {
  bool greatest = false;
  std::optional<Value> before, after;  // the most extreme value of the changed items before and after

  void add(const ExtremeChange& other);
  // What must be done to the figure: set it to `after`, keep it, or read the remaining items to find its new value.
  enum class Next { kSet, kStay, kRead };
  Next next(const std::optional<ValueView>& figure) const;
};

// The value that the item in scope contributes, in the figure's stored type. Nothing: it has none.
Outcome<std::optional<Value>> extreme_value(const design::Design& design, const design::Entity& into,
                                            const design::TallyExtreme& extreme, const Scope& scope);

// Reads the most extreme value of the items that a tally counts in a target, from the table or an index that lists them
// in that order.
struct ExtremeQuery {
  const design::Design& design;
  const ItemCodec& codec;
  ItemForm& form;
  std::function<Result<QueryResponse>(QueryRequest&)> send;

  // `fields` are the target's key fields and `key` its key. Skips the items with the keys `without`. Nothing: no item
  // has a value.
  Outcome<std::optional<Value>> read(const design::Tally& tally, const design::TallyExtreme& extreme,
                                     const Plain& fields, const Item& key, const std::set<std::string>& without,
                                     int64_t now_ms) const;
};

}  // namespace trestle::runtime
