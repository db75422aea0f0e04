// Tallies through the stream, reactions, blobs and verification, on an in-memory engine.
#include <fmt/format.h>

#include <atomic>
#include <chrono>

#include "base/test_point.h"
#include "base/utf8.h"
#include "runtime/background/background_work.h"
#include "runtime/background/blob_cleanup.h"
#include "runtime/background/lease.h"
#include "runtime/background/stream_tallies.h"
#include "runtime/design_world_for_test.h"
#include "runtime/failing_databases_for_test.h"
#include "runtime/values/moment.h"
#include "runtime/verify/verify.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kFormBridgeTable = "FormBridgeData";

struct Counting {
  explicit Counting(DesignWorld& of)
      : world(of),
        codec(of.reading->design, of.keys.get(), &of.blobs),
        form(of.reading->design, *of.engine, codec),
        tallies(of.reading->design, *of.engine, codec, form) {}
  void drain() {
    const auto done = tallies.drain(world.clock.now_ms());
    EXPECT_TRUE(done.has_value()) << (done ? "" : done.error().message);
  }
  DesignWorld& world;
  ItemCodec codec;
  ItemForm form;
  StreamTallies tallies;
};

std::vector<Fault> verified(DesignWorld& world, bool repair = false) {
  const ItemCodec codec(world.reading->design, world.keys.get(), &world.blobs);
  std::vector<Fault> faults;
  const auto done = verify_design(world.reading->design, *world.engine, codec, world.clock,
                                  {.repair = repair, .sleeper = [](int64_t) {}},
                                  [&](const Fault& fault) { faults.push_back(fault); });
  EXPECT_TRUE(done.has_value()) << (done ? "" : done.error().message);
  return faults;
}
std::string kinds(const std::vector<Fault>& faults) {
  std::string out;
  for (const Fault& fault : faults) out += fmt::format("{} {} {}\n", fault.kind, fault.item, fault.words);
  return out;
}

std::string submit(DesignWorld& world, const std::string& form) {
  return world.ok("submit", fmt::format(R"({{"tenant_id":"t","form_id":"{}","payload":{{"a":1}}}})", form))
      .text("submission_id");
}

TEST(StreamTallies, figures_equal_what_was_submitted_and_two_readers_count_once) {
  DesignWorld world("form-bridge");
  world.ok("createTenant", R"({"tenant_id":"t"})");
  for (int i = 0; i < 130; ++i) submit(world, fmt::format("form{}", i % 70));
  Counting first(world), second(world);
  first.drain();
  second.drain();
  const Reply board = world.ok("dashboard", R"({"tenant_id":"t","days":1})");
  EXPECT_EQ(board.text("total_submissions"), "130") << board.json;
  EXPECT_EQ(board["form_statistics"].members().size(), 70u);
  EXPECT_EQ(board["form_statistics"].member("form0").string(), "2");
  EXPECT_EQ(kinds(verified(world)), "");
}

TEST(StreamTallies, a_reader_that_fell_behind_cannot_write) {
  DesignWorld world("form-bridge");
  world.ok("createTenant", R"({"tenant_id":"t"})");
  Counting first(world), second(world);
  submit(world, "a");
  first.drain();
  second.drain();
  submit(world, "a");
  first.drain();
  submit(world, "a");
  // The second reader has an older checkpoint than the journal. It fails once, reads the journal again and continues.
  (void)second.tallies.poll(world.clock.now_ms());
  second.drain();
  EXPECT_EQ(world.ok("dashboard", R"({"tenant_id":"t","days":1})").text("total_submissions"), "3");
}

