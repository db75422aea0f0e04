// Vector indexes on the client.
#include "model/shapes/table_enumerations.h"
#include "protocol/client/client_input.h"
#include "protocol/client/client_vector_members.h"

namespace trestle {

Result<void> read_value(JsonElement json, SearchAttribute& element, JsonPlace) {
  return take_members(json, into("AttributeName", element.attribute.name),
                      into("SearchSchemaElementType", element.is_hash, kSearchElementTypes));
}

Result<void> read_value(JsonElement json, VectorIndexDescription& index, JsonPlace) {
  const auto take_attribute = [&](JsonElement attribute) {
    return take_members(attribute, into("AttributeName", index.vector_attribute));
  };
  const auto take_projection = [&](JsonElement projection) {
    return take_members(projection, into("ProjectionType", index.projection.type, kProjectionTypes),
                        into("NonKeyAttributes", index.projection.non_key_attributes));
  };
  return take_members(
      json, into("IndexName", index.name), into("VectorAttribute", take_attribute),
      into("SearchSchema", index.search_schema), into("Projection", take_projection),
      into("Dimensions", index.dimensions), into("DistanceFunction", index.distance, kDistanceFunctions),
      into("IndexStatus", index.status, kStatuses), into("Backfilling", index.backfilling),
      into("IndexSizeBytes", index.size_bytes), into("ItemCount", index.item_count), into("IndexArn", index.arn));
}

}  // namespace trestle
