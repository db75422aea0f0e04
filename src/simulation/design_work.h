// Runs the background work of a design to completion in the calling thread: unfinished calls, reactions, dead letters,
// stream tallies.
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

// Stands for every endpoint that reactions call; always replies with success.
runtime::EndpointReply simulated_endpoint(const std::string& endpoint, const std::string& idempotency_key,
                                          const std::string& body);

// Nothing else may run this work at the same time. Returns false, with the reason in `what`, if the work does not end.
bool finish_design_work(const ServedDesign& served, std::string& what);

}  // namespace trestle
