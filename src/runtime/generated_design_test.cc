// The generator of designs. The same seed gives the same design.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "runtime/generated_design_for_test.h"

namespace trestle::runtime {

// The model in generated_calls_test.cc computes these values too.
void GeneratedDesign::make_mixes(std::mt19937_64& random) {
  const auto one_of = [&](std::initializer_list<const char*> list) {
    return std::string(*(list.begin() + static_cast<long>(random() % list.size())));
  };
  for (int i = 0; i < 4; ++i) {
    auto& mix = mixes.emplace_back();
    mix.emplace_back("w", one_of({"w + $d", "w - $d", "$d", "if(exists(u), 7, w)"}));
    mix.emplace_back("p", one_of({"concat(s, w)", "concat(o, '-', w)", "if(w > 25, 'high', p)"}));
    if (random() % 2) mix.emplace_back("u", one_of({"o", "if(w > 25, o, u)"}));
    if (random() % 2) mix.emplace_back("o", one_of({"u", "if(s = 'x', u, $t)", "$t"}));
    if (random() % 2) mix.emplace_back("s", one_of({"if(w > 25, 'y', s)", "if(exists(o), 'z', s)", "y"}));
    std::ranges::shuffle(mix, random);
  }
}

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
  // No operation writes when an item expires, so tallies of items that expire must go through the stream.
  const bool main_by_stream = by_stream || has_expiry;
  counts_in_transaction = !main_by_stream;
  has_stream = main_by_stream || by_stream;
  const std::string closed = pick({"", "", "pack", "spill", "encrypted"});
  const bool closed_decides = closed != "encrypted" && flip();  // an index entry depends on the closed field
  const bool two_tables = flip(3);
  const bool local = flip(3);
  const bool revision = flip(3);
  // If items were counted in the transaction, writes to all shards would contend for one item (T409).
  has_shards = flip() && main_by_stream;
  children_expire = has_children && has_expiry && seed % 2 == 0;
  const std::string pad = pick({"{n:02}", "{n:04}", "{n}"});
  has_last = pad != "{n}";
  // A key attribute may have the name of a field, and a table may lack a type attribute.
  const std::string hash = flip(3) ? "a" : "PK";
  const bool typed = !flip(4);
  const std::string expiry = flip() ? "e" : "ttl";  // the field itself, or an attribute beside it
  const std::string short_text = "\"string([a-z], 1..3)\"";
  const std::string optional_text = "\"string([a-z], 1..3) optional\"";

  yaml = fmt::format("# seed {}\ndesign: made\nversion: 1\ntables:\n", seed);
  const auto table = [&](const std::string& name) {
    yaml += fmt::format("  {}:\n    key: [{}, SK]\n{}    ttl: {}\n    billing: on-demand\n", name, hash,
                        typed ? "    type: Type\n" : "", expiry);
    if (has_stream) yaml += "    stream: new-and-old\n";
    yaml +=
        "    indexes:\n      GSI1: {key: [G1P, G1S]}\n      GSI2: {key: [G2P, G2S]}\n      GSI3: {key: [G3P, G3S]}\n"
        "      GSI4: {key: [G4P, G4S]}\n      GSI5: {key: [G5P, balance N]}\n";
    if (local) yaml += fmt::format("      LSI1: {{local: true, key: [{}, L1]}}\n", hash);
  };
  table("first");
  if (two_tables) table("second");
  // Tables whose key attributes are fields.
  yaml +=
      "  accounts: {key: [id], indexes: {byNick: {key: [nickKey, level]}}}\n  readings: {key: [device, at N], indexes: "
      "{byValue: {key: [device, value N]}}";
  const bool readings_by_stream = flip();
  if (readings_by_stream) has_stream = true;
  yaml += readings_by_stream ? ", stream: new-and-old}\n" : "}\n";

