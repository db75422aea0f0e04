// A design as a document: a single HTML page with diagrams.
//
// Entities, access patterns with the key condition of each, the aggregate view (sample items grouped by partition, for
// every table and index), a diagram of what is reached from where, the checker's findings. The page is self-contained:
// no script, font or image from elsewhere; it follows the reader's light or dark mode, and prints.
//
// Pure: the same design gives the same page. Everything that comes from the file is escaped (design/docs/html.h).
#pragma once

#include <string>

#include "design/check/check.h"
#include "design/cost/prices.h"
#include "design/language/reader.h"

namespace trestle::design {

// `report` is check_design(reading). With prices, what the declared rates cost a month is in it too.
std::string docs_html(const Reading& reading, const Report& report, const Prices* prices = nullptr);

}  // namespace trestle::design
