// The ranks of the database's locks, in the order in which they are acquired; the last is kShortRank
// (base/lock_rank.h). docs/architecture.md gives the reasons for the order.
#pragma once

#include "base/lock_rank.h"

namespace trestle {

inline constexpr LockRank kJobStepRank = 1;        // Job::step_mutex_
inline constexpr LockRank kOperationRank = 2;      // locks that serialize operations of one kind
inline constexpr LockRank kCatalogChangeRank = 3;  // Catalog::change_mutex_
inline constexpr LockRank kTableGateRank = 4;      // TableGate::writers
inline constexpr LockRank kLoadStatusRank = 5;     // Loads::status_mutex_
inline constexpr LockRank kItemRank = 6;           // ItemLocks
inline constexpr LockRank kHistoryClockRank = 7;   // HistoryClock

}  // namespace trestle
