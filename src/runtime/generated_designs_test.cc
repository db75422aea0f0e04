// Designs made at random, run with random calls, against a plain model; then verification must find nothing.
// TRESTLE_GENERATED_DESIGNS says how many, TRESTLE_GENERATED_SEED with which seed they begin.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "design/check/check.h"
#include "runtime/background/stream_tallies.h"
#include "runtime/design_world.h"
#include "runtime/generated_design.h"

namespace trestle::runtime {

GeneratedDesign::GeneratedDesign(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto flip = [&](unsigned of = 2) { return random() % of == 0; };
  const auto pick = [&](std::initializer_list<const char*> list) {
    return std::string(*(list.begin() + static_cast<long>(random() % list.size())));
  };
  parent_required = flip();
  counts_only_x = flip();
  unique_one = flip();
  unique_two = flip(3);
  has_flow = flip(3);
  has_expiry = flip();
  has_children = flip();
  const bool by_stream = flip(3);
  // An expiry is no write of the operation's: what counts such items must read the stream.
  const bool main_by_stream = by_stream || has_expiry;
  counts_in_transaction = !main_by_stream;
  has_stream = main_by_stream || by_stream;
  const std::string closed = pick({"", "", "pack", "spill", "encrypted"});
  const bool closed_decides = closed != "encrypted" && flip();  // an index entry depends on the closed field
  const bool two_tables = flip(3);
  const bool local = flip(3);
  const bool revision = flip(3);
  const std::string pad = pick({"{n:02}", "{n:04}", "{n}"});
  const std::string short_text = "\"string([a-z], 1..3)\"";
  const std::string optional_text = "\"string([a-z], 1..3) optional\"";

  yaml = fmt::format("# seed {}\ndesign: made\nversion: 1\ntables:\n", seed);
  const auto table = [&](const std::string& name) {
    yaml += fmt::format("  {}:\n    key: [PK, SK]\n    type: Type\n    ttl: ttl\n    billing: on-demand\n", name);
    if (has_stream) yaml += "    stream: new-and-old\n";
    yaml += "    indexes:\n      GSI1: {key: [G1P, G1S]}\n      GSI2: {key: [G2P, G2S]}\n";
    if (local) yaml += "      LSI1: {local: true, key: [PK, L1]}\n";
  };
  table("first");
  if (two_tables) table("second");

  yaml += "entities:\n";
  yaml += fmt::format("  Parent:\n    table: {}\n    key: [\"P#{{a}}\", PARENT]\n    fields:\n      a: {}\n",
                      two_tables ? "second" : "first", short_text);
  yaml += "      total: counter\n      sum: counter\n      marks: counter\n      by: map<int> optional\n";
  if (parent_required) yaml += fmt::format("      name: {}\n", short_text);
  yaml += fmt::format("  Main:\n    table: first\n    key: [\"A#{{a}}\", \"M#{}\"]\n    fields:\n", pad);
  yaml +=
      fmt::format("      a: {}\n      n: int(0..99)\n      s: enum(x, y, z)\n      u: {}\n", short_text, optional_text);
  yaml += fmt::format("      o: {}\n      w: int(0..50)\n", optional_text);
  if (has_expiry) yaml += "      e: epoch optional\n";
  if (has_children) yaml += "      l: \"list<string([a-z], 1..2)>(..4) optional\"\n";
  yaml += fmt::format("      p: string(..400) optional{}\n", closed == "encrypted" ? " encrypted" : "");
  if (revision) yaml += "      r: revision\n";
  yaml += "    index:\n";
  yaml += fmt::format("      byState: {{on: GSI1, key: [\"S#{{s}}#{{a}}\", \"{}\"]{}}}\n",
                      pick({"{w:02}#{n:02}", "{o}#{n:02}", "{n:02}"}), flip() ? ", if: s <> z" : "");
  yaml += fmt::format("      byOption: {{on: GSI2, key: [\"O#{{o}}\", \"{{a}}#{{n:02}}\"]{}}}\n",
                      closed_decides ? ", if: exists(p)" : "");
  if (local)
    yaml += fmt::format("      byLocal: {{on: LSI1, key: [\"A#{{a}}\", \"{}\"]}}\n", pick({"{w:02}", "{o}#{s}"}));
  if (unique_one || unique_two) yaml += "    unique:\n";
  if (unique_one) yaml += fmt::format("      one: {{key: \"U#{{u}}\"{}}}\n", flip() ? ", keeps: [a, n, o]" : "");
  if (unique_two) yaml += "      two: \"V#{s}#{u}\"\n";
  if (has_expiry) yaml += "    ttl: e\n";
  if (has_flow) yaml += "    flow: {s: {x: [y], y: [z]}}\n";
  if (has_children) yaml += "    each: {l: Part.m}\n";
  if (closed == "pack") yaml += "    pack: {p: {over: 40B, saves: 10%}}\n";
  if (closed == "spill") yaml += "    spill: {p: {over: 60B}}\n";
  if (has_children)
    yaml += fmt::format(
        "  Part:\n    table: first\n    key: [\"A#{{a}}\", \"L#{}#{{m}}\"]\n    fields: {{a: {}, n: int(0..99), m: "
        "\"string([a-z], 1..2)\"}}\n",
        pad, short_text);
  yaml += fmt::format("  Mark:\n    table: first\n    key: [\"A#{{a}}\", \"K#{{k}}\"]\n    fields: {{a: {}, k: {}}}\n",
                      short_text, short_text);

  yaml += "tallies:\n";
  const std::string stream = main_by_stream ? ", through: stream" : "";
  yaml += fmt::format("  counted: {{of: Main, into: Parent, by: {{a: a}}, add: {{total: 1, \"by[s]\": 1}}{}{}}}\n",
                      counts_only_x ? ", when: s = x" : "", stream);
  yaml += fmt::format("  summed: {{of: Main, into: Parent, by: {{a: a}}, add: {{sum: w}}{}}}\n", stream);
  yaml += fmt::format("  marked: {{of: Mark, into: Parent, by: {{a: a}}, add: {{marks: 1}}{}}}\n",
                      by_stream ? ", through: stream" : "");

  yaml +=
      "reads:\n  main: {get: Main, consistent: true}\n  ofA: {query: Main, by: [a], consistent: true}\n"
      "  parent: {get: Parent, consistent: true}\n  marks: {query: Mark, by: [a]}\n"
      "  byState: {query: Main.byState, by: [s, a]}\n  byOption: {query: Main.byOption, by: [o]}\n";
  if (unique_one) yaml += "  byOne: {get: Main.one}\n";
  if (local) yaml += "  local: {query: Main.byLocal, by: [a]}\n";
  if (has_children) yaml += "  parts: {query: Part, by: [a]}\n";
  yaml +=
      "writes:\n  makeParent: {put: Parent, if: absent, else: 409}\n  resetParent: {put: Parent}\n"
      "  create: {put: Main, if: absent, else: 409}\n  replace: {put: Main}\n  change: {update: Main, else: 404}\n"
      "  remove: {delete: Main, if: present, else: 404}\n  drop: {delete: Main}\n"
      "  more: {update: Main, takes: {a: Main.a, n: Main.n, d: int(-9..9)}, by: [a, n], add: {w: $d}, else: 404}\n"
      "  less: {update: Main, takes: {a: Main.a, n: Main.n, d: int(-9..9)}, by: [a, n], set: {w: w - $d}, else: 404}\n"
      "  grow: {update: Main, takes: {a: Main.a, n: Main.n, d: int(1..3)}, by: [a, n], set: {w: w * $d}, if: w * $d "
      "<= 50, else: 422}\n"
      "  mark: {put: Mark}\n  unmark: {delete: Mark}\n"
      "  clear: {takes: {a: Main.a}, steps: [{cascade: Main, by: {a: $a}}]}\n"
      "  clearMarks: {takes: {a: Mark.a}, steps: [{cascade: Mark, by: {a: $a}}]}\n";
  yaml +=
      "  createIn:\n    takes: {a: Main.a, n: Main.n, s: Main.s, w: Main.w, k: Mark.k}\n    steps:\n      - atomic:\n"
      "          - {check: Parent, by: {a: $a}, if: present, else: 404}\n"
      "          - {put: Main, set: {a: $a, n: $n, s: $s, w: $w}, if: absent, else: 409}\n"
      "          - {put: Mark, set: {a: $a, k: $k}}\n";
}

namespace {

struct MainItem {
  std::string s = "x";
  int w = 0;
  std::optional<std::string> u, o, p;
  std::optional<int64_t> e;
  std::vector<std::string> l;
};

class GeneratedRun {
 public:
  explicit GeneratedRun(uint64_t seed) : made_(seed), random_(seed * 7919 + 1), world_(made_.yaml) {
    // The stream's reader counts nothing in a parent that is not there yet.
    for (const char* a : {"a", "b"}) {
      if (!made_.parent_required || !made_.has_stream) continue;
      world_.ok("makeParent", fmt::format(R"({{"a":"{}","name":"n"}})", a));
      parents_.insert(a);
    }
  }

