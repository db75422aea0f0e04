#include "server/dynamodb_api.h"

#include <fmt/format.h>

#include "base/random_id.h"
#include "protocol/describe_endpoints_json.h"
#include "protocol/error_json.h"
#include "server/cors.h"
#include "server/sigv4.h"

namespace trestle {
namespace {

constexpr std::string_view kAmzJson = "application/x-amz-json-1.0";
constexpr std::string_view kPlainJson = "application/json";
constexpr std::string_view kUnknownOperationXml = "<UnknownOperationException/>\n";

std::string_view media_type(const HttpRequest& request) {
  std::string_view type = request.header("content-type");
  type = type.substr(0, type.find(';'));
  while (!type.empty() && type.back() == ' ') type.remove_suffix(1);
  return type;
}

struct Target {
  std::string_view service;
  std::string_view operation;
};

// "DynamoDB_20120810.PutItem"
Target target_of(const HttpRequest& request) {
  const std::string_view text = request.header("x-amz-target");
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos) return {};
  return {text.substr(0, dot), text.substr(dot + 1)};
}

void set_error(const Error& error, HttpReply& http) {
  http.status = error_shape(error.code).http_status;
  http.body.clear();
  write_error_json(error, http.body);
}

void set_error(const AuthError& error, HttpReply& http) {
  http.status = error.status;
  http.body.clear();
  write_error_json(ErrorShape{.type = error.type, .http_status = error.status, .message_key = "message"}, error.message,
                   http.body);
}

}  // namespace

void DynamoDbApi::handle(const HttpRequest& request, ReplyHandle reply) {
  if (auto preflight = preflight_reply(request)) {
    preflight->add_header("x-amzn-RequestId", random_request_id());
    reply.send(std::move(*preflight));
    return;
  }
  HttpReply http{.crc32 = true};
  http.add_header("x-amzn-RequestId", random_request_id());
  add_cors_headers(request, http);
  const std::string_view type = media_type(request);
  if (request.method == "GET" || request.method == "HEAD") {
    http.content_type = "text/plain";
    http.body = fmt::format("healthy: dynamodb.{}.amazonaws.com ", options_.region);
    reply.send(std::move(http));
  } else if (request.method != "POST" || (!request.body.empty() && type != kAmzJson && type != kPlainJson)) {
    http.status = 404;
    http.body = kUnknownOperationXml;
    reply.send(std::move(http));
  } else {
    http.content_type = type == kAmzJson ? kAmzJson : kPlainJson;
    answer(request, std::move(http), std::move(reply));
  }
}

void DynamoDbApi::answer(const HttpRequest& request, HttpReply http, ReplyHandle reply) {
  Call call;
  if (auto ran = run(request, call, http); !ran.has_value()) set_error(ran.error(), http);
  if (call.commit == 0) {
    reply.send(std::move(http));
    return;
  }
  database_.when_durable(call, [http = std::move(http), reply = std::move(reply)](Result<void> durable) mutable {
    if (!durable.has_value()) set_error(durable.error(), http);
    reply.send(std::move(http));
  });
}

Result<void> DynamoDbApi::run(const HttpRequest& request, Call& call, HttpReply& http) {
  JsonInput input;
  if (!request.body.empty()) {
    TRY_INTO(input, parse_body(request.body));
  }
  const Target target = target_of(request);
  const Operation* operation = is_dynamodb_service(target.service) ? find_operation(target.operation) : nullptr;
  const bool describes_endpoints = is_dynamodb_service(target.service) && target.operation == "DescribeEndpoints";
  if (operation == nullptr && !describes_endpoints) return failure(ErrorCode::kUnknownOperation, "");

  auto caller = verify(request, {.credentials = options_.credentials, .clock = clock_, .keys = keys_});
  if (!caller.has_value()) {
    set_error(caller.error(), http);
    return {};
  }
  call.caller = std::move(caller->access_key_id);
  if (request.body.empty()) return failure(ErrorCode::kSerialization, "");
  if (describes_endpoints) {
    write_describe_endpoints_json(request.header("host"), http.body);
    return {};
  }
  if (operation->run == nullptr) {
    return failure(ErrorCode::kNotImplemented,
                   fmt::format("Trestle does not have the operation {} yet", operation->name));
  }
  return operation->run(database_, input, call, http.body);
}

}  // namespace trestle
