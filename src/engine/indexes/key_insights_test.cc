#include "engine/indexes/key_insights.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/scratch_folder.h"
#include "engine/engine.h"

namespace trestle {
namespace {

constexpr size_t kRead = 0;
constexpr size_t kWritten = 1;
constexpr size_t kThrottled = 2;

Item item_key(std::string_view pk, int64_t sk) { return Item{{"pk", Value::string(pk)}, {"sk", Value::number(sk)}}; }
Item partition(std::string_view pk) { return Item{{"pk", Value::string(pk)}}; }

struct InsightsFixture {
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(1'800'000'000'000);
  std::unique_ptr<Engine> engine;

  explicit InsightsFixture(const std::string& folder = {}) {
    EngineOptions options;
    options.store.folder = folder;
    options.store.in_memory = folder.empty();
    options.store.cache_bytes = size_t{8} << 20;
    options.clock = clock;
    options.expiry.interval_ms = 0;
    auto opened = Engine::open(std::move(options));
    EXPECT_TRUE(opened.has_value());
    engine = std::move(*opened);
  }

  void create(std::optional<Throughput> throughput = std::nullopt) const {
    CreateTableRequest request{
        .table_name = "table",
        .attribute_definitions = {{"pk", ValueType::kString}, {"sk", ValueType::kNumber}, {"g", ValueType::kString}},
        .key_schema = {{.attribute_name = "pk"}, {.attribute_name = "sk", .is_range = true}}};
    request.billing_mode = throughput ? BillingMode::kProvisioned : BillingMode::kPayPerRequest;
    request.throughput = throughput;
    IndexDefinition index{.index_name = "by-g", .key_schema = {{.attribute_name = "g"}}};
    index.projection_type = ProjectionType::kAll;
    index.throughput = throughput;
    request.global_indexes = std::vector{index};
    const auto created = engine->create_table(request);
    ASSERT_TRUE(created.has_value()) << created.error().message;
  }
  ContributorInsightsSummary set(bool enable, std::optional<InsightsMode> mode = std::nullopt,
                                 std::optional<std::string> index = std::nullopt) const {
    const auto answer = engine->update_contributor_insights(
        {.table_name = "table", .index_name = std::move(index), .enable = enable, .mode = mode});
    EXPECT_TRUE(answer.has_value());
    return *answer;
  }
  DescribeContributorInsightsResponse describe(std::optional<std::string> index = std::nullopt) const {
    const auto answer = engine->describe_contributor_insights({.table_name = "table", .index_name = std::move(index)});
    EXPECT_TRUE(answer.has_value());
    return *answer;
  }
  bool put(std::string_view pk, int64_t sk, std::string_view g = {}) const {
    Item item = item_key(pk, sk);
    if (!g.empty()) item = Item{{"pk", Value::string(pk)}, {"sk", Value::number(sk)}, {"g", Value::string(g)}};
    return engine->put_item({.table_name = "table", .item = item}).has_value();
  }
  void get(std::string_view pk, int64_t sk) const {
    ASSERT_TRUE(engine->get_item({.table_name = "table", .key = item_key(pk, sk)}).has_value());
  }
  std::optional<KeyInsights::Report> report(bool index = false) const {
    const TableDescription& table = engine->catalog().find("table")->description;
    return engine->insights().report(index ? table.indexes.front().keyspace : table.keyspace, 10);
  }
};

TEST(KeyInsights, nothing_is_counted_before_enabling_and_counts_are_discarded_on_disabling) {
  InsightsFixture db;
  db.create();
  ASSERT_TRUE(db.put("a", 1));
  db.get("a", 1);
  EXPECT_FALSE(db.report().has_value());
  db.set(true);
  db.get("a", 1);
  EXPECT_EQ(db.report()->whole[kRead].total, 1u);
  db.set(false);
  EXPECT_FALSE(db.report().has_value());
  db.get("a", 1);
  EXPECT_FALSE(db.report().has_value());
}

TEST(KeyInsights, reads_and_writes_are_counted_by_partition_and_by_item) {
  InsightsFixture db;
  db.create();
  db.set(true);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(db.put("hot", i));
  ASSERT_TRUE(db.put("cold", 1));
  for (int i = 0; i < 5; ++i) db.get("hot", 1);
  db.get("hot", 2);
  db.get("none", 9);  // reads of missing items are counted too
  const auto report = db.report();
  ASSERT_TRUE(report.has_value());
  const auto& written = report->whole[kWritten];
  EXPECT_EQ(written.total, 4u);
  ASSERT_EQ(written.partitions.size(), 2u);
  EXPECT_EQ(written.partitions[0].key, partition("hot"));
  EXPECT_EQ(written.partitions[0].count, 3u);
  EXPECT_EQ(written.partitions[1].key, partition("cold"));
  EXPECT_EQ(written.items.size(), 4u);
  const auto& read = report->whole[kRead];
  EXPECT_EQ(read.total, 7u);
  EXPECT_EQ(read.partitions[0].key, partition("hot"));
  EXPECT_EQ(read.partitions[0].count, 6u);
  EXPECT_EQ(read.items[0].key, item_key("hot", 1));
  EXPECT_EQ(read.items[0].count, 5u);
  EXPECT_EQ(report->whole[kThrottled].total, 0u);
}

TEST(KeyInsights, a_query_counts_its_partition_once_and_each_item_that_it_read) {
  InsightsFixture db;
  db.create();
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(db.put("p", i));
  db.set(true);
  QueryRequest query;
  query.table_name = "table";
  query.key_condition_expression = "pk = :p";
  query.placeholders.values = ValueMap{{":p", Value::string("p")}};
  ASSERT_TRUE(db.engine->query(query).has_value());
  query.placeholders.values = ValueMap{{":p", Value::string("empty")}};
  ASSERT_TRUE(db.engine->query(query).has_value());
  ScanRequest scan;
  scan.table_name = "table";
  ASSERT_TRUE(db.engine->scan(scan).has_value());  // a scan does not count keys
  const auto report = db.report();
  EXPECT_EQ(report->whole[kRead].total, 2u);
  EXPECT_EQ(report->whole[kRead].partitions.size(), 2u);
  EXPECT_EQ(report->whole[kRead].items.size(), 4u);
}

TEST(KeyInsights, batches_transactions_and_statements_are_counted) {
  InsightsFixture db;
  db.create();
  db.set(true);
  ASSERT_TRUE(db.engine
                  ->batch_write_item({.tables = {{.table_name = "table",
                                                  .writes = {{.item = item_key("b", 1)}, {.item = item_key("b", 2)}}}}})
                  .has_value());
  TransactWriteItemsRequest write;
  write.writes.emplace_back();
  write.writes.back().kind = TransactWrite::Kind::kPut;
  write.writes.back().table_name = "table";
  write.writes.back().item = item_key("t", 1);
  ASSERT_TRUE(db.engine->transact_write_items(write).has_value());
  ExecuteStatementRequest insert;
  insert.statement.text = "INSERT INTO \"table\" VALUE {'pk': 's', 'sk': 1}";
  ASSERT_TRUE(db.engine->execute_statement(insert).has_value());
  EXPECT_EQ(db.report()->whole[kWritten].total, 4u);

  BatchGetItemRequest batch;
  batch.tables.emplace_back();
  batch.tables.back().table_name = "table";
  batch.tables.back().keys = {item_key("b", 1), item_key("b", 2)};
  ASSERT_TRUE(db.engine->batch_get_item(batch).has_value());
  TransactGetItemsRequest get;
  get.gets.emplace_back();
  get.gets.back().table_name = "table";
  get.gets.back().key = item_key("t", 1);
  ASSERT_TRUE(db.engine->transact_get_items(get).has_value());
  ExecuteStatementRequest one;
  one.statement.text = "SELECT * FROM \"table\" WHERE pk = 's' AND sk = 1";
  ASSERT_TRUE(db.engine->execute_statement(one).has_value());
  ExecuteStatementRequest many;
  many.statement.text = "SELECT * FROM \"table\" WHERE pk = 'b'";
  ASSERT_TRUE(db.engine->execute_statement(many).has_value());
  EXPECT_EQ(db.report()->whole[kRead].total, 5u);
  EXPECT_EQ(db.report()->whole[kRead].partitions[0].key, partition("b"));
  EXPECT_EQ(db.report()->whole[kRead].partitions[0].count, 3u);
}

TEST(KeyInsights, an_index_has_keys_of_its_own) {
  InsightsFixture db;
  db.create();
  db.set(true, std::nullopt, "by-g");
  ASSERT_TRUE(db.put("a", 1, "red"));
  ASSERT_TRUE(db.put("b", 1, "red"));
  ASSERT_TRUE(db.put("c", 1));  // not in the index: it has no "g"
  EXPECT_FALSE(db.report().has_value());
  auto report = db.report(true);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->whole[kWritten].total, 2u);
  EXPECT_EQ(report->whole[kWritten].partitions[0].key, (Item{{"g", Value::string("red")}}));
  EXPECT_TRUE(report->whole[kWritten].items.empty());  // its key has no sort key
  ASSERT_TRUE(db.engine->delete_item({.table_name = "table", .key = item_key("a", 1)}).has_value());
  EXPECT_EQ(db.report(true)->whole[kWritten].partitions[0].count, 3u);
}

TEST(KeyInsights, throttled_keys_are_counted_even_if_accesses_are_not) {
  InsightsFixture db;
  db.create(Throughput{.read_units = 1, .write_units = 1});
  db.set(true, InsightsMode::kThrottledKeys);
  int refused = 0;
  for (int i = 0; i < 310; ++i) refused += db.put("hot", 1) ? 0 : 1;
  ASSERT_GT(refused, 0);
  const auto report = db.report();
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->whole[kThrottled].total, static_cast<uint64_t>(refused));
  EXPECT_EQ(report->whole[kThrottled].partitions[0].key, partition("hot"));
  EXPECT_EQ(report->whole[kThrottled].items[0].key, item_key("hot", 1));
  EXPECT_EQ(report->whole[kWritten].total, 0u);
}

