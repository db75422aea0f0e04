// The stored form of an item beyond its fields: its entity, and the attributes computed from its fields: keys, index
// entries, the type, the time to live.
//
// The rules are those by which plans write items (docs/designs.md, "Meaning"), as a function of the fields, for code
// that handles items it did not write itself: tallies through the stream, verification, loading. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "design/language/design.h"
#include "model/database.h"
#include "runtime/items/shard_counts.h"
#include "runtime/items/stored_item.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// The entity of an item, or the entity and guard of a guard item. Both null: the item is unknown to the design.
struct ItemKind {
  const design::Entity* entity = nullptr;
  const design::Guard* guard = nullptr;
};

// Depends on the key alone: two entities or guards of a design cannot have the same key.
ItemKind kind_of(const design::Design& design, const design::Table& table, ItemView item);

// Whether the time in the item's TTL attribute has passed, so that the item is only waiting to be deleted.
bool has_expired(const design::Table& table, ItemView item, int64_t now_ms);

// When the item expires, in Unix seconds. Nothing: it does not expire, or in ages.
std::optional<int64_t> expiry_of(const design::Table& table, ItemView item);

// The key of an item, as an item.
Item key_of(const design::Table& table, ItemView item);
// The attributes of the item whose names are in `key`, such as its key or an exclusive start key.
Item place_of(ItemView item, const std::vector<std::string>& key);
// The key as text for people: `PK = "SITE#a.com", SK = "REG#..."`.
std::string key_words(const design::Table& table, ItemView item);

// A computed attribute. Without a value, the item must not have the attribute.
struct ComputedAttribute {
  std::string name;
  std::optional<Value> value;
};

class ItemForm {
 public:
  // The arguments must outlive this object.
  ItemForm(const design::Design& design, Database& database, const ItemCodec& codec)
      : design_(design), database_(database), codec_(codec) {}

  // The key of the entity's item with these fields; nothing if one is missing.
  Outcome<std::optional<Item>> key(const design::Entity& entity, const Plain& fields, int64_t now_ms);
  Outcome<std::optional<Item>> guard_key(const design::Entity& entity, const design::Guard& guard, const Plain& fields,
                                         int64_t now_ms);
  // All computed attributes: the table's key first, then the type, the index keys and the time to live.
  Outcome<std::vector<ComputedAttribute>> computed_attributes(const design::Entity& entity, const Plain& fields,
                                                              int64_t now_ms);
  // The complete guard item for an item with these fields.
  Outcome<std::optional<Item>> guard_item(const design::Entity& entity, const design::Guard& guard, const Plain& fields,
                                          int64_t now_ms);
  // A key of the entity, or a prefix of one, from these fields; nothing if a field is missing.
  Outcome<std::optional<std::string>> start_of_key(const design::Entity& entity, const design::Template& key,
                                                   const Plain& fields, int64_t now_ms) {
    return text(entity, key, fields, now_ms);
  }
  // Shard counts are read once and cached. Clears the cache.
  void forget_shard_counts();

 private:
  using Templates = std::vector<design::Template>;
  Outcome<std::optional<std::string>> text(const design::Entity& entity, const design::Template& key,
                                           const Plain& fields, int64_t now_ms);
  Outcome<std::optional<Item>> key_by(const design::Entity& entity, const Templates& templates, const Plain& fields,
                                      int64_t now_ms);
  Outcome<bool> entry_exists(const design::Entity& entity, const design::IndexEntry& entry, const Plain& fields,
                             int64_t now_ms);
  Outcome<std::shared_ptr<const ShardCounts>> shard_counts(const design::Shard& shard, const Plain& fields,
                                                           int64_t now_ms);

  const design::Design& design_;
  Database& database_;
  const ItemCodec& codec_;

  Mutex mutex_;
  std::map<std::string, std::shared_ptr<const ShardCounts>> counts_ GUARDED_BY(mutex_);
};

// The TTL attribute of an item that expires at `time`. Nothing: it does not expire, because the time is absent or is
// text that is not a time, which only another program can have stored.
Outcome<std::optional<Value>> expiry_value(const design::Design& design, Plain time);

// The value of a key attribute, from its text.
Value key_attribute_value(std::string_view text, ValueType type);

}  // namespace trestle::runtime
