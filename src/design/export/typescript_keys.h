// The part of an exported TypeScript module that builds keys: of items, of their index entries and of their guards, as
// the design's templates make them. Pure.
#pragma once

#include <string>

#include "design/language/design.h"

namespace trestle::design {

std::string typescript_keys(const Design& design);

}  // namespace trestle::design
