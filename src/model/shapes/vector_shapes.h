// The shapes of SearchVectors.
#pragma once

#include "model/shapes/item_shapes.h"
#include "model/vector_requests.h"

namespace trestle {

template <>
struct Shape<SearchVectorsRequest> : ItemRules {
  static void members(auto& of) {
    using Of = SearchVectorsRequest;
    of.member("TableName", &Of::table_name, table_name_or_arn);
    of.member("IndexName", &Of::index_name, name_pattern);
    of.member("SearchVector", &Of::search_vector, count(1));
    of.member("TopK", &Of::top_k, integer, at_least(1));
    of.member("SearchConditionExpression", &Of::search_condition_expression);
    of.member("ProjectionExpression", &Of::projection_expression);
    of.inlined(&Of::placeholders);
    return_consumed_capacity<Of>(of);
  }
};
template <>
struct Shape<SearchResult> : ShapeRules {
  static void members(auto& of) {
    of.member("Item", &SearchResult::item);
    of.member("Score", &SearchResult::score);
  }
};
template <>
struct Shape<SearchVectorsResponse> : ShapeRules {
  static void members(auto& of) {
    using Of = SearchVectorsResponse;
    of.member("SearchResults", &Of::results);
    of.structure(
        "ConsumedCapacity", [](auto& in) { in.member("VectorSearchRequestBytes", &Of::search_request_bytes); },
        omit_default);
  }
};

}  // namespace trestle
