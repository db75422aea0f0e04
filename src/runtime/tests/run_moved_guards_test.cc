// A unique value that one item gives up and another takes over in the same transaction.
#include "runtime/background/stream_tallies.h"
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

using Strings = std::vector<std::string>;

constexpr const char* kTeamUsers = R"y(design: users
version: 1
tables: {t: {key: [PK, SK], type: Type, billing: on-demand}}
types: {Name: "string([a-z], 1..9)"}
entities:
  User:
    key: ["TEAM#{team}", "USER#{user}"]
    fields: {team: Name, user: Name, nick: Name}
    unique: {nick: {key: "NICK#{nick}", keeps: [team, user]}}
reads: {users: {query: User}, byNick: {get: User.nick}}
writes:
  create: {put: User, if: absent, else: 409}
  move:
    takes: {team: Name, user: Name, to: Name}
    steps:
      - {get: User, as: u, none: 404}
      - atomic:
          - {delete: User, if: present, else: 409}
          - {put: User, from: $u, set: {team: $to}, if: absent, else: 409}
  swap:
    takes: {team: Name, p: Name, q: Name}
    steps:
      - {get: User, by: {team: $team, user: $p}, as: x, none: 404}
      - {get: User, by: {team: $team, user: $q}, as: y, none: 404}
      - atomic:
          - {update: User, by: {team: $team, user: $p}, set: {nick: $y.nick}, if: nick = $x.nick, else: 409}
          - {update: User, by: {team: $team, user: $q}, set: {nick: $x.nick}, if: nick = $y.nick, else: 409}
  hand:
    takes: {team: Name, p: Name, q: Name, nick: Name}
    steps:
      - {get: User, by: {team: $team, user: $p}, as: x, none: 404}
      - atomic:
          - {update: User, by: {team: $team, user: $q}, set: {nick: $x.nick}, else: 404}
          - {update: User, by: {team: $team, user: $p}, set: {nick: $nick}, else: 404}
)y";

struct MovedGuards : testing::Test {
  MovedGuards() {
    world.ok("create", R"({"team":"a","user":"p","nick":"np"})");
    world.ok("create", R"({"team":"a","user":"q","nick":"nq"})");
  }
  std::string owner(const std::string& nick) {
    return world.ok("byNick", R"({"nick":")" + nick + "\"}")["item"].member("user").string();
  }
  DesignWorld world{kTeamUsers};
};

TEST_F(MovedGuards, an_item_moves_to_another_key_and_keeps_its_value) {
  world.ok("move", R"({"team":"a","user":"p","to":"b"})");
  EXPECT_EQ(world.attribute("t", "NICK#np", "NICK#np", "team"), "b");
  EXPECT_EQ(world.faults(), Strings());
  world.refused(409, "create", R"({"team":"c","user":"r","nick":"np"})");
}

TEST_F(MovedGuards, two_items_swap_their_values) {
  world.ok("swap", R"({"team":"a","p":"p","q":"q"})");
  EXPECT_EQ(owner("np"), "q");
  EXPECT_EQ(owner("nq"), "p");
  EXPECT_EQ(world.faults(), Strings());
  world.refused(409, "create", R"({"team":"c","user":"r","nick":"np"})");
}

TEST_F(MovedGuards, a_value_is_handed_on) {
  world.ok("hand", R"({"team":"a","p":"p","q":"q","nick":"nr"})");
  EXPECT_EQ(owner("np"), "q");
  EXPECT_EQ(owner("nr"), "p");
  EXPECT_EQ(world.faults(), Strings());
  world.refused(409, "hand", R"({"team":"a","p":"p","q":"q","nick":"nr"})");
  world.ok("create", R"({"team":"c","user":"r","nick":"nq"})");
  world.refused(409, "hand", R"({"team":"a","p":"p","q":"q","nick":"nq"})");
  EXPECT_EQ(owner("nq"), "r");
  EXPECT_EQ(world.faults(), Strings());
}

