#include "engine/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <random>
#include <thread>

#include "base/no_threads_for_test.h"
#include "base/scratch_folder.h"

namespace trestle {
namespace {

std::unique_ptr<Engine> open_default_engine(const std::string& folder = {}) {
  EngineOptions options;
  options.store.folder = folder;
  options.store.in_memory = folder.empty();
  options.store.cache_bytes = size_t{8} << 20;
  auto engine = Engine::open(std::move(options));
  EXPECT_TRUE(engine.has_value()) << (engine ? "" : engine.error().message);
  return std::move(*engine);
}

CreateTableRequest table_request(std::string name) {
  return {
      .table_name = std::move(name),
      .attribute_definitions = {{"pk", ValueType::kString}, {"sk", ValueType::kNumber}, {"g", ValueType::kString}},
      .key_schema = {{.attribute_name = "pk"}, {.attribute_name = "sk", .is_range = true}},
      .global_indexes =
          std::vector<IndexDefinition>{
              {.index_name = "by-g", .key_schema = {{.attribute_name = "g"}}, .projection_type = ProjectionType::kAll}},
      .billing_mode = BillingMode::kPayPerRequest,
  };
}

Item item(std::string_view pk, int64_t sk, std::string_view g = {}) {
  std::vector<Field> fields;
  const Value pk_value = Value::string(pk);
  const Value sk_value = Value::number(sk);
  const Value g_value = Value::string(g);
  fields.push_back({"pk", pk_value});
  fields.push_back({"sk", sk_value});
  if (!g.empty()) fields.push_back({"g", g_value});
  return Item(std::move(fields));
}

void put_item(Engine& engine, const Item& value) {
  const auto answer = engine.put_item({.table_name = "table", .item = value});
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
}

// Checks that the index has exactly the entries that follow from the table's items.
void expect_index_matches(Engine& engine, const std::string& index_name) {
  std::map<std::string, std::string> items;
  std::map<std::string, std::string> entries;
  const auto collect = [&](std::optional<std::string> index, std::map<std::string, std::string>& into) {
    ScanRequest scan;
    scan.table_name = "table";
    scan.index_name = std::move(index);
    do {
      const auto page = engine.scan(scan);
      ASSERT_TRUE(page.has_value()) << page.error().message;
      for (size_t i = 0; i < page->items.size(); ++i) {
        const ItemView found = page->items[i];
        if (!found.find("g")) continue;
        into[std::string(found.find("pk")->scalar()) + "/" + std::string(found.find("sk")->scalar())] = found.bytes();
      }
      scan.exclusive_start_key = page->last_evaluated_key;
    } while (scan.exclusive_start_key);
  };
  collect(std::nullopt, items);
  collect(index_name, entries);
  EXPECT_EQ(items, entries);
}

TEST(Engine, items_tables_and_counts_are_there_after_reopening) {
  ScratchFolder folder;
  {
    auto engine = open_default_engine(folder.path());
    ASSERT_TRUE(engine->create_table(table_request("table")).has_value());
    for (int64_t i = 0; i < 20; ++i) put_item(*engine, item("a", i, "x"));
  }
  auto engine = open_default_engine(folder.path());
  const auto described = engine->describe_table({.table_name = "table"});
  ASSERT_TRUE(described.has_value());
  EXPECT_EQ(described->table.item_count, 20);
  EXPECT_EQ(described->table.indexes[0].item_count, 20);
  const auto found = engine->get_item({.table_name = "table", .key = item("a", 7)});
  ASSERT_TRUE(found.has_value() && found->item.has_value());
  EXPECT_EQ(*found->item, item("a", 7, "x"));
  expect_index_matches(*engine, "by-g");
}

// The catalog has been loaded when the open fails, but nothing has been counted yet.
TEST(Engine, a_failed_open_saves_no_counts) {
  ScratchFolder folder;
  {
    auto engine = open_default_engine(folder.path());
    ASSERT_TRUE(engine->create_table(table_request("table")).has_value());
    for (int64_t i = 0; i < 20; ++i) put_item(*engine, item("a", i, "x"));
  }
  const auto edit = [&](const std::function<void(Batch&)>& put) {
    auto store = std::move(*Store::open({.folder = folder.path()}));
    Batch batch(*store);
    put(batch);
    ASSERT_TRUE(store->commit(batch).has_value());
  };
  edit([](Batch& batch) {
    batch.erase(Space::kCatalog, "C");           // as after a crash: the counts are not saved
    batch.put(Space::kCatalog, "T", "damaged");  // the time of the history
  });
  EngineOptions options;
  options.store.folder = folder.path();
  ASSERT_FALSE(Engine::open(std::move(options)).has_value());
  edit([](Batch& batch) { batch.erase(Space::kCatalog, "T"); });
  auto engine = open_default_engine(folder.path());
  engine->wait_idle();
  EXPECT_EQ(engine->describe_table({.table_name = "table"})->table.item_count, 20);
}

TEST(Engine, without_threads_the_open_fails_and_can_be_repeated) {
  const auto other = open_default_engine();  // RocksDB has started the threads that its databases share
  for (const bool in_memory : {false, true}) {
    const ScratchFolder folder;
    EngineOptions options;
    options.store.folder = folder.path();
    options.store.in_memory = in_memory;
    {
      const NoThreads none;
      const auto refused = Engine::open(options);
      ASSERT_FALSE(refused.has_value());
      EXPECT_EQ(refused.error().code, ErrorCode::kServiceUnavailable);
    }
    const auto opened = Engine::open(options);
    EXPECT_TRUE(opened.has_value()) << opened.error().message;
  }
}

TEST(Engine, an_index_follows_every_change_of_its_key) {
  auto engine = open_default_engine();
  ASSERT_TRUE(engine->create_table(table_request("table")).has_value());
  put_item(*engine, item("a", 1, "x"));
  put_item(*engine, item("a", 1, "y"));  // moves its entry
  put_item(*engine, item("a", 2, "x"));
  put_item(*engine, item("a", 2));  // leaves the index
  put_item(*engine, item("a", 3, "x"));
  ASSERT_TRUE(engine->delete_item({.table_name = "table", .key = item("a", 3)}).has_value());
  expect_index_matches(*engine, "by-g");
  EXPECT_EQ(engine->describe_table({.table_name = "table"})->table.indexes[0].item_count, 1);
}

TEST(Engine, an_index_added_under_writes_ends_up_exact) {
  auto engine = open_default_engine();
  CreateTableRequest create = table_request("table");
  create.global_indexes.reset();
  create.attribute_definitions.pop_back();
  ASSERT_TRUE(engine->create_table(create).has_value());
  for (int64_t i = 0; i < 2000; ++i) put_item(*engine, item("a", i, i % 3 ? "x" : ""));
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    std::mt19937 random(1);
    while (!stop) {
      const int64_t sk = random() % 2500;
      if (random() % 4 == 0) {
        EXPECT_TRUE(engine->delete_item({.table_name = "table", .key = item("a", sk)}).has_value());
      } else {
        put_item(*engine, item("a", sk, random() % 2 ? "y" : ""));
      }
    }
  });
  UpdateTableRequest update{.table_name = "table"};
  update.attribute_definitions = std::vector<KeyAttribute>{{"g", ValueType::kString}};
  update.index_updates = std::vector<IndexUpdate>{
      {.kind = IndexUpdate::Kind::kCreate, .index = table_request("table").global_indexes->front()}};
  const auto answer = engine->update_table(update);
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  EXPECT_EQ(answer->table.indexes[0].status, Status::kCreating);
  engine->wait_idle();
  stop = true;
  writer.join();
  const auto table = engine->describe_table({.table_name = "table"})->table;
  EXPECT_EQ(table.indexes[0].status, Status::kActive);
  expect_index_matches(*engine, "by-g");
}

