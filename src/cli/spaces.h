// Several engines behind one Database: each is a space of tables. A server has one space, or with --isolate one for
// each access key and region that calls it. reset() replaces all of them with new ones.
//
// A call runs in the space that was current when it began, and holds it until its response is durable (Call::space). A
// call that has to wait before it runs is bound to the spaces of that time first (Call::spaces). So calls in progress
// during a reset finish on the old data, and every call that begins after it sees the new data.
//
// Thread-safe, but reset() may be called by only one thread at a time, and not by one that serves calls.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/lock_rank.h"
#include "base/mutex.h"
#include "engine/engine.h"
#include "model/database.h"

namespace trestle {

struct SpaceName {
  std::string access_key;  // both empty: the only space
  std::string region;
  friend auto operator<=>(const SpaceName&, const SpaceName&) = default;
};

class Spaces final : public Database {
 public:
  static constexpr size_t kSpacesMax = 100;

  // Opens the engine of a space, with its initial tables and items.
  using OpenEngine = std::function<BasicResult<std::unique_ptr<Engine>, std::string>(const SpaceName& name)>;

  struct Options {
    OpenEngine open;
    bool isolate = false;
    std::string region;  // for callers whose signature has no region
  };
  // `first`: the only space; null with `isolate`, where spaces are created on first use.
  Spaces(Options options, std::unique_ptr<Engine> first);
  ~Spaces() override;

  // The only space. Must not be called with `isolate`.
  std::shared_ptr<Engine> only() const;

  void bind(Call& call) override;

  // Afterwards the old spaces are in `retired_` until release_retired().
  BasicResult<void, std::string> reset();
  // Waits for calls in progress in the old spaces and destroys them.
  void release_retired();
  void wait_for_callbacks();

  Result<void> wait_durable(const Call& call) override;
  void when_durable(const Call& call, std::move_only_function<void(Result<void>)> then) override;
  Result<void> flush_log() override;

#define TRESTLE_DECLARE(Name, name)                                                \
  Result<Name##Response> name(const Name##Request& request, Call& call) override { \
    TRY_INTO(const auto space, find(call));                                        \
    return space->name(request, call);                                             \
  }                                                                                \
  using Database::name;
  TRESTLE_OPERATIONS(TRESTLE_DECLARE)
#undef TRESTLE_DECLARE

 private:
  using Engines = std::map<SpaceName, std::shared_ptr<Engine>>;

  // The space of a call. The call holds it from then on.
  Result<std::shared_ptr<Engine>> find(Call& call);
  Result<SpaceName> name_of(const Call& call) const;
  std::vector<std::shared_ptr<Engine>> all() const;

  const Options options_;
  Mutex opening_{kOutermostRank};          // one space is opened at a time; mutex_ is not held meanwhile
  mutable SharedMutex mutex_{kShortRank};  // guards engines_, and the maps that resets replaced
  std::shared_ptr<Engines> engines_ = std::make_shared<Engines>();
  std::vector<std::shared_ptr<Engines>> retired_;  // used only by the thread that resets
};

}  // namespace trestle
