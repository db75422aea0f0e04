// DynamoDB's operations on vector indexes.
#pragma once

#include "engine/parts.h"
#include "model/database.h"

namespace trestle {

Result<SearchVectorsResponse> search_vectors(ItemParts& parts, const SearchVectorsRequest& request, Call& call);

}  // namespace trestle