  yaml += "entities:\n";
  yaml += fmt::format("  Parent:\n    table: {}\n    key: [\"P#{{a}}\", PARENT]\n    fields:\n      a: {}\n",
                      two_tables ? "second" : "first", short_text);
  yaml += fmt::format(
      "      total: counter\n      sum: counter\n      marks: counter\n      by: map<int> {}\n"
      "      heaviest: int optional\n      lightest: int optional\n      record: max<int> optional\n      "
      "parentRevision: revision\n",
      seed % 3 == 1 ? "= record()" : "optional");
  if (has_last) yaml += "      lastNumber: int optional\n";
  if (parent_required) yaml += fmt::format("      name: {}\n", short_text);
  yaml += fmt::format("  Main:\n    table: first\n    key: [\"A#{{a}}\", \"M#{}\"]\n    fields:\n", pad);
  std::vector<std::string> fields = {
      "a: " + short_text,
      "n: int(0..99)",
      "s: enum(x, y, z)",
      "u: " + optional_text,
      "o: " + optional_text,
      "w: int(0..50)",
      fmt::format("p: string(..400) optional{}", closed == "encrypted" ? " encrypted" : "")};
  if (has_expiry) fields.emplace_back("e: epoch optional");
  if (has_children) fields.emplace_back("l: \"list<string([a-z], 1..2)>(..4) optional\"");
  if (revision) fields.emplace_back("r: revision");
  std::mt19937_64 order(seed * 31 + 7);
  std::ranges::shuffle(fields, order);
  for (const std::string& field : fields) yaml += "      " + field + "\n";
  make_mixes(order);
  yaml += "    index:\n";
  yaml += fmt::format("      byState: {{on: GSI1, key: [\"S#{{s}}#{{a}}\", \"{}\"]{}}}\n",
                      pick({"{w:02}#{n:02}", "{o}#{n:02}", "{n:02}"}), flip() ? ", if: s <> z" : "");
  yaml += fmt::format("      byOption: {{on: GSI2, key: [\"O#{{o}}\", \"{{a}}#{{n:02}}\"]{}}}\n",
                      closed_decides ? ", if: exists(p)" : "");
  // The index that orders items by weight: all items, or only those that are counted.
  yaml += fmt::format("      byWeight: {{on: GSI4, key: [\"W#{{a}}\", \"{{w:02}}{}\"]{}}}\n", flip() ? "#{n:02}" : "",
                      counts_only_x && flip() ? ", if: s = x" : "");
  if (local)
    yaml += fmt::format("      byLocal: {{on: LSI1, key: [\"A#{{a}}\", \"{}\"]}}\n", pick({"{w:02}", "{o}#{s}"}));
  if (has_shards)
    yaml += fmt::format(
        "      spread: {{on: GSI3, key: [\"H#{{slot}}\", \"{{a}}#{{n:02}}\"]}}\n    shard: {{slot: {{of: a, count: "
        "{}}}}}\n",
        2 + random() % 3);
  if (unique_one || unique_two) yaml += "    unique:\n";
  if (unique_one) yaml += fmt::format("      one: {{key: \"U#{{u}}\"{}}}\n", flip() ? ", keeps: [a, n, o]" : "");
  if (unique_two) yaml += "      two: \"V#{s}#{u}\"\n";
  if (has_expiry) yaml += "    ttl: e\n";
  if (has_flow) yaml += "    flow: {s: {x: [y], y: [z]}}\n";
  const bool children_stay = has_children && has_expiry && !children_expire;
  if (has_children)
    yaml += fmt::format("    each: {{l: Part.m}}{}\n",
                        children_stay ? "  # trestle: allow T513 because TTL deletes no item here" : "");
  if (closed == "pack") yaml += "    pack: {p: {over: 40B, saves: 10%}}\n";
  if (closed == "spill") yaml += "    spill: {p: {over: 60B}}\n";
  if (has_children)
    yaml += fmt::format(
        "  Part:\n    table: first\n    key: [\"A#{{a}}\", \"L#{}#{{m}}\"]\n    fields: {{a: {}, n: int(0..99), m: "
        "\"string([a-z], 1..2)\"{}{}}}\n{}",
        pad, short_text,
        pick({"", ", s: \"enum(x, y, z)\"",
              ", s: \"enum(x, y, z)\", o: \"string([a-z], 1..3) optional\", w: int(0..50)"}),
        children_expire ? ", e: epoch optional" : "", children_expire ? "    ttl: e\n" : "");
  yaml += fmt::format("  Mark:\n    table: first\n    key: [\"A#{{a}}\", \"K#{{k}}\"]\n    fields: {{a: {}, k: {}}}\n",
                      short_text, short_text);

