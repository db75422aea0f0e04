// Generates the part of an exported TypeScript module that renders keys of items, index entries and guards from the
// design's templates. Pure.
#pragma once

#include <string>
#include <string_view>

#include "design/language/design.h"

namespace trestle::design {

std::string typescript_keys(const Design& design);

// The name of a property in an object or an interface, quoted if it is not an identifier.
std::string typescript_member(std::string_view name);

}  // namespace trestle::design
