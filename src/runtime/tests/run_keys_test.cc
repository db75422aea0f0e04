// The values in keys: truncated times, numbers, values that cannot be a key.
#include <fmt/format.h>

#include "design/check/check.h"
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr const char* kKeysDesign = R"yaml(
design: keys
version: 1
tables:
  t: {key: [PK, SK], type: Kind, indexes: {byDay: {key: [dayKey, at N]}, byName: {key: [nameKey, nameSort]}}}
  bin: {key: [k B, n N]}
  text: {key: [s, r]}
types: {Name: "string([a-z0-9], 1..9)"}
entities:
  Link:
    table: t
    key: ["L#{code}", L]
    fields: {code: Name, at: epoch, least: "min<int> optional", most: "max<int> optional", days: "map<int>(..40) optional"}
    index: {byDay: {on: byDay, key: ["D#{at:day}", "{at}"]}}
  Hour:
    table: t
    key: ["H#{at:hour}#{of:minute}", "M#{ms:month}#{on:hour}#{in:day}#{ms}#{of}#{at}#{in}"]
    fields: {at: epoch, of: time, ms: epoch(ms), on: date, in: hour}
  Rank: {table: t, key: ["R#{rank}", "{ratio:04}"], fields: {rank: "number(-1000000..1000000)", ratio: number}}
  Made:
    table: t
    key: ["C#{made:day}", "{made}#{code}"]
    fields: {made: time, code: Name}
  Beat: {table: t, key: ["BEAT#{id}", "{at}#{n}"], fields: {id: Name, at: epoch, n: int(0..9)}}
  Wide: {table: t, key: [W, "{seq:010}"], fields: {seq: int(0..9999999999)}}
  Doc:
    table: t
    key: ["DOC#{doc}", D]
    fields: {doc: Name, digest: "sha256 of token optional"}
    index: {byDigest: {on: byName, key: ["K#{digest}", "{doc}"]}}
  Hit: {table: t, key: ["HIT#{id}", H], fields: {id: Name, kind: "string(..9) optional", n: int}}
  Day: {table: t, key: [DAY, DAY], fields: {hits: counter, sums: "map<int> optional"}}
  Blob: {table: bin, key: ["{k}", "{n}"], fields: {k: binary, n: number}}
  Word:
    table: text
    key: ["{s}", "W#{r}"]
    fields: {s: string, r: string, nick: string optional}
    unique: {nick: ["{nick}", NICK]}
tallies:
  hits: {of: Hit, into: Day, by: {}, add: {hits: 1, "sums[kind]": n}}
reads:
  day: {get: Day, consistent: true}
  link: {get: Link, consistent: true}
  ofDay: {query: Link.byDay}
  ofDayFrom: {query: Link.byDay, range: at}
  hours: {query: Hour}
  beats: {query: Beat, range: at}
  made: {query: Made}
  madeFrom: {query: Made, by: [made], range: made}
  madeWithin: {query: Made, range: made}
  blob: {get: Blob}
  word: {get: Word}
  words: {query: Word}
  wordsWith: {query: Word, prefix: r}
  wordsWithin: {query: Word, range: r}
writes:
  make: {put: Link, takes: {code: Name, at: epoch}, if: absent, else: 409}
  move: {update: Link, takes: {code: Name, at: epoch}, else: 404}
  touch: {update: Link, takes: {code: Name, size: int optional}, set: {least: $size, most: $size}, add: {"days[code]": 1}, else: 404}
  makeHour: {put: Hour}
  makeRank: {put: Rank}
  makeMade: {put: Made}
  beat: {put: Beat}
  makeWide: {put: Wide}
  makeDoc: {put: Doc}
  copyDoc:
    takes: {doc: Name, to: Name}
    steps:
      - {get: Doc, as: x, none: 404, consistent: true}
      - {put: Doc, from: $x, set: {doc: $to}, if: absent, else: 409}
  hit: {put: Hit}
  editHit: {update: Hit, takes: {id: Name, kind: Hit.kind optional}, else: 404}
  store: {put: Blob}
  write: {put: Word}
  nick: {update: Word, else: 404}
)yaml";

class Keys : public testing::Test {
 protected:
  std::vector<std::string> codes(const std::string& read, const std::string& json) {
    std::vector<std::string> all;
    for (const Plain& one : world_.walk(read, json, 10)) all.push_back(one.member("code").string());
    return all;
  }
  DesignWorld world_{kKeysDesign};
};
using Strings = std::vector<std::string>;

