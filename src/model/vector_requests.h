// SearchVectors: the items of a vector index that are most like a vector.
#pragma once

#include "model/parameters.h"

namespace trestle {

struct SearchVectorsRequest {
  std::string table_name;
  std::string index_name;
  std::vector<Value> search_vector;  // as given: what is not a number of 32 bits is refused by the engine
  int64_t top_k = 0;
  std::optional<std::string> search_condition_expression;
  std::optional<std::string> projection_expression;
  Placeholders placeholders;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

struct SearchVectorsResponse {
  ItemList items;                              // the most alike first
  std::vector<double> scores;                  // as items
  std::optional<double> search_request_bytes;  // ConsumedCapacity
};

}  // namespace trestle
