// Exports a client of a design's API as a TypeScript module without dependencies: an interface per record, entity,
// input and answer, and a class with a method per operation, which calls it with fetch. Lists are async iterators over
// all pages. Each kind of failure is an exception class. Pure.
#pragma once

#include "design/export/exported.h"
#include "design/language/design.h"

namespace trestle::design {

Exported export_typescript(const Design& design);

}  // namespace trestle::design