TEST(Engine, a_deleted_table_is_gone_at_once_and_a_new_table_with_its_name_is_empty) {
  auto engine = open_default_engine();
  ASSERT_TRUE(engine->create_table(table_request("table")).has_value());
  for (int64_t i = 0; i < 100; ++i) put_item(*engine, item("a", i, "x"));
  ASSERT_TRUE(engine->delete_table({.table_name = "table"}).has_value());
  EXPECT_FALSE(engine->describe_table({.table_name = "table"}).has_value());
  ASSERT_TRUE(engine->create_table(table_request("table")).has_value());
  ScanRequest scan;
  scan.table_name = "table";
  EXPECT_EQ(engine->scan(scan)->count, 0);
  engine->wait_idle();
  EXPECT_TRUE(engine->catalog().dropped().empty());
}

TEST(Engine, concurrent_increments_are_all_counted) {
  ScratchFolder folder;
  auto engine = open_default_engine(folder.path());
  ASSERT_TRUE(engine->create_table(table_request("table")).has_value());
  constexpr int kThreads = 8;
  constexpr int kIncrements = 100;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kIncrements; ++i) {
        const auto answer = engine->update_item({
            .table_name = "table",
            .key = item("counter", 0),
            .update_expression = "ADD n :one",
            .placeholders = {.values = ValueMap{{":one", Value::number(1)}}},
        });
        ASSERT_TRUE(answer.has_value()) << answer.error().message;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const auto found = engine->get_item({.table_name = "table", .key = item("counter", 0)});
  EXPECT_EQ(found->item->find("n")->scalar(), std::to_string(kThreads * kIncrements));
}

