// Generates the part of an exported TypeScript module that renders keys of items, index entries and guards from the
// design's templates. Pure.
#pragma once

#include <string>

#include "design/language/design.h"

namespace trestle::design {

std::string typescript_keys(const Design& design);

}  // namespace trestle::design
