#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/scratch_folder.h"
#include "engine/quiet_engine.h"

namespace trestle {
namespace {

using Kind = TransactWrite::Kind;

struct Opened {
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(1'700'000'000'000);
  std::unique_ptr<Engine> engine;
};

Opened open_with_clock(const std::string& folder = {}) {
  Opened opened;
  auto engine = Engine::open(quiet_options(folder, opened.clock));
  EXPECT_TRUE(engine.has_value()) << (engine ? "" : engine.error().message);
  opened.engine = std::move(*engine);
  return opened;
}

void create_keyed_table(Engine& engine) {
  const auto created = engine.create_table({.table_name = "table",
                                            .attribute_definitions = {{"pk", ValueType::kString}},
                                            .key_schema = {{.attribute_name = "pk"}},
                                            .billing_mode = BillingMode::kPayPerRequest});
  ASSERT_TRUE(created.has_value()) << created.error().message;
}

Item key(std::string_view pk) { return Item{{"pk", Value::string(pk)}}; }

TransactWrite put_of(std::string_view pk) { return {.kind = Kind::kPut, .table_name = "table", .item = key(pk)}; }

TransactWrite add_one(std::string_view pk) {
  return {.kind = Kind::kUpdate,
          .table_name = "table",
          .item = key(pk),
          .update_expression = "ADD n :one",
          .placeholders = {.values = ValueMap{{":one", Value::number(1)}}}};
}

TransactWrite check(std::string_view pk, std::string condition) {
  TransactWrite write{.kind = Kind::kConditionCheck, .table_name = "table", .item = key(pk)};
  write.condition.expression = std::move(condition);
  return write;
}

std::string count(Engine& engine, std::string_view pk) {
  const auto found = engine.get_item({.table_name = "table", .key = key(pk)});
  if (!found.has_value() || !found->item || !found->item->find("n")) return "none";
  return std::string(found->item->find("n")->scalar());
}

// "done", or the exception's code, followed by the reasons of a cancellation.
template <class Response>
std::string outcome(const Result<Response>& result) {
  if (result.has_value()) return "done";
  const Error& error = result.error();
  switch (error.code) {
    case ErrorCode::kTransactionCanceled:
      return error.message.substr(error.message.find('['));
    case ErrorCode::kTransactionConflict:
      return "conflict";
    case ErrorCode::kTransactionInProgress:
      return "in progress";
    case ErrorCode::kIdempotentParameterMismatch:
      return "mismatch";
    default:
      return error.message;
  }
}

TEST(Transactions, a_transaction_is_atomic) {
  auto [clock, engine] = open_with_clock();
  create_keyed_table(*engine);
  EXPECT_EQ(outcome(engine->transact_write_items({.writes = {add_one("a"), add_one("b")}})), "done");
  EXPECT_EQ(outcome(engine->transact_write_items({.writes = {add_one("a"), check("b", "attribute_not_exists(pk)"),
                                                             check("c", "attribute_exists(pk)")}})),
            "[None, ConditionalCheckFailed, ConditionalCheckFailed]");
  EXPECT_EQ(count(*engine, "a"), "1");
  EXPECT_EQ(count(*engine, "b"), "1");
}

TEST(Transactions, writes_conflict_with_a_transaction_that_is_not_durable) {
  ScratchFolder folder;
  auto [clock, engine] = open_with_clock(folder.path());
  create_keyed_table(*engine);
  Call transaction;
  ASSERT_EQ(outcome(engine->transact_write_items({.writes = {add_one("a"), check("b", "attribute_not_exists(pk)")}},
                                                 transaction)),
            "done");

  Call call;
  EXPECT_EQ(outcome(engine->put_item({.table_name = "table", .item = key("a")}, call)), "conflict");
  EXPECT_GE(call.commit, transaction.commit) << "the refusal waits until trying again makes sense";
  EXPECT_EQ(outcome(engine->delete_item({.table_name = "table", .key = key("b")}, call)), "conflict");
  EXPECT_EQ(outcome(engine->transact_write_items({.writes = {put_of("x"), add_one("a")}}, call)),
            "[None, TransactionConflict]");
  EXPECT_EQ(outcome(engine->transact_write_items({.writes = {check("b", "attribute_not_exists(pk)")}}, call)), "done")
      << "two checks of one item do not mind each other";
  EXPECT_EQ(outcome(engine->transact_get_items(
                {.gets = {{.table_name = "table", .key = key("b")}, {.table_name = "table", .key = key("a")}}}, call)),
            "[None, TransactionConflict]");
  EXPECT_EQ(outcome(engine->get_item({.table_name = "table", .key = key("a")}, call)), "done");
  const auto batch = engine->batch_write_item(
      {.tables = {{.table_name = "table", .writes = {{.item = key("a")}, {.item = key("free")}}}}}, call);
  ASSERT_TRUE(batch.has_value());
  ASSERT_EQ(batch->unprocessed.size(), 1u);
  ASSERT_EQ(batch->unprocessed[0].writes.size(), 1u);
  EXPECT_EQ(batch->unprocessed[0].writes[0].item, key("a"));

  ASSERT_TRUE(engine->wait_durable(call).has_value());
  EXPECT_EQ(outcome(engine->put_item({.table_name = "table", .item = key("a")}, call)), "done");
}

// If responses do not wait for the disk, a transaction is in progress only while it runs, and conflicting requests are
// rejected during that time.
TEST(Transactions, in_memory_requests_conflict_with_a_running_transaction) {
  auto [clock, engine] = open_with_clock();
  create_keyed_table(*engine);
  TransactWriteItemsRequest many;
  for (int i = 0; i < 99; ++i) many.writes.push_back(add_one("item " + std::to_string(i)));
  many.writes.push_back(add_one("hot"));
  std::atomic<bool> over{false};
  std::atomic<int> transaction_conflicts{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      while (!over) {
        if (outcome(engine->transact_write_items(many)).find("TransactionConflict") != std::string::npos)
          ++transaction_conflicts;
      }
    });
  }
  int conflicts = 0;
  int cancelled = 0;
  int unprocessed = 0;
  const auto give_up_at = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while ((conflicts == 0 || cancelled == 0 || unprocessed == 0 || transaction_conflicts == 0) &&
         std::chrono::steady_clock::now() < give_up_at) {
    if (outcome(engine->put_item({.table_name = "table", .item = key("hot")})) == "conflict") ++conflicts;
    if (outcome(engine->transact_get_items({.gets = {{.table_name = "table", .key = key("hot")}}})) ==
        "[TransactionConflict]") {
      ++cancelled;
    }
    const auto batch =
        engine->batch_write_item({.tables = {{.table_name = "table", .writes = {{.item = key("hot")}}}}});
    ASSERT_TRUE(batch.has_value());
    unprocessed += static_cast<int>(batch->unprocessed.size());
  }
  over = true;
  for (auto& thread : threads) thread.join();
  EXPECT_GT(conflicts, 0);
  EXPECT_GT(cancelled, 0);
  EXPECT_GT(unprocessed, 0);
  EXPECT_GT(transaction_conflicts, 0);
  EXPECT_EQ(outcome(engine->put_item({.table_name = "table", .item = key("hot")})), "done");
}

