#include <fmt/format.h>

#include "engine/bulk/export_request.h"
#include "engine/bulk/exports.h"
#include "engine/engine.h"

namespace trestle {

Result<DescribeExportResponse> Engine::describe_export(const DescribeExportRequest& request, Call& call) {
  TRY(check_export_arn(request.export_arn, {.region = options_.region, .account = options_.account}));
  const auto export_ = exports_->catalog().find(request.export_arn);
  if (!export_) {
    return failure(ErrorCode::kExportNotFound,
                   fmt::format("Export not found: Export not found: {}", request.export_arn));
  }
  call.commit = store_->commit_seen();
  return DescribeExportResponse{export_->description};
}

}  // namespace trestle
