// The client side of the protocol: writes requests as JSON and reads responses from JSON. The server side is
// protocol/shapes/server_json.h. Both are derived from the shapes (model/shapes), except for the functions in
// by_hand.h.
//
//   std::string body;
//   write_request_json(request, body);
//   ... the endpoint replies ...
//   TRY_INTO(const JsonInput input, parse_reply(reply));
//   PutItemResponse response;
//   TRY(read_response_json(input, response));
//
// A request or response is unchanged after a round trip through client and server, except for what JSON does not carry
// (milliseconds where DynamoDB sends seconds; keyspaces; recorded faults of a request, see check_writable).
//
// Reading is lenient, because endpoints differ: unknown members are ignored and absent members keep their defaults. A
// known member must have the right type.
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
  JsonOutput json(out);
  json.begin_object();
  write_shape(json, request);
  json.end_object();
}

template <class Response>
Result<void> read_response_json(JsonInput input, Response& response) {
  if constexpr (requires { read_response_by_hand(input, response); }) {
    return read_response_by_hand(input, response);
  } else {
    return read_shape(input, response);
  }
}

// A request that was read with an invalid value (Statement::parameters_fault, TransactWrite::fault) cannot be written
// again, and neither can UpdateTable's ReplicaUpdates. Fails with the error that the engine would return.
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

// Like parse_body and parse_padded_body, but with a separate parser, because a thread may call an endpoint while it is
// reading a request. The result is valid until the thread parses another reply.
Result<JsonInput> parse_reply(std::string_view body);
Result<JsonInput> parse_padded_reply(std::string_view body);

}  // namespace trestle
