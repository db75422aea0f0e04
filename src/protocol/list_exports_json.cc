#include "protocol/list_exports_json.h"

#include "protocol/client_output.h"
#include "protocol/constraints.h"
#include "protocol/export_enumerations.h"

namespace trestle {

Result<ListExportsRequest> read_list_exports_json(JsonInput input) {
  ListExportsRequest request;
  std::optional<std::string_view> table_arn;
  std::optional<std::string_view> next_token;
  for (const JsonMember member : input) {
    if (member.name == "TableArn") {
      TRY_INTO(table_arn, json_string(member.value));
    } else if (member.name == "MaxResults") {
      TRY_INTO(request.max_results, json_integer(member.value, "Integer"));
    } else if (member.name == "NextToken") {
      TRY_INTO(next_token, json_string(member.value));
    }
  }
  Constraints constraints;
  constraints.length_at_least(table_arn, "tableArn", 1);
  constraints.length_at_most(table_arn, "tableArn", 1024);
  constraints.value_at_least(request.max_results, "maxResults", 1);
  constraints.value_at_most(request.max_results, "maxResults", 25);
  TRY(constraints.check());
  if (table_arn) request.table_arn = *table_arn;
  if (next_token) request.next_token = *next_token;
  return request;
}

void write_list_exports_json(const ListExportsResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put_list(json, "ExportSummaries", response.exports, [](JsonOutput& element, const ExportSummary& summary) {
    element.member("ExportArn", summary.arn);
    put_choice(element, "ExportStatus", summary.status, kExportStatuses);
    put_choice(element, "ExportType", summary.type, kExportTypes);
  });
  put(json, "NextToken", response.next_token);
  json.end_object();
}

}  // namespace trestle