TEST(KeyInsights, an_index_that_throttles_a_write_counts_its_own_key) {
  InsightsFixture db;
  db.create(Throughput{.read_units = 1, .write_units = 1});
  UpdateTableRequest more{.table_name = "table"};
  more.throughput = Throughput{.read_units = 1, .write_units = 10};
  ASSERT_TRUE(db.engine->update_table(more).has_value());
  db.set(true, InsightsMode::kThrottledKeys, "by-g");
  int refused = 0;
  for (int i = 0; i < 310; ++i) refused += db.put("p", i, "red") ? 0 : 1;
  ASSERT_GT(refused, 0);
  EXPECT_EQ(db.report(true)->whole[kThrottled].total, static_cast<uint64_t>(refused));
  EXPECT_EQ(db.report(true)->whole[kThrottled].partitions[0].key, (Item{{"g", Value::string("red")}}));
}

TEST(KeyInsights, recent_counts_are_of_the_last_two_minutes) {
  InsightsFixture db;
  db.create();
  db.set(true);
  db.get("old", 1);
  EXPECT_EQ(db.report()->recent[kRead].total, 1u);
  db.clock->advance_ms(60'000);
  db.get("new", 1);
  EXPECT_EQ(db.report()->recent[kRead].total, 2u);
  db.clock->advance_ms(60'000);
  auto report = db.report();
  ASSERT_EQ(report->recent[kRead].partitions.size(), 1u);
  EXPECT_EQ(report->recent[kRead].partitions[0].key, partition("new"));
  EXPECT_EQ(report->whole[kRead].total, 2u);
  db.clock->advance_ms(600'000);
  EXPECT_TRUE(db.report()->recent[kRead].partitions.empty());
}

TEST(KeyInsights, concurrent_counts_add_up) {
  InsightsFixture db;
  db.create();
  db.set(true);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) db.get("p" + std::to_string(i % 7), i % 3);
    });
  }
  for (auto& thread : threads) thread.join();
  const auto report = db.report();
  EXPECT_EQ(report->whole[kRead].total, 800u);
  uint64_t sum = 0;
  for (const auto& counted : report->whole[kRead].partitions) sum += counted.count;
  EXPECT_EQ(sum, 800u);
}

