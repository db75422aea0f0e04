// Converts a OneTable schema (JSON, or the object literal in its TypeScript without comments) to a design file.
//
// Models become entities, value templates ("user#${email}") of key attributes become key templates, and `unique`
// becomes a guard under the key that OneTable uses. Anything that cannot be converted becomes a comment in the file.
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "model/error.h"

namespace trestle::design {

Result<std::string> import_onetable(std::string_view schema);

}  // namespace trestle::design
