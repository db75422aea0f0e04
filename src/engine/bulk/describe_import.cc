#include "engine/bulk/bulk_operations.h"
#include "engine/bulk/load_descriptions.h"

namespace trestle {
namespace {

// arn:aws:dynamodb:<region>:<account>:table/<table>/import/<id>
bool is_import_arn(std::string_view arn) {
  const size_t at = arn.find("/import/");
  if (at == arn.npos || arn.size() == at + 8) return false;
  const auto name = table_name_of(arn.substr(0, at));
  return arn.starts_with("arn:") && name && name->size() >= 3;
}

}  // namespace

Result<DescribeImportResponse> describe_import(EngineParts& parts, const DescribeImportRequest& request, Call& call) {
  if (!is_import_arn(request.import_arn)) return invalid("Invalid Import ARN");
  const auto load = parts.loads->catalog().find(request.import_arn);
  if (!load || load->kind != LoadKind::kImport) {
    return failure(ErrorCode::kImportNotFound, "Import not found: " + request.import_arn);
  }
  call.commit = parts.store->commit_seen();
  return ImportResponse{import_description(*load)};
}

}  // namespace trestle
