// A condition has the same meaning everywhere: sent to the database as a filter or a condition, or evaluated by the
// runtime for an index entry, a tally or a write. Conditions and items are random; the database's result is the
// reference.
#include <fmt/format.h>

#include <cstdlib>
#include <random>
#include <set>

#include "runtime/design_world.h"

namespace trestle::runtime {
namespace {

class ConditionMaker {
 public:
  explicit ConditionMaker(uint64_t seed) : random_(seed) {}

  std::string condition(int depth = 2) {
    switch (depth == 0 ? 0 : random_() % 5) {
      case 1:
        return fmt::format("NOT ({})", condition(depth - 1));
      case 2:
        return fmt::format("({}) AND ({})", condition(depth - 1), condition(depth - 1));
      case 3:
        return fmt::format("({}) OR ({})", condition(depth - 1), condition(depth - 1));
      default:
        return comparison();
    }
  }

  std::string item() {
    std::string out = fmt::format("\"n\":{}", number() + 4);
    const auto maybe = [&](std::string_view name, std::string_view value) {
      if (random_() % 5 < 2) out += fmt::format(",\"{}\":{}", name, value);
    };
    maybe("x", fmt::format("{}", number()));
    maybe("y", fmt::format("{}", number()));
    maybe("s", pick({R"("")", R"("a")", R"("ab")", R"("b")", R"("🙂")", R"("🙂é")"}));
    maybe("t", pick({R"(["b"])", R"(["a","bb"])", R"(["a","b","c"])"}));
    maybe("l", pick({"[]", "[3]", "[1,3]"}));
    maybe("b", pick({"true", "false"}));
    maybe("e", pick({R"("red")", R"("green")"}));
    maybe("m", pick({"{}", R"({"k":1})", R"({"j":1,"k":3})"}));
    maybe("d", pick({R"("2025-12-31")", R"("2026-01-01")"}));
    maybe("w", pick({R"("2026-01-01T00:00:00Z")", R"("2026-01-02T10:00:00Z")"}));
    maybe("z", pick({"1767225600", "1767348000"}));
    return out;
  }

 private:
  int number() { return static_cast<int>(random_() % 7) - 2; }
  std::string pick(const std::vector<std::string>& of) { return of[random_() % of.size()]; }
  std::string symbol() { return pick({"=", "<>", "<", "<=", ">", ">="}); }

  std::string comparison() {
    switch (random_() % 17) {
      case 0:
        return fmt::format("x {} {}", symbol(), number());
      case 1:
        return fmt::format("x {} y", symbol());
      case 2:
        return fmt::format("s {} '{}'", symbol(), pick({"", "a", "aa", "b"}));
      case 3:
        return fmt::format("x BETWEEN {} AND {}", number() % 2, number() + 4);
      case 4:
        return fmt::format("x IN ({}, {})", number(), number());
      case 5:
        return fmt::format("begins_with(s, '{}')", pick({"a", "ab"}));
      case 6:
        return fmt::format("contains({}, '{}')", pick({"s", "t"}), pick({"a", "b"}));
      case 7:
        return "contains(l, 3)";
      case 8:
        return fmt::format("size({}) {} {}", pick({"s", "t", "l", "m", "e", "d"}), symbol(), random_() % 4);
      case 9:
        return fmt::format("{}({})", pick({"attribute_exists", "attribute_not_exists", "exists"}),
                           pick({"x", "s", "t", "m", "m.k", "l[0]"}));
      case 10:
        return fmt::format("b {} {}", pick({"=", "<>"}), pick({"true", "false"}));
      case 11:
        return pick({"e = red", "e <> red", "e IN (red, green)", "e IN (red)", "b"});
      case 12:
        return fmt::format("m.k {} {}", symbol(), number());
      case 13:
        return fmt::format("d {} '2026-01-01'", symbol());
      case 14:
        return fmt::format("attribute_type({})", pick({"x, 'N'", "s, 'S'", "t, 'SS'", "l, 'L'", "m, 'M'", "b, 'BOOL'",
                                                       "z, 'N'", "w, 'S'", "x, 'S'"}));
      case 15:
        return fmt::format("{} {} null", pick({"x", "m.k", "t"}), pick({"=", "<>"}));
      default:
        return fmt::format("{} {} '2026-01-01T00:00:00Z'", pick({"w", "z"}), symbol());
    }
  }

