// The structures that the operations on backups and restores are made of. Reading is in two steps, as for tables
// (protocol/table_members.h): the shapes first, then the constraints.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/backup_requests.h"
#include "protocol/constraints.h"
#include "protocol/json_input.h"
#include "protocol/json_output.h"
#include "protocol/table_members.h"
#include "protocol/vector_members.h"

namespace trestle {

// A timestamp: seconds since 1970, with or without a fraction, in milliseconds.
Result<int64_t> read_timestamp_ms(JsonElement json);

// The whole request of the operations that take a BackupArn and nothing else.
Result<std::string> read_backup_arn(JsonInput input);
void constrain_backup_arn(std::optional<std::string_view> given, const MemberPath& member, Constraints& constraints);
void constrain_target_table_name(std::optional<std::string_view> given, Constraints& constraints);

// The members of both restores that override what the source has.
struct GivenOverrides {
  std::optional<std::string_view> billing_mode;
  std::optional<std::vector<GivenIndex>> global_indexes;
  std::optional<std::vector<GivenIndex>> local_indexes;
  std::optional<std::vector<GivenVectorIndex>> vector_indexes;
  std::optional<GivenThroughput> throughput;
  std::optional<ThroughputLimits> on_demand;
  std::optional<GivenSse> sse;
};
// Whether the member is one of them, and then it is read.
Result<bool> read_override(const JsonMember& member, GivenOverrides& given);
void constrain_overrides(const GivenOverrides& given, Constraints& constraints, RestoreOverrides& out);

// The members of BackupDetails, which are also in BackupSummary.
void write_backup_members(const BackupDetails& backup, JsonOutput& json);
// {"BackupDescription": ...}
void write_backup_response(const BackupDescription& backup, std::string& out);
// {"ContinuousBackupsDescription": ...}
void write_continuous_backups_response(const ContinuousBackupsResponse& response, std::string& out);

}  // namespace trestle
