// Sends one DynamoDB operation at a time and waits for the reply: used to set up and delete a benchmark's tables
// outside of measurements. Keeps its connection open.
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
  // Returns a reply of any status. Fails only if there is no reply within 60 seconds.
  Result<Reply> call(std::string_view operation, std::string_view body);
  // Returns the body of a reply with status 200; any other status is a failure.
  Result<std::string> must(std::string_view operation, std::string_view body);

 private:
  Result<void> send(std::string_view request);
  Result<Reply> receive();
  Result<void> wait(short events);

  const RequestContext context_;
  SSL_CTX* const tls_;
  std::optional<Connection> connection_;
};

// The JSON object that follows "name": in a JSON text; nullopt if there is none.
std::optional<std::string_view> find_object(std::string_view json, std::string_view name);

// Like find_object, for strings without escapes.
std::optional<std::string_view> find_string(std::string_view json, std::string_view name);

}  // namespace trestle::bench
