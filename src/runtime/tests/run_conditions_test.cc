// A condition has the same meaning everywhere: sent to the database as a filter or a condition, or evaluated by the
// runtime for an index entry, a tally, a write or the members of an answer. Conditions and items are random. The
// database's result is the reference, unless T230 refuses the filter.
#include <fmt/format.h>

#include <cstdlib>
#include <random>
#include <set>

#include "design/check/check.h"
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

class ConditionMaker {
 public:
  // `with_inputs`: the conditions use the inputs of kInputs, too.
  explicit ConditionMaker(uint64_t seed, bool with_inputs = false) : random_(seed), with_inputs_(with_inputs) {}

  std::string condition(int depth = 2) {
    switch (depth == 0 ? 0 : random_() % 5) {
      case 1:
        return fmt::format("NOT ({})", condition(depth - 1));
      case 2:
        return fmt::format("({}) AND ({})", condition(depth - 1), condition(depth - 1));
      case 3:
        return fmt::format("({}) OR ({})", condition(depth - 1), condition(depth - 1));
      default:
        return with_inputs_ && random_() % 2 == 0 ? comparison_of_input() : comparison();
    }
  }

  std::string inputs() {
    std::string out;
    const auto maybe = [&](std::string_view name, const std::string& value) {
      if (random_() % 5 < 3) out += fmt::format(",\"{}\":{}", name, value);
    };
    maybe("count", fmt::format("{}", number()));
    maybe("at", fmt::format("\"{}\"", time()));
    maybe("part", pick({R"("a")", R"("ab")", R"("bab")", fmt::format("\"{}\"", time_like())}));
    maybe("many", pick({R"(["a"])", R"(["ab","b"])", fmt::format("[\"{}\"]", time_like())}));
    maybe("flag", pick({"true", "false"}));
    return out;
  }

  std::string item() {
    std::string out = fmt::format("\"n\":{}", number() + 4);
    const auto maybe = [&](std::string_view name, std::string_view value) {
      if (random_() % 5 < 2) out += fmt::format(",\"{}\":{}", name, value);
    };
    for (const std::string& field : kTimes) maybe(field, fmt::format("\"{}\"", value_of(field)));
    for (const char* field : {"k", "kk"}) maybe(field, fmt::format("\"{}\"", time_like()));
    maybe("r", fmt::format(R"(["{}","{}"])", time(), time()));
    maybe("c", fmt::format(R"({{"at":"{}"}})", time()));
    maybe("x", fmt::format("{}", number()));
    maybe("y", fmt::format("{}", number()));
    maybe("s", pick({R"("")", R"("a")", R"("ab")", R"("b")", R"("🙂")", R"("🙂é")"}));
    maybe("t", pick({R"(["b"])", R"(["a","bb"])", R"(["a","b","c"])"}));
    maybe("l", pick({"[]", "[3]", "[1,3]"}));
    maybe("b", pick({"true", "false"}));
    maybe("e", pick({R"("red")", R"("green")"}));
    maybe("m", pick({"{}", R"({"k":1})", R"({"j":1,"k":3})"}));
    return out;
  }

 private:
  // Fields that are times, each of another form: kFields.
  inline static const std::vector<std::string> kTimes = {"w", "wm", "z", "zm", "zs", "d", "h"};

  // Times near those of now, 12:00:30.500, many of which only the finest forms can represent.
  std::string time() {
    return pick({"2026-01-15T00:00:00Z", "2026-01-15T12:00:00Z", "2026-01-15T12:00:30Z", "2026-01-15T12:00:30.500Z",
                 "2026-01-15T13:00:30.500+01:00", "2026-01-15T12:00:31Z", "2026-01-15T13:00:00Z",
                 "2026-01-16T00:00:00Z"});
  }
  std::string time_like() {
    return pick({"2026-01-15T12:00:30Z", "2026-01-15T13:00:30+01:00", "2026-01-15T12:00:30.000Z", "2026-01-15"});
  }
  std::string value_of(const std::string& field) {
    if (field == "d") return pick({"2026-01-15", "2026-01-16"});
    if (field == "h") return pick({"2026-01-15-12", "2026-01-15-13"});
    return time();
  }

  int number() { return static_cast<int>(random_() % 7) - 2; }
  std::string pick(const std::vector<std::string>& of) { return of[random_() % of.size()]; }
  std::string symbol() { return pick({"=", "<>", "<", "<=", ">", ">="}); }

