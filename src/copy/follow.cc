#include "copy/follow.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace trestle::copy {
namespace {

struct Sum {
  size_t records = 0;
  bool drained = true, over = true;
  int64_t oldest_ms = 0;

  void add(const Follower::Round& round) {
    records += round.records;
    drained &= round.drained;
    over &= round.over;
    if (round.oldest_ms != 0) oldest_ms = oldest_ms == 0 ? round.oldest_ms : std::min(oldest_ms, round.oldest_ms);
  }
};

std::string seconds(int64_t ms) { return fmt::format("{:.1f} s", static_cast<double>(ms) / 1000); }

// Decides when following ends: when everything up to a mark has been read, which is set when the cut-over begins.
class CutOver {
 public:
  using Followers = std::vector<std::unique_ptr<Follower>>;

  CutOver(const FollowOptions& options, const FollowCalls& calls, Followers& followers)
      : options_(options), calls_(calls), followers_(followers) {}

  // Whether to end after a round. `requested`: the user requested a cut-over.
  Result<bool> is_due(const Sum& sum, int64_t now_ms, bool requested) {
    if (quiet_since_ms_ == 0 || sum.records > 0) quiet_since_ms_ = now_ms;
    note_caught_up(sum, now_ms, requested);
    if (requested && requested_ms_ == 0) {
      requested_ms_ = now_ms;
      calls_.say("cutting over: reading the rest of the stream; press Ctrl-C again to stop at once");
    }
    if (sum.over) {
      calls_.say("the stream was disabled at the source; later changes are not copied");
      return true;
    }
    if (!options_.cut_over && requested_ms_ == 0) return false;
    const bool is_quiet = now_ms - quiet_since_ms_ >= options_.quiet_ms;
    if (marked_) {
      // Unless the user requested the cut-over, the source must be quiet from before the mark until it is reached.
      if (requested_ms_ == 0 && !is_quiet) marked_ = false;
    } else if (is_quiet || (requested_ms_ != 0 && now_ms - requested_ms_ >= options_.quiet_ms)) {
      for (const auto& follower : followers_) TRY(follower->mark());
      marked_ = true;
      return false;  // decided in the next round
    }
    if (!marked_) return false;
    bool reached = true;
    for (const auto& follower : followers_) {
      TRY_INTO(const bool has_reached, follower->has_reached_mark());
      reached &= has_reached;
    }
    if (reached && !is_quiet) {
      calls_.say("the source is still being written to; changes after the start of the cut-over are not copied");
    }
    return reached;
  }

 private:
  void note_caught_up(const Sum& sum, int64_t now_ms, bool requested) {
    const int64_t lag_ms = sum.oldest_ms == 0 ? 0 : std::max<int64_t>(0, now_ms - sum.oldest_ms);
    if (caught_up_ || (!sum.drained && (sum.records == 0 || lag_ms > options_.lag_ms_max))) return;
    caught_up_ = true;
    calls_.say(fmt::format("caught up: the target is {} behind{}", seconds(lag_ms),
                           options_.cut_over || requested ? "" : "; press Ctrl-C to cut over"));
  }

  const FollowOptions& options_;
  const FollowCalls& calls_;
  Followers& followers_;
  bool caught_up_ = false;
  bool marked_ = false;
  int64_t quiet_since_ms_ = 0;
  int64_t requested_ms_ = 0;
};

}  // namespace

Result<void> follow_tables(const FollowParts& parts, const FollowOptions& options, Stop& stop,
                           const FollowCalls& calls) {
  std::vector<std::unique_ptr<Follower>> followers;
  const CopyState state = parts.state.read();
  for (size_t i = 0; i < state.tables.size(); ++i) {
    if (state.tables[i].stream) followers.push_back(std::make_unique<Follower>(parts, i));
  }
  if (followers.empty()) return {};
  const int requests_before = stop.requests();
  stop.tolerate(requests_before + 1);
  CutOver cut_over(options, calls, followers);
  FollowProgress progress;
  while (true) {
    Sum sum;
    // Read before the round, so that the round sees all changes made before the request.
    const bool requested = stop.requests() > requests_before;
    for (const auto& follower : followers) {
      TRY_INTO(const Follower::Round round, follower->round());
      sum.add(round);
    }
    const int64_t now_ms = parts.clock.now_ms();
    progress.records += static_cast<int64_t>(sum.records);
    progress.lag_ms = sum.oldest_ms == 0 ? 0 : std::max<int64_t>(0, now_ms - sum.oldest_ms);
    calls.tick(progress);
    if (stop.is_requested()) return stopped();
    TRY_INTO(const bool due, cut_over.is_due(sum, now_ms, requested));
    if (due) return {};
    TRY(parts.state.save_now_and_then());
    if (sum.records == 0 && sum.drained && !stop.sleep(std::chrono::milliseconds(options.poll_ms))) return stopped();
  }
}

}  // namespace trestle::copy
