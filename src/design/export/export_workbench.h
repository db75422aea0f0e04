// Exports a design as a data model of NoSQL Workbench (JSON, model version 3.0), with sample rows.
//
// Entities and guards become facets. A facet's key aliases are the entity's templates, so that import_workbench() can
// recover them. The order of attributes is fixed: fields, TTL, type, index keys. Rows are the entity's examples if it
// has any, otherwise samples (design/sample/sample.h). Exporting, importing and exporting again produces the same
// model. The format cannot express TTL, streams, local indexes or keys of several attributes: notes name what was left
// out. Pure.
#pragma once

#include "design/export/exported.h"
#include "design/language/design.h"

namespace trestle::design {

Exported export_workbench(const Design& design);

}  // namespace trestle::design
