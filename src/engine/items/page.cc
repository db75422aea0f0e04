#include "engine/items/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/items/capacity.h"
#include "engine/items/item_key.h"
#include "engine/items/read_projection.h"
#include "engine/tables/key_definition.h"
#include "model/limits.h"

namespace trestle {

bool index_has_attribute(const TableDescription& table, const IndexDescription& index, std::string_view name) {
  if (index.projection.type == ProjectionType::kAll) return true;
  if (index.key.contains(name) || table.key.contains(name)) return true;
  const auto& names = index.projection.non_key_attributes;
  return std::find(names.begin(), names.end(), name) != names.end();
}

namespace {

// The distinct names in the iteration order of Java's HashSet, as in DynamoDB's message.
std::string hash_set_text(const std::vector<std::string_view>& names) {
  std::vector<std::pair<uint32_t, std::string_view>> set;
  for (std::string_view name : names) {
    if (std::ranges::find(set, name, &decltype(set)::value_type::second) != set.end()) continue;
    uint32_t hash = 0;
    for (const char c : name) hash = hash * 31 + static_cast<unsigned char>(c);
    set.emplace_back(hash ^ (hash >> 16), name);
  }
  uint32_t buckets = 16;
  while (set.size() > buckets / 4 * 3) buckets *= 2;
  std::ranges::stable_sort(set, {}, [&](const auto& entry) { return entry.first & (buckets - 1); });
  std::string text;
  for (const auto& [hash, name] : set) {
    text += text.empty() ? "" : ", ";
    text += name;
  }
  return text;
}

// Checks that the global index can be read, and projects all attributes that the request selects.
Result<void> check_global_index(const TableDescription& table, const IndexDescription& index,
                                const PageRequest& request, const CompiledPage& compiled) {
  if (index.status == Status::kCreating) {
    return invalid("Cannot read from backfilling global secondary index: " + index.name);
  }
  if (request.select == Select::kAllAttributes && index.projection.type != ProjectionType::kAll) {
    return invalid_parameter(
        fmt::format("Select type ALL_ATTRIBUTES is not supported for global secondary index {} because its projection "
                    "type is not ALL",
                    index.name));
  }
  if (!compiled.projection) return {};
  std::string missing;
  for (std::string_view name : compiled.projection->attributes()) {
    if (index_has_attribute(table, index, name)) continue;
    missing += missing.empty() ? "" : ", ";
    missing += name;
  }
  if (missing.empty()) return {};
  return invalid_parameter(fmt::format("Global secondary index {} does not project [{}]", index.name, missing));
}

}  // namespace

Result<void> check_filter_projected(const TableDescription& table, const IndexDescription& index,
                                    std::span<const std::string_view> attributes) {
  std::vector<std::string_view> missing;
  for (std::string_view name : attributes) {
    if (!index_has_attribute(table, index, name)) missing.push_back(name);
  }
  if (missing.empty()) return {};
  return invalid_parameter(fmt::format("Secondary index {} does not project one or more filter attributes: [{}]",
                                       index.name, hash_set_text(missing)));
}

bool has_expression(const PageRequest& request) {
  return request.filter_expression.has_value() || request.projection.expression.has_value();
}

Result<CompiledPage> compile_page(const PageRequest& request, Binding& binding) {
  CompiledPage compiled;
  if (request.filter_expression) {
    TRY_INTO(compiled.filter, compile_condition(*request.filter_expression, ExpressionKind::kFilter, binding));
  } else if (request.legacy_filter) {
    compiled.filter = compile_legacy_condition(*request.legacy_filter, request.conditional_operator);
  }
  TRY_INTO(compiled.projection, compile_read_projection(request.projection, binding));
  return compiled;
}

Result<void> check_readable_index(const TableDescription& table, const PageRequest& request,
                                  std::string_view operation) {
  if (!request.index_name || table.vector_index(*request.index_name) == nullptr) return {};
  return invalid(fmt::format("{} operation not supported on this index type.", operation));
}

Result<PageSource> page_source(std::shared_ptr<const TableVersion> table, const PageRequest& request,
                               const CompiledPage& compiled) {
  PageSource source{.table = std::move(table)};
  const TableDescription& description = source.description();
  if (compiled.projection) TRY(check_nested_paths(description, compiled.projection->nested_attributes()));
  if (compiled.filter) TRY(check_nested_paths(description, compiled.filter->nested_attributes()));
  source.keyspace = description.keyspace;
  source.key = &description.key;
  if (!request.index_name) return source;
  source.index = description.index(*request.index_name);
  if (source.index == nullptr) {
    return invalid("The table does not have the specified index: " + *request.index_name);
  }
  if (source.index->global) {
    if (request.consistent_read) return invalid("Consistent reads are not supported on global secondary indexes");
    TRY(check_global_index(description, *source.index, request, compiled));
  }
  source.keyspace = source.index->keyspace;
  source.key = &source.index->key;
  return source;
}

bool scan_fills_cache(const PageSource& source, size_t cache_bytes) {
  const TableVersion& table = *source.table;
  const auto& counts = source.index == nullptr
                           ? table.counts
                           : table.index_counts[static_cast<size_t>(source.index - table.description.indexes.data())];
  return counts->bytes.load(std::memory_order_relaxed) < static_cast<int64_t>(cache_bytes / 8);
}

Result<std::string> encode_start_key(const PageSource& source, ItemView start_key, bool is_scan) {
  const KeySchema& table_key = source.description().key;
  const auto invalid_key = [&](bool mismatch) {
    constexpr const char* kInvalid = "The provided starting key is invalid";
    if (is_scan && mismatch && source.index == nullptr) {
      return invalid(fmt::format("{}: The provided key element does not match the schema", kInvalid));
    }
    return invalid(kInvalid);
  };
  for (const Field& field : start_key.attributes()) {
    if (!source.key->contains(field.name) && !table_key.contains(field.name)) return invalid_key(true);
  }
  for (const KeySchema* key : {source.key, &table_key}) {
    for (const auto* attributes : {&key->hash, &key->range}) {
      for (const KeyAttribute& attribute : *attributes) {
        const auto value = start_key.find(attribute.name);
        if (!value) return invalid_key(true);
        if (value->type() != attribute.type) {
          return is_scan ? invalid_key(true) : invalid("The provided key element does not match the schema");
        }
        if (value->type() != ValueType::kNumber && value->scalar().empty()) return invalid_key(false);
      }
    }
  }
  if (source.index == nullptr) return encode_table_key(source.keyspace, table_key, start_key);
  return *encode_index_key(source.keyspace, *source.key, table_key, start_key);
}

bool PageReader::fetches_from_table() const {
  // A local index fetches attributes that it does not project from the table. A global index never does.
  const IndexDescription* index = source_.index;
  if (index == nullptr || index->global || index->projection.type == ProjectionType::kAll) return false;
  if (request_.select == Select::kAllAttributes) return true;
  if (!compiled_.projection) return false;
  return std::any_of(compiled_.projection->attributes().begin(), compiled_.projection->attributes().end(),
                     [&](std::string_view name) { return !index_has_attribute(source_.description(), *index, name); });
}

Result<void> PageReader::take(ItemView entry, const std::shared_ptr<const Snapshot>& snapshot, PageResponse& response,
                              double& fetched_units) const {
  PinnedBytes bytes;
  ItemView item = entry;
  if (fetches_from_table()) {
    const TableDescription& table = source_.description();
    const std::string key = encode_table_key(table.keyspace, table.key, entry);
    TRY_INTO(const bool found, parts_.store->get(Space::kItems, key, bytes, *snapshot));
    if (found) item = ItemView(bytes.view());
    fetched_units += read_units(item.size_bytes(), request_.consistent_read);
  }
  if (compiled_.filter && !compiled_.filter->matches(item)) return {};
  ++response.count;
  if (!response.items_returned) return {};
  if (compiled_.projection) {
    response.items.add(compiled_.projection->apply(item));
  } else {
    response.items.add(item);
  }
  return {};
}

Result<PageResponse> PageReader::read(CursorOptions options, std::span<const ValueView> partition) const {
  const KeyInsights::Subject subject{source_.description(), source_.index};
  const auto admitted = parts_.throughput.admit(source_.description(), source_.index, UnitKind::kRead);
  if (!partition.empty()) {
    parts_.insights.note_partition(subject, admitted.has_value() ? KeyEvent::kRead : KeyEvent::kThrottled, partition);
  }
  TRY(admitted);
  const auto snapshot = parts_.store->snapshot();
  const auto cursor = parts_.store->cursor(Space::kItems, std::move(options), snapshot);
  PageResponse response;
  response.items_returned = request_.select != Select::kCount;
  const int64_t limit = request_.limit.value_or(INT64_MAX);
  size_t read_bytes = 0;
  double fetched_units = 0;
  for (; cursor->valid(); cursor->next()) {
    const ItemView entry(cursor->value());
    ++response.scanned_count;
    read_bytes += entry.size_bytes();
    if (!partition.empty()) parts_.insights.note_item(subject, KeyEvent::kRead, entry);
    TRY(take(entry, snapshot, response, fetched_units));
    if (response.scanned_count < limit && read_bytes < kPageBytesMax) continue;
    response.last_evaluated_key = index_key_of(*source_.key, source_.description().key, entry);
    break;
  }
  TRY(cursor->status());
  CapacityMeter meter(source_.description().name, request_.return_consumed_capacity);
  meter.charge_to(parts_.throughput, *source_.table, UnitKind::kRead);
  const double units = read_units(read_bytes, request_.consistent_read);
  if (source_.index != nullptr) {
    meter.add_index(*source_.index, units);
    meter.add_table(fetched_units);
  } else {
    meter.add_table(units);
  }
  response.consumed_capacity = meter.consumed();
  return response;
}

}  // namespace trestle
