#include "protocol/create_backup_json.h"

#include "protocol/backup_members.h"

namespace trestle {

Result<CreateBackupRequest> read_create_backup_json(JsonInput input) {
  std::optional<std::string_view> table_name;
  std::optional<std::string_view> backup_name;
  for (const JsonMember member : input) {
    if (member.name == "TableName") {
      TRY_INTO(table_name, json_string(member.value));
    } else if (member.name == "BackupName") {
      TRY_INTO(backup_name, json_string(member.value));
    }
  }
  TRY(require_table_name(table_name));
  Constraints constraints;
  constraints.not_null(backup_name.has_value(), "backupName");
  constraints.name_pattern(backup_name, "backupName");
  constraints.length_at_least(backup_name, "backupName", 3);
  constraints.length_at_most(backup_name, "backupName", 255);
  constrain_table_name(table_name, constraints);
  TRY(constraints.check());
  return CreateBackupRequest{.table_name = std::string(*table_name), .backup_name = std::string(*backup_name)};
}

void write_create_backup_json(const CreateBackupResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.key("BackupDetails").begin_object();
  write_backup_members(response.backup, json);
  json.end_object();
  json.end_object();
}

}  // namespace trestle
