// Verification of items with spilled values, with and without the blob storage.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/design_world_for_test.h"
#include "runtime/verify/verify.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kNotes = R"y(design: notes
version: 1
tables: {t: {key: [PK, SK], type: Type, billing: on-demand, indexes: {G1: {key: [G, H]}}}}
entities:
  Note:
    table: t
    key: ["NOTE#{id}", X]
    fields: {id: "string([a-z], 1..9)", topic: "string([a-z], 1..9)", slug: "string([a-z], 1..9)", body: text, tags: "set<string([a-z], 1..9)>(..5) optional", stars: counter}
    index: {ofTopic: {on: G1, key: ["TOPIC#{topic}", "{id}"]}}
    unique: {slug: {key: "SLUG#{slug}", keeps: [id]}}
    each: {tags: NoteTag.tag}
    spill: {body: {over: 100B}}
  NoteTag:
    table: t
    key: ["NOTE#{id}", "TAG#{tag}"]
    fields: {id: Note.id, tag: "string([a-z], 1..9)"}
  Star:
    table: t
    key: ["NOTE#{id}", "STAR#{who}"]
    fields: {id: Note.id, who: "string([a-z], 1..9)"}
tallies:
  stars: {of: Star, into: Note, by: {id: id}, add: {stars: 1}}
reads:
  note: {get: Note}
writes:
  make: {put: Note, if: absent, else: 409}
  star: {put: Star, if: absent, else: 409}
)y";

class VerifySpilled : public testing::Test {
 protected:
  VerifySpilled() {
    world.ok("make",
             fmt::format(R"({{"id":"a","topic":"red","slug":"sa","tags":["x"],"body":"{}"}})", std::string(500, 'b')));
    world.ok("make", R"({"id":"b","topic":"red","slug":"sb","body":"short"})");
    world.ok("star", R"({"id":"a","who":"me"})");
    EXPECT_EQ(world.blobs.size(), 1U);
  }
  std::vector<std::string> verify(bool repair, BlobStore* blobs) {
    const ItemCodec codec(world.reading->design, world.keys.get(), blobs);
    std::vector<std::string> faults;
    const auto done =
        verify_design(world.reading->design, *world.engine, codec, world.clock,
                      {.repair = repair, .sleeper = [](int64_t) {}}, [&](const Fault& fault) {
                        faults.push_back(fault.kind + " " + fault.item + (repair ? " " + fault.repair : ""));
                      });
    EXPECT_TRUE(done.has_value()) << (done ? "" : done.error().message);
    unchecked = done ? done->unchecked : -1;
    std::sort(faults.begin(), faults.end());
    return faults;
  }
  void change(const std::string& pk, const std::string& update) {
    UpdateItemRequest damage{.table_name = "t", .key = Item({{"PK", Value::string(pk)}, {"SK", Value::string("X")}})};
    damage.update_expression = update;
    damage.placeholders.values = ValueMap{{":v", Value::string("blue")}, {":n", Value::number(9)}};
    if (!update.contains(":n")) damage.placeholders.values = ValueMap{{":v", Value::string("blue")}};
    if (!update.contains(":v")) damage.placeholders.values = ValueMap{{":n", Value::number(9)}};
    EXPECT_TRUE(world.engine->update_item(damage).has_value());
  }
  std::string stored() {
    const auto found = world.engine->get_item(
        {.table_name = "t", .key = Item({{"PK", Value::string("NOTE#a")}, {"SK", Value::string("X")}})});
    return found && found->item ? std::string(found->item->bytes()) : "";
  }
  DesignWorld world{std::string(kNotes)};
  int64_t unchecked = 0;
};
using Faults = std::vector<std::string>;

TEST_F(VerifySpilled, without_blob_storage_a_spilled_value_is_no_fault) {
  EXPECT_EQ(verify(false, &world.blobs), Faults{});
  EXPECT_EQ(unchecked, 0);
  EXPECT_EQ(verify(false, nullptr), Faults{});
  EXPECT_EQ(unchecked, 1);
}

TEST_F(VerifySpilled, without_blob_storage_such_an_item_is_judged_by_the_rest_and_not_repaired) {
  change("NOTE#a", "SET G = :v, stars = :n");
  change("NOTE#b", "SET G = :v");
  const std::string before = stored();
  EXPECT_EQ(verify(false, nullptr), (Faults{R"(index PK = "NOTE#a", SK = "X")", R"(index PK = "NOTE#b", SK = "X")",
                                            R"(tally PK = "NOTE#a", SK = "X")"}));
  const std::string left = " left unchanged: it has a spilled value, and there is no blob storage";
  EXPECT_EQ(verify(true, nullptr), (Faults{R"(index PK = "NOTE#a", SK = "X")" + left,
                                           R"(index PK = "NOTE#b", SK = "X" the attributes were set)",
                                           R"(tally PK = "NOTE#a", SK = "X")" + left}));
  EXPECT_EQ(stored(), before);
  verify(true, &world.blobs);
  EXPECT_EQ(verify(false, &world.blobs), Faults{});
  EXPECT_NE(stored(), before);
}

TEST_F(VerifySpilled, a_blob_that_is_lost_is_a_fault) {
  std::vector<std::string> names;
  ASSERT_TRUE(world.blobs.each("", [&](std::string_view name, int64_t) { names.emplace_back(name); }).has_value());
  ASSERT_TRUE(world.blobs.erase(names[0]).has_value());
  EXPECT_EQ(verify(false, &world.blobs), (Faults{R"(unreadable PK = "NOTE#a", SK = "X")"}));
  EXPECT_EQ(verify(false, nullptr), Faults{});
}

// The reference itself shows the fault.
TEST_F(VerifySpilled, a_reference_to_the_blob_of_another_item_is_a_fault_without_the_blob) {
  const auto a = world.engine->get_item(
      {.table_name = "t", .key = Item({{"PK", Value::string("NOTE#a")}, {"SK", Value::string("X")}})});
  UpdateItemRequest damage{.table_name = "t",
                           .key = Item({{"PK", Value::string("NOTE#b")}, {"SK", Value::string("X")}})};
  damage.update_expression = "SET body = :v";
  damage.placeholders.values = ValueMap{{":v", Value(*a->item->find("body"))}};
  ASSERT_TRUE(world.engine->update_item(damage).has_value());
  EXPECT_EQ(verify(true, nullptr), (Faults{R"(unreadable PK = "NOTE#b", SK = "X" left unchanged)"}));
}

}  // namespace
}  // namespace trestle::runtime
