// The engine's components, in three nested structs. An operation is a free function that takes the smallest struct with
// the components it needs, so that it can be tested without the rest.
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
#include "engine/jobs/background.h"
#include "engine/jobs/jobs.h"
#include "engine/recovery/history_clock.h"
#include "engine/recovery/recovery.h"
#include "engine/streams/stream_upkeep.h"
#include "engine/tables/throughput_meter.h"
#include "engine/tables/transient_statuses.h"
#include "engine/transactions/transaction_registry.h"
#include "engine/vectors/vector_indexes.h"
#include "storage/catalog/catalog.h"
#include "storage/lock_ranks.h"
#include "storage/store.h"

namespace trestle {

class Buckets;

struct EngineOptions {
  StoreOptions store;
  std::string region = "us-east-1";
  std::string account = "000000000000";
  std::shared_ptr<const Clock> clock = std::make_shared<SystemClock>();  // shared: the caller may still use it
  ExpirySweeperOptions expiry;
  StreamUpkeepOptions streams;
  RecoveryOptions recovery;
  LoadOptions loads;
  // The source of imports and bulk puts and the destination of exports; null: they are rejected. Shared, because the
  // caller may also use it.
  std::shared_ptr<Buckets> buckets;
  ExportOptions exports;
  VectorIndexesOptions vectors;
  bool throttles = true;            // provisioned units and on-demand maximums are enforced
  int64_t transient_status_ms = 0;  // how long CREATING, UPDATING and DELETING are shown (transient_statuses.h)
};

// For operations that read and change the definitions of tables.
struct TableParts {
  explicit TableParts(EngineOptions initial_options)
      : options(std::move(initial_options)), transient(*options.clock, options.transient_status_ms) {}

  EngineOptions options;
  std::unique_ptr<Store> store;
  std::unique_ptr<Catalog> catalog;
  TransientStatuses transient;
};

// For operations that also read and write items.
struct ItemParts : TableParts {
  explicit ItemParts(EngineOptions initial_options)
      : TableParts(std::move(initial_options)),
        throughput(*options.clock, options.throttles),
        insights(*options.clock),
        history_clock(*options.clock) {}

  ItemLocks locks;
  std::unique_ptr<TransactionRegistry> transactions;
  ThroughputMeter throughput;
  KeyInsights insights;
  HistoryClock history_clock;
  std::unique_ptr<ExpirySweeper> sweeper;  // notified of the expiry times of written items
  std::unique_ptr<VectorIndexes> vectors;  // updated with the vectors of written items
};

// All components, for operations that also start background work.
struct EngineParts : ItemParts {
  explicit EngineParts(EngineOptions initial_options) : ItemParts(std::move(initial_options)), background(jobs) {}

  std::atomic<int64_t> tokens_trimmed_ms{0};  // when expired request tokens were last trimmed
  std::atomic<uint64_t> resizes{0};
  std::atomic<int> recounts_left{0};         // tables whose counts are not exact yet
  Mutex time_to_live_mutex{kOperationRank};  // serializes changes of time to live settings and steps of fills
  Mutex restore_mutex{kOperationRank};       // serializes the beginning of restores and the removal of backups
  Mutex load_mutex{kOperationRank};          // serializes the beginning of loads
  Jobs jobs;                                 // started after everything is constructed, stopped before destruction
  Background background;
  std::unique_ptr<StreamUpkeep> stream_upkeep;
  std::unique_ptr<Recovery> recovery;
  std::unique_ptr<Loads> loads;
  std::unique_ptr<Exports> exports;
};

}  // namespace trestle
