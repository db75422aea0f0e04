#include "protocol/update_time_to_live_json.h"

#include "protocol/json_output.h"
#include "protocol/table_members.h"

namespace trestle {
namespace {

struct GivenTimeToLive {
  std::optional<bool> enabled;
  std::optional<std::string_view> attribute_name;
};

Result<GivenTimeToLive> read_specification(JsonElement element) {
  TRY_INTO(const JsonInput input, json_structure(element, "TimeToLiveSpecification", JsonPlace::kMember));
  GivenTimeToLive given;
  for (const JsonMember member : input) {
    if (member.name == "Enabled") {
      TRY_INTO(given.enabled, json_boolean(member.value));
    } else if (member.name == "AttributeName") {
      TRY_INTO(given.attribute_name, json_string(member.value));
    }
  }
  return given;
}

}  // namespace

Result<UpdateTimeToLiveRequest> read_update_time_to_live_json(JsonInput input) {
  std::optional<std::string_view> table_name;
  std::optional<GivenTimeToLive> given;
  for (const JsonMember member : input) {
    if (member.name == "TableName") {
      TRY_INTO(table_name, json_string(member.value));
    } else if (member.name == "TimeToLiveSpecification") {
      TRY_INTO(given, read_specification(member.value));
    }
  }
  TRY(require_table_name(table_name));

  Constraints constraints;
  constraints.table_name_or_arn(table_name, "tableName");
  const MemberPath specification{"timeToLiveSpecification"};
  constraints.not_null(given.has_value(), specification);
  if (given) {
    constraints.not_null(given->enabled.has_value(), {&specification, "enabled"});
    constraints.not_null(given->attribute_name.has_value(), {&specification, "attributeName"});
    constraints.length_at_most(given->attribute_name, {&specification, "attributeName"}, 255);
  }
  TRY(constraints.check());
  if (given->attribute_name->empty()) return invalid("TimeToLiveSpecification.AttributeName must be non empty");
  return UpdateTimeToLiveRequest{.table_name = std::string(*table_name),
                                 .attribute_name = std::string(*given->attribute_name),
                                 .enabled = *given->enabled};
}

void write_update_time_to_live_json(const UpdateTimeToLiveResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.key("TimeToLiveSpecification").begin_object();
  json.member("AttributeName", response.attribute_name);
  json.member("Enabled", response.enabled);
  json.end_object();
  json.end_object();
}

}  // namespace trestle
