// The item in the answer of a write without `returns`.
#include <fmt/format.h>

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kFolders = R"y(design: folders
tables: {folders: {key: [PK, SK], type: Type}}
types: {Name: "string([a-z], 1..9)"}
entities:
  Folder:
    key: ["F#{folder}", FOLDER]
    fields: {folder: Name, files: counter, bytes: counter, title: Name optional}
  File:
    key: ["F#{folder}", "FILE#{file}"]
    fields: {folder: Name, file: Name, size: int(0..9999) = 1, body: text(..100000), secret: string(..9) encrypted optional}
    spill: {body: {over: 1KB}}
  Note:
    key: ["N#{note}", NOTE]
    fields: {note: Name}
  Series:
    key: ["S#{series}", SERIES]
    fields: {series: Name, last: counter}
tallies:
  files: {of: File, into: Folder, by: {folder: folder}, add: {files: 1, bytes: size}}
reads:
  folder: {get: Folder, consistent: true}
writes:
  save: {put: File}
  remove: {delete: File, if: present, else: 404}
  removeBoth:
    takes: {folder: Name, file: Name, note: Name}
    atomic: [{delete: Note}, {delete: File}]
  number: {takes: {series: Name}, steps: [{next: Series.last, as: number}], returns: {number: $number}}
  numberOfKnown: {takes: {series: Name}, steps: [{next: Series.last, as: number, else: 404}], returns: {number: $number}}
  begin:
    takes: {folder: Name, file: Name, note: Name, title: Name, body: File.body}
    atomic: [{put: File}, {put: Note}, {put: Folder}]
)y";

std::string file(const std::string& name) {
  return fmt::format(R"({{"folder":"f","file":"{}","body":"{}","secret":"s"}})", name, std::string(4000, 'b'));
}

TEST(Answers, a_deleted_item_is_answered_with_its_spilled_and_sealed_fields) {
  DesignWorld world{std::string(kFolders)};
  const Reply saved = world.ok("save", file("a"));
  EXPECT_EQ(saved["item"].member("body").string().size(), 4000U);
  EXPECT_EQ(world.ok("remove", R"({"folder":"f","file":"a"})").json, saved.json);
  world.ok("save", file("a"));
  EXPECT_EQ(world.ok("removeBoth", R"({"folder":"f","file":"a","note":"n"})").json, saved.json);
  EXPECT_EQ(world.ok("removeBoth", R"({"folder":"f","file":"a","note":"n"})").json, "{}");
}

TEST(Answers, an_item_can_be_deleted_although_a_spilled_field_is_lost) {
  DesignWorld world{std::string(kFolders)};
  world.ok("save", file("a"));
  std::vector<std::string> names;
  ASSERT_TRUE(world.blobs.each("", [&](std::string_view name, int64_t) { names.emplace_back(name); }).has_value());
  ASSERT_EQ(names.size(), 1U);
  ASSERT_TRUE(world.blobs.erase(names[0]).has_value());
  const Reply removed = world.ok("remove", R"({"folder":"f","file":"a"})");
  EXPECT_EQ(removed["item"].member("file").string(), "a");
  EXPECT_FALSE(removed["item"].member("body").exists());
  EXPECT_EQ(world.ok("folder", R"({"folder":"f"})")["item"].member("files").string(), "0");
}

TEST(Answers, the_last_item_of_a_transaction_in_the_designs_order) {
  DesignWorld world{std::string(kFolders)};
  // An earlier write counts in the folder, and a later one puts it: merged, they are one request.
  const Reply begun = world.ok("begin", R"({"folder":"f","file":"a","note":"n","title":"t","body":"b"})");
  EXPECT_EQ(begun["item"].member("title").string(), "t") << begun.json;
}

TEST(Answers, the_first_number_creates_its_counter) {
  DesignWorld world{std::string(kFolders)};
  EXPECT_EQ(world.call("numberOfKnown", R"({"series":"a"})").status, 404);
  EXPECT_EQ(world.ok("number", R"({"series":"a"})").text("number"), "1");
  EXPECT_EQ(world.ok("number", R"({"series":"a"})").text("number"), "2");
  EXPECT_EQ(world.ok("numberOfKnown", R"({"series":"a"})").text("number"), "3");
  EXPECT_EQ(fmt::format("{}", fmt::join(world.faults(), "\n")), "");
}

// After a loop, the result of a query in it is one list of all that it found, as that of a get is.
TEST(Answers, of_a_query_in_a_loop_are_one_list) {
  DesignWorld world{R"y(design: league
version: 1
tables: {t: {key: [PK, SK]}}
types: {Name: "string([a-z], 1..9)"}
entities:
  Team: {key: ["L#{league}", "T#{team}"], fields: {league: Name, team: Name}}
  Slot: {key: ["S#{league}#{team}", "P#{player}"], fields: {league: Name, team: Name, player: Name, n: int}}
reads:
  summary:
    takes: {leagues: "list<Name>(..9)"}
    steps:
      - for: $leagues
        as: league
        do:
          - {query: Team, by: {league: $league}, all: true, as: teams}
          - for: $teams
            as: team
            do: [{query: Slot, by: {league: $league, team: $team.team}, all: true, as: slots}]
    returns:
      teams: count($teams)
      slots: count($slots)
      sum: sum($slots.n)
      most: max($slots.n)
      players: {each: $slots, of: player}
      strong: {each: $slots, where: n > 2, of: player}
      byPlayer: {each: $slots, key: player, of: team}
writes:
  addTeam: {put: Team}
  addSlot: {put: Slot}
)y"};
  for (const char* team :
       {R"({"league":"a","team":"x"})", R"({"league":"a","team":"y"})", R"({"league":"b","team":"z"})"})
    world.ok("addTeam", team);
  world.ok("addSlot", R"({"league":"a","team":"x","player":"p","n":1})");
  world.ok("addSlot", R"({"league":"a","team":"x","player":"q","n":2})");
  world.ok("addSlot", R"({"league":"b","team":"z","player":"r","n":4})");
  EXPECT_EQ(world.ok("summary", R"({"leagues":["a","b"]})").json,
            R"({"teams":3,"slots":3,"sum":7,"most":4,"players":["p","q","r"],"strong":["r"],)"
            R"("byPlayer":{"p":"x","q":"x","r":"z"}})");
  EXPECT_EQ(world.ok("summary", R"({"leagues":[]})").json,
            R"({"teams":0,"slots":0,"sum":0,"players":[],"strong":[],"byPlayer":{}})");
}

}  // namespace
}  // namespace trestle::runtime
