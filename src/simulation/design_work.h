// The background work of a design, done to its end by the caller: unfinished calls, reactions, dead letters, tallies
// through the stream.
#pragma once

#include <string>

#include "engine/engine.h"
#include "runtime/background/reactions.h"
#include "runtime/items/blob_store.h"
#include "runtime/runtime.h"
#include "runtime/values/key_ring.h"

namespace trestle {

inline constexpr Backoff kSimulatedBackoff = {.base_ms = 1, .cap_ms = 20};

struct ServedDesign {
  runtime::DesignRuntime* runtime = nullptr;
  Engine* engine = nullptr;
  const Clock* clock = nullptr;
  const runtime::KeyRing* keys = nullptr;
  runtime::BlobStore* blobs = nullptr;
};

// Every endpoint that reactions call answers that all went well.
runtime::EndpointReply simulated_endpoint(const std::string& endpoint, const std::string& idempotency_key,
                                          const std::string& body);

// Nothing else may do this work at the same time. False: it does not end, and `what` says why.
bool finish_design_work(const ServedDesign& served, std::string& what);

}  // namespace trestle