#ifdef TRESTLE_HAS_TEST_POINTS
// Between reading a batch of records and writing their figures.
TEST(StreamTallies, figures_are_exact_whatever_happens_before_they_are_written) {
  struct Change {
    const char* name;
    int submissions;
    std::function<void(DesignWorld&, Counting&)> run;
  };
  const std::vector<Change> changes = {
      {"another reader", 0, [](DesignWorld&, Counting& second) { second.drain(); }},
      {"another reader of one batch", 0,
       [](DesignWorld& world, Counting& second) { (void)second.tallies.poll(world.clock.now_ms()); }},
      {"a submission", 1, [](DesignWorld& world, Counting&) { submit(world, "late"); }},
      {"new shards", 1, [](DesignWorld& world, Counting&) {
         world.clock.advance_ms(int64_t{5} * 60 * 60 * 1000);
         world.engine->maintain_streams();
         submit(world, "late");
       }}};
  for (const Change& change : changes) {
    for (const int occurrence : {1, 2}) {
      SCOPED_TRACE(fmt::format("{} at write {}", change.name, occurrence));
      DesignWorld world("form-bridge");
      world.ok("createTenant", R"({"tenant_id":"t"})");
      for (int i = 0; i < 60; ++i) submit(world, fmt::format("form{}", i % 7));
      Counting first(world), second(world);
      int reached = 0;
      {
        TestPoints::Hook hook([&](std::string_view at) {
          if (at == "tallies.write" && ++reached == occurrence) change.run(world, second);
        });
        (void)first.tallies.drain(world.clock.now_ms());  // fails if the other reader was first
      }
      EXPECT_GE(reached, occurrence);
      first.drain();
      EXPECT_EQ(kinds(verified(world)), "");
      ScanRequest scan;
      scan.table_name = kFormBridgeTable;
      const auto page = world.engine->scan(scan);
      ASSERT_TRUE(page.has_value());
      int counted = 0;
      for (size_t i = 0; i < page->items.size(); ++i) {
        if (const auto count = page->items[i].find("submission_count"))
          counted += std::stoi(std::string(count->scalar()));
      }
      EXPECT_EQ(counted % (60 + change.submissions), 0) << counted;
      EXPECT_GT(counted, 0);
    }
  }
}
#endif

TEST(StreamTallies, removal_is_subtracted) {
  DesignWorld world("form-bridge");
  world.ok("createTenant", R"({"tenant_id":"t"})");
  const std::string id = submit(world, "a");
  submit(world, "b");
  Counting counting(world);
  counting.drain();
  ScanRequest scan;
  scan.table_name = kFormBridgeTable;
  const auto page = world.engine->scan(scan);
  ASSERT_TRUE(page.has_value());
  for (size_t i = 0; i < page->items.size(); ++i) {
    const auto sk = page->items[i].find("SK");
    if (sk->scalar() != "SUB#" + id) continue;
    const auto gone =
        world.engine->delete_item({.table_name = std::string(kFormBridgeTable),
                                   .key = Item({{"PK", Value(*page->items[i].find("PK"))}, {"SK", Value(*sk)}})});
    ASSERT_TRUE(gone.has_value());
  }
  counting.drain();
  EXPECT_EQ(world.ok("dashboard", R"({"tenant_id":"t","days":1})").text("total_submissions"), "1");
  EXPECT_EQ(kinds(verified(world)), "");
}

TEST(Verify, a_tally_that_differs_is_found_and_repaired) {
  DesignWorld world("form-bridge");
  world.ok("createTenant", R"({"tenant_id":"t"})");
  submit(world, "a");
  Counting counting(world);
  counting.drain();
  UpdateItemRequest spoil{
      .table_name = std::string(kFormBridgeTable),
      .key = Item({{"PK", Value::string("TENANT#t")}, {"SK", Value::string("METRICS#DAY#2026-01-15")}})};
  spoil.update_expression = "SET submission_count = :n, form_stats.b = :n";
  spoil.placeholders.values = ValueMap{{":n", Value::number(7)}};
  ASSERT_TRUE(world.engine->update_item(spoil).has_value());
  const auto faults = verified(world);
  ASSERT_EQ(faults.size(), 1u) << kinds(faults);
  EXPECT_EQ(faults[0].kind, "tally");
  const auto repaired = verified(world, true);
  ASSERT_EQ(repaired.size(), 1u);
  EXPECT_TRUE(repaired[0].repaired) << repaired[0].repair;
  EXPECT_EQ(kinds(verified(world)), "");
}