// The item lacks its guard because another program wrote it.
TEST_F(MovedGuards, an_item_without_its_guard_moves_too) {
  const Item guard{{"PK", Value::string("NICK#np")}, {"SK", Value::string("NICK#np")}};
  ASSERT_TRUE(world.engine->delete_item({.table_name = "t", .key = guard}).has_value());
  world.ok("move", R"({"team":"a","user":"p","to":"b"})");
  EXPECT_EQ(world.faults(), Strings());
  ASSERT_TRUE(world.engine->delete_item({.table_name = "t", .key = guard}).has_value());
  world.ok("create", R"({"team":"c","user":"r","nick":"np"})");
  world.refused(409, "move", R"({"team":"b","user":"p","to":"a"})");
  EXPECT_EQ(owner("np"), "r");
}

constexpr const char* kCopies = R"y(design: copies
version: 1
tables: {t: {key: [PK, SK], type: Type, stream: new-and-old}}
types: {Name: "string([a-z], 1..9)"}
entities:
  User:
    key: ["TEAM#{team}", "USER#{user}"]
    fields: {team: Name, user: Name, mood: Name optional, notes: counter, streamed: counter, last: max<int> optional, kinds: map<int> optional}
  Note: {key: ["TEAM#{team}", "NOTE#{user}#{note}"], fields: {team: Name, user: Name, note: int(0..9)}}
tallies:
  notes: {of: Note, into: User, by: {team: team, user: user}, add: {notes: 1, "kinds[note]": 1}, max: {last: note}}
  streamed: {of: Note, into: User, by: {team: team, user: user}, add: {streamed: 1}, through: stream}
reads: {users: {query: User}, notes: {query: Note, by: [team, user]}}
writes:
  create: {put: User, if: absent, else: 409}
  note: {put: Note, if: absent}
  copy:
    takes: {team: Name, user: Name, to: Name}
    steps:
      - {get: User, as: u, none: 404}
      - {put: User, from: $u, set: {team: $to}, if: absent, else: 409}
)y";

// Figures count the items of the new key, and there are none.
TEST(Copies, an_item_at_another_key_has_no_figures_of_the_first) {
  DesignWorld world{kCopies};
  world.ok("create", R"({"team":"a","user":"u","mood":"glad"})");
  world.ok("note", R"({"team":"a","user":"u","note":3})");
  const ItemCodec codec(world.reading->design, world.keys.get(), &world.blobs);
  ItemForm form(world.reading->design, world.database, codec);
  StreamTallies tallies(world.reading->design, world.database, codec, form);
  ASSERT_TRUE(tallies.drain(world.clock.now_ms()).has_value());
  world.ok("copy", R"({"team":"a","user":"u","to":"b"})");
  EXPECT_EQ(world.attribute("t", "TEAM#b", "USER#u", "mood"), "glad");
  EXPECT_EQ(world.attribute("t", "TEAM#b", "USER#u", "notes"), "0");
  EXPECT_EQ(world.attribute("t", "TEAM#b", "USER#u", "last"), "");
  EXPECT_EQ(world.faults(), Strings());
}

// The guard's `keeps` lists only a part of the owner's key.
TEST(KeptFields, a_guard_always_names_its_owner) {
  DesignWorld world{R"y(design: articles
version: 1
tables: {t: {key: [PK, SK], type: Type}}
types: {Name: "string([a-z], 1..9)"}
entities:
  Article:
    key: ["{site}", "ART#{article}"]
    fields: {site: Name, article: Name, slug: Name}
    unique: {slug: {key: "{site}#SLUG#{slug}", keeps: [article]}}
reads: {article: {get: Article}, bySlug: {get: Article.slug}}
writes: {create: {put: Article, if: absent, else: 409}, rename: {update: Article, else: 404}, remove: {delete: Article}}
)y"};
  world.ok("create", R"({"site":"s","article":"a","slug":"x"})");
  EXPECT_EQ(world.ok("bySlug", R"({"site":"s","slug":"x"})")["item"].member("article").string(), "a");
  EXPECT_EQ(world.faults(), Strings());
  world.ok("rename", R"({"site":"s","article":"a","slug":"y"})");
  world.ok("create", R"({"site":"s","article":"b","slug":"x"})");
  world.ok("remove", R"({"site":"s","article":"a"})");
  EXPECT_EQ(world.faults(), Strings());
  EXPECT_EQ(world.count("t"), 2u);
}

}  // namespace
}  // namespace trestle::runtime
