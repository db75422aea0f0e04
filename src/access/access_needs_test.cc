#include "access/access_needs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "engine/engine.h"
#include "protocol/shapes/random_requests_for_test.h"
#include "server/engine_resources.h"

namespace trestle {
namespace {

class AccessNeedsTest : public testing::Test {
 protected:
  AccessNeedsTest() {
    auto opened = Engine::open({.store = {.in_memory = true}});
    EXPECT_TRUE(opened.has_value());
    engine_ = std::move(*opened);
    CreateTableRequest request{.table_name = "songs"};
    request.attribute_definitions = {{"artist", ValueType::kString}, {"year", ValueType::kNumber}};
    request.key_schema = {{.attribute_name = "artist"}, {.attribute_name = "year", .is_range = true}};
    request.global_indexes = {{.index_name = "by-year", .key_schema = {{.attribute_name = "year"}}}};
    request.global_indexes->front().projection_type = ProjectionType::kAll;
    request.billing_mode = BillingMode::kPayPerRequest;
    EXPECT_TRUE(engine_->create_table(request).has_value());
  }

  template <class Request>
  std::vector<Access> needs(const Request& request, bool detailed = true) {
    const EngineResources resources(engine_->catalog());
    AccessNeeds result(
        {.resources = resources, .region = "us-east-1", .account = "000000000000", .detailed = detailed});
    note_needs(request, result);
    return result.release();
  }
  Access need(const std::string& statement, std::vector<Value> parameters = {}) {
    ExecuteStatementRequest request;
    request.statement.text = statement;
    request.statement.parameters = std::move(parameters);
    const auto list = needs(request);
    EXPECT_EQ(list.size(), 1u) << statement;
    return list.empty() ? Access{} : list.front();
  }

