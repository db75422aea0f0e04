#include "protocol/restore_table_to_point_in_time_json.h"

#include "protocol/backup_members.h"
#include "protocol/table_description_json.h"

namespace trestle {

Result<RestoreTableToPointInTimeRequest> read_restore_table_to_point_in_time_json(JsonInput input) {
  RestoreTableToPointInTimeRequest request;
  std::optional<std::string_view> source_arn;
  std::optional<std::string_view> source_name;
  std::optional<std::string_view> target;
  GivenOverrides overrides;
  for (const JsonMember member : input) {
    if (member.name == "SourceTableArn") {
      TRY_INTO(source_arn, json_string(member.value));
    } else if (member.name == "SourceTableName") {
      TRY_INTO(source_name, json_string(member.value));
    } else if (member.name == "TargetTableName") {
      TRY_INTO(target, json_string(member.value));
    } else if (member.name == "UseLatestRestorableTime") {
      TRY_INTO(request.use_latest_restorable_time, json_boolean(member.value));
    } else if (member.name == "RestoreDateTime") {
      TRY_INTO(request.restore_ms, read_timestamp_ms(member.value));
    } else {
      TRY(read_override(member, overrides));
    }
  }
  Constraints constraints;
  constrain_target_table_name(target, constraints);
  constraints.name_pattern(source_name, "sourceTableName");
  constraints.length_at_least(source_name, "sourceTableName", 3);
  constraints.length_at_most(source_name, "sourceTableName", 255);
  constraints.length_at_least(source_arn, "sourceTableArn", 1);
  constraints.length_at_most(source_arn, "sourceTableArn", 1024);
  constrain_overrides(overrides, constraints, request.overrides);
  TRY(constraints.check());
  if (source_arn && source_name) return invalid("Must provide exactly one of: sourceTableArn, sourceTableName");
  if (!source_arn) TRY(require_table_name(source_name));
  if (source_arn) request.source_table_arn = *source_arn;
  if (source_name) request.source_table_name = *source_name;
  request.target_table_name = *target;
  return request;
}

void write_restore_table_to_point_in_time_json(const RestoreTableToPointInTimeResponse& response, std::string& out) {
  write_table_response("TableDescription", response.table, out);
}

}  // namespace trestle
