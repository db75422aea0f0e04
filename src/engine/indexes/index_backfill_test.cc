#include "engine/indexes/index_backfill.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "engine/quiet_engine.h"

namespace trestle {
namespace {

constexpr int kBackfilledItems = 2000;

void put_backfilled(const QuietTable& db, int n, int64_t v) { db.put("k" + std::to_string(n), v); }

// The values of "v" by "pk", as text.
std::map<std::string, std::string> scan_values(const QuietTable& db, const std::optional<std::string>& index) {
  std::map<std::string, std::string> values;
  ScanRequest request;
  request.table_name = "table";
  request.index_name = index;
  for (;;) {
    const auto page = db->scan(request);
    EXPECT_TRUE(page.has_value());
    if (!page.has_value()) return values;
    for (size_t i = 0; i < page->items.size(); ++i) {
      const auto item = page->items[i];
      const auto [at, is_new] =
          values.emplace(std::string(item.find("pk")->bytes()), std::string(item.find("v")->bytes()));
      EXPECT_TRUE(is_new) << "two entries of one item";
    }
    if (!page->last_evaluated_key) return values;
    request.exclusive_start_key = page->last_evaluated_key;
  }
}

// Writers keep changing and deleting items while the index is backfilled.
TEST(IndexBackfill, with_concurrent_writers_the_index_has_exactly_the_entries_of_the_items) {
  QuietTable db{std::string()};
  db.open(db.options());
  db.create(std::nullopt);
  for (int n = 0; n < kBackfilledItems; ++n) put_backfilled(db, n, n);

  std::atomic<bool> is_filled = false;
  std::vector<std::thread> writers;
  for (unsigned seed = 1; seed <= 2; ++seed) {
    writers.emplace_back([&db, &is_filled, seed] {
      std::mt19937 random(seed);
      while (!is_filled) {
        const int n = static_cast<int>(random() % kBackfilledItems);
        if (random() % 3 == 0) {
          db.erase("k" + std::to_string(n));
        } else {
          put_backfilled(db, n, random());
        }
      }
    });
  }
  UpdateTableRequest request{.table_name = "table"};
  request.attribute_definitions = std::vector<KeyAttribute>{{"pk", ValueType::kString}, {"v", ValueType::kNumber}};
  request.index_updates = std::vector<IndexUpdate>{
      {.kind = IndexUpdate::Kind::kCreate,
       .index = {
           .index_name = "by-v", .key_schema = {{.attribute_name = "v"}}, .projection_type = ProjectionType::kAll}}};
  const auto updated = db->update_table(request);
  db->wait_idle();
  is_filled = true;
  for (std::thread& writer : writers) writer.join();

  ASSERT_TRUE(updated.has_value());
  const auto items = scan_values(db, std::nullopt);
  EXPECT_EQ(scan_values(db, "by-v"), items);
  const TableDescription table = db->describe_table({.table_name = "table"})->table;
  EXPECT_EQ(static_cast<size_t>(table.item_count), items.size());
  EXPECT_EQ(table.indexes.at(0).item_count, table.item_count);
}

}  // namespace
}  // namespace trestle