  std::unique_ptr<Engine> engine_;
};

// The values of a context key as text: "a, b", "everything" or "absent".
std::string context_text(const Access& access, std::string_view key) {
  const AccessContext::Entry* entry = access.context.find(key);
  if (entry == nullptr) return "absent";
  if (entry->everything) return "everything";
  std::string out;
  for (const std::string& value : entry->values) out += (out.empty() ? "" : ", ") + value;
  return out;
}

// These operations need the permissions of their parts, not one of their own.
bool is_composite(std::string_view operation) {
  return operation == "TransactGetItems" || operation == "TransactWriteItems" ||
         operation.find("Execute") != operation.npos;
}

// Statements must be well-formed, because a statement that cannot be parsed needs no permission.
template <class Request>
void make_well_formed(Request&) {}
void make_well_formed(ExecuteStatementRequest& request) { request.statement.text = "SELECT * FROM songs"; }
void make_well_formed(BatchExecuteStatementRequest& request) {
  for (Statement& statement : request.statements) statement.text = "SELECT * FROM songs";
}
void make_well_formed(ExecuteTransactionRequest& request) {
  for (Statement& statement : request.statements) statement.text = "SELECT * FROM songs";
}

TEST_F(AccessNeedsTest, every_operation_needs_its_own_permission) {
  RequestMaker maker(7);
  const auto check = [&](std::string_view operation, const auto& request) {
    for (const bool detailed : {true, false}) {
      const std::vector<Access> list = needs(request, detailed);
      ASSERT_FALSE(list.empty()) << operation;
      for (const Access& access : list) {
        EXPECT_TRUE(access.resource.starts_with("arn:aws:dynamodb:us-east-1:000000000000:table/") ||
                    access.resource.starts_with("arn:aws:dynamodb::000000000000:global-table/"))
            << access.resource;
        EXPECT_TRUE(detailed || access.context.entries().empty() ||
                    context_text(access, access_key::kAttributes) == "absent");
      }
      if (is_composite(operation)) continue;
      EXPECT_EQ(list.front().action, "dynamodb:" + std::string(operation));
    }
  };
#define TRESTLE_CHECK(Name, name)            \
  for (int round = 0; round < 20; ++round) { \
    Name##Request request;                   \
    maker.fill(request);                     \
    make_well_formed(request);               \
    check(#Name, request);                   \
  }
  TRESTLE_OPERATIONS(TRESTLE_CHECK)
#undef TRESTLE_CHECK
}

TEST_F(AccessNeedsTest, a_name_and_any_arn_are_the_same_table) {
  GetItemRequest request{.table_name = "songs", .key = {{"artist", Value::string("a")}, {"year", Value::number(1)}}};
  const std::string arn = "arn:aws:dynamodb:us-east-1:000000000000:table/songs";
  for (const char* name : {"songs", "arn:aws:dynamodb:us-east-1:000000000000:table/songs",
                           "arn:aws:dynamodb:eu-west-1:123456789012:table/songs"}) {
    request.table_name = name;
    EXPECT_EQ(needs(request).front().resource, arn);
    EXPECT_EQ(context_text(needs(request).front(), access_key::kLeadingKeys), "a");
  }
}

TEST_F(AccessNeedsTest, attributes_are_all_that_a_request_names) {
  UpdateItemRequest update{.table_name = "songs", .key = {{"artist", Value::string("a")}, {"year", Value::number(1)}}};
  update.update_expression = "SET #a.b = if_not_exists(c[1].d, :v) REMOVE e";
  update.condition.expression = "size(f) > :v AND #a <> artist";
  update.placeholders.names = NameMap{{"#a", "x"}};
  update.placeholders.values = ValueMap{{":v", Value::number(1)}};
  update.condition.return_item_on_failure = true;
  const Access access = needs(update).front();
  EXPECT_EQ(context_text(access, access_key::kAttributes), "x, c, e, artist, year, f");
  EXPECT_EQ(context_text(access, access_key::kReturnValues), "ALL_OLD");
  EXPECT_EQ(context_text(access, access_key::kLeadingKeys), "a");
  EXPECT_EQ(context_text(access, access_key::kSelect), "absent");
}

TEST_F(AccessNeedsTest, leading_key_of_a_query_is_the_partition_key_it_reads) {
  QueryRequest query;
  query.table_name = "songs";
  query.key_condition_expression = "#a = :a";
  query.placeholders.names = NameMap{{"#a", "artist"}};
  query.placeholders.values = ValueMap{{":a", Value::string("x")}};
  EXPECT_EQ(context_text(needs(query).front(), access_key::kLeadingKeys), "x");
  EXPECT_EQ(context_text(needs(query).front(), access_key::kSelect), "ALL_ATTRIBUTES");
  query.index_name = "by-year";
  EXPECT_EQ(context_text(needs(query).front(), access_key::kLeadingKeys), "everything");
  query.key_condition_expression = "#a = :a AND artist = :b";
  query.placeholders = {.names = NameMap{{"#a", "year"}},
                        .values = ValueMap{{":a", Value::number(7)}, {":b", Value::string("y")}}};
  const Access access = needs(query).front();
  EXPECT_EQ(context_text(access, access_key::kLeadingKeys), "7");
  EXPECT_EQ(access.resource, "arn:aws:dynamodb:us-east-1:000000000000:table/songs/index/by-year");
  query.table_name = "missing";
  EXPECT_EQ(context_text(needs(query).front(), access_key::kLeadingKeys), "everything");
}

TEST_F(AccessNeedsTest, leading_keys_of_a_statement_are_those_its_plan_reads) {
  const std::map<std::string, std::string> keys{{"SELECT * FROM songs", "everything"},
                                                {"SELECT * FROM songs WHERE artist = 'a'", "a"},
                                                {"SELECT * FROM songs WHERE artist IN ['a', 'b'] AND year > 3", "a, b"},
                                                {"SELECT * FROM songs WHERE artist = 'a' OR year = 3", "everything"},
                                                {"SELECT * FROM songs.\"by-year\" WHERE year = 1.0", "1"},
                                                {"SELECT * FROM songs.\"by-year\" WHERE artist = 'a'", "everything"},
                                                {"SELECT * FROM songs.nothing WHERE artist = 'a'", "everything"},
                                                {"INSERT INTO songs VALUE {'artist': 'a', 'year': 1}", "a"},
                                                {"INSERT INTO songs VALUE {'year': 1}", "everything"},
                                                {"UPDATE songs SET x = 1 WHERE artist = 'a' AND year = 1", "a"},
                                                {"UPDATE songs SET x = 1 WHERE year = 1", "everything"},
                                                {"DELETE FROM songs WHERE artist = 'a' AND year = 1", "a"},
                                                {"EXISTS(SELECT * FROM songs WHERE artist = 'a' AND year = 1)", "a"}};
  for (const auto& [text, expected] : keys) {
    SCOPED_TRACE(text);
    const Access access = need(text);
    std::string found = context_text(access, access_key::kLeadingKeys);
    if (found == "b, a") found = "a, b";  // partitions are read in the order of a digest
    EXPECT_EQ(found, expected);
    const bool scans = text.starts_with("SELECT") && expected == "everything" && text.find("nothing") == text.npos;
    EXPECT_EQ(context_text(access, access_key::kFullTableScan), !text.starts_with("SELECT") ? "absent"
                                                                : scans                     ? "true"
                                                                                            : "false");
  }
  EXPECT_EQ(context_text(need("SELECT b.c FROM songs WHERE artist = ? AND size(d) > 1", {Value::string("q")}),
                         access_key::kAttributes),
            "b, artist, d");
  EXPECT_EQ(context_text(need("SELECT * FROM songs WHERE artist = ?", {Value::string("q")}), access_key::kLeadingKeys),
            "q");
}

// Generates random WHERE clauses with terms on key and other attributes.
class WhereMaker {
 public:
  explicit WhereMaker(uint64_t seed) : random_(seed) {}

  std::string make(int depth = 0) {
    switch (below(depth < 3 ? 10 : 7)) {
      case 0:
      case 1:
      case 2:
        return "artist = " + artist();
      case 3:
        return "year " + pick({"=", "<", ">", "<>"}) + " " + std::to_string(below(4));
      case 4:
        return pick({"artist", "year"}) + " IN [" + artist() + ", " + artist() + ", 1]";
      case 5:
        return pick({"begins_with(artist, 'a')", "artist > 'a1'", "artist BETWEEN 'a0' AND 'a2'", "x = 1",
                     "artist <> 'a1'", "size(artist) > 0"});
      case 6:
        return artist() + " = artist";
      case 7:
        return "NOT (" + make(depth + 1) + ")";
      case 8:
        return "(" + make(depth + 1) + " OR " + make(depth + 1) + ")";
      default:
        return "(" + make(depth + 1) + " AND " + make(depth + 1) + ")";
    }
  }
  size_t below(size_t n) { return random_() % n; }

 private:
  std::string artist() { return "'a" + std::to_string(below(3)) + "'"; }
  std::string pick(std::vector<std::string> choices) { return choices[below(choices.size())]; }

  std::mt19937_64 random_;
};

// All items that a statement returns are in the partitions given by its dynamodb:LeadingKeys.
TEST_F(AccessNeedsTest, no_statement_reads_partitions_outside_its_leading_keys) {
  for (int artist = 0; artist < 3; ++artist) {
    for (int year = 0; year < 4; ++year) {
      const auto put = engine_->put_item({.table_name = "songs",
                                          .item = {{"artist", Value::string("a" + std::to_string(artist))},
                                                   {"year", Value::number(year)},
                                                   {"x", Value::number(1)}}});
      ASSERT_TRUE(put.has_value());
    }
  }
  const uint64_t seed = std::random_device{}();
  WhereMaker maker(seed);
  size_t compared = 0;
  size_t ran = 0;
  for (int round = 0; round < 3000; ++round) {
    const bool by_year = maker.below(4) == 0;
    const std::string text =
        "SELECT * FROM songs" + std::string(by_year ? ".\"by-year\"" : "") + " WHERE " + maker.make();
    ExecuteStatementRequest request;
    request.statement.text = text;
    const auto answer = engine_->execute_statement(request);
    const std::vector<Access> list = needs(request);
    if (!answer.has_value()) continue;
    ++ran;
    ASSERT_EQ(list.size(), 1u) << text;
    const AccessContext::Entry* keys = list.front().context.find(access_key::kLeadingKeys);
    ASSERT_NE(keys, nullptr) << text;
    if (keys->everything) continue;
    ++compared;
    for (size_t i = 0; i < answer->items.size(); ++i) {
      const std::string key(answer->items[i].find(by_year ? "year" : "artist")->scalar());
      EXPECT_NE(std::ranges::find(keys->values, key), keys->values.end()) << text << " seed " << seed;
    }
  }
  EXPECT_GT(compared, 300u) << "seed " << seed;
  EXPECT_GT(ran, 1000u) << "seed " << seed;
}

}  // namespace
}  // namespace trestle
