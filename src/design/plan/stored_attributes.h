// The stored form of an entity's items: which attribute holds which field or which rendered template.
//
// A field that has the name of a key attribute is stored in that attribute (docs/designs.md, "Meaning"); every other
// field has an attribute of its own name. Attributes come in this order: the table's key, the type attribute, the keys
// of the entity's indexes, the other fields, the TTL attribute. Each name once.
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

// `table` is the entity's.
std::vector<StoredAttribute> stored_attributes(const Entity& entity, const Table& table);

// Every key attribute of a table and its indexes, each once: AttributeDefinitions.
std::vector<KeyAttribute> key_attributes(const Table& table);

}  // namespace trestle::design
