// Recovery: CreateBackup, DescribeBackup, ListBackups, DeleteBackup, RestoreTableFromBackup, UpdateContinuousBackups,
// DescribeContinuousBackups, RestoreTableToPointInTime. A parameter that the client omitted is absent.
#pragma once

#include "model/table_requests.h"

namespace trestle {

enum class BackupType { kUser, kSystem };
enum class BackupStatus { kCreating, kAvailable, kDeleted };

struct BackupDetails {
  std::string arn;
  std::string name;
  int64_t size_bytes = 0;
  BackupStatus status = BackupStatus::kCreating;
  BackupType type = BackupType::kUser;
  int64_t created_ms = 0;
  int64_t expires_ms = 0;  // 0: never
};
struct BackupDescription {
  BackupDetails details;
  TableDescription table;  // at the time of the backup
};
struct BackupSummary {
  BackupDetails details;
  std::string table_name;
  std::string table_id;
  std::string table_arn;
};

struct CreateBackupRequest {
  std::string table_name;
  std::string backup_name;
};
struct CreateBackupResponse {
  BackupDetails backup;
};

struct DescribeBackupRequest {
  std::string backup_arn;
};
struct DeleteBackupRequest {
  std::string backup_arn;
};
// Response of DescribeBackup and DeleteBackup.
struct BackupResponse {
  BackupDescription backup;
};
using DescribeBackupResponse = BackupResponse;
using DeleteBackupResponse = BackupResponse;

enum class BackupTypeFilter { kUser, kSystem, kAwsBackup, kAll };
struct ListBackupsRequest {
  std::optional<std::string> table_name;
  std::optional<int64_t> limit;
  std::optional<int64_t> lower_bound_ms;  // inclusive
  std::optional<int64_t> upper_bound_ms;  // exclusive
  std::optional<std::string> exclusive_start_backup_arn;
  BackupTypeFilter type = BackupTypeFilter::kUser;
};
struct ListBackupsResponse {
  std::vector<BackupSummary> backups;
  std::optional<std::string> last_evaluated_backup_arn;
};

// Settings of the restored table that override those of its source. If a list of indexes is absent, all of them are
// restored; if it is empty, none.
struct RestoreOverrides {
  std::optional<BillingMode> billing_mode;
  std::optional<std::vector<IndexDefinition>> global_indexes;
  std::optional<std::vector<IndexDefinition>> local_indexes;
  std::optional<std::vector<VectorIndexDefinition>> vector_indexes;
  std::optional<Throughput> throughput;
  std::optional<ThroughputLimits> on_demand;
  std::optional<SseSpecification> sse;
};

struct RestoreTableFromBackupRequest {
  std::string target_table_name;
  std::string backup_arn;
  RestoreOverrides overrides;
};
using RestoreTableFromBackupResponse = TableResponse;

struct RestoreTableToPointInTimeRequest {
  std::optional<std::string> source_table_arn;
  std::optional<std::string> source_table_name;
  std::string target_table_name;
  std::optional<bool> use_latest_restorable_time;
  std::optional<int64_t> restore_ms;
  RestoreOverrides overrides;
};
using RestoreTableToPointInTimeResponse = TableResponse;

struct UpdateContinuousBackupsRequest {
  std::string table_name;
  bool enabled = false;
  std::optional<int64_t> recovery_period_days;
};
struct DescribeContinuousBackupsRequest {
  std::string table_name;
};
// Response of UpdateContinuousBackups and DescribeContinuousBackups.
struct ContinuousBackupsResponse {
  bool enabled = false;
  // Set only if enabled:
  int64_t recovery_period_days = 0;
  int64_t earliest_restorable_ms = 0;
  int64_t latest_restorable_ms = 0;
};
using UpdateContinuousBackupsResponse = ContinuousBackupsResponse;
using DescribeContinuousBackupsResponse = ContinuousBackupsResponse;

}  // namespace trestle
