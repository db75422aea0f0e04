// Each check: a design that causes the finding, and the most similar one that does not.
#include <gtest/gtest.h>

#include "design/check/check_test_help.h"

namespace trestle::design {
namespace {

// Two entities in one partition, one with an index entry.
std::string with_read(std::string_view read) {
  return fmt::format(R"y(entities:
  A: {{key: ["P#{{p}}", "A#{{a}}"], fields: {{p: ulid, a: ulid auto, s: "enum(x, y)", n: string(..20)}}, index: {{i: {{on: G1, key: ["S#{{s}}", "{{a}}"]}}}}}}
  B: {{key: ["P#{{p}}", "B#{{b}}"], fields: {{p: ulid, b: ulid auto}}}}
reads: {{r: {}}}
)y",
                     read);
}

TEST(CheckReads, T201_a_sort_key_without_its_partition_key) {
  EXPECT_TRUE(has("T201", with_read(R"y({query: {index: G1, where: "G1SK = 'X'"}})y")));
  EXPECT_FALSE(has("T201", with_read(R"y({query: {index: G1, where: "G1PK = 'S#x' AND G1SK = 'X'"}})y")));
}
TEST(CheckReads, T202_a_value_that_is_never_written) {
  EXPECT_TRUE(has("T202", with_read(R"y({query: {index: G1, where: "G1PK = 'STATUS#x'"}})y")));
  EXPECT_TRUE(has("T202", with_read(R"y({query: {index: G1, where: "G1PK = 'S#z'"}})y")));
  EXPECT_TRUE(has("T202", with_read(R"y({query: {where: "PK = 'P#{p}' AND begins_with(SK, 'C#')"}})y")));
  EXPECT_FALSE(has("T202", with_read(R"y({query: {index: G1, where: "G1PK = 'S#x'"}})y")));
}
TEST(CheckReads, T203_a_read_that_also_returns_other_entities) {
  EXPECT_TRUE(has("T203", with_read(R"y({query: {where: "PK = 'P#{p}'"}, finds: [A]})y")));
  EXPECT_FALSE(has("T203", with_read(R"y({query: {where: "PK = 'P#{p}' AND begins_with(SK, 'A#')"}, finds: [A]})y")));
  EXPECT_FALSE(has("T203", with_read(R"y({query: {where: "PK = 'P#{p}'"}, finds: [A, B]})y")));
  EXPECT_FALSE(has("T203", with_read("{query: A}")));
}
TEST(CheckReads, T203_a_declared_read_whose_prefix_others_share) {
  EXPECT_TRUE(has(
      "T203",
      R"y(entities: {A: {key: ["P#{p}", "S#{s}"], fields: {p: ulid, s: ulid}}, B: {key: ["P#{p}", "S#{s}#C#{c}"], fields: {p: ulid, s: ulid, c: ulid}}}
reads: {r: {query: A}})y"));
  EXPECT_FALSE(has(
      "T203",
      R"y(entities: {A: {key: ["P#{p}", "S#{s}"], fields: {p: ulid, s: ulid}}, B: {key: ["P#{p}", "C#{s}#{c}"], fields: {p: ulid, s: ulid, c: ulid}}}
reads: {r: {query: A}})y"));
  EXPECT_FALSE(has(
      "T203",
      R"y(entities: {A: {key: ["P#{p}", "S#{s}"], fields: {p: ulid, s: ulid}}, B: {key: ["P#{p}", "S#{s}#C#{c}"], fields: {p: ulid, s: ulid, c: ulid}}}
reads: {r: {query: [A, B]}})y"));
}
TEST(CheckReads, T204_a_read_that_misses_its_entity) {
  EXPECT_TRUE(has("T204", with_read(R"y({query: {where: "PK = 'P#{p}' AND begins_with(SK, 'A#')"}, finds: [A, B]})y")));
  EXPECT_FALSE(has("T204", with_read(R"y({query: {where: "PK = 'P#{p}'"}, finds: [A, B]})y")));
}
TEST(CheckReads, T205_a_lookup_by_a_value_that_its_caller_lacks) {
  EXPECT_TRUE(has("T205", with_read("{get: A, knows: [p]}")));
  EXPECT_FALSE(has("T205", with_read("{get: A, knows: [p, a]}")));
  EXPECT_FALSE(has("T205", with_read("{query: A, knows: [p]}")));
}
TEST(CheckReads, T206_a_scan) {
  EXPECT_TRUE(has("T206", with_read("{scan: A}")));
  EXPECT_FALSE(has("T206", with_read("{query: A}")));
}
TEST(CheckReads, T207_one_item_of_an_index_that_holds_many) {
  EXPECT_TRUE(has(
      "T207",
      R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid auto, n: string}, index: {i: {on: G1, key: ["N#{n}", X]}}}}
reads: {r: {get: A.i}})y"));
  EXPECT_FALSE(has(
      "T207",
      R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid auto, n: string}, unique: {n: "N#{n}"}, index: {i: {on: G1, key: ["N#{n}", X]}}}}
reads: {r: {get: A.i}})y"));
  EXPECT_FALSE(has(
      "T207",
      R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid auto, n: string}, index: {i: {on: G1, key: ["N#{n}", X]}}}}
