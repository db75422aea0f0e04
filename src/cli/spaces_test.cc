#include "cli/spaces.h"

#include <gtest/gtest.h>

#include <optional>

namespace trestle {
namespace {

std::unique_ptr<Engine> engine_of(const std::string& region = "us-east-1") {
  EngineOptions options{.region = region};
  options.store.in_memory = true;
  options.store.cache_bytes = size_t{8} << 20;
  return std::move(*Engine::open(std::move(options)));
}

// Spaces whose engines are recorded in the order in which they are opened.
struct SpacesTest : testing::Test {
  Spaces& open(bool isolate) {
    const auto open_engine = [this](const SpaceName& name) -> BasicResult<std::unique_ptr<Engine>, std::string> {
      if (broken) return std::unexpected(std::string("broken"));
      opened.push_back(name);
      return engine_of();
    };
    spaces.emplace(Spaces::Options{.open = open_engine, .isolate = isolate, .region = "us-east-1"},
                   isolate ? nullptr : engine_of());
    return *spaces;
  }
  static CreateTableRequest table() {
    return {.table_name = "music",
            .attribute_definitions = {{.name = "pk", .type = ValueType::kString}},
            .key_schema = {{.attribute_name = "pk"}},
            .billing_mode = BillingMode::kPayPerRequest};
  }
  static Call call_of(const std::string& access_key, const std::string& region = {}) {
    Call call;
    call.caller = access_key;
    call.region = region;
    return call;
  }
  size_t table_count(Call call) { return spaces->list_tables({}, call)->table_names.size(); }

  bool broken = false;
  std::vector<SpaceName> opened;
  std::optional<Spaces> spaces;
};

TEST_F(SpacesTest, callers_share_the_only_space) {
  open(false);
  Call call = call_of("A");
  ASSERT_TRUE(spaces->create_table(table(), call).has_value());
  EXPECT_EQ(table_count(call_of("A")), 1u);
  EXPECT_EQ(table_count(call_of("B", "eu-west-1")), 1u);
  EXPECT_TRUE(opened.empty());
}

TEST_F(SpacesTest, isolated_callers_have_a_space_by_access_key_and_region) {
  open(true);
  Call call = call_of("A");
  ASSERT_TRUE(spaces->create_table(table(), call).has_value());
  EXPECT_EQ(table_count(call_of("A")), 1u);
  EXPECT_EQ(table_count(call_of("A", "us-east-1")), 1u) << "the default region";
  EXPECT_EQ(table_count(call_of("A", "eu-west-1")), 0u);
  EXPECT_EQ(table_count(call_of("B")), 0u);
  EXPECT_EQ(opened, (std::vector<SpaceName>{{"A", "us-east-1"}, {"A", "eu-west-1"}, {"B", "us-east-1"}}));
}

TEST_F(SpacesTest, names_that_could_leave_the_data_folder_are_refused) {
  open(true);
  for (const std::string& name : {std::string(), std::string("../x"), std::string("a.b"), std::string(129, 'a')}) {
    Call call = call_of(name);
    const auto listed = spaces->list_tables({}, call);
    ASSERT_FALSE(listed.has_value()) << name;
    EXPECT_EQ(listed.error().code, ErrorCode::kValidation);
  }
  EXPECT_EQ(table_count(call_of(std::string(128, 'a'))), 0u);
}

TEST_F(SpacesTest, a_space_that_cannot_be_opened_is_tried_again) {
  open(true);
  broken = true;
  Call call = call_of("A");
  const auto refused = spaces->list_tables({}, call);
  EXPECT_EQ(refused.error().message, "broken");
  EXPECT_EQ(refused.error().code, ErrorCode::kServiceUnavailable);
  broken = false;
  EXPECT_EQ(table_count(call_of("A")), 0u);
}

TEST_F(SpacesTest, a_reset_replaces_all_data_but_not_that_of_calls_in_progress) {
  open(false);
  Call call = call_of("A");
  ASSERT_TRUE(spaces->create_table(table(), call).has_value());
  ASSERT_TRUE(spaces->reset().has_value());
  EXPECT_EQ(spaces->list_tables({}, call)->table_names.size(), 1u) << "the call began before the reset";
  EXPECT_EQ(table_count(call_of("A")), 0u);
  call.space.reset();
  spaces->release_retired();
}

TEST_F(SpacesTest, a_call_that_waits_for_a_thread_during_a_reset_runs_on_the_old_data) {
  open(false);
  Call waiting = call_of("A");
  spaces->bind(waiting);
  ASSERT_TRUE(spaces->reset().has_value());
  ASSERT_TRUE(spaces->create_table(table(), waiting).has_value());
  EXPECT_EQ(table_count(call_of("A")), 0u);
  waiting = {};
  spaces->release_retired();
}

TEST_F(SpacesTest, a_space_that_is_opened_during_a_reset_belongs_to_the_old_data) {
  open(true);
  Call waiting = call_of("A");
  spaces->bind(waiting);
  ASSERT_TRUE(spaces->reset().has_value());
  ASSERT_TRUE(spaces->create_table(table(), waiting).has_value());
  EXPECT_EQ(table_count(call_of("A")), 0u);
  EXPECT_EQ(opened.size(), 2u);
  waiting = {};
  spaces->release_retired();
}

TEST_F(SpacesTest, a_reset_that_fails_changes_nothing) {
  open(false);
  Call call = call_of("A");
  ASSERT_TRUE(spaces->create_table(table(), call).has_value());
  call.space.reset();
  broken = true;
  EXPECT_FALSE(spaces->reset().has_value());
  EXPECT_EQ(table_count(call_of("A")), 1u);
}

}  // namespace
}  // namespace trestle
