// Converts a plain value to canonical JSON: members are sorted by name, so that equal values have equal text. For
// comparing and signing, not for replies (runtime/values/plain_json.h). Pure.
#pragma once

#include <string>

#include "runtime/values/plain.h"

namespace trestle::api {

std::string canonical_json(const runtime::Plain& plain);

}  // namespace trestle::api
