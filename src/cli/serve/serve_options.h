// The flags of `trestle serve`.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/serve_designs.h"
#include "engine/streams/stream_upkeep.h"
#include "server/http/session_options.h"

namespace trestle {

struct ServeOptions {
  std::string bind = "localhost";
  bool both_loopbacks = false;  // `bind` is 127.0.0.1, and ::1 is also listened on
  bool open = false;            // callers are not authenticated, wherever they are
  uint16_t port = 8000;
  std::string data = "data";
  bool memory_store = false;
  std::string durability = "sync";
  size_t cache_mb = 256;
  size_t vector_memory_mb = 1024;
  unsigned threads = 0;
  std::string region = "us-east-1";
  std::string credentials;
  std::string policies;
  std::string audit;
  size_t audit_mb = 100;
  size_t audit_keep = 5;
  std::string tls_certificate;
  std::string tls_key;
  size_t connections_max = 10'000;
  size_t body_mb_max = 16;
  int64_t idle_timeout_ms = 120'000;
  int64_t header_timeout_ms = 10'000;
  int64_t write_timeout_ms = SessionOptions{}.write_timeout_ms;
  size_t buffers_mb_max = SessionOptions{}.buffered_bytes_max >> 20;
  std::vector<std::string> cors;
  std::vector<std::string> hosts;
  int64_t ttl_sweep_ms = 2'000;
  int64_t stream_shard_ms = StreamUpkeepOptions{}.shard_ms;
  int64_t stream_retention_ms = StreamUpkeepOptions{}.retention_ms;
  std::string throttle = "provisioned";
  bool metrics = false;
  bool insights = false;
  std::string log = "errors";
  std::string buckets;
  std::vector<std::string> tables;
  std::vector<std::string> seeds;
  int64_t transient_status_ms = 0;
  bool isolate = false;
  DesignOptions designs;
};

// Adds the flags; parsing sets the options, which must outlive the parsing.
void add_serve_flags(CLI::App& serve, ServeOptions& options);
// Sets the options that follow from others: the addresses of "localhost", and where data is stored with --on.
void complete_options(ServeOptions& options, bool data_is_given);

}  // namespace trestle
