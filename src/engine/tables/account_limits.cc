#include "engine/tables/account_limits.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <optional>

#include "model/limits.h"

namespace trestle {
namespace {

constexpr int64_t kHourMs = 60 * 60 * 1000;
constexpr int64_t kFreeDecreases = 4;

// A throughput figure of a table or index, before and after the change.
struct Figure {
  std::string_view index;  // empty: the table
  std::string_view name;
  int64_t before = 0;
  int64_t after = 0;
  int64_t limit = 0;
  bool exceeds_limit() const { return after > before && after > limit; }
};

Result<void> check_units(const Figure& figure, std::string_view region) {
  if (!figure.exceeds_limit()) return {};
  const std::string of = figure.index.empty() ? "" : fmt::format(" for index {}", figure.index);
  return failure(ErrorCode::kLimitExceeded,
                 fmt::format("The requested {0}{1}, {2}, is above the per {3} maximum for the account in {4}. Per {3} "
                             "maximum: {5}. {6}",
                             figure.name, of, figure.after, figure.index.empty() ? "table" : "index", region,
                             figure.limit, kLimitsReference));
}

// Checks "MaxReadRequestUnits for OnDemandThroughput", for example, against the table limit named `limit_name`.
Result<void> check_account_limit(const Figure& figure, std::string_view of_what, std::string_view limit_name,
                                 std::string_view region) {
  if (!figure.exceeds_limit()) return {};
  return subscriber_limit(fmt::format("Requested {} for {} exceeds {} of the account in region {}", figure.name,
                                      of_what, limit_name, region));
}

struct Figures {
  std::string_view index;
  Throughput units;
  ThroughputLimits on_demand;
  ThroughputLimits warm;
};

Result<void> check_figures(const Figures& before, const Figures& after, std::string_view region) {
  const DescribeLimitsResponse limits;
  const std::string_view index = after.index;
  TRY(check_units(
      {index, "ReadCapacityUnits", before.units.read_units, after.units.read_units, limits.table_read_units_max},
      region));
  TRY(check_units(
      {index, "WriteCapacityUnits", before.units.write_units, after.units.write_units, limits.table_write_units_max},
      region));
  const auto check = [&](const std::string& of_what, std::string_view read_name, std::string_view write_name,
                         const ThroughputLimits& old_limits, const ThroughputLimits& new_limits) -> Result<void> {
    TRY(check_account_limit({index, read_name, old_limits.read_units.value_or(0), new_limits.read_units.value_or(0),
                             limits.table_read_units_max},
                            of_what, "TableMaxReadCapacityUnits", region));
    return check_account_limit({index, write_name, old_limits.write_units.value_or(0),
                                new_limits.write_units.value_or(0), limits.table_write_units_max},
                               of_what, "TableMaxWriteCapacityUnits", region);
  };
  const bool is_table = index.empty();
  TRY(check(is_table ? "OnDemandThroughput for table" : fmt::format("OnDemandThroughput for index : {}", index),
            "MaxReadRequestUnits", "MaxWriteRequestUnits", before.on_demand, after.on_demand));
  return check(is_table ? "WarmThroughput for table" : fmt::format("WarmThroughput for index {}", index),
               "ReadUnitsPerSecond", "WriteUnitsPerSecond", before.warm, after.warm);
}

Result<void> check_sum(std::string_view name, int64_t growth, int64_t reserved, int64_t requested, int64_t limit,
                       std::string_view region) {
  if (growth <= 0 || reserved + growth <= limit) return {};
  return failure(ErrorCode::kLimitExceeded,
                 fmt::format("This request would have caused the {0} limit to be exceeded for the account in {1}. "
                             "Current {0} reserved by the account: {2}. Limit: {3}. Requested: {4}. {5}",
                             name, region, reserved, limit, requested, kLimitsReference));
}

// For example "Monday, February 13, 2023 at 10:25:39 AM Coordinated Universal Time".
std::string long_date(int64_t ms) {
  const std::tm utc = fmt::gmtime(static_cast<std::time_t>(ms / 1000));
  return fmt::format("{0:%A, %B} {1}, {0:%Y} at {2}:{0:%M:%S} {3} Coordinated Universal Time", utc, utc.tm_mday,
                     (utc.tm_hour + 11) % 12 + 1, utc.tm_hour < 12 ? "AM" : "PM");
}

}  // namespace

std::unexpected<Error> subscriber_limit(std::string_view what) {
  return failure(ErrorCode::kLimitExceeded, std::string("Subscriber limit exceeded: ").append(what));
}

Result<void> check_table_count(size_t tables) {
  if (tables < kTablesMax) return {};
  return subscriber_limit(fmt::format("There is a limit of {} tables per subscriber", kTablesMax));
}

Throughput reserved_units(const TableDescription& table) {
  if (table.billing != BillingMode::kProvisioned) return {};
  Throughput sum = table.throughput;
  for (const IndexDescription& index : table.indexes) {
    sum.read_units += index.throughput.read_units;
    sum.write_units += index.throughput.write_units;
  }
  return sum;
}

Result<void> check_account_limits(const TableDescription* before, const TableDescription& after,
                                  const AccountLimitsContext& context) {
  const auto figures = [](const auto& of, std::string_view index) {
    return Figures{.index = index, .units = of.throughput, .on_demand = of.on_demand, .warm = of.warm};
  };
  TRY(check_figures(before != nullptr ? figures(*before, {}) : Figures{}, figures(after, {}), context.region));
  for (const IndexDescription& index : after.indexes) {
    const IndexDescription* old_index = before != nullptr ? before->index(index.name) : nullptr;
    TRY(check_figures(old_index != nullptr ? figures(*old_index, index.name) : Figures{}, figures(index, index.name),
                      context.region));
  }
  const DescribeLimitsResponse limits;
  const Throughput old_units = before != nullptr ? reserved_units(*before) : Throughput{};
  const Throughput new_units = reserved_units(after);
  TRY(check_sum("ReadCapacityUnits", new_units.read_units - old_units.read_units, context.reserved.read_units,
                new_units.read_units, limits.account_read_units_max, context.region));
  return check_sum("WriteCapacityUnits", new_units.write_units - old_units.write_units, context.reserved.write_units,
                   new_units.write_units, limits.account_write_units_max, context.region);
}

Result<void> check_decrease(int64_t decreases_today, int64_t decreased_ms, int64_t now_ms) {
  const bool is_today = is_same_day(decreased_ms, now_ms);
  if (!is_today || decreases_today < kFreeDecreases || now_ms - decreased_ms >= kHourMs) return {};
  return subscriber_limit(
      fmt::format("Provisioned throughput decreases are limited within a given UTC "
                  "day. After the first 4 decreases, each subsequent decrease in the same UTC day can be "
                  "performed at most once every 3600 seconds. Number of decreases today: {}. Last decrease at "
                  "{}. Next decrease can be made at {}",
                  decreases_today, long_date(decreased_ms), long_date(decreased_ms + kHourMs)));
}

}  // namespace trestle
