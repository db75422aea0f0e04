#include "protocol/update_time_to_live_json.h"

#include "protocol/json_output.h"
#include "protocol/table_members.h"

namespace trestle {
namespace {

struct GivenTimeToLive {
  std::optional<bool> enabled;
  std::optional<std::string_view> attribute_name;
};

Result<GivenTimeToLive> read_time_to_live_specification(JsonElement element) {
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
      TRY_INTO(given, read_time_to_live_specification(member.value));
    }
  }
  TRY(require_table_name(table_name));

  Constraints constraints;
  constrain_table_name(table_name, constraints);
  const MemberPath specification{"timeToLiveSpecification"};
  constraints.not_null(given.has_value(), specification);
  if (given) {
    const MemberPath name{&specification, "attributeName"};
    constraints.not_null(given->attribute_name.has_value(), name);
    constraints.length_at_least(given->attribute_name, name, 1);
    constraints.length_at_most(given->attribute_name, name, 255);
    constraints.not_null(given->enabled.has_value(), {&specification, "enabled"});
  }
  TRY(constraints.check());
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
