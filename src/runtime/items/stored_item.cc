#include "runtime/items/stored_item.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/base64.h"
#include "base/sha256.h"
#include "design/plan/stored_attributes.h"
#include "model/number.h"
#include "runtime/items/key_reading.h"
#include "runtime/items/typed_value.h"
#include "runtime/values/packing.h"
#include "runtime/values/plain_json.h"
#include "runtime/values/ulid.h"

namespace trestle::runtime {
namespace {

using Kind = Plain::Kind;
using design::BaseType;

constexpr std::string_view kBlob = "$blob";
// base64 of gzip's magic and method, with which packed text begins.
constexpr std::string_view kPackedText = "H4sI";

const design::Pack* pack_of(const design::Entity& entity, std::string_view field) {
  for (const design::Pack& pack : entity.packs) {
    if (pack.field == field) return &pack;
  }
  return nullptr;
}
bool spills(const design::Entity& entity, std::string_view field) {
  return std::any_of(entity.spills.begin(), entity.spills.end(),
                     [&](const auto& spill) { return spill.field == field; });
}

// The bytes to pack, spill or seal: text and binary values unchanged, everything else as JSON.
std::string bytes_of(const Plain& value, ValueType stored) {
  if (stored == ValueType::kString && value.is(Kind::kText)) return value.string();
  if (stored == ValueType::kBinary && value.is(Kind::kBinary)) return value.string();
  return plain_json(value);
}

// Restores the types that JSON lacks: sets (from lists), binary (from text).
Plain restored(const design::Design& design, const design::FieldType& type, Plain value) {
  switch (type.base) {
    case BaseType::kSet:
    case BaseType::kList: {
      if (!value.is(Kind::kList)) return value;
      for (Plain& element : value.elements()) element = restored(design, *type.element, std::move(element));
      return type.base == BaseType::kSet ? Plain::set(std::move(value.elements())) : value;
    }
    case BaseType::kMap:
      if (!value.is(Kind::kMap)) return value;
      for (auto& member : value.members()) member.second = restored(design, *type.element, std::move(member.second));
      return value;
    case BaseType::kRecord: {
      const design::NamedRecord* record = design.type(type.record);
      if (record == nullptr || !value.is(Kind::kMap)) return value;
      for (auto& [name, member] : value.members()) {
        for (const design::Field& field : record->fields) {
          if (field.name == name) member = restored(design, field.type, std::move(member));
        }
      }
      return value;
    }
    case BaseType::kBinary: {
      if (!value.is(Kind::kText)) return value;
      auto bytes = base64_bytes(value.string());
      return bytes ? Plain::binary(std::move(*bytes)) : Plain();
    }
    default:
      return value;
  }
}

Outcome<Plain> from_bytes(const design::Design& design, const design::FieldType& type, std::string bytes) {
  const ValueType stored = design::stored_type(type);
  if (stored == ValueType::kString) return Plain::text(std::move(bytes));
  if (stored == ValueType::kBinary) return Plain::binary(std::move(bytes));
  auto parsed = parse_plain_json(bytes);
  if (!parsed) return refuse(500, "A stored value does not have the type that the design declares.");
  return restored(design, type, std::move(*parsed));
}

// Whether the plain value could be mistaken for an encoded one (a blob reference or packed bytes), so that it must be
// encoded.
bool looks_encoded(const Plain& value, const design::Pack* pack, const design::Spill* spill) {
  if (spill != nullptr && value.is(Kind::kMap) && !value.member(kBlob).is_absent()) return true;
  if (pack == nullptr) return false;
  return pack->base64 ? value.is(Kind::kText) && value.string().starts_with(kPackedText)
                      : value.is(Kind::kBinary) && is_packed(value.string());
}

std::string sealed_context(std::string_view owner, std::string_view field) {
  return fmt::format("{}\n{}", owner, field);
}

}  // namespace

// ---- Where fields are

struct ItemCodec::Layout {
  struct Place {
    const design::Field* field;
    std::string attribute;
    std::optional<KeyReading> reading;  // set if the attribute is a key that the field is part of
    bool is_encoded = false;            // sealed, or may be packed or spilled
    bool has_times = false;             // its values are or contain times
    // Keys from which the field can be read if the item lacks its attribute: of the table, of an index, or a former
    // key.
    std::vector<std::pair<std::string, KeyReading>> others;
  };
  std::vector<Place> places;  // in the design's order
  std::vector<std::pair<std::string, KeyReading>> own;
  std::set<std::string, std::less<>> known;  // every attribute that the design uses
  std::vector<std::string> key;              // the table's key attributes
  std::string table;
};

ItemCodec::ItemCodec(const design::Design& design, const KeyRing* keys, BlobStore* blobs)
    : design_(design), keys_(keys), blobs_(blobs) {
  for (const design::Entity& entity : design.entities) {
    auto layout = std::make_unique<Layout>();
    layout->table = entity.table;
    const design::Table* table = design.table(entity.table);
    using KeyAttributeTemplate = std::pair<std::string, const design::Template*>;
    std::vector<KeyAttributeTemplate> own, entries, former;
    const auto add = [](std::vector<KeyAttributeTemplate>& to, const KeySchema& schema,
                        const std::vector<design::Template>& key) {
      size_t i = 0;
      for (const auto* half : {&schema.hash, &schema.range}) {
        for (const KeyAttribute& attribute : *half) {
          if (i < key.size()) to.emplace_back(attribute.name, &key[i]);
          ++i;
        }
      }
    };
    if (table != nullptr) {
      add(own, table->key, entity.key);
      for (const auto& attribute : own) layout->key.push_back(attribute.first);
      for (const auto& key : entity.formerly) add(former, table->key, key);
      for (const design::IndexEntry& entry : entity.index) {
        if (const design::Index* index = table->index(entry.index)) add(entries, index->key, entry.key);
      }
    }
    for (const design::Field& field : entity.fields) {
      Layout::Place place{.field = &field, .attribute = field.name};
      place.is_encoded = field.encrypted || pack_of(entity, field.name) != nullptr || spills(entity, field.name);
      place.has_times = has_times(design, field.type);
      bool found = false;
      for (const auto* list : {&own, &entries}) {
        for (const auto& [attribute, key] : *list) {
          if (found || attribute != field.name) continue;
          found = true;
          place.reading.emplace(entity, *key);
        }
      }
      for (const auto* list : {&own, &entries, &former}) {
        for (const auto& [attribute, key] : *list) {
          if (attribute == field.name || !key->uses(field.name)) continue;
          place.others.emplace_back(attribute, KeyReading(entity, *key));
        }
      }
      layout->known.insert(field.name);
      layout->places.push_back(std::move(place));
    }
    for (const auto& [attribute, key] : own) layout->own.emplace_back(attribute, KeyReading(entity, *key));
    if (table != nullptr) {
      for (const KeyAttribute& attribute : design::key_attributes(*table)) layout->known.insert(attribute.name);
      layout->known.insert(table->type_attribute);
      layout->known.insert(table->ttl_attribute);
    }
    layouts_.push_back(std::move(layout));
  }
}

ItemCodec::~ItemCodec() = default;

const ItemCodec::Layout& ItemCodec::layout(const design::Entity& entity) const {
  return *layouts_[static_cast<size_t>(&entity - design_.entities.data())];
}

std::string ItemCodec::owner(const design::Entity& entity, ItemView item) const {
  const Layout& at = layout(entity);
  std::string out = at.table;
  for (const std::string& name : at.key) {
    out.push_back('/');
    if (const auto value = item.find(name); value && is_scalar(value->type())) out += value->scalar();
  }
  return out;
}

std::string ItemCodec::blob_prefix(const design::Entity& entity, std::string_view owner) const {
  std::string digest;
  append_hex(digest, sha256(owner));
  // The folder of two characters keeps folders small enough to list.
  return fmt::format("{}/{}/{}/{}/", design_.name, entity.table, digest.substr(0, 2), digest.substr(2, 38));
}

std::optional<std::string> ItemCodec::blob_of(ValueView stored) {
  if (stored.type() != ValueType::kMap) return std::nullopt;
  const auto name = stored.map().find(kBlob);
  if (!name || name->type() != ValueType::kString) return std::nullopt;
  return std::string(name->scalar());
}

// ---- Encoding

Outcome<Value> ItemCodec::encode(const design::Entity& entity, const design::Field& field, const design::Pack* pack,
                                 const design::Spill* spill, const Plain& value, std::string_view owner) const {
  const ValueType stored = design::stored_type(field.type);
  if (!field.encrypted && pack == nullptr && spill == nullptr) return to_value(value, stored);
  if (!value.exists()) return Value::null();

  std::string bytes = bytes_of(value, stored);
  bool is_small = false;  // packed
  const bool must = looks_encoded(value, pack, spill);
  if (pack != nullptr && (must || static_cast<int64_t>(bytes.size()) > pack->over_bytes)) {
    std::string smaller = pack_bytes(bytes);
    const auto most = static_cast<double>(bytes.size()) * (1 - pack->saves);
    if (must || static_cast<double>(smaller.size()) <= most) {
      bytes = std::move(smaller);
      is_small = true;
    }
  }
  if (field.encrypted) {
    if (keys_ == nullptr) return refuse(500, "This design encrypts fields, and there is no key ring.");
    bytes = keys_->seal(bytes, sealed_context(owner, field.name));
  }
  const bool spilled =
      spill != nullptr && (static_cast<int64_t>(bytes.size()) > spill->over_bytes || (must && !is_small));
  if (spilled) {
    if (blobs_ == nullptr) return refuse(500, "This design spills large fields, and there is no blob storage.");
    const std::string name =
        fmt::format("{}{}-{}", blob_prefix(entity, owner), field.name, base64url_text(random_bytes(12)));
    TRY(blobs_->put(name, bytes));
    Plain reference = Plain::map();
    reference.set(kBlob, Plain::text(name));
    reference.set("bytes", Plain::number(static_cast<int64_t>(bytes.size())));
    reference.set("packed", Plain::boolean(is_small));
    return to_value(reference, ValueType::kMap);
  }
  if (field.encrypted) return Value::binary(bytes);
  if (is_small) return pack->base64 ? Value::string(base64_text(bytes)) : Value::binary(bytes);
  return to_value(value, stored);
}

// ---- Decoding

// Opens the value of a field that may be sealed, packed or spilled.
Outcome<Plain> ItemCodec::opened(const design::Entity& entity, const design::Field& field, ValueView stored,
                                 std::string_view owner) const {
  const design::Pack* pack = pack_of(entity, field.name);
  std::string bytes;
  bool is_opened = false;
  if (spills(entity, field.name)) {
    if (const auto name = blob_of(stored)) {
      // The runtime never writes a reference to another item's blob.
      if (!name->starts_with(blob_prefix(entity, owner)))
        return refuse(500, "A stored value refers to another item's blob.");
      if (blobs_ == nullptr) return refuse(500, "This design spills large fields, and there is no blob storage.");
      TRY_INTO(bytes, blobs_->get(*name));
      is_opened = true;
    }
  }
  if (!is_opened && field.encrypted && stored.type() == ValueType::kBinary) {
    bytes = stored.scalar();
    is_opened = true;
  }
  if (!is_opened && pack != nullptr && !pack->base64 && stored.type() == ValueType::kBinary &&
      is_packed(stored.scalar())) {
    bytes = stored.scalar();
    is_opened = true;
  }
  if (!is_opened && pack != nullptr && pack->base64 && stored.type() == ValueType::kString &&
      stored.scalar().starts_with(kPackedText)) {
    if (auto decoded = base64_bytes(stored.scalar())) {
      bytes = std::move(*decoded);
      is_opened = true;
    }
  }
  if (!is_opened) return to_plain(stored);
  if (field.encrypted) {
    if (keys_ == nullptr) return refuse(500, "This design encrypts fields, and there is no key ring.");
    auto plain = keys_->open(bytes, sealed_context(owner, field.name));
    if (!plain) return refuse(500, plain.error());
    bytes = std::move(*plain);
  }
  if (pack != nullptr && is_packed(bytes)) {
    auto whole = unpack_bytes(bytes);
    if (!whole) return refuse(500, "A packed value is damaged.");
    bytes = std::move(*whole);
  }
  return from_bytes(design_, field.type, std::move(bytes));
}

namespace {

// The value of a field that is stored unencoded, or within a key.
Plain plain_field(const design::Field& field, const std::optional<KeyReading>& reading, ValueView stored) {
  if (reading) {
    Plain value = is_scalar(stored.type()) ? reading->read(stored.scalar(), field.name) : Plain();
    // An attribute with the field's name that does not match the template is the plain field.
    return value.exists() ? value : to_plain(stored);
  }
  Plain value = to_plain(stored);
  if (field.type.base == BaseType::kSet && value.is(Kind::kList)) return Plain::set(std::move(value.elements()));
  if (field.type.base == BaseType::kList && value.is(Kind::kSet)) return Plain::list(std::move(value.elements()));
  return value;
}

Plain field_in_keys(const design::Field& field, const std::vector<std::pair<std::string, KeyReading>>& keys,
                    ItemView item) {
  for (const auto& [attribute, reading] : keys) {
    const auto key = item.find(attribute);
    if (!key || !is_scalar(key->type())) continue;
    Plain value = reading.read(key->scalar(), field.name);
    if (value.exists()) return value;
  }
  return Plain();
}

}  // namespace

Outcome<Plain> ItemCodec::decode(const design::Entity& entity, ItemView item) const {
  return decode_into(entity, item, nullptr);
}

Outcome<Plain> ItemCodec::decode(const design::Entity& entity, ItemView item,
                                 std::vector<const design::Field*>& unopened) const {
  return decode_into(entity, item, &unopened);
}

Outcome<Plain> ItemCodec::decode_into(const design::Entity& entity, ItemView item,
                                      std::vector<const design::Field*>* unopened) const {
  const Layout& at = layout(entity);
  Plain::Map members;
  members.reserve(at.places.size());
  std::string owner_text;
  for (const Layout::Place& place : at.places) {
    Plain value;
    if (const auto stored = item.find(place.attribute)) {
      if (place.is_encoded) {
        if (owner_text.empty()) owner_text = owner(entity, item);
        const auto blob = spills(entity, place.field->name) ? blob_of(*stored) : std::nullopt;
        // A reference to another item's blob is an error even without blob storage.
        if (unopened != nullptr && blobs_ == nullptr && blob && blob->starts_with(blob_prefix(entity, owner_text))) {
          unopened->push_back(place.field);
          continue;
        }
        TRY_INTO(value, opened(entity, *place.field, *stored, owner_text));
      } else {
        value = plain_field(*place.field, place.reading, *stored);
      }
    } else {
      value = field_in_keys(*place.field, place.others, item);
    }
    if (!value.exists()) continue;
    if (place.has_times) value = with_time_forms(design_, place.field->type, std::move(value));
    members.emplace_back(place.field->name, std::move(value));
  }
  return Plain::map(std::move(members));
}

Plain ItemCodec::decode_plain_fields(const design::Entity& entity, ItemView item) const {
  Plain::Map members;
  const Layout& at = layout(entity);
  members.reserve(at.places.size());
  for (const Layout::Place& place : at.places) {
    if (place.is_encoded) continue;
    Plain value;
    if (const auto stored = item.find(place.attribute))
      value = plain_field(*place.field, place.reading, *stored);
    else
      value = field_in_keys(*place.field, place.others, item);
    if (!value.exists()) continue;
    if (place.has_times) value = with_time_forms(design_, place.field->type, std::move(value));
    members.emplace_back(place.field->name, std::move(value));
  }
  return Plain::map(std::move(members));
}

bool ItemCodec::is_of(const design::Entity& entity, ItemView item) const {
  const Layout& at = layout(entity);
  return std::all_of(at.own.begin(), at.own.end(), [&](const auto& key) {
    const auto value = item.find(key.first);
    return !value || !is_scalar(value->type()) || key.second.fits(value->scalar());
  });
}

std::vector<Field> ItemCodec::extras(const design::Entity& entity, ItemView item) const {
  const Layout& at = layout(entity);
  std::vector<Field> found;
  for (const Field& field : item.attributes()) {
    if (!at.known.contains(field.name)) found.push_back(field);
  }
  return found;
}

void ItemCodec::add_extras(const design::Entity& entity, ItemView item, bool whole, Plain& fields) const {
  for (const Field& field : extras(entity, item)) fields.set(field.name, to_plain(field.value));
  if (!whole) return;
  for (const design::Field& field : entity.fields) {
    if (field.revision && !fields.member(field.name).exists()) fields.set(field.name, Plain::number(0));
  }
}

Plain ItemCodec::visible(const design::Entity& entity, Plain fields) {
  if (!fields.is(Kind::kMap)) return fields;
  std::erase_if(fields.members(), [&](const auto& member) {
    const design::Field* field = entity.field(member.first);
    return field != nullptr && field->secret;
  });
  return fields;
}

}  // namespace trestle::runtime
