// A OneTable schema (its JSON, or the object literal of its TypeScript without comments) as a design file.
//
// Models become entities; value templates ("user#${email}") of key attributes become key templates; `unique` becomes a
// guard under the key that OneTable itself uses. Anything that could not be converted is a comment in the file. Pure.
#pragma once

#include <string>
#include <string_view>

#include "model/error.h"

namespace trestle::design {

Result<std::string> import_onetable(std::string_view schema);

}  // namespace trestle::design
