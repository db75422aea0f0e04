// Exports a design's data as JSON Schema (2020-12). $defs contains every record, every entity as operations return it
// (`User`), and the inputs of every operation (`createUser.inputs`). Pure.
#pragma once

#include "design/export/exported.h"
#include "design/language/design.h"

namespace trestle::design {

Exported export_json_schema(const Design& design);

}  // namespace trestle::design
