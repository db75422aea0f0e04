#include "engine/throughput_definition.h"

#include <fmt/format.h>

#include "engine/key_definition.h"

namespace trestle {

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

Result<void> check_index_throughput(std::string_view index, BillingMode billing,
                                    const std::optional<Throughput>& throughput) {
  if (billing == BillingMode::kPayPerRequest) {
    if (!throughput) return {};
    return invalid_parameter(
        fmt::format("ProvisionedThroughput should not be specified for index: {} when BillingMode is PAY_PER_REQUEST",
                    index));
  }
  if (!throughput || throughput->read_units < 1 || throughput->write_units < 1) {
    return invalid_parameter(fmt::format("ProvisionedThroughput is not specified for index: {}", index));
  }
  auto bounds = check_throughput_bounds(*throughput);
  if (!bounds.has_value()) bounds.error().message += fmt::format(" for index {}", index);
  return bounds;
}

Result<void> check_on_demand(std::string_view subject, BillingMode billing,
                             const std::optional<ThroughputLimits>& on_demand) {
  if (!on_demand) return {};
  if (billing != BillingMode::kPayPerRequest) {
    return invalid_parameter(
        fmt::format("OnDemandThroughput cannot be specified for {} when BillingMode is PROVISIONED", subject));
  }
  const auto outside = [](const std::optional<int64_t>& units) { return units && *units != -1 && *units < 1; };
  if (outside(on_demand->read_units)) {
    return invalid_parameter(
        fmt::format("Requested MaxReadRequestUnits for OnDemandThroughput for {} is outside of valid range", subject));
  }
  if (outside(on_demand->write_units)) {
    return invalid_parameter(
        fmt::format("Requested MaxWriteRequestUnits for OnDemandThroughput for {} is outside of valid range", subject));
  }
  return {};
}

Result<void> check_warm(std::string_view subject, const ThroughputLimits& current,
                        const std::optional<ThroughputLimits>& requested) {
  if (!requested) return {};
  const auto lower = [](const std::optional<int64_t>& now, const std::optional<int64_t>& then) {
    return then && *then < now.value_or(1);
  };
  const auto refused = [&](std::string_view units) {
    return invalid_parameter(
        fmt::format("Requested {} for WarmThroughput for {} is lower than the current WarmThroughput, decreasing "
                    "WarmThroughput is not supported",
                    units, subject));
  };
  if (lower(current.read_units, requested->read_units)) return refused("ReadUnitsPerSecond");
  if (lower(current.write_units, requested->write_units)) return refused("WriteUnitsPerSecond");
  return {};
}

ThroughputLimits default_warm(BillingMode billing, const Throughput& throughput) {
  if (billing == BillingMode::kPayPerRequest) {
    return {.read_units = kWarmReadUnitsOnDemand, .write_units = kWarmWriteUnitsOnDemand};
  }
  return {.read_units = throughput.read_units, .write_units = throughput.write_units};
}

ThroughputLimits merge_limits(const ThroughputLimits& current, const std::optional<ThroughputLimits>& requested) {
  if (!requested) return current;
  return {.read_units = requested->read_units ? requested->read_units : current.read_units,
          .write_units = requested->write_units ? requested->write_units : current.write_units};
}

}  // namespace trestle
