#include "protocol/describe_export_json.h"

#include "protocol/constraints.h"
#include "protocol/export_members.h"

namespace trestle {

Result<DescribeExportRequest> read_describe_export_json(JsonInput input) {
  std::optional<std::string_view> arn;
  for (const JsonMember member : input) {
    if (member.name == "ExportArn") {
      TRY_INTO(arn, json_string(member.value));
    }
  }
  Constraints constraints;
  constraints.not_null(arn.has_value(), "exportArn");
  constraints.length_at_least(arn, "exportArn", 37);
  constraints.length_at_most(arn, "exportArn", 1024);
  TRY(constraints.check());
  return DescribeExportRequest{.export_arn = std::string(*arn)};
}

void write_describe_export_json(const DescribeExportResponse& response, std::string& out) {
  write_export_response(response.description, out);
}

}  // namespace trestle
