// Verification and repair of keys, guards and expired figures.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/background/stream_tallies.h"
#include "runtime/design_world_for_test.h"
#include "runtime/verify/verify.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kPeople = R"y(design: people
version: 1
tables: {t: {key: [PK, SK], type: Type, ttl: ttl, billing: on-demand, indexes: {byTeam: {key: [G, H]}}}}
entities:
  Person:
    table: t
    key: ["PERSON#{id}", META]
    fields: {id: "string([a-z0-9], 1..9)", email: email, team: string(1..9) optional, secretWord: string(..50) optional encrypted, until: epoch optional}
    index: {ofTeam: {on: byTeam, key: ["TEAM#{team}", "{id}"]}}
    unique: {email: {key: "EMAIL#{email}", type: PersonEmail, keeps: [id, email]}}
    ttl: until
reads:
  person: {get: Person}
  byEmail: {get: Person.email}
writes:
  make: {put: Person, if: absent, else: 409}
)y";

struct People {
  People() : world(std::string(kPeople)) {}
  // "kind: repair" of every fault.
  std::vector<std::string> verify(bool repair) {
    const ItemCodec codec(world.reading->design, world.keys.get(), &world.blobs);
    std::vector<std::string> faults;
    const auto done = verify_design(
        world.reading->design, *world.engine, codec, world.clock, {.repair = repair, .sleeper = [](int64_t) {}},
        [&](const Fault& fault) { faults.push_back(fault.kind + ": " + (repair ? fault.repair : fault.words)); });
    EXPECT_TRUE(done.has_value()) << (done ? "" : done.error().message);
    std::sort(faults.begin(), faults.end());
    return faults;
  }
  void set(const std::string& pk, const std::string& sk, const std::string& name, const std::string& text) {
    UpdateItemRequest damage{.table_name = "t", .key = Item({{"PK", Value::string(pk)}, {"SK", Value::string(sk)}})};
    damage.update_expression = "SET #n = :v";
    damage.placeholders.names = NameMap{{"#n", name}};
    damage.placeholders.values = ValueMap{{":v", Value::string(text)}};
    EXPECT_TRUE(world.engine->update_item(damage).has_value());
  }
  DesignWorld world;
};
using Reports = std::vector<std::string>;

