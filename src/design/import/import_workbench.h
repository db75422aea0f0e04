// Converts a data model of NoSQL Workbench (JSON, versions 2 and 3) to a design file.
//
// Facets become entities. In a table without facets, sample rows are grouped by the form of their keys, and each group
// becomes an entity. Key templates come from a facet's aliases if they are templates ("USER#{userId}",
// "USER#<userId>"); otherwise they are inferred from the sample rows, as templates that produce every row's key from
// its other attributes. Types are guessed from the rows (ids, times, addresses). Anything that cannot be converted
// becomes a comment in the file. Pure.
#pragma once

#include <string>
#include <string_view>

#include "model/error.h"

namespace trestle::design {

Result<std::string> import_workbench(std::string_view json);

}  // namespace trestle::design
