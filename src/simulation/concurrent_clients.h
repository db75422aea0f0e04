// Several concurrent clients, each with its own thread and list of requests.
//
// The seed determines the requests; the operating system determines how the threads interleave. `began` and `ended` are
// numbered by one counter and record what is known of the order.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/engine.h"
#include "simulation/faulty_disk.h"
#include "simulation/requests.h"

namespace trestle {

struct ClientRequest {
  SimulatedRequest request;
  Outcome outcome = Outcome::kSuccess;
  uint64_t began = 0;  // 0: not sent
  uint64_t ended = 0;
};
using ClientRequests = std::vector<ClientRequest>;

// Returns when all clients have ended. A client stops early when an outcome is unknown. `background_work` runs at the
// same time.
void send_concurrently(Engine& engine, const FaultyDisk& disk, std::vector<ClientRequests>& clients,
                       const std::function<void()>& background_work);

}  // namespace trestle
