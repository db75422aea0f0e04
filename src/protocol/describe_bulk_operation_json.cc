#include "protocol/describe_bulk_operation_json.h"

#include "protocol/load_members.h"

namespace trestle {

Result<DescribeBulkOperationRequest> read_describe_bulk_operation_json(JsonInput input) {
  TRY_INTO(std::string arn, read_arn(input, "BulkOperationArn", "bulkOperationArn"));
  return DescribeBulkOperationRequest{.arn = std::move(arn)};
}

void write_describe_bulk_operation_json(const DescribeBulkOperationResponse& response, std::string& out) {
  write_bulk_operation_response(response.operation, out);
}

}  // namespace trestle
