#include "protocol/restore_table_from_backup_json.h"

#include "protocol/backup_members.h"
#include "protocol/table_description_json.h"

namespace trestle {

Result<RestoreTableFromBackupRequest> read_restore_table_from_backup_json(JsonInput input) {
  std::optional<std::string_view> target;
  std::optional<std::string_view> arn;
  GivenOverrides overrides;
  for (const JsonMember member : input) {
    if (member.name == "TargetTableName") {
      TRY_INTO(target, json_string(member.value));
    } else if (member.name == "BackupArn") {
      TRY_INTO(arn, json_string(member.value));
    } else {
      TRY(read_override(member, overrides));
    }
  }
  RestoreTableFromBackupRequest request;
  Constraints constraints;
  constrain_target_table_name(target, constraints);
  constraints.not_null(arn.has_value(), "backupArn");
  constrain_backup_arn(arn, "backupArn", constraints);
  constrain_overrides(overrides, constraints, request.overrides);
  TRY(constraints.check());
  request.target_table_name = *target;
  request.backup_arn = *arn;
  return request;
}

void write_restore_table_from_backup_json(const RestoreTableFromBackupResponse& response, std::string& out) {
  write_table_response("TableDescription", response.table, out);
}

}  // namespace trestle
