// The engine stores resource policies as opaque text.
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "engine/quiet_engine.h"

namespace trestle {
namespace {

struct PolicyFixture : QuietTable {
  explicit PolicyFixture(const std::string& in = {}) : QuietTable(in) { open(options()); }
  void create() const {
    QuietTable::create(StreamSpecification{.enabled = true, .view_type = StreamViewType::kKeysOnly});
  }
  std::string table_arn() const { return engine->describe_table({.table_name = "table"})->table.arn; }
  std::string stream_arn() const {
    const TableDescription table = engine->describe_table({.table_name = "table"})->table;
    return table.arn + "/stream/" + table.stream_label;
  }
  std::string put(const std::string& arn, const std::string& policy) const {
    const auto answer = engine->put_resource_policy({.resource_arn = arn, .policy = policy});
    return answer.has_value() ? answer->revision_id : answer.error().message;
  }
  std::string get(const std::string& arn) const {
    const auto answer = engine->get_resource_policy({.resource_arn = arn});
    return answer.has_value() ? answer->policy : answer.error().message;
  }
};

TEST(ResourcePolicies, every_change_has_a_later_revision_even_if_the_clock_stands_still) {
  PolicyFixture fixture;
  fixture.create();
  for (const std::string& arn : {fixture.table_arn(), fixture.stream_arn()}) {
    const std::string first = fixture.put(arn, "one");
    EXPECT_EQ(fixture.put(arn, "one"), first);
    const std::string second = fixture.put(arn, "two");
    EXPECT_GT(second, first);
    EXPECT_EQ(fixture.get(arn), "two");
    ASSERT_TRUE(fixture.engine->delete_resource_policy({.resource_arn = arn}).has_value());
  }
}

TEST(ResourcePolicies, a_table_and_its_stream_have_separate_policies) {
  PolicyFixture fixture;
  fixture.create();
  EXPECT_FALSE(fixture.engine->catalog().has_policies());
  fixture.put(fixture.stream_arn(), "stream's");
  EXPECT_TRUE(fixture.engine->catalog().has_policies());
  EXPECT_EQ(fixture.get(fixture.table_arn()),
            "Resource-based policy not found for the provided ResourceArn: " + fixture.table_arn());
  fixture.put(fixture.table_arn(), "table's");
  EXPECT_EQ(fixture.get(fixture.stream_arn()), "stream's");
  ASSERT_TRUE(fixture.engine->delete_resource_policy({.resource_arn = fixture.stream_arn()}).has_value());
  EXPECT_TRUE(fixture.engine->catalog().has_policies());
  ASSERT_TRUE(fixture.engine->delete_resource_policy({.resource_arn = fixture.table_arn()}).has_value());
  EXPECT_FALSE(fixture.engine->catalog().has_policies());
}

TEST(ResourcePolicies, a_stream_keeps_its_policy_when_it_is_disabled_and_its_table_deleted) {
  PolicyFixture fixture;
  fixture.create();
  const std::string stream = fixture.stream_arn();
  const std::string table = fixture.table_arn();
  fixture.put(stream, "closed");
  fixture.put(table, "closed");
  UpdateTableRequest disable{.table_name = "table"};
  disable.stream = StreamSpecification{.enabled = false, .view_type = std::nullopt};
  ASSERT_TRUE(fixture.engine->update_table(disable).has_value());
  EXPECT_EQ(fixture.get(stream), "closed");
  ASSERT_TRUE(fixture.engine->delete_table({.table_name = "table"}).has_value());
  EXPECT_EQ(fixture.get(stream), "closed");
  EXPECT_TRUE(fixture.engine->catalog().has_policies());
  fixture.create();
  EXPECT_EQ(fixture.get(table), "Resource-based policy not found for the provided ResourceArn: " + table);
}

TEST(ResourcePolicies, policies_survive_reopening) {
  ScratchFolder folder;
  std::string table;
  std::string stream;
  std::string revision;
  {
    PolicyFixture fixture(folder.path());
    fixture.create();
    table = fixture.table_arn();
    stream = fixture.stream_arn();
    fixture.put(table, "table's");
    revision = fixture.put(stream, "stream's");
  }
  PolicyFixture fixture(folder.path());
  EXPECT_TRUE(fixture.engine->catalog().has_policies());
  EXPECT_EQ(fixture.get(table), "table's");
  EXPECT_EQ(fixture.get(stream), "stream's");
  EXPECT_EQ(fixture.engine->get_resource_policy({.resource_arn = stream})->revision_id, revision);
}

}  // namespace
}  // namespace trestle
