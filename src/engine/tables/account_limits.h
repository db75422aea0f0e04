// Enforces the limits that DescribeLimits reports: the maximum units of a table or index and of the account. Pure.
// Errors are DynamoDB's.
#pragma once

#include <span>
#include <string_view>

#include "model/error.h"
#include "model/table_requests.h"

namespace trestle {

// The end of messages about limits.
inline constexpr std::string_view kLimitsReference =
    "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.";

// "Subscriber limit exceeded: <what>".
std::unexpected<Error> subscriber_limit(std::string_view what);

// Checks that there may be one more table.
Result<void> check_table_count(size_t tables);

// The provisioned units of a table and its global indexes together.
Throughput reserved_units(const TableDescription& table);

// Checks whether a table may change from `before` (null for a new table) to `after`. Only figures that increase are
// checked. `reserved` is the throughput that all tables reserve now.
struct AccountLimitsContext {
  std::string_view region;
  Throughput reserved;
};
Result<void> check_account_limits(const TableDescription* before, const TableDescription& after,
                                  const AccountLimitsContext& context);

// Whether both times are on the same UTC day. Decreases are counted per UTC day.
inline bool is_same_day(int64_t a_ms, int64_t b_ms) {
  constexpr int64_t kDayMs = 24 * 60 * 60 * 1000;
  return a_ms / kDayMs == b_ms / kDayMs;
}

// "Provisioned throughput decreases are limited within a given UTC day": four at any time, later ones an hour apart.
// `decreases_today` and `decreased_ms` are those of the throughput to be decreased.
Result<void> check_decrease(int64_t decreases_today, int64_t decreased_ms, int64_t now_ms);

}  // namespace trestle