TEST(VerifyKeys, an_item_under_another_key_is_moved_with_its_index_entries) {
  People people;
  people.world.ok("make", R"({"id":"ann","email":"ann@a.org","team":"red"})");
  people.set("PERSON#ann", "META", "id", "bob");
  people.set("EMAIL#ann@a.org", "EMAIL#ann@a.org", "id", "bob");
  const Reports found = people.verify(false);
  ASSERT_EQ(found.size(), 2u) << found[0];
  EXPECT_EQ(found[0], R"(key: PK is "PERSON#ann", should be "PERSON#bob"; H is "ann", should be "bob")");
  EXPECT_TRUE(people.verify(true)[0].starts_with("key: it was moved to its key"));
  people.verify(true);
  EXPECT_EQ(people.verify(false), Reports{});
  EXPECT_EQ(people.world.ok("person", R"({"id":"bob"})")["item"].member("team").string(), "red");
  people.world.refused(404, "person", R"({"id":"ann"})");
  EXPECT_EQ(people.world.ok("byEmail", R"({"email":"ann@a.org"})")["item"].member("id").string(), "bob");
}

TEST(VerifyKeys, an_item_whose_key_another_has_is_left) {
  People people;
  people.world.ok("make", R"({"id":"ann","email":"ann@a.org"})");
  people.world.ok("make", R"({"id":"bob","email":"bob@a.org"})");
  people.set("PERSON#ann", "META", "id", "bob");
  const Reports reports = people.verify(true);
  EXPECT_NE(std::find(reports.begin(), reports.end(),
                      R"(key: left unchanged: another item has the key PK = "PERSON#bob", SK = "META")"),
            reports.end())
      << fmt::format("{}", fmt::join(reports, "\n"));
  EXPECT_EQ(people.world.attribute("t", "PERSON#bob", "META", "email"), "bob@a.org");
}

TEST(VerifyKeys, an_item_with_sealed_fields_is_left) {
  People people;
  people.world.ok("make", R"({"id":"ann","email":"ann@a.org","secretWord":"hush"})");
  people.set("PERSON#ann", "META", "id", "bob");
  const Reports reports = people.verify(true);
  EXPECT_NE(std::find(reports.begin(), reports.end(),
                      "key: left unchanged: `secretWord` is sealed or spilled for its current key"),
            reports.end())
      << fmt::format("{}", fmt::join(reports, "\n"));
  EXPECT_EQ(people.world.attribute("t", "PERSON#ann", "META", "id"), "bob");
}

TEST(VerifyGuards, of_two_with_one_value_the_one_that_the_guard_names_keeps_it) {
  People people;
  people.world.ok("make", R"({"id":"ann","email":"ann@a.org"})");
  people.world.ok("make", R"({"id":"bob","email":"bob@a.org"})");
  people.set("PERSON#bob", "META", "email", "ann@a.org");
  const Reports reports = people.verify(true);
  EXPECT_EQ(reports,
            (Reports{"guard: left unchanged: the other item has the value and its guard; give this item another value",
                     "orphan-guard: the guard was deleted"}));
  EXPECT_EQ(people.world.ok("byEmail", R"({"email":"ann@a.org"})")["item"].member("id").string(), "ann");
  EXPECT_EQ(
      people.verify(false),
      (Reports{R"(guard: its guard `email` (PK = "EMAIL#ann@a.org", SK = "EMAIL#ann@a.org") belongs to another item )"
               R"(with the same value (PK = "PERSON#ann", SK = "META"))"}));
}

TEST(VerifyGuards, an_orphaned_guard_is_assigned_to_the_item_with_the_value) {
  People people;
  people.world.ok("make", R"({"id":"ann","email":"ann@a.org"})");
  people.set("EMAIL#ann@a.org", "EMAIL#ann@a.org", "id", "zed");
  EXPECT_EQ(people.verify(false).size(), 2u) << "the item, and the guard";
  people.verify(true);
  EXPECT_EQ(people.verify(false), Reports{});
  EXPECT_EQ(people.world.ok("byEmail", R"({"email":"ann@a.org"})")["item"].member("id").string(), "ann");
}

TEST(VerifyGuards, a_guard_expires_with_its_owner) {
  People people;
  people.world.ok("make", fmt::format(R"({{"id":"ann","email":"ann@a.org","until":{}}})", kTestNowMs / 1000 + 100));
  EXPECT_EQ(people.verify(false), Reports{});
  UpdateItemRequest damage{
      .table_name = "t",
      .key = Item({{"PK", Value::string("EMAIL#ann@a.org")}, {"SK", Value::string("EMAIL#ann@a.org")}})};
  damage.update_expression = "REMOVE #t";
  damage.placeholders.names = NameMap{{"#t", "ttl"}};
  ASSERT_TRUE(people.world.engine->update_item(damage).has_value());
  EXPECT_EQ(people.verify(true), Reports{"guard: the guard was created"});
  EXPECT_EQ(people.verify(false), Reports{});
}

// Hourly figures are retained for 72 hours; the items they count are not deleted.
TEST(VerifyTallies, a_missing_target_is_reported_only_while_it_cannot_have_expired) {
  DesignWorld world("form-bridge");
  world.ok("createTenant", R"({"tenant_id":"t"})");
  world.ok("submit", R"({"tenant_id":"t","form_id":"f","payload":{}})");
  const ItemCodec codec(world.reading->design, world.keys.get(), &world.blobs);
  ItemForm form(world.reading->design, *world.engine, codec);
  StreamTallies tallies(world.reading->design, *world.engine, codec, form);
  ASSERT_TRUE(tallies.drain(world.clock.now_ms()).has_value());
  const auto verify = [&](bool repair) {
    std::vector<Fault> faults;
    const auto done = verify_design(world.reading->design, *world.engine, codec, world.clock,
                                    {.repair = repair, .sleeper = [](int64_t) {}},
                                    [&](const Fault& fault) { faults.push_back(fault); });
    EXPECT_TRUE(done.has_value());
    return faults;
  };
  const auto drop_hour = [&] {
    ScanRequest scan;
    scan.table_name = "FormBridgeData";
    const auto page = world.engine->scan(scan);
    size_t dropped = 0;
    for (size_t i = 0; i < page->items.size(); ++i) {
      if (!page->items[i].find("SK")->scalar().starts_with("METRICS#HOUR#")) continue;
      dropped += world.engine
                         ->delete_item({.table_name = "FormBridgeData",
                                        .key = Item({{"PK", Value(*page->items[i].find("PK"))},
                                                     {"SK", Value(*page->items[i].find("SK"))}})})
                         .has_value()
                     ? 1
                     : 0;
    }
    return dropped;
  };
  EXPECT_EQ(verify(false).size(), 0u);
  ASSERT_EQ(drop_hour(), 1u);
  auto faults = verify(true);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].kind, "tally");
  EXPECT_TRUE(faults[0].words.starts_with("it is missing")) << faults[0].words;
  EXPECT_TRUE(faults[0].repaired) << faults[0].repair;
  EXPECT_EQ(verify(false).size(), 0u);
  ASSERT_EQ(drop_hour(), 1u);
  world.clock.advance_ms(int64_t{74} * 3'600'000);
  EXPECT_EQ(verify(false).size(), 0u) << "it has expired";
}

}  // namespace
}  // namespace trestle::runtime
