// Runs a schedule against a database on a faulty disk: the part that all kinds of schedules share.
//
// A subclass implements the steps and checks the whole database. Nothing happens between construction and run().
#pragma once

#include <memory>
#include <random>
#include <string>

#include "base/clock.h"
#include "base/scratch_folder.h"
#include "engine/engine.h"
#include "simulation/faulty_disk.h"
#include "simulation/schedule.h"

namespace trestle {

class Simulation {
 public:
  explicit Simulation(const ScheduleOptions& options, int64_t start_ms = 1'800'000'000'000);
  virtual ~Simulation() = default;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  ScheduleReport run();

 protected:
  // Sends one request or does some background work.
  virtual void step() = 0;
  // Checks the database. The disk works and the store accepts writes.
  virtual void observe(const std::string& when) = 0;
  // Whether the model has too many worlds to continue without observing the database.
  virtual bool is_too_uncertain() const = 0;
  // Called after the engine was opened and before it is closed.
  virtual void opened() {}
  virtual void closing() {}

  uint64_t below(uint64_t limit) { return random_() % limit; }
  bool holds() const { return report_.violation.empty(); }
  void violate(std::string text) {
    if (holds()) report_.violation = std::move(text);
  }
  void trace(std::string text);
  std::string bucket_folder() const { return scratch_.path() + "/buckets/bucket"; }

  const ScheduleOptions options_;
  FaultyDisk disk_;
  std::shared_ptr<ManualClock> clock_;  // shared with the engine
  bool armed_ = false;                  // a fault may be active
  bool certain_ = true;                 // no request with an unknown outcome can still take effect
  ScheduleReport report_;
  std::unique_ptr<Engine> engine_;

 private:
  enum class Restart { kClose, kKill, kPowerLoss };

  EngineOptions engine_options();
  void open();
  void close();
  void restart(Restart how);
  // Destroys the engine while the disk is as it is, heals the disk, and opens a new engine.
  void reopen();
  // Whether the store accepts writes again after its own retries.
  bool wait_for_recovery();
  void check_database(const std::string& when);
  void run_round();
  DiskFault any_fault();

  const ScratchFolder scratch_;
  std::mt19937_64 random_;
};

}  // namespace trestle
