// Exports a design's operations as OpenAPI 3.1, exactly as the API serves them (api/design_api.h): POST
// /designs/<design>/<operation> for all operations, GET with query parameters for reads, problem+json for every
// possible failure, `limit`, `next` and `descending` for lists, Idempotency-Key for writes, and ETag, If-Match and
// If-None-Match for entities with a revision. Pure.
#pragma once

#include "design/export/exported.h"
#include "design/language/design.h"

namespace trestle::design {

Exported export_openapi(const Design& design);

}  // namespace trestle::design
