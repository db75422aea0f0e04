// Seed data: records from a file, each passed to an operation of a design, or loaded as an item of one of its entities.
//
// A file holds a JSON array, JSON objects one per line, or a YAML list of maps (or one map whose only member is such a
// list). In YAML, an unquoted number, true, false or null has that type; a quoted scalar is text.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/items/item_form.h"
#include "runtime/values/plain.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// Each record is a map. The failure is a sentence with the line it is about.
BasicResult<std::vector<Plain>, std::string> read_records(std::string_view text);

// A record and the entity whose item it is.
struct EntityRecord {
  std::string entity;
  Plain fields;
};

// Items of entities as a file has them: a map of lists by entity, or records. A record is a map of fields, or an item
// as DynamoDB has it, in typed JSON ({"PK": {"S": "..."}}) or plain, with the attributes of keys, type and indexes. Of
// such an item the fields are read, also out of its keys, and what the templates make of them must be what it has. The
// entity is `entity`, or what the type attribute names, or the only one whose key the item has.
class EntityReader {
 public:
  EntityReader(const design::Design& design, Database& database, const ItemCodec& codec)
      : design_(design), codec_(codec), form_(design, database, codec) {}

  // Each record with its number in its list, or why it cannot be loaded. The failure is of the whole file.
  using Records = std::vector<std::pair<size_t, BasicResult<EntityRecord, std::string>>>;
  BasicResult<Records, std::string> read(std::string_view text, const std::string& entity);

 private:
  BasicResult<EntityRecord, std::string> record_of(Plain record, const std::string& entity);
  BasicResult<const design::Entity*, std::string> entity_of(ItemView item, const std::string& entity) const;

  const design::Design& design_;
  const ItemCodec& codec_;
  ItemForm form_;
};

}  // namespace trestle::runtime
