// `add` and `take` of one value, instead of a set of values.
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kPosts = R"yaml(
design: posts
version: 1
tables: {tbl: {key: [PK, SK], type: Type, indexes: {GSI1: {key: [GPK, GSK]}}}}
types: {Tag: "string([a-z], 1..9)", Id: "string([a-z0-9], 1..10)"}
entities:
  Post:
    key: ["POST#{id}", POST]
    fields: {id: Id, board: Tag, tags: "set<Tag>(..3) optional", nums: "set<int>(..3) optional"}
    each: {tags: PostTag.tag}
    index: {hot: {on: GSI1, key: ["HOT", "{id}"], if: "contains(tags, 'hot')"}}
  PostTag: {key: ["TAG#{tag}", "{id}"], fields: {tag: Tag, id: Id}}
  Board: {key: ["BOARD#{board}", BOARD], fields: {board: Tag, hot: counter, lucky: counter}}
tallies:
  hot: {of: Post, into: Board, by: {board: board}, add: {hot: 1}, when: "contains(tags, 'hot')"}
  lucky: {of: Post, into: Board, by: {board: board}, add: {lucky: 1}, when: "contains(nums, 7)"}
reads:
  byTag: {query: PostTag}
  post: {get: Post}
writes:
  add: {put: Post, if: absent, else: 409}
  tag: {takes: {id: Id, tag: Tag optional}, steps: [{update: Post, add: {tags: $tag}, else: 404}]}
  untag: {takes: {id: Id, tag: Tag}, steps: [{update: Post, take: {tags: $tag}, else: 404}]}
  luck: {takes: {id: Id, n: int}, steps: [{update: Post, add: {nums: $n}, else: 404}]}
)yaml";

TEST(SingleMembers, are_added_and_taken_like_a_set_of_one) {
  DesignWorld world{std::string(kPosts)};
  world.ok("add", R"({"id":"p","board":"b"})");
  world.ok("tag", R"({"id":"p","tag":"hot"})");
  world.ok("tag", R"({"id":"p"})");
  EXPECT_EQ(world.ok("byTag", R"({"tag":"hot"})")["items"].elements().size(), 1U);
  EXPECT_EQ(world.attribute("tbl", "BOARD#b", "BOARD", "hot"), "1");
  EXPECT_EQ(world.attribute("tbl", "POST#p", "POST", "GPK"), "HOT");
  world.ok("tag", R"({"id":"p","tag":"x"})");
  world.ok("tag", R"({"id":"p","tag":"x"})");
  world.ok("tag", R"({"id":"p","tag":"y"})");
  world.refused(409, "tag", R"({"id":"p","tag":"z"})");
  EXPECT_EQ(world.faults(), std::vector<std::string>());
  world.ok("untag", R"({"id":"p","tag":"hot"})");
  EXPECT_EQ(world.ok("byTag", R"({"tag":"hot"})")["items"].elements().size(), 0U);
  EXPECT_EQ(world.attribute("tbl", "BOARD#b", "BOARD", "hot"), "0");
  EXPECT_EQ(world.attribute("tbl", "POST#p", "POST", "GPK"), "");
  world.ok("luck", R"({"id":"p","n":7})");
  EXPECT_EQ(world.attribute("tbl", "BOARD#b", "BOARD", "lucky"), "1");
  world.ok("untag", R"({"id":"p","tag":"x"})");
  world.ok("untag", R"({"id":"p","tag":"y"})");
  EXPECT_EQ(world.faults(), std::vector<std::string>());
}

}  // namespace
}  // namespace trestle::runtime
