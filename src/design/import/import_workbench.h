// A data model of NoSQL Workbench (its JSON, versions 2 and 3) as a design file.
//
// Facets become entities, or, without facets, each table is one. Key templates come from a facet's aliases when they
// are written as templates ("USER#{userId}", "USER#<userId>"), else they are inferred from the sample rows: the
// template that yields every row's key from its other attributes. Types are guessed from the rows (ids, times,
// addresses). Anything that could not be converted is a comment in the file. Pure.
#pragma once

#include <string>
#include <string_view>

#include "model/error.h"

namespace trestle::design {

Result<std::string> import_workbench(std::string_view json);

}  // namespace trestle::design
