#include "engine/statements/select_statement.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/items/capacity_sum.h"
#include "engine/items/item_key.h"
#include "engine/items/item_operations.h"
#include "engine/items/key_range.h"
#include "engine/items/page.h"
#include "engine/statements/statement_table.h"
#include "engine/tables/find_table.h"
#include "model/limits.h"
#include "storage/cached_reads.h"

namespace trestle {
namespace {

constexpr std::string_view kTransaction = "ExecuteTransaction";

// The last name of a path and the indexes after it: "k[1]" for m.k[1].
std::string column_name(const PartiqlPath& path) {
  size_t last = path.size() - 1;
  while (path[last].is_index) --last;
  std::string name = path[last].name;
  for (size_t i = last + 1; i < path.size(); ++i) name += fmt::format("[{}]", path[i].index);
  return name;
}

std::optional<ValueView> resolve(const PartiqlPath& path, ItemView item) {
  auto value = item.find(path.front().name);
  for (size_t i = 1; i < path.size() && value; ++i) {
    if (path[i].is_index) {
      value = value->type() == ValueType::kList ? value->list().at(path[i].index) : std::nullopt;
    } else {
      value = value->type() == ValueType::kMap ? value->map().find(path[i].name) : std::nullopt;
    }
  }
  return value;
}

}  // namespace

Result<void> SelectStatement::find_index() {
  const TableDescription& table = table_->description;
  key_ = &table.key;
  if (!statement_.index_name) return {};
  index_ = table.index(*statement_.index_name);
  if (table_->description.vector_index(*statement_.index_name) != nullptr) {
    return invalid("Scan operation not supported on this index type.");
  }
  if (index_ == nullptr) return invalid("The table does not have the specified index");
  key_ = &index_->key;
  if (key_->hash.size() > 1 || key_->range.size() > 1) {
    return invalid(
        "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE "
        "keys.");
  }
  if (index_->global && request_statement_.consistent_read) {
    return invalid("Strongly consistent read is not supported on Global Secondary Indexes");
  }
  return {};
}

Result<void> SelectStatement::name_columns() {
  if (statement_.columns_fault) return invalid(*statement_.columns_fault);
  std::vector<std::string_view> nested;
  for (const PartiqlPath& column : statement_.columns) {
    std::string name = column_name(column);
    if (std::ranges::find(column_names_, name) != column_names_.end()) {
      return invalid(fmt::format("Duplicate identifiers in select clause: {}", name));
    }
    column_names_.push_back(std::move(name));
    if (column.size() > 1) nested.push_back(column.front().name);
  }
  return check_nested_paths(table_->description, nested);
}

// A keyed read of an index can filter only on attributes in the index. As in DynamoDB, only the first read of the plan
// is checked.
Result<void> SelectStatement::check_filter_attributes() const {
  if (index_ == nullptr || plan_.reads.empty()) return {};
  return check_filter_projected(table_->description, *index_, plan_.reads.front().attributes);
}

Result<void> SelectStatement::prepare(std::string_view api) {
  TRY_INTO(table_, table_or_statement_error(find_table(parts_, statement_.table_name), statement_, request_statement_));
  if (api == kTransaction && statement_.index_name) {
    return invalid("Reads on indices are not supported within transactions.");
  }
  TRY(find_index());
  TRY(name_columns());
  TRY_INTO(plan_, plan_select(statement_, lowering_, *key_, api == kTransaction ? KeyTypes::kAny : KeyTypes::kChecked));
  if (api.empty() || (index_ == nullptr && plan_.kind == SelectPlan::Kind::kItem)) return {};
  return invalid(fmt::format("Select statements within {} must specify the primary key in the where clause.", api));
}

Item SelectStatement::item_key() const {
  const KeyRead& read = plan_.reads.front();
  std::vector<Field> key{{key_->hash.front().name, read.hash}};
  if (read.range) key.push_back({key_->range.front().name, read.range->first});
  return Item(std::move(key));
}

GetItemRequest SelectStatement::get_request() {
  GetItemRequest get{.table_name = table_->description.name, .consistent_read = request_statement_.consistent_read};
  get.key = item_key();
  if (!statement_.columns.empty()) {
    get.projection.expression = lowering_.projection();
    get.names = lowering_.release_placeholders().names;
  }
  return get;
}

Item SelectStatement::in_columns(ItemView item) const {
  if (statement_.columns.empty()) return Item(item);
  std::vector<Field> fields;
  for (size_t i = 0; i < statement_.columns.size(); ++i) {
    if (const auto value = resolve(statement_.columns[i], item)) fields.push_back({column_names_[i], *value});
  }
  return Item(std::move(fields));
}

Result<SelectStatement::OneItem> SelectStatement::get(ReturnConsumedCapacity detail) {
  GetItemRequest request = get_request();
  request.return_consumed_capacity = detail;
  TRY_INTO(GetItemResponse got, get_item(parts_, request, call_));
  OneItem read{.consumed_capacity = std::move(got.consumed_capacity)};
  if (got.item) read.item = in_columns(*got.item);
  return read;
}

Result<std::string> SelectStatement::prepare_item(std::string_view api) {
  TRY(prepare(api));
  return encode_table_key(table_->description.keyspace, *key_, item_key());
}

Result<GetItemRequest> SelectStatement::item_request(std::string_view api) {
  TRY(prepare(api));
  return get_request();
}

Result<ExecuteStatementResponse> SelectStatement::page(const ExecuteStatementRequest& request) {
  TRY(prepare({}));
  if (index_ != nullptr || plan_.kind != SelectPlan::Kind::kItem) return read_pages(request);
  if (request.next_token) return invalid("NextToken does not match request");
  TRY_INTO(OneItem read, get(request.return_consumed_capacity));
  ExecuteStatementResponse response{.consumed_capacity = std::move(read.consumed_capacity)};
  if (read.item) response.items.add(*read.item);
  return response;
}

Result<ExecuteStatementResponse> SelectStatement::read_pages(const ExecuteStatementRequest& request) {
  PageRequest page{.table_name = statement_.table_name,
                   .index_name = statement_.index_name,
                   .consistent_read = request_statement_.consistent_read,
                   .return_consumed_capacity = ReturnConsumedCapacity::kIndexes};
  if (plan_.needs_filter) {
    TRY_INTO(page.filter_expression, lowering_.condition(*statement_.where));
  }
  if (!statement_.columns.empty()) page.projection.expression = lowering_.projection();
  page.placeholders = lowering_.release_placeholders();
  TRY_INTO(Binding binding, Binding::make(page.placeholders, has_expression(page), page.filter_expression.has_value()));
  auto compiled = compile_page(page, binding);
  if (!compiled) return std::unexpected(bare_expression_error(std::move(compiled).error()));
  TRY(check_filter_attributes());
  TRY_INTO(const PageSource source, page_source(table_, page, *compiled));
  StatementPlace place;
  if (request.next_token) {
    TRY_INTO(place, read_statement_token(request_statement_, *request.next_token));
  }

  const bool scans = plan_.kind == SelectPlan::Kind::kScan;
  const size_t reads = scans ? 1 : plan_.reads.size();
  int64_t left = request.limit.value_or(INT64_MAX);
  double bytes_left = kPageBytesMax;
  ExecuteStatementResponse response;
  CapacitySum capacity;
  std::optional<StatementPlace> next;
  if (place.read >= reads) return invalid("Invalid NextToken");
  // Each read is charged at its end, so a later one would wait for the disk.
  if (CachedReads::must_not_wait() && reads - place.read > 1) {
    CachedReads::note_miss();
    return failure(ErrorCode::kServiceUnavailable, "a thread that may wait repeats the call");
  }
  for (size_t i = place.read; i < reads && !next; ++i) {
    const KeySelection selection = scans ? KeySelection{} : plan_.reads[i].selection();
    CursorOptions options{
        .range = scans ? segment_range(source.keyspace, 0, 1) : selected_range(source.keyspace, selection),
        .backward = plan_.backward,
        .fill_cache = !scans || scan_fills_cache(source, parts_.options.store.cache_bytes)};
    if (i == place.read && place.after) {
      TRY_INTO(options.after, encode_start_key(source, *place.after, scans));
      if (options.after < options.range.begin || options.after >= options.range.end) {
        return invalid("The provided starting key is invalid");
      }
    }
    const std::string partition = options.range.begin.substr(0, kKeyPrefixBytes);
    if (request.limit) page.limit = left;
    TRY_INTO(PageResponse read, PageReader(parts_, page, *compiled, source).read(std::move(options), selection.hash));
    call_.commit = std::max(call_.commit, scans ? parts_.store->commit_seen() : parts_.store->commit_seen(partition));
    for (size_t k = 0; k < read.items.size(); ++k) response.items.add(in_columns(read.items[k]));
    left -= read.scanned_count;
    // Derives the size of the read, rounded up, from its cost.
    bytes_left -=
        read.consumed_capacity->total * (request_statement_.consistent_read ? kReadUnitBytes : 2 * kReadUnitBytes);
    capacity.add(read.consumed_capacity);
    if (read.last_evaluated_key) {
      next = StatementPlace{.read = i, .after = std::move(read.last_evaluated_key)};
    } else if (i + 1 < reads && (left <= 0 || bytes_left <= 0)) {
      next = StatementPlace{.read = i + 1};
    }
  }
  if (next) {
    response.next_token = statement_token(request_statement_, *next);
    response.last_evaluated_key = std::move(next->after);
  }
  if (request.return_consumed_capacity != ReturnConsumedCapacity::kNone) {
    response.consumed_capacity = std::move(capacity.release().front());
    response.consumed_capacity->detail = request.return_consumed_capacity;
  }
  return response;
}

}  // namespace trestle
