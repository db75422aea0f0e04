// What the operations on exports share: ARNs, and whether a request can be met. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/recovery/continuous_backups.h"
#include "model/error.h"
#include "model/export_requests.h"
#include "model/table.h"

namespace trestle {

// "01791506414432-3f2e5aa4": it begins with the time.
std::string export_id(int64_t start_ms, uint32_t suffix);
// "arn:aws:dynamodb:<region>:<account>:table/<table>/export/<id>".
std::string export_arn(std::string_view table_arn, std::string_view id);
struct ArnContext {
  std::string_view region;
  std::string_view account;
};
Result<void> check_export_arn(std::string_view arn, ArnContext context);
// The name of the table; it need not be one of this region.
Result<std::string_view> check_exported_table_arn(std::string_view arn, ArnContext context);

// Whether the members of a request go together, whatever the table.
Result<void> check_export_members(const ExportTableToPointInTimeRequest& request);
// Whether a table has the moments that the export is of.
Result<void> check_export_time(int64_t export_ms, const TableDescription& table, int64_t now_ms);
// `period` has both its times.
Result<void> check_export_period(const ExportPeriod& period, const TableDescription& table, int64_t now_ms);

// What makes two requests with the same token the same.
std::string export_parameters(const ExportTableToPointInTimeRequest& request);
// What the request says of its export; nothing is known of the table yet.
ExportDescription describe_request(const ExportTableToPointInTimeRequest& request);

}  // namespace trestle
