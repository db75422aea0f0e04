// The parts of the descriptions of tables and backups, as responses contain them.
#pragma once

#include "model/shapes/table_shapes.h"
#include "model/table.h"

namespace trestle {

template <>
struct Shape<Projection> : ShapeRules {
  static void members(auto& of) {
    of.member("ProjectionType", &Projection::type, one_of(kProjectionTypes));
    of.member("NonKeyAttributes", &Projection::non_key_attributes, omit_default);
  }
};

struct ThroughputUnits : ShapeRules {
  static void members(auto& of) {
    of.member("ReadCapacityUnits", &Throughput::read_units);
    of.member("WriteCapacityUnits", &Throughput::write_units);
  }
};
// The throughput of a table or a global index, with its changes, which are fields of `Of`.
template <class Of>
struct ThroughputDescription : ShapeRules {
  static void members(auto& of) {
    of.member("LastIncreaseDateTime", &Of::throughput_increased_ms, timestamp, omit_default);
    of.member("LastDecreaseDateTime", &Of::throughput_decreased_ms, timestamp, omit_default);
    of.member("NumberOfDecreasesToday", &Of::throughput_decreases_today);
    of.inlined(&Of::throughput, as<ThroughputUnits>);
  }
};

// The key's attributes have no types here: those are in AttributeDefinitions.
struct IndexParameters : ShapeRules {
  static void members(auto& of) {
    of.member("IndexName", &IndexDescription::name);
    of.member("KeySchema", &IndexDescription::key);
    of.member("Projection", &IndexDescription::projection);
  }
};
struct IndexSizes : ShapeRules {
  static void members(auto& of) {
    of.member("IndexSizeBytes", &IndexDescription::size_bytes);
    of.member("ItemCount", &IndexDescription::item_count);
    of.member("IndexArn", &IndexDescription::arn);
  }
};
struct LocalIndexDescriptionShape : ShapeRules {
  static void members(auto& of) {
    IndexParameters::members(of);
    IndexSizes::members(of);
  }
};
struct GlobalIndexDescriptionShape : ShapeRules {
  static void members(auto& of) {
    using Of = IndexDescription;
    IndexParameters::members(of);
    of.member("IndexStatus", &Of::status, one_of(kStatuses));
    of.member("Backfilling", &Of::backfilling, omit_default);
    of.structure("ProvisionedThroughput", [](auto& in) { ThroughputDescription<Of>::members(in); });
    IndexSizes::members(of);
    of.member("OnDemandThroughput", &Of::on_demand, as<OnDemandThroughputShape>, omit_default);
  }
};
// A global index of a backup's table.
struct GlobalIndexInfo : ShapeRules {
  static void members(auto& of) {
    IndexParameters::members(of);
    of.member("ProvisionedThroughput", &IndexDescription::throughput, as<ThroughputUnits>);
    of.member("OnDemandThroughput", &IndexDescription::on_demand, as<OnDemandThroughputShape>, omit_default);
  }
};

struct KeyAttributeName : ShapeRules {
  static void members(auto& of) { of.member("AttributeName", &KeyAttribute::name); }
};
template <>
struct Shape<SearchAttribute> : ShapeRules {
  static void members(auto& of) {
    of.inlined(&SearchAttribute::attribute, as<KeyAttributeName>);
    of.member("SearchSchemaElementType", &SearchAttribute::is_hash, one_of(kSearchElementTypes));
  }
};
// A vector index of a backup's table.
struct VectorIndexInfo : ShapeRules {
  static void members(auto& of) {
    using Of = VectorIndexDescription;
    of.member("IndexName", &Of::name);
    of.structure("VectorAttribute", [](auto& in) { in.member("AttributeName", &Of::vector_attribute); });
    of.member("SearchSchema", &Of::search_schema, omit_default);
    of.member("Projection", &Of::projection);
    of.member("Dimensions", &Of::dimensions);
    of.member("DistanceFunction", &Of::distance, one_of(kDistanceFunctions));
  }
};
template <>
struct Shape<VectorIndexDescription> : ShapeRules {
  static void members(auto& of) {
    using Of = VectorIndexDescription;
    VectorIndexInfo::members(of);
    of.member("IndexStatus", &Of::status, one_of(kStatuses));
    of.member("Backfilling", &Of::backfilling);
    of.member("IndexSizeBytes", &Of::size_bytes);
    of.member("ItemCount", &Of::item_count);
    of.member("IndexArn", &Of::arn);
  }
};

// An element of AttributeDefinitions. In requests, the type comes first.
struct AttributeDescription : ShapeRules {
  static void members(auto& of) {
    of.member("AttributeName", &KeyAttribute::name);
    of.member("AttributeType", &KeyAttribute::type, one_of(kAttributeTypes));
  }
};
// BillingModeSummary of a table that is being created, and of other tables.
struct NewBillingModeSummary : ShapeRules {
  static void members(auto& of) { of.member("BillingMode", &TableDescription::billing, one_of(kBillingModes)); }
};
struct BillingModeSummary : ShapeRules {
  static void members(auto& of) {
    NewBillingModeSummary::members(of);
    of.member("LastUpdateToPayPerRequestDateTime", &TableDescription::pay_per_request_since_ms, timestamp,
              omit_default);
  }
};
struct TableClassSummary : ShapeRules {
  static void members(auto& of) {
    of.member("TableClass", &TableDescription::table_class, one_of(kTableClasses));
    of.member("LastUpdateDateTime", &TableDescription::table_class_changed_ms, timestamp, omit_default);
  }
};
// The settings of a table that only tables with an enabled stream, time to live or encryption show.
struct StreamDescriptionShape : ShapeRules {
  static void members(auto& of) {
    of.constant("StreamEnabled", true);
    of.member("StreamViewType", &TableDescription::stream, one_of(kStreamViewTypes));
  }
};
struct TimeToLiveDescription : ShapeRules {
  static void members(auto& of) {
    of.constant("TimeToLiveStatus", "ENABLED");
    of.member("AttributeName", &TableDescription::ttl_attribute);
  }
};
struct SseDescription : ShapeRules {
  static void members(auto& of) {
    of.constant("Status", "ENABLED");
    of.member("SSEType", &SseSpecification::type);
    of.member("KMSMasterKeyArn", &SseSpecification::key_id);
  }
};
template <>
struct Shape<RestoreSummary> : ShapeRules {
  static void members(auto& of) {
    of.member("SourceBackupArn", &RestoreSummary::source_backup_arn, omit_default);
    of.member("SourceTableArn", &RestoreSummary::source_table_arn);
    of.member("RestoreDateTime", &RestoreSummary::restore_ms, timestamp);
    of.constant("RestoreInProgress", true);
  }
};

// SourceTableDetails of a backup.
struct SourceTable : ShapeRules {
  static void members(auto& of) {
    using Of = TableDescription;
    of.member("TableName", &Of::name);
    of.member("TableId", &Of::id);
    of.member("TableArn", &Of::arn);
    of.member("TableSizeBytes", &Of::size_bytes);
    of.member("KeySchema", &Of::key);
    of.member("TableCreationDateTime", &Of::created_ms, timestamp);
    of.member("ProvisionedThroughput", &Of::throughput, as<ThroughputUnits>);
    of.member("OnDemandThroughput", &Of::on_demand, as<OnDemandThroughputShape>, omit_default);
    of.member("ItemCount", &Of::item_count);
    of.member("BillingMode", &Of::billing, one_of(kBillingModes));
  }
};

}  // namespace trestle
