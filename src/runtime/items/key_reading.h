// Parses fields out of a key rendered by a template: a fast design::parse() for many items.
//
// If the end of each field is evident (a fixed length, a delimiter that its type cannot contain, the end of the key),
// the key is cut there; other templates use design::parse().
#pragma once

#include <string_view>

#include "design/language/design.h"
#include "runtime/values/plain.h"

namespace trestle::runtime {

class KeyReading {
 public:
  // The entity and its template must outlive this.
  KeyReading(const design::Entity& entity, const design::Template& key);
  // The field's value in a key; absent if the key is not of the template or the field cannot be read back.
  Plain read(std::string_view text, std::string_view field) const;
  // Whether the template can have made the key.
  bool fits(std::string_view text) const;

 private:
  const design::Entity& entity_;
  const design::Template& key_;
  bool plain_to_see_ = true;
};

}  // namespace trestle::runtime
