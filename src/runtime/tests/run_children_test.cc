// Children of a replaced owner, and other consequences of a write: figures with a range, touched index keys.
#include <fmt/format.h>

#include "design/check/check.h"
#include "runtime/background/stream_tallies.h"
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

using Strings = std::vector<std::string>;

constexpr const char* kShelves = R"y(design: notes
version: 1
tables:
  t: {key: [PK, SK], type: Type, ttl: ttl, billing: on-demand, stream: new-and-old, indexes: {GSI1: {key: [G1P, G1S]}}}
entities:
  Note:
    key: ["N#{id}", NOTE]
    fields: {id: "string([a-z], 1..9)", until: epoch optional, place: string(..20) optional, words: "set<string([a-z], 1..9)>(..9) optional"}
    ttl: until
    each: {words: Word.word}
  Word:
    key: ["N#{id}", "W#{word}"]
    fields: {id: "string([a-z], 1..9)", word: "string([a-z], 1..9)", place: string(..20) optional, uses: counter}
  Shelf:
    key: ["S#{shelf}", SHELF]
    fields: {shelf: "string([a-z], 1..9)", kind: "enum(old, new) = new", boxes: counter, changed: time touch}
    index:
      byKind: {on: GSI1, key: ["KIND#{kind}", "{changed}"]}
  Box:
    key: ["S#{shelf}", "B#{box}"]
    fields: {shelf: "string([a-z], 1..9)", box: "string([a-z], 1..9)"}
tallies:
  boxes: {of: Box, into: Shelf, by: {shelf: shelf}, add: {boxes: 1}, through: stream}
reads:
  words: {query: Word}
writes:
  make: {put: Note, if: absent, else: 409}
  replace: {put: Note}
  use: {update: Word, takes: {id: Word.id, word: Word.word}, by: [id, word], add: {uses: 1}, else: 404}
  makeShelf: {put: Shelf, if: absent, else: 409}
  addBox: {put: Box}
  removeBox: {delete: Box}
)y";

class ReplacedChildren : public testing::Test {
 protected:
  std::string words(const std::string& field) {
    Strings all;
    const Reply reply = world_.ok("words", R"({"id":"a"})");
    for (const Plain& item : reply["items"].elements()) {
      const Plain& value = item.member(field);
      all.push_back(item.member("word").string() + "=" + (value.exists() ? value.string() : "-"));
    }
    return fmt::format("{}", fmt::join(all, " "));
  }
  void drain() {
    const ItemCodec codec(world_.reading->design, world_.keys.get(), &world_.blobs);
    ItemForm form(world_.reading->design, *world_.engine, codec);
    StreamTallies tallies(world_.reading->design, *world_.engine, codec, form);
    const auto drained = tallies.drain(world_.clock.now_ms());
    EXPECT_TRUE(drained.has_value()) << (drained ? "" : drained.error().message);
  }
  DesignWorld world_{kShelves};
};

