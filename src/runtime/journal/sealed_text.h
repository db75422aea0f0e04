// Text in the journal that may contain secrets. It is sealed if there is a key ring.
//   0 text | 1 sealed text (KeyRing::seal)
#pragma once

#include <string>
#include <string_view>

#include "runtime/values/key_ring.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// `owner` identifies the record: text sealed for one owner cannot be opened for another. `keys` may be null.
std::string seal_text(const KeyRing* keys, const std::string& text, std::string_view owner);
Outcome<std::string> open_text(const KeyRing* keys, std::string_view stored, std::string_view owner);

}  // namespace trestle::runtime
