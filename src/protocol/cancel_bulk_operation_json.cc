#include "protocol/cancel_bulk_operation_json.h"

#include "protocol/load_enumerations.h"
#include "protocol/load_members.h"

namespace trestle {

Result<CancelBulkOperationRequest> read_cancel_bulk_operation_json(JsonInput input) {
  TRY_INTO(std::string arn, read_arn(input, "BulkOperationArn", "bulkOperationArn"));
  return CancelBulkOperationRequest{.arn = std::move(arn)};
}

void write_cancel_bulk_operation_json(const CancelBulkOperationResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.member("BulkOperationArn", response.arn);
  json.member("BulkOperationStatus", choice_name(kBulkOperationStatuses, response.status));
  json.end_object();
}

}  // namespace trestle