TEST(ContributorInsights, setting_the_current_value_changes_nothing) {
  InsightsFixture db;
  db.create();
  EXPECT_EQ(db.set(false).status, ContributorInsightsStatus::kDisabled);
  EXPECT_FALSE(db.describe().updated_ms.has_value());
  EXPECT_EQ(db.set(true).status, ContributorInsightsStatus::kEnabling);
  const auto enabled = db.describe();
  EXPECT_EQ(enabled.summary.status, ContributorInsightsStatus::kEnabled);
  EXPECT_EQ(enabled.rules.size(), 4u);
  db.clock->advance_ms(5'000);
  EXPECT_EQ(db.set(true).status, ContributorInsightsStatus::kEnabled);
  EXPECT_EQ(db.describe().updated_ms, enabled.updated_ms);
  // Rules that exist in both modes keep their names when the mode changes.
  EXPECT_EQ(db.set(true, InsightsMode::kThrottledKeys).status, ContributorInsightsStatus::kEnabling);
  const auto fewer = db.describe();
  EXPECT_EQ(fewer.rules, (std::vector<std::string>{enabled.rules[2], enabled.rules[3]}));
  EXPECT_EQ(db.set(false).status, ContributorInsightsStatus::kDisabling);
  EXPECT_EQ(db.describe().summary.status, ContributorInsightsStatus::kDisabled);
  EXPECT_EQ(db.describe().summary.mode, InsightsMode::kThrottledKeys);
  EXPECT_TRUE(db.describe().rules.empty());
}

TEST(ContributorInsights, the_setting_survives_a_restart_and_the_counts_do_not) {
  const ScratchFolder folder;
  {
    InsightsFixture db(folder.path());
    db.create();
    db.set(true, InsightsMode::kThrottledKeys);
    db.set(true, std::nullopt, "by-g");
    ASSERT_TRUE(db.put("a", 1, "red"));
  }
  InsightsFixture db(folder.path());
  EXPECT_EQ(db.describe().summary.mode, InsightsMode::kThrottledKeys);
  EXPECT_EQ(db.describe("by-g").summary.status, ContributorInsightsStatus::kEnabled);
  EXPECT_FALSE(db.report(true).has_value());
  ASSERT_TRUE(db.put("b", 1, "red"));
  EXPECT_EQ(db.report(true)->whole[kWritten].total, 1u);
}

}  // namespace
}  // namespace trestle
