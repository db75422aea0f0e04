#include "engine/bulk/export_request.h"

#include <fmt/format.h>

#include "base/sha256.h"
#include "base/utc_text.h"
#include "engine/recovery/backups.h"
#include "storage/catalog/export_catalog.h"

namespace trestle {
namespace {

constexpr int64_t kMinuteMs = 60 * 1000;
constexpr int64_t kPeriodMinMs = 15 * kMinuteMs;
constexpr int64_t kPeriodMaxMs = 24 * 60 * kMinuteMs;
constexpr std::string_view kExportPart = "/export/";

// arn:<partition>:<service>:<region>:<account>:<resource>
struct ArnParts {
  std::string_view partition, service, region, account, resource;
};

std::optional<ArnParts> arn_parts(std::string_view arn) {
  std::string_view parts[5];
  for (std::string_view& part : parts) {
    const size_t colon = arn.find(':');
    if (colon == arn.npos) return std::nullopt;
    part = arn.substr(0, colon);
    arn.remove_prefix(colon + 1);
  }
  if (parts[0] != "arn") return std::nullopt;
  return ArnParts{parts[1], parts[2], parts[3], parts[4], arn};
}

std::unexpected<Error> access_denied() { return failure(ErrorCode::kAccessDenied, "Access is denied"); }

std::unexpected<Error> invalid_time(std::string message) {
  return failure(ErrorCode::kInvalidExportTime, std::move(message));
}

}  // namespace

std::string export_id(int64_t start_ms, uint32_t suffix) { return fmt::format("{:014}-{:08x}", start_ms, suffix); }

std::string export_arn(std::string_view table_arn, std::string_view id) {
  return std::string(table_arn).append(kExportPart).append(id);
}

Result<void> check_export_arn(std::string_view arn, ArnContext context) {
  const auto parts = arn_parts(arn);
  const size_t at = parts ? parts->resource.find(kExportPart) : std::string_view::npos;
  const bool is_export_arn = at != std::string_view::npos && parts->service == "dynamodb" &&
                             parts->resource.starts_with("table/") && at > 6 &&
                             parts->resource.size() > at + kExportPart.size() &&
                             parts->resource.find('/', at + kExportPart.size()) == std::string_view::npos;
  if (!is_export_arn) return invalid("Invalid Export ARN");
  if (parts->account != context.account) return access_denied();
  if (parts->region != context.region) {
    return failure(ErrorCode::kExportNotFound, "Export not found: Invalid export arn");
  }
  return {};
}

Result<std::string_view> check_exported_table_arn(std::string_view arn, ArnContext context) {
  if (arn.empty()) return invalid("Invalid TableArn: Invalid Table ARN");
  const auto parts = arn_parts(arn);
  if (!parts || parts->service != "dynamodb") {
    return invalid_parameter("tableArn is not a valid ARN");
  }
  constexpr std::string_view kTable = "table/";
  if (!parts->resource.starts_with(kTable) || parts->resource.find('/', kTable.size()) != std::string_view::npos) {
    return invalid("Invalid Request: Table ARN is invalid.");
  }
  if (parts->account != context.account) return access_denied();
  if (parts->region != context.region) {
    return failure(ErrorCode::kTableNotFound, fmt::format("Table not found: {}", arn));
  }
  return parts->resource.substr(kTable.size());
}

Result<void> check_export_members(const ExportTableToPointInTimeRequest& request) {
  const bool is_incremental = request.type == ExportType::kIncremental;
  if (request.period && !request.type) {
    return invalid(
        "Invalid Request: Export Type expected to be Incremental Export when incremental export specification is "
        "provided");
  }
  if (request.period && !is_incremental) {
    return invalid(
        "Invalid Request: When Export Type is Full Export , Incremental Export Specification should not be provided");
  }
  if (is_incremental && !request.period) {
    return invalid(
        "Invalid Request: Incremental Export Specification expected when export type is set as Incremental Export");
  }
  if (is_incremental && !request.period->from_ms) {
    return invalid("Invalid Request: ExportFromTime must be provided in IncrementalExportSpecification");
  }
  if (request.sse_kms_key_id && request.sse_algorithm != S3SseAlgorithm::kKms) {
    return invalid("Invalid Request: KMS Key Id is not supported for this encryption type");
  }
  return {};
}

Result<void> check_export_time(int64_t export_ms, const TableDescription& table, int64_t now_ms) {
  if (!table.recovery) return recovery_not_enabled(table.name);
  const RestorableTimes times = restorable_times(*table.recovery, now_ms);
  if (export_ms < times.earliest_ms || export_ms > times.latest_ms) return invalid_time("Export Time is invalid");
  return {};
}

Result<void> check_export_period(const ExportPeriod& period, const TableDescription& table, int64_t now_ms) {
  const int64_t from_ms = *period.from_ms;
  const int64_t to_ms = *period.to_ms;
  if (to_ms > now_ms) {
    return invalid_time(
        fmt::format("Incremental export period to time cannot be greater than the current time : {}", utc_text(to_ms)));
  }
  if (from_ms < table.created_ms / 1000 * 1000) {
    return invalid_time(fmt::format(
        "Incremental export period from time cannot be less than the table creation time : {}", utc_text(from_ms)));
  }
  if (to_ms - from_ms < kPeriodMinMs) {
    return invalid_time("Difference between export period from time and export period to time is less than 15 minutes");
  }
  if (to_ms - from_ms > kPeriodMaxMs) {
    return invalid_time("Difference between export period from time and export period to time is more than 24 hours");
  }
  if (!table.recovery) return recovery_not_enabled(table.name);
  if (from_ms < restorable_times(*table.recovery, now_ms).earliest_ms) {
    return invalid_time("Point in Time Recovery is not available for specified export time");
  }
  return {};
}

std::string export_parameters(const ExportTableToPointInTimeRequest& request) {
  Export stored{.description = describe_request(request)};
  stored.description.client_token.reset();
  const Sha256Digest digest = sha256(encode_export(stored));
  return std::string(reinterpret_cast<const char*>(digest.data()), digest.size());
}

ExportDescription describe_request(const ExportTableToPointInTimeRequest& request) {
  ExportDescription export_;
  export_.type = request.type.value_or(ExportType::kFull);
  export_.table_arn = request.table_arn;
  export_.export_ms = request.export_ms;
  export_.period = request.period;
  export_.client_token = request.client_token;
  export_.s3_bucket = request.s3_bucket;
  export_.s3_bucket_owner = request.s3_bucket_owner;
  export_.s3_prefix = request.s3_prefix;
  export_.sse_algorithm = request.sse_algorithm.value_or(S3SseAlgorithm::kAes256);
  export_.sse_kms_key_id = request.sse_kms_key_id;
  export_.format = request.format.value_or(ExportFormat::kDynamoDbJson);
  export_.filter = request.filter;
  return export_;
}

}  // namespace trestle
