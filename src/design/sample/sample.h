// Sample items of a design: invented values in exactly the form that the design would store.
//
// Keys are rendered by the design's own templates, and index attributes exist when the index entry would. Guards and
// the children of `each` come with their owners. A field that references another entity contains the id of one of that
// entity's samples. So grouping the samples by partition shows the design's real item collections.
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

// Points into the design, which must outlive it.
struct SampleItem {
  const Entity* entity = nullptr;
  const Guard* guard = nullptr;  // if set, the item is this guard of the entity
  FieldValues fields;            // including the shard numbers
  std::vector<SampleAttribute>
      attributes;  // the table's key, the type, index keys, TTL, then the fields in the file's order

  const SampleAttribute* attribute(std::string_view name) const;
  // Whether the item has every attribute of the key, as an item of that table or index must.
  bool has_key(const KeySchema& key) const;
};

// A few items of every entity whose key could be parsed, with the entities in the file's order.
std::vector<SampleItem> sample_items(const Design& design);

// The items that are in a table (`index` null) or in an index. Within a partition they are in DynamoDB's order; the
// partitions are in the order of their first item in `items`.
std::vector<const SampleItem*> items_in(const std::vector<SampleItem>& items, const Table& table, const Index* index);

}  // namespace trestle::design
