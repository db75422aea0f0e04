// Items written by other programs, in cases that no shipped design covers.
#include <fmt/format.h>

#include "runtime/design_world_for_test.h"
#include "runtime/items/stored_item.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kTeams = R"y(design: teams
version: 1
tables:
  t:
    key: [PK, SK]
    type: Type
    ttl: ttl
    billing: on-demand
    indexes:
      GSI1: {key: [G1P, G1S], project: [note]}
entities:
  Team:
    additional: true
    key: ["TEAM#{name}", TEAM]
    fields:
      name: "string([a-z], 1..20)"
      note: string(..100) optional
      members: "set<string([a-z], 1..20)> optional"
      until: time optional
    index: {all: {on: GSI1, key: [TEAMS, "{name}"]}}
    ttl: until
  Change:
    key: ["TEAM#{name}", "CHANGE#{id}"]
    fields: {name: Team.name, id: ulid auto, note: string(..100) optional}
reads:
  team: {get: Team}
  noteOf: {get: Team, fields: [note]}
  teams: {query: Team.all}
  names: {query: Team.all, fields: [name]}
  first: {query: Team.all, one: true}
writes:
  make: {put: Team, if: absent, else: 409}
  annotate: {update: Team, takes: {name: Team.name, note: Team.note}, set: [note], else: 404}
  change: {update: Team, else: 404}
  extend: {update: Team, takes: {name: Team.name, days: int}, set: {until: until + $days * 1d}, else: 404}
  join: {update: Team, takes: {name: Team.name, who: "set<string([a-z], 1..20)>"}, add: {members: $who}, else: 404}
  leave: {update: Team, takes: {name: Team.name, who: "set<string([a-z], 1..20)>"}, take: {members: $who}, else: 404}
  note:
    takes: {name: Team.name, note: string(..100)}
    atomic:
      - {update: Team, set: [note], else: 404}
      - {put: Change, if: absent}
  found:
    takes: {name: Team.name, note: string(..100)}
    steps:
      - atomic:
          - {put: Team, if: absent, additional: true, else: 409}
          - {put: Change, if: absent}
    returns: {name: $name}
  alter:
    takes: {name: Team.name}
    steps:
      - {get: Team, as: team, none: 404}
      - {update: Team, additional: true}
  rename:
    takes: {name: Team.name, newName: Team.name}
    steps:
      - {get: Team, as: team, none: 404}
      - atomic:
          - {delete: Team, by: [name], if: present, else: 404}
          - {put: Team, from: $team, set: {name: $newName}, if: absent, else: 409}
)y";

class ForeignItems : public ::testing::Test {
 protected:
  static Item item_of(const std::string& json) {
    std::vector<std::pair<std::string, Value>> values;
    const Plain plain = *parse_plain_json(json);
    for (const auto& [name, value] : plain.members())
      values.emplace_back(name, *to_value(value, natural_type(value, ValueType::kMap)));
    std::vector<Field> fields;
    for (const auto& [name, value] : values) fields.push_back({name, value});
    return Item(std::move(fields));
  }
  void put(const std::string& json) {
    const auto done = world.engine->put_item({.table_name = "t", .item = item_of(json)});
    ASSERT_TRUE(done.has_value()) << done.error().message;
  }
  void put_team(const std::string& name, const std::string& more) {
    put(fmt::format(R"({{"PK":"TEAM#{0}","SK":"TEAM","Type":"Team","name":"{0}","G1P":"TEAMS","G1S":"{0}"{1}}})", name,
                    more.empty() ? "" : "," + more));
  }
  std::optional<Value> stored(const std::string& name, const std::string& attribute) {
    const auto found = world.engine->get_item(
        {.table_name = "t", .key = Item({{"PK", Value::string("TEAM#" + name)}, {"SK", Value::string("TEAM")}})});
    if (!found || !found->item) return std::nullopt;
    const auto value = found->item->find(attribute);
    return value ? std::optional(Value(*value)) : std::nullopt;
  }
  std::string members(const std::string& name) {
    const auto value = stored(name, "members");
    if (!value) return "none";
    return fmt::format("{} {}", value->view().type() == ValueType::kStringSet ? "SS" : "other",
                       plain_json(to_plain(*value)));
  }
  std::string names(std::string_view read) {
    std::string out;
    for (const Plain& one : world.walk(read, "{}", 1)) out += one.member("name").string() + " ";
    return out;
  }
  DesignWorld world{std::string(kTeams)};
};

