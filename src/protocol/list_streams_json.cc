#include "protocol/list_streams_json.h"

#include "protocol/json_output.h"
#include "protocol/stream_members.h"

namespace trestle {

Result<ListStreamsRequest> read_list_streams_json(JsonInput input) {
  ListStreamsRequest request;
  std::optional<std::string_view> table_name;
  std::optional<std::string_view> start;
  for (const JsonMember member : input) {
    if (member.name == "TableName") {
      TRY_INTO(table_name, json_string(member.value));
    } else if (member.name == "Limit") {
      TRY_INTO(request.limit, json_integer(member.value, "Integer"));
    } else if (member.name == "ExclusiveStartStreamArn") {
      TRY_INTO(start, json_string(member.value));
    }
  }
  TRY(check_stream_arn(start));
  Constraints constraints;
  constraints.name_pattern(table_name, "tableName");
  constraints.length_at_least(table_name, "tableName", 3);
  constraints.length_at_most(table_name, "tableName", 255);
  constraints.value_at_least(request.limit, "limit", 1);
  constrain_stream_arn(start, "exclusiveStartStreamArn", constraints);
  TRY(constraints.check());
  if (request.limit.value_or(0) > 100) {
    return invalid(
        "One or more parameter values were invalid: Limit cannot be greater than the maximum allowed size: 100");
  }
  if (table_name) request.table_name = *table_name;
  if (start) request.exclusive_start_stream_arn = *start;
  return request;
}

void write_list_streams_json(const ListStreamsResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  if (response.last_evaluated_stream_arn) json.member("LastEvaluatedStreamArn", *response.last_evaluated_stream_arn);
  json.key("Streams").begin_array();
  for (const auto& stream : response.streams) {
    json.begin_object();
    json.member("StreamArn", stream.arn);
    json.member("StreamLabel", stream.label);
    json.member("TableName", stream.table_name);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace trestle
