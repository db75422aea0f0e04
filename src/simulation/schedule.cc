#include "simulation/schedule.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <random>
#include <thread>

#include "base/scratch_folder.h"
#include "bucket/bucket.h"
#include "engine/engine.h"
#include "simulation/faulty_disk.h"
#include "simulation/observation.h"
#include "simulation/requests.h"
#include "simulation/world.h"

namespace trestle {
namespace {

class Schedule {
 public:
  explicit Schedule(const ScheduleOptions& options)
      : options_(options), random_(options.seed), source_(options.seed + 1, scratch_.path() + "/buckets/bucket") {
    std::filesystem::create_directories(scratch_.path() + "/buckets/bucket");
  }

  ScheduleReport run() {
    open();
    for (int round = 0; round < options_.rounds && holds(); ++round) run_round();
    if (holds()) look("at the end");
    if (holds()) restart(Restart::kClose);
    if (holds()) look("after the last restart");
    report_.faults = disk_.faults();
    if (!holds()) disk_.kill();  // so that the engine closes without effect
    return std::move(report_);
  }

 private:
  enum class Restart { kClose, kKill, kPowerLoss };

  uint64_t below(uint64_t limit) { return random_() % limit; }
  bool holds() const { return report_.violation.empty(); }
  void violate(std::string text) {
    if (holds()) report_.violation = std::move(text);
  }
  void trace(std::string text) {
    if (options_.print_trace) {
      fmt::print("{}\n", text);
      std::fflush(stdout);  // a crash must not lose it
    }
    report_.trace.push_back(std::move(text));
  }

  EngineOptions engine_options() {
    EngineOptions options;
    options.store.folder = scratch_.path() + "/data";
    options.store.cache_bytes = size_t{8} << 20;
    options.store.file_system = disk_.mount();
    options.clock = clock_;
    options.expiry.interval_ms = 0;
    options.streams.interval_ms = 0;
    options.recovery = {.interval_ms = 0, .page = {.keys_max = 3, .bytes_max = size_t{1} << 20}};
    options.loads = {.interval_ms = 0, .page_items_max = 2};
    options.exports = {.interval_ms = 0, .file_bytes_max = 200};
    options.buckets = folder_buckets(scratch_.path() + "/buckets");
    options.vectors.threaded = false;
    return options;
  }

  void open() {
    engine_.reset();
    auto opened = Engine::open(engine_options());
    if (opened.has_value()) {
      engine_ = std::move(*opened);
    } else {
      violate("the database does not open: " + opened.error().message);
    }
  }

  DiskFault any_fault() {
    static constexpr DiskOperation kLikely[] = {DiskOperation::kWrite, DiskOperation::kSync};
    DiskFault fault;
    fault.operation = below(2) == 0 ? kLikely[below(2)] : static_cast<DiskOperation>(below(kDiskOperations));
    if (below(3) != 0) fault.file = below(2) == 0 ? FileKind::kLog : static_cast<FileKind>(below(kFileKinds));
    fault.skip = static_cast<int>(below(12));
    fault.times = below(3) == 0 ? 1 : below(2) == 0 ? static_cast<int>(2 + below(5)) : INT32_MAX;
    switch (below(6)) {
      case 0:
        fault.error = DiskError::kKill;
        break;
      case 1:
        fault.error = DiskError::kPowerLoss;
        break;
      case 2:
        fault.error = DiskError::kInputOutput;
        break;
      default:
        fault.error = DiskError::kNoSpace;
    }
    fault.seed = random_();
    if (below(2) == 0) fault.share_written = static_cast<double>(below(11)) / 10;
    return fault;
  }