  std::mt19937_64 random_;
};

constexpr const char* kFields =
    "x: int optional, y: int optional, s: \"string(..9) optional\", t: \"set<string(1..9)> optional\", "
    "l: \"list<int> optional\", b: bool optional, e: \"enum(red, green) optional\", m: \"map<int> optional\", "
    "d: date optional, w: time optional, z: epoch optional, n: int = 0";

// For each condition: a filter, an index entry, a tally, and updates whose `if` is sent and evaluated.
std::string design_with(const std::vector<std::string>& conditions) {
  std::string indexes, entries, counts, tallies, reads, writes;
  for (size_t i = 0; i < conditions.size(); ++i) {
    const std::string& condition = conditions[i];
    indexes += fmt::format("{}i{}: {{key: [a{}, b{}]}}", i == 0 ? "" : ", ", i, i, i);
    entries += fmt::format("      x{}: {{on: i{}, key: [\"X#{{g}}\", \"{{i}}\"], if: \"{}\"}}\n", i, i, condition);
    counts += fmt::format("  C{}: {{key: [\"G#{{g}}\", C{}], fields: {{g: Name, n: counter}}}}\n", i, i);
    tallies +=
        fmt::format("  t{}: {{of: It, into: C{}, by: {{g: g}}, add: {{n: 1}}, when: \"{}\"}}\n", i, i, condition);
    reads += fmt::format("  c{}: {{get: C{}}}\n  x{}: {{query: It.x{}}}\n  f{}: {{query: It, filter: \"{}\"}}\n", i, i,
                         i, i, i, condition);
    writes += fmt::format(
        "  u{}:\n    takes: {{g: Name, i: Name}}\n    steps: [{{update: It, set: {{v: 1}}, if: \"{}\", else: 409}}]\n",
        i, condition);
    writes += fmt::format(
        "  v{}:\n    takes: {{g: Name, i: Name}}\n    steps: [{{update: It, set: {{v: 2}}, if: \"({}) AND n * 2 >= "
        "0\", else: 409}}]\n",
        i, condition);
  }
  return fmt::format(R"yaml(
design: conditions
version: 1
tables: {{tbl: {{key: [PK, SK], type: Kind, indexes: {{{}}}}}}}
types: {{Name: "string([a-z0-9], 1..9)"}}
entities:
  It:
    key: ["G#{{g}}", "I#{{i}}"]
    fields: {{g: Name, i: Name, v: int = 0, {}}}
    index:
{}
{}
tallies:
{}
reads:
{}
writes:
  put: {{put: It, if: absent, else: 409}}
{}
)yaml",
                     indexes, kFields, entries, counts, tallies, reads, writes);
}

void compare_meanings(uint64_t seed) {
  ConditionMaker maker(seed);
  std::vector<std::string> conditions;
  for (int i = 0; i < 6; ++i) conditions.push_back(maker.condition());
  DesignWorld world(design_with(conditions));
  std::vector<std::string> items;
  for (int i = 0; i < 16; ++i) {
    items.push_back(maker.item());
    world.ok("put", fmt::format(R"({{"g":"g","i":"i{:02}",{}}})", i, items.back()));
  }
  const auto found = [&](const std::string& read) {
    std::set<std::string> ids;
    for (const Plain& one : world.walk(read, R"({"g":"g"})", 100)) ids.insert(one.member("i").string());
    return ids;
  };
  const auto updated = [&](const std::string& write) {
    std::set<std::string> ids;
    for (size_t i = 0; i < items.size(); ++i) {
      const std::string id = fmt::format("i{:02}", i);
      const Reply reply = world.call(write, fmt::format(R"({{"g":"g","i":"{}"}})", id));
      EXPECT_TRUE(reply.status == 200 || reply.status == 409) << reply.message;
      if (reply.status == 200) ids.insert(id);
    }
    return ids;
  };
  for (size_t i = 0; i < conditions.size(); ++i) {
    const auto right = found(fmt::format("f{}", i));
    const auto same = [&](const std::set<std::string>& those, std::string_view where) {
      for (size_t k = 0; k < items.size(); ++k) {
        const std::string id = fmt::format("i{:02}", k);
        EXPECT_EQ(those.contains(id), right.contains(id))
            << where << ": " << conditions[i] << " of {" << items[k] << "}, seed " << seed;
      }
    };
    same(found(fmt::format("x{}", i)), "index entry");
    same(updated(fmt::format("u{}", i)), "sent");
    same(updated(fmt::format("v{}", i)), "evaluated");
    const Reply count = world.call(fmt::format("c{}", i), R"({"g":"g"})");
    const std::string counted = count.status == 404 ? "0" : count["item"].member("n").string();
    EXPECT_EQ(counted, std::to_string(right.size())) << "tally: " << conditions[i] << ", seed " << seed;
  }
  EXPECT_EQ(world.faults(), std::vector<std::string>()) << "seed " << seed;
}

TEST(Conditions, mean_the_same_wherever_they_are_evaluated) {
  const char* first = std::getenv("TRESTLE_CONDITIONS_SEED");
  const char* many = std::getenv("TRESTLE_CONDITIONS");
  const uint64_t seed = first == nullptr ? 1 : std::strtoull(first, nullptr, 10);
  const int rounds = many == nullptr ? 12 : std::atoi(many);
  for (int i = 0; i < rounds && !testing::Test::HasFailure(); ++i) compare_meanings(seed + static_cast<uint64_t>(i));
}

TEST(Conditions, an_omitted_input_equals_nothing) {
  const std::vector<std::string> conditions = {"x <> $p",
                                               "NOT x = $p",
                                               "x = $p",
                                               "x < $p",
                                               "x IN (1, $p)",
                                               "$p <> x",
                                               "x BETWEEN 0 AND $p",
                                               "NOT x BETWEEN $p AND $q",
                                               "begins_with(s, $w)",
                                               "NOT begins_with(s, $w)",
                                               "contains(s, $w)",
                                               "s > $w",
                                               "size(s) <= $p",
                                               "contains(t, $w)",
                                               "k < $k",
                                               "k = $k",
                                               "x BETWEEN $q AND $p OR x = $p"};
  std::string writes;
  for (size_t i = 0; i < conditions.size(); ++i) {
    for (const bool computed : {false, true}) {
      writes += fmt::format(
          "  {}{}:\n    takes: {{g: Name, p: int optional, q: int optional, w: It.s optional, k: It.k optional}}\n    "
          "steps: [{{update: It, set: {{v: 1}}, if: \"({}){}\", "
          "else: 409}}]\n",
          computed ? "v" : "u", i, conditions[i], computed ? " AND n * 2 >= 0" : "");
    }
  }
  DesignWorld world(fmt::format(R"yaml(
design: conditions
version: 1
tables: {{tbl: {{key: [PK]}}}}
types: {{Name: "string([a-z0-9], 1..9)"}}
entities:
  It: {{key: ["G#{{g}}"], fields: {{g: Name, x: int optional, s: "string(..9) optional", t: "set<string(1..9)> optional", k: binary optional, v: int = 0, n: int = 0}}}}
reads: {{it: {{get: It}}}}
writes:
  put: {{put: It, if: absent, else: 409}}
{}
)yaml",
                                writes));
  world.ok("put", R"({"g":"some","x":1,"s":"ab","t":["ab"],"k":"eHh4"})");
  world.ok("put", R"({"g":"none"})");
  for (size_t i = 0; i < conditions.size(); ++i) {
    for (const char* item : {"some", "none"}) {
      for (const char* input :
           {"", R"(,"p":1)", R"(,"p":2)", R"(,"p":1,"q":0,"w":"ab","k":"eHh4")", R"(,"p":0,"q":2)"}) {
        const std::string json = fmt::format(R"({{"g":"{}"{}}})", item, input);
        EXPECT_EQ(world.call(fmt::format("v{}", i), json).status, world.call(fmt::format("u{}", i), json).status)
            << conditions[i] << " with " << json << world.call(fmt::format("u{}", i), json).message;
      }
    }
  }
}

}  // namespace
}  // namespace trestle::runtime
