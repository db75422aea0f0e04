// GetShardIterator as JSON: see model/stream_requests.h for what the members mean.
#pragma once

#include <string>

#include "model/stream_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<GetShardIteratorRequest> read_get_shard_iterator_json(JsonInput input);
void write_get_shard_iterator_json(const GetShardIteratorResponse& response, std::string& out);

}  // namespace trestle
