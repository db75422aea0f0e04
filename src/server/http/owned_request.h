// A copy of a request that outlives its connection's buffer, for handling on another thread.
#pragma once

#include <string>
#include <vector>

#include "server/http/http.h"

namespace trestle {

class OwnedRequest {
 public:
  explicit OwnedRequest(const HttpRequest& from) : request_(from) {
    size_t bytes = from.method.size() + from.path.size() + from.query.size() + from.body.size() +
                   from.body_as_sent.size() + from.peer.size();
    for (const HttpHeader& header : from.headers) bytes += header.name.size() + header.value.size();
    bytes_.reserve(bytes);  // no reallocation, which would invalidate the views below
    for (std::string_view* part :
         {&request_.method, &request_.path, &request_.query, &request_.body, &request_.body_as_sent, &request_.peer}) {
      *part = keep(*part);
    }
    for (const HttpHeader& header : from.headers) {
      headers_.push_back({.name = keep(header.name), .value = keep(header.value)});
    }
    request_.headers = headers_;
  }
  OwnedRequest(const OwnedRequest&) = delete;
  OwnedRequest& operator=(const OwnedRequest&) = delete;
  const HttpRequest& get() const { return request_; }

 private:
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
