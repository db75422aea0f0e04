// Limits and timeouts of a connection. Everything that a client can make grow has a limit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "server/http/request_parser.h"

namespace trestle {

struct SessionOptions {
  RequestLimits limits;                           // body_bytes_max also limits the decompressed body
  size_t buffered_bytes_max = size_t{512} << 20;  // unfinished requests and unsent replies of all connections together
  int64_t header_timeout_ms = 10'000;             // from a request's first byte to the end of its headers
  int64_t body_timeout_ms = 30'000;               // without a byte of the body
  int64_t request_timeout_ms = 300'000;           // from a request's first byte to its last
  int64_t write_timeout_ms = 30'000;   // without the peer accepting a byte; a tenth of it when buffers are scarce
  int64_t idle_timeout_ms = 120'000;   // between requests
  int64_t linger_ms = 2'000;           // after an error reply, how long the peer may take to read it
  int64_t tick_ms = 250;               // how often timeouts are checked
  size_t gzip_reply_bytes_min = 4096;  // smaller replies are not compressed
  size_t gzip_on_loop_bytes_max = 64 * 1024;  // larger replies are compressed by another thread
};

}  // namespace trestle