reads: {r: {query: A.i}})y"));
}
TEST(CheckReads, T208_a_consistent_read_of_a_global_index) {
  EXPECT_TRUE(has("T208", with_read("{query: A.i, consistent: true}")));
  EXPECT_FALSE(has("T208", with_read("{query: A, consistent: true}")));
}
TEST(CheckReads, T209_a_reserved_word) {
  constexpr const char* kNatural = R"y(design: test
tables: {{t: {{key: [status, id]}}}}
entities: {{A: {{key: ["{{status}}", "{{id}}"], fields: {{status: string, id: ulid auto}}}}}}
reads: {{r: {{query: {{where: "{} = 'x'"}}, finds: [A]}}}}
)y";
  EXPECT_TRUE(codes_of(fmt::format(fmt::runtime(kNatural), "status")).contains("T209"));
  EXPECT_FALSE(codes_of(fmt::format(fmt::runtime(kNatural), "#status")).contains("T209"));
}
TEST(CheckReads, T210_a_sort_key_is_read_from_its_start) {
  constexpr const char* kEntity =
      R"y(entities: {{A: {{key: ["P#{{p}}", "{{d}}#{{n}}"], fields: {{p: ulid, d: date, n: ulid auto}}}}}}
reads: {{r: {}}}
)y";
  EXPECT_TRUE(has("T210", fmt::format(fmt::runtime(kEntity), "{query: A, by: [p, n]}")));
  EXPECT_TRUE(has("T210", fmt::format(fmt::runtime(kEntity), "{query: A, by: [p], range: n}")));
  EXPECT_FALSE(has("T210", fmt::format(fmt::runtime(kEntity), "{query: A, by: [p, d]}")));
  EXPECT_FALSE(has("T210", fmt::format(fmt::runtime(kEntity), "{query: A, by: [p, d], range: n}")));
  EXPECT_FALSE(has("T210", fmt::format(fmt::runtime(kEntity), "{query: A, by: [p], range: d}")));
}
TEST(CheckReads, T211_an_index_that_repeats_the_table) {
  EXPECT_TRUE(has(
      "T211",
      R"y(entities: {A: {key: ["A#{a}", "T#{b}"], fields: {a: ulid, b: ulid}, index: {i: {on: G1, key: ["A#{a}", "T#{b}"]}}}})y"));
  EXPECT_FALSE(has(
      "T211",
      R"y(entities: {A: {key: ["A#{a}", "T#{b}"], fields: {a: ulid, b: ulid}, index: {i: {on: G1, key: ["T#{b}", "A#{a}"]}}}})y"));
}
TEST(CheckReads, T212_T213_T214_unused_indexes_and_entities) {
  EXPECT_TRUE(has("T212", with_read("{query: A}")));  // G2
  EXPECT_TRUE(has("T213", with_read("{query: A}")));  // A.i
  EXPECT_FALSE(has("T213", with_read("{query: A.i}")));
  EXPECT_TRUE(has("T214", with_read("{query: A}")));  // B
  EXPECT_FALSE(has("T214", "entities: {A: {key: [\"A#{a}\", X], fields: {a: ulid}}}\nreads: {r: {get: A}}"));
}
TEST(CheckReads, T215_a_projection_that_lacks_returned_fields) {
  constexpr const char* kNarrow = R"y(design: test
tables: {{t: {{key: [PK, SK], indexes: {{G1: {{key: [G1PK, G1SK], project: [n]}}}}}}}}
entities: {{A: {{key: ["A#{{a}}", X], fields: {{a: ulid auto, n: string, m: string}}, index: {{i: {{on: G1, key: ["N#{{n}}", X]}}}}}}}}
reads: {{r: {}}}
)y";
  EXPECT_TRUE(codes_of(fmt::format(fmt::runtime(kNarrow), "{query: A.i}")).contains("T215"));
  EXPECT_FALSE(codes_of(fmt::format(fmt::runtime(kNarrow), "{query: A.i, fields: [a, n]}")).contains("T215"));
}
TEST(CheckReads, T215_a_projection_that_lacks_the_expiry) {
  constexpr const char* kExpires = R"y(design: test
tables: {{t: {{key: [PK, SK], ttl: ttl, indexes: {{G1: {{key: [G1PK, G1SK], project: [{}]}}}}}}}}
entities: {{A: {{key: ["A#{{a}}", X], fields: {{a: ulid auto, n: string, at: time auto}}, ttl: at + 1h, index: {{i: {{on: G1, key: ["N#{{n}}", X]}}}}}}}}
reads: {{r: {{query: A.i, fields: [a, n]}}}}
)y";
  EXPECT_TRUE(codes_of(fmt::format(fmt::runtime(kExpires), "n")).contains("T215"));
  EXPECT_FALSE(codes_of(fmt::format(fmt::runtime(kExpires), "n, ttl")).contains("T215"));
}
TEST(CheckReads, T228_the_last_item_where_former_keys_sort_differently) {
  constexpr const char* kFormer = R"y(design: test
tables: {{t: {{key: [PK, SK]}}}}
entities: {{A: {{key: ["P#{{p}}", "A#{{n:04}}"], fields: {{p: ulid, n: int(1..9999)}}, formerly: [["{}#{{p}}", "A#{{n}}"]]}}}}
reads: {{r: {}}}
)y";
  EXPECT_TRUE(
      codes_of(fmt::format(fmt::runtime(kFormer), "P", "{query: A, order: descending, limit: 1}")).contains("T228"));
  EXPECT_TRUE(codes_of(fmt::format(fmt::runtime(kFormer), "P", "{query: A, one: true}")).contains("T228"));
  EXPECT_FALSE(codes_of(fmt::format(fmt::runtime(kFormer), "P", "{query: A, all: true}")).contains("T228"));
  EXPECT_FALSE(codes_of(fmt::format(fmt::runtime(kFormer), "Q", "{query: A, one: true}")).contains("T228"));
}
TEST(CheckReads, T216_T217_a_raw_read_of_missing_tables_and_attributes) {
  EXPECT_TRUE(has("T216", with_read(R"y({query: {index: bySite, where: "x = 'y'"}})y")));
  EXPECT_TRUE(has("T217", with_read(R"y({query: {where: "PK = 'P#{p}' AND n = 'y'"}})y")));
  EXPECT_FALSE(has("T217", with_read(R"y({query: {where: "PK = 'P#{p}' AND SK = 'A#1'"}})y")));
}
TEST(CheckReads, T218_an_index_that_copies_large_attributes) {
  EXPECT_TRUE(has(
      "T218",
      R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, t: text}, index: {i: {on: G1, key: [ALL, "{a}"]}}}})y"));
  EXPECT_FALSE(has(
      "T218",
      R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, t: string(..100)}, index: {i: {on: G1, key: [ALL, "{a}"]}}}})y"));
}
TEST(CheckReads, T219_an_index_of_which_one_value_is_read) {
  EXPECT_TRUE(has("T219", with_read("{query: A.i, by: {s: x}}")));
  EXPECT_FALSE(has("T219", with_read("{query: A.i}")));
}

}  // namespace
}  // namespace trestle::design
