// A design as a data model of NoSQL Workbench (its JSON, model version 3.0), with sample rows.
//
// A table's entities, and the guards beside them, become facets; a facet's key aliases are the entity's templates, so
// that import_workbench finds them again. Attributes stand in one order: fields, TTL, type, index keys. Rows are the
// design's own examples where it has some, else samples (design/sample/sample.h), by facet. Exporting, importing and
// exporting again gives the same model. The model has no place for TTL, streams, local indexes and keys of several
// attributes: the notes name what was left out. Pure.
#pragma once

#include "design/export/exported.h"
#include "design/language/design.h"

namespace trestle::design {

Exported export_workbench(const Design& design);

}  // namespace trestle::design
