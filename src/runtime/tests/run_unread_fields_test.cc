// An update, such as that of a tally or an upsert, never changes an attribute that follows from fields that it neither
// reads nor writes.
#include <fmt/format.h>

#include "runtime/background/stream_tallies.h"
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

using Strings = std::vector<std::string>;

constexpr const char* kTables = R"y(
version: 1
tables:
  t:
    key: [PK, SK]
    type: Type
    ttl: ttl
    billing: on-demand
    stream: new-and-old
    indexes: {GSI1: {key: [G1P, likes N]}, GSI2: {key: [G2P, G2S]}}
types: {Name: "string([a-z], 1..9)"}
)y";

std::string later(int64_t seconds) { return std::to_string(kTestNowMs / 1000 + seconds); }

// A tally's target with an optional expiry, an index entry of an optional field, and an index entry with a condition.
std::string posts_by(const std::string& through) {
  return fmt::format("design: posts{}{}{}{}", kTables, R"y(
entities:
  Post:
    key: ["P#{post}", P]
    fields: {post: Name, likes: counter, mood: Name optional, until: epoch optional}
    index:
      top: {on: GSI1, key: ["{mood:lower}", "{likes}"]}
      open: {on: GSI2, key: ["OPEN", "{post}"], if: exists(mood)}
    ttl: until
  Like: {key: ["P#{post}", "L#{user}"], fields: {post: Name, user: Name}}
tallies:
  likes: {of: Like, into: Post, by: {post: post}, add: {likes: 1})y",
                     through, R"y(}
reads: {post: {get: Post}, top: {query: Post.top}, open: {query: Post.open}, likes: {query: Like}}
writes:
  create: {put: Post, if: absent, else: 409}
  like: {put: Like, if: absent}
  unlike: {delete: Like, if: present}
)y");
}

void drain(DesignWorld& world) {
  const ItemCodec codec(world.reading->design, world.keys.get(), &world.blobs);
  ItemForm form(world.reading->design, world.database, codec);
  StreamTallies tallies(world.reading->design, world.database, codec, form);
  const auto drained = tallies.drain(world.clock.now_ms());
  EXPECT_TRUE(drained.has_value()) << (drained ? "" : drained.error().message);
}

TEST(UnreadFields, a_tally_leaves_the_expiry_and_the_entries_of_its_target) {
  for (const char* through : {"", ", through: stream"}) {
    DesignWorld world{posts_by(through)};
    world.ok("create", R"({"post":"a","mood":"glad","until":)" + later(60) + "}");
    world.ok("like", R"({"post":"a","user":"u"})");
    world.ok("like", R"({"post":"b","user":"u"})");  // creates the post
    drain(world);
    EXPECT_EQ(world.attribute("t", "P#a", "P", "ttl"), later(60)) << through;
    EXPECT_EQ(world.attribute("t", "P#a", "P", "likes"), "1") << through;
    EXPECT_EQ(world.ok("top", R"({"mood":"glad"})")["items"].elements().size(), 1u) << through;
    EXPECT_EQ(world.ok("open", "{}")["items"].elements().size(), 1u) << through;
    EXPECT_EQ(world.faults(), Strings()) << through;
    world.ok("unlike", R"({"post":"a","user":"u"})");
    drain(world);
    EXPECT_EQ(world.attribute("t", "P#a", "P", "ttl"), later(60)) << through;
    EXPECT_EQ(world.faults(), Strings()) << through;
  }
}

