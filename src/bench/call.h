// One DynamoDB operation at a time, waited for: what sets up and clears away a benchmark's tables, outside any
// measurement. Keeps its connection.
#pragma once

#include <optional>
#include <string>

#include "bench/failure.h"
#include "bench/request_template.h"
#include "http/connection.h"
#include "http/response.h"

namespace trestle::bench {

using http::Connection;
using http::ResponseReader;
using http::ResponseState;

struct Reply {
  int status;
  std::string body;
};

class Caller {
 public:
  Caller(RequestContext context, SSL_CTX* tls) : context_(std::move(context)), tls_(tls) {}
  // A reply of any status. Fails only when none comes within 60 seconds.
  Result<Reply> call(std::string_view operation, std::string_view body);
  // The body of a reply of status 200; another status is a failure.
  Result<std::string> must(std::string_view operation, std::string_view body);

 private:
  Result<void> send(std::string_view request);
  Result<Reply> receive();
  Result<void> wait(short events);

  const RequestContext context_;
  SSL_CTX* const tls_;
  std::optional<Connection> connection_;
};

// The JSON value that follows "name": in a JSON text, or nothing. Only for values that are objects.
std::optional<std::string_view> find_object(std::string_view json, std::string_view name);

// The same for values that are strings with nothing escaped in them.
std::optional<std::string_view> find_string(std::string_view json, std::string_view name);

}  // namespace trestle::bench