  // The findings that keep it from being served.
  std::string errors() {
    std::string text;
    for (const auto& finding : design::check_design(*world_.reading).findings) {
      if (finding.severity == design::Severity::kError) text += finding.code + ": " + finding.message + "\n";
    }
    return text;
  }

  void run(int calls) {
    for (int i = 0; i < calls && !testing::Test::HasFailure(); ++i) {
      one_call();
      if (i % 8 == 7) compare();
      if (i % 40 == 39) world_.runtime = world_.open(*world_.engine);  // as after a restart
    }
    compare();
  }
  const std::string& yaml() const { return made_.yaml; }

 private:
  using Key = std::pair<std::string, int>;
  std::string pick(std::initializer_list<const char*> list) {
    return *(list.begin() + static_cast<long>(random_() % list.size()));
  }
  Key some_key() { return {pick({"a", "b"}), static_cast<int>(random_() % 3)}; }
  MainItem some_item() {
    MainItem item{.s = pick({"x", "y", "z"}), .w = static_cast<int>(random_() % 51)};
    if (random_() % 2) item.u = pick({"ua", "ub", "uc"});
    if (random_() % 2) item.o = pick({"oa", "ob"});
    if (random_() % 2) item.p = std::string(random_() % 200 + 1, 'p');
    if (made_.has_expiry && random_() % 2) item.e = kTestNowMs / 1000 + 1000 + static_cast<int64_t>(random_() % 1000);
    if (made_.has_children) {
      for (const char* part : {"la", "lb", "lc"}) {
        if (random_() % 3 == 0) item.l.push_back(part);
      }
    }
    return item;
  }
  static std::string text(const std::optional<std::string>& value) { return value ? '"' + *value + '"' : "null"; }
  std::string key_json(const Key& key) const { return fmt::format(R"("a":"{}","n":{})", key.first, key.second); }
  std::string list_json(const MainItem& item) const {
    return item.l.empty() ? "null" : fmt::format(R"(["{}"])", fmt::join(item.l, R"(",")"));
  }
  std::string json(const Key& key, const MainItem& item) const {
    std::string out = fmt::format(R"({{{},"s":"{}","w":{})", key_json(key), item.s, item.w);
    if (item.u) out += R"(,"u":)" + text(item.u);
    if (item.o) out += R"(,"o":)" + text(item.o);
    if (item.p) out += R"(,"p":)" + text(item.p);
    if (item.e) out += fmt::format(R"(,"e":{})", *item.e);
    if (!item.l.empty()) out += R"(,"l":)" + list_json(item);
    return out + "}";
  }
  bool is_taken(const Key& key, const MainItem& item) const {
    for (const auto& [other, its] : items_) {
      if (other == key || !item.u || its.u != item.u) continue;
      if (made_.unique_one || (made_.unique_two && its.s == item.s)) return true;
    }
    return false;
  }
  // Whether a write that counts the item, or takes it out, needs a parent that is not there.
  bool lacks_parent(const std::string& a) const {
    return made_.parent_required && made_.counts_in_transaction && !parents_.contains(a);
  }
  void expect(const Reply& reply, const std::set<int>& refusals, const std::string& call) {
    if (refusals.empty())
      EXPECT_EQ(reply.status, 200) << call << ": " << reply.message;
    else
      EXPECT_TRUE(refusals.contains(reply.status)) << call << ": " << reply.status << " " << reply.message;
  }

