// Both implementations of Database give the same answers: an engine called directly, and the same engine behind a
// server, called through RemoteDatabase with signatures checked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "engine/engine.h"
#include "model/callers/complete_batches.h"
#include "remote/probe.h"
#include "remote/remote_database.h"
#include "server/dynamodb_api.h"
#include "server/http/listener.h"
#include "server/http/test_certificate.h"

namespace trestle {
namespace {

class TwoDatabases : public testing::Test {
 protected:
  void SetUp() override {
    EngineOptions options;
    options.store.in_memory = true;
    auto engine = Engine::open(std::move(options));
    ASSERT_TRUE(engine.has_value()) << engine.error().message;
    engine_ = std::move(*engine);
    credentials_ = *Credentials::parse("AKID secret\n");
    api_ = std::make_unique<DynamoDbApi>(*engine_, clock_, DynamoDbApiOptions{.credentials = &credentials_});
    listener_ = std::move(*Listener::start(*api_, {.loops = 1}));
    remote_ = open({.access_key = "AKID", .secret_key = "secret"});
    create_table();
  }

  std::unique_ptr<RemoteDatabase> open(http::Credentials credentials) {
    RemoteOptions options;
    options.endpoint = "http://127.0.0.1:" + std::to_string(listener_->port());
    options.region = "us-east-1";
    options.credentials = std::move(credentials);
    return std::move(*RemoteDatabase::open(options));
  }

  void create_table() {
    CreateTableRequest request;
    request.table_name = "music";
    request.attribute_definitions = {{.name = "pk", .type = ValueType::kString},
                                     {.name = "sk", .type = ValueType::kNumber}};
    request.key_schema = {{.attribute_name = "pk"}, {.attribute_name = "sk", .is_range = true}};
    request.billing_mode = BillingMode::kPayPerRequest;
    request.stream = StreamSpecification{.enabled = true, .view_type = StreamViewType::kNewAndOldImages};
    const auto created = remote_->create_table(request);
    ASSERT_TRUE(created.has_value()) << created.error().message;
    EXPECT_EQ(created->table.key.range.at(0).type, ValueType::kNumber);
    while (remote_->describe_table({.table_name = "music"})->table.status != Status::kActive) std::this_thread::yield();
  }

  static Item key(std::string_view pk, int64_t sk) { return {{"pk", Value::string(pk)}, {"sk", Value::number(sk)}}; }
  static Item song(std::string_view pk, int64_t sk, std::string_view text) {
    return {{"pk", Value::string(pk)}, {"sk", Value::number(sk)}, {"text", Value::string(text)}};
  }

  // Expects that a call fails in the same way on both.
  template <class Ask>
  void expect_same_failure(Ask ask) {
    const auto direct = ask(static_cast<Database&>(*engine_));
    const auto remote = ask(static_cast<Database&>(*remote_));
    ASSERT_FALSE(direct.has_value());
    ASSERT_FALSE(remote.has_value());
    EXPECT_EQ(remote.error().code, direct.error().code);
    EXPECT_EQ(remote.error().message, direct.error().message);
    EXPECT_EQ(remote.error().item == nullptr, direct.error().item == nullptr);
    if (direct.error().item != nullptr) {
      EXPECT_EQ(*remote.error().item, *direct.error().item);
    }
    ASSERT_EQ(remote.error().reasons == nullptr, direct.error().reasons == nullptr);
    if (direct.error().reasons == nullptr) return;
    ASSERT_EQ(remote.error().reasons->size(), direct.error().reasons->size());
    for (size_t i = 0; i < direct.error().reasons->size(); ++i) {
      const CancellationReason& there = (*remote.error().reasons)[i];
      const CancellationReason& here = (*direct.error().reasons)[i];
      EXPECT_EQ(there.code, here.code);
      EXPECT_EQ(there.message, here.message);
      EXPECT_EQ(there.item == nullptr, here.item == nullptr);
    }
  }

