// SearchVectors: finds the items of a vector index that are most similar to a vector.
#pragma once

#include "model/parameters.h"

namespace trestle {

struct SearchVectorsRequest {
  std::string table_name;
  std::string index_name;
  std::vector<Value> search_vector;  // unvalidated; the engine rejects elements that are not 32-bit floats
  int64_t top_k = 0;
  std::optional<std::string> search_condition_expression;
  std::optional<std::string> projection_expression;
  Placeholders placeholders;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

struct SearchResult {
  Item item;
  double score = 0;
};
struct SearchVectorsResponse {
  std::vector<SearchResult> results;           // the most similar first
  std::optional<double> search_request_bytes;  // ConsumedCapacity
};

}  // namespace trestle
