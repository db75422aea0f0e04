#include "api/call_trace.h"

#include <fmt/format.h>

#include "protocol/client/client_json.h"
#include "protocol/json/error_json.h"

namespace trestle::api {
namespace {

struct OperationName {
  std::string_view operator()(const GetItemRequest*) const { return "GetItem"; }
  std::string_view operator()(const BatchGetItemRequest*) const { return "BatchGetItem"; }
  std::string_view operator()(const QueryRequest*) const { return "Query"; }
  std::string_view operator()(const ScanRequest*) const { return "Scan"; }
  std::string_view operator()(const PutItemRequest*) const { return "PutItem"; }
  std::string_view operator()(const UpdateItemRequest*) const { return "UpdateItem"; }
  std::string_view operator()(const DeleteItemRequest*) const { return "DeleteItem"; }
  std::string_view operator()(const BatchWriteItemRequest*) const { return "BatchWriteItem"; }
  std::string_view operator()(const TransactWriteItemsRequest*) const { return "TransactWriteItems"; }
};

std::string entry_of(const runtime::SentRequest& sent) {
  std::string text;
  JsonOutput json(text);
  json.begin_object();
  json.member("operation", std::visit(OperationName(), sent.request));
  json.key("request");
  std::visit([&](const auto* request) { write_request_json(*request, text); }, sent.request);
  double units = 0;
  json.key("consumed").begin_array();
  for (const ConsumedCapacity& consumed : sent.consumed) {
    units += consumed.total;
    write_value(json, consumed);
  }
  json.end_array();
  if (!sent.consumed.empty()) json.member("units", units);
  json.member("time_us", sent.time_us);
  if (sent.count) json.member("count", *sent.count);
  if (sent.scanned_count) json.member("scanned_count", *sent.scanned_count);
  if (sent.error != nullptr) json.member("error", error_name(sent.error->code));
  json.end_object();
  return text;
}

}  // namespace

void CallTrace::add(const runtime::SentRequest& sent) {
  std::string entry = entry_of(sent);
  const MutexLock lock(mutex_);
  if (requests_.size() + entry.size() > kBytesMax) {
    ++omitted_;
    return;
  }
  if (!requests_.empty()) requests_ += ',';
  requests_ += entry;
}

std::string CallTrace::wrap(std::string_view body) const {
  const MutexLock lock(mutex_);
  std::string out = fmt::format("{{\"answer\":{},\"requests\":[{}]", body.empty() ? "null" : body, requests_);
  if (omitted_ > 0) out += fmt::format(",\"omitted\":{}", omitted_);
  return out + '}';
}

}  // namespace trestle::api
