// Guards and children follow their owner, also where a key does not contain a field exactly or contains fields that are
// not in the owner's key.
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

using Strings = std::vector<std::string>;

constexpr const char* kFollowersDesign = R"y(design: followers
version: 1
tables: {items: {key: [PK, SK], type: Type}}
types: {Name: "string([a-z0-9], 1..9)"}
entities:
  Bin:
    key: ["BIN#{bin}", BIN]
    fields: {bin: Name, barcode: "string(1..20)", zone: Name, capacity: int}
    unique: {barcode: {key: ["CODE#{barcode:fold}", "ZONE#{zone}"], keeps: [bin, barcode, capacity]}}
  Post:
    key: ["POST#{post}", POST]
    fields: {post: Name, at: time auto, n: "int(0..9) = 0", score: int, tags: "set<Name>(..5)"}
    each: {tags: PostTag.tag}
  PostTag:
    key: ["TAG#{tag}", "{n}#{at}#{post}"]
    fields: {tag: Name, n: int(0..9), at: time, post: Name, score: int}
reads:
  byCode: {get: Bin.barcode}
  tagged: {query: PostTag, by: [tag]}
writes:
  put: {put: Bin}
  update: {update: Bin, else: 404}
  publish: {put: Post, if: absent, else: 409}
  replace: {put: Post}
  edit: {update: Post, else: 404}
  remove: {delete: Post, if: present, else: 404}
)y";

struct Followers : testing::Test {
  size_t tagged(const std::string& tag) { return world.walk("tagged", R"({"tag":")" + tag + "\"}", 10).size(); }
  DesignWorld world{kFollowersDesign};
};

TEST_F(Followers, a_guard_copies_a_value_whose_key_is_unchanged) {
  world.ok("put", R"({"bin":"a","barcode":"aster","zone":"z","capacity":1})");
  world.ok("update", R"({"bin":"a","barcode":"ASTER","capacity":2})");
  EXPECT_EQ(world.attribute("items", "CODE#aster", "ZONE#z", "barcode"), "ASTER");
  EXPECT_EQ(world.attribute("items", "CODE#aster", "ZONE#z", "capacity"), "2");
  world.ok("update", R"({"bin":"a","barcode":"Rose","capacity":3})");
  EXPECT_EQ(world.attribute("items", "CODE#rose", "ZONE#z", "capacity"), "3");
  world.ok("update", R"({"bin":"a","zone":"y","barcode":"ROSE"})");
  EXPECT_EQ(world.attribute("items", "CODE#rose", "ZONE#y", "barcode"), "ROSE");
  EXPECT_EQ(world.faults(), Strings());
}

TEST_F(Followers, children_are_deleted_under_the_key_that_they_have) {
  world.ok("publish", R"({"post":"p","score":1,"tags":["a","b"]})");
  world.ok("publish", R"({"post":"q","score":1,"tags":["a"]})");
  EXPECT_EQ(tagged("a"), 2u);
  world.ok("edit", R"({"post":"p","tags":["b","c"]})");
  EXPECT_EQ(tagged("a"), 1u);
  EXPECT_EQ(world.faults(), Strings());
  world.ok("edit", R"({"post":"p","n":3})");
  EXPECT_EQ(tagged("c"), 1u);
  EXPECT_EQ(world.faults(), Strings());
  world.ok("edit", R"({"post":"p","n":4,"score":7,"tags":["b","c","d"]})");
  EXPECT_EQ(tagged("d"), 1u);
  EXPECT_EQ(world.faults(), Strings());
  world.clock.advance_ms(60'000);
  world.ok("replace", R"({"post":"p","score":2,"tags":["c"]})");
  EXPECT_EQ(tagged("b"), 0u);
  EXPECT_EQ(tagged("c"), 1u);
  EXPECT_EQ(world.faults(), Strings());
  world.ok("remove", R"({"post":"p"})");
  EXPECT_EQ(tagged("c"), 0u);
  EXPECT_EQ(world.faults(), Strings());
}

}  // namespace
}  // namespace trestle::runtime
