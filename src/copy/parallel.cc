#include "copy/parallel.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace trestle::copy {
namespace {

constexpr auto kTick = std::chrono::milliseconds(100);

struct Pieces {
  std::atomic<size_t> next = 0;
  std::atomic<bool> failed = false;
  Mutex mutex;
  ConditionVariable changed;
  size_t working GUARDED_BY(mutex) = 0;
  std::optional<Error> error GUARDED_BY(mutex);
};

void work_off(Pieces& pieces, size_t count, const std::function<Result<void>(size_t)>& work) {
  while (!pieces.failed.load()) {
    const size_t piece = pieces.next.fetch_add(1);
    if (piece >= count) break;
    auto done = work(piece);
    if (done.has_value()) continue;
    pieces.failed.store(true);
    const MutexLock lock(pieces.mutex);
    if (!pieces.error) pieces.error = std::move(done.error());
  }
  const MutexLock lock(pieces.mutex);
  --pieces.working;
  pieces.changed.notify_all();
}

}  // namespace

Result<void> in_parallel(unsigned threads, size_t count, const std::function<Result<void>(size_t)>& work,
                         const std::function<void()>& tick) {
  Pieces pieces;
  const size_t wanted = std::min<size_t>(std::max(1u, threads), count);
  const bool helps = !tick && wanted > 0;
  std::vector<std::thread> others;
  {
    const MutexLock lock(pieces.mutex);
    pieces.working = wanted;
  }
  bool works = helps;  // this thread too
  for (size_t i = helps ? 1 : 0; i < wanted; ++i) {
    try {
      others.emplace_back([&] { work_off(pieces, count, work); });
    } catch (const std::system_error&) {  // the system has no more threads: continue with fewer
      works = helps || others.empty();
      const MutexLock lock(pieces.mutex);
      pieces.working -= wanted - i;
      if (works && !helps) ++pieces.working;
      break;
    }
  }
  if (works) work_off(pieces, count, work);
  while (tick) {
    tick();
    const MutexLock lock(pieces.mutex);
    if (pieces.working == 0) break;
    pieces.changed.wait_for(pieces.mutex, kTick);
  }
  for (std::thread& thread : others) thread.join();
  if (tick) tick();
  const MutexLock lock(pieces.mutex);
  if (pieces.error) return std::unexpected(std::move(*pieces.error));
  return {};
}

}  // namespace trestle::copy
