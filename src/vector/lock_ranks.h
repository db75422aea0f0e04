// The ranks of the locks of vectors, in the order in which they are acquired (base/lock_rank.h). They are between those
// of the database's other locks (storage/lock_ranks.h), which this room cannot include.
#pragma once

#include "base/lock_rank.h"

namespace trestle {

inline constexpr LockRank kVectorLoadRank = 10;       // VectorSet::load_mutex_
inline constexpr LockRank kVectorTurnRank = 11;       // VectorPartition::turn_
inline constexpr LockRank kVectorPartitionRank = 12;  // VectorPartition::mutex_

}  // namespace trestle
