// Parses fields out of a key that a template rendered: a fast design::parse() for many items.
//
// If the end of every field is unambiguous (a fixed length, a delimiter that its type cannot contain, or the end of the
// key), the key is split directly; other templates use design::parse().
#pragma once

#include <string_view>

#include "design/language/design.h"
#include "runtime/values/plain.h"

namespace trestle::runtime {

class KeyReading {
 public:
  // The entity and its template must outlive this.
  KeyReading(const design::Entity& entity, const design::Template& key);
  // The field's value in a key; absent if the key does not match the template or the field cannot be parsed back.
  Plain read(std::string_view text, std::string_view field) const;
  // Whether the template can have rendered the key.
  bool fits(std::string_view text) const;

 private:
  const design::Entity& entity_;
  const design::Template& key_;
  bool can_split_ = true;
};

}  // namespace trestle::runtime
