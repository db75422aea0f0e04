// Each check: a design that causes the finding, and the most similar one that does not.
#include <gtest/gtest.h>

#include "design/check/check_test_help.h"

namespace trestle::design {
namespace {

TEST(CheckKeys, T101_a_template_of_an_undeclared_field) {
  EXPECT_TRUE(has("T101", R"y(entities: {A: {key: ["A#{id}", X], fields: {name: string}}})y"));
  EXPECT_FALSE(has("T101", R"y(entities: {A: {key: ["A#{id}", X], fields: {id: string}}})y"));
}
TEST(CheckKeys, T102_two_entities_that_can_have_the_same_key) {
  EXPECT_TRUE(has(
      "T102",
      R"y(entities: {A: {key: ["R#{site}", X], fields: {site: string}}, B: {key: ["R#{ip}", X], fields: {ip: ip}}})y"));
  EXPECT_FALSE(has(
      "T102",
      R"y(entities: {A: {key: ["R#{site}", X], fields: {site: ulid}}, B: {key: ["R#{ip}", X], fields: {ip: ip}}})y"));
  EXPECT_FALSE(has(
      "T102",
      R"y(entities: {A: {key: ["R#{site}", X], fields: {site: string}}, B: {key: ["R#{ip}", Y], fields: {ip: ip}}})y"));
}
TEST(CheckKeys, T102_applies_to_guards_too) {
  EXPECT_TRUE(has(
      "T102",
      R"y(entities: {A: {key: ["A#{id}", "A#{id}"], fields: {id: string}}, B: {key: ["B#{b}", B], fields: {b: ulid, n: string}, unique: {n: "A#{n}"}}})y"));
  EXPECT_FALSE(has(
      "T102",
      R"y(entities: {A: {key: ["A#{id}", "A#{id}"], fields: {id: string}}, B: {key: ["B#{b}", B], fields: {b: ulid, n: string}, unique: {n: "N#{n}"}}})y"));
}
TEST(CheckKeys, T103_two_values_that_produce_the_same_key) {
  EXPECT_TRUE(has("T103", R"y(entities: {A: {key: ["A#{a}#{b}", X], fields: {a: string, b: string}}})y"));
  EXPECT_FALSE(has("T103", R"y(entities: {A: {key: ["A#{a}#{b}", X], fields: {a: "string([a-z])", b: string}}})y"));
  EXPECT_FALSE(
      has("T103", R"y(entities: {A: {key: ["A#{a:escape}#{b:escape}", X], fields: {a: string, b: string}}})y"));
  EXPECT_FALSE(has("T103", R"y(entities: {A: {key: ["A#{a}#{b}", X], fields: {a: string, b: int}}})y"));
}
TEST(CheckKeys, T104_only_a_time_distinguishes_items) {
  EXPECT_TRUE(has("T104", R"y(entities: {A: {key: ["A#{site}", "T#{at}"], fields: {site: ulid, at: time}}})y"));
  EXPECT_FALSE(has(
      "T104", R"y(entities: {A: {key: ["A#{site}", "T#{at}#{id}"], fields: {site: ulid, at: time, id: ulid auto}}})y"));
  EXPECT_FALSE(has(
      "T104", R"y(entities: {A: {key: ["A#{site}", "T#{at}"], fields: {site: ulid, at: epoch(1m), n: counter}}})y"));
}
TEST(CheckKeys, T104_not_reported_if_a_childs_key_contains_its_owners_key) {
  const auto with_key = [](const std::string& key) {
    return has("T104", R"y(entities:
  A:
    key: ["A#{site}", "A#{id}"]
    fields: {site: ulid, id: ulid auto, at: time auto, tags: "set<string([a-z], 1..9)>(..6)"}
    each: {tags: Tag.tag}
  Tag:
    key: )y" + key + R"y(
    fields: {site: ulid, id: ulid, tag: "string([a-z], 1..9)", at: time}
)y");
  };
  EXPECT_FALSE(with_key(R"y(["T#{site}#{tag}", "{at}#{id}"])y"));
  EXPECT_TRUE(with_key(R"y(["T#{site}#{tag}", "{at}"])y"));
}
TEST(CheckKeys, T105_an_unpadded_number_in_a_sort_key) {
  EXPECT_TRUE(has("T105", R"y(entities: {A: {key: ["A#{a}", "N#{n}"], fields: {a: ulid, n: int}}})y"));
  EXPECT_FALSE(has("T105", R"y(entities: {A: {key: ["A#{a}", "N#{n:04}"], fields: {a: ulid, n: int}}})y"));
  EXPECT_FALSE(has("T105", R"y(entities: {A: {key: ["A#{a}", "N#{n}"], fields: {a: ulid, n: epoch}}})y"));
  EXPECT_FALSE(
      has("T105", R"y(entities: {A: {key: ["A#{a}", A], fields: {a: ulid, n: int}, unique: {n: "NUMBER#{n}"}}})y"));
}
TEST(CheckKeys, T106_part_of_a_hash_is_not_an_identity) {
  EXPECT_TRUE(has("T106", R"y(entities: {A: {key: ["D#{d:sha256/16}", X], fields: {d: domain}}})y"));
  EXPECT_FALSE(has("T106", R"y(entities: {A: {key: ["D#{d:sha256/16}", "L#{d}"], fields: {d: domain}}})y"));
}
TEST(CheckKeys, T107_a_key_that_is_too_long) {
  EXPECT_TRUE(has("T107", R"y(entities: {A: {key: ["A#{a}", "S#{s}"], fields: {a: ulid, s: string(1..300)}}})y"));
  EXPECT_FALSE(has("T107", R"y(entities: {A: {key: ["A#{a}", "S#{s}"], fields: {a: ulid, s: string(1..250)}}})y"));
}
TEST(CheckKeys, T108_a_constant_in_place_of_a_changing_field) {
  const auto with = [](std::string_view entry) {
    return fmt::format(
        "entities: {{A: {{key: [\"A#{{a}}\", X], fields: {{a: ulid, status: \"enum(active, off)\"}}, index: {{i: "
        "{}}}}}}}",
        entry);
  };
  EXPECT_TRUE(has("T108", with(R"y({on: G1, key: ["S#{a}", ACTIVE]})y")));
  EXPECT_FALSE(has("T108", with(R"y({on: G1, key: ["S#{a}", ACTIVE], if: status = active})y")));
  EXPECT_FALSE(has("T108", with(R"y({on: G1, key: ["S#{a}", "{status}"]})y")));
  EXPECT_TRUE(has("T108", with(R"y({on: G1, key: ["STATUS#active", "{a}"]})y")));
  EXPECT_TRUE(has("T108", with(R"y({on: G1, key: ["ACTIVE#{a}", X]})y")));
}
TEST(CheckKeys, T108_not_reported_for_prefixes_that_name_the_kind_of_item) {
  EXPECT_FALSE(has("T108", R"y(entities:
  Membership: {key: ["ORG#{org}", "MEMBER#{user}"], fields: {org: ulid, user: ulid, role: "enum(owner, member)"}}
  Person: {key: ["USER#{id}", PROFILE], fields: {id: ulid, kind: "enum(user, admin)"}}
  Sale:
    key: ["SALE#{id}", X]
    fields: {id: ulid, at: time, type: "enum(order, quote)"}
    index: {i: {on: G1, key: ["ORDER#{id}", "{at}"]}}
)y"));
}
TEST(CheckKeys, T118_T119_names_and_numbers_of_indexes_that_DynamoDB_rejects) {
  const auto named = [](std::string_view table, std::string_view index) {
    return codes_of(
        fmt::format("design: d\ntables: {{{}: {{key: [PK, SK], indexes: {{{}: {{key: [A, B]}}}}}}}}", table, index));
  };
  EXPECT_TRUE(named("db", "byA").contains("T118"));
  EXPECT_TRUE(named("dbs", "A").contains("T118"));
  EXPECT_TRUE(named("d b s", "byA").contains("T118"));
  EXPECT_FALSE(named("dbs", "byA").contains("T118"));
  const auto indexes = [](int global, int local) {
    std::string list;
    for (int i = 0; i < global; ++i) list += fmt::format("      g{:02}: {{key: [A{}, B]}}\n", i, i);
    for (int i = 0; i < local; ++i) list += fmt::format("      l{:02}: {{local: true, key: [PK, C{}]}}\n", i, i);
    return codes_of("design: d\ntables:\n  dbs:\n    key: [PK, SK]\n    indexes:\n" + list);
  };
  EXPECT_FALSE(indexes(20, 5).contains("T119"));
  EXPECT_TRUE(indexes(21, 1).contains("T119"));
  EXPECT_TRUE(indexes(1, 6).contains("T119"));
}
TEST(CheckKeys, T615_two_examples_of_one_item_that_disagree) {
  const auto with = [](std::string_view n) {
    return fmt::format(
        "entities: {{A: {{key: [\"A#{{a}}\", X], fields: {{a: int, n: int}}, examples: [{{PK: \"A#1\", SK: X, a: 1, n: "
        "2}}, "
        "{{PK: \"A#{}\", SK: X, a: 1, n: {}}}]}}}}",
        n == "other" ? "2" : "1", n == "other" ? "3" : n);
  };
  EXPECT_TRUE(has("T615", with("3")));
  EXPECT_FALSE(has("T615", with("2")));
  EXPECT_FALSE(has("T615", with("other")));
}
TEST(CheckKeys, T105_padding_that_does_not_fit_the_range) {
  constexpr const char* kPadded = R"y(entities: {A: {key: ["A#{a}", "{n:03}"], fields: {a: ulid, n: int(NAME)}}})y";
  const auto with = [&](std::string_view range) {
    std::string text = kPadded;
    return text.replace(text.find("NAME"), 4, range);
  };
  EXPECT_TRUE(has("T105", with("0..1000")));
  EXPECT_TRUE(has("T105", with("-99..99")));
  EXPECT_FALSE(has("T105", with("0..999")));
}
TEST(CheckKeys, T109_a_key_of_the_wrong_type) {
  EXPECT_TRUE(has("T109", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: list<string>}}})y"));
  EXPECT_FALSE(has("T109", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: string}}})y"));
  EXPECT_TRUE(has("T109", R"y(entities: {A: {key: ["A#{a:day}", "{a}"], fields: {a: "string(..40)"}}})y"));
  EXPECT_FALSE(has("T109", R"y(entities: {A: {key: ["A#{a:day}", "{a}"], fields: {a: epoch}}})y"));
}
TEST(CheckKeys, T110_an_optional_field_in_the_key) {
  EXPECT_TRUE(has("T110", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: string optional}}})y"));
  EXPECT_FALSE(has("T110", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: string}}})y"));
}
TEST(CheckKeys, T111_a_unique_value_of_the_only_item) {
  EXPECT_TRUE(has("T111", R"y(entities: {A: {key: [LATEST, X], fields: {v: string}, unique: {v: "V#{v}"}}})y"));
  EXPECT_FALSE(
      has("T111", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: string, v: string}, unique: {v: "V#{v}"}}})y"));
}
TEST(CheckKeys, T111_an_index_over_the_only_item) {
  EXPECT_TRUE(has(
      "T111", R"y(entities: {A: {key: [LATEST, X], fields: {v: string}, index: {i: {on: G1, key: ["V#{v}", R]}}}})y"));
  EXPECT_FALSE(has(
      "T111", R"y(entities: {A: {key: ["V#{v}", X], fields: {v: string}, index: {i: {on: G1, key: ["V#{v}", R]}}}})y"));
}
TEST(CheckKeys, T112_tenant_data_without_the_tenant_in_its_key) {
  EXPECT_TRUE(has("T112", R"y(tenant: t
entities: {A: {key: ["A#{a}", X], fields: {a: ulid, t: string}}})y"));
  EXPECT_FALSE(has("T112", R"y(tenant: t
entities: {A: {key: ["T#{t}", "A#{a}"], fields: {a: ulid, t: string}}})y"));
}
TEST(CheckKeys, T113_an_example_that_does_not_match_the_design) {
  EXPECT_TRUE(
      has("T113", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: int}, examples: [{PK: "B#1", SK: X, a: 1}]}})y"));
  EXPECT_TRUE(has("T113", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: int}, examples: [{PK: "A#1", SK: X}]}})y"));
  EXPECT_FALSE(
      has("T113", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: int}, examples: [{PK: "A#1", SK: X, a: 1}]}})y"));
}
TEST(CheckKeys, T114_an_item_without_a_size_limit) {
  EXPECT_TRUE(has("T114", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: int, p: any}}})y"));
  EXPECT_TRUE(has("T114", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: int, p: text(..200000)}}})y"));
  EXPECT_FALSE(has("T114", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: int, p: text(..20000)}}})y"));
  EXPECT_FALSE(
      has("T114", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: int, p: any}, spill: {p: {over: 128KB}}}})y"));
}
TEST(CheckKeys, T115_a_field_that_is_a_key_attribute) {
  EXPECT_TRUE(has("T115", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, SK: string}}})y"));
  EXPECT_FALSE(has("T115", R"y(entities: {A: {key: ["A#{a}", "{SK}"], fields: {a: ulid, SK: string}}})y"));
  EXPECT_TRUE(has("T115", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, G1PK: string, G1SK: string}}})y"));
  EXPECT_FALSE(has("T115", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, G1SK: string}}})y"));
  constexpr const char* kBeside =
      R"y(entities: {{A: {{key: ["A#{{a}}", X], fields: {{a: ulid, G1SK: string(1..9), o: string(1..9){}}}, index: {{i: {{on: G1, key: ["B#{{a}}", "{{o}}#{{G1SK}}"]}}}}}}}})y";
  EXPECT_TRUE(has("T115", fmt::format(fmt::runtime(kBeside), " optional")));
  EXPECT_FALSE(has("T115", fmt::format(fmt::runtime(kBeside), "")));
}
TEST(CheckKeys, T116_one_attribute_with_two_templates) {
  constexpr const char* kShared = R"y(design: test
tables: {{t: {{key: [a, at], indexes: {{I: {{key: [s, at]}}}}}}}}
entities: {{A: {{key: ["{{a}}", "{{at}}#{{id}}"], fields: {{a: ulid, at: time, id: ulid auto, s: string}}, index: {{i: {{on: I, key: ["{{s}}", "{}"]}}}}}}}}
)y";
  EXPECT_TRUE(codes_of(fmt::format(fmt::runtime(kShared), "{at}")).contains("T116"));
  EXPECT_FALSE(codes_of(fmt::format(fmt::runtime(kShared), "{at}#{id}")).contains("T116"));
}
TEST(CheckKeys, T117_a_condition_that_excludes_no_item) {
  constexpr const char* kNatural = R"y(design: test
tables: {t: {key: [a, b], indexes: {I: {key: [s, b]}}}}
entities: {A: {key: ["{a}", "{b}"], fields: {a: ulid, b: ulid auto, s: "enum(x, y)"}, index: {i: {on: I, key: ["{s}", "{b}"], if: s = x}}}}
)y";
  EXPECT_TRUE(codes_of(kNatural).contains("T117"));
  EXPECT_FALSE(has(
      "T117",
      R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, s: "enum(x, y)"}, index: {i: {on: G1, key: ["S#{s}", "{a}"], if: s = x}}}})y"));
}
TEST(CheckKeys, a_finding_is_suppressed_only_by_a_reason_on_its_line) {
  const auto report =
      check_text(around("entities:\n  A:\n    # trestle: allow T104 because one a second is all there is\n    key: "
                        "[\"A#{site}\", \"T#{at}\"]\n    fields: {site: ulid, at: time}\n"));
  EXPECT_EQ(report.suppressed.size(), 1U);
  EXPECT_EQ(report.suppressed[0].reason, "one a second is all there is");
  EXPECT_TRUE(has("T006",
                  "entities:\n  A:\n    # trestle: allow T104\n    key: [\"A#{site}\", \"T#{at}\"]\n    fields: {site: "
                  "ulid, at: time}\n"));
  EXPECT_TRUE(has("T104",
                  "entities:\n  A:\n    # trestle: allow T104\n    key: [\"A#{site}\", \"T#{at}\"]\n    fields: {site: "
                  "ulid, at: time}\n"));
  EXPECT_TRUE(has("T007",
                  "entities:\n  A:\n    # trestle: allow T104 because of nothing\n    key: [\"A#{site}\", X]\n    "
                  "fields: {site: ulid, at: time}\n"));
}

}  // namespace
}  // namespace trestle::design
