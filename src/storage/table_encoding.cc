#include "storage/table_encoding.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "storage/record_codec.h"

namespace trestle {
namespace {

constexpr char kTableFormat = 1;

enum TableTag : uint64_t {
  kName = 1,
  kId,
  kArn,
  kStatus,
  kCreated,
  kAttribute,
  kKey,
  kIndex,
  kBilling,
  kPayPerRequestSince,
  kBillingSummary,
  kThroughput,
  kThroughputIncreased,
  kThroughputDecreased,
  kThroughputDecreasesToday,
  kOnDemand,
  kWarm,
  kDeletionProtection,
  kTableClass,
  kTableClassChanged,
  kSse,
  kStream,
  kStreamLabel,
  kTimeToLive,
  kTag,
  kResourcePolicy,
  kKeyspace,
  kRecovery,
  kRestore,
  kHistoryKeyspace,
  kResourcePolicyRevision,
  kInsights = 0x20,
  kVectorIndex,
};

enum IndexTag : uint64_t {
  kIndexName = 1,
  kIndexGlobal,
  kIndexKey,
  kIndexProjection,
  kIndexNonKeyAttribute,
  kIndexStatus,
  kIndexBackfilling,
  kIndexThroughput,
  kIndexOnDemand,
  kIndexWarm,
  kIndexKeyspace,
  kIndexThroughputIncreased,
  kIndexThroughputDecreased,
  kIndexThroughputDecreasesToday,
  kIndexInsights = 0x10,
};

enum VectorIndexTag : uint64_t {
  kVectorIndexName = 1,
  kVectorAttribute,
  kVectorDimensions,
  kVectorDistance,
  kVectorSearchAttribute,
  kVectorProjection,
  kVectorNonKeyAttribute,
  kVectorStatus,
  kVectorBackfilling,
  kVectorKeyspace,
};

// ---- Writing.

void append_integer(std::string& out, int64_t value) {
  append_varint(out, static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
}

void append_attribute(std::string& out, const KeyAttribute& attribute) {
  append_sized(out, attribute.name);
  out.append(type_name(attribute.type));
}

class FieldWriter {
 public:
  explicit FieldWriter(std::string& out) : out_(out) {}

  void payload(uint64_t tag, std::string_view bytes) {
    append_varint(out_, tag);
    append_sized(out_, bytes);
  }
  void text(uint64_t tag, std::string_view value) {
    if (!value.empty()) payload(tag, value);
  }
  void integer(uint64_t tag, int64_t value) {
    if (value == 0) return;
    std::string bytes;
    append_integer(bytes, value);
    payload(tag, bytes);
  }
  void flag(uint64_t tag, bool value) {
    if (value) payload(tag, "\x01");
  }
  template <class Enum>
  void code(uint64_t tag, Enum value) {
    const char byte = static_cast<char>(value);
    payload(tag, std::string_view(&byte, 1));
  }
  void units(uint64_t tag, const Throughput& value) {
    if (value == Throughput{}) return;
    std::string bytes;
    append_integer(bytes, value.read_units);
    append_integer(bytes, value.write_units);
    payload(tag, bytes);
  }
  void limits(uint64_t tag, const ThroughputLimits& value) {
    if (value == ThroughputLimits{}) return;
    std::string bytes(1, static_cast<char>((value.read_units ? 1 : 0) | (value.write_units ? 2 : 0)));
    if (value.read_units) append_integer(bytes, *value.read_units);
    if (value.write_units) append_integer(bytes, *value.write_units);
    payload(tag, bytes);
  }
  void key(uint64_t tag, const KeySchema& value) {
    std::string bytes;
    for (const auto* part : {&value.hash, &value.range}) {
      append_varint(bytes, part->size());
      for (const auto& attribute : *part) append_attribute(bytes, attribute);
    }
    payload(tag, bytes);
  }

 private:
  std::string& out_;
};

std::string encode_insights(const InsightsSetting& insights) {
  std::string out{static_cast<char>(insights.enabled ? 1 : 0), static_cast<char>(insights.mode)};
  append_integer(out, insights.enabled_ms);
  append_integer(out, insights.updated_ms);
  return out;
}

std::string encode_index(const IndexDescription& index) {
  std::string out;
  FieldWriter write(out);
  write.text(kIndexName, index.name);
  write.flag(kIndexGlobal, index.global);
  write.key(kIndexKey, index.key);
  write.code(kIndexProjection, index.projection.type);
  for (const auto& name : index.projection.non_key_attributes) write.payload(kIndexNonKeyAttribute, name);
  write.code(kIndexStatus, index.status);
  write.flag(kIndexBackfilling, index.backfilling);
  write.units(kIndexThroughput, index.throughput);
  write.limits(kIndexOnDemand, index.on_demand);
  write.limits(kIndexWarm, index.warm);
  write.integer(kIndexKeyspace, index.keyspace);
  write.integer(kIndexThroughputIncreased, index.throughput_increased_ms);
  write.integer(kIndexThroughputDecreased, index.throughput_decreased_ms);
  write.integer(kIndexThroughputDecreasesToday, index.throughput_decreases_today);
  if (index.insights) write.payload(kIndexInsights, encode_insights(*index.insights));
  return out;
}

std::string encode_vector_index(const VectorIndexDescription& index) {
  std::string out;
  FieldWriter write(out);
  write.text(kVectorIndexName, index.name);
  write.text(kVectorAttribute, index.vector_attribute);
  write.integer(kVectorDimensions, index.dimensions);
  write.code(kVectorDistance, index.distance);
  for (const SearchAttribute& element : index.search_schema) {
    std::string bytes;
    append_attribute(bytes, element.attribute);
    bytes.push_back(element.is_hash ? 1 : 0);
    write.payload(kVectorSearchAttribute, bytes);
  }
  write.code(kVectorProjection, index.projection.type);
  for (const auto& name : index.projection.non_key_attributes) write.payload(kVectorNonKeyAttribute, name);
  write.code(kVectorStatus, index.status);
  if (index.backfilling) write.code(kVectorBackfilling, *index.backfilling);
  write.integer(kVectorKeyspace, index.keyspace);
  return out;
}

std::string encode_sse(const SseSpecification& sse) {
  std::string out(1, static_cast<char>(!sse.enabled ? 0 : *sse.enabled ? 2 : 1));
  append_sized(out, sse.type);
  append_sized(out, sse.key_id);
  return out;
}

// ---- Reading. Each takes one thing off the front, or returns false when the bytes are not it.

bool read_integer(std::string_view& in, int64_t& value) {
  uint64_t raw;
  if (!read_varint(in, raw)) return false;
  value = static_cast<int64_t>(raw >> 1) ^ -static_cast<int64_t>(raw & 1);
  return true;
}

bool read_whole(std::string_view& in, std::string& value) {
  value = in;
  in = {};
  return true;
}

bool read_flag(std::string_view& in, bool& value) {
  unsigned byte;
  if (!read_byte(in, byte) || byte != 1) return false;
  value = true;
  return true;
}

template <class Enum>
bool read_code(std::string_view& in, Enum& value, Enum last) {
  unsigned byte;
  if (!read_byte(in, byte) || byte > static_cast<unsigned>(last)) return false;
  value = static_cast<Enum>(byte);
  return true;
}

bool read_units(std::string_view& in, Throughput& value) {
  return read_integer(in, value.read_units) && read_integer(in, value.write_units);
}

bool read_limits(std::string_view& in, ThroughputLimits& value) {
  unsigned present;
  if (!read_byte(in, present) || present == 0 || present > 3) return false;
  if ((present & 1) != 0 && !read_integer(in, value.read_units.emplace())) return false;
  return (present & 2) == 0 || read_integer(in, value.write_units.emplace());
}

bool read_attribute(std::string_view& in, KeyAttribute& value) {
  unsigned type;
  if (!read_text(in, value.name) || !read_byte(in, type)) return false;
  switch (type) {
    case 'S':
      value.type = ValueType::kString;
      return true;
    case 'N':
      value.type = ValueType::kNumber;
      return true;
    case 'B':
      value.type = ValueType::kBinary;
      return true;
    default:
      return false;
  }
}

bool read_key(std::string_view& in, KeySchema& value) {
  for (auto* part : {&value.hash, &value.range}) {
    uint64_t count;
    if (!read_varint(in, count) || count > in.size()) return false;
    part->resize(count);
    for (auto& attribute : *part) {
      if (!read_attribute(in, attribute)) return false;
    }
  }
  return true;
}

bool read_keyspace(std::string_view& in, uint32_t& value) {
  int64_t wide;
  if (!read_integer(in, wide) || wide < 0 || wide > UINT32_MAX) return false;
  value = static_cast<uint32_t>(wide);
  return true;
}

bool read_sse(std::string_view& in, SseSpecification& value) {
  unsigned enabled;
  if (!read_byte(in, enabled) || enabled > 2) return false;
  if (enabled != 0) value.enabled = enabled == 2;
  return read_text(in, value.type) && read_text(in, value.key_id);
}

bool read_insights(std::string_view& in, InsightsSetting& value) {
  unsigned enabled;
  if (!read_byte(in, enabled) || enabled > 1) return false;
  value.enabled = enabled == 1;
  return read_code(in, value.mode, InsightsMode::kThrottledKeys) && read_integer(in, value.enabled_ms) &&
         read_integer(in, value.updated_ms);
}

std::unexpected<Error> damaged(std::string_view what) {
  return failure(ErrorCode::kInternal, fmt::format("A stored table description is damaged: {}.", what));
}

std::unexpected<Error> unknown_tag(std::string_view of, uint64_t tag) {
  return failure(ErrorCode::kInternal,
                 fmt::format("A stored {} has field {}, which this version of Trestle does not know; "
                             "open this data with the version that wrote it, or a newer one.",
                             of, tag));
}

// Calls read(tag, payload) for each field: true if it took the whole payload, nothing if it does not know the tag.
template <class Read>
Result<void> read_fields(std::string_view in, std::string_view of, Read read) {
  while (!in.empty()) {
    uint64_t tag;
    std::string_view payload;
    if (!read_varint(in, tag) || !read_sized(in, payload)) return damaged("it ends too early");
    const std::optional<bool> ok = read(tag, payload);
    if (!ok) return unknown_tag(of, tag);
    if (!*ok || !payload.empty()) return damaged(fmt::format("field {} of the {} cannot be read", tag, of));
  }
  return {};
}

std::optional<bool> read_index_field(uint64_t tag, std::string_view& in, IndexDescription& index) {
  switch (tag) {
    case kIndexName:
      return read_whole(in, index.name);
    case kIndexGlobal:
      return read_flag(in, index.global);
    case kIndexKey:
      return read_key(in, index.key);
    case kIndexProjection:
      return read_code(in, index.projection.type, ProjectionType::kInclude);
    case kIndexNonKeyAttribute:
      return read_whole(in, index.projection.non_key_attributes.emplace_back());
    case kIndexStatus:
      return read_code(in, index.status, Status::kActive);
    case kIndexBackfilling:
      return read_flag(in, index.backfilling);
    case kIndexThroughput:
      return read_units(in, index.throughput);
    case kIndexOnDemand:
      return read_limits(in, index.on_demand);
    case kIndexWarm:
      return read_limits(in, index.warm);
    case kIndexKeyspace:
      return read_keyspace(in, index.keyspace);
    case kIndexThroughputIncreased:
      return read_integer(in, index.throughput_increased_ms);
    case kIndexThroughputDecreased:
      return read_integer(in, index.throughput_decreased_ms);
    case kIndexThroughputDecreasesToday:
      return read_integer(in, index.throughput_decreases_today);
    case kIndexInsights:
      return read_insights(in, index.insights.emplace());
    default:
      return std::nullopt;
  }
}

bool read_search_attribute(std::string_view& in, SearchAttribute& value) {
  unsigned is_hash;
  if (!read_attribute(in, value.attribute) || !read_byte(in, is_hash) || is_hash > 1) return false;
  value.is_hash = is_hash == 1;
  return true;
}

std::optional<bool> read_vector_index_field(uint64_t tag, std::string_view& in, VectorIndexDescription& index) {
  switch (tag) {
    case kVectorIndexName:
      return read_whole(in, index.name);
    case kVectorAttribute:
      return read_whole(in, index.vector_attribute);
    case kVectorDimensions:
      return read_integer(in, index.dimensions);
    case kVectorDistance:
      return read_code(in, index.distance, DistanceFunction::kEuclidean);
    case kVectorSearchAttribute:
      return read_search_attribute(in, index.search_schema.emplace_back());
    case kVectorProjection:
      return read_code(in, index.projection.type, ProjectionType::kInclude);
    case kVectorNonKeyAttribute:
      return read_whole(in, index.projection.non_key_attributes.emplace_back());
    case kVectorStatus:
      return read_code(in, index.status, Status::kActive);
    case kVectorBackfilling:
      return read_code(in, index.backfilling.emplace(), true);
    case kVectorKeyspace:
      return read_keyspace(in, index.keyspace);
    default:
      return std::nullopt;
  }
}

std::optional<bool> read_table_field(uint64_t tag, std::string_view& in, TableDescription& table) {
  switch (tag) {
    case kName:
      return read_whole(in, table.name);
    case kId:
      return read_whole(in, table.id);
    case kArn:
      return read_whole(in, table.arn);
    case kStatus:
      return read_code(in, table.status, Status::kActive);
    case kCreated:
      return read_integer(in, table.created_ms);
    case kAttribute:
      return read_attribute(in, table.attributes.emplace_back());
    case kKey:
      return read_key(in, table.key);
    case kBilling:
      return read_code(in, table.billing, BillingMode::kPayPerRequest);
    case kPayPerRequestSince:
      return read_integer(in, table.pay_per_request_since_ms);
    case kBillingSummary:
      return read_flag(in, table.billing_summary);
    case kThroughput:
      return read_units(in, table.throughput);
    case kThroughputIncreased:
      return read_integer(in, table.throughput_increased_ms);
    case kThroughputDecreased:
      return read_integer(in, table.throughput_decreased_ms);
    case kThroughputDecreasesToday:
      return read_integer(in, table.throughput_decreases_today);
    case kOnDemand:
      return read_limits(in, table.on_demand);
    case kWarm:
      return read_limits(in, table.warm);
    case kDeletionProtection:
      return read_flag(in, table.deletion_protection);
    case kTableClass:
      return read_code(in, table.table_class.emplace(), TableClass::kStandardInfrequentAccess);
    case kTableClassChanged:
      return read_integer(in, table.table_class_changed_ms);
    case kSse:
      return read_sse(in, table.sse);
    case kStream:
      return read_code(in, table.stream.emplace(), StreamViewType::kNewAndOldImages);
    case kStreamLabel:
      return read_whole(in, table.stream_label);
    case kTimeToLive:
      return read_whole(in, table.ttl_attribute.emplace());
    case kTag: {
      auto& added = table.tags.emplace_back();
      return read_text(in, added.key) && read_text(in, added.value);
    }
    case kResourcePolicy:
      return read_whole(in, table.resource_policy);
    case kKeyspace:
      return read_keyspace(in, table.keyspace);
    case kRecovery: {
      auto& recovery = table.recovery.emplace();
      return read_integer(in, recovery.enabled_ms) && read_integer(in, recovery.period_days);
    }
    case kRestore: {
      auto& restore = table.restore.emplace();
      return read_text(in, restore.source_backup_arn) && read_text(in, restore.source_table_arn) &&
             read_integer(in, restore.restore_ms);
    }
    case kHistoryKeyspace:
      return read_keyspace(in, table.history_keyspace);
    case kResourcePolicyRevision:
      return read_integer(in, table.resource_policy_ms);
    case kInsights:
      return read_insights(in, table.insights.emplace());
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string encode_table(const TableDescription& table) {
  std::string out(1, kTableFormat);
  FieldWriter write(out);
  write.text(kName, table.name);
  write.text(kId, table.id);
  write.text(kArn, table.arn);
  write.code(kStatus, table.status);
  write.integer(kCreated, table.created_ms);
  for (const auto& attribute : table.attributes) {
    std::string bytes;
    append_attribute(bytes, attribute);
    write.payload(kAttribute, bytes);
  }
  write.key(kKey, table.key);
  for (const auto& index : table.indexes) write.payload(kIndex, encode_index(index));
  write.code(kBilling, table.billing);
  write.integer(kPayPerRequestSince, table.pay_per_request_since_ms);
  write.flag(kBillingSummary, table.billing_summary);
  write.units(kThroughput, table.throughput);
  write.integer(kThroughputIncreased, table.throughput_increased_ms);
  write.integer(kThroughputDecreased, table.throughput_decreased_ms);
  write.integer(kThroughputDecreasesToday, table.throughput_decreases_today);
  write.limits(kOnDemand, table.on_demand);
  write.limits(kWarm, table.warm);
  write.flag(kDeletionProtection, table.deletion_protection);
  if (table.table_class) write.code(kTableClass, *table.table_class);
  write.integer(kTableClassChanged, table.table_class_changed_ms);
  if (table.sse.enabled || !table.sse.type.empty() || !table.sse.key_id.empty()) {
    write.payload(kSse, encode_sse(table.sse));
  }
  if (table.stream) write.code(kStream, *table.stream);
  write.text(kStreamLabel, table.stream_label);
  if (table.ttl_attribute) write.payload(kTimeToLive, *table.ttl_attribute);
  for (const auto& tag : table.tags) {
    std::string bytes;
    append_sized(bytes, tag.key);
    append_sized(bytes, tag.value);
    write.payload(kTag, bytes);
  }
  write.text(kResourcePolicy, table.resource_policy);
  write.integer(kKeyspace, table.keyspace);
  if (table.recovery) {
    std::string bytes;
    append_integer(bytes, table.recovery->enabled_ms);
    append_integer(bytes, table.recovery->period_days);
    write.payload(kRecovery, bytes);
  }
  if (table.restore) {
    std::string bytes;
    append_sized(bytes, table.restore->source_backup_arn);
    append_sized(bytes, table.restore->source_table_arn);
    append_integer(bytes, table.restore->restore_ms);
    write.payload(kRestore, bytes);
  }
  write.integer(kHistoryKeyspace, table.history_keyspace);
  write.integer(kResourcePolicyRevision, table.resource_policy_ms);
  if (table.insights) write.payload(kInsights, encode_insights(*table.insights));
  for (const auto& index : table.vector_indexes) write.payload(kVectorIndex, encode_vector_index(index));
  return out;
}

Result<TableDescription> decode_table(std::string_view bytes) {
  if (bytes.empty()) return damaged("it is empty");
  if (bytes.front() != kTableFormat) {
    return failure(ErrorCode::kInternal,
                   fmt::format("A stored table description has format {}, which this version of Trestle does not know; "
                               "open this data with the version that wrote it, or a newer one.",
                               static_cast<unsigned char>(bytes.front())));
  }
  bytes.remove_prefix(1);

  TableDescription table;
  Result<void> indexes;
  TRY(read_fields(bytes, "table description", [&](uint64_t tag, std::string_view& in) -> std::optional<bool> {
    if (tag == kVectorIndex) {
      auto& index = table.vector_indexes.emplace_back();
      if (indexes.has_value()) {
        indexes = read_fields(in, "vector index description", [&](uint64_t index_tag, std::string_view& index_in) {
          return read_vector_index_field(index_tag, index_in, index);
        });
      }
      in = {};
      return true;
    }
    if (tag != kIndex) return read_table_field(tag, in, table);
    auto& index = table.indexes.emplace_back();
    if (indexes.has_value()) {
      indexes = read_fields(in, "index description", [&](uint64_t index_tag, std::string_view& index_in) {
        return read_index_field(index_tag, index_in, index);
      });
    }
    in = {};
    return true;
  }));
  TRY(indexes);
  if (table.name.empty() || table.key.hash.empty()) return damaged("it has no name or no key");
  for (auto& index : table.indexes) index.arn = fmt::format("{}/index/{}", table.arn, index.name);
  for (auto& index : table.vector_indexes) index.arn = fmt::format("{}/index/{}", table.arn, index.name);
  return table;
}

}  // namespace trestle
