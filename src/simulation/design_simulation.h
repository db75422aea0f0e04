// Runs a schedule with a served design and its background work.
#pragma once

#include <memory>
#include <string>

#include "design/language/design.h"
#include "runtime/background/background_work.h"
#include "runtime/items/memory_blobs.h"
#include "runtime/runtime.h"
#include "runtime/values/key_ring.h"
#include "simulation/design_work.h"
#include "simulation/simulation.h"
#include "simulation/world.h"

namespace trestle {

// Indexed by Outcome.
inline constexpr const char* kCallOutcomes[] = {"succeeds", "is refused", "has an unknown outcome", "may be repeated"};

class DesignSimulation : public Simulation {
 protected:
  // `design` must outlive the simulation.
  DesignSimulation(const ScheduleOptions& options, const design::Design& design, int64_t start_ms);
  ~DesignSimulation() override = default;

  // Makes the first calls, on empty tables and a working disk.
  virtual void set_up() = 0;

  struct Answer {
    Outcome outcome = Outcome::kSuccess;  // kConflict: the call may be repeated
    int status = 200;
    std::string message;
    runtime::Plain body;
  };
  Answer call(const design::Operation& operation, const runtime::Plain& inputs, const runtime::CallContext& context);

  const design::Plan& plan_of(const design::Operation& operation) const { return runtime_->plan(operation); }
  // Completes all background work and verifies the items. None runs afterwards until start_background().
  void finish_and_verify(const std::string& when);
  void start_background();
  void stop_background() { background_.reset(); }

  const design::Design& design_;

 private:
  void opened() override;
  void closing() override;

  const runtime::KeyRing keys_;
  runtime::MemoryBlobs blobs_;  // in memory, so not affected by the faulty disk
  std::unique_ptr<runtime::DesignRuntime> runtime_;
  std::unique_ptr<runtime::BackgroundWork> background_;  // uses the runtime
};

}  // namespace trestle
