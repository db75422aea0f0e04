#include "protocol/update_continuous_backups_json.h"

#include "protocol/backup_members.h"

namespace trestle {

namespace {

struct GivenRecovery {
  std::optional<bool> enabled;
  std::optional<int64_t> days;
};

Result<GivenRecovery> read_recovery_specification(JsonElement json) {
  TRY_INTO(const JsonInput input, json_structure(json, "PointInTimeRecoverySpecification", JsonPlace::kMember));
  GivenRecovery given;
  for (const JsonMember member : input) {
    if (member.name == "PointInTimeRecoveryEnabled") {
      TRY_INTO(given.enabled, json_boolean(member.value));
    } else if (member.name == "RecoveryPeriodInDays") {
      TRY_INTO(given.days, json_integer(member.value, "Integer"));
    }
  }
  return given;
}

}  // namespace

Result<UpdateContinuousBackupsRequest> read_update_continuous_backups_json(JsonInput input) {
  std::optional<std::string_view> table_name;
  std::optional<GivenRecovery> given;
  for (const JsonMember member : input) {
    if (member.name == "TableName") {
      TRY_INTO(table_name, json_string(member.value));
    } else if (member.name == "PointInTimeRecoverySpecification") {
      TRY_INTO(given, read_recovery_specification(member.value));
    }
  }
  TRY(require_table_name(table_name));
  Constraints constraints;
  constrain_table_name(table_name, constraints);
  const MemberPath specification{"pointInTimeRecoverySpecification"};
  constraints.not_null(given.has_value(), specification);
  if (given) {
    constraints.not_null(given->enabled.has_value(), {&specification, "pointInTimeRecoveryEnabled"});
    const MemberPath days{&specification, "recoveryPeriodInDays"};
    constraints.value_at_least(given->days, days, 1);
    constraints.value_at_most(given->days, days, 35);
  }
  TRY(constraints.check());
  return UpdateContinuousBackupsRequest{
      .table_name = std::string(*table_name), .enabled = *given->enabled, .recovery_period_days = given->days};
}

void write_update_continuous_backups_json(const UpdateContinuousBackupsResponse& response, std::string& out) {
  write_continuous_backups_response(response, out);
}

}  // namespace trestle
