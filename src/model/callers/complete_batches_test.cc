#include "model/callers/complete_batches.h"

#include <gtest/gtest.h>

#include <set>

namespace trestle {
namespace {

// Processes `share` parts of each batch and leaves the rest unprocessed. Supports no other operations.
class MeanDatabase final : public Database {
 public:
  explicit MeanDatabase(size_t share) : share_(share) {}

  Result<void> wait_durable(const Call&) override { return {}; }
  void when_durable(const Call&, std::move_only_function<void(Result<void>)> then) override { then({}); }

#define TRESTLE_DEFINE(Name, name) \
  using Database::name;            \
  Result<Name##Response> name(const Name##Request& request, Call&) override { return answer<Name##Response>(request); }
  TRESTLE_OPERATIONS(TRESTLE_DEFINE)
#undef TRESTLE_DEFINE

  std::set<std::string> processed;
  std::vector<size_t> batch_sizes;

 private:
  template <class Response, class Request>
  Result<Response> answer(const Request&) {
    return failure(ErrorCode::kNotImplemented, "");
  }
  template <class Response>
  Result<Response> answer(const BatchWriteItemRequest& request) {
    Response response;
    size_t left = share_, all = 0;
    for (const BatchWriteTable& table : request.tables) {
      BatchWriteTable rest{.table_name = table.table_name, .writes = {}};
      for (const BatchWrite& write : table.writes) {
        ++all;
        if (left > 0) {
          --left;
          processed.insert(table.table_name + write.item.bytes());
        } else {
          rest.writes.push_back(write);
        }
      }
      if (!rest.writes.empty()) response.unprocessed.push_back(std::move(rest));
      response.consumed_capacity.push_back({.table_name = table.table_name, .total = 1, .local_indexes = {{"i", 2}}});
    }
    batch_sizes.push_back(all);
    return response;
  }

  size_t share_;
};

BatchWriteItemRequest many(size_t count) {
  BatchWriteItemRequest request;
  for (const char* table : {"one", "two"}) {
    BatchWriteTable& added = request.tables.emplace_back(BatchWriteTable{.table_name = table, .writes = {}});
    for (size_t i = 0; i < count; ++i) {
      added.writes.push_back({.is_delete = false, .item = {{"pk", Value::number(static_cast<int64_t>(i))}}});
    }
  }
  return request;
}

TEST(CompleteBatches, everything_is_processed_in_batches_of_the_size_allowed) {
  MeanDatabase database(7);
  const auto response = batch_write_all(database, many(40));
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(database.processed.size(), 80u);
  for (const size_t size : database.batch_sizes) EXPECT_LE(size, 25u);
  ASSERT_EQ(response->consumed_capacity.size(), 2u);
  EXPECT_EQ(response->consumed_capacity[0].local_indexes.at(0).second, 2 * response->consumed_capacity[0].total);
}

TEST(CompleteBatches, it_waits_and_gives_up_where_nothing_is_processed) {
  MeanDatabase database(0);
  std::vector<int64_t> waits;
  BatchPacing pacing{.backoff = {.base_ms = 10, .cap_ms = 40}, .stalls_max = 4};
  pacing.sleeper = [&](int64_t ms) { waits.push_back(ms); };
  const auto response = batch_write_all(database, many(1), pacing);
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().code, ErrorCode::kProvisionedThroughputExceeded);
  EXPECT_EQ(waits.size(), 4u);
  for (const int64_t wait : waits) EXPECT_LE(wait, 40);
}

TEST(CompleteBatches, an_error_ends_it) {
  MeanDatabase database(1);
  EXPECT_EQ(
      batch_get_all(database, {.tables = {{.table_name = "one", .keys = {Item{{"pk", Value::null()}}}}}}).error().code,
      ErrorCode::kNotImplemented);
  EXPECT_TRUE(batch_write_all(database, {}).has_value());
}

}  // namespace
}  // namespace trestle
