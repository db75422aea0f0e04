#include "protocol/shapes/by_hand.h"

#include "protocol/client/client_input.h"
#include "protocol/json/json_output.h"

namespace trestle {

void write_response_by_hand(const DescribeTimeToLiveResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.key("TimeToLiveDescription").begin_object();
  if (response.attribute_name) json.member("AttributeName", *response.attribute_name);
  const char* status = response.enabling ? "ENABLING" : "ENABLED";
  json.member("TimeToLiveStatus", response.attribute_name ? status : "DISABLED");
  json.end_object();
  json.end_object();
}

// While it is being disabled, time to live no longer deletes anything, so DISABLING is read as disabled.
Result<void> read_response_by_hand(JsonInput input, DescribeTimeToLiveResponse& response) {
  std::optional<std::string> attribute_name;
  std::string status;
  TRY(take_members(input, into("TimeToLiveDescription", [&](JsonElement json) {
                     return take_members(json, into("AttributeName", attribute_name), into("TimeToLiveStatus", status));
                   })));
  response.enabling = status == "ENABLING";
  if (response.enabling || status == "ENABLED") response.attribute_name = std::move(attribute_name);
  return {};
}

}  // namespace trestle
