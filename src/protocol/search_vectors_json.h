// SearchVectors: JSON to request, response to JSON.
#pragma once

#include <string>

#include "model/vector_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<SearchVectorsRequest> read_search_vectors_json(JsonInput input);
void write_search_vectors_json(const SearchVectorsResponse& response, std::string& out);

}  // namespace trestle
