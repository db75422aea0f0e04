// A design's operations as OpenAPI 3.1: POST /designs/<design>/<operation> for all, GET with query parameters for reads
// whose inputs are plain values, problem+json for every failure that the operation can have, `limit` and `next` for
// lists, ETag and If-Match where an entity has a revision. Pure.
#pragma once

#include "design/design.h"
#include "design/exported.h"

namespace trestle::design {

Exported export_openapi(const Design& design);

}  // namespace trestle::design
