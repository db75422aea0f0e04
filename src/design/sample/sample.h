// Sample items of a design: invented values, in exactly the form that the design would store.
//
// Keys are rendered by the design's own templates, index attributes exist when the index entry would, guards and the
// children of `each` are next to their owners, and a field that references another entity holds the id of one of its
// samples. So grouping samples by partition shows the design's real item collections.
//
// Pure and deterministic: no clock, no randomness; the same design gives the same items on every machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "design/language/design.h"

namespace trestle::design {

struct SampleAttribute {
  std::string name;
  ValueType type = ValueType::kString;
  std::string text;  // sets, lists and maps as JSON
};

// Borrows from the design.
struct SampleItem {
  const Entity* entity = nullptr;
  const Guard* guard = nullptr;  // the item is this guard of the entity
  FieldValues fields;            // with the shard numbers
  std::vector<SampleAttribute>
      attributes;  // the table's key, the type, index keys, TTL, then fields in the file's order

  const SampleAttribute* attribute(std::string_view name) const;
  // Whether it has all of these, as an item of that table or index must.
  bool has_key(const KeySchema& key) const;
};

// A few items of every entity whose key could be read, entities in the file's order.
std::vector<SampleItem> sample_items(const Design& design);

// The items that stand in a table (`index` null) or in an index, in DynamoDB's order within each partition, partitions
// in the order of their first item in `items`.
std::vector<const SampleItem*> items_in(const std::vector<SampleItem>& items, const Table& table, const Index* index);

}  // namespace trestle::design
