#include "engine/tables/throughput_definition.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/tables/key_definition.h"

namespace trestle {
namespace {

// The error for an on-demand limit of a provisioned table, which is worded differently in each case.
std::unexpected<Error> limit_not_allowed(ThroughputSubject subject, std::string_view limit) {
  std::string of_index;
  if (!subject.index.empty()) of_index = fmt::format(" for index{}: {}", subject.is_new ? "" : " ", subject.index);
  return invalid_parameter(
      fmt::format("{} for OnDemandThroughput{} cannot be specified when {}table BillingMode is "
                  "PROVISIONED{}",
                  limit, of_index, subject.is_new ? "" : "the ", subject.is_new ? "." : ""));
}

Result<void> check_on_demand_limit(ThroughputSubject subject, std::string_view limit,
                                   const std::optional<int64_t>& units) {
  if (!units || *units > 0 || (*units == -1 && !subject.is_new)) return {};
  const auto of = subject.index.empty() ? std::string("table") : fmt::format("index : {}", subject.index);
  return invalid_parameter(
      fmt::format("Requested {} for OnDemandThroughput for {} is outside of valid range", limit, of));
}

struct WarmFigure {
  std::string_view name;         // "ReadUnitsPerSecond"
  std::string_view provisioned;  // "ReadCapacityUnits"
  std::optional<int64_t> least;
  std::optional<int64_t> requested;
};

Result<void> check_warm_figure(ThroughputSubject subject, BillingMode billing, const WarmFigure& figure) {
  if (!figure.requested || *figure.requested >= figure.least.value_or(1)) return {};
  const auto of = subject.index.empty() ? std::string("table") : fmt::format("index {}", subject.index);
  const auto lower = fmt::format("Requested {} for WarmThroughput for {} is lower than ", figure.name, of);
  if (!subject.is_new) {
    return invalid_parameter(
        fmt::format("{}current WarmThroughput, decreasing WarmThroughput is not supported", lower));
  }
  if (billing == BillingMode::kProvisioned) {
    return invalid_parameter(fmt::format("{}{} of ProvisionedThroughput", lower, figure.provisioned));
  }
  return invalid_parameter(
      fmt::format("{}initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/"
                  "developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial",
                  lower));
}

}  // namespace

Result<void> check_throughput_bounds(const Throughput& throughput) {
  if (throughput.read_units > kProvisionedUnitsMax) {
    return invalid(fmt::format("Given value {} for ReadCapacityUnits is out of bounds", throughput.read_units));
  }
  if (throughput.write_units > kProvisionedUnitsMax) {
    return invalid(fmt::format("Given value {} for WriteCapacityUnits is out of bounds", throughput.write_units));
  }
  return {};
}

Result<void> check_table_throughput(BillingMode billing, const std::optional<Throughput>& throughput) {
  if (billing == BillingMode::kPayPerRequest) {
    if (!throughput) return {};
    return invalid_parameter(
        "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST");
  }
  if (!throughput || throughput->read_units < 1 || throughput->write_units < 1) {
    return invalid_parameter(
        "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED");
  }
  return check_throughput_bounds(*throughput);
}

Result<void> check_index_throughput(ThroughputSubject subject, BillingMode billing,
                                    const std::optional<Throughput>& throughput) {
  if (billing == BillingMode::kPayPerRequest) {
    if (!throughput) return {};
    return invalid_parameter(fmt::format("{} for index: {} when BillingMode is PAY_PER_REQUEST",
                                         subject.is_new
                                             ? "ProvisionedThroughput should not be specified"
                                             : "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified",
                                         subject.index));
  }
  if (!throughput || throughput->read_units < 1 || throughput->write_units < 1) {
    return invalid_parameter(fmt::format("{} for index: {}",
                                         subject.is_new
                                             ? "ProvisionedThroughput is not specified"
                                             : "Both ReadCapacityUnits and WriteCapacityUnits must be specified",
                                         subject.index));
  }
  auto bounds = check_throughput_bounds(*throughput);
  if (!bounds.has_value()) bounds.error().message += fmt::format(" for index {}", subject.index);
  return bounds;
}

Result<void> check_on_demand(ThroughputSubject subject, BillingMode billing,
                             const std::optional<ThroughputLimits>& on_demand) {
  if (!on_demand) return {};
  if (billing != BillingMode::kPayPerRequest) {
    if (on_demand->read_units) return limit_not_allowed(subject, "MaxReadRequestUnits");
    if (on_demand->write_units) return limit_not_allowed(subject, "MaxWriteRequestUnits");
  }
  TRY(check_on_demand_limit(subject, "MaxReadRequestUnits", on_demand->read_units));
  return check_on_demand_limit(subject, "MaxWriteRequestUnits", on_demand->write_units);
}

Result<void> check_warm(ThroughputSubject subject, BillingMode billing, const ThroughputLimits& least,
                        const std::optional<ThroughputLimits>& requested) {
  if (!requested) return {};
  TRY(check_warm_figure(subject, billing,
                        {.name = "ReadUnitsPerSecond",
                         .provisioned = "ReadCapacityUnits",
                         .least = least.read_units,
                         .requested = requested->read_units}));
  return check_warm_figure(subject, billing,
                           {.name = "WriteUnitsPerSecond",
                            .provisioned = "WriteCapacityUnits",
                            .least = least.write_units,
                            .requested = requested->write_units});
}

ThroughputLimits default_warm(BillingMode billing, const Throughput& throughput) {
  if (billing == BillingMode::kPayPerRequest) {
    return {.read_units = kWarmReadUnitsOnDemand, .write_units = kWarmWriteUnitsOnDemand};
  }
  return {.read_units = throughput.read_units, .write_units = throughput.write_units};
}

ThroughputLimits raise_warm(const ThroughputLimits& warm, const Throughput& throughput) {
  return {.read_units = std::max(warm.read_units.value_or(0), throughput.read_units),
          .write_units = std::max(warm.write_units.value_or(0), throughput.write_units)};
}

ThroughputLimits merge_limits(const ThroughputLimits& current, const std::optional<ThroughputLimits>& requested) {
  if (!requested) return current;
  // -1 removes a limit.
  const auto merged = [](const auto& now, const auto& requested_limit) {
    auto limit = requested_limit ? requested_limit : now;
    if (limit == -1) limit.reset();
    return limit;
  };
  return {.read_units = merged(current.read_units, requested->read_units),
          .write_units = merged(current.write_units, requested->write_units)};
}

}  // namespace trestle
