#include "simulation/simulation.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "bucket/bucket.h"

namespace trestle {
namespace {

CreateTableRequest probe_table() {
  CreateTableRequest request{.table_name = "probe"};
  request.attribute_definitions = {{"p", ValueType::kString}};
  request.key_schema = {{.attribute_name = "p"}};
  request.billing_mode = BillingMode::kPayPerRequest;
  return request;
}

}  // namespace

Simulation::Simulation(const ScheduleOptions& options, int64_t start_ms)
    : options_(options), clock_(std::make_shared<ManualClock>(start_ms)), random_(options.seed) {
  std::filesystem::create_directories(bucket_folder());
}

ScheduleReport Simulation::run() {
  open();
  for (int round = 0; round < options_.rounds && holds(); ++round) run_round();
  if (holds()) check_database("at the end");
  if (holds()) restart(Restart::kClose);
  if (holds()) check_database("after the last restart");
  report_.faults = disk_.faults();
  if (!holds()) disk_.kill();  // so that closing the engine has no effect
  close();
  return std::move(report_);
}

void Simulation::trace(std::string text) {
  if (options_.print_trace) {
    fmt::print("{}\n", text);
    std::fflush(stdout);  // so that it survives a crash
  }
  report_.trace.push_back(std::move(text));
}

EngineOptions Simulation::engine_options() {
  EngineOptions options;
  options.store.folder = scratch_.path() + "/data";
  options.store.cache_bytes = size_t{8} << 20;
  if (options_.relaxed) options.store.durability = Durability::kRelaxed;
  options.store.file_system = disk_.mount();
  options.clock = clock_;
  options.expiry.interval_ms = 0;
  options.streams = {.shard_ms = 30'000, .trim_interval_ms = 0, .interval_ms = 0};
  options.recovery = {.interval_ms = 0, .page = {.keys_max = 3, .bytes_max = size_t{1} << 20}};
  options.loads = {.interval_ms = 0, .page_items_max = 2};
  options.exports = {.interval_ms = 0, .file_bytes_max = 200};
  options.buckets = folder_buckets(scratch_.path() + "/buckets");
  options.vectors.threaded = false;
  return options;
}

void Simulation::open() {
  auto opened_engine = Engine::open(engine_options());
  if (!opened_engine.has_value()) return violate("the database does not open: " + opened_engine.error().message);
  engine_ = std::move(*opened_engine);
  opened();
}

void Simulation::close() {
  if (engine_) closing();
  engine_.reset();
}

DiskFault Simulation::any_fault() {
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
      fault.error = options_.relaxed ? DiskError::kKill : DiskError::kPowerLoss;
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

void Simulation::run_round() {
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
  for (uint64_t i = 0, count = 5 + below(20); i < count && after_fault < 6 && !is_too_uncertain() && holds(); ++i) {
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
  if (holds()) check_database("after the fault");
  if (holds() && below(2) == 0) {
    restart(static_cast<Restart>(below(3)));
    if (holds()) check_database("after another restart");
  }
}

void Simulation::restart(Restart how) {
  switch (how) {
    case Restart::kClose:
      trace("close");
      break;
    case Restart::kKill:
      trace("kill");
      disk_.kill();
      break;
    case Restart::kPowerLoss:
      if (options_.relaxed) return restart(Restart::kKill);
      trace("power loss");
      disk_.cut_power(random_());
      break;
  }
  reopen();
}

void Simulation::reopen() {
  close();
  disk_.heal();
  ++report_.restarts;
  if (below(6) == 0) {
    // The first attempt to open may meet a fault too; it must leave everything unchanged.
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

bool Simulation::wait_for_recovery() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  for (;;) {
    // Any write would do. This one is rejected or changes nothing.
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

void Simulation::check_database(const std::string& when) {
  disk_.heal();
  if (!wait_for_recovery()) {
    trace("the store does not recover: restart");
    ++report_.without_recovery;
    reopen();
    if (!holds()) return;
    if (!wait_for_recovery()) return violate("the database refuses writes on a working disk, " + when);
  } else if (!certain_) {
    ++report_.recoveries;
  }
  armed_ = false;
  certain_ = true;
  observe(when);
}

}  // namespace trestle
