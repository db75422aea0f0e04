// DynamoDB's operations on streams.
#pragma once

#include "engine/parts.h"
#include "model/database.h"

namespace trestle {

Result<DescribeStreamResponse> describe_stream(TableParts& parts, const DescribeStreamRequest& request, Call& call);
Result<GetRecordsResponse> get_records(TableParts& parts, const GetRecordsRequest& request, Call& call);
Result<GetShardIteratorResponse> get_shard_iterator(TableParts& parts, const GetShardIteratorRequest& request,
                                                    Call& call);
Result<ListStreamsResponse> list_streams(TableParts& parts, const ListStreamsRequest& request, Call& call);

// Finds the stream of a request by its ARN.
Result<std::shared_ptr<const Stream>> find_stream(const TableParts& parts, std::string_view arn, Call& call);

}  // namespace trestle
