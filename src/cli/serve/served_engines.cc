#include "cli/serve/served_engines.h"

#include "cli/serve/component_options.h"
#include "cli/serve/serve_checks.h"
#include "fixtures/fixtures.h"

namespace trestle {

ServedEngines::ServedEngines(bool isolate, EngineOptions engine, std::string reset_refusal,
                             std::unique_ptr<const fixtures::Fixtures> fixtures)
    : isolate_(isolate),
      engine_options_(std::move(engine)),
      reset_refusal_(std::move(reset_refusal)),
      fixtures_(std::move(fixtures)) {}

ServedEngines::~ServedEngines() = default;

BasicResult<std::unique_ptr<ServedEngines>, std::string> ServedEngines::open(const ServeOptions& options,
                                                                             std::shared_ptr<Buckets> buckets) {
  TRY_INTO(auto fixtures,
           fixtures::Fixtures::read({.tables = options.tables, .seeds = options.seeds, .region = options.region}));
  std::unique_ptr<ServedEngines> engines(
      new ServedEngines(options.isolate, engine_options(options, std::move(buckets)), refusal_of_reset(options),
                        std::make_unique<const fixtures::Fixtures>(std::move(fixtures))));
  TRY_INTO(auto first, engines->open_first());
  if (!engines->reset_refusal_.empty() && !options.isolate) {
    engines->engine_ = std::move(first);
    return engines;
  }
  engines->spaces_ = std::make_unique<Spaces>(
      Spaces::Options{.open = [from = engines.get()](const SpaceName& name) { return from->open_space(name); },
                      .isolate = options.isolate,
                      .region = options.region},
      std::move(first));
  return engines;
}

BasicResult<std::unique_ptr<Engine>, std::string> ServedEngines::open_first() const {
  EngineOptions first = engine_options_;
  if (isolate_) first.store.in_memory = true;
  auto opened = Engine::open(first);
  if (!opened.has_value()) return std::unexpected(opened.error().message);
  if (!isolate_) return std::move(*opened);
  // No caller has a space yet: this engine only tests whether the fixtures can be applied.
  TRY(fixtures_->apply(**opened));
  return nullptr;
}

BasicResult<std::unique_ptr<Engine>, std::string> ServedEngines::open_space(const SpaceName& name) const {
  auto opened = Engine::open(isolate_ ? space_options(engine_options_, name) : engine_options_);
  if (!opened.has_value()) return std::unexpected(opened.error().message);
  if (designs_ != nullptr) TRY(designs_->create_tables(**opened));
  TRY(fixtures_->apply(**opened));
  return std::move(*opened);
}

BasicResult<void, std::string> ServedEngines::apply_fixtures() {
  if (isolate_) return {};
  return fixtures_->apply(*only());
}

void ServedEngines::wait_for_callbacks() {
  if (spaces_) {
    spaces_->wait_for_callbacks();
  } else {
    engine_->wait_for_callbacks();
  }
}

}  // namespace trestle
