// The shapes of backups and point-in-time recovery.
#pragma once

#include "model/backup_requests.h"
#include "model/shapes/backup_enumerations.h"
#include "model/shapes/table_shapes.h"

namespace trestle {

template <>
struct Shape<BackupDetails> : ShapeRules {
  static void members(auto& of) {
    using Of = BackupDetails;
    of.member("BackupArn", &Of::arn);
    of.member("BackupName", &Of::name);
    of.member("BackupSizeBytes", &Of::size_bytes);
    of.member("BackupStatus", &Of::status, one_of(kBackupStatuses));
    of.member("BackupType", &Of::type, one_of(kBackupTypes));
    of.member("BackupCreationDateTime", &Of::created_ms, timestamp);
    of.member("BackupExpiryDateTime", &Of::expires_ms, timestamp, omit_default);
  }
};

template <>
struct Shape<BackupSummary> : ShapeRules {
  static void members(auto& of) {
    using Of = BackupSummary;
    of.member("TableName", &Of::table_name);
    of.member("TableId", &Of::table_id);
    of.member("TableArn", &Of::table_arn);
    of.inlined(&Of::details);
  }
};

template <>
struct Shape<CreateBackupRequest> : ShapeRules {
  static void members(auto& of) {
    using Of = CreateBackupRequest;
    of.member("BackupName", &Of::backup_name, required, name_pattern, name_length);
    of.member("TableName", &Of::table_name, table_name_needed, existing_table);
  }
};
template <>
struct Shape<CreateBackupResponse> : ShapeRules {
  static void members(auto& of) { of.member("BackupDetails", &CreateBackupResponse::backup); }
};

template <>
struct Shape<DescribeBackupRequest> : ShapeRules {
  static void members(auto& of) {
    of.member("BackupArn", &DescribeBackupRequest::backup_arn, required, length_at_most(kArnLengthMax));
  }
};
template <>
struct Shape<DeleteBackupRequest> : ShapeRules {
  static void members(auto& of) {
    of.member("BackupArn", &DeleteBackupRequest::backup_arn, required, length_at_most(kArnLengthMax));
  }
};

template <>
struct Shape<ListBackupsRequest> : ShapeRules {
  static void members(auto& of) {
    using Of = ListBackupsRequest;
    of.member("TableName", &Of::table_name, existing_table);
    of.member("Limit", &Of::limit, integer, range(1, 100));
    of.member("TimeRangeLowerBound", &Of::lower_bound_ms, timestamp);
    of.member("TimeRangeUpperBound", &Of::upper_bound_ms, timestamp);
    of.member("ExclusiveStartBackupArn", &Of::exclusive_start_backup_arn, arn_length);
    of.member("BackupType", &Of::type, one_of(kBackupTypeFilters));
  }
};
template <>
struct Shape<ListBackupsResponse> : ShapeRules {
  static void members(auto& of) {
    of.member("BackupSummaries", &ListBackupsResponse::backups);
    of.member("LastEvaluatedBackupArn", &ListBackupsResponse::last_evaluated_backup_arn);
  }
};

// The indexes of a restored table. DynamoDB reports their violations in another order than those of a new table.
struct RestoredLocalIndexShape : IndexParts<IndexDefinition> {
  static constexpr std::string_view kType = "LocalSecondaryIndex";
  static void members(auto& of) {
    name(of);
    of.member("KeySchema", &IndexDefinition::key_schema, required, count(1, 2));
    projection(of);
  }
};
struct RestoredGlobalIndexShape : IndexParts<IndexDefinition> {
  static constexpr std::string_view kType = "GlobalSecondaryIndex";
  static void members(auto& of) {
    name(of);
    of.member("KeySchema", &IndexDefinition::key_schema, required, count(1));
    projection(of);
    throughput(of);
    limits(of);
  }
};

template <>
struct Shape<RestoreOverrides> : ShapeRules {
  static void members(auto& of) {
    using Of = RestoreOverrides;
    of.member("BillingModeOverride", &Of::billing_mode, one_of(kBillingModes));
    of.member("GlobalSecondaryIndexOverride", &Of::global_indexes, as<RestoredGlobalIndexShape>);
    of.member("LocalSecondaryIndexOverride", &Of::local_indexes, as<RestoredLocalIndexShape>);
    of.member("VectorIndexOverride", &Of::vector_indexes);
    of.member("ProvisionedThroughputOverride", &Of::throughput);
    of.member("OnDemandThroughputOverride", &Of::on_demand, as<OnDemandThroughputShape>);
    of.member("SSESpecificationOverride", &Of::sse);
  }
};
template <>
struct Shape<RestoreTableFromBackupRequest> : ShapeRules {
  static void members(auto& of) {
    using Of = RestoreTableFromBackupRequest;
    of.member("TargetTableName", &Of::target_table_name, table_name_length, required, name_pattern);
    of.member("BackupArn", &Of::backup_arn, required, length_at_most(kArnLengthMax));
    of.inlined(&Of::overrides);
  }
};
template <>
struct Shape<RestoreTableToPointInTimeRequest> : ShapeRules {
  static void members(auto& of) {
    using Of = RestoreTableToPointInTimeRequest;
    of.member("TargetTableName", &Of::target_table_name, table_name_length, required, name_pattern);
    of.member("SourceTableName", &Of::source_table_name, name_pattern, name_length);
    of.member("SourceTableArn", &Of::source_table_arn, length(1, kArnLengthMax));
    of.member("UseLatestRestorableTime", &Of::use_latest_restorable_time);
    of.member("RestoreDateTime", &Of::restore_ms, timestamp);
    of.inlined(&Of::overrides);
  }
};

template <>
struct Shape<UpdateContinuousBackupsRequest> : ShapeRules {
  static void members(auto& of) {
    using Of = UpdateContinuousBackupsRequest;
    of.member("TableName", &Of::table_name, table_name_needed, existing_table);
    of.structure(
        "PointInTimeRecoverySpecification",
        [](auto& in) {
          in.member("PointInTimeRecoveryEnabled", &Of::enabled, required);
          in.member("RecoveryPeriodInDays", &Of::recovery_period_days, integer, range(1, 35));
        },
        required);
  }
};
template <>
struct Shape<DescribeContinuousBackupsRequest> : ShapeRules {
  static void members(auto& of) {
    of.member("TableName", &DescribeContinuousBackupsRequest::table_name, table_name_needed, existing_table);
  }
};
template <>
struct Shape<ContinuousBackupsResponse> : ShapeRules {
  static void members(auto& of) {
    using Of = ContinuousBackupsResponse;
    of.structure("ContinuousBackupsDescription", [](auto& in) {
      in.constant("ContinuousBackupsStatus", "ENABLED");
      in.structure("PointInTimeRecoveryDescription", [](auto& recovery) {
        recovery.member("PointInTimeRecoveryStatus", &Of::enabled, one_of(kRecoveryStatuses));
        recovery.member("RecoveryPeriodInDays", &Of::recovery_period_days, omit_default);
        recovery.member("EarliestRestorableDateTime", &Of::earliest_restorable_ms, timestamp, omit_default);
        recovery.member("LatestRestorableDateTime", &Of::latest_restorable_ms, timestamp, omit_default);
      });
    });
  }
};

}  // namespace trestle
