// A design's API as one TypeScript module without dependencies: an interface per record, entity, input and answer, and
// a class with a method per operation that calls it by fetch. Lists are async iterators over every page; refusals are
// exceptions by class. Pure.
#pragma once

#include "design/export/exported.h"
#include "design/language/design.h"

namespace trestle::design {

Exported export_typescript(const Design& design);

}  // namespace trestle::design
