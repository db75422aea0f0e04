// The description of a table: keys, indexes, settings. The names are the API's.
//
// TableDescription is both what the catalog stores and what DescribeTable returns. Key schemas are resolved once, at
// CreateTable: each KeyAttribute carries its type, so AttributeDefinitions need not be consulted again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/value.h"

namespace trestle {

struct KeyAttribute {
  std::string name;
  ValueType type = ValueType::kString;  // kString, kNumber or kBinary
  friend bool operator==(const KeyAttribute&, const KeyAttribute&) = default;
};

// A table or a local index has one hash attribute and at most one range attribute; a global index has one to four hash
// attributes and up to four range attributes, in order.
struct KeySchema {
  std::vector<KeyAttribute> hash;
  std::vector<KeyAttribute> range;

  bool contains(std::string_view name) const {
    for (const auto& a : hash) {
      if (a.name == name) return true;
    }
    for (const auto& a : range) {
      if (a.name == name) return true;
    }
    return false;
  }
  friend bool operator==(const KeySchema&, const KeySchema&) = default;
};

enum class ProjectionType { kAll, kKeysOnly, kInclude };
struct Projection {
  ProjectionType type = ProjectionType::kAll;
  std::vector<std::string> non_key_attributes;
};

struct Throughput {
  int64_t read_units = 0;
  int64_t write_units = 0;
  friend bool operator==(const Throughput&, const Throughput&) = default;
};
// -1 or absent: no limit. Used for OnDemandThroughput and for the two figures of WarmThroughput.
struct ThroughputLimits {
  std::optional<int64_t> read_units;
  std::optional<int64_t> write_units;
  friend bool operator==(const ThroughputLimits&, const ThroughputLimits&) = default;
};

enum class Status { kCreating, kUpdating, kDeleting, kActive };
enum class BillingMode { kProvisioned, kPayPerRequest };
enum class TableClass { kStandard, kStandardInfrequentAccess };
enum class StreamViewType { kKeysOnly, kNewImage, kOldImage, kNewAndOldImages };

// The Contributor Insights setting of a table or global index since it was first enabled.
enum class InsightsMode { kAccessedAndThrottledKeys, kThrottledKeys };
struct InsightsSetting {
  bool enabled = false;
  InsightsMode mode = InsightsMode::kAccessedAndThrottledKeys;
  int64_t enabled_ms = 0;  // not affected by a change of the mode
  int64_t updated_ms = 0;
  friend bool operator==(const InsightsSetting&, const InsightsSetting&) = default;
};

struct IndexDescription {
  std::string name;
  bool global = false;
  KeySchema key;
  Projection projection;
  // Only for global indexes:
  Status status = Status::kActive;
  bool backfilling = false;
  Throughput throughput;
  int64_t throughput_increased_ms = 0;
  int64_t throughput_decreased_ms = 0;
  int64_t throughput_decreases_today = 0;
  ThroughputLimits on_demand;
  ThroughputLimits warm;
  std::optional<InsightsSetting> insights;
  // Filled in by DescribeTable and the other operations that return a description.
  int64_t item_count = 0;
  int64_t size_bytes = 0;
  std::string arn;
  // The key range of the store that contains the entries; never reused. Not part of the API.
  uint32_t keyspace = 0;
};

// The measure of a vector index: a distance (COSINE, EUCLIDEAN: less is closer) or a similarity (DOT_PRODUCT: more is
// closer).
enum class DistanceFunction { kCosine, kDotProduct, kEuclidean };

// One element of a vector index's SearchSchema, with its type resolved.
struct SearchAttribute {
  KeyAttribute attribute;
  bool is_hash = false;  // HASH; otherwise INLINE_FILTER
  friend bool operator==(const SearchAttribute&, const SearchAttribute&) = default;
};

struct VectorIndexDescription {
  std::string name;
  std::string vector_attribute;
  int64_t dimensions = 0;
  DistanceFunction distance = DistanceFunction::kCosine;
  std::vector<SearchAttribute> search_schema;  // as declared; at most one is HASH
  Projection projection;
  Status status = Status::kActive;
  std::optional<bool> backfilling;  // present only for an index added to an existing table, until it is ACTIVE
  // Filled in by DescribeTable and the other operations that return a description.
  int64_t item_count = 0;
  int64_t size_bytes = 0;
  std::string arn;
  // The key range of the store that contains the entries; never reused. Not part of the API.
  uint32_t keyspace = 0;