TEST(Verify, guards_children_and_index_attributes_are_mended) {
  DesignWorld world("site-catalog");
  world.ok("createSite", R"({"url":"https://a.org/","title":"T","tags":["a","b"]})", kAdmin);
  EXPECT_EQ(kinds(verified(world)), "");
  ScanRequest scan;
  scan.table_name = "fus-main";
  const auto page = world.engine->scan(scan);
  ASSERT_TRUE(page.has_value());
  size_t planted = 0;
  for (size_t i = 0; i < page->items.size(); ++i) {
    const design::Table& table = world.reading->design.tables[0];
    const ItemKind kind = kind_of(world.reading->design, table, page->items[i]);
    ASSERT_NE(kind.entity, nullptr) << key_words(table, page->items[i]);
    if (kind.entity->name != "SiteTag" || planted > 0) continue;
    ASSERT_TRUE(
        world.engine->delete_item({.table_name = table.name, .key = key_of(table, page->items[i])}).has_value());
    ++planted;
  }
  ASSERT_EQ(planted, 1u);
  auto faults = verified(world, true);
  ASSERT_EQ(faults.size(), 1u) << kinds(faults);
  EXPECT_EQ(faults[0].kind, "child");
  EXPECT_TRUE(faults[0].repaired) << faults[0].repair;
  EXPECT_EQ(kinds(verified(world)), "");
}

TEST(Verify, the_five_designs_write_what_they_say) {
  DesignWorld world("authz");
  world.ok("createTenant", R"({"name":"Acme"})");
  EXPECT_EQ(kinds(verified(world)), "");
  DesignWorld plugin("plugin-auth");
  const Reply result = plugin.ok(
      "registerSite", R"({"domain":"a.org","wp_version":"6.1","plugin_version":"1.0.0","client_ip":"10.0.0.1"})");
  plugin.ok("exchangeKey", fmt::format(R"({{"temp_key":"{}","client_ip":"10.0.0.1"}})", result.text("temp_key")));
  EXPECT_EQ(kinds(verified(plugin)), "");
}

TEST(Lease, one_process_has_it_until_it_runs_out) {
  DesignWorld world("form-bridge");
  Lease first(*world.engine, "form-bridge", false), second(*world.engine, "form-bridge", false);
  int64_t now = kTestNowMs;
  EXPECT_TRUE(*first.hold(now));
  EXPECT_FALSE(*second.hold(now));
  EXPECT_FALSE(*second.hold(now + kLeaseMs));
  EXPECT_TRUE(*second.hold(now + kLeaseMs + 1));
  EXPECT_FALSE(*first.hold(now + kLeaseMs + 2));
  second.release();
  EXPECT_TRUE(*first.hold(now + kLeaseMs + 3));
}

TEST(BlobCleanup, only_blobs_that_nothing_refers_to_go) {
  DesignWorld world("form-bridge");
  world.ok("createTenant", R"({"tenant_id":"t"})");
  std::string noise;
  uint64_t state = 1;
  while (noise.size() < 400'000) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    noise += static_cast<char>(
        '!' + (state >> 33) % 90 == '"' || '!' + (state >> 33) % 90 == '\\' ? 'x' : '!' + (state >> 33) % 90);
  }
  world.ok("submit", fmt::format(R"({{"tenant_id":"t","form_id":"f","payload":{{"n":"{}"}}}})", noise));
  ASSERT_EQ(world.blobs.size(), 1u);
  // While the table can be restored to an earlier time, no blob is erased.
  ASSERT_TRUE(world.engine->update_continuous_backups({.table_name = "FormBridgeData", .enabled = false}).has_value());
  ASSERT_TRUE(world.blobs.put("form-bridge/FormBridgeData/ab/cd/payload-x", "lost").has_value());
  const auto young =
      sweep_blobs(world.reading->design, *world.engine, world.blobs, {.now_ms = kTestNowMs, .age_ms = 1});
  EXPECT_EQ(*young, 0);
  const auto swept =
      sweep_blobs(world.reading->design, *world.engine, world.blobs, {.now_ms = kTestNowMs, .age_ms = 0});
  EXPECT_EQ(*swept, 1);
  EXPECT_EQ(world.blobs.size(), 1u);
}

