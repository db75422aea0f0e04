// Sends one HTTP request on a new connection and reads the reply. Blocks, within the timeouts.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "http/failure.h"

namespace trestle {

struct HttpCall {
  std::string method = "POST";
  std::string url;   // http or https, host, port, path
  std::string path;  // appended to the URL's path
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  int64_t connect_timeout_ms = 3'000;
  int64_t timeout_ms = 10'000;  // for each read and each write
};
struct HttpAnswer {
  int status = 0;
  std::string body;
  std::string etag = {};  // the ETag header, unchanged
};
http::Result<HttpAnswer> call_http(const HttpCall& call);

}  // namespace trestle
