#include "protocol/shapes/server_json.h"

#include "model/shapes/all_shapes.h"
#include "protocol/shapes/by_hand.h"
#include "protocol/shapes/particular_values.h"
#include "protocol/shapes/shape_constraints.h"
#include "protocol/shapes/shape_reader.h"
#include "protocol/shapes/shape_writer.h"

namespace trestle {
namespace {

template <class Request>
Result<Request> read_request(JsonInput input) {
  if constexpr (requires { read_request_by_hand(input, Of<Request>()); }) {
    return read_request_by_hand(input, Of<Request>());
  } else {
    Request request;
    TRY(read_shape(input, request));
    TRY(check_shape_first<Request>(input));
    if constexpr (requires { check_first(input, request); }) TRY(check_first(input, request));
    TRY(check_shape_constraints<Request>(input));
    if constexpr (requires { check_last(input, request); }) TRY(check_last(input, request));
    return request;
  }
}

template <class Response>
void write_response(const Response& response, std::string& out) {
  if constexpr (requires { write_response_by_hand(response, out); }) {
    write_response_by_hand(response, out);
  } else {
    if constexpr (requires { Shape<Response>::kEmptyBody; }) return;
    JsonOutput json(out);
    json.begin_object();
    write_shape(json, response);
    json.end_object();
  }
}

}  // namespace

#define TRESTLE_DEFINE(Name, name)                                                                         \
  Result<Name##Request> read_##name##_json(JsonInput input) { return read_request<Name##Request>(input); } \
  void write_##name##_json(const Name##Response& response, std::string& out) { write_response(response, out); }
TRESTLE_OPERATIONS(TRESTLE_DEFINE)
#undef TRESTLE_DEFINE

}  // namespace trestle
