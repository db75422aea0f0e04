// The client's direction of the protocol: a request as the JSON that an endpoint reads, and its answer's JSON as a
// response. The other direction, the server's, is protocol/shapes/server_json.h. Both are derived from the shapes
// (model/shapes), but for what is in by_hand.h.
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
#include "model/shapes/all_shapes.h"
#include "protocol/json/json_input.h"
#include "protocol/shapes/by_hand.h"
#include "protocol/shapes/particular_values.h"
#include "protocol/shapes/shape_reader.h"
#include "protocol/shapes/shape_writer.h"

namespace trestle {

template <class Request>
void write_request_json(const Request& request, std::string& out) {
  if constexpr (requires { write_request_by_hand(request, out); }) {
    write_request_by_hand(request, out);
  } else {
    JsonOutput json(out);
    json.begin_object();
    write_shape(json, request);
    json.end_object();
  }
}

template <class Response>
Result<void> read_response_json(JsonInput input, Response& response) {
  if constexpr (Shaped<Response>) {
    return read_shape(input, response);
  } else {
    return read_response_by_hand(input, response);
  }
}

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
