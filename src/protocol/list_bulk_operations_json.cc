#include "protocol/list_bulk_operations_json.h"

#include "protocol/load_members.h"

namespace trestle {

Result<ListBulkOperationsRequest> read_list_bulk_operations_json(JsonInput input) {
  ListBulkOperationsRequest request;
  std::optional<std::string_view> next_token;
  for (const JsonMember member : input) {
    if (member.name == "MaxResults") {
      TRY_INTO(request.limit, json_integer(member.value, "Integer"));
    } else if (member.name == "NextToken") {
      TRY_INTO(next_token, json_string(member.value));
    }
  }
  Constraints constraints;
  constraints.value_at_least(request.limit, "maxResults", 1);
  constraints.value_at_most(request.limit, "maxResults", 100);
  TRY(constraints.check());
  if (next_token) request.next_token = *next_token;
  return request;
}

void write_list_bulk_operations_json(const ListBulkOperationsResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.key("BulkOperationsSummaryList").begin_array();
  for (const BulkOperationSummary& operation : response.operations) {
    json.begin_object();
    write_bulk_summary_members(operation, json);
    json.end_object();
  }
  json.end_array();
  if (response.next_token) json.member("NextToken", *response.next_token);
  json.end_object();
}

}  // namespace trestle
