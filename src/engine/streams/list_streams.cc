
#include "engine/streams/stream_operations.h"
#include "model/limits.h"

namespace trestle {

Result<ListStreamsResponse> list_streams(TableParts& parts, const ListStreamsRequest& request, Call& call) {
  const auto streams = parts.catalog->streams().streams();
  call.commit = parts.catalog->streams().commit_seen();
  const auto limit = static_cast<size_t>(request.limit.value_or(kStreamListMax));
  ListStreamsResponse response;
  for (const auto& stream : streams) {
    if (request.table_name && stream->table_name != *request.table_name) continue;
    if (request.exclusive_start_stream_arn && stream->arn() <= *request.exclusive_start_stream_arn) continue;
    if (response.streams.size() == limit) {
      response.last_evaluated_stream_arn = response.streams.back().arn;
      break;
    }
    response.streams.push_back({.arn = stream->arn(), .table_name = stream->table_name, .label = stream->label});
  }
  return response;
}

}  // namespace trestle