TEST(BlobCleanup, blobs_stay_while_a_backup_or_a_point_in_time_may_refer_to_them) {
  DesignWorld world("form-bridge");
  ASSERT_TRUE(world.blobs.put("form-bridge/FormBridgeData/ab/cd/payload-x", "of a deleted item").has_value());
  const auto sweep = [&](int64_t now_ms) {
    const auto swept = sweep_blobs(world.reading->design, *world.engine, world.blobs, {.now_ms = now_ms, .age_ms = 0});
    EXPECT_TRUE(swept.has_value()) << swept.error().message;
    return swept.value_or(-1);
  };
  const std::string table(kFormBridgeTable);
  const auto backup = world.engine->create_backup({.table_name = table, .backup_name = "before"});
  ASSERT_TRUE(backup.has_value()) << backup.error().message;
  world.engine->recovery().finish_jobs();
  const int64_t backup_ms = backup->backup.created_ms;
  EXPECT_EQ(sweep(backup_ms), 0);
  ASSERT_TRUE(world.engine->delete_backup({.backup_arn = backup->backup.arn}).has_value());
  ASSERT_TRUE(world.engine->update_continuous_backups({.table_name = table, .enabled = true}).has_value());
  EXPECT_EQ(sweep(backup_ms), 0);
  ASSERT_TRUE(world.engine->update_continuous_backups({.table_name = table, .enabled = false}).has_value());
  EXPECT_EQ(sweep(backup_ms), 1);
  EXPECT_EQ(world.blobs.size(), 0u) << "its mark goes too";

  ASSERT_TRUE(world.engine->create_backup({.table_name = table, .backup_name = "older"}).has_value());
  world.engine->recovery().finish_jobs();
  ASSERT_TRUE(world.blobs.put("form-bridge/FormBridgeData/ab/cd/payload-y", "of a later item").has_value());
  EXPECT_EQ(sweep(backup_ms + 3 * 3'600'000), 1) << "the blob, just made, is three hours younger than the backup";
}

TEST(BlobCleanup, under_point_in_time_recovery_a_blob_goes_a_recovery_period_after_its_last_reference) {
  DesignWorld world("form-bridge");
  const std::string table(kFormBridgeTable);
  ASSERT_TRUE(world.engine->update_continuous_backups({.table_name = table, .enabled = true, .recovery_period_days = 3})
                  .has_value());
  const auto sweep = [&] {
    const auto swept =
        sweep_blobs(world.reading->design, *world.engine, world.blobs, {.now_ms = kTestNowMs, .age_ms = 0});
    EXPECT_TRUE(swept.has_value()) << swept.error().message;
    return swept.value_or(-1);
  };
  const std::string name = "form-bridge/FormBridgeData/ab/cd/payload-x";
  ASSERT_TRUE(world.blobs.put(name, "of an item").has_value());
  const Value blob = Value::string(name);
  const Value reference = Value::map({Field{"$blob", blob}});
  Item item{{"PK", Value::string("p")}, {"SK", Value::string("s")}, {"payload", reference}};
  ASSERT_TRUE(world.engine->put_item({.table_name = table, .item = item}).has_value());
  world.blobs.advance_ms(100 * kDayMs);
  EXPECT_EQ(sweep(), 0);
  EXPECT_EQ(world.blobs.size(), 1u) << "no mark while an item refers to it";

  const Item key{{"PK", Value::string("p")}, {"SK", Value::string("s")}};
  ASSERT_TRUE(world.engine->delete_item({.table_name = table, .key = key}).has_value());
  EXPECT_EQ(sweep(), 0) << "however old it is";
  EXPECT_EQ(world.blobs.size(), 2u);
  world.blobs.advance_ms(2 * kDayMs);
  ASSERT_TRUE(world.engine->put_item({.table_name = table, .item = item}).has_value());
  EXPECT_EQ(sweep(), 0);
  EXPECT_EQ(world.blobs.size(), 1u) << "an item refers to it again";
  ASSERT_TRUE(world.engine->delete_item({.table_name = table, .key = key}).has_value());
  EXPECT_EQ(sweep(), 0);
  world.blobs.advance_ms(2 * kDayMs);
  EXPECT_EQ(sweep(), 0) << "the period began again";
  world.blobs.advance_ms(2 * kDayMs);
  EXPECT_EQ(sweep(), 1);
  EXPECT_EQ(world.blobs.size(), 0u);
}

