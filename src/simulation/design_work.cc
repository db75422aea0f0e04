#include "simulation/design_work.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "runtime/background/background_work.h"
#include "runtime/background/stream_tallies.h"

namespace trestle {
namespace {

runtime::Outcome<size_t> work_left(const ServedDesign& served, runtime::Reactions& reactions,
                                   runtime::StreamTallies& tallies) {
  const std::string& name = served.runtime->design().name;
  TRY_INTO(const int64_t resumed, served.runtime->resume());
  TRY_INTO(const size_t letters_retried, runtime::retry_dead_letters(*served.engine, name, {}));
  TRY(reactions.requeue_dead_letters());
  TRY_INTO(size_t read, reactions.poll());
  if (!reactions.is_drained()) ++read;
  const size_t under_way = reactions.counts().under_way;
  TRY(tallies.drain(served.clock->now_ms()));
  TRY_INTO(const int64_t jobs, runtime::journal_count(*served.engine, "JOB", name));
  TRY_INTO(const int64_t letters, runtime::journal_count(*served.engine, "DEAD", name));
  return static_cast<size_t>(resumed + jobs + letters) + letters_retried + read + under_way;
}

}  // namespace

runtime::EndpointReply simulated_endpoint(const std::string&, const std::string&, const std::string&) {
  return {.status = 200, .body = "{}", .error = {}};
}

bool finish_design_work(const ServedDesign& served, std::string& what) {
  const design::Design& design = served.runtime->design();
  const runtime::ItemCodec codec(design, served.keys, served.blobs);
  runtime::ItemForm form(design, *served.engine, codec);
  runtime::StreamTallies tallies(design, *served.engine, codec, form);
  runtime::Reactions reactions(*served.runtime, *served.engine, codec, *served.clock,
                               {.call = simulated_endpoint, .backoff = kSimulatedBackoff, .threads = 1});
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  // A commit in progress, from a background job of the engine, hides later stream records until it is finished.
  const uint64_t begun = served.engine->store().begun_commit();
  for (;;) {
    const bool all_visible = served.engine->store().finished_commit() >= begun;
    const auto left = work_left(served, reactions, tallies);
    if (left && *left == 0 && all_visible) break;
    what =
        left ? fmt::format("{} left{}", *left, all_visible ? "" : ", a commit is in progress") : left.error().message;
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const auto stored = reactions.store_progress();
  if (!stored) what = stored.error().message;
  reactions.stop();
  return stored.has_value();
}

}  // namespace trestle
