// A copy of a request that outlives its connection's buffer, for handling on another thread.
#pragma once

#include <string>
#include <vector>

#include "server/http/http.h"

namespace trestle {

class OwnedRequest {
 public:
  explicit OwnedRequest(const HttpRequest& from) : request_(from) {
    bytes_.reserve(text_bytes(from));  // no reallocation, which would invalidate the views below
    for (std::string_view* part :
         {&request_.method, &request_.path, &request_.query, &request_.body_as_sent, &request_.peer}) {
      *part = keep(*part);
    }
    request_.body = has_one_body(from) ? request_.body_as_sent : keep(from.body);
    headers_.reserve(from.headers.size());
    for (const HttpHeader& header : from.headers) {
      headers_.push_back({.name = keep(header.name), .value = keep(header.value)});
    }
    request_.headers = headers_;
  }
  OwnedRequest(const OwnedRequest&) = delete;
  OwnedRequest& operator=(const OwnedRequest&) = delete;
  const HttpRequest& get() const { return request_; }

  // The memory that a copy of the request occupies.
  static size_t memory_bytes(const HttpRequest& request) {
    return sizeof(OwnedRequest) + text_bytes(request) + request.headers.size() * sizeof(HttpHeader);
  }

 private:
  static bool has_one_body(const HttpRequest& request) {
    return request.body.data() == request.body_as_sent.data() && request.body.size() == request.body_as_sent.size();
  }
  static size_t text_bytes(const HttpRequest& request) {
    size_t bytes = request.method.size() + request.path.size() + request.query.size() + request.body_as_sent.size() +
                   (has_one_body(request) ? 0 : request.body.size()) + request.peer.size();
    for (const HttpHeader& header : request.headers) bytes += header.name.size() + header.value.size();
    return bytes;
  }
  std::string_view keep(std::string_view part) {
    const size_t at = bytes_.size();
    bytes_.append(part);
    return std::string_view(bytes_).substr(at);
  }

  HttpRequest request_;
  std::string bytes_;
  std::vector<HttpHeader> headers_;
};

}  // namespace trestle
