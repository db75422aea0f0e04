// Readers and writers that are not derived from shapes: the server's readers of requests on items, whose values are
// packed while they are read and whose checks have a particular order, and responses whose form depends on their
// content. Where there is a function here, it is used; everything else is read and written by its shape
// (server_json.cc, client_json.h). The client writes every request by its shape.
#pragma once

#include <string>

#include "model/database.h"
#include "protocol/json/json_input.h"

namespace trestle {

template <class T>
struct Of {};

// ---- The server reads requests.

Result<BatchExecuteStatementRequest> read_request_by_hand(JsonInput input, Of<BatchExecuteStatementRequest>);
Result<BatchGetItemRequest> read_request_by_hand(JsonInput input, Of<BatchGetItemRequest>);
Result<BatchWriteItemRequest> read_request_by_hand(JsonInput input, Of<BatchWriteItemRequest>);
Result<DeleteItemRequest> read_request_by_hand(JsonInput input, Of<DeleteItemRequest>);
Result<ExecuteStatementRequest> read_request_by_hand(JsonInput input, Of<ExecuteStatementRequest>);
Result<ExecuteTransactionRequest> read_request_by_hand(JsonInput input, Of<ExecuteTransactionRequest>);
Result<ExportTableToPointInTimeRequest> read_request_by_hand(JsonInput input, Of<ExportTableToPointInTimeRequest>);
Result<GetItemRequest> read_request_by_hand(JsonInput input, Of<GetItemRequest>);
Result<PutItemRequest> read_request_by_hand(JsonInput input, Of<PutItemRequest>);
Result<QueryRequest> read_request_by_hand(JsonInput input, Of<QueryRequest>);
Result<ScanRequest> read_request_by_hand(JsonInput input, Of<ScanRequest>);
Result<SearchVectorsRequest> read_request_by_hand(JsonInput input, Of<SearchVectorsRequest>);
Result<TransactGetItemsRequest> read_request_by_hand(JsonInput input, Of<TransactGetItemsRequest>);
Result<TransactWriteItemsRequest> read_request_by_hand(JsonInput input, Of<TransactWriteItemsRequest>);
Result<UpdateItemRequest> read_request_by_hand(JsonInput input, Of<UpdateItemRequest>);

// Checks that rules cannot express: before the constraints of a request that was derived, and after them. The latter
// may complete the request.
Result<void> check_first(JsonInput input, const CreateTableRequest& request);
Result<void> check_last(JsonInput input, CreateTableRequest& request);
Result<void> check_last(JsonInput input, UpdateTableRequest& request);
Result<void> check_last(JsonInput input, TagResourceRequest& request);
Result<void> check_last(JsonInput input, RestoreTableToPointInTimeRequest& request);
Result<void> check_last(JsonInput input, ListStreamsRequest& request);
Result<void> check_last(JsonInput input, DescribeStreamRequest& request);
Result<void> check_last(JsonInput input, GetShardIteratorRequest& request);
Result<void> check_last(JsonInput input, GetRecordsRequest& request);
Result<void> check_last(JsonInput input, PutResourcePolicyRequest& request);

// ---- The server writes responses.

void write_response_by_hand(const BackupResponse& response, std::string& out);
void write_response_by_hand(const DescribeTimeToLiveResponse& response, std::string& out);
void write_response_by_hand(const GetRecordsResponse& response, std::string& out);

// ---- The client reads responses.

Result<void> read_response_by_hand(JsonInput input, BackupResponse& response);
Result<void> read_response_by_hand(JsonInput input, DescribeTimeToLiveResponse& response);
Result<void> read_response_by_hand(JsonInput input, GetRecordsResponse& response);
Result<void> read_response_by_hand(JsonInput input, PageResponse& response);

}  // namespace trestle
