// The attributes that an entity's items have, and which field or key template each of them stores.
//
// A field named like a key attribute is stored in that attribute (docs/designs.md, "Meaning"). Every other field has an
// attribute of its own name. Order: the table's key, the type attribute, the keys of the entity's indexes, the other
// fields, the TTL attribute. Each name occurs once.
#pragma once

#include <string>
#include <vector>

#include "design/language/design.h"

namespace trestle::design {

struct StoredAttribute {
  std::string name;
  ValueType type = ValueType::kString;
  const Template* key = nullptr;  // rendered from this template...
  const Field* field = nullptr;   // ...or holds this field; neither: the type or the TTL attribute
};

// `table` must be the entity's table.
std::vector<StoredAttribute> stored_attributes(const Entity& entity, const Table& table);

// AttributeDefinitions: every key attribute of a table and its indexes, each once.
std::vector<KeyAttribute> key_attributes(const Table& table);

}  // namespace trestle::design