  std::string comparison() {
    switch (random_() % 31) {
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
        return fmt::format("d {} '2026-01-15'", symbol());
      case 14:
        return fmt::format("attribute_type({})", pick({"x, 'N'", "s, 'S'", "t, 'SS'", "l, 'L'", "m, 'M'", "b, 'BOOL'",
                                                       "z, 'N'", "w, 'S'", "x, 'S'"}));
      case 15:
        return fmt::format("{} {} null", pick({"x", "m.k", "t"}), pick({"=", "<>"}));
      case 16:
        return fmt::format("x {} {} {} {}", pick({"+", "-"}), number(), symbol(), pick({"2", "y", "n - y"}));
      case 17:
        return fmt::format("{} - x {} {}", number(), symbol(), pick({"1", "y", "x"}));
      case 18:
        return fmt::format("{} {} {}", pick({"x", "s", "wm", "t", "m.k"}), symbol_of_any(),
                           pick({"x", "s", "wm", "t"}));
      case 19:
      case 20:
        return fmt::format("{} {} {}", pick(kTimes), symbol(), pick(kTimes));
      case 21:
        return fmt::format("{} {} '{}'", pick(kTimes), symbol(), time());
      case 22:
        return fmt::format("{} {} {}", pick({"w + 30m", "zm - 1s", "d + 12h", "wm"}), symbol(),
                           pick({"now", "now + 30m", "wm", "zm + 0s", "today"}));
      case 30:
        return fmt::format("{} {} {}", pick({"now - wm", "now - w", "wm - now + 1s", "z - now", "now - 1s - h"}),
                           symbol(), pick({"0s", "1s", "30s", "30m + 1s"}));
      case 23:
        return fmt::format("{} BETWEEN {} AND {}", pick(kTimes), pick({"w", "z", "d", "'2026-01-15T12:00:30.500Z'"}),
                           pick({"wm", "zs", "now"}));
      case 24:
        return fmt::format("{} BETWEEN {} AND {}", pick({"now", "'2026-01-15T12:00:30Z'"}), pick(kTimes), pick(kTimes));
      case 25:
        return fmt::format("{} {} {}", pick({"k", "kk"}), symbol(),
                           pick({"k", "kk", "w", "z", "now", "x", fmt::format("'{}'", time_like())}));
      case 26:
        return fmt::format("{} IN ({}, {})", pick({"w", "zm", "k", "'2026-01-15T12:00:30Z'"}),
                           pick({"wm", "k", "'2026-01-15T12:00:30.000Z'"}), pick({"zs", "now"}));
      case 27:
        return fmt::format("contains(r, '{}')", time());
      case 28:
        return pick({"begins_with(w, '2026-01-15T12')", "begins_with(d, '2026-01')", "contains(wm, '30.5')",
                     "contains('xab', s)", "contains(s, s)", "c.at > w", "begins_with(k, '2026-01-15T13')"});
      default:
        return fmt::format("c.at {} {}", symbol(), pick({"now", "'2026-01-15T12:00:30.500Z'", "'2026-01-15'"}));
    }
  }

  std::string comparison_of_input() {
    switch (random_() % 12) {
      case 0:
        return fmt::format("exists(${})", pick({"count", "at", "part", "many", "flag"}));
      case 1:
        return pick({"$flag", "$flag = true", "$flag <> b", "$count - 1 > 0"});
      case 2:
        return fmt::format("size({}) {} {}", pick({"$part", "$many"}), symbol(), pick({"2", "x", "size(s)"}));
      case 3:
        return fmt::format("contains({}, {})", pick({"$part", "$many"}), pick({"s", "k", "'a'"}));
      case 4:
        return fmt::format("{} {} $at", pick(kTimes), symbol());
      case 5:
        return fmt::format("x {} {}", symbol(), pick({"$count", "$count + 1", "2 - $count"}));
      case 6:
        return fmt::format("{} {} {}", pick({"x - $count", "$count", "$count - x"}), symbol(), pick({"1", "y"}));
      case 7:
        return fmt::format("{} {} {}", pick({"k", "s", "e", "w", "d"}), symbol(), pick({"$part", "$at"}));
      case 8:
        return fmt::format("{}({}, $part)", pick({"begins_with", "contains"}), pick({"s", "k", "t"}));
      case 9:
        return fmt::format("{} BETWEEN {} AND {}", pick({"$count", "x"}), pick({"x", "0", "$count"}), pick({"y", "2"}));
      case 10:
        return fmt::format("{} BETWEEN {} AND {}", pick({"$at", "wm", "now"}), pick({"w", "$at"}), pick({"zm", "$at"}));
      default:
        return fmt::format("{} IN ({}, {})", pick({"$part", "s", "k"}), pick({"s", "$part", "'a'"}),
                           pick({"k", "'ab'"}));
    }
  }
  // Sets can only be equal or not.
  std::string symbol_of_any() { return pick({"=", "<>"}); }

