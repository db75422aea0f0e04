// Query and Scan: reads that return one page at a time.
#pragma once

#include "model/parameters.h"

namespace trestle {

// Parameters shared by Query and Scan.
struct PageRequest {
  std::string table_name;
  std::optional<std::string> index_name;
  std::optional<Select> select;
  ReadProjection projection;
  std::optional<std::string> filter_expression;
  std::optional<LegacyConditions> legacy_filter;  // QueryFilter or ScanFilter
  std::optional<ConditionalOperator> conditional_operator;
  Placeholders placeholders;
  std::optional<Item> exclusive_start_key;
  std::optional<int64_t> limit;
  bool consistent_read = false;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

struct QueryRequest : PageRequest {
  std::optional<std::string> key_condition_expression;
  std::optional<LegacyConditions> key_conditions;
  bool scan_index_forward = true;
};

struct ScanRequest : PageRequest {
  std::optional<int64_t> segment;
  std::optional<int64_t> total_segments;
};

struct PageResponse {
  ItemList items;
  bool items_returned = true;  // false for Select COUNT: the response has no Items
  int64_t count = 0;
  int64_t scanned_count = 0;
  std::optional<Item> last_evaluated_key;
  std::optional<ConsumedCapacity> consumed_capacity;
};
using QueryResponse = PageResponse;
using ScanResponse = PageResponse;

}  // namespace trestle
