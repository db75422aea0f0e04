#include "storage/catalog/table_encoding.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "storage/catalog/record_codec.h"

namespace trestle {
namespace {

constexpr char kTableFormat = 1;

// ---- Payloads. Each read function removes one payload from the front of `in`, or returns false if the bytes are
// invalid.

void append_integer(std::string& out, int64_t value) {
  append_varint(out, static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
}
bool read_integer(std::string_view& in, int64_t& value) {
  uint64_t raw;
  if (!read_varint(in, raw)) return false;
  value = static_cast<int64_t>(raw >> 1) ^ -static_cast<int64_t>(raw & 1);
  return true;
}

template <class Enum>
bool read_code(std::string_view& in, Enum& value, Enum last) {
  unsigned byte;
  if (!read_byte(in, byte) || byte > static_cast<unsigned>(last)) return false;
  value = static_cast<Enum>(byte);
  return true;
}

void append_payload(std::string& out, const KeyAttribute& attribute) {
  append_sized(out, attribute.name);
  out.append(type_name(attribute.type));
}
bool read_payload(std::string_view& in, KeyAttribute& value) {
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

void append_payload(std::string& out, const KeySchema& key) {
  for (const auto* part : {&key.hash, &key.range}) {
    append_varint(out, part->size());
    for (const auto& attribute : *part) append_payload(out, attribute);
  }
}
bool read_payload(std::string_view& in, KeySchema& value) {
  for (auto* part : {&value.hash, &value.range}) {
    uint64_t count;
    if (!read_varint(in, count) || count > in.size()) return false;
    part->resize(count);
    for (auto& attribute : *part) {
      if (!read_payload(in, attribute)) return false;
    }
  }
  return true;
}

void append_payload(std::string& out, const SearchAttribute& element) {
  append_payload(out, element.attribute);
  out.push_back(element.is_hash ? 1 : 0);
}
bool read_payload(std::string_view& in, SearchAttribute& value) {
  return read_payload(in, value.attribute) && read_code(in, value.is_hash, true);
}

void append_payload(std::string& out, const Throughput& units) {
  append_integer(out, units.read_units);
  append_integer(out, units.write_units);
}
bool read_payload(std::string_view& in, Throughput& value) {
  return read_integer(in, value.read_units) && read_integer(in, value.write_units);
}

void append_payload(std::string& out, const ThroughputLimits& limits) {
  out.push_back(static_cast<char>((limits.read_units ? 1 : 0) | (limits.write_units ? 2 : 0)));
  if (limits.read_units) append_integer(out, *limits.read_units);
  if (limits.write_units) append_integer(out, *limits.write_units);
}
bool read_payload(std::string_view& in, ThroughputLimits& value) {
  unsigned present;
  if (!read_byte(in, present) || present == 0 || present > 3) return false;
  if ((present & 1) != 0 && !read_integer(in, value.read_units.emplace())) return false;
  return (present & 2) == 0 || read_integer(in, value.write_units.emplace());
}

void append_payload(std::string& out, const SseSpecification& sse) {
  out.push_back(static_cast<char>(!sse.enabled ? 0 : *sse.enabled ? 2 : 1));
  append_sized(out, sse.type);
  append_sized(out, sse.key_id);
}
bool read_payload(std::string_view& in, SseSpecification& value) {
  unsigned enabled;
  if (!read_byte(in, enabled) || enabled > 2) return false;
  if (enabled != 0) value.enabled = enabled == 2;
  return read_text(in, value.type) && read_text(in, value.key_id);
}

void append_payload(std::string& out, const InsightsSetting& insights) {
  out.append({static_cast<char>(insights.enabled ? 1 : 0), static_cast<char>(insights.mode)});
  append_integer(out, insights.enabled_ms);
  append_integer(out, insights.updated_ms);
}
bool read_payload(std::string_view& in, InsightsSetting& value) {
  return read_code(in, value.enabled, true) && read_code(in, value.mode, InsightsMode::kThrottledKeys) &&
         read_integer(in, value.enabled_ms) && read_integer(in, value.updated_ms);
}

void append_payload(std::string& out, const Tag& tag) {
  append_sized(out, tag.key);
  append_sized(out, tag.value);
}
bool read_payload(std::string_view& in, Tag& value) { return read_text(in, value.key) && read_text(in, value.value); }

void append_payload(std::string& out, const PointInTimeRecovery& recovery) {
  append_integer(out, recovery.enabled_ms);
  append_integer(out, recovery.period_days);
}
bool read_payload(std::string_view& in, PointInTimeRecovery& value) {
  return read_integer(in, value.enabled_ms) && read_integer(in, value.period_days);
}

void append_payload(std::string& out, const RestoreSummary& restore) {
  append_sized(out, restore.source_backup_arn);
  append_sized(out, restore.source_table_arn);
  append_integer(out, restore.restore_ms);
}
bool read_payload(std::string_view& in, RestoreSummary& value) {
  return read_text(in, value.source_backup_arn) && read_text(in, value.source_table_arn) &&
         read_integer(in, value.restore_ms);
}

bool is_default(const SseSpecification& sse) { return !sse.enabled && sse.type.empty() && sse.key_id.empty(); }
template <class T>
bool is_default(const T& value) {
  return value == T{};
}

// ---- Fields. A FieldWriter and a FieldReader have the same functions, so that one list of fields serves both.

class FieldWriter {
 public:
  explicit FieldWriter(std::string& out) : out_(out) {}

  // The payload is the text.
  void text(uint64_t tag, const std::string& value) {
    if (!value.empty()) write(tag, value);
  }
  void text(uint64_t tag, const std::optional<std::string>& value) {
    if (value) write(tag, *value);
  }
  void texts(uint64_t tag, const std::vector<std::string>& values) {
    for (const std::string& value : values) write(tag, value);
  }
  void integer(uint64_t tag, int64_t value) {
    if (value == 0) return;
    std::string bytes;
    append_integer(bytes, value);
    write(tag, bytes);
  }
  void flag(uint64_t tag, bool value) {
    if (value) write(tag, "\x01");
  }
  // `last` is the greatest valid code; only the reader uses it.
  template <class Enum>
  void code(uint64_t tag, Enum value, Enum /*last*/) {
    const char byte = static_cast<char>(value);
    write(tag, std::string_view(&byte, 1));
  }
  template <class Enum>
  void code(uint64_t tag, const std::optional<Enum>& value, Enum last) {
    if (value) code(tag, *value, last);
  }
  template <class T>
  void required(uint64_t tag, const T& value) {
    std::string bytes;
    append_payload(bytes, value);
    write(tag, bytes);
  }
  template <class T>
  void value(uint64_t tag, const T& value) {
    if (!is_default(value)) required(tag, value);
  }
  template <class T>
  void value(uint64_t tag, const std::optional<T>& value) {
    if (value) required(tag, *value);
  }
  template <class T>
  void repeated(uint64_t tag, const std::vector<T>& values) {
    for (const T& value : values) required(tag, value);
  }
  // Structures with nested fields, which list(fields, structure) enumerates.
  template <class T, class List>
  void structures(uint64_t tag, std::string_view /*of*/, const std::vector<T>& values, List list) {
    for (const T& value : values) {
      std::string bytes;
      FieldWriter fields(bytes);
      list(fields, value);
      write(tag, bytes);
    }
  }

 private:
  void write(uint64_t tag, std::string_view payload) {
    append_varint(out_, tag);
    append_sized(out_, payload);
  }

  std::string& out_;
};

std::unexpected<Error> damaged(std::string_view what) {
  return failure(ErrorCode::kInternal, fmt::format("A stored table description is damaged: {}.", what));
}

std::unexpected<Error> unknown_tag(std::string_view of, uint64_t tag) {
  return failure(ErrorCode::kInternal,
                 fmt::format("A stored {} has field {}, which this version of Trestle does not know; "
                             "open this data with the version that wrote it, or a newer one.",
                             of, tag));
}

template <class T, class List>
Result<void> read_fields(std::string_view in, std::string_view of, T& value, Result<void>& inner, List list);

// Reads one field. Of the functions called, only the one with the field's tag reads the payload.
class FieldReader {
 public:
  // `inner` receives an error inside a nested structure; it is reported only if the outer fields are valid.
  FieldReader(uint64_t tag, std::string_view payload, Result<void>& inner) : tag_(tag), in_(payload), inner_(inner) {}

  void text(uint64_t tag, std::string& value) {
    if (is(tag)) value = take_all();
  }
  void text(uint64_t tag, std::optional<std::string>& value) {
    if (is(tag)) value = take_all();
  }
  void texts(uint64_t tag, std::vector<std::string>& values) {
    if (is(tag)) values.emplace_back(take_all());
  }
  void integer(uint64_t tag, int64_t& value) {
    if (is(tag)) ok_ = read_integer(in_, value);
  }
  void integer(uint64_t tag, uint32_t& value) {
    if (!is(tag)) return;
    int64_t wide = 0;
    ok_ = read_integer(in_, wide) && wide >= 0 && wide <= UINT32_MAX;
    value = static_cast<uint32_t>(wide);
  }
  void flag(uint64_t tag, bool& value) {
    if (is(tag)) ok_ = read_code(in_, value, true) && value;
  }
  template <class Enum>
  void code(uint64_t tag, Enum& value, Enum last) {
    if (is(tag)) ok_ = read_code(in_, value, last);
  }
  template <class Enum>
  void code(uint64_t tag, std::optional<Enum>& value, Enum last) {
    if (is(tag)) ok_ = read_code(in_, value.emplace(), last);
  }
  template <class T>
  void required(uint64_t tag, T& value) {
    if (is(tag)) ok_ = read_payload(in_, value);
  }
  template <class T>
  void value(uint64_t tag, T& value) {
    required(tag, value);
  }
  template <class T>
  void value(uint64_t tag, std::optional<T>& value) {
    if (is(tag)) ok_ = read_payload(in_, value.emplace());
  }
  template <class T>
  void repeated(uint64_t tag, std::vector<T>& values) {
    if (is(tag)) ok_ = read_payload(in_, values.emplace_back());
  }
  template <class T, class List>
  void structures(uint64_t tag, std::string_view of, std::vector<T>& values, List list) {
    if (!is(tag)) return;
    T& value = values.emplace_back();
    if (inner_.has_value()) inner_ = read_fields(in_, of, value, inner_, list);
    in_ = {};
  }

  bool known() const { return known_; }
  // Whether the payload was valid and read completely.
  bool ok() const { return ok_ && in_.empty(); }

 private:
  bool is(uint64_t tag) {
    if (tag != tag_) return false;
    return known_ = true;
  }
  std::string_view take_all() { return std::exchange(in_, {}); }

  const uint64_t tag_;
  std::string_view in_;
  Result<void>& inner_;
  bool known_ = false;
  bool ok_ = true;
};

template <class T, class List>
Result<void> read_fields(std::string_view in, std::string_view of, T& value, Result<void>& inner, List list) {
  while (!in.empty()) {
    uint64_t tag;
    std::string_view payload;
    if (!read_varint(in, tag) || !read_sized(in, payload)) return damaged("it ends too early");
    FieldReader field(tag, payload, inner);
    list(field, value);
    if (!field.known()) return unknown_tag(of, tag);
    if (!field.ok()) return damaged(fmt::format("field {} of the {} cannot be read", tag, of));
  }
  return {};
}

// ---- The lists of fields, with the tags that table_encoding.h documents.

constexpr auto kIndexFields = [](auto& fields, auto& index) {
  fields.text(0x01, index.name);
  fields.flag(0x02, index.global);
  fields.required(0x03, index.key);
  fields.code(0x04, index.projection.type, ProjectionType::kInclude);
  fields.texts(0x05, index.projection.non_key_attributes);
  fields.code(0x06, index.status, Status::kActive);
  fields.flag(0x07, index.backfilling);
  fields.value(0x08, index.throughput);
  fields.value(0x09, index.on_demand);
  fields.value(0x0A, index.warm);
  fields.integer(0x0B, index.keyspace);
  fields.integer(0x0C, index.throughput_increased_ms);
  fields.integer(0x0D, index.throughput_decreased_ms);
  fields.integer(0x0E, index.throughput_decreases_today);
  fields.value(0x10, index.insights);
};

constexpr auto kVectorIndexFields = [](auto& fields, auto& index) {
  fields.text(0x01, index.name);
  fields.text(0x02, index.vector_attribute);
  fields.integer(0x03, index.dimensions);
  fields.code(0x04, index.distance, DistanceFunction::kEuclidean);
  fields.repeated(0x05, index.search_schema);
  fields.code(0x06, index.projection.type, ProjectionType::kInclude);
  fields.texts(0x07, index.projection.non_key_attributes);
  fields.code(0x08, index.status, Status::kActive);
  fields.code(0x09, index.backfilling, true);
  fields.integer(0x0A, index.keyspace);
};

constexpr auto kTableFields = [](auto& fields, auto& table) {
  fields.text(0x01, table.name);
  fields.text(0x02, table.id);
  fields.text(0x03, table.arn);
  fields.code(0x04, table.status, Status::kActive);
  fields.integer(0x05, table.created_ms);
  fields.repeated(0x06, table.attributes);
  fields.required(0x07, table.key);
  fields.structures(0x08, "index description", table.indexes, kIndexFields);
  fields.code(0x09, table.billing, BillingMode::kPayPerRequest);
  fields.integer(0x0A, table.pay_per_request_since_ms);
  fields.flag(0x0B, table.billing_summary);
  fields.value(0x0C, table.throughput);
  fields.integer(0x0D, table.throughput_increased_ms);
  fields.integer(0x0E, table.throughput_decreased_ms);
  fields.integer(0x0F, table.throughput_decreases_today);
  fields.value(0x10, table.on_demand);
  fields.value(0x11, table.warm);
  fields.flag(0x12, table.deletion_protection);
  fields.code(0x13, table.table_class, TableClass::kStandardInfrequentAccess);
  fields.integer(0x14, table.table_class_changed_ms);
  fields.value(0x15, table.sse);
  fields.code(0x16, table.stream, StreamViewType::kNewAndOldImages);
  fields.text(0x17, table.stream_label);
  fields.text(0x18, table.ttl_attribute);
  fields.repeated(0x19, table.tags);
  fields.text(0x1A, table.resource_policy);
  fields.integer(0x1B, table.keyspace);
  fields.value(0x1C, table.recovery);
  fields.value(0x1D, table.restore);
  fields.integer(0x1E, table.history_keyspace);
  fields.integer(0x1F, table.resource_policy_ms);
  fields.value(0x20, table.insights);
  fields.structures(0x21, "vector index description", table.vector_indexes, kVectorIndexFields);
};

}  // namespace

std::string encode_table(const TableDescription& table) {
  std::string out(1, kTableFormat);
  FieldWriter fields(out);
  kTableFields(fields, table);
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
  Result<void> inner;
  TRY(read_fields(bytes, "table description", table, inner, kTableFields));
  TRY(inner);
  if (table.name.empty() || table.key.hash.empty()) return damaged("it has no name or no key");
  for (auto& index : table.indexes) index.arn = fmt::format("{}/index/{}", table.arn, index.name);
  for (auto& index : table.vector_indexes) index.arn = fmt::format("{}/index/{}", table.arn, index.name);
  return table;
}

}  // namespace trestle