// Waits until the condition holds, which other threads bring about. False: it does not hold after a minute.
template <class Condition>
bool comes_true(const Condition& condition) {
  const auto give_up_at = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up_at) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

constexpr std::string_view kReacting = R"yaml(
design: reacting
version: 1
tables:
  things: {key: [id], stream: new-and-old}
  outcomes: {key: [id, at]}
entities:
  Thing: {table: things, key: "{id}", fields: {id: string(1..20), n: int}}
  Outcome: {table: outcomes, key: ["{id}", "{at}"], fields: {id: string(1..20), at: ulid auto, status: string(1..20), event: string(1..20), answer: any optional}}
reads:
  outcomes: {query: Outcome}
writes:
  save: {put: Thing}
  drop: {delete: Thing}
  record: {put: Outcome, if: absent}
reactions:
  changed: {on: Thing, if: "NOT (new.n = 13)", call: other, send: {id: "coalesce(new.id, old.id)", n: new.n}, retries: 3, then: record, with: {answer: $reply.answer}}
)yaml";

struct Reacting {
  explicit Reacting(EndpointCall call) : world(std::string(kReacting)) {
    BackgroundOptions options;
    options.keys = world.keys.get();
    options.call = std::move(call);
    options.poll_ms = 5;
    options.backoff = {.base_ms = 1, .cap_ms = 5};
    work = std::make_unique<BackgroundWork>(*world.runtime, *world.engine, clock, std::move(options));
    work->start();
  }
  size_t outcomes(const std::string& id) {
    return world.ok("outcomes", fmt::format(R"({{"id":"{}"}})", id))["items"].elements().size();
  }
  DesignWorld world;
  SystemClock clock;
  std::unique_ptr<BackgroundWork> work;
};

TEST(Reactions, events_of_one_item_arrive_in_order_through_failures_and_outcomes_are_recorded) {
  Mutex mutex;
  std::map<std::string, std::vector<std::string>> taken;
  std::map<std::string, int> tries;
  Reacting reacting([&](const std::string&, const std::string& key, const std::string& body) -> EndpointReply {
    const MutexLock lock(mutex);
    if (++tries[key] <= 2) return {.status = tries[key] == 1 ? 503 : 0, .body = "later", .error = "gone"};
    const Plain parsed = *parse_plain_json(body);
    taken[parsed.member("id").string()].push_back(parsed.member("n").exists() ? parsed.member("n").string() : "-");
    return {.status = 200, .body = R"({"answer":"yes"})", .error = {}};
  });
  for (int n = 0; n < 5; ++n) {
    for (const char* id : {"a", "b", "c"}) reacting.world.ok("save", fmt::format(R"({{"id":"{}","n":{}}})", id, n));
  }
  reacting.world.ok("save", R"({"id":"a","n":13})");
  reacting.world.ok("drop", R"({"id":"a"})");
  EXPECT_TRUE(comes_true(
      [&] { return reacting.outcomes("a") == 6 && reacting.outcomes("b") == 5 && reacting.outcomes("c") == 5; }));
  {
    const MutexLock lock(mutex);
    EXPECT_EQ(taken["a"], (std::vector<std::string>{"0", "1", "2", "3", "4", "-"}));
    EXPECT_EQ(taken["b"], (std::vector<std::string>{"0", "1", "2", "3", "4"}));
  }
  const Reply outcomes = reacting.world.ok("outcomes", R"({"id":"a"})");
  ASSERT_EQ(outcomes["items"].elements().size(), 6u) << outcomes.json;
  EXPECT_EQ(outcomes["items"].elements()[0].member("answer").string(), "yes") << outcomes.json;
  EXPECT_EQ(outcomes["items"].elements()[5].member("event").string(), "remove") << outcomes.json;
}

