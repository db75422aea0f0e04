#include "protocol/describe_import_json.h"

#include "protocol/load_members.h"

namespace trestle {

Result<DescribeImportRequest> read_describe_import_json(JsonInput input) {
  TRY_INTO(std::string arn, read_arn(input, "ImportArn", "importArn"));
  return DescribeImportRequest{.import_arn = std::move(arn)};
}

void write_describe_import_json(const DescribeImportResponse& response, std::string& out) {
  write_import_response(response.import, out);
}

}  // namespace trestle