// The tally creates the item, whose expiry follows from a field that is generated at creation.
TEST(UnreadFields, a_tally_sets_the_expiry_of_what_it_makes_once) {
  for (const char* through : {"", ", through: stream"}) {
    DesignWorld world{fmt::format("design: hits{}{}{}{}", kTables, R"y(
entities:
  Page: {key: ["P#{page}", P], fields: {page: Name, hits: counter, created: time auto, until: epoch optional}, ttl: created + 1h}
  Hit: {key: ["P#{page}", "H#{hit}"], fields: {page: Name, hit: Name}}
tallies:
  hits: {of: Hit, into: Page, by: {page: page}, add: {hits: 1})y",
                                  through, R"y(}
reads: {page: {get: Page}, hits: {query: Hit}}
writes: {hit: {put: Hit}}
)y")};
    world.ok("hit", R"({"page":"a","hit":"x"})");
    drain(world);
    EXPECT_EQ(world.attribute("t", "P#a", "P", "ttl"), later(3600)) << through;
    world.clock.advance_ms(600'000);
    world.ok("hit", R"({"page":"a","hit":"y"})");
    drain(world);
    EXPECT_EQ(world.attribute("t", "P#a", "P", "hits"), "2") << through;
    EXPECT_EQ(world.attribute("t", "P#a", "P", "ttl"), later(3600)) << through;
    EXPECT_EQ(world.faults(), Strings()) << through;
  }
}

constexpr const char* kVisits = R"y(
entities:
  Visit:
    key: ["V#{page}", V]
    fields: {page: Name, times: counter, mood: Name optional, until: epoch optional, state: "enum(open, shut) optional", created: time auto}
    index:
      byMood: {on: GSI1, key: ["{mood:lower}", "{times}"]}
      unshut: {on: GSI2, key: ["UNSHUT", "{page}"], if: NOT state = shut}
    ttl: UNTIL
reads: {look: {get: Visit}, byMood: {query: Visit.byMood}, unshut: {query: Visit.unshut}}
writes:
  visit: {upsert: Visit, takes: {page: Name}, add: {times: 1}}
  write: {upsert: Visit}
  change: {update: Visit, else: 404}
)y";

TEST(UnreadFields, an_upsert_leaves_what_follows_from_omitted_inputs) {
  for (const char* until : {"until", "coalesce(until, created + 1h)", "until + 1h"}) {
    std::string text = fmt::format("design: visits{}{}", kTables, kVisits);
    text.replace(text.find("UNTIL"), 5, until);
    text.replace(text.find("likes N"), 7, "times N");
    DesignWorld world{text};
    const auto sound = [&](const char* when) { EXPECT_EQ(world.faults(), Strings()) << until << " " << when; };
    world.ok("write", R"({"page":"a","mood":"glad","state":"shut","until":)" + later(600) + "}");
    sound("made");
    const std::string ttl = world.attribute("t", "V#a", "V", "ttl");
    for (const char* inputs : {R"({"page":"a"})", R"({"page":"b"})"}) {
      world.ok("visit", inputs);
      sound("visit");
      world.ok("write", inputs);
      sound("write");
      world.clock.advance_ms(5000);
    }
    EXPECT_EQ(world.attribute("t", "V#a", "V", "ttl"), ttl) << until;
    EXPECT_EQ(world.ok("byMood", R"({"mood":"glad"})")["items"].elements().size(), 1u) << until;
    EXPECT_EQ(world.ok("unshut", "{}")["items"].elements().size(), 1u) << until;
    world.ok("write", R"({"page":"a","mood":"sad"})");
    sound("mood");
    world.ok("write", R"({"page":"a","state":null})");
    sound("state");
    world.ok("write", R"({"page":"b","until":)" + later(900) + "}");
    sound("until");
    world.ok("write", R"({"page":"b","until":null})");
    sound("no until");
    world.ok("visit", R"({"page":"b"})");
    sound("visited again");
  }
}

constexpr const char* kUsers = R"y(design: users
version: 1
tables: {t: {key: [PK, SK], type: Type, ttl: ttl, billing: on-demand}}
types: {Name: "string([a-z], 1..9)"}
entities:
  User:
    key: ["U#{user}", U]
    fields: {user: Name, nick: Name, mood: Name optional, until: epoch optional, nicks: counter}
    unique: {nick: {key: "NICK#{nick}", keeps: [user, mood]}}
    ttl: until
reads: {user: {get: User}, byNick: {get: User.nick}}
writes:
  create: {put: User, if: absent, else: 409}
  rename: {update: User, takes: {user: Name, nick: Name}, set: [nick], else: 404}
  write: {upsert: User, takes: {user: Name, nick: Name}, set: [nick]}
)y";

