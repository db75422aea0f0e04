#include "runtime/design_world_for_test.h"
#include "runtime/verify/verify.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kTagged = R"y(design: tagged
version: 1
tables: {t: {key: [PK, SK], billing: on-demand}}
entities:
  Site:
    table: t
    key: ["SITE#{id}", META]
    fields: {id: "string([a-z], 1..9)", title: string(..50), tags: "list<string([a-z], 1..9)>(..9)"}
    each: {tags: Tag.tag}
  Tag: {table: t, key: ["SITE#{id}", "TAG#{tag}"], fields: {id: "string([a-z], 1..9)", tag: "string([a-z], 1..9)", title: string(..50)}}
reads:
  tags: {query: Tag}
writes:
  make: {put: Site, if: absent, else: 409}
)y";

std::vector<std::string> faults(DesignWorld& world, bool repair) {
  const ItemCodec codec(world.reading->design, world.keys.get(), nullptr);
  std::vector<std::string> kinds;
  const auto done = verify_design(world.reading->design, *world.engine, codec, world.clock, {.repair = repair},
                                  [&](const Fault& fault) { kinds.push_back(fault.kind + ": " + fault.words); });
  EXPECT_TRUE(done.has_value());
  return kinds;
}

TEST(VerifyChildren, a_child_that_differs_from_its_owner_is_repaired) {
  DesignWorld world{std::string(kTagged)};
  world.ok("make", R"({"id":"home","title":"Home","tags":["a","b"]})");
  EXPECT_EQ(faults(world, false), std::vector<std::string>{});
  UpdateItemRequest damage{.table_name = "t",
                           .key = Item{{"PK", Value::string("SITE#home")}, {"SK", Value::string("TAG#b")}}};
  damage.update_expression = "SET title = :other";
  damage.placeholders.values = ValueMap{{":other", Value::string("Elsewhere")}};
  ASSERT_TRUE(world.engine->update_item(damage).has_value());
  ASSERT_EQ(faults(world, false).size(), 1u);
  EXPECT_NE(faults(world, true)[0].find("differs"), std::string::npos);
  EXPECT_EQ(faults(world, false), std::vector<std::string>{});
  EXPECT_EQ(world.ok("tags", R"({"id":"home"})")["items"].elements()[1].member("title").string(), "Home");
}

}  // namespace
}  // namespace trestle::runtime