TEST(Transactions, a_token_in_progress_is_reported_and_then_replayed) {
  ScratchFolder folder;
  auto [clock, engine] = open_with_clock(folder.path());
  create_keyed_table(*engine);
  const TransactWriteItemsRequest request{.writes = {add_one("a")}, .client_request_token = "token"};
  const TransactWriteItemsRequest other{.writes = {add_one("b")}, .client_request_token = "token"};
  Call first;
  ASSERT_EQ(outcome(engine->transact_write_items(request, first)), "done");
  Call call;
  EXPECT_EQ(outcome(engine->transact_write_items(request, call)), "in progress");
  EXPECT_EQ(outcome(engine->transact_write_items(other, call)), "mismatch");
  ASSERT_TRUE(engine->wait_durable(first).has_value());
  EXPECT_EQ(outcome(engine->transact_write_items(request, call)), "done");
  EXPECT_EQ(outcome(engine->transact_write_items(other, call)), "mismatch");
  EXPECT_EQ(count(*engine, "a"), "1");
  EXPECT_EQ(count(*engine, "b"), "none");
}

TEST(Transactions, a_token_is_valid_for_ten_minutes_also_across_a_restart) {
  ScratchFolder folder;
  const TransactWriteItemsRequest request{.writes = {add_one("a")}, .client_request_token = "token"};
  {
    auto [clock, engine] = open_with_clock(folder.path());
    create_keyed_table(*engine);
    ASSERT_EQ(outcome(engine->transact_write_items(request)), "done");
  }
  auto [clock, engine] = open_with_clock(folder.path());
  clock->advance_ms(kRequestTokenLifeMs - 1);
  EXPECT_EQ(outcome(engine->transact_write_items(request)), "done");
  EXPECT_EQ(count(*engine, "a"), "1");
  clock->advance_ms(1);
  EXPECT_EQ(outcome(engine->transact_write_items(request)), "done");
  EXPECT_EQ(count(*engine, "a"), "2") << "it takes effect again";
}

