// The embedded database: DynamoDB's operations on the store. One source file per operation, named after it.
//
//   TRY_INTO(auto engine, Engine::open({.store = {.folder = "data"}}));
//   TRY_INTO(auto reply, engine->get_item({.table_name = "music", .key = key}));
//
// Every operation has the same steps: checks that need no table (including expressions), the table, checks against the
// table's schema, and only then its effect. Thread-safe. The destructor waits for background work and closes the store;
// no call may be in progress.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "engine/bulk/exports.h"
#include "engine/bulk/loads.h"
#include "engine/expiry/expiry_sweeper.h"
#include "engine/indexes/key_insights.h"
#include "engine/items/item_lock.h"
#include "engine/items/transaction_registry.h"
#include "engine/jobs/background.h"
#include "engine/jobs/jobs.h"
#include "engine/recovery/history_clock.h"
#include "engine/recovery/recovery.h"
#include "engine/streams/stream_upkeep.h"
#include "engine/tables/table_definition.h"
#include "engine/tables/throughput_meter.h"
#include "engine/vectors/vector_indexes.h"
#include "model/database.h"
#include "storage/catalog/catalog.h"
#include "storage/lock_ranks.h"
#include "storage/store.h"

namespace trestle {

class Buckets;

struct EngineOptions {
  StoreOptions store;
  std::string region = "us-east-1";
  std::string account = "000000000000";
  std::shared_ptr<const Clock> clock = std::make_shared<SystemClock>();  // shared: the caller may hold it still
  ExpirySweeperOptions expiry;
  StreamUpkeepOptions streams;
  RecoveryOptions recovery;
  LoadOptions loads;
  // The source of imports and bulk puts and the destination of exports; null: they are rejected. Shared, because the
  // caller may also use it.
  std::shared_ptr<Buckets> buckets;
  ExportOptions exports;
  VectorIndexesOptions vectors;
  bool throttles = true;  // provisioned units and on-demand maximums are enforced
};

class Engine final : public Database {
 public:
  static Result<std::unique_ptr<Engine>> open(EngineOptions options);
  ~Engine() override;

  Result<void> wait_durable(const Call& call) override;
  void when_durable(const Call& call, std::move_only_function<void(Result<void>)> then) override;

  // Returns when every callback of when_durable() has been called: for the owner of the objects they use.
  void wait_for_callbacks() { store_->wait_for_callbacks(); }

  Result<void> settle() override { return store_->settle(); }

#define TRESTLE_DECLARE(Name, name)                                               \
  Result<Name##Response> name(const Name##Request& request, Call& call) override; \
  using Database::name;
  TRESTLE_OPERATIONS(TRESTLE_DECLARE)
#undef TRESTLE_DECLARE

  const Store& store() const { return *store_; }
  const Catalog& catalog() const { return *catalog_; }
  const Clock& clock() const { return *options_.clock; }
  // Waits until no background work is left; for tests and tools.
  void wait_idle() { background_.wait_idle(); }
  size_t background_jobs() const { return background_.task_count(); }
  // Deletes expired items now, without waiting for the sweeper; for tests and tools.
  void sweep_expired() { sweeper_->sweep_now(); }
  const ExpirySweeper& expiry_sweeper() const { return *sweeper_; }
  // Rolls shards and trims streams where that is due now; for tests and tools.
  void tend_streams() { stream_upkeep_->tend(); }
  const ThroughputMeter& throughput() const { return throughput_; }
  KeyInsights& insights() const { return insights_; }
  Recovery& recovery() { return *recovery_; }
  VectorIndexes& vectors() { return *vectors_; }
  Loads& loads() { return *loads_; }
  Exports& exports() { return *exports_; }
  // Keeps a table readable as it is now, or as it was at a time of its point in time recovery
  // (engine/recovery/table_at.h), until it is released; over restarts too. `owner` begins with a word that tells whose
  // it is: at every start, each job releases holds that it no longer owns.
  // `table_id`: refuses another table of the same name; empty: whichever has the name.
  Result<HistoryHold> hold_history(const std::string& table_name, const std::string& owner,
                                   std::optional<int64_t> time_ms, const std::string& table_id = {});
  // A hold that cannot be released because the store is down is released later.
  Result<void> release_history(uint32_t hold);

 private:
  friend class ExpirySweeper;
  friend class Exports;
  friend class IndexBackfill;
  friend class ItemChanges;
  friend class ItemWriter;
  friend class Loads;
  friend class PageReader;
  friend class Recovery;
  friend class SelectStatement;
  friend class StreamUpkeep;
  friend class VectorIndexes;
  friend class WriteStatement;
  friend class WriteTransaction;
  explicit Engine(EngineOptions options)
      : options_(std::move(options)),
        throughput_(*options_.clock, options_.throttles),
        insights_(*options_.clock),
        history_clock_(*options_.clock),
        background_(jobs_) {}
  void resume_background_work();
  // UpdateItem limits the size of its expression and of the item; a PartiQL UPDATE only that of the item.
  enum class UpdateSizeRule { kExpressionAndItem, kItem };
  Result<UpdateItemResponse> update_item(const UpdateItemRequest& request, Call& call, UpdateSizeRule size_rule);