TEST_F(ForeignItems, every_write_makes_a_set_of_a_list) {
  for (const char* operation : {"annotate", "note", "change", "alter"}) {
    put_team("a", R"("members":["y","x","y"],"seen":1)");
    const bool notes = std::string_view(operation) != "alter";
    world.ok(operation, notes ? R"({"name":"a","note":"N"})" : R"({"name":"a","color":"red"})");
    EXPECT_EQ(members("a"), R"(SS ["x","y"])") << operation;
    EXPECT_TRUE(stored("a", "seen").has_value());
  }
  put_team("a", R"("members":["x"])");
  world.ok("change", R"({"name":"a","members":["z"]})");
  EXPECT_EQ(members("a"), R"(SS ["z"])");
  put_team("a", R"("members":["x"])");
  world.ok("change", R"({"name":"a","members":null})");
  EXPECT_EQ(members("a"), "none");
}

TEST_F(ForeignItems, a_list_that_cannot_be_a_set_is_not_lost) {
  put_team("a", R"("members":["x",{"y":1}])");
  world.ok("annotate", R"({"name":"a","note":"N"})");
  EXPECT_EQ(members("a"), R"(other ["x",{"y":1}])");
  EXPECT_EQ(stored("a", "note")->view().scalar(), "N");
  world.refused(409, "join", R"({"name":"a","who":["z"]})");
  world.refused(409, "leave", R"({"name":"a","who":["x"]})");
  EXPECT_EQ(members("a"), R"(other ["x",{"y":1}])");
  put_team("a", R"("members":[])");
  world.ok("annotate", R"({"name":"a","note":"N"})");
  EXPECT_EQ(members("a"), "other []");
  world.ok("join", R"({"name":"a","who":["z"]})");
  EXPECT_EQ(members("a"), R"(SS ["z"])");
  put_team("a", R"("members":"x")");
  world.ok("annotate", R"({"name":"a","note":"M"})");
  EXPECT_EQ(stored("a", "note")->view().scalar(), "M");
}

TEST_F(ForeignItems, additional_attributes_in_steps_and_transactions) {
  world.ok("found", R"({"name":"a","note":"N","color":"red","limits":{"a":[1]}})");
  EXPECT_EQ(stored("a", "color")->view().scalar(), "red");
  EXPECT_EQ(plain_json(to_plain(*stored("a", "limits"))), R"({"a":[1]})");
  EXPECT_EQ(world.ok("team", R"({"name":"a"})")["item"].member("color").string(), "red");
  world.ok("alter", R"({"name":"a","color":null,"size":3})");
  EXPECT_FALSE(stored("a", "color").has_value());
  EXPECT_EQ(stored("a", "size")->view().scalar(), "3");
  for (const char* name : {"PK", "Type", "ttl", "G1S", "note"})
    world.refused(400, "alter", fmt::format(R"({{"name":"a","{}":"x"}})", name));
  world.refused(400, "note", R"({"name":"a","note":"N","color":"red"})");
  world.refused(400, "join", R"({"name":"a","who":["z"],"color":"red"})");
}

TEST_F(ForeignItems, additional_is_refused_where_it_cannot_be) {
  const auto mistakes = [](const std::string& writes) {
    return design::read_design(
               "design: d\ntables: {t: {key: [PK]}}\nentities:\n  A: {key: \"A#{a}\", fields: {a: "
               "ulid}, additional: true}\n  B: {key: \"B#{b}\", fields: {b: ulid}}\nwrites:\n  w: " +
               writes + "\n")
        .mistakes.size();
  };
  EXPECT_EQ(mistakes("{takes: {a: ulid}, steps: [{put: A, additional: true}]}"), 0u);
  EXPECT_EQ(mistakes("{takes: {b: ulid}, steps: [{put: B, additional: true}]}"), 1u);
  EXPECT_GT(mistakes("{takes: {a: ulid}, steps: [{delete: A, additional: true}]}"), 0u);
}