  // The HASH attribute; null if the index is a single partition.
  const KeyAttribute* hash() const {
    for (const SearchAttribute& element : search_schema) {
      if (element.is_hash) return &element.attribute;
    }
    return nullptr;
  }
};

struct Tag {
  std::string key;
  std::string value;
  friend bool operator==(const Tag&, const Tag&) = default;
};

struct SseSpecification {
  std::optional<bool> enabled;
  std::string type;    // "KMS" or empty
  std::string key_id;  // KMSMasterKeyId
};

// The source of a table that is being restored.
struct RestoreSummary {
  std::string source_backup_arn;  // empty: restored to a point in time
  std::string source_table_arn;
  int64_t restore_ms = 0;
  friend bool operator==(const RestoreSummary&, const RestoreSummary&) = default;
};

// Point-in-time recovery: when it was enabled, and for how many days back.
struct PointInTimeRecovery {
  int64_t enabled_ms = 0;
  int64_t period_days = 35;
  friend bool operator==(const PointInTimeRecovery&, const PointInTimeRecovery&) = default;
};

struct TableDescription {
  std::string name;
  std::string id;  // UUID
  std::string arn;
  Status status = Status::kActive;
  int64_t created_ms = 0;
  std::vector<KeyAttribute> attributes;  // AttributeDefinitions
  KeySchema key;
  std::vector<IndexDescription> indexes;  // local indexes, then global ones, each in declaration order
  std::vector<VectorIndexDescription> vector_indexes;
  BillingMode billing = BillingMode::kProvisioned;
  int64_t pay_per_request_since_ms = 0;  // BillingModeSummary
  bool billing_summary = false;          // whether BillingModeSummary is shown
  Throughput throughput;
  int64_t throughput_increased_ms = 0;
  int64_t throughput_decreased_ms = 0;
  int64_t throughput_decreases_today = 0;
  ThroughputLimits on_demand;
  ThroughputLimits warm;
  bool deletion_protection = false;
  std::optional<TableClass> table_class;
  int64_t table_class_changed_ms = 0;
  SseSpecification sse;
  std::optional<StreamViewType> stream;
  std::string stream_label;  // "2026-01-31T12:00:00.000": the label of the newest stream, even if it is disabled
  std::optional<std::string> ttl_attribute;
  std::vector<Tag> tags;
  std::string resource_policy;     // empty: none
  int64_t resource_policy_ms = 0;  // its revision: the time at which it was put
  std::optional<PointInTimeRecovery> recovery;
  std::optional<RestoreSummary> restore;  // only while the table is being restored
  std::optional<InsightsSetting> insights;
  // Filled in by DescribeTable and the other operations that return a description.
  int64_t item_count = 0;
  int64_t size_bytes = 0;
  uint32_t keyspace = 0;
  // The keyspace of the items' recovery history; 0: none is recorded. Not part of the API.
  uint32_t history_keyspace = 0;

  const IndexDescription* index(std::string_view index_name) const {
    for (const auto& i : indexes) {
      if (i.name == index_name) return &i;
    }
    return nullptr;
  }
  const VectorIndexDescription* vector_index(std::string_view index_name) const {
    for (const auto& i : vector_indexes) {
      if (i.name == index_name) return &i;
    }
    return nullptr;
  }
};

// "arn:aws:dynamodb:<region>:<account>:table/<name>". A request may name a table by its ARN or its bare name.
std::string table_arn(std::string_view region, std::string_view account, std::string_view table);
// The bare name in either form; nothing if the text has neither form.
std::optional<std::string_view> table_name_of(std::string_view name_or_arn);

}  // namespace trestle
