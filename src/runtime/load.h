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

// Every record is a map. The error is a message that names the line or record.
BasicResult<std::vector<Plain>, std::string> read_records(std::string_view text);

// A record and the entity that it belongs to.
struct EntityRecord {
  std::string entity;
  Plain fields;
};

// Reads items of entities from a file: a map of lists by entity name, or a list of records. A record is a map of
// fields, or a stored DynamoDB item in typed JSON ({"PK": {"S": "..."}}) or plain JSON, with its key, type and index
// attributes. The fields of a stored item are read from its attributes and parsed from its keys; its computed
// attributes must equal those that the design's templates make from these fields. The entity is `entity` if it is not
// empty, otherwise the one that the type attribute names, otherwise the only one whose key the item has.
class EntityReader {
 public:
  EntityReader(const design::Design& design, Database& database, const ItemCodec& codec)
      : design_(design), codec_(codec), form_(design, database, codec) {}

  // The number of each record in its list, with the record or the reason why it cannot be loaded. read() fails if the
  // file as a whole cannot be read.
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
