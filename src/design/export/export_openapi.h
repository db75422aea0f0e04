// A design's operations as OpenAPI 3.1, exactly as the API serves them (api/design_api.h): POST
// /designs/<design>/<operation> for all, GET with query parameters for reads, problem+json for every failure that the
// operation can have, `limit`, `next` and `descending` for lists, Idempotency-Key for writes, ETag, If-Match and
// If-None-Match where an entity has a revision. Pure.
#pragma once

#include "design/export/exported.h"
#include "design/language/design.h"

namespace trestle::design {

Exported export_openapi(const Design& design);

}  // namespace trestle::design