TEST_F(Keys, unix_time_is_cut_as_a_time) {
  world_.ok("make", R"({"code":"a","at":1768478400})");
  world_.ok("make", R"({"code":"b","at":1768478405})");
  world_.ok("make", R"({"code":"c","at":"2026-01-15T23:59:59Z"})");
  world_.ok("make", R"({"code":"d","at":"2026-01-16T00:00:00Z"})");
  EXPECT_EQ(world_.attribute("t", "L#a", "L", "dayKey"), "D#2026-01-15");
  EXPECT_EQ(codes("ofDay", R"({"at":1768478500})"), Strings({"a", "b", "c"}));
  EXPECT_EQ(codes("ofDay", R"({"at":"2026-01-16T10:00:00Z"})"), Strings({"d"}));
  EXPECT_EQ(codes("ofDayFrom", R"({"at":1768478500,"from":1768478401,"to":1768478409})"), Strings({"b"}));
  world_.ok("move", R"({"code":"a","at":"2026-01-16T01:00:00Z"})");
  EXPECT_EQ(codes("ofDay", R"({"at":"2026-01-16T10:00:00Z"})"), Strings({"d", "a"}));
  EXPECT_EQ(world_.faults(), Strings());
}

TEST_F(Keys, every_time_is_cut_in_its_own_notation) {
  world_.ok(
      "makeHour",
      R"({"at":1768478400,"of":"2026-01-15T12:34:56Z","ms":1768478400123,"on":"2026-01-15","in":"2026-01-15-12"})");
  EXPECT_EQ(world_.attribute(
                "t", "H#2026-01-15T12#2026-01-15T12:34",
                "M#2026-01#2026-01-15#2026-01-15#1768478400123#2026-01-15T12:34:56Z#1768478400#2026-01-15-12", "Kind"),
            "Hour");
  EXPECT_EQ(world_.faults(), Strings());
}

TEST_F(Keys, unix_times_in_text_keys_are_in_their_order) {
  for (const char* time : {"0", "5", "999999999", "-1000000000"})
    world_.refused(400, "beat", fmt::format(R"({{"id":"a","at":{},"n":1}})", time));
  for (const char* time : {"1000000000", "1700000000", "9999999999"})
    world_.ok("beat", fmt::format(R"({{"id":"a","at":{},"n":1}})", time));
  const auto found = [&](const std::string& range) {
    return world_.walk("beats", R"({"id":"a")" + range + "}", 2).size();
  };
  EXPECT_EQ(found(R"(,"from":6)"), 3u);
  EXPECT_EQ(found(R"(,"from":6,"to":1700000000)"), 2u);
  EXPECT_EQ(found(R"(,"from":1700000001)"), 1u);
  EXPECT_EQ(found(R"(,"to":999999999)"), 0u);
  EXPECT_EQ(found(R"(,"from":10000000000)"), 0u);
  EXPECT_EQ(found(R"(,"to":10000000000)"), 3u);
  EXPECT_EQ(world_.faults(), Strings());
}

TEST_F(Keys, a_query_of_a_day_may_name_a_part_of_it) {
  for (const char* time : {"10:00:00", "11:00:00", "12:00:00"})
    world_.ok("makeMade", fmt::format(R"({{"made":"2026-01-15T{}Z","code":"{}"}})", time, std::string(time, 2)));
  const std::string part = R"("made":"2026-01-15T00:00:00Z","from":"2026-01-15T10:30:00Z")";
  EXPECT_EQ(codes("made", R"({"made":"2026-01-15T00:00:00Z"})"), Strings({"10", "11", "12"}));
  EXPECT_EQ(codes("madeFrom", "{" + part + "}"), Strings({"11", "12"}));
  EXPECT_EQ(codes("madeWithin", "{" + part + R"(,"to":"2026-01-15T11:00:00Z"})"), Strings({"11"}));
  for (const auto& finding : design::check_design(*world_.reading).findings)
    EXPECT_NE(finding.code, "T210") << finding.message;
}

TEST_F(Keys, every_number_is_read_back) {
  for (const char* number : {"1e-100", "-0.000000000000000000000000000000000000000000001", "123456.789", "-1000000"})
    world_.ok("makeRank", fmt::format(R"({{"rank":{},"ratio":1e30}})", number));
  for (const char* number : {"1e-100", "1e100", "-1e-130", "-12.5"})
    world_.ok("store", fmt::format(R"({{"k":"eHh4","n":{}}})", number));
  EXPECT_EQ(world_.faults(), Strings());
}

