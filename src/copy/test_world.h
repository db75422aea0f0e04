// For tests: two in-memory databases, a source with a table `music` (pk S, sk N) and an empty target.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "base/scratch_folder.h"
#include "copy/definition.h"
#include "copy/state_file.h"
#include "copy/target_writer.h"
#include "engine/engine.h"

namespace trestle::copy {

struct World {
  int64_t retention_ms = StreamUpkeepOptions{}.retention_ms;
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(1'790'000'000'000);
  std::unique_ptr<Engine> source = open(), target = open();
  ScratchFolder folder;
  Stop stop;
  Pace pace{.stop = stop};
  TargetWriter writer{*target, pace};
  std::unique_ptr<StateFile> state = open_state();

  std::unique_ptr<Engine> open() {
    EngineOptions options;
    options.store.in_memory = true;
    options.clock = clock;
    options.streams.interval_ms = 0;
    options.streams.retention_ms = retention_ms;
    options.expiry.interval_ms = 0;
    return std::move(*Engine::open(std::move(options)));
  }
  std::unique_ptr<StateFile> open_state() const {
    return std::move(*StateFile::open(folder.path() + "/state", "here", "there", false));
  }
  // Reopens the state, as another run would.
  void reopen_state() {
    state.reset();
    state = open_state();
  }

  static CreateTableRequest music(std::optional<StreamViewType> stream) {
    CreateTableRequest request{.table_name = "music"};
    request.attribute_definitions = {{.name = "pk", .type = ValueType::kString},
                                     {.name = "sk", .type = ValueType::kNumber},
                                     {.name = "year", .type = ValueType::kNumber}};
    request.key_schema = {{.attribute_name = "pk"}, {.attribute_name = "sk", .is_range = true}};
    IndexDefinition index{.index_name = "by-year", .key_schema = {{.attribute_name = "year"}}};
    index.projection_type = ProjectionType::kInclude;
    index.non_key_attributes = std::vector<std::string>{"title"};
    request.global_indexes = std::vector<IndexDefinition>{index};
    request.billing_mode = BillingMode::kPayPerRequest;
    if (stream) request.stream = StreamSpecification{.enabled = true, .view_type = stream};
    return request;
  }
  void create(Engine& engine, std::optional<StreamViewType> stream = {}) {
    const auto created = engine.create_table(music(stream));
    ASSERT_TRUE(created.has_value()) << created.error().message;
    engine.wait_idle();
    ASSERT_TRUE(wait_active(engine, "music", stop).has_value());
  }

  static Item key(std::string_view pk, int64_t sk) { return {{"pk", Value::string(pk)}, {"sk", Value::number(sk)}}; }
  static void put(Engine& engine, std::string_view pk, int64_t sk, std::string_view text) {
    const auto done = engine.put_item({.table_name = "music",
                                       .item = Item({{"pk", Value::string(pk)},
                                                     {"sk", Value::number(sk)},
                                                     {"year", Value::number(1900 + sk % 100)},
                                                     {"text", Value::string(text)}})});
    ASSERT_TRUE(done.has_value()) << done.error().message;
  }
  static void erase(Engine& engine, std::string_view pk, int64_t sk) {
    ASSERT_TRUE(engine.delete_item({.table_name = "music", .key = key(pk, sk)}).has_value());
  }
  static std::optional<std::string> text(Engine& engine, std::string_view pk, int64_t sk) {
    const auto got = engine.get_item({.table_name = "music", .key = key(pk, sk)});
    if (!got || !got->item) return std::nullopt;
    return std::string(got->item->find("text")->scalar());
  }
  static int64_t count(Engine& engine) { return (*engine.describe_table({.table_name = "music"})).table.item_count; }
};

}  // namespace trestle::copy