  yaml += fmt::format(
      "  Record:\n    table: first\n    key: [\"R#{{a}}\", RECORD]\n    fields: {{a: {}, least: min<int>, most: "
      "max<int>, "
      "times: counter, last: counter, scores: \"map<int(-3..9)>(..2) optional\", named: \"set<string([a-z], "
      "1..3)>(..2) "
      "optional\", writes: revision}}\n",
      short_text);
  yaml +=
      "  Account:\n    table: accounts\n    key: \"{id}\"\n"
      "    fields: {id: uuid auto, handle: \"string([a-z], 2..9)\", level: int(1..9), nick: \"string([a-z], 1..9) "
      "optional\", ranks: \"map<int(0..5)>(1..2)\"}\n"
      "    index: {byNick: {on: byNick, key: [\"{nick}\", \"L#{level}\"]}}\n"
      "    unique: {handle: \"handle#{handle}\"}\n"
      "  Reading:\n    table: readings\n    key: [\"{device}\", \"{at}\"]\n"
      "    fields: {device: \"string([a-z], 1..9)\", at: int(0..999), value: int(-99..99) optional}\n"
      "    index: {byValue: {on: byValue, key: [\"{device}\", \"{value}\"]}}\n";
  yaml += fmt::format(
      "  Device:\n    table: first\n    key: [\"D#{{device}}\", DEVICE]\n    fields: {{device: \"string([a-z], "
      "1..9)\", rev: "
      "revision, high: int optional, low: int optional, last: int optional, record: {}}}\n",
      pick({"max<int>", "max<int> optional"}));
  // A figure that is the sort key of an index, with amounts that may be negative.
  yaml +=
      "  Balance:\n    table: first\n    key: [\"E#{device}\", BALANCE]\n    fields: {device: \"string([a-z], 1..9)\", "
      "balance: counter, lastBalance: \"map<number> optional\"}\n"
      "    index: {byBalance: {on: GSI5, key: [\"L#{device}\", \"{balance}\"]}}\n";
  yaml += "tallies:\n";
  const std::string by_device = readings_by_stream ? ", through: stream" : "";
  yaml += fmt::format(
      "  balance: {{of: Reading, into: Balance, by: {{device: device}}, add: {{balance: value, \"lastBalance[at]\": "
      "value}}{}}}\n",
      by_device);
  yaml += fmt::format(
      "  measured: {{of: Reading, into: Device, by: {{device: device}}, max: {{high: value, last: at, record: value}}, "
      "min: {{low: value}}{}}}\n",
      by_device);
  const std::string stream = main_by_stream ? ", through: stream" : "";
  const auto remark = [&](bool streams) {
    return streams && parent_required ? "  # trestle: allow T339 because the parent is made first" : "";
  };
  yaml += fmt::format("  counted: {{of: Main, into: Parent, by: {{a: a}}, add: {{total: 1, \"by[s]\": 1}}{}{}}}{}\n",
                      counts_only_x ? ", when: s = x" : "", stream, remark(main_by_stream));
  yaml += fmt::format(
      "  weighed: {{of: Main, into: Parent, by: {{a: a}}, max: {{heaviest: w, record: w}}, min: {{lightest: "
      "w}}{}{}}}{}\n",
      counts_only_x ? ", when: s = x" : "", stream, remark(main_by_stream));
  if (has_last)
    yaml += fmt::format("  numbered: {{of: Main, into: Parent, by: {{a: a}}, max: {{lastNumber: n}}{}}}{}\n", stream,
                        remark(main_by_stream));
  yaml += fmt::format("  summed: {{of: Main, into: Parent, by: {{a: a}}, add: {{sum: w}}{}}}{}\n", stream,
                      remark(main_by_stream));
  yaml += fmt::format("  marked: {{of: Mark, into: Parent, by: {{a: a}}, add: {{marks: 1}}{}}}{}\n",
                      by_stream ? ", through: stream" : "", remark(by_stream));

