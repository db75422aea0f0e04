#include "protocol/list_tags_of_resource_json.h"

#include "protocol/json_output.h"
#include "protocol/table_members.h"

namespace trestle {

Result<ListTagsOfResourceRequest> read_list_tags_of_resource_json(JsonInput input) {
  std::optional<std::string_view> arn;
  std::optional<std::string_view> next_token;
  for (const JsonMember member : input) {
    if (member.name == "ResourceArn") {
      TRY_INTO(arn, json_string(member.value));
    } else if (member.name == "NextToken") {
      TRY_INTO(next_token, json_string(member.value));
    }
  }
  TRY(require_resource_arn(arn));
  ListTagsOfResourceRequest request{.resource_arn = std::string(*arn), .next_token = std::nullopt};
  if (next_token) request.next_token = *next_token;
  return request;
}

void write_list_tags_of_resource_json(const ListTagsOfResourceResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  if (response.next_token) json.member("NextToken", *response.next_token);
  json.key("Tags").begin_array();
  for (const auto& tag : response.tags) {
    json.begin_object();
    json.member("Key", tag.key);
    json.member("Value", tag.value);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace trestle
