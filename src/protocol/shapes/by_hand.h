// Readers and writers that are not derived from shapes: requests on items, whose values are packed while they are read
// and whose checks have a particular order, and responses whose form depends on their content. An operation with a
// function here uses it; every other operation is read and written by its shape (server_json.cc, client_json.cc).
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
Result<DescribeStreamRequest> read_request_by_hand(JsonInput input, Of<DescribeStreamRequest>);
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
Result<void> check_last(JsonInput input, GetShardIteratorRequest& request);
Result<void> check_last(JsonInput input, GetRecordsRequest& request);
Result<void> check_last(JsonInput input, PutResourcePolicyRequest& request);

// ---- The server writes responses.

void write_response_by_hand(const BackupResponse& response, std::string& out);
void write_response_by_hand(const BatchExecuteStatementResponse& response, std::string& out);
void write_response_by_hand(const BatchGetItemResponse& response, std::string& out);
void write_response_by_hand(const BatchWriteItemResponse& response, std::string& out);
void write_response_by_hand(const DescribeTimeToLiveResponse& response, std::string& out);
void write_response_by_hand(const ExecuteStatementResponse& response, std::string& out);
void write_response_by_hand(const ExecuteTransactionResponse& response, std::string& out);
void write_response_by_hand(const GetItemResponse& response, std::string& out);
void write_response_by_hand(const GetRecordsResponse& response, std::string& out);
void write_response_by_hand(const PageResponse& response, std::string& out);
void write_response_by_hand(const SearchVectorsResponse& response, std::string& out);
void write_response_by_hand(const TransactGetItemsResponse& response, std::string& out);
void write_response_by_hand(const TransactWriteItemsResponse& response, std::string& out);
void write_response_by_hand(const WriteItemResponse& response, std::string& out);

// ---- The client writes requests.

void write_request_by_hand(const BatchExecuteStatementRequest& request, std::string& out);
void write_request_by_hand(const BatchGetItemRequest& request, std::string& out);
void write_request_by_hand(const BatchWriteItemRequest& request, std::string& out);
void write_request_by_hand(const DeleteItemRequest& request, std::string& out);
void write_request_by_hand(const DescribeStreamRequest& request, std::string& out);
void write_request_by_hand(const ExecuteStatementRequest& request, std::string& out);
void write_request_by_hand(const ExecuteTransactionRequest& request, std::string& out);
void write_request_by_hand(const GetItemRequest& request, std::string& out);
void write_request_by_hand(const PutItemRequest& request, std::string& out);
void write_request_by_hand(const QueryRequest& request, std::string& out);
void write_request_by_hand(const ScanRequest& request, std::string& out);
void write_request_by_hand(const SearchVectorsRequest& request, std::string& out);
void write_request_by_hand(const TransactGetItemsRequest& request, std::string& out);
void write_request_by_hand(const TransactWriteItemsRequest& request, std::string& out);
void write_request_by_hand(const UpdateItemRequest& request, std::string& out);

// ---- The client reads responses.

Result<void> read_response_by_hand(JsonInput input, BackupResponse& response);
Result<void> read_response_by_hand(JsonInput input, BatchExecuteStatementResponse& response);
Result<void> read_response_by_hand(JsonInput input, BatchGetItemResponse& response);
Result<void> read_response_by_hand(JsonInput input, BatchWriteItemResponse& response);
Result<void> read_response_by_hand(JsonInput input, DescribeTimeToLiveResponse& response);
Result<void> read_response_by_hand(JsonInput input, ExecuteStatementResponse& response);
Result<void> read_response_by_hand(JsonInput input, ExecuteTransactionResponse& response);
Result<void> read_response_by_hand(JsonInput input, GetItemResponse& response);
Result<void> read_response_by_hand(JsonInput input, GetRecordsResponse& response);
Result<void> read_response_by_hand(JsonInput input, PageResponse& response);
Result<void> read_response_by_hand(JsonInput input, SearchVectorsResponse& response);
Result<void> read_response_by_hand(JsonInput input, TransactGetItemsResponse& response);
Result<void> read_response_by_hand(JsonInput input, TransactWriteItemsResponse& response);
Result<void> read_response_by_hand(JsonInput input, WriteItemResponse& response);

}  // namespace trestle
