#include "protocol/tag_resource_json.h"

#include "protocol/table_members.h"

namespace trestle {

Result<TagResourceRequest> read_tag_resource_json(JsonInput input) {
  std::optional<std::string_view> arn;
  std::optional<std::vector<GivenTag>> tags;
  for (const JsonMember member : input) {
    if (member.name == "ResourceArn") {
      TRY_INTO(arn, json_string(member.value));
    } else if (member.name == "Tags") {
      TRY_INTO(tags, read_tags(member.value));
    }
  }
  TRY(require_resource_arn(arn));

  TagResourceRequest request{.resource_arn = std::string(*arn), .tags = {}};
  Constraints constraints;
  constraints.not_null(tags.has_value(), "tags");
  TRY(constraints.check());
  TRY_INTO(request.tags, define_tags(*tags));
  return request;
}

// The service answers with an empty body.
void write_tag_resource_json(const TagResourceResponse&, std::string&) {}

}  // namespace trestle