TEST_F(ForeignItems, a_move_copies_what_was_changed_meanwhile) {
  put_team("a", R"("color":"red")");
  CallContext context;
  int reads = 0;
  context.observer = [&](const SentRequest& sent) {
    if (std::holds_alternative<const GetItemRequest*>(sent.request) && ++reads == 1)
      put_team("a", R"("color":"blue","extra":1)");
  };
  world.ok("rename", R"({"name":"a","newName":"b"})", context);
  EXPECT_EQ(reads, 2);
  EXPECT_EQ(stored("b", "color")->view().scalar(), "blue");
  EXPECT_TRUE(stored("b", "extra").has_value());
  EXPECT_FALSE(stored("a", "color").has_value());
}

TEST_F(ForeignItems, a_move_of_very_many_attributes_is_refused) {
  std::string more;
  for (int i = 0; i < 201; ++i) more += fmt::format(R"({}"x{}":1)", i == 0 ? "" : ",", i);
  put_team("a", more);
  world.refused(409, "rename", R"({"name":"a","newName":"b"})");
  EXPECT_TRUE(stored("a", "x200").has_value());
}

TEST_F(ForeignItems, a_value_of_another_form_does_not_hinder_other_writes) {
  put_team("a", R"("until":"2099-01-01T00:00:00.123456","kind":"x")");
  put_team("B 1", R"("note":"N")");  // not a valid name in the design
  world.ok("annotate", R"({"name":"a","note":"N"})");
  world.ok("extend", R"({"name":"a","days":1})");
  EXPECT_EQ(stored("a", "until")->view().scalar(), "2099-01-02T00:00:00Z");
  put_team("a", R"("until":"soon")");
  world.ok("change", R"({"name":"a","note":"M"})");
  EXPECT_EQ(stored("a", "until")->view().scalar(), "soon");
  world.ok("rename", R"({"name":"a","newName":"b"})");
  EXPECT_EQ(stored("b", "until")->view().scalar(), "soon");
  put_team("a", R"("ttl":4102444800)");
  world.ok("rename", R"({"name":"a","newName":"c"})");
  EXPECT_EQ(stored("c", "ttl")->view().scalar(), "4102444800") << "another program's expiry";
  put_team("a", R"("ttl":4102444800,"until":"2098-01-01T00:00:00.5")");
  world.ok("rename", R"({"name":"a","newName":"d"})");
  EXPECT_EQ(stored("d", "ttl")->view().scalar(), "4039372800") << "that of its field";
  world.refused(400, "change", R"({"name":"b","until":"soon"})");
  world.refused(400, "change", R"({"name":"b","until":"2099-01-01T00:00:00"})");
}

TEST_F(ForeignItems, an_index_without_the_ttl_attribute_hides_what_has_expired_and_nothing_else) {
  // "a" has expired by its field, but has no TTL attribute. "b" and "c" have expired by the attribute, but not by a
  // field.
  put_team("a", R"("until":"2020-01-01T00:00:00Z")");
  put_team("b", fmt::format(R"("ttl":{})", kTestNowMs / 1000 - 1));
  put_team("c", fmt::format(R"("ttl":{},"until":"2099-01-01T00:00:00Z")", kTestNowMs / 1000 - 1));
  put_team("d", fmt::format(R"("ttl":{},"note":"N")", kTestNowMs / 1000 + 100));
  EXPECT_EQ(names("teams"), "a d ");
  EXPECT_EQ(names("names"), "a d ");
  EXPECT_EQ(world.ok("first", "{}")["item"].member("name").string(), "a");
  EXPECT_EQ(world.ok("noteOf", R"({"name":"d"})").json, R"({"item":{"note":"N"}})");
  world.refused(404, "noteOf", R"({"name":"b"})");
  put_team("a", fmt::format(R"("ttl":{})", kTestNowMs / 1000 - 1));
  EXPECT_EQ(world.ok("first", "{}")["item"].member("name").string(), "d");
}

}  // namespace
}  // namespace trestle::runtime