  std::mt19937_64 random_;
  bool with_inputs_;
};

constexpr const char* kFields =
    "x: int optional, y: int optional, s: \"string(..60) optional\", t: \"set<string(1..9)> optional\", "
    "l: \"list<int> optional\", b: bool optional, e: \"enum(red, green) optional\", m: \"map<int> optional\", "
    "d: date optional, h: hour optional, w: time optional, wm: time(ms) optional, z: epoch optional, zm: epoch(ms) "
    "optional, "
    "zs: epoch(1m) optional, k: \"string(..60) optional\", kk: \"string(..60) optional\", r: \"set<time(ms)> "
    "optional\", "
    "c: Times optional, n: int = 0";
constexpr const char* kInputs =
    ", count: int optional, at: time(ms) optional, part: \"string(..60) optional\", many: \"set<string(..60)> "
    "optional\", "
    "flag: bool optional";

struct Condition {
  std::string text;
  bool is_filter = true;  // the database can evaluate it as a filter
};

// For each condition: a filter, the members of an answer, and updates whose `if` is sent and evaluated; without inputs
// also an index entry and a tally.
std::string design_with(const std::vector<Condition>& conditions, bool with_inputs) {
  std::string indexes, entries, counts, tallies, reads, writes;
  const std::string inputs = with_inputs ? kInputs : "";
  for (size_t i = 0; i < conditions.size(); ++i) {
    const std::string& condition = conditions[i].text;
    if (!with_inputs) {
      indexes += fmt::format("{}i{}: {{key: [a{}, b{}]}}", i == 0 ? "" : ", ", i, i, i);
      entries += fmt::format("      x{}: {{on: i{}, key: [\"X#{{g}}\", \"{{i}}\"], if: \"{}\"}}\n", i, i, condition);
      counts += fmt::format("  C{}: {{key: [\"G#{{g}}\", C{}], fields: {{g: Name, n: counter}}}}\n", i, i);
      tallies +=
          fmt::format("  t{}: {{of: It, into: C{}, by: {{g: g}}, add: {{n: 1}}, when: \"{}\"}}\n", i, i, condition);
      reads += fmt::format("  c{}: {{get: C{}}}\n  x{}: {{query: It.x{}}}\n", i, i, i, i);
    }
    if (conditions[i].is_filter)
      reads += fmt::format("  f{}: {{query: It, filter: \"{}\", takes: {{g: Name{}}}}}\n", i, condition, inputs);
    reads += fmt::format(
        "  w{}: {{takes: {{g: Name{}}}, steps: [{{query: It, all: true, as: its}}], returns: {{ids: {{each: $its, "
        "where: \"{}\", of: i}}}}}}\n",
        i, inputs, condition);
    for (const bool computed : {false, true}) {
      writes += fmt::format(
          "  {}{}:\n    takes: {{g: Name, i: Name{}}}\n    steps: [{{update: It, set: {{v: 1}}, if: \"({}){}\", else: "
          "409}}]\n",
          computed ? "v" : "u", i, inputs, condition, computed ? " AND n * 2 >= 0" : "");
    }
  }
  return fmt::format(R"yaml(
design: conditions
version: 1
tables: {{tbl: {{key: [PK, SK], type: Kind, indexes: {{{}}}}}}}
types: {{Name: "string([a-z0-9], 1..9)", Times: {{at: "time(ms)"}}}}
entities:
  It:
    key: ["G#{{g}}", "I#{{i}}"]
    fields: {{g: Name, i: Name, v: int = 0, {}}}
{}{}
{}
{}{}
reads:
{}
writes:
  put: {{put: It, if: absent, else: 409}}
{}
)yaml",
                     indexes, kFields, entries.empty() ? "" : "    index:\n", entries, counts,
                     tallies.empty() ? "" : "tallies:\n", tallies, reads, writes);
}

