// Readers and writers that are not derived from shapes. These are the server's readers of requests on items, which pack
// values while reading and check them in a particular order, and responses whose form depends on their content. A
// function declared here takes precedence; everything else is read and written by its shape (server_json.cc,
// client_json.h). The client writes every request by its shape.
#pragma once

#include <string>

#include "model/database.h"
#include "protocol/json/json_input.h"

namespace trestle {

template <class T>
struct Of {};

// ---- Requests that the server reads.

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

// Checks that rules cannot express, for requests read by their shapes: check_first runs before the constraints,
// check_last after them. check_last may complete the request.
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

// ---- Responses that the server writes.

void write_response_by_hand(const BackupResponse& response, std::string& out);
void write_response_by_hand(const DescribeTimeToLiveResponse& response, std::string& out);
void write_response_by_hand(const GetRecordsResponse& response, std::string& out);

// ---- Responses that the client reads.

Result<void> read_response_by_hand(JsonInput input, BackupResponse& response);
Result<void> read_response_by_hand(JsonInput input, DescribeTimeToLiveResponse& response);
Result<void> read_response_by_hand(JsonInput input, GetRecordsResponse& response);
Result<void> read_response_by_hand(JsonInput input, PageResponse& response);

}  // namespace trestle