// A hold that expires or is dropped gives its seats back exactly once, even if the stream is read again.
TEST(Reactions, an_operation_of_the_design_is_done_once_for_each_change) {
  DesignWorld world{test_design("trips")};
  world.ok("addFlight", R"({"flight":"f","seats":50})");
  const auto hold = [&](int number, const std::string& who) {
    world.ok("hold", fmt::format(R"({{"flight":"f","hold":"h{}","seats":2,"until":{},"who":"{}"}})", number,
                                 kTestNowMs / 1000 + 60, who));
  };
  for (int i = 0; i < 10; ++i) hold(i, "ada");
  hold(10, "nobody");
  EXPECT_EQ(world.attribute("trips", "F#f", "FLIGHT", "seats"), "28");
  for (int i = 0; i < 4; ++i) world.ok("dropHold", fmt::format(R"({{"flight":"f","hold":"h{}"}})", i));
  const SystemClock clock;  // by which the other holds expired long ago
  world.engine->sweep_expired();
  for (int round = 0; round < 3; ++round) {
    BackgroundOptions options;
    options.keys = world.keys.get();
    options.blobs = &world.blobs;
    options.poll_ms = 5;
    options.endpoints = std::set<std::string>();
    options.backoff = {.base_ms = 1, .cap_ms = 5};
    auto runtime = world.open(*world.engine);
    BackgroundWork work(*runtime, *world.engine, clock, std::move(options));
    work.start();
    EXPECT_TRUE(comes_true([&] { return world.attribute("trips", "F#f", "FLIGHT", "seats") == "48"; }))
        << world.attribute("trips", "F#f", "FLIGHT", "seats");
    EXPECT_TRUE(comes_true([&] { return work.status().records > 0 && work.status().reactions.under_way == 0; }));
    work.stop();
    // The condition and the inputs could use an encrypted field.
    EXPECT_EQ(world.ok("flight", R"({"flight":"f"})")["item"].member("note").string(), "ada");
    // As if the process had died before it stored its checkpoint.
    QueryRequest query;
    query.table_name = design::kJournalTable;
    query.key_condition_expression = "#PK = :PK";
    query.placeholders.names = NameMap{{"#PK", "PK"}};
    query.placeholders.values = ValueMap{{":PK", Value::string("STREAM#trips#operations")}};
    const auto checkpoints = world.engine->query(query);
    ASSERT_TRUE(checkpoints.has_value());
    EXPECT_GT(checkpoints->items.size(), 0u);
    for (size_t i = 0; i < checkpoints->items.size(); ++i) {
      const Value pk(*checkpoints->items[i].find("PK"));
      const Value sk(*checkpoints->items[i].find("SK"));
      ASSERT_TRUE(
          world.engine
              ->delete_item({.table_name = std::string(design::kJournalTable), .key = Item({{"PK", pk}, {"SK", sk}})})
              .has_value());
    }
  }
  EXPECT_EQ(world.attribute("trips", "F#f", "FLIGHT", "seats"), "48");
}

TEST(Reactions, what_an_operation_refuses_is_a_dead_letter) {
  DesignWorld world{test_design("trips")};
  world.ok("addFlight", R"({"flight":"f","seats":5})");
  world.ok("hold",
           fmt::format(R"({{"flight":"f","hold":"h","seats":2,"until":{},"who":"ada"}})", kTestNowMs / 1000 + 60));
  ASSERT_TRUE(world.engine
                  ->delete_item({.table_name = "trips",
                                 .key = Item({{"PK", Value::string("F#f")}, {"SK", Value::string("FLIGHT")}})})
                  .has_value());
  world.ok("dropHold", R"({"flight":"f","hold":"h"})");
  const SystemClock clock;
  BackgroundOptions options;
  options.keys = world.keys.get();
  options.blobs = &world.blobs;
  options.poll_ms = 5;
  BackgroundWork work(*world.runtime, *world.engine, clock, std::move(options));
  work.start();
  EXPECT_TRUE(comes_true([&] { return work.status().reactions.dead == 1; }));
  const auto letters = dead_letters(*world.engine, "trips", 10);
  ASSERT_TRUE(letters.has_value());
  ASSERT_EQ(letters->size(), 1u);
  EXPECT_EQ((*letters)[0].reaction, "holdEnds");
  EXPECT_NE((*letters)[0].error.find("release refuses"), std::string::npos) << (*letters)[0].error;
  // When the flight exists again, a retry gives the seats back.
  world.ok("addFlight", R"({"flight":"f","seats":0})");
  ASSERT_TRUE(retry_dead_letters(*world.engine, "trips", "").has_value());
  EXPECT_TRUE(comes_true([&] { return world.attribute("trips", "F#f", "FLIGHT", "seats") == "2"; }));
}