TEST(UnreadFields, a_guard_that_is_put_has_what_it_keeps_and_expires_with_its_owner) {
  for (const char* renames : {"rename", "write"}) {
    DesignWorld world{kUsers};
    world.ok("create", R"({"user":"a","nick":"x","mood":"glad","until":)" + later(60) + "}");
    world.ok(renames, R"({"user":"a","nick":"y"})");
    EXPECT_EQ(world.attribute("t", "NICK#y", "NICK#y", "ttl"), later(60)) << renames;
    EXPECT_EQ(world.attribute("t", "NICK#y", "NICK#y", "mood"), "glad") << renames;
    world.ok(renames, R"({"user":"a","nick":"y"})");
    EXPECT_EQ(world.attribute("t", "NICK#y", "NICK#y", "ttl"), later(60)) << renames;
    EXPECT_EQ(world.faults(), Strings()) << renames;
    world.clock.advance_ms(61'000);
    world.ok("create", R"({"user":"b","nick":"y"})");
  }
}

constexpr const char* kMarks = R"y(design: marks
version: 1
tables: {t: {key: [PK, SK], type: Type, billing: on-demand}}
types: {Name: "string([a-z], 1..9)"}
entities:
  Mark: {key: ["M#{mark}", M], fields: {mark: Name, least: min<int> optional, most: max<int> optional, times: counter}}
reads: {mark: {get: Mark}}
writes:
  upsert: {upsert: Mark, takes: {mark: Name, n: int optional}, set: {least: $n, most: $n}, add: {times: 1}}
  update: {update: Mark, takes: {mark: Name, n: int optional}, set: {least: $n, most: $n}, add: {times: 1}, else: 404}
)y";

TEST(UnreadFields, a_minimum_or_maximum_without_a_new_value_is_unchanged) {
  DesignWorld world{kMarks};
  for (const char* operation : {"upsert", "update"}) {
    world.ok(operation, R"({"mark":"a"})");
    world.ok(operation, R"({"mark":"a","n":3})");
    world.ok(operation, R"({"mark":"a"})");
    EXPECT_EQ(world.attribute("t", "M#a", "M", "least"), "3") << operation;
    EXPECT_EQ(world.attribute("t", "M#a", "M", "most"), "3") << operation;
  }
  EXPECT_EQ(world.attribute("t", "M#a", "M", "times"), "6");
}

// A field with a default has it in a new item, whether something follows from the field or not.
TEST(UnreadFields, an_upsert_without_an_input_stores_the_default_in_a_new_item_only) {
  DesignWorld world{R"y(design: settings
version: 1
tables: {t: {key: [PK, SK], type: Type, billing: on-demand, indexes: {GSI1: {key: [G1P, G1S]}}}}
types: {Name: "string([a-z], 1..9)"}
entities:
  Group: {key: ["G#{group}", G], fields: {group: Name, members: counter}}
  Setting:
    key: ["S#{name}", S]
    fields: {name: Name, theme: Name = 'light', size: int = 3, group: Name = 'all', tint: Name optional, level: int = 1}
    index: {ofGroup: {on: GSI1, key: ["G#{group}", "{name}"], if: level > 0}}
tallies:
  members: {of: Setting, into: Group, by: {group: group}, add: {members: 1}}
reads: {setting: {get: Setting}, ofGroup: {query: Setting.ofGroup}, group: {get: Group}}
writes:
  begin: {put: Group}
  save: {upsert: Setting}
)y"};
  world.ok("begin", R"({"group":"all"})");
  world.ok("begin", R"({"group":"few"})");
  world.ok("save", R"({"name":"a"})");
  EXPECT_EQ(world.attribute("t", "S#a", "S", "theme"), "light");
  EXPECT_EQ(world.attribute("t", "S#a", "S", "size"), "3");
  EXPECT_EQ(world.attribute("t", "S#a", "S", "group"), "all");
  EXPECT_EQ(world.attribute("t", "G#all", "G", "members"), "1");
  EXPECT_EQ(world.ok("ofGroup", R"({"group":"all"})")["items"].elements().size(), 1u);
  world.ok("save", R"({"name":"a","theme":"dark","size":4,"group":"few","level":0})");
  world.ok("save", R"({"name":"a","tint":"red"})");
  EXPECT_EQ(world.attribute("t", "S#a", "S", "theme"), "dark");
  EXPECT_EQ(world.attribute("t", "S#a", "S", "size"), "4");
  EXPECT_EQ(world.attribute("t", "S#a", "S", "group"), "few");
  EXPECT_EQ(world.attribute("t", "G#all", "G", "members"), "0");
  EXPECT_EQ(world.attribute("t", "G#few", "G", "members"), "1");
  EXPECT_EQ(world.ok("ofGroup", R"({"group":"few"})")["items"].elements().size(), 0u);
  EXPECT_EQ(world.faults(), Strings());
}