  // The table of an operation on items; "Requested resource not found" if there is none.
  Result<std::shared_ptr<const TableVersion>> find_table(std::string_view name_or_arn) const;
  Result<WritableTable> open_table(std::string_view name_or_arn) const;
  // Records the table of a request for metrics and logs, if it names exactly one table and that exists.
  void note_table(const std::vector<std::string_view>& names, Call& call) const;
  // The table of an operation on tables, with that operation's error message. A table that is being restored is visible
  // only to DescribeTable and DeleteTable.
  Result<std::shared_ptr<const TableVersion>> find_described_table(std::string_view name_or_arn) const;
  Result<std::shared_ptr<const TableVersion>> find_any_table(std::string_view name_or_arn) const;
  // The table of an operation on backups, in its words.
  Result<std::shared_ptr<const TableVersion>> find_source_table(std::string_view name_or_arn) const;
  Result<std::shared_ptr<const Backup>> find_backup(std::string_view arn) const;
  // Releases a hold whose backup or restore could not begin; not if the outcome of that is unknown.
  void release_unused(uint32_t hold);
  // The table of an export, by its ARN alone.
  Result<std::shared_ptr<const TableVersion>> find_exported_table(const std::string& arn) const;
  // Waits until every commit of up to this time is finished; later ones have a later time.
  void pass_history(int64_t time_ms);
  Result<void> check_restore_target(const std::string& name) const;
  // Whether a table that is not ACTIVE yet is being restored from it.
  bool is_restoring_from(std::string_view backup_arn) const;
  Result<TableResponse> begin_restore(TableDescription table, Restore restore) REQUIRES(restore_mutex_);
  Result<std::shared_ptr<const TableVersion>> find_tagged_table(std::string_view arn, std::string_view operation) const;
  Result<std::shared_ptr<const Stream>> find_stream(std::string_view arn, Call& call) const;
  TableContext table_context() const;
  // A new stream's label is its time; uses a later one if the label is taken.
  void distinguish_stream(TableDescription& table, std::string_view label_before) const;
  // A description with the counts of now.
  TableDescription described(const TableVersion& table) const;

  // Fills the indexes that are to be filled; in the background.
  void start_backfill(const TableVersion& table);
  Result<std::shared_ptr<const TableVersion>> change_time_to_live_setting(const UpdateTimeToLiveRequest& request);
  Result<void> reset_expiry(uint32_t keyspace, bool to_fill);
  bool is_filling_expiry(const TableVersion& table) const;
  void start_expiry_fill(const TableVersion& table);
  JobOutcome fill_expiry(const std::string& table_name, const std::string& table_id, size_t commits_max);
  JobOutcome fill_expiry_of(const std::string& table_name, const std::string& table_id,
                            const std::vector<std::string>& keys, const std::string& done_up_to);
  JobOutcome trim_request_tokens();
  // Whether the table has capacity for another read or write of the item with this key; either way the key is noted for
  // insights.
  Result<void> admit(const TableDescription& table, UnitKind kind, ItemView key) const {
    auto admitted = throughput_.admit(table, kind);
    insights_.note({table}, admitted.has_value() ? event_of(kind) : KeyEvent::kThrottled, key);
    return admitted;
  }
  // Whether the global indexes that the write changes have capacity.
  Result<void> admit_index_writes(const TableDescription& table, ItemView before, ItemView after) const {
    const IndexDescription* refused_by = nullptr;
    auto admitted = throughput_.admit_index_writes(table, before, after, &refused_by);
    if (refused_by != nullptr) [[unlikely]] {
      insights_.note({table, refused_by}, KeyEvent::kThrottled, after.empty() ? before : after);
    }
    return admitted;
  }
  // Both.
  Result<void> admit_write(const TableDescription& table, ItemView key, ItemView before, ItemView after) const {
    TRY(admit(table, UnitKind::kWrite, key));
    return admit_index_writes(table, before, after);
  }
  static KeyEvent event_of(UnitKind kind) { return kind == UnitKind::kRead ? KeyEvent::kRead : KeyEvent::kWrite; }
  // The units that all tables reserve now.
  Throughput reserved_by_account() const;
  // Frees the keyspaces that were dropped, in the background, if there are any.
  void start_freeing();
  JobOutcome free_dropped_keyspace();
  void recount();
  // Counts the size of a table again if its vector indexes have changed. While no write of it is under way.
  void resize(const std::shared_ptr<const TableVersion>& before, const std::shared_ptr<const TableVersion>& after);

  EngineOptions options_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Catalog> catalog_;
  ItemLocks locks_;
  std::unique_ptr<TransactionRegistry> transactions_;
  std::atomic<int64_t> tokens_trimmed_ms_{0};  // when expired request tokens were last looked for
  mutable ThroughputMeter throughput_;
  mutable KeyInsights insights_;
  std::atomic<uint64_t> resizes_{0};
  std::atomic<int> recounts_left_{0};         // tables whose counts are not right yet
  Mutex time_to_live_mutex_{kOperationRank};  // one change of a time to live setting, or step of a fill, at a time
  Mutex restore_mutex_{kOperationRank};       // one restore begins, or backup ends, at a time
  Mutex load_mutex_{kOperationRank};          // one load begins at a time
  HistoryClock history_clock_;
  Jobs jobs_;  // started after all other members are constructed, stopped before any is destroyed
  Background background_;
  std::unique_ptr<ExpirySweeper> sweeper_;
  std::unique_ptr<StreamUpkeep> stream_upkeep_;
  std::unique_ptr<Recovery> recovery_;
  std::unique_ptr<VectorIndexes> vectors_;
  std::unique_ptr<Loads> loads_;
  std::unique_ptr<Exports> exports_;
};

}  // namespace trestle
