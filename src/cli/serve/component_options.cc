#include "cli/serve/component_options.h"

#include <algorithm>
#include <utility>

namespace trestle {

BasicResult<ListenerOptions, std::string> listener_options(const ServeOptions& options) {
  ListenerOptions listener{.address = options.bind, .port = options.port, .loops = options.threads};
  if (options.both_loopbacks) listener.second_address = "::1";
  listener.connections_max = options.connections_max;
  listener.session.idle_timeout_ms = options.idle_timeout_ms;
  listener.session.header_timeout_ms = options.header_timeout_ms;
  listener.session.write_timeout_ms = options.write_timeout_ms;
  listener.session.buffered_bytes_max = options.buffers_mb_max << 20;
  listener.session.limits.body_bytes_max = options.body_mb_max << 20;
  if (!options.tls_certificate.empty()) {
    TRY_INTO(listener.tls, TlsContext::load(options.tls_certificate, options.tls_key));
  }
  return listener;
}

EngineOptions engine_options(const ServeOptions& options, std::shared_ptr<Buckets> buckets) {
  return {
      .store = {.folder = options.data,
                .in_memory = options.memory_store,
                .durability = options.durability == "sync" ? Durability::kSync : Durability::kRelaxed,
                .cache_bytes = options.cache_mb << 20},
      .region = options.region,
      .expiry = {.interval_ms = options.ttl_sweep_ms},
      .streams = {.shard_ms = options.stream_shard_ms,
                  .retention_ms = options.stream_retention_ms,
                  .trim_interval_ms = std::min(StreamUpkeepOptions{}.trim_interval_ms, options.stream_retention_ms)},
      .buckets = std::move(buckets),
      .vectors = {.memory_bytes = options.vector_memory_mb << 20},
      .throttles = options.throttle == "provisioned",
      .transient_status_ms = options.transient_status_ms,
  };
}

EngineOptions space_options(EngineOptions options, const SpaceName& name) {
  constexpr size_t kCacheShare = 16;  // each of up to 100 spaces gets this fraction of the memory
  constexpr size_t kCacheBytesMin = size_t{8} << 20;
  options.region = name.region;
  if (!options.store.in_memory) options.store.folder += "/" + name.access_key + "_" + name.region;
  options.store.cache_bytes = std::max(kCacheBytesMin, options.store.cache_bytes / kCacheShare);
  return options;
}

LogLevel log_level(const std::string& name) {
  if (name == "all") return LogLevel::kAll;
  return name == "none" ? LogLevel::kNone : LogLevel::kErrors;
}

}  // namespace trestle
