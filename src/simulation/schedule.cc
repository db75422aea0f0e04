#include "simulation/schedule.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "simulation/observation.h"
#include "simulation/requests.h"
#include "simulation/simulation.h"
#include "simulation/world.h"

namespace trestle {
namespace {

// Requests of every kind, to three tables.
class Schedule final : public Simulation {
 public:
  explicit Schedule(const ScheduleOptions& options) : Simulation(options), source_(options.seed + 1, bucket_folder()) {}

 private:
  bool is_too_uncertain() const override { return worlds_.size() >= 2000; }

  void step() override {
    clock_->advance_ms(1000);
    switch (below(24)) {
      case 0:
        return sweep();
      case 1:
        trace("(loads go on)");
        return engine_->loads().finish_jobs();
      case 2:
        trace("(backups and restores go on)");
        return engine_->recovery().finish_jobs();
      case 3:
        trace("(exports go on)");
        return engine_->exports().finish_jobs();
      case 4:
        trace("(background work goes on)");
        // It retries as long as the disk fails.
        for (int i = 0; i < 20 && engine_->background_jobs() > 0; ++i) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return;
      case 5:
        return engine_->recovery().tend();
      default:
        break;
    }
    SimulatedRequest request = source_.next(*engine_, worlds_, clock_->now_ms());
    if (request.text.empty()) return;
    Outcome outcome = request.send(*engine_);
    if (disk_.has_ended()) outcome = Outcome::kUnknown;  // the client got no answer
    static constexpr const char* kOutcomes[] = {"succeeds", "is refused", "has an unknown outcome",
                                                "meets a transaction"};
    trace(fmt::format("{} {}", request.text, kOutcomes[static_cast<int>(outcome)]));
    ++report_.requests;
    report_.unknown += outcome == Outcome::kUnknown ? 1 : 0;
    if (outcome == Outcome::kUnknown) certain_ = false;
    if (!worlds_.note(request.effect, outcome, {.certain = certain_, .is_read = request.is_read})) {
      violate(fmt::format("{} {}, in none of {} possible worlds", request.text, kOutcomes[static_cast<int>(outcome)],
                          worlds_.size()));
    }
  }

  void sweep() {
    trace("(expired items are deleted)");
    engine_->sweep_expired();
    // These deletions are not waited for: a power loss may undo them until a later write is durable.
    Call call;
    call.commit = engine_->store().commit_seen();
    const bool is_durable = engine_->wait_durable(call).has_value() && !armed_;
    for (const Effect& effect : expiry_effects(clock_->now_ms())) {
      worlds_.note(effect, is_durable ? Outcome::kSuccess : Outcome::kUnknown, {.certain = certain_});
    }
  }

  void observe(const std::string& when) override {
    std::string what;
    if (!finish_background_work(*engine_, what)) return violate("background work does not end: " + what);
    const auto seen = trestle::observe(*engine_, bucket_folder());
    if (!seen.has_value()) return violate("a read fails on a disk that works: " + seen.error().message);
    for (const std::string& contradiction : seen->contradictions) violate(when + ": " + contradiction);
    std::string difference;
    if (!worlds_.keep(seen->lines, difference)) violate(when + ": " + difference);
    trace(fmt::format("looked {}: {} lines, {} worlds", when, seen->lines.size(), worlds_.size()));
  }

  RequestSource source_;
  Worlds worlds_;
};

}  // namespace

ScheduleReport run_schedule(const ScheduleOptions& options) { return Schedule(options).run(); }

}  // namespace trestle
