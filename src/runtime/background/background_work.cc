#include "runtime/background/background_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "runtime/background/blob_cleanup.h"
#include "runtime/background/lease.h"
#include "runtime/background/stream_tallies.h"

namespace trestle::runtime {
namespace {

constexpr int64_t kFailurePauseMs = 1'000;
constexpr int64_t kDeadLetterMs = 1'000;
constexpr int64_t kCountMs = 5'000;

}  // namespace

struct BackgroundWork::Parts {
  Parts(DesignRuntime& runtime, Database& database, const Clock& clock, const BackgroundOptions& options)
      : codec(runtime.design(), options.keys, options.blobs),
        form(runtime.design(), database, codec),
        tallies(runtime.design(), database, codec, form),
        reactions(runtime, database, codec, clock,
                  {.call = options.call,
                   .endpoints = options.endpoints,
                   .without = options.without,
                   .backoff = options.backoff}),
        lease(database, runtime.design().name, !options.remote) {}

  ItemCodec codec;
  ItemForm form;
  StreamTallies tallies;
  Reactions reactions;
  Lease lease;
  bool working = false;
  int64_t resumed_ms = 0, swept_ms = 0, letters_ms = 0, counted_ms = 0;
};

BackgroundWork::BackgroundWork(DesignRuntime& runtime, Database& database, const Clock& clock,
                               BackgroundOptions options)
    : runtime_(runtime), design_(runtime.design()), database_(database), clock_(clock), options_(std::move(options)) {
  const MutexLock lock(mutex_);
  status_.design = design_.name;
}

BackgroundWork::~BackgroundWork() { stop(); }

void BackgroundWork::start() {
  parts_ = std::make_unique<Parts>(runtime_, database_, clock_, options_);
  {
    const MutexLock lock(mutex_);
    status_.waits_for = parts_->reactions.waits_for();
  }
  thread_ = std::thread([this] { run(); });
}

void BackgroundWork::stop() {
  {
    const MutexLock lock(mutex_);
    stops_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  if (parts_ == nullptr) return;
  parts_->reactions.stop();
  // If this fails, events are only sent again, under the same key.
  if (parts_->working) (void)parts_->reactions.store_progress();
  parts_->lease.release();
}

BackgroundStatus BackgroundWork::status() const {
  const MutexLock lock(mutex_);
  return status_;
}

void BackgroundWork::run() {
  for (;;) {
    const int64_t began = clock_.now_ms();
    auto done = round(began);
    update_status(done);
    // If records were read there may be more, so continue immediately.
    const int64_t pause = !done ? kFailurePauseMs : *done > 0 ? 0 : options_.poll_ms;
    const MutexLock lock(mutex_);
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(pause);
    while (!stops_ && std::chrono::steady_clock::now() < until)
      changed_.wait_for(mutex_, until - std::chrono::steady_clock::now());
    if (stops_) return;
  }
}

Outcome<size_t> BackgroundWork::round(int64_t now_ms) {
  Parts& parts = *parts_;
  auto held = parts.lease.hold(now_ms);
  const bool working = held && *held;
  if (working != parts.working) {
    // Another process may have advanced the checkpoints in the meantime.
    parts.tallies.forget();
    parts.reactions.forget();
    parts.working = working;
  }
  if (!held) return std::unexpected(std::move(held.error()));
  if (!working) return size_t{0};
  size_t records = 0;
  // A failure of the tallies must not stop the reactions, nor the reverse.
  auto tallied = parts.tallies.poll(now_ms);
  Outcome<size_t> reacted = size_t{0};
  if (!parts.reactions.empty()) {
    reacted = parts.reactions.poll();
    if (!reacted) parts.reactions.forget();
  }
  if (!tallied) return tallied;
  if (!reacted) return reacted;
  records = *tallied + *reacted;
  TRY(upkeep(now_ms));
  return records;
}

Outcome<void> BackgroundWork::upkeep(int64_t now_ms) {
  Parts& parts = *parts_;
  const auto due = [&](int64_t& last, int64_t every) {
    if (last != 0 && now_ms - last < every && now_ms >= last) return false;
    last = now_ms;
    return true;
  };
  if (!parts.reactions.empty() && due(parts.letters_ms, kDeadLetterMs)) TRY(parts.reactions.requeue_dead_letters());
  // A call that is still running in another process cannot be distinguished from a dead one until it is old; resuming
  // it is harmless.
  if (due(parts.resumed_ms, options_.resume_ms)) {
    TRY_INTO(const int64_t resumed, runtime_.resume());
    const MutexLock lock(mutex_);
    status_.cascades_resumed += resumed;
  }
  if (options_.blobs != nullptr && due(parts.swept_ms, options_.blob_sweep_ms)) {
    TRY_INTO(const int64_t swept,
             sweep_blobs(design_, database_, *options_.blobs, {.now_ms = now_ms, .age_ms = options_.blob_age_ms}));
    const MutexLock lock(mutex_);
    status_.blobs_swept += swept;
  }
  if (due(parts.counted_ms, kCountMs)) {
    TRY_INTO(const int64_t dead, journal_count(database_, "DEAD", design_.name));
    TRY_INTO(const int64_t jobs, journal_count(database_, "JOB", design_.name));
    const MutexLock lock(mutex_);
    status_.dead_letters = dead;
    status_.open_cascades = jobs;
  }
  return {};
}

void BackgroundWork::update_status(const Outcome<size_t>& done) {
  const Parts& parts = *parts_;
  const ReactionCounts reactions = parts.reactions.counts();
  const MutexLock lock(mutex_);
  status_.working = parts.working;
  status_.records += done ? *done : 0;
  status_.tally_writes = parts.tallies.written();
  status_.tally_lag_ms = parts.tallies.lag_ms();
  status_.reaction_lag_ms = parts.reactions.lag_ms();
  status_.gaps = parts.tallies.gaps() + parts.reactions.gaps();
  status_.reactions = reactions;
  status_.failures += done ? 0 : 1;
  status_.last_failure = done ? std::string() : done.error().message;
}

}  // namespace trestle::runtime
