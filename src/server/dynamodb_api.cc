#include "server/dynamodb_api.h"

#include <fmt/format.h>

#include "access/admission.h"
#include "base/random_id.h"
#include "base/steady_us.h"
#include "protocol/json/error_json.h"
#include "protocol/tables/describe_endpoints_json.h"
#include "server/auth/sigv4.h"
#include "server/http/owned_request.h"
#include "server/observe/metrics_text.h"

namespace trestle {
namespace {

constexpr std::string_view kAmzJson = "application/x-amz-json-1.0";
constexpr std::string_view kPlainJson = "application/json";
// The list that DynamoDB itself sends, according to ScyllaDB's Alternator.
constexpr std::string_view kExposedHeaders = "x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date";
// An event loop does not execute requests with larger bodies: parsing and writing this much takes it about 2 ms.
constexpr size_t kBodyOnLoopBytesMax = 256 << 10;
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

// Null: not an operation of the table.
const Operation* operation_of(const Target& target) {
  return is_dynamodb_service(target.service) ? find_operation(target.operation) : nullptr;
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

void set_busy(HttpReply& http) {
  set_error(Error{.code = ErrorCode::kServiceUnavailable, .message = "Too many requests are waiting; try again"}, http);
}

// "com.amazon.coral.service#InvalidSignatureException" without the prefix up to "#".
std::string_view bare_name(std::string_view type) { return type.substr(type.find('#') + 1); }

}  // namespace

struct DynamoDbApi::RequestRecord {
  int64_t began_us = 0;
  std::string_view operation = "Unknown";
  Work work = Work::kItems;
  std::string error;
  std::string table_name;
  std::string caller;
  std::string request_id;
  std::string peer;
  size_t request_bytes = 0;
  // Used only by the audit log.
  bool denied = false;
  std::string user;
  std::vector<std::string> actions;
  std::vector<std::string> resources;
};

void DynamoDbApi::handle(const HttpRequest& request, ReplyHandle reply) {
  if (auto preflight = preflight_reply(request, options_.browsers, kExposedHeaders)) {
    preflight->add_header("x-amzn-RequestId", random_request_id());
    reply.send(std::move(*preflight));
    return;
  }
  HttpReply http{.crc32 = true};
  std::string request_id = random_request_id();
  http.add_header("x-amzn-RequestId", request_id);
  add_cors_headers(request, options_.browsers, kExposedHeaders, http);
  if (auto why = options_.browsers.refusal(request, options_.credentials != nullptr)) {
    http.content_type = kPlainJson;
    set_error(AuthError{403, "com.amazon.coral.service#AccessDeniedException", std::move(*why)}, http);
    return reply.send(std::move(http));
  }
  const std::string_view type = media_type(request);
  if (request.method == "GET" && request.path == "/metrics" && options_.metrics_page) {
    http.content_type = MetricsText::kContentType;
    answer_page(options_.metrics_page, std::move(http), std::move(reply));
  } else if (request.method == "GET" && request.path == "/insights" && options_.insights_page) {
    http.content_type = kPlainJson;
    answer_page([this, query = std::string(request.query)] { return options_.insights_page(query); }, std::move(http),
                std::move(reply));
  } else if (request.is_read()) {
    http.content_type = "text/plain";
    http.body = fmt::format("healthy: dynamodb.{}.amazonaws.com ", options_.region);
    reply.send(std::move(http));
  } else if (request.method != "POST" || (!request.body.empty() && type != kAmzJson && type != kPlainJson)) {
    http.status = 404;
    http.body = kUnknownOperationXml;
    reply.send(std::move(http));
  } else {
    http.content_type = type == kAmzJson ? kAmzJson : kPlainJson;
    answer(request, {std::move(http), std::move(reply), std::move(request_id), steady_us()},
           options_.has_workers ? Thread::kLoop : Thread::kWorker);
  }
}

void DynamoDbApi::answer_page(std::function<std::string()> make, HttpReply http, ReplyHandle reply) {
  if (!options_.has_workers) {
    http.body = make();
    return reply.send(std::move(http));
  }
  struct Page {
    HttpReply http;
    ReplyHandle reply;
  };
  auto page =
      std::make_shared<Page>(std::move(http), std::move(reply));  // shared, because a full queue destroys the task
  WorkerPool::Task task = [page, make = std::move(make)] {
    page->http.body = make();
    page->reply.send(std::move(page->http));
  };
  if (pages_.submit(task)) return;
  page->http.content_type = "text/plain";
  page->http.status = 503;
  page->http.body = "Too many requests are waiting.\n";
  page->reply.send(std::move(page->http));
}

WorkerPool& DynamoDbApi::workers_for(Work work, const Call& call) {
  switch (work) {
    case Work::kSearch:
      return searches_;
    case Work::kTableChange:
      return table_changes_;
    case Work::kItems:
      break;
  }
  return call.needs_lock ? lock_waits_ : disk_calls_;
}

bool DynamoDbApi::hand_over(WorkerPool& workers, const HttpRequest& request, Received& received) {
  if (!received.reply.request_waits(OwnedRequest::memory_bytes(request))) return false;
  // Shared with the task, because a full queue destroys the task.
  struct HandedOver {
    std::unique_ptr<OwnedRequest> request;
    Received received;
  };
  auto call = std::make_shared<HandedOver>(std::make_unique<OwnedRequest>(request), std::move(received));
  WorkerPool::Task task = [this, call] { answer(call->request->get(), std::move(call->received), Thread::kWorker); };
  if (workers.submit(task)) return true;
  received = std::move(call->received);
  return false;
}

void DynamoDbApi::answer(const HttpRequest& request, Received received, Thread thread) {
  HttpReply& http = received.http;
  ReplyHandle& reply = received.reply;
  Call call;
  call.cached_reads_only = thread == Thread::kLoop;
  call.space = std::move(received.space);
  call.spaces = std::move(received.spaces);
  RequestRecord record{.began_us = received.began_us,
                       .request_id = std::move(received.request_id),
                       .request_bytes = request.body.size()};
  if (options_.log != nullptr || options_.audit != nullptr) record.peer = request.peer;
  if (auto result = run(request, call, http, record); !result.has_value()) {
    set_error(result.error(), http);
    record.error = error_name(result.error().code);
    record.denied = result.error().code == ErrorCode::kAccessDenied;
  }
  if (call.needs_disk) [[unlikely]] {
    http.status = 200;
    http.body.clear();
    received.request_id = record.request_id;
    database_.bind(call);
    received.space = call.space;
    received.spaces = call.spaces;
    if (hand_over(workers_for(record.work, call), request, received)) return;
    set_busy(http);
    record.error = error_name(ErrorCode::kServiceUnavailable);
    record.denied = false;
    call.commit = 0;
  }
  record.table_name = std::move(call.table_name);
  record.caller = call.caller;
  if (call.commit == 0) {
    // An event loop flushes the log before it sends replies; a worker must do it here.
    if (thread == Thread::kWorker) {
      if (const auto flushed = database_.flush_log(); !flushed.has_value()) set_error(flushed.error(), http);
    }
    record_outcome(record, http);
    reply.send(std::move(http));
    return;
  }
  reply.reply_waits(http.body.size());
  database_.when_durable(call, [this, http = std::move(http), reply = std::move(reply),
                                record = std::move(record)](Result<void> durable) mutable {
    if (!durable.has_value()) {
      set_error(durable.error(), http);
      record.error = error_name(durable.error().code);
    }
    record_outcome(record, http);
    reply.send(std::move(http));
  });
}

void DynamoDbApi::record_outcome(const RequestRecord& record, const HttpReply& http) {
  const RequestOutcome outcome{.operation = record.operation,
                               .table = table_name_of(record.table_name).value_or(record.table_name),
                               .error = record.error,
                               .status = http.status,
                               .latency_us = steady_us() - record.began_us,
                               .request_bytes = record.request_bytes,
                               .reply_bytes = http.body.size()};
  if (options_.metrics != nullptr) options_.metrics->record(outcome);
  if (options_.audit != nullptr) audit(record);
  if (options_.log == nullptr || !options_.log->wants(http.status)) return;
  options_.log->write(
      outcome,
      {.request_id = record.request_id, .caller = record.caller, .peer = record.peer, .now_ms = clock_.now_ms()});
}

void DynamoDbApi::audit(const RequestRecord& record) {
  const std::string_view outcome = record.denied ? "denied" : record.error.empty() ? "allowed" : "error";
  options_.audit->write({.now_ms = clock_.now_ms(),
                         .request_id = record.request_id,
                         .user = record.user,
                         .access_key = record.caller,
                         .source_ip = address_of(record.peer),
                         .operation = record.operation,
                         .actions = &record.actions,
                         .resources = &record.resources,
                         .outcome = outcome,
                         .error = record.error});
}

Result<void> DynamoDbApi::run(const HttpRequest& request, Call& call, HttpReply& http, RequestRecord& record) {
  if (call.cached_reads_only && request.body.size() > kBodyOnLoopBytesMax) {
    if (const Operation* operation = operation_of(target_of(request))) {
      record.operation = operation->name;
      record.work = operation->work;
    }
    call.needs_disk = true;
    return {};
  }
  JsonInput input;
  if (!request.body.empty()) {
    TRY_INTO(input, parse_body(request.body));
  }
  const Target target = target_of(request);
  const Operation* operation = operation_of(target);
  const bool describes_endpoints = is_dynamodb_service(target.service) && target.operation == "DescribeEndpoints";
  if (operation == nullptr && !describes_endpoints) return failure(ErrorCode::kUnknownOperation, "");
  record.operation = describes_endpoints ? "DescribeEndpoints" : operation->name;
  if (operation != nullptr) record.work = operation->work;

  auto caller = verify(request, {.credentials = options_.credentials, .clock = clock_, .keys = keys_});
  if (!caller.has_value()) {
    set_error(caller.error(), http);
    record.error = bare_name(caller.error().type);
    record.denied = true;
    return {};
  }
  call.caller = std::move(caller->access_key_id);
  call.region = std::move(caller->region);
  if (request.body.empty()) return failure(ErrorCode::kSerialization, "");
  if (record.work == Work::kTableChange && call.cached_reads_only) {
    call.needs_disk = true;
    return {};
  }
  if (options_.access == nullptr || (options_.audit == nullptr && !options_.access->applies())) [[likely]] {
    return run(operation, request, input, nullptr, call, http);
  }
  Admission admission(*options_.access, {.access_key_id = call.caller,
                                         .peer = request.peer,
                                         .user_agent = request.header("user-agent"),
                                         .tls = request.tls,
                                         .now_ms = clock_.now_ms()});
  auto result = run(operation, request, input, &admission, call, http);
  record.user = admission.user_name();
  record.actions = admission.release_actions();
  record.resources = admission.release_resources();
  return result;
}

Result<void> DynamoDbApi::run(const Operation* operation, const HttpRequest& request, JsonInput input,
                              Admission* admission, Call& call, HttpReply& http) {
  if (operation == nullptr) {
    if (admission != nullptr) TRY(admission->admit_action("DescribeEndpoints"));
    write_describe_endpoints_json(request.header("host"), http.body);
    return {};
  }
  return operation->run(database_, input, call, admission, http.body);
}

}  // namespace trestle
