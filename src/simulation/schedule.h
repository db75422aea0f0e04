// A run of random requests under injected faults, determined by a seed, and checked against the model.
//
// A schedule opens an engine on a FaultyDisk and sends requests: one at a time, or, with `clients`, also from several
// clients at once (simulation/concurrent_clients.h). From time to time it injects a fault,
// continues for a while, and then checks the whole database: in the running process once the disk is healed and the
// store has recovered, or after the process was closed, killed or cut off power, and opened again. The guarantees that
// are checked are in simulation/world.h and simulation/observation.h.
//
// The same seed gives the same requests and faults. Which of RocksDB's background operations a fault hits depends on
// its threads, so a seed reproduces a failure nearly always, but not always. With several clients the interleaving of
// their requests is the operating system's, so later requests, which depend on earlier outcomes, may differ too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trestle {

struct ScheduleOptions {
  uint64_t seed = 0;
  int rounds = 4;            // each with a fault
  int clients = 1;           // the most that send requests at once
  bool relaxed = false;      // relaxed durability, and no power losses
  bool print_trace = false;  // to standard output, while it runs
};

struct ScheduleReport {
  std::string violation;           // empty: there is none
  std::vector<std::string> trace;  // the steps taken
  int requests = 0;
  int unknown = 0;           // requests whose outcome the client could not know
  uint64_t faults = 0;       // disk operations that failed
  int recoveries = 0;        // of the running process
  int without_recovery = 0;  // faults after which the process had to be restarted
  int restarts = 0;
};

ScheduleReport run_schedule(const ScheduleOptions& options);
// The same with calls of the operations of the design tests/faults/depot.yaml, whose background work runs beside them.
// Guarantees: simulation/depot_world.h; in addition, unfinished calls end and verification finds nothing.
ScheduleReport run_depot_schedule(const ScheduleOptions& options, const std::string& design_yaml);
// The same with any design, on its sample items. The model is the design itself, served without faults
// (simulation/reference_design.h).
ScheduleReport run_design_schedule(const ScheduleOptions& options, const std::string& design_yaml);

}  // namespace trestle
