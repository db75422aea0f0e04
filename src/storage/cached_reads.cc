#include "storage/cached_reads.h"

#include "base/check.h"

namespace trestle {

CachedReads::CachedReads() {
  CHECK(state == State::kMayWait);
  state = State::kMustNotWait;
}

CachedReads::~CachedReads() { state = State::kMayWait; }

}  // namespace trestle
