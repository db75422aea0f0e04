// The client's direction of the protocol: a request as the JSON that an endpoint reads, and its answer's JSON as a
// response. The other direction, the server's, is one file per operation (put_item_json.h and its like).
//
//   std::string body;
//   write_request_json(request, body);
//   ... the endpoint answers ...
//   TRY_INTO(const JsonInput input, parse_reply(reply));
//   PutItemResponse response;
//   TRY(read_response_json(input, response));
//
// What the server reads of a written request is that request, and what is read of a written response is that response,
// but for what the wire does not carry (a time in milliseconds where DynamoDB tells seconds; keyspaces; a request's
// noted faults, for which see check_writable). NextToken of ExecuteStatement is opaque here: it is the endpoint's text.
//
// Reading is lenient: members that nobody asks for are ignored and absent ones keep their defaults, since endpoints
// differ. What is there must have its type.
#pragma once

#include <string>
#include <string_view>

#include "model/database.h"
#include "protocol/json_input.h"

namespace trestle {

#define TRESTLE_DECLARE(Name, name)                                        \
  void write_request_json(const Name##Request& request, std::string& out); \
  Result<void> read_response_json(JsonInput input, Name##Response& response);
TRESTLE_OPERATIONS(TRESTLE_DECLARE)
#undef TRESTLE_DECLARE

// A request that was read with a fault in one of its values (Statement::parameters_fault, TransactWrite::fault) cannot
// be written again, and neither can UpdateTable's ReplicaUpdates. The refusal is what the engine would answer.
template <class Request>
Result<void> check_writable(const Request&) {
  return {};
}
Result<void> check_writable(const ExecuteStatementRequest& request);
Result<void> check_writable(const BatchExecuteStatementRequest& request);
Result<void> check_writable(const ExecuteTransactionRequest& request);
Result<void> check_writable(const TransactGetItemsRequest& request);
Result<void> check_writable(const TransactWriteItemsRequest& request);
Result<void> check_writable(const UpdateTableRequest& request);

// As parse_body and parse_padded_body, but with a parser of its own: whoever calls an endpoint may be in the middle of
// reading a request on the same thread. What comes back lives until the thread parses another reply.
Result<JsonInput> parse_reply(std::string_view body);
Result<JsonInput> parse_padded_reply(std::string_view body);

}  // namespace trestle