TEST(Transactions, expired_tokens_are_trimmed) {
  auto [clock, engine] = open_with_clock();
  create_keyed_table(*engine);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(outcome(engine->transact_write_items(
                  {.writes = {add_one("a")}, .client_request_token = "token " + std::to_string(i)})),
              "done");
  }
  clock->advance_ms(kRequestTokenLifeMs);
  ASSERT_EQ(outcome(engine->transact_write_items({.writes = {add_one("a")}, .client_request_token = "last"})), "done");
  engine->wait_idle();
  const auto cursor = engine->store().cursor(Space::kTokens, {.range = {.begin = "", .end = "\xFF"}}, nullptr);
  size_t left = 0;
  for (; cursor->valid(); cursor->next()) ++left;
  EXPECT_EQ(left, 2u) << "those of the last one";
}

TEST(Transactions, the_order_of_placeholders_does_not_change_the_fingerprint) {
  auto [clock, engine] = open_with_clock();
  create_keyed_table(*engine);
  const auto request = [](std::vector<std::string> order) {
    TransactWrite write{.kind = Kind::kUpdate, .table_name = "table", .item = key("a")};
    write.update_expression = "SET x = :x, y = :y";
    write.placeholders.values.emplace();
    for (const std::string& name : order) write.placeholders.values->emplace_back(name, Value::string(name));
    return TransactWriteItemsRequest{.writes = {write}, .client_request_token = "token"};
  };
  EXPECT_EQ(outcome(engine->transact_write_items(request({":x", ":y"}))), "done");
  EXPECT_EQ(outcome(engine->transact_write_items(request({":y", ":x"}))), "done");
}

TEST(Transactions, transfers_between_threads_keep_the_sum) {
  auto [clock, engine] = open_with_clock();
  create_keyed_table(*engine);
  const auto transfer = [&](std::string_view from, std::string_view to) {
    TransactWrite take = add_one(from);
    take.update_expression = "ADD n :less";
    take.placeholders.values = ValueMap{{":less", Value::number(-1)}};
    return outcome(engine->transact_write_items({.writes = {take, add_one(to)}}));
  };
  const TransactGetItemsRequest all{.gets = {{.table_name = "table", .key = key("a")},
                                             {.table_name = "table", .key = key("b")},
                                             {.table_name = "table", .key = key("c")}}};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const std::string accounts[] = {"a", "b", "c"};
      for (int i = 0; i < 300; ++i) {
        std::string done;
        do {
          done = transfer(accounts[(t + i) % 3], accounts[(t + i + 1) % 3]);
        } while (done.find("TransactionConflict") != std::string::npos);
        EXPECT_EQ(done, "done");
        auto read = engine->transact_get_items(all);
        while (!read.has_value() && outcome(read).find("TransactionConflict") != std::string::npos) {
          read = engine->transact_get_items(all);
        }
        ASSERT_TRUE(read.has_value());
        int sum = 0;
        for (const auto& item : read->items) {
          if (item) sum += std::stoi(std::string(item->find("n")->scalar()));
        }
        EXPECT_EQ(sum, 0);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace trestle
