// Reads the items of a request: one, a page, every page, or the pages of all shards merged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/requests/prepared_plan.h"
#include "runtime/requests/request_parts.h"
#include "runtime/sending/request_sender.h"

namespace trestle::runtime {

struct ReadParts {
  RequestParts requests;
  RequestSender& sender;
};

struct Page {
  std::vector<Item> items;
  std::string position;  // empty: the end
};
struct PageBounds {
  std::optional<int64_t> limit;
  bool descending = false;
  std::string position;
};

// Nothing: the item does not exist or has expired.
Outcome<std::optional<Item>> read_item(const ReadParts& parts, const PreparedRequest& prepared);

// Reads at least one page, and as many as needed to fill the limit or reach the end; without a limit, all. If a single
// item is wanted, and reading it from the table shows that it has expired, reads the next one.
Outcome<Page> read_page(const ReadParts& parts, const PreparedRequest& prepared, const PageBounds& bounds);

}  // namespace trestle::runtime
