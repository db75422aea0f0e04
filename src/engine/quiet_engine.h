// For tests: an engine without periodic background work, with a manual clock.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "engine/engine.h"

namespace trestle {

// With an empty folder, the engine is in memory.
inline EngineOptions quiet_options(const std::string& folder, std::shared_ptr<const Clock> clock) {
  EngineOptions options;
  options.store.folder = folder;
  options.store.in_memory = folder.empty();
  options.store.cache_bytes = size_t{8} << 20;
  options.clock = std::move(clock);
  options.expiry.interval_ms = 0;
  options.streams.interval_ms = 0;
  options.recovery.interval_ms = 0;
  return options;
}

struct QuietEngine {
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(1'800'000'000'000);
  std::unique_ptr<Engine> engine;
  std::string folder;

  explicit QuietEngine(std::string in) : folder(std::move(in)) {}
  EngineOptions options() const { return quiet_options(folder, clock); }
  // Opens the engine. If it is open already, closes it first and reopens it on the same folder.
  void open(EngineOptions options) {
    engine.reset();
    auto opened = Engine::open(std::move(options));
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    engine = std::move(*opened);
  }
  Engine* operator->() const { return engine.get(); }
};

// A QuietEngine with one table, "table", whose items have a key "pk" and a number "v".
struct QuietTable : QuietEngine {
  using QuietEngine::QuietEngine;

  void create(std::optional<StreamSpecification> stream) const {
    const auto created = engine->create_table({.table_name = "table",
                                               .attribute_definitions = {{"pk", ValueType::kString}},
                                               .key_schema = {{.attribute_name = "pk"}},
                                               .billing_mode = BillingMode::kPayPerRequest,
                                               .stream = stream});
    ASSERT_TRUE(created.has_value()) << created.error().message;
  }
  void put(std::string_view pk, int64_t v) const {
    const auto answer =
        engine->put_item({.table_name = "table", .item = Item{{"pk", Value::string(pk)}, {"v", Value::number(v)}}});
    ASSERT_TRUE(answer.has_value()) << answer.error().message;
  }
  void erase(std::string_view pk) const {
    ASSERT_TRUE(engine->delete_item({.table_name = "table", .key = Item{{"pk", Value::string(pk)}}}).has_value());
  }
};

}  // namespace trestle
