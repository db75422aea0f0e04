// Runs random requests under injected faults, determined by a seed, and checks the database against the model.
//
// A schedule opens an engine on a FaultyDisk and sends requests one at a time or, with `clients`, from several clients
// at once (simulation/concurrent_clients.h). From time to time it injects a fault, continues for a while, and then
// checks the whole database: either in the running process, once the disk is healed and the store has recovered, or
// after the process was closed, killed or cut off from power and then reopened. simulation/world.h and
// simulation/observation.h define the guarantees that are checked.
//
// The same seed gives the same requests and faults. Which of RocksDB's background operations a fault hits depends on
// its threads, so a seed reproduces a failure nearly always, but not always. With several clients the operating system
// interleaves their requests, so later requests, which depend on earlier outcomes, may differ too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trestle {

struct ScheduleOptions {
  uint64_t seed = 0;
  int rounds = 4;            // each round injects a fault
  int clients = 1;           // the greatest number that send requests at once
  bool relaxed = false;      // relaxed durability, without power losses
  bool print_trace = false;  // to standard output, during the run
};

struct ScheduleReport {
  std::string violation;           // empty: none
  std::vector<std::string> trace;  // the steps taken
  int requests = 0;
  int unknown = 0;           // requests whose outcome is unknown to the client
  uint64_t faults = 0;       // disk operations that failed
  int recoveries = 0;        // of the store, within the running process
  int without_recovery = 0;  // faults after which the process had to be restarted
  int restarts = 0;
};

ScheduleReport run_schedule(const ScheduleOptions& options);
// The same with calls of the operations of the design tests/faults/depot.yaml, whose background work runs at the same
// time. It checks the guarantees of simulation/depot_world.h, that unfinished calls end, and that verification finds no
// faults.
ScheduleReport run_depot_schedule(const ScheduleOptions& options, const std::string& design_yaml);
// The same with any design and its sample items. The model is the design itself, served without faults
// (simulation/reference_design.h).
ScheduleReport run_design_schedule(const ScheduleOptions& options, const std::string& design_yaml);

}  // namespace trestle