// Which conditions T230 refuses as filters.
void find_filters(std::vector<Condition>& conditions, bool with_inputs) {
  const design::Reading reading = design::read_design(design_with(conditions, with_inputs));
  ASSERT_TRUE(reading.mistakes.empty()) << reading.mistakes[0].message;
  for (const auto& finding : design::check_design(reading).findings) {
    for (size_t i = 0; i < conditions.size() && finding.code == "T230"; ++i)
      conditions[i].is_filter &= !finding.message.starts_with(fmt::format("`f{}` ", i));
  }
}

void compare_meanings(uint64_t seed, bool with_inputs) {
  ConditionMaker maker(seed, with_inputs);
  std::vector<Condition> conditions;
  for (int i = 0; i < 6; ++i) conditions.push_back({maker.condition()});
  find_filters(conditions, with_inputs);
  DesignWorld world(design_with(conditions, with_inputs));
  world.clock.advance_ms(30'500);
  std::vector<std::string> items;
  for (int i = 0; i < 16; ++i) {
    items.push_back(maker.item());
    world.ok("put", fmt::format(R"({{"g":"g","i":"i{:02}",{}}})", i, items.back()));
  }
  using Ids = std::set<std::string>;
  for (size_t i = 0; i < conditions.size(); ++i) {
    const std::string inputs = with_inputs ? maker.inputs() : "";
    const auto found = [&](char read) {
      Ids ids;
      for (const Plain& one : world.walk(fmt::format("{}{}", read, i), fmt::format(R"({{"g":"g"{}}})", inputs), 100))
        ids.insert(one.member("i").string());
      return ids;
    };
    const auto updated = [&](char write) {
      Ids ids;
      for (size_t k = 0; k < items.size(); ++k) {
        const std::string id = fmt::format("i{:02}", k);
        const Reply reply =
            world.call(fmt::format("{}{}", write, i), fmt::format(R"({{"g":"g","i":"{}"{}}})", id, inputs));
        EXPECT_TRUE(reply.status == 200 || reply.status == 409)
            << conditions[i].text << " with " << inputs << ": " << reply.message << ", seed " << seed;
        if (reply.status == 200) ids.insert(id);
      }
      return ids;
    };
    Ids chosen;
    const Reply answer = world.ok(fmt::format("w{}", i), fmt::format(R"({{"g":"g"{}}})", inputs));
    for (const Plain& id : elements_of(answer["ids"])) chosen.insert(id.string());
    const Ids right = conditions[i].is_filter ? found('f') : chosen;
    const auto same = [&](const Ids& those, std::string_view where) {
      for (size_t k = 0; k < items.size(); ++k) {
        const std::string id = fmt::format("i{:02}", k);
        EXPECT_EQ(those.contains(id), right.contains(id))
            << where << ": " << conditions[i].text << " of {" << items[k] << "} with " << inputs << ", seed " << seed;
      }
    };
    same(chosen, "where");
    same(updated('u'), "sent");
    same(updated('v'), "evaluated");
    if (with_inputs) continue;
    same(found('x'), "index entry");
    const Reply count = world.call(fmt::format("c{}", i), R"({"g":"g"})");
    const std::string counted = count.status == 404 ? "0" : count["item"].member("n").string();
    EXPECT_EQ(counted, std::to_string(right.size())) << "tally: " << conditions[i].text << ", seed " << seed;
  }
  EXPECT_EQ(world.faults(), std::vector<std::string>()) << "seed " << seed;
}

void compare_meanings(bool with_inputs) {
  const char* first = std::getenv("TRESTLE_CONDITIONS_SEED");
  const char* many = std::getenv("TRESTLE_CONDITIONS");
  const uint64_t seed = first == nullptr ? 1 : std::strtoull(first, nullptr, 10);
  const int rounds = many == nullptr ? 16 : std::atoi(many);
  for (int i = 0; i < rounds && !testing::Test::HasFailure(); ++i)
    compare_meanings(seed + static_cast<uint64_t>(i), with_inputs);
}

TEST(Conditions, mean_the_same_wherever_they_are_evaluated) { compare_meanings(false); }

TEST(Conditions, of_inputs_mean_the_same_wherever_they_are_evaluated) { compare_meanings(true); }

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