  yaml +=
      "reads:\n  main: {get: Main, consistent: true}\n  ofA: {query: Main, by: [a], consistent: true}\n"
      "  parent: {get: Parent, consistent: true}\n  device: {get: Device, consistent: true}\n  marks: {query: Mark, "
      "by: [a]}\n"
      "  byState: {query: Main.byState, by: [s, a]}\n  byOption: {query: Main.byOption, by: [o]}\n"
      "  byWeight: {query: Main.byWeight, by: [a]}\n";
  if (unique_one) yaml += "  byOne: {get: Main.one}\n";
  if (local) yaml += "  local: {query: Main.byLocal, by: [a]}\n";
  if (has_children) yaml += "  parts: {query: Part, by: [a]}\n";
  if (has_shards) yaml += "  spread: {query: Main.spread}\n";
  yaml +=
      "  balance: {get: Balance, consistent: true}\n  balances: {query: Balance.byBalance}\n"
      "  both: {query: [Main, Mark], consistent: true}\n  record: {get: Record, consistent: true}\n"
      "  account: {get: Account, consistent: true}\n  accountOf: {get: Account.handle}\n"
      "  byNick: {query: Account.byNick}\n  readings: {query: Reading, range: at}\n  highest: {query: Reading.byValue, "
      "order: descending}\n";
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
      "  clearMarks: {takes: {a: Mark.a}, steps: [{cascade: Mark, by: {a: $a}}]}\n"
      "  clearBoth: {takes: {a: Main.a, k: Mark.k}, steps: [{cascade: Main, by: {a: $a}}, {delete: Mark, if: present, "
      "else: 404}]}\n";
  for (size_t i = 0; i < mixes.size(); ++i) {
    yaml += fmt::format(
        "  mix{}:\n    takes: {{a: Main.a, n: Main.n, d: int(-9..60), t: \"string([a-z], 1..3)\"}}\n    steps:\n"
        "      - update: Main\n        else: 404\n        set:\n",
        i);
    for (const auto& [field, value] : mixes[i]) yaml += fmt::format("          {}: \"{}\"\n", field, value);
  }
  // In a put, the names are those of the new item.
  yaml +=
      "  remake: {put: Main, takes: {a: Main.a, n: Main.n, s: Main.s, d: int(0..50)}, set: {p: \"concat(o, w)\", o: "
      "\"if(w > 25, 'oa', 'ob')\", w: $d}}\n";
  yaml +=
      "  note: {upsert: Record, takes: {a: Record.a, v: int(0..99)}, by: [a], set: {least: $v, most: $v}, add: {times: "
      "1}}\n"
      "  number: {takes: {a: Record.a}, steps: [{next: Record.last, as: number, else: 404}], returns: {number: "
      "$number}}\n"
      "  score: {takes: {a: Record.a, k: \"string([a-z], 1..3)\", v: int optional}, steps: [{update: Record, set: "
      "{\"scores[$k]\": $v}, else: 404}]}\n"
      "  scoreMore: {takes: {a: Record.a, k: \"string([a-z], 1..3)\", v: int}, steps: [{update: Record, add: "
      "{\"scores[$k]\": $v}, else: 404}]}\n"
      "  scoreAll: {takes: {a: Record.a, ks: \"list<string([a-z], 1..3)>(1..3)\", v: int}, steps: [{atomic: [{for: "
      "$ks, as: one, do: [{update: Record, by: {a: $a}, set: {\"scores[$one]\": $v}, add: {times: 1}, else: "
      "404}]}]}]}\n"
      "  name: {takes: {a: Record.a, named: \"set<string([a-z], 1..3)>\"}, steps: [{update: Record, add: {named: "
      "$named}, else: 404}]}\n"
      "  unname: {takes: {a: Record.a, named: \"set<string([a-z], 1..3)>\"}, steps: [{update: Record, take: {named: "
      "$named}, else: 404}]}\n"
      "  shift:\n    takes: {a: Main.a, n: Main.n, to: Main.n, d: int(0..30)}\n    steps:\n"
      "      - {update: Main, add: {w: -$d}, else: 404, undo: [{update: Main, add: {w: $d}}]}\n"
      "      - {update: Main, by: {a: $a, n: $to}, add: {w: $d}, else: 404}\n"
      "  growAll:\n    takes: {a: Main.a, ns: \"list<int(0..99)>(1..5)\", d: int(-9..9)}\n    steps:\n      - atomic:\n"
      "          - {for: $ns, as: one, do: [{update: Main, by: {a: $a, n: $one}, add: {w: $d}, else: 404}]}\n"
      "  createAll:\n    takes: {a: Main.a, ns: \"list<int(0..99)>(1..5)\", s: Main.s, w: Main.w, k: Mark.k}\n    "
      "steps:\n"
      "      - atomic:\n          - {put: Mark}\n"
      "          - {for: $ns, as: one, do: [{put: Main, set: {n: $one}, if: absent, else: 409}]}\n"
      "  removeAll:\n    takes: {a: Main.a, ns: \"list<int(0..99)>(1..5)\"}\n    steps:\n      - atomic:\n"
      "          - {for: $ns, as: one, do: [{delete: Main, by: {a: $a, n: $one}, if: present, else: 404}]}\n"
      "  moveAll:\n    takes: {a: Main.a, to: Main.a}\n    steps:\n"
      "      - {query: Main, by: [a], all: true, consistent: true, as: found}\n      - atomic:\n"
      "          - {for: $found, as: one, most: 3, do: [{delete: Main, by: {a: $one.a, n: $one.n}}, {put: Main, from: "
      "$one, set: {a: $to}, if: absent, else: 409}]}\n";
  yaml +=
      "  join: {put: Account, if: absent, else: 409}\n  rename: {update: Account, else: 404}\n"
      "  leave: {delete: Account, if: present, else: 404}\n"
      "  promote: {takes: {id: uuid}, steps: [{update: Account, set: {level: level + 1}, if: level < 4, else: 422}]}\n"
      "  dismiss: {delete: Account, if: level <> 1, else: 422}\n  measure: {put: Reading}\n  forget: {delete: "
      "Reading}\n"
      "  correct: {takes: {device: Reading.device, at: Reading.at, v: Reading.value, keep: int(0..1)}, steps: "
      "[{update: "
      "Reading, set: {value: \"choose($keep, 1, $v)\"}, else: 404}]}\n"
      "  rank: {takes: {id: uuid, k: \"string([a-z], 1..3)\", v: int optional}, steps: [{update: Account, set: "
      "{\"ranks[$k]\": $v}, else: 404}]}\n"
      "  rankMore: {takes: {id: uuid, k: \"string([a-z], 1..3)\", v: int}, steps: [{update: Account, add: "
      "{\"ranks[$k]\": $v}, else: 404}]}\n";
  // Not for figures that lag behind (T347).
  has_scrap = !readings_by_stream;
  if (has_scrap)
    yaml +=
        "  scrap: {takes: {device: Reading.device}, steps: [{cascade: Reading, by: {device: $device}}, {delete: "
        "Device}, {delete: Balance}]}\n";
  // The parent is put in the same transaction as a change of an item that it counts.
  yaml += fmt::format(
      "  renew: {{takes: {{a: Main.a, n: Main.n{0}}}, atomic: [{{put: Parent}}, {{delete: Main, if: present, else: "
      "404}}]}}\n"
      "  renewWith: {{takes: {{a: Main.a, n: Main.n, s: Main.s, w: Main.w{0}}}, atomic: [{{put: Main}}, {{put: "
      "Parent}}]}}\n",
      parent_required ? ", name: Parent.name" : "");
  yaml +=
      "  createIn:\n    takes: {a: Main.a, n: Main.n, s: Main.s, w: Main.w, k: Mark.k}\n    steps:\n      - atomic:\n"
      "          - {check: Parent, by: {a: $a}, if: NOT total > 1000, else: 404}\n"
      "          - {put: Main, set: {a: $a, n: $n, s: $s, w: $w}, if: absent, else: 409}\n"
      "          - {put: Mark, set: {a: $a, k: $k}}\n";
}

TEST(GeneratedDesign, is_determined_by_its_seed) {
  EXPECT_EQ(GeneratedDesign(7).yaml, GeneratedDesign(7).yaml);
  EXPECT_NE(GeneratedDesign(7).yaml, GeneratedDesign(8).yaml);
}

}  // namespace trestle::runtime
