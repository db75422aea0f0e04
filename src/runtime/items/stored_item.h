// Fields of an entity as attributes of a DynamoDB item, and back.
//
// encode(): plain value -> packed attribute value by the field's stored type; `pack` gzips it (Binary, or base64 text),
// `spill` moves it to blob storage and leaves the reference, `encrypted` seals it (AES-256-GCM) with the newest key of
// the ring. decode(): a whole item -> a map of its entity's fields, in the design's order; fields stored inside key
// templates are read back by parsing them; packed, spilled and sealed values are opened.
//
// Items may have been written by other programs. A list is read where the design has a set and the other way round, and
// a field without an attribute of its own is read from the keys that contain it.
// Attributes that are not the design's are left out by decode() and are what extras() returns.
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
  // All fields, secret ones too; the caller leaves those out (visible()). An item with sealed or spilled fields must
  // have its table's key attributes. Fails (500, 503) where a sealed or spilled value cannot be opened.
  Outcome<Plain> decode(const design::Entity& entity, ItemView item) const;
  // The same, but without blob storage what is spilled is left out, and its fields are added to `unopened`.
  Outcome<Plain> decode(const design::Entity& entity, ItemView item, std::vector<const design::Field*>& unopened) const;
  // The same without opening what is packed, spilled or sealed: for conditions on other fields, and for index entries.
  Plain decode_plain_fields(const design::Entity& entity, ItemView item) const;

  // Whether the item's key is one that the entity's templates make. `item` may lack key attributes: those are not
  // compared.
  bool is_of(const design::Entity& entity, ItemView item) const;
  // The attributes that the design does not know: neither a field, nor a key of the table or of an index, nor the type
  // or TTL attribute.
  std::vector<Field> extras(const design::Entity& entity, ItemView item) const;
  // Adds them to the fields, under their own names; of a `whole` item, also a missing revision, which is 0.
  void add_extras(const design::Entity& entity, ItemView item, bool whole, Plain& fields) const;

  // The map without the entity's secret fields.
  static Plain visible(const design::Entity& entity, Plain fields);

  // The item's table and the values of its key, with slashes between; `item` has at least the table's key attributes.
  std::string owner(const design::Entity& entity, ItemView item) const;
  // The prefix of the names of an owner's blobs.
  std::string blob_prefix(const design::Entity& entity, std::string_view owner) const;
  // The blob that a field's stored value refers to, for its removal; nothing if it is none.
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
