// The ranks of the database's locks, in the order in which they are acquired; the first is kOutermostRank,
// the last kShortRank (base/lock_rank.h). docs/architecture.md gives the reasons for the order.
#pragma once

#include "base/lock_rank.h"

namespace trestle {

inline constexpr LockRank kJobStepRank = 2;             // Job::step_mutex_
inline constexpr LockRank kOperationRank = 3;           // locks that serialize operations of one kind
inline constexpr LockRank kCatalogChangeRank = 4;       // Catalog::change_mutex_
inline constexpr LockRank kTableGateRank = several(5);  // TableGate::writers
inline constexpr LockRank kLoadStatusRank = 6;          // Loads::status_mutex_
inline constexpr LockRank kItemRank = several(7);       // ItemLocks
inline constexpr LockRank kHistoryClockRank = 8;        // HistoryClock
inline constexpr LockRank kVectorIndexesRank = 9;       // the map of VectorIndexes, across lookups in the catalog
// 10 to 12: vector/lock_ranks.h
inline constexpr LockRank kStreamCatalogRank = 13;  // StreamCatalog, across commits
inline constexpr LockRank kLogFlushRank = 14;       // Store::Impl::flush_mutex, across a flush of RocksDB's log
inline constexpr LockRank kLogSyncRank = 15;        // LogFiles::syncing_, across the sync of each log
inline constexpr LockRank kLogFileRank = 16;        // LogFiles::Log::mutex_, across the sync of one log
inline constexpr LockRank kErrorHandlerRank = 17;   // ErrorListener, across a call of DurabilityTracker

}  // namespace trestle