// Transactions open their tables in the order of the request. Not in the tests of the storage, whose locks the thread
// sanitizer checks for a common order.
TEST(Engine, writes_of_several_tables_and_changes_of_these_tables_do_not_deadlock) {
  auto engine = open_default_engine();
  const std::vector<std::string> names{"a", "b", "c"};
  for (const auto& name : names) ASSERT_TRUE(engine->create_table(table_request(name)).has_value());
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (size_t i = 0; i < 6; ++i) {
    writers.emplace_back([&, i] {
      std::vector<std::string> order = names;
      for (size_t k = 0; k < i; ++k) std::ranges::next_permutation(order);
      while (!stop) {
        std::vector<WritableTable> tables;
        for (const auto& name : order) {
          tables.push_back(*engine->catalog().open_for_write(name));
          std::this_thread::yield();
        }
      }
    });
  }
  std::vector<std::thread> changers;
  for (const auto& name : names) {
    changers.emplace_back([&, name] {
      for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(engine->update_table({.table_name = name, .deletion_protection = i % 2 == 0}).has_value());
      }
    });
  }
  for (auto& changer : changers) changer.join();
  stop = true;
  for (auto& writer : writers) writer.join();
}

// A write that opened the table twice would deadlock with a change that begins in between.
TEST(Engine, a_batch_that_refers_to_a_table_by_name_and_by_arn_does_not_block_its_changes) {
  auto engine = open_default_engine();
  ASSERT_TRUE(engine->create_table(table_request("table")).has_value());
  const std::string arn = engine->catalog().find("table")->description.arn;
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&, i] {
      const std::string pk = std::to_string(i);
      do {
        const auto written =
            engine->batch_write_item({.tables = {{.table_name = "table", .writes = {{.item = item(pk, 1)}}},
                                                 {.table_name = arn, .writes = {{.item = item(pk, 2)}}}}});
        ASSERT_TRUE(written.has_value()) << written.error().message;
      } while (!stop);
    });
  }
  for (int i = 0; i < 100; ++i) {
    const auto changed = engine->update_table({.table_name = "table", .deletion_protection = i % 2 == 0});
    EXPECT_TRUE(changed.has_value()) << changed.error().message;
  }
  stop = true;
  for (auto& writer : writers) writer.join();
  ScanRequest scan;
  scan.table_name = "table";
  const auto scanned = engine->scan(scan);
  ASSERT_TRUE(scanned.has_value());
  EXPECT_EQ(scanned->items.size(), 8U);
}

TEST(Engine, a_response_waits_for_the_commit_it_has_seen) {
  ScratchFolder folder;
  auto engine = open_default_engine(folder.path());
  ASSERT_TRUE(engine->create_table(table_request("table")).has_value());
  Call write;
  ASSERT_TRUE(engine->put_item({.table_name = "table", .item = item("a", 1)}, write).has_value());
  EXPECT_GT(write.commit, 0u);
  Call read;
  ASSERT_TRUE(engine->get_item({.table_name = "table", .key = item("a", 1)}, read).has_value());
  EXPECT_GE(read.commit, write.commit);
  Call failed;
  PutItemRequest conditional{.table_name = "table", .item = item("a", 1)};
  conditional.condition.expression = "attribute_not_exists(pk)";
  EXPECT_FALSE(engine->put_item(conditional, failed).has_value());
  EXPECT_GE(failed.commit, write.commit);
  EXPECT_TRUE(engine->wait_durable(read).has_value());
}

}  // namespace
}  // namespace trestle
