// Functions shared by the operations on exports: ARNs and validation of requests. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/recovery/continuous_backups.h"
#include "model/error.h"
#include "model/export_requests.h"
#include "model/table.h"

namespace trestle {

// For example "01791506414432-3f2e5aa4". It begins with the time.
std::string export_id(int64_t start_ms, uint32_t suffix);
// "arn:aws:dynamodb:<region>:<account>:table/<table>/export/<id>".
std::string export_arn(std::string_view table_arn, std::string_view id);
struct ArnContext {
  std::string_view region;
  std::string_view account;
};
Result<void> check_export_arn(std::string_view arn, ArnContext context);
// Returns the name of the table. The ARN's region need not be this one.
Result<std::string_view> check_exported_table_arn(std::string_view arn, ArnContext context);

// Checks that the parameters of a request are consistent, independently of the table.
Result<void> check_export_members(const ExportTableToPointInTimeRequest& request);
// These check that the table's history covers the times of the export. `period` must have both its times.
Result<void> check_export_time(int64_t export_ms, const TableDescription& table, int64_t now_ms);
Result<void> check_export_period(const ExportPeriod& period, const TableDescription& table, int64_t now_ms);

// A fingerprint of the parameters: two requests with the same token are the same request if it is equal.
std::string export_parameters(const ExportTableToPointInTimeRequest& request);
// The parts of the description that follow from the request alone, without the table.
ExportDescription describe_request(const ExportTableToPointInTimeRequest& request);

}  // namespace trestle