TEST_F(Keys, what_is_no_key_is_refused_with_the_name_of_the_field) {
  const std::string long_binary = "\"" + std::string(3000, 'A') + "\"";
  EXPECT_EQ(
      world_.call("store", R"({"k":"","n":1})").message,
      "The input is not valid: k must not be empty, because it is a key. k: must not be empty, because it is a key");
  world_.refused(400, "store", fmt::format(R"({{"k":{},"n":1}})", long_binary));
  world_.refused(400, "blob", R"({"k":"","n":1})");
  const std::string long_text = "\"" + std::string(1025, 'a') + "\"";
  world_.refused(400, "write", R"({"s":"","r":"a"})");
  world_.refused(400, "word", R"({"s":"","r":"a"})");
  world_.refused(400, "write", fmt::format(R"({{"s":"a","r":{}}})", long_text));
  world_.refused(400, "word", fmt::format(R"({{"s":"a","r":{}}})", long_text));
  world_.refused(400, "words", R"({"s":""})");
  world_.refused(400, "wordsWith", fmt::format(R"({{"s":"a","r":{}}})", long_text));
  world_.refused(400, "wordsWithin", fmt::format(R"({{"s":"a","from":{}}})", long_text));
  world_.refused(400, "wordsWithin", fmt::format(R"({{"s":"a","to":{}}})", long_text));
  world_.ok("write", fmt::format(R"({{"s":{},"r":"a"}})", long_text));
  world_.refused(400, "write", R"({"s":"a","r":""})");
  world_.ok("write", R"({"s":"a","r":"b"})");
  world_.refused(400, "write", R"({"s":"b","r":"a","nick":""})");
  world_.refused(400, "nick", R"({"s":"a","r":"b","nick":""})");
  const Reply none = world_.call("words", R"({"s":""})");
  EXPECT_TRUE(none.status == 200 || none.status == 400) << none.status << none.message;
  const Reply no_word = world_.call("words", "{\"s\":\"" + std::string(2049, 'a') + "\"}");
  EXPECT_TRUE(no_word.status == 200 || no_word.status == 400) << no_word.status << no_word.message;
  EXPECT_EQ(world_.faults(), Strings());
}

TEST_F(Keys, padding_may_be_wide) {
  world_.ok("makeWide", R"({"seq":12})");
  EXPECT_EQ(world_.attribute("t", "W", "0000000012", "Kind"), "Wide");
  EXPECT_EQ(world_.faults(), Strings());
}

TEST_F(Keys, a_copy_keeps_the_digest_of_a_secret) {
  world_.ok("makeDoc", R"({"doc":"a","token":"secret"})");
  const std::string digest = world_.attribute("t", "DOC#a", "D", "digest");
  EXPECT_EQ(digest.size(), 64U);
  world_.ok("copyDoc", R"({"doc":"a","to":"b"})");
  EXPECT_EQ(world_.attribute("t", "DOC#b", "D", "digest"), digest);
  EXPECT_EQ(world_.attribute("t", "DOC#b", "D", "nameKey"), "K#" + digest);
  EXPECT_EQ(world_.faults(), Strings());
}

TEST_F(Keys, an_item_without_the_name_of_a_figure_is_not_counted_in_the_map) {
  world_.ok("hit", R"({"id":"a","kind":"x","n":2})");
  world_.ok("hit", R"({"id":"b","n":3})");
  world_.ok("hit", R"({"id":"c","kind":"","n":4})");
  world_.ok("editHit", R"({"id":"a","kind":null})");
  world_.ok("editHit", R"({"id":"b","kind":"y"})");
  EXPECT_EQ(world_.attribute("t", "DAY", "DAY", "hits"), "3");
  const Reply day = world_.ok("day", "{}");
  EXPECT_EQ(plain_json(day["item"].member("sums")), R"({"x":0,"y":3})");
  EXPECT_EQ(world_.faults(), Strings());
}

TEST_F(Keys, a_minimum_without_a_new_value_is_unchanged) {
  world_.ok("make", R"({"code":"a","at":1768478400})");
  world_.ok("touch", R"({"code":"a","size":5})");
  world_.ok("touch", R"({"code":"a"})");
  world_.ok("touch", R"({"code":"a","size":null})");
  world_.ok("touch", R"({"code":"a","size":7})");
  const Reply link = world_.ok("link", R"({"code":"a"})");
  EXPECT_EQ(link["item"].member("least").string(), "5");
  EXPECT_EQ(link["item"].member("most").string(), "7");
}

}  // namespace
}  // namespace trestle::runtime