  const SystemClock clock_;
  Credentials credentials_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<DynamoDbApi> api_;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<RemoteDatabase> remote_;
};

TEST_F(TwoDatabases, an_item_written_through_one_is_read_through_the_other) {
  ASSERT_TRUE(remote_->put_item({.table_name = "music", .item = song("a", 1, "é\"\n漢😀")}).has_value());
  EXPECT_EQ(*engine_->get_item({.table_name = "music", .key = key("a", 1)})->item, song("a", 1, "é\"\n漢😀"));
  ASSERT_TRUE(engine_->put_item({.table_name = "music", .item = song("a", 2, "two")}).has_value());
  EXPECT_EQ(*remote_->get_item({.table_name = "music", .key = key("a", 2)})->item, song("a", 2, "two"));
  EXPECT_FALSE(remote_->get_item({.table_name = "music", .key = key("a", 3)})->item.has_value());

  UpdateItemRequest update{.table_name = "music", .key = key("a", 2)};
  update.update_expression = "SET #t = :t";
  update.placeholders = {.names = NameMap{{"#t", "text"}}, .values = ValueMap{{":t", Value::string("new")}}};
  update.return_values = ReturnValues::kAllNew;
  EXPECT_EQ(*remote_->update_item(update)->attributes, song("a", 2, "new"));
  const auto removed = remote_->delete_item(
      {.table_name = "music", .key = key("a", 2), .condition = {}, .return_values = ReturnValues::kAllOld});
  EXPECT_EQ(*removed->attributes, song("a", 2, "new"));
}

TEST_F(TwoDatabases, pages_are_the_same) {
  const std::string text(50'000, 'x');
  std::vector<BatchWrite> writes;
  for (int64_t i = 0; i < 60; ++i) writes.push_back({.is_delete = false, .item = song("page", i, text)});
  ASSERT_TRUE(batch_write_all(*remote_, {.tables = {{.table_name = "music", .writes = writes}}}).has_value());
  QueryRequest query;
  query.table_name = "music";
  query.key_condition_expression = "pk = :p";
  query.placeholders.values = ValueMap{{":p", Value::string("page")}};
  size_t items = 0, pages = 0;
  do {
    const auto direct = engine_->query(query);
    const auto remote = remote_->query(query);
    ASSERT_TRUE(direct.has_value() && remote.has_value());
    ASSERT_EQ(remote->items.size(), direct->items.size());
    for (size_t i = 0; i < direct->items.size(); ++i) ASSERT_EQ(remote->items[i], direct->items[i]);
    EXPECT_EQ(remote->count, direct->count);
    EXPECT_EQ(remote->last_evaluated_key, direct->last_evaluated_key);
    items += remote->items.size();
    ++pages;
    query.exclusive_start_key = remote->last_evaluated_key;
  } while (query.exclusive_start_key);
  EXPECT_EQ(items, 60u);
  EXPECT_GT(pages, 2u);

  std::vector<Item> keys;
  for (int64_t i = 0; i < 150; ++i) keys.push_back(key("page", i));
  const auto found = batch_get_all(*remote_, {.tables = {{.table_name = "music", .keys = keys}}});
  ASSERT_TRUE(found.has_value()) << found.error().message;
  EXPECT_EQ(found->responses.at(0).second.size(), 60u);
}

TEST_F(TwoDatabases, failures_are_the_same) {
  ASSERT_TRUE(remote_->put_item({.table_name = "music", .item = song("a", 1, "one")}).has_value());
  expect_same_failure([&](Database& db) { return db.get_item({.table_name = "nowhere", .key = key("a", 1)}); });
  expect_same_failure(
      [&](Database& db) { return db.get_item({.table_name = "music", .key = {{"x", Value::null()}}}); });
  expect_same_failure([&](Database& db) { return db.describe_table({.table_name = "nowhere"}); });
  expect_same_failure([&](Database& db) {
    PutItemRequest put{.table_name = "music", .item = song("a", 1, "two")};
    put.condition = {.expression = "attribute_not_exists(pk)", .expected = {}, .return_item_on_failure = true};
    return db.put_item(put);
  });
  expect_same_failure([&](Database& db) {
    TransactWriteItemsRequest request;
    for (const int64_t sk : {1, 2}) {
      TransactWrite& write = request.writes.emplace_back();
      write.table_name = "music";
      write.item = song("a", sk, "new");
      write.condition.expression = "attribute_not_exists(pk)";
      write.condition.return_item_on_failure = true;
    }
    return db.transact_write_items(request);
  });
  EXPECT_FALSE(remote_->get_item({.table_name = "music", .key = key("a", 2)})->item.has_value());
}

TEST_F(TwoDatabases, a_transaction_happens_and_is_read) {
  TransactWriteItemsRequest writes;
  for (const int64_t sk : {1, 2}) {
    TransactWrite& write = writes.writes.emplace_back();
    write.table_name = "music";
    write.item = song("t", sk, "in one");
  }
  const auto written = remote_->transact_write_items(writes);
  ASSERT_TRUE(written.has_value()) << written.error().message;
  TransactGetItemsRequest gets;
  for (const int64_t sk : {1, 2, 3}) {
    TransactGet& get = gets.gets.emplace_back();
    get.table_name = "music";
    get.key = key("t", sk);
  }
  const auto read = remote_->transact_get_items(gets);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(*read->items.at(1), song("t", 2, "in one"));
  EXPECT_FALSE(read->items.at(2).has_value());
  ExecuteStatementRequest select;
  select.statement.text = "SELECT * FROM music WHERE pk = ? AND sk = 2";
  select.statement.parameters = {Value::string("t")};
  EXPECT_EQ(remote_->execute_statement(select)->items.size(), 1u);
}

TEST_F(TwoDatabases, a_stream_returns_the_same_records) {
  ASSERT_TRUE(remote_->put_item({.table_name = "music", .item = song("s", 1, "one")}).has_value());
  ASSERT_TRUE(remote_->put_item({.table_name = "music", .item = song("s", 1, "two")}).has_value());
  const auto streams = remote_->list_streams({.table_name = "music"});
  ASSERT_TRUE(streams.has_value()) << streams.error().message;
  const std::string arn = streams->streams.at(0).arn;
  const auto stream = remote_->describe_stream({.stream_arn = arn});
  std::vector<StreamRecord> records;
  for (const ShardDescription& shard : stream->stream.shards) {
    const auto iterator = remote_->get_shard_iterator({.stream_arn = arn, .shard_id = shard.id});
    ASSERT_TRUE(iterator.has_value()) << iterator.error().message;
    auto page = remote_->get_records({.shard_iterator = iterator->shard_iterator});
    ASSERT_TRUE(page.has_value()) << page.error().message;
    for (StreamRecord& record : page->records) records.push_back(std::move(record));
  }
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].event, StreamEvent::kInsert);
  EXPECT_EQ(records[1].event, StreamEvent::kModify);
  EXPECT_EQ(*records[1].new_image, song("s", 1, "two"));
  EXPECT_EQ(*records[1].old_image, song("s", 1, "one"));
}

TEST_F(TwoDatabases, settings_of_a_table_are_the_same) {
  const std::string arn = remote_->describe_table({.table_name = "music"})->table.arn;
  const auto tagged = remote_->tag_resource({.resource_arn = arn, .tags = {{.key = "k", .value = "v"}}});
  ASSERT_TRUE(tagged.has_value()) << tagged.error().message;
  EXPECT_EQ(remote_->list_tags_of_resource({.resource_arn = arn})->tags, (std::vector<Tag>{{"k", "v"}}));
  ASSERT_TRUE(remote_->untag_resource({.resource_arn = arn, .tag_keys = {"k"}}).has_value());
  EXPECT_TRUE(engine_->list_tags_of_resource({.resource_arn = arn})->tags.empty());
  ASSERT_TRUE(
      remote_->update_time_to_live({.table_name = "music", .attribute_name = "expires", .enabled = true}).has_value());
  EXPECT_EQ(remote_->describe_time_to_live({.table_name = "music"})->attribute_name, "expires");
  EXPECT_EQ(remote_->describe_limits({})->table_read_units_max, engine_->describe_limits({})->table_read_units_max);
}

TEST_F(TwoDatabases, a_wrong_secret_is_refused) {
  const auto stranger = open({.access_key = "AKID", .secret_key = "wrong"});
  const auto reply = stranger->list_tables({});
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().code, ErrorCode::kAccessDenied);
}