  void one_call() {
    const Key key = some_key();
    const auto found = items_.find(key);
    const bool exists = found != items_.end();
    MainItem item = some_item();
    std::set<int> refusals;
    switch (random_() % 13) {
      case 0:
      case 1: {
        if (exists || is_taken(key, item)) refusals.insert(409);
        if (lacks_parent(key.first)) refusals.insert(404);
        const std::string call = json(key, item);
        expect(world_.call("create", call), refusals, "create " + call);
        if (refusals.empty()) items_[key] = item;
        break;
      }
      case 2: {
        if (is_taken(key, item)) refusals.insert(409);
        if (lacks_parent(key.first)) refusals.insert(404);
        const std::string call = json(key, item);
        expect(world_.call("replace", call), refusals, "replace " + call);
        if (refusals.empty()) items_[key] = item;
        break;
      }
      case 3:
      case 4:
      case 5: {
        MainItem changed = exists ? found->second : MainItem{};
        std::string call = "{" + key_json(key);
        if (random_() % 2) call += fmt::format(R"(,"s":"{}")", changed.s = item.s);
        if (random_() % 2) call += fmt::format(R"(,"w":{})", changed.w = item.w);
        if (random_() % 2) call += R"(,"u":)" + text(changed.u = item.u);
        if (random_() % 2) call += R"(,"o":)" + text(changed.o = item.o);
        if (random_() % 3 == 0) call += R"(,"p":)" + text(changed.p = item.p);
        if (made_.has_expiry && random_() % 2) {
          changed.e = item.e;
          call += item.e ? fmt::format(R"(,"e":{})", *item.e) : R"(,"e":null)";
        }
        if (made_.has_children && random_() % 2) {
          changed.l = item.l;
          call += R"(,"l":)" + list_json(item);
        }
        call += "}";
        if (!exists) {
          refusals.insert(404);
        } else {
          const std::string& from = found->second.s;
          const bool leads =
              from == changed.s || (from == "x" && changed.s == "y") || (from == "y" && changed.s == "z");
          if (made_.has_flow && !leads) refusals.insert(409);
          if (is_taken(key, changed)) refusals.insert(409);
          if (lacks_parent(key.first) && (found->second.s != changed.s || found->second.w != changed.w))
            refusals.insert({404, 200});
        }
        const Reply reply = world_.call("change", call);
        expect(reply, refusals, "change " + call);
        if (reply.status == 200) items_[key] = changed;
        break;
      }
      case 6: {
        if (!exists) refusals.insert(404);
        const std::string call = "{" + key_json(key) + "}";
        expect(world_.call("remove", call), refusals, "remove " + call);
        items_.erase(key);
        break;
      }
      case 7: {
        const std::string call = "{" + key_json(key) + "}";
        expect(world_.call("drop", call), {}, "drop " + call);
        items_.erase(key);
        break;
      }
      case 8: {
        const int d = static_cast<int>(random_() % 19) - 9;
        const bool adds = random_() % 2;
        const std::string name = adds ? "more" : "less";
        const int w = (exists ? found->second.w : 0) + (adds ? d : -d);
        if (!exists) refusals.insert(404);
        if (exists && (w < 0 || w > 50)) refusals.insert({400, 409});
        const std::string call = fmt::format(R"({{{},"d":{}}})", key_json(key), d);
        expect(world_.call(name, call), refusals, name + " " + call);
        if (refusals.empty()) found->second.w = w;
        break;
      }
      case 9: {
        const int d = static_cast<int>(random_() % 3) + 1;
        const int w = exists ? found->second.w * d : 0;
        if (!exists) refusals.insert(404);
        if (exists && w > 50) refusals.insert(422);
        const std::string call = fmt::format(R"({{{},"d":{}}})", key_json(key), d);
        expect(world_.call("grow", call), refusals, "grow " + call);
        if (refusals.empty()) found->second.w = w;
        break;
      }
      case 10: {
        const bool resets = random_() % 2;
        if (!resets && parents_.contains(key.first)) refusals.insert(409);
        const std::string call =
            fmt::format(R"({{"a":"{}"{}}})", key.first, made_.parent_required ? R"(,"name":"n")" : "");
        const Reply reply = world_.call(resets ? "resetParent" : "makeParent", call);
        // What a tally may make is there as soon as something was counted.
        if (made_.parent_required) expect(reply, refusals, "parent " + call);
        if (reply.status == 200) parents_.insert(key.first);
        break;
      }
      case 11: {
        const std::string k = pick({"ka", "kb"});
        const std::string call = fmt::format(R"({{"a":"{}","k":"{}"}})", key.first, k);
        if (random_() % 2) {
          const bool lacks = made_.parent_required && marks_in_transaction() && !parents_.contains(key.first);
          if (lacks) refusals.insert(404);
          expect(world_.call("mark", call), refusals, "mark " + call);
          if (refusals.empty()) marks_.insert({key.first, k});
        } else {
          expect(world_.call("unmark", call), {}, "unmark " + call);
          marks_.erase({key.first, k});
        }
        break;
      }
      default: {
        if (random_() % 3 == 0) {
          expect(world_.call("clear", fmt::format(R"({{"a":"{}"}})", key.first)), {}, "clear");
          std::erase_if(items_, [&](const auto& one) { return one.first.first == key.first; });
        } else if (random_() % 3 == 0) {
          expect(world_.call("clearMarks", fmt::format(R"({{"a":"{}"}})", key.first)), {}, "clearMarks");
          std::erase_if(marks_, [&](const auto& one) { return one.first == key.first; });
        } else {
          item = {.s = item.s, .w = item.w};
          const std::string k = pick({"ka", "kb"});
          const std::string call = fmt::format(R"({{{},"s":"{}","w":{},"k":"{}"}})", key_json(key), item.s, item.w, k);
          const Reply reply = world_.call("createIn", call);
          if (exists) refusals.insert(409);
          if (made_.parent_required && !parents_.contains(key.first)) refusals.insert(404);
          if (made_.parent_required || exists) expect(reply, refusals.empty() ? refusals : with(refusals, 404), call);
          if (reply.status == 200) {
            items_[key] = item;
            marks_.insert({key.first, k});
          }
        }
      }
    }
  }
  static std::set<int> with(std::set<int> set, int more) {
    set.insert(more);
    return set;
  }
  bool marks_in_transaction() const { return made_.yaml.find("add: {marks: 1}}") != std::string::npos; }

