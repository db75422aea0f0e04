// The names that the runtime uses itself never collide with those of a design.
#include <fmt/format.h>

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

using Strings = std::vector<std::string>;

// The operations have one input each, with a different name.
constexpr const char* kNamed = R"y(design: named
version: 1
tables: {t: {key: [PK, SK], type: Type, billing: on-demand, indexes: {GSI1: {key: [G1P, G1S]}}}}
types: {Name: "string([a-z], 1..9)"}
entities:
  Group: {key: ["G#{NAME}", G], fields: {NAME: Name, members: counter, best: int optional, rev: revision}}
  Member:
    key: ["G#{NAME}", "M#{points:03}#{id}"]
    fields: {NAME: Name, id: Name, points: int(0..999), nick: Name optional, tags: "set<Name>(..9) optional"}
    unique: {nick: "NICK#{nick}"}
    index: {byNick: {on: GSI1, key: ["NICKS", "{nick}"]}}
tallies: {members: {of: Member, into: Group, by: {NAME: NAME}, add: {members: 1}, max: {best: points}}}
reads:
  group: {get: Group}
  list: {query: Member, by: [NAME]}
  byNick: {get: Member.nick}
writes:
  join: {put: Member, if: absent, else: 409}
  change: {update: Member, takes: {NAME: Name, id: Name, points: int, nick: Name optional, tags: Member.tags optional}, set: [nick], add: {tags: $tags}, else: 404}
  leave: {delete: Member, if: present, else: 404}
  clear: {takes: {NAME: Name}, steps: [{cascade: Member, by: {NAME: $NAME}}]}
  both:
    takes: {NAME: Name, id: Name, other: Name, points: int}
    steps:
      - {put: Member, set: {id: $id}, if: absent, else: 409, undo: [{delete: Member, by: {NAME: $NAME, id: $id, points: $points}}]}
      - {put: Member, set: {id: $other}, if: absent, else: 409}
)y";

TEST(OwnNames, inputs_may_have_any_name) {
  for (const std::string name : {"item", "items", "current", "current2", "job", "inputs", "caller", "old", "new",
                                 "first", "guard", "found", "left", "none", "member", "next", "now"}) {
    std::string text = kNamed;
    for (size_t at; (at = text.find("NAME")) != std::string::npos;) {
      const bool is_nick = text.compare(at, 5, "NAMES") == 0;
      text.replace(at, is_nick ? 5 : 4, name);
    }
    DesignWorld world{text};
    const auto with = [&](const std::string& more) { return fmt::format(R"({{"{}":"g"{}}})", name, more); };
    for (int i = 0; i < 3; ++i)
      world.ok("join", with(fmt::format(R"(,"id":"m","points":{},"nick":"n{}")", i, "abc"[i])));
    EXPECT_EQ(world.ok("list", with(""))["items"].elements().size(), 3u) << name;
    EXPECT_EQ(world.ok("group", with(""))["item"].member("best").string(), "2") << name;
    world.ok("change", with(R"(,"id":"m","points":0,"nick":"nd","tags":["x"])"));
    world.ok("leave", with(R"(,"id":"m","points":2)"));
    EXPECT_EQ(world.ok("group", with(""))["item"].member("best").string(), "1") << name;
    EXPECT_EQ(world.ok("byNick", R"({"nick":"nd"})")["item"].member("id").string(), "m") << name;
    world.refused(409, "both", with(R"(,"id":"x","other":"m","points":1)"));
    EXPECT_EQ(world.faults(), Strings()) << name;
    world.ok("clear", with(""));
    EXPECT_EQ(world.ok("list", with(""))["items"].elements().size(), 0u) << name;
    EXPECT_EQ(world.faults(), Strings()) << name;
  }
}

}  // namespace
}  // namespace trestle::runtime
