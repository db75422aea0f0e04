// SearchVectors and vector indexes in the client's direction.
#include "model/shapes/table_enumerations.h"
#include "protocol/client/client_input.h"
#include "protocol/client/client_json.h"
#include "protocol/client/client_output.h"
#include "protocol/client/client_vector_members.h"

namespace trestle {

Result<void> take(JsonElement json, SearchAttribute& element) {
  return take_members(json, into("AttributeName", element.attribute.name),
                      into("SearchSchemaElementType", element.is_hash, kSearchElementTypes));
}

Result<void> take(JsonElement json, VectorIndexDescription& index) {
  const auto take_attribute = [&](JsonElement attribute) {
    return take_members(attribute, into("AttributeName", index.vector_attribute));
  };
  const auto take_projection = [&](JsonElement projection) {
    return take_members(projection, into("ProjectionType", index.projection.type, kProjectionTypes),
                        into("NonKeyAttributes", index.projection.non_key_attributes));
  };
  const auto take_schema = [&](JsonElement schema) -> Result<void> {
    TRY_INTO(const JsonArray array, json_list(schema));
    for (const JsonElement element : array) TRY(take(element, index.search_schema.emplace_back()));
    return {};
  };
  return take_members(
      json, into("IndexName", index.name), into("VectorAttribute", take_attribute), into("SearchSchema", take_schema),
      into("Projection", take_projection), into("Dimensions", index.dimensions),
      into("DistanceFunction", index.distance, kDistanceFunctions), into("IndexStatus", index.status, kStatuses),
      into("Backfilling", index.backfilling), into("IndexSizeBytes", index.size_bytes),
      into("ItemCount", index.item_count), into("IndexArn", index.arn));
}

void write_request_by_hand(const SearchVectorsRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "TableName", request.table_name);
  put(json, "IndexName", request.index_name);
  put(json, "SearchVector", request.search_vector);
  put(json, "TopK", request.top_k);
  put(json, "SearchConditionExpression", request.search_condition_expression);
  put(json, "ProjectionExpression", request.projection_expression);
  put_placeholders(json, request.placeholders);
  put_return_consumed_capacity(json, request.return_consumed_capacity);
  json.end_object();
}

Result<void> read_response_by_hand(JsonInput input, SearchVectorsResponse& response) {
  const auto take_result = [&](JsonElement json) -> Result<void> {
    Item item;
    double score = 0;
    TRY(take_members(json, into("Item", item), into("Score", score)));
    response.items.add(item);
    response.scores.push_back(score);
    return {};
  };
  const auto take_results = [&](JsonElement json) -> Result<void> {
    TRY_INTO(const JsonArray array, json_list(json));
    for (const JsonElement element : array) TRY(take_result(element));
    return {};
  };
  const auto take_capacity = [&](JsonElement json) {
    return take_members(json, into("VectorSearchRequestBytes", response.search_request_bytes));
  };
  return take_members(input, into("SearchResults", take_results), into("ConsumedCapacity", take_capacity));
}

}  // namespace trestle
