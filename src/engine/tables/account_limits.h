// Enforces the limits that DescribeLimits reports: the maximum units of a table or index and of the account. Pure. In
// DynamoDB's words.
#pragma once

#include <span>
#include <string_view>

#include "model/error.h"
#include "model/table_requests.h"

namespace trestle {

// The provisioned units of a table and its global indexes together.
Throughput reserved_units(const TableDescription& table);

// Checks whether a table may become `after`. Only figures that grow are checked: `before` is the current table, null
// for a new one. `reserved` is the throughput that all tables reserve now.
struct AccountLimitsContext {
  std::string_view region;
  Throughput reserved;
};
Result<void> check_account_limits(const TableDescription* before, const TableDescription& after,
                                  const AccountLimitsContext& context);

// The same day in UTC, by which decreases are counted.
inline bool is_same_day(int64_t a_ms, int64_t b_ms) {
  constexpr int64_t kDayMs = 24 * 60 * 60 * 1000;
  return a_ms / kDayMs == b_ms / kDayMs;
}

// "Provisioned throughput decreases are limited within a given UTC day": four at any time, later ones an hour apart.
// `decreases_today` and `decreased_ms` belong to the throughput that is to be decreased.
Result<void> check_decrease(int64_t decreases_today, int64_t decreased_ms, int64_t now_ms);

}  // namespace trestle