TEST(Reactions, without_an_endpoint_nothing_is_read) {
  DesignWorld world{std::string(kReacting)};
  const ItemCodec codec(world.reading->design, world.keys.get(), nullptr);
  const SystemClock clock;
  const Reactions none(*world.runtime, *world.engine, codec, clock,
                       {.call = {}, .endpoints = std::set<std::string>{"another"}});
  EXPECT_TRUE(none.empty());
  const Reactions some(*world.runtime, *world.engine, codec, clock,
                       {.call = {}, .endpoints = std::set<std::string>{"other"}});
  EXPECT_FALSE(some.empty());
}

// The characters have 3 bytes each and follow 12 other bytes in the error text, so a cut at a number of bytes falls
// inside a character.
TEST(Reactions, the_error_of_a_dead_letter_is_valid_text_whatever_the_endpoint_answers) {
  std::string answer = "x\xff\xfe";
  for (int i = 0; i < 1'000; ++i) answer += "\xe2\x82\xac";
  std::atomic<int> calls = 0;
  Reacting reacting([&](const std::string&, const std::string&, const std::string&) -> EndpointReply {
    ++calls;
    return {.status = 500, .body = answer, .error = {}};
  });
  reacting.world.ok("save", R"({"id":"a","n":1})");
  Database& database = *reacting.world.engine;
  EXPECT_TRUE(comes_true([&] { return dead_letters(database, "reacting", 10)->size() == 1; }));
  const std::string error = dead_letters(database, "reacting", 10)->at(0).error;
  EXPECT_TRUE(is_utf8(error));
  EXPECT_TRUE(error.starts_with("status 500: x\xEF\xBF\xBD\xEF\xBF\xBD\xe2\x82\xac")) << error;
  EXPECT_LE(error.size(), 1'000u);
  const auto status = status_json(reacting.work->status(), database, true);
  ASSERT_TRUE(status.has_value());
  EXPECT_TRUE(parse_plain_json(*status).has_value()) << *status;
}

TEST(Reactions, an_endpoint_is_called_no_more_than_retries_say_also_when_the_journal_cannot_be_written) {
  std::atomic<int> calls = 0, refusals = 3;
  DesignWorld world{std::string(kReacting)};
  DyingDatabase journal(*world.engine);
  journal.refuses_put = [&](const PutItemRequest& request) { return request.item.find("reaction") && refusals-- > 0; };
  const SystemClock clock;
  BackgroundOptions options;
  options.keys = world.keys.get();
  options.call = [&](const std::string&, const std::string&, const std::string&) -> EndpointReply {
    ++calls;
    return {.status = 500, .body = "no", .error = {}};
  };
  options.poll_ms = 5;
  options.backoff = {.base_ms = 1, .cap_ms = 5};
  BackgroundWork work(*world.runtime, journal, clock, std::move(options));
  work.start();
  world.ok("save", R"({"id":"a","n":1})");
  EXPECT_TRUE(comes_true([&] { return dead_letters(*world.engine, "reacting", 10)->size() == 1; }));
  EXPECT_EQ(refusals, -1);
  EXPECT_EQ(calls, 4);
}

// While one event is retried, any number of other records may follow it in the stream.
TEST(Reactions, only_unfinished_records_are_in_memory_and_each_event_is_sent_once) {
  std::string text(kReacting);
  text.replace(text.find("retries: 3"), 10, "retries: 1000000");
  DesignWorld world(text);
  const ItemCodec codec(world.reading->design, world.keys.get(), nullptr);
  const SystemClock clock;
  std::atomic<bool> up = false;
  Mutex mutex;
  std::map<std::string, int> sent;
  ReactionOptions options;
  options.call = [&](const std::string&, const std::string&, const std::string& body) -> EndpointReply {
    if (!up && body.find("stuck") != body.npos) return {.status = 503, .body = {}, .error = {}};
    const MutexLock lock(mutex);
    ++sent[body];
    return {.status = 200, .body = "{}", .error = {}};
  };
  options.backoff = {.base_ms = 1, .cap_ms = 5};
  Reactions reactions(*world.runtime, *world.engine, codec, clock, options);
  const auto read_all = [&](Reactions& by) {
    for (;;) {
      const auto read = by.poll();
      ASSERT_TRUE(read.has_value()) << read.error().message;
      if (*read == 0) return;
    }
  };
  constexpr int kOthers = 500;
  world.ok("save", R"({"id":"stuck","n":1})");
  for (int n = 100; n < 100 + kOthers; ++n) {
    world.ok("save", fmt::format(R"({{"id":"a","n":{}}})", n));
    world.ok("save", R"({"id":"b","n":13})");  // matches no reaction
    world.ok("save", R"({"id":"stuck","n":13})");
  }
  read_all(reactions);
  const auto sent_of = [&](const std::string& text_of_id) {
    const MutexLock lock(mutex);
    return std::ranges::count_if(sent, [&](const auto& entry) { return entry.first.contains(text_of_id); });
  };
  // The events of other items do not wait.
  EXPECT_TRUE(comes_true([&] { return reactions.counts().under_way == 1; }));
  EXPECT_EQ(sent_of(R"("id":"a")"), kOthers);
  read_all(reactions);
  EXPECT_EQ(reactions.unfinished_records(), 1u);
  world.ok("save", R"({"id":"c","n":1})");
  read_all(reactions);
  EXPECT_LE(reactions.unfinished_records(), 2u);

  up = true;
  EXPECT_TRUE(comes_true([&] { return reactions.counts().under_way == 0; }));
  read_all(reactions);
  EXPECT_EQ(reactions.unfinished_records(), 0u);
  reactions.stop();
  // A new process finds nothing that is left to do.
  Reactions next(*world.runtime, *world.engine, codec, clock, options);
  read_all(next);
  next.stop();
  EXPECT_EQ(next.counts().under_way, 0u);
  EXPECT_EQ(sent.size(), size_t{kOthers} + 2);
  for (const auto& [body, times] : sent) EXPECT_EQ(times, 1) << body;
}

TEST(Reactions, what_never_succeeds_is_a_dead_letter_that_can_be_tried_again) {
  std::atomic<bool> up = false;
  std::atomic<int> calls = 0;
  Reacting reacting([&](const std::string&, const std::string&, const std::string&) -> EndpointReply {
    ++calls;
    return up ? EndpointReply{.status = 204, .body = {}, .error = {}}
              : EndpointReply{.status = 500, .body = "no", .error = {}};
  });
  reacting.world.ok("save", R"({"id":"a","n":1})");
  Database& database = *reacting.world.engine;
  EXPECT_TRUE(comes_true([&] { return dead_letters(database, "reacting", 10)->size() == 1; }));
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(dead_letters(database, "reacting", 10)->at(0).error, "status 500: no");
  EXPECT_TRUE(comes_true([&] { return reacting.outcomes("a") == 1; }));
  up = true;
  EXPECT_EQ(*retry_dead_letters(database, "reacting", ""), 1u);
  EXPECT_TRUE(comes_true([&] { return dead_letters(database, "reacting", 10)->empty(); }));
  EXPECT_TRUE(comes_true([&] { return reacting.outcomes("a") == 2; }));
}

}  // namespace
}  // namespace trestle::runtime
