// Fields read back out of a key that a template made: design::parse() for items by the thousand.
//
// Where each field of the template ends is plain to see (a fixed length, a delimiter that its type cannot contain, the
// end), it is cut there; every other template is left to design::parse().
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

 private:
  const design::Entity& entity_;
  const design::Template& key_;
  bool plain_to_see_ = true;
};

}  // namespace trestle::runtime