// The same condition is sent with a write, filters a read, decides on an index entry, decides what a tally counts, and
// is evaluated by the runtime on an item it has read.
TEST(AbsentFields, a_condition_means_the_same_wherever_it_is_evaluated) {
  for (const char* condition :
       {"shade <> red", "NOT shade = red", "n <> 3", "size(name) = 0", "size(name) < 5", "size(tags) = 0",
        "size(tags) BETWEEN 0 AND 3", "m.k <> 1", "shade = red", "n < 3", "exists(n)"}) {
    std::string text = R"y(design: same
version: 1
tables: {t: {key: [PK, SK], type: Type, stream: new-and-old, indexes: {GSI1: {key: [G1P, G1S]}}}}
types: {Name: "string([a-z], 1..9)"}
entities:
  Count: {key: ["C#{team}", C], fields: {team: Name, counted: counter, streamed: counter}}
  Item:
    key: ["C#{team}", "I#{id}"]
    fields: {team: Name, id: Name, shade: "enum(red, green) optional", n: int optional, name: Name optional, tags: "set<Name> optional", m: "map<int> optional", times: int = 1}
    index: {chosen: {on: GSI1, key: ["CHOSEN", "{id}"], if: CONDITION}}
tallies:
  counted: {of: Item, into: Count, by: {team: team}, add: {counted: 1}, when: CONDITION}
  streamed: {of: Item, into: Count, by: {team: team}, add: {streamed: 1}, when: CONDITION, through: stream}
reads: {count: {get: Count}, chosen: {query: Item.chosen}, filtered: {query: Item, filter: CONDITION}}
writes:
  put: {put: Item, if: absent, else: 409}
  sent: {update: Item, takes: {team: Name, id: Name}, add: {times: 1}, if: CONDITION, else: 409}
  evaluated: {update: Item, takes: {team: Name, id: Name}, add: {times: 1}, if: CONDITION AND times * 2 >= 0, else: 409}
)y";
    for (size_t at; (at = text.find("CONDITION")) != std::string::npos;)
      text.replace(at, 9, "\"" + std::string(condition) + "\"");
    const std::string conjunction = "\" AND times * 2 >= 0";
    text.replace(text.find(conjunction), conjunction.size(), " AND times * 2 >= 0\"");
    DesignWorld world{text};
    world.ok("put", R"({"team":"a","id":"none"})");
    world.ok("put", R"({"team":"a","id":"red","shade":"red","n":3,"name":"abcdef","tags":["x"],"m":{"k":1}})");
    world.ok("put", R"({"team":"a","id":"green","shade":"green","n":2,"name":"abc","tags":["x"],"m":{"k":2}})");
    drain(world);
    const size_t filtered = world.ok("filtered", R"({"team":"a"})")["items"].elements().size();
    EXPECT_EQ(world.ok("chosen", "{}")["items"].elements().size(), filtered) << condition;
    for (const char* figure : {"counted", "streamed"}) {
      const std::string counted = world.attribute("t", "C#a", "C", figure);
      EXPECT_EQ(counted.empty() ? "0" : counted, std::to_string(filtered)) << condition;
    }
    for (const char* id : {"none", "red", "green"}) {
      const std::string call = R"({"team":"a","id":")" + std::string(id) + "\"}";
      EXPECT_EQ(world.call("sent", call).status, world.call("evaluated", call).status) << condition << " " << id;
    }
    EXPECT_EQ(world.faults(), Strings()) << condition;
  }
}

}  // namespace
}  // namespace trestle::runtime