  void compare() {
    for (const char* a : {"a", "b"}) {
      std::map<int, Plain> found;
      for (const Plain& item : world_.walk("ofA", fmt::format(R"({{"a":"{}"}})", a), 2)) {
        if (item.member("w").exists()) found[std::atoi(item.member("n").string().c_str())] = item;
      }
      std::set<int> wanted;
      for (const auto& [key, item] : items_) {
        if (key.first != a) continue;
        wanted.insert(key.second);
        if (!found.contains(key.second)) {
          ADD_FAILURE() << "lost " << key.first << key.second;
          continue;
        }
        const Plain& is = found[key.second];
        const auto same = [&](const char* name, const std::optional<std::string>& value) {
          const std::string has = is.member(name).is(Plain::Kind::kText) ? is.member(name).string() : "";
          EXPECT_EQ(has, value.value_or("")) << name << " of " << key.first << key.second;
        };
        same("s", item.s);
        same("u", item.u);
        same("o", item.o);
        same("p", item.p);
        EXPECT_EQ(is.member("w").string(), std::to_string(item.w)) << key.first << key.second;
        EXPECT_EQ(is.member("e").exists(), item.e.has_value());
      }
      for (const auto& [n, item] : found) EXPECT_TRUE(wanted.contains(n)) << "left over " << a << n;
    }
    if (made_.has_stream) {
      const ItemCodec codec(world_.reading->design, world_.keys.get(), &world_.blobs);
      ItemForm form(world_.reading->design, *world_.engine, codec);
      StreamTallies tallies(world_.reading->design, *world_.engine, codec, form);
      const auto drained = tallies.drain(world_.clock.now_ms());
      EXPECT_TRUE(drained.has_value()) << (drained ? "" : drained.error().message);
    }
    EXPECT_EQ(fmt::format("{}", fmt::join(world_.faults(), "\n")), "");
  }

  GeneratedDesign made_;
  std::mt19937_64 random_;
  DesignWorld world_;
  std::map<Key, MainItem> items_;
  std::set<std::string> parents_;
  std::set<std::pair<std::string, std::string>> marks_;
};

uint64_t setting(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(GeneratedDesigns, run_as_a_plain_model_says_and_verify_clean) {
  const uint64_t count = setting("TRESTLE_GENERATED_DESIGNS", 12);
  const uint64_t first = setting("TRESTLE_GENERATED_SEED", 1);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    GeneratedRun run(seed);
    ASSERT_EQ(run.errors(), "") << "seed " << seed << "\n" << run.yaml();
    run.run(120);
    if (HasFailure()) FAIL() << "seed " << seed << "\n" << run.yaml();
  }
}

}  // namespace
}  // namespace trestle::runtime
