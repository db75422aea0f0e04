// A plain value as JSON text that is the same whenever the value is: members stand in the order of their names. For
// comparing and signing, not for answers (runtime/values/plain_json.h). Pure.
#pragma once

#include <string>

#include "runtime/values/plain.h"

namespace trestle::api {

std::string canonical_json(const runtime::Plain& plain);

}  // namespace trestle::api
