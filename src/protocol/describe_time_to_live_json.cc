#include "protocol/describe_time_to_live_json.h"

#include "protocol/json_output.h"
#include "protocol/table_members.h"

namespace trestle {

Result<DescribeTimeToLiveRequest> read_describe_time_to_live_json(JsonInput input) {
  TRY_INTO(const auto table_name, read_table_name(input));
  return DescribeTimeToLiveRequest{.table_name = std::string(table_name)};
}

void write_describe_time_to_live_json(const DescribeTimeToLiveResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.key("TimeToLiveDescription").begin_object();
  if (response.attribute_name) json.member("AttributeName", *response.attribute_name);
  const char* status = response.enabling ? "ENABLING" : "ENABLED";
  json.member("TimeToLiveStatus", response.attribute_name ? status : "DISABLED");
  json.end_object();
  json.end_object();
}

}  // namespace trestle
