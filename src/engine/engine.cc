#include "engine/engine.h"

#include <fmt/format.h>

#include <system_error>

#include "base/test_point.h"
#include "engine/bulk/bulk_operations.h"
#include "engine/expiry/expiry_fill.h"
#include "engine/expiry/expiry_operations.h"
#include "engine/indexes/index_backfill.h"
#include "engine/indexes/index_operations.h"
#include "engine/indexes/recount.h"
#include "engine/items/item_operations.h"
#include "engine/recovery/history_holds.h"
#include "engine/recovery/recovery_operations.h"
#include "engine/statements/statement_operations.h"
#include "engine/streams/stream_operations.h"
#include "engine/tables/dropped_keyspaces.h"
#include "engine/tables/table_operations.h"
#include "engine/transactions/transaction_operations.h"
#include "engine/vectors/vector_operations.h"
#include "model/item_operations.h"
#include "storage/cached_reads.h"

namespace trestle {

namespace {

void resume_background_work(EngineParts& parts) {
  for (const auto& table : parts.catalog->tables()) {
    start_backfill(parts, *table);
    start_expiry_fill(parts, *table);
  }
  start_freeing(parts);
  recount_backups(parts);
}

}  // namespace

// The standard library throws if the system has no more threads. Threads that were started are joined by then, because
// the engine is destroyed.
Result<std::unique_ptr<Engine>> Engine::open(EngineOptions options) {
  try {
    return construct(std::move(options));
  } catch (const std::system_error& error) {
    return failure(ErrorCode::kServiceUnavailable, fmt::format("Cannot start a thread: {}", error.code().message()));
  }
}

Result<std::unique_ptr<Engine>> Engine::construct(EngineOptions options) {
  std::unique_ptr<Engine> engine(new Engine(std::move(options)));
  EngineParts& parts = engine->parts_;
  TRY_INTO(parts.store, Store::open(parts.options.store));
  TRY_INTO(parts.catalog, Catalog::load(*parts.store, parts.options.clock));
  TRESTLE_TEST_POINT("engine.construct");
  parts.transactions = std::make_unique<TransactionRegistry>(*parts.store);
  TRY_INTO(const int64_t history_ms, parts.catalog->load_history_time_ms());
  parts.history_clock.pass(history_ms);
  TRESTLE_TEST_POINT("engine.construct");
  parts.sweeper = std::make_unique<ExpirySweeper>(parts, parts.options.expiry);
  TRESTLE_TEST_POINT("engine.construct");
  parts.stream_upkeep = std::make_unique<StreamUpkeep>(parts, parts.options.streams);
  TRESTLE_TEST_POINT("engine.construct");
  parts.vectors = std::make_unique<VectorIndexes>(parts, parts.options.vectors);
  TRESTLE_TEST_POINT("engine.construct");
  parts.recovery = std::make_unique<Recovery>(parts, parts.options.recovery);
  TRESTLE_TEST_POINT("engine.construct");
  // Before anything changes, because a recount counts the items of a snapshot taken now.
  if (!parts.catalog->counts_are_right()) recount(parts);
  TRESTLE_TEST_POINT("engine.construct");
  parts.recovery->resume();
  TRESTLE_TEST_POINT("engine.construct");
  TRY_INTO(parts.loads, Loads::open(parts, parts.options.loads));
  TRESTLE_TEST_POINT("engine.construct");
  TRY_INTO(parts.exports, Exports::open(parts, parts.options.exports));
  TRESTLE_TEST_POINT("engine.construct");
  resume_background_work(parts);
  TRESTLE_TEST_POINT("engine.start");
  engine->is_open_ = true;
  parts.jobs.start();
  return engine;
}

Engine::~Engine() {
  parts_.jobs.stop();
  // If the counts are not saved, the next start recounts. They are not known if the open has failed.
  if (is_open_ && parts_.recounts_left == 0) (void)parts_.catalog->save_counts();
}

Result<void> Engine::wait_durable(const Call& call) { return parts_.store->wait_durable(call.commit); }

void Engine::when_durable(const Call& call, std::move_only_function<void(Result<void>)> then) {
  parts_.store->when_durable(call.commit, std::move(then));
}

Result<HistoryHold> Engine::hold_history(const std::string& table_name, const std::string& owner,
                                         std::optional<int64_t> time_ms, const std::string& table_id) {
  return trestle::hold_history(parts_, table_name, owner, time_ms, table_id);
}

Result<void> Engine::release_history(uint32_t hold) { return trestle::release_history(parts_, hold); }

namespace {

template <class Request, class Run>
auto run_operation(Call& call, Run run) {
  if constexpr (kReadsItems<Request>) {
    if (call.cached_reads_only) {
      const CachedReads reads;
      auto response = run();
      KeyInsights::end_call();
      call.needs_disk = CachedReads::missed();
      call.needs_lock = CachedReads::missed_lock();
      return response;
    }
  }
  return run();
}

}  // namespace

#define TRESTLE_DEFINE(Name, name)                                                                   \
  Result<Name##Response> Engine::name(const Name##Request& request, Call& call) {                    \
    return run_operation<Name##Request>(call, [&] { return trestle::name(parts_, request, call); }); \
  }
TRESTLE_OPERATIONS(TRESTLE_DEFINE)
#undef TRESTLE_DEFINE

}  // namespace trestle
