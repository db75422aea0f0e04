#include "protocol/untag_resource_json.h"

#include "protocol/table_members.h"

namespace trestle {

Result<UntagResourceRequest> read_untag_resource_json(JsonInput input) {
  std::optional<std::string_view> arn;
  std::optional<std::vector<std::string_view>> keys;
  for (const JsonMember member : input) {
    if (member.name == "ResourceArn") {
      TRY_INTO(arn, json_string(member.value));
    } else if (member.name == "TagKeys") {
      TRY_INTO(keys, json_string_list(member.value));
    }
  }
  TRY(require_resource_arn(arn));

  Constraints constraints;
  constraints.not_null(keys.has_value(), "tagKeys");
  TRY(constraints.check());
  return UntagResourceRequest{.resource_arn = std::string(*arn), .tag_keys = {keys->begin(), keys->end()}};
}

// The service answers with an empty body.
void write_untag_resource_json(const UntagResourceResponse&, std::string&) {}

}  // namespace trestle