  void run_round() {
    for (uint64_t i = 0, count = 5 + below(20); i < count && holds(); ++i) step();
    if (!holds()) return;
    if (below(8) != 0) {
      const DiskFault fault = any_fault();
      trace("fault: " + to_text(fault));
      armed_ = true;
      disk_.inject(fault);
    }
    const uint64_t before = disk_.faults();
    int after_fault = 0;
    for (uint64_t i = 0, count = 5 + below(20); i < count && after_fault < 6 && worlds_.size() < 2000 && holds(); ++i) {
      step();
      if (disk_.has_ended()) break;
      if (disk_.faults() > before) ++after_fault;
    }
    if (!holds()) return;
    if (disk_.has_ended()) {
      trace("the process has ended");
      reopen();
    } else {
      switch (below(4)) {
        case 0:
          restart(Restart::kClose);
          break;
        case 1:
          restart(Restart::kKill);
          break;
        case 2:
          restart(Restart::kPowerLoss);
          break;
        default:
          break;
      }
    }
    if (holds()) look("after the fault");
    if (holds() && below(2) == 0) {
      restart(static_cast<Restart>(below(3)));
      if (holds()) look("after another restart");
    }
  }

  void step() {
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

  void restart(Restart how) {
    switch (how) {
      case Restart::kClose:
        trace("close");
        break;
      case Restart::kKill:
        trace("kill");
        disk_.kill();
        break;
      case Restart::kPowerLoss:
        trace("power loss");
        disk_.cut_power(random_());
        break;
    }
    reopen();
  }

  // The old engine is destroyed, with its disk as it is; then the disk is healed.
  void reopen() {
    engine_.reset();
    disk_.heal();
    ++report_.restarts;
    if (below(6) == 0) {
      // A first attempt may meet a fault too: it must leave all as it was.
      DiskFault fault = any_fault();
      trace("fault while opening: " + to_text(fault));
      disk_.inject(fault);
      (void)Engine::open(engine_options());
      disk_.heal();
    }
    armed_ = false;
    certain_ = true;
    open();
  }

  // Whether the store accepts writes again, by its own retries.
  bool recovers() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(3);
    for (;;) {
      // Any write will do; this one is rejected or changes nothing.
      const auto answer = engine_->create_table(probe_table());
      if (answer.has_value()) {
        const auto removed = engine_->delete_table({.table_name = "probe"});
        if (removed.has_value()) return true;
      } else if (answer.error().code == ErrorCode::kResourceInUse) {
        if (engine_->delete_table({.table_name = "probe"}).has_value()) return true;
      }
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  static CreateTableRequest probe_table() {
    CreateTableRequest request{.table_name = "probe"};
    request.attribute_definitions = {{"p", ValueType::kString}};
    request.key_schema = {{.attribute_name = "p"}};
    request.billing_mode = BillingMode::kPayPerRequest;
    return request;
  }

  void look(const std::string& when) {
    disk_.heal();
    if (!recovers()) {
      trace("the store does not recover: restart");
      ++report_.without_recovery;
      reopen();
      if (!holds()) return;
      if (!recovers()) return violate("the database refuses writes on a disk that works, " + when);
    } else if (!certain_) {
      ++report_.recoveries;
    }
    armed_ = false;
    certain_ = true;
    std::string what;
    if (!finish_background_work(*engine_, what)) return violate("background work does not end: " + what);
    const auto seen = observe(*engine_, scratch_.path() + "/buckets/bucket");
    if (!seen.has_value()) return violate("a read fails on a disk that works: " + seen.error().message);
    for (const std::string& contradiction : seen->contradictions) violate(when + ": " + contradiction);
    std::string difference;
    if (!worlds_.keep(seen->lines, difference)) violate(when + ": " + difference);
    trace(fmt::format("looked {}: {} lines, {} worlds", when, seen->lines.size(), worlds_.size()));
  }

  const ScheduleOptions options_;
  ScratchFolder scratch_;
  std::mt19937_64 random_;
  FaultyDisk disk_;
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>(1'800'000'000'000);  // shared with the engine
  RequestSource source_;
  Worlds worlds_;
  bool armed_ = false;   // a fault may be active
  bool certain_ = true;  // no request with an unknown outcome can still take effect
  ScheduleReport report_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace

ScheduleReport run_schedule(const ScheduleOptions& options) { return Schedule(options).run(); }

}  // namespace trestle
