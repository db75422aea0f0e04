// The response of GET /insights: the most read, written and throttled keys of every table and global index with
// Contributor Insights enabled, as JSON. It reveals key values, so only callers who may read the items should see it.
//
//   {"ContributorInsights": [{"TableName": "music", "ContributorInsightsMode": "ACCESSED_AND_THROTTLED_KEYS",
//     "Since": 1763200000.000,                        start of the counts
//     "Read": {"Total": 120,
//              "PartitionKeys": [{"Key": {"artist": {"S": "A"}}, "Count": 80, "Error": 0}, ...],
//              "Keys": [...]},                        with sort keys, if the table has one
//     "Written": {...}, "Throttled": {...},
//     "Recent": {"Read": {...}, "Written": {...}, "Throttled": {...}}}]}      this minute and the previous one
//
// A count may be too high, by at most its Error.
#pragma once

#include <string>
#include <string_view>

#include "engine/engine.h"

namespace trestle {

// `query`: "top=25" sets the number of keys in a list (at most 100; default 10), "table=music" selects a table.
std::string insights_page(const Engine& engine, std::string_view query);

}  // namespace trestle
