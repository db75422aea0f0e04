#include "protocol/list_backups_json.h"

#include "protocol/backup_enumerations.h"
#include "protocol/backup_members.h"

namespace trestle {

Result<ListBackupsRequest> read_list_backups_json(JsonInput input) {
  ListBackupsRequest request;
  std::optional<std::string_view> table_name;
  std::optional<std::string_view> start;
  std::optional<std::string_view> type;
  for (const JsonMember member : input) {
    if (member.name == "TableName") {
      TRY_INTO(table_name, json_string(member.value));
    } else if (member.name == "Limit") {
      TRY_INTO(request.limit, json_integer(member.value, "Integer"));
    } else if (member.name == "TimeRangeLowerBound") {
      TRY_INTO(request.lower_bound_ms, read_timestamp_ms(member.value));
    } else if (member.name == "TimeRangeUpperBound") {
      TRY_INTO(request.upper_bound_ms, read_timestamp_ms(member.value));
    } else if (member.name == "ExclusiveStartBackupArn") {
      TRY_INTO(start, json_string(member.value));
    } else if (member.name == "BackupType") {
      TRY_INTO(type, json_string(member.value));
    }
  }
  Constraints constraints;
  constrain_table_name(table_name, constraints);
  constraints.value_at_least(request.limit, "limit", 1);
  constraints.value_at_most(request.limit, "limit", 100);
  constrain_backup_arn(start, "exclusiveStartBackupArn", constraints);
  constraints.one_of(type, "backupType", kBackupTypeFilters, request.type);
  TRY(constraints.check());
  if (table_name) request.table_name = *table_name;
  if (start) request.exclusive_start_backup_arn = *start;
  return request;
}

void write_list_backups_json(const ListBackupsResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.key("BackupSummaries").begin_array();
  for (const BackupSummary& backup : response.backups) {
    json.begin_object();
    json.member("TableName", backup.table_name);
    json.member("TableId", backup.table_id);
    json.member("TableArn", backup.table_arn);
    write_backup_members(backup.details, json);
    json.end_object();
  }
  json.end_array();
  if (response.last_evaluated_backup_arn) json.member("LastEvaluatedBackupArn", *response.last_evaluated_backup_arn);
  json.end_object();
}

}  // namespace trestle
