#include <fmt/format.h>

#include "engine/bulk/bulk_operations.h"
#include "engine/bulk/export_request.h"
#include "engine/bulk/exports.h"

namespace trestle {

Result<DescribeExportResponse> describe_export(EngineParts& parts, const DescribeExportRequest& request, Call& call) {
  TRY(check_export_arn(request.export_arn, {.region = parts.options.region, .account = parts.options.account}));
  const auto export_ = parts.exports->catalog().find(request.export_arn);
  if (!export_) {
    return failure(ErrorCode::kExportNotFound,
                   fmt::format("Export not found: Export not found: {}", request.export_arn));
  }
  call.commit = parts.store->commit_seen();
  return DescribeExportResponse{export_->description};
}

}  // namespace trestle
