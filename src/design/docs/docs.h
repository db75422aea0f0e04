// Renders a design as a document: a single HTML page with diagrams.
//
// It contains the entities, the access patterns with the key condition of each, the aggregate view (sample items
// grouped by partition, for every table and index), a diagram of which operation reaches what, and the checker's
// findings. The page is self-contained (no external script, font or image), follows the reader's light or dark mode,
// and can be printed.
//
// Pure: the same design gives the same page. All text from the design file is escaped (design/docs/html.h).
#pragma once

#include <string>

#include "design/check/check.h"
#include "design/cost/prices.h"
#include "design/language/reader.h"

namespace trestle::design {

// `report` must be check_design(reading). With prices, the page includes the monthly cost at the declared rates.
std::string docs_html(const Reading& reading, const Report& report, const Prices* prices = nullptr);

}  // namespace trestle::design