TEST_F(TwoDatabases, tls_needs_a_certificate_that_can_be_trusted) {
  const ScratchFolder folder;
  const std::string certificate = folder.path() + "/server.pem";
  write_test_certificate(certificate, folder.path() + "/server.key");
  const auto tls = TlsContext::load(certificate, folder.path() + "/server.key");
  ASSERT_TRUE(tls.has_value()) << tls.error();
  const auto listener = std::move(*Listener::start(*api_, {.loops = 1, .tls = *tls}));
  RemoteOptions options;
  options.endpoint = "https://localhost:" + std::to_string(listener->port());
  options.region = "us-east-1";
  options.credentials = http::Credentials{.access_key = "AKID", .secret_key = "secret"};
  options.retries_max = 0;
  EXPECT_EQ((*RemoteDatabase::open(options))->list_tables({}).error().code, ErrorCode::kServiceUnavailable);

  options.ca_file = certificate;
  const auto trusting = std::move(*RemoteDatabase::open(options));
  for (int i = 0; i < 3; ++i) {
    const auto tables = trusting->list_tables({});
    ASSERT_TRUE(tables.has_value()) << tables.error().message;
    EXPECT_THAT(tables->table_names, testing::ElementsAre("music"));
  }
  EXPECT_EQ(listener->counts().accepted, 2u);  // the rejected connection, and one that was reused

  options.endpoint = "https://127.0.0.1:" + std::to_string(listener->port());  // not the name in the certificate
  EXPECT_EQ((*RemoteDatabase::open(options))->list_tables({}).error().code, ErrorCode::kServiceUnavailable);
}

TEST_F(TwoDatabases, a_probe_finds_nothing_lacking_and_changes_nothing) {
  for (Database* database : {static_cast<Database*>(remote_.get()), static_cast<Database*>(engine_.get())}) {
    const auto lacking = probe(*database);
    ASSERT_TRUE(lacking.has_value()) << lacking.error().message;
    for (const auto& [operation, answer] : *lacking) ADD_FAILURE() << operation << ": " << answer;
  }
  EXPECT_THAT(remote_->list_tables({})->table_names, testing::ElementsAre("music"));
}

}  // namespace
}  // namespace trestle
