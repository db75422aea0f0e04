// The embedded database: DynamoDB's operations on the store. Each operation is a free function in the folder of its
// subject, which takes the parts of the engine that it needs (engine/parts.h).
//
//   TRY_INTO(auto engine, Engine::open({.store = {.folder = "data"}}));
//   TRY_INTO(auto reply, engine->get_item({.table_name = "music", .key = key}));
//
// Every operation has the same steps: check what needs no table (including expressions), find the table, check the
// request against the table's schema, and only then take effect. Thread-safe. The destructor stops background work and
// closes the store; no call may be in progress.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/parts.h"
#include "model/database.h"

namespace trestle {

class Engine final : public Database {
 public:
  static Result<std::unique_ptr<Engine>> open(EngineOptions options);
  ~Engine() override;

  Result<void> wait_durable(const Call& call) override;
  void when_durable(const Call& call, std::move_only_function<void(Result<void>)> then) override;

  // Returns when every callback of when_durable() has run. Call it before destroying objects that callbacks use.
  void wait_for_callbacks() { parts_.store->wait_for_callbacks(); }

  Result<void> flush_log() override { return parts_.store->flush_log(); }

#define TRESTLE_DECLARE(Name, name)                                               \
  Result<Name##Response> name(const Name##Request& request, Call& call) override; \
  using Database::name;
  TRESTLE_OPERATIONS(TRESTLE_DECLARE)
#undef TRESTLE_DECLARE

  const Store& store() const { return *parts_.store; }
  const Catalog& catalog() const { return *parts_.catalog; }
  const Clock& clock() const { return *parts_.options.clock; }
  // Waits until no background work is left; for tests and tools.
  void wait_idle() { parts_.background.wait_idle(); }
  size_t background_jobs() const { return parts_.background.task_count(); }
  // Deletes expired items now, without waiting for the sweeper; for tests and tools.
  void sweep_expired() { parts_.sweeper->sweep_now(); }
  const ExpirySweeper& expiry_sweeper() const { return *parts_.sweeper; }
  // Rolls shards and trims streams that are due now; for tests and tools.
  void maintain_streams() { parts_.stream_upkeep->run_due_work(); }
  const ThroughputMeter& throughput() const { return parts_.throughput; }
  // While preparing, before clients are served, no request is throttled or charged, and no transient status is shown.
  void set_preparing(bool preparing) {
    parts_.throughput.enable(parts_.options.throttles && !preparing);
    parts_.transient.pause(preparing);
  }
  const KeyInsights& insights() const { return parts_.insights; }
  Recovery& recovery() { return *parts_.recovery; }
  VectorIndexes& vectors() { return *parts_.vectors; }
  Loads& loads() { return *parts_.loads; }
  Exports& exports() { return *parts_.exports; }
  // Keeps a table readable as it is now, or as it was at a time within its point in time recovery
  // (engine/recovery/table_at.h), until the hold is released, also across restarts. The first word of `owner`
  // identifies the kind of job: on startup, each job releases holds that it no longer owns. Fails if the table's id is
  // not `table_id`, unless that is empty.
  Result<HistoryHold> hold_history(const std::string& table_name, const std::string& owner,
                                   std::optional<int64_t> time_ms, const std::string& table_id = {});
  // If the hold cannot be released because the store has failed, it is released later.
  Result<void> release_history(uint32_t hold);

 private:
  explicit Engine(EngineOptions options) : parts_(std::move(options)) {}
  static Result<std::unique_ptr<Engine>> construct(EngineOptions options);

  EngineParts parts_;
  bool is_open_ = false;  // open() has succeeded
};

}  // namespace trestle
