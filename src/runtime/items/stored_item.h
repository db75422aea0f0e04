// Converts the fields of an entity to the attributes of a DynamoDB item, and back.
//
// encode() converts a plain value to an attribute value of the field's stored type. `pack` compresses it with gzip
// (Binary, or base64 text), `spill` moves it to blob storage and stores a reference, `encrypted` seals it (AES-256-GCM)
// with the newest key of the ring. decode() converts a whole item to a map of its entity's fields, in the design's
// order. It parses fields that are stored within keys, and opens packed, spilled and sealed values.
//
// Items may have been written by other programs. A list is accepted for a set and a set for a list, and a field without
// an attribute of its own is read from the keys that contain it. decode() omits attributes that are unknown to the
// design; extras() returns them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "design/language/design.h"
#include "model/value.h"
#include "runtime/items/blob_store.h"
#include "runtime/values/key_ring.h"
#include "runtime/values/plain_value.h"

namespace trestle::runtime {

class ItemCodec {
 public:
  // `keys` may be null if the design encrypts nothing, `blobs` if it spills nothing.
  ItemCodec(const design::Design& design, const KeyRing* keys, BlobStore* blobs);
  ~ItemCodec();

  // `owner` identifies the item in the name of a spilled blob and in the authenticated data of a sealed value; see
  // owner().
  Outcome<Value> encode(const design::Entity& entity, const design::Field& field, const design::Pack* pack,
                        const design::Spill* spill, const Plain& value, std::string_view owner) const;
  // All fields, including secret ones, which the caller must remove (visible()). An item with sealed or spilled fields
  // must have its table's key attributes. Fails (500, 503) if a sealed or spilled value cannot be opened.
  Outcome<Plain> decode(const design::Entity& entity, ItemView item) const;
  // The same, but if there is no blob storage, spilled fields are omitted and added to `unopened`.
  Outcome<Plain> decode(const design::Entity& entity, ItemView item, std::vector<const design::Field*>& unopened) const;
  // The fields that can be decoded without opening packed, spilled or sealed values; the others are omitted. For
  // conditions on plain fields, and for index entries.
  Plain decode_plain_fields(const design::Entity& entity, ItemView item) const;

  // Whether the entity's templates can have rendered the item's key. Key attributes that `item` lacks are not checked.
  bool is_of(const design::Entity& entity, ItemView item) const;
  // The attributes unknown to the design: neither a field, nor a key of the table or an index, nor the type or TTL
  // attribute.
  std::vector<Field> extras(const design::Entity& entity, ItemView item) const;
  // Adds the extras to the fields, under their own names. If the item is `whole`, also adds a missing revision, as 0.
  void add_extras(const design::Entity& entity, ItemView item, bool whole, Plain& fields) const;

  // The map without the entity's secret fields.
  static Plain visible(const design::Entity& entity, Plain fields);

  // The item's table and the values of its key, separated by slashes. `item` must have the table's key attributes.
  std::string owner(const design::Entity& entity, ItemView item) const;
  // The prefix of the names of an owner's blobs.
  std::string blob_prefix(const design::Entity& entity, std::string_view owner) const;
  // The name of the blob that a stored value refers to; nothing if it is not a reference.
  static std::optional<std::string> blob_of(ValueView stored);

 private:
  struct Layout;  // how each field of an entity is stored
  const Layout& layout(const design::Entity& entity) const;
  Outcome<Plain> opened(const design::Entity& entity, const design::Field& field, ValueView stored,
                        std::string_view owner) const;
  Outcome<Plain> decode_into(const design::Entity& entity, ItemView item,
                             std::vector<const design::Field*>* unopened) const;

  const design::Design& design_;
  const KeyRing* keys_;
  BlobStore* blobs_;
  std::vector<std::unique_ptr<Layout>> layouts_;  // in the order of design_.entities
};

}  // namespace trestle::runtime