TEST_F(ReplacedChildren, a_put_over_an_expired_item_replaces_its_children_too) {
  const int64_t soon = kTestNowMs / 1000 + 60;
  for (const char* operation : {"make", "replace"}) {
    world_.ok(operation, fmt::format(R"({{"id":"a","until":{},"words":["x","y"],"place":"p"}})",
                                     world_.clock.now_ms() / 1000 + 60));
    world_.clock.advance_ms(120'000);
    world_.ok(operation, R"({"id":"a","words":["y","z"]})");
    EXPECT_EQ(words("place"), "y=- z=-") << operation;
    EXPECT_EQ(world_.faults(), Strings()) << operation;
    world_.ok("replace", fmt::format(R"({{"id":"a","until":{}}})", world_.clock.now_ms() / 1000 + 60));
    world_.clock.advance_ms(120'000);
  }
  EXPECT_LT(soon, world_.clock.now_ms() / 1000);
}

TEST_F(ReplacedChildren, a_replacing_put_updates_what_staying_children_copy_and_nothing_else) {
  world_.ok("make", R"({"id":"a","words":["x","y"],"place":"here"})");
  world_.ok("use", R"({"id":"a","word":"y"})");
  world_.ok("replace", R"({"id":"a","words":["y","z"],"place":"there"})");
  EXPECT_EQ(words("place"), "y=there z=there");
  EXPECT_EQ(words("uses"), "y=1 z=0");
  world_.ok("replace", R"({"id":"a","words":["y"]})");
  EXPECT_EQ(words("place"), "y=-");
  EXPECT_EQ(words("uses"), "y=1");
  EXPECT_EQ(world_.faults(), Strings());
}

TEST_F(ReplacedChildren, a_stream_tally_moves_the_index_key_of_its_touched_field) {
  world_.ok("makeShelf", R"({"shelf":"s","kind":"old"})");
  world_.clock.advance_ms(3'600'000);
  world_.ok("addBox", R"({"shelf":"s","box":"b"})");
  world_.ok("addBox", R"({"shelf":"other","box":"b"})");
  drain();
  EXPECT_EQ(world_.attribute("t", "S#s", "SHELF", "boxes"), "1");
  EXPECT_EQ(world_.attribute("t", "S#s", "SHELF", "G1P"), "KIND#old");
  EXPECT_EQ(world_.attribute("t", "S#s", "SHELF", "G1S"), world_.attribute("t", "S#s", "SHELF", "changed"));
  // A shelf that the tally creates has the defaults, also in its index key.
  EXPECT_EQ(world_.attribute("t", "S#other", "SHELF", "G1P"), "KIND#new");
  EXPECT_EQ(world_.faults(), Strings());
  world_.clock.advance_ms(3'600'000);
  world_.ok("removeBox", R"({"shelf":"s","box":"b"})");
  drain();
  EXPECT_EQ(world_.attribute("t", "S#s", "SHELF", "boxes"), "0");
  EXPECT_EQ(world_.faults(), Strings());
}

constexpr const char* kHall = R"y(design: hall
version: 1
tables:
  t: {key: [PK, SK], type: Type, billing: on-demand}
entities:
  Hall:
    key: ["H#{hall}", HALL]
    fields: {hall: "string([a-z], 1..9)", free: int(0..10)}
  Guest:
    key: ["H#{hall}", "G#{guest}"]
    fields: {hall: "string([a-z], 1..9)", guest: "string([a-z], 1..9)", seats: int(1..10), role: "enum(host, visitor)"}
    unique: {guest: "GUEST#{guest}"}
tallies:
  taken: {of: Guest, into: Hall, by: {hall: hall}, add: {free: 0 - seats}}
writes:
  open: {put: Hall, set: {free: 10}, if: absent}
  change: {update: Guest, takes: {hall: Hall.hall, guest: Guest.guest, seats: Guest.seats}, by: [hall, guest], set: {seats: $seats}}
  seat:
    takes: {hall: Hall.hall, guest: Guest.guest, seats: Guest.seats, extra: int(-10..10)}
    atomic:
      - {update: Hall, add: {free: 0 - $extra}, else: 409}
      - {put: Guest, set: {role: visitor}, if: absent, else: 409}
  seatBySum:
    takes: {hall: Hall.hall, guest: Guest.guest, seats: Guest.seats, extra: int(-10..10)}
    atomic:
      - {update: Hall, set: {free: free - $extra}, else: 409}
      - {put: Guest, set: {role: visitor}, if: absent, else: 409}
  leave:
    takes: {hall: Hall.hall, guest: Guest.guest}
    steps:
      - {delete: Guest, if: role <> host, else: {status: 403, message: The host stays.}}
  makeHost: {update: Guest, takes: {hall: Hall.hall, guest: Guest.guest}, by: [hall, guest], set: {role: host}}
)y";

TEST(FiguresWithARange, an_amount_and_a_tally_are_checked_together) {
  for (const char* seat : {"seat", "seatBySum"}) {
    DesignWorld world{kHall};
    world.ok("open", R"({"hall":"h"})");
    world.refused(409, seat, R"({"hall":"h","guest":"a","seats":6,"extra":5})");
    EXPECT_EQ(world.attribute("t", "H#h", "HALL", "free"), "10");
    world.ok(seat, R"({"hall":"h","guest":"a","seats":6,"extra":4})");
    EXPECT_EQ(world.attribute("t", "H#h", "HALL", "free"), "0");
    // The sum of both stays within the range, although one of them alone would not.
    world.ok(seat, R"({"hall":"h","guest":"b","seats":6,"extra":-6})");
    EXPECT_EQ(world.attribute("t", "H#h", "HALL", "free"), "0");
    EXPECT_EQ(world.call("change", R"({"hall":"h","guest":"b","seats":7})").status, 409);
    world.ok("change", R"({"hall":"h","guest":"b","seats":5})");
    EXPECT_EQ(world.attribute("t", "H#h", "HALL", "free"), "1");
  }
}

TEST(Guards, a_delete_whose_condition_fails_says_so) {
  DesignWorld world{kHall};
  world.ok("open", R"({"hall":"h"})");
  world.ok("seat", R"({"hall":"h","guest":"a","seats":1,"extra":0})");
  world.ok("makeHost", R"({"hall":"h","guest":"a"})");
  const Reply reply = world.call("leave", R"({"hall":"h","guest":"a"})");
  EXPECT_EQ(reply.status, 403);
  EXPECT_EQ(reply.message, "The host stays.");
  EXPECT_EQ(world.attribute("t", "H#h", "HALL", "free"), "9");
}

TEST(Guards, the_owner_of_a_tenant_is_not_removed) {
  DesignWorld world{"examples/saas"};
  const Reply result = world.ok("signUp", R"({"tenant":"acme","name":"Acme","email":"a@b.org"})");
  const Reply reply =
      world.call("removeMember", fmt::format(R"({{"tenant":"acme","user":"{}"}})", result.text("user")));
  EXPECT_EQ(reply.status, 409);
  EXPECT_EQ(reply.message.find("others"), std::string::npos) << reply.message;
  EXPECT_EQ(world.faults(), Strings());
}

}  // namespace
}  // namespace trestle::runtime
