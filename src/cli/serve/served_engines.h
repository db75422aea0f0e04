// The engines of a server, with the tables and items of its fixtures. There is one engine; or, if the server can be
// reset or isolates callers, there are several behind Spaces.
//
// Thread-safe after apply_fixtures(), except reset() and release_retired() (see Spaces).
#pragma once

#include <memory>
#include <string>

#include "cli/serve/serve_options.h"
#include "cli/spaces.h"

namespace trestle {

namespace fixtures {
class Fixtures;
}

class ServedEngines {
 public:
  // Reads the files of the fixtures, too. With --isolate, no engine remains open: each space is opened by its first
  // call.
  static BasicResult<std::unique_ptr<ServedEngines>, std::string> open(const ServeOptions& options,
                                                                       std::shared_ptr<Buckets> buckets);
  ~ServedEngines();

  Database& database() { return spaces_ ? static_cast<Database&>(*spaces_) : *engine_; }
  // The only engine at this time. Must not be called with --isolate.
  std::shared_ptr<Engine> only() const { return spaces_ ? spaces_->only() : engine_; }

  // Engines opened from now on also get the tables of these designs, which must outlive the last reset.
  void set_designs(const ServedDesigns& designs) { designs_ = &designs; }
  // Applies the fixtures to the first engine. With --isolate, each space applies them when it is opened.
  BasicResult<void, std::string> apply_fixtures();

  // Why the server cannot be reset; empty: it can.
  const std::string& reset_refusal() const { return reset_refusal_; }
  BasicResult<void, std::string> reset() { return spaces_->reset(); }
  void release_retired() { spaces_->release_retired(); }

  void wait_for_callbacks();

 private:
  ServedEngines(bool isolate, EngineOptions engine, std::string reset_refusal,
                std::unique_ptr<const fixtures::Fixtures> fixtures);
  BasicResult<std::unique_ptr<Engine>, std::string> open_first() const;
  BasicResult<std::unique_ptr<Engine>, std::string> open_space(const SpaceName& name) const;

  const bool isolate_;
  const EngineOptions engine_options_;
  const std::string reset_refusal_;
  const std::unique_ptr<const fixtures::Fixtures> fixtures_;
  const ServedDesigns* designs_ = nullptr;
  std::shared_ptr<Engine> engine_;  // null if there are spaces
  std::unique_ptr<Spaces> spaces_;
};

}  // namespace trestle
