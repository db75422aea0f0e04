// Checks of operations with several steps: a design that causes the finding, and the most similar one that does not.
#include <gtest/gtest.h>

#include "design/check/check_test_help.h"

namespace trestle::design {
namespace {

std::string with_steps(std::string_view steps) {
  return fmt::format(R"y(entities:
  A: {{key: ["A#{{a}}", X], fields: {{a: ulid, n: int(0..9), c: counter}}}}
  B: {{key: ["B#{{b}}", X], fields: {{b: ulid, n: int(0..9), u: string(..9) optional}}, unique: {{u: "U#{{u}}"}}}}
  S: {{key: ["S#{{a}}", X], fields: {{a: ulid, last: counter, at: time touch, k: "enum(x, y)"}}, index: {{i: {{on: G1, key: [K, "{{k}}#{{at}}"]}}}}}}
writes:
  w:
    takes: {{a: ulid, b: ulid, list: list<ulid>, few: "list<ulid>(..20)"}}
    steps: {}
)y",
                     steps);
}

TEST(CheckSteps, T301_a_loop_within_a_transaction_counts_with_its_bound) {
  const auto loop = [](std::string_view list, std::string_view most) {
    return with_steps(fmt::format(
        "[{{atomic: [{{for: {}, as: one, {}do: [{{update: A, by: {{a: $one}}, add: {{c: 1}}}}]}}]}}]", list, most));
  };
  EXPECT_TRUE(has("T301", loop("$list", "")));
  EXPECT_TRUE(has("T301", loop("$list", "most: 101, ")));
  EXPECT_FALSE(has("T301", loop("$list", "most: 100, ")));
  EXPECT_FALSE(has("T301", loop("$few", "")));
}

TEST(CheckSteps, T302_a_loop_that_writes_one_item_twice) {
  const auto loop = [](std::string_view other) {
    return with_steps(
        fmt::format("[{{atomic: [{{for: $few, as: one, do: [{{update: A, by: {{a: $one}}, add: {{c: 1}}}}, "
                    "{{delete: A, by: {{a: {}}}}}]}}]}}]",
                    other));
  };
  EXPECT_TRUE(has("T302", loop("$one")));
  EXPECT_FALSE(has("T302", loop("$a")));
}

TEST(CheckSteps, T340_writes_that_remain_when_a_later_step_fails) {
  const auto steps = [](std::string_view undo, std::string_view second) {
    return with_steps(fmt::format("[{{update: A, add: {{n: 1}}, else: 404{}}}, {}]", undo, second));
  };
  const std::string refuses = "{update: B, add: {n: 1}, else: 409}";
  EXPECT_TRUE(has("T340", steps("", refuses)));
  EXPECT_FALSE(has("T340", steps(", undo: [{update: A, add: {n: -1}}]", refuses)));
  EXPECT_FALSE(has("T340", steps("", "{get: B, as: found}")));
  EXPECT_TRUE(has("T340", steps("", "{require: $a = $b, else: 409}")));
  EXPECT_FALSE(has("T340", with_steps("[{atomic: [{update: A, add: {n: 1}, else: 404}, " + refuses + "]}]")));
  EXPECT_FALSE(has("T340", with_steps("[{require: $a = $b, else: 409}, {update: A, add: {n: 1}, else: 404}]")));
}

TEST(CheckSteps, T340_a_cascade_before_a_condition) {
  const auto steps = [](std::string_view later) {
    return with_steps(fmt::format("[{{cascade: B, by: {{b: $b}}}}, {}]", later));
  };
  EXPECT_TRUE(has("T340", steps("{delete: A, if: n = 1, else: 409}")));
  EXPECT_TRUE(has("T340", steps("{require: $a = $b, else: 409}")));
  EXPECT_FALSE(has("T340", steps("{delete: A, if: present, else: 404}")));
  EXPECT_FALSE(
      has("T340", with_steps("[{get: A, as: found, none: 404}, {require: $found.n = 1, else: 409}, {cascade: B, "
                             "by: {b: $b}}, {delete: A}]")));
}

TEST(CheckSteps, T341_a_number_that_no_request_returns) {
  EXPECT_TRUE(has("T341", with_steps("[{next: S.last, as: number, else: 404}]")));
  EXPECT_FALSE(has("T341", with_steps("[{next: A.c, as: number, else: 404}]")));
}

TEST(CheckSteps, mistakes_of_the_new_words) {
  EXPECT_TRUE(has("T003", with_steps("[{next: A.n, as: number}]")));  // no counter
  EXPECT_TRUE(has("T003", with_steps("[{get: A, as: x, undo: [{delete: A}]}]")));
  EXPECT_TRUE(has("T003", with_steps("[{for: $few, as: x, do: [{delete: A, by: {a: $x}, undo: [{delete: B}]}]}]")));
  EXPECT_TRUE(has("T003", with_steps("[{atomic: [{for: $few, as: x, do: [{cascade: A}]}]}]")));
}

TEST(CheckSteps, T003_entities_of_one_query_share_a_partition) {
  const auto read = [](std::string_view query) {
    return fmt::format(R"y(entities:
  A: {{key: ["A#{{a}}", X], fields: {{a: ulid}}}}
  B: {{key: ["A#{{a}}", "B#{{b}}"], fields: {{a: ulid, b: ulid}}}}
  C: {{key: ["C#{{a}}", X], fields: {{a: ulid}}}}
reads: {{r: {}}}
)y",
                       query);
  };
  EXPECT_FALSE(has("T003", read("{query: [A, B]}")));
  EXPECT_TRUE(has("T003", read("{query: [A, C]}")));
  EXPECT_TRUE(has("T003", read("{query: [A, B], filter: \"b = 'x'\"}")));
  EXPECT_FALSE(has("T214", read("{query: [A, B, C]}")));
}

TEST(CheckSteps, T511_a_reaction_that_cannot_call_its_operation) {
  const auto reaction = [](std::string_view with) {
    return fmt::format(R"y(entities:
  A: {{key: ["A#{{a}}", X], fields: {{a: ulid, n: int}}}}
writes:
  take: {{takes: {{a: ulid, amount: int}}, steps: [{{update: A, add: {{n: $amount}}}}]}}
reactions:
  r: {{on: A, when: [remove], do: take{}}}
)y",
                       with);
  };
  EXPECT_TRUE(has("T511", reaction("")));
  EXPECT_FALSE(has("T511", reaction(", with: {amount: old.n}")));
}

}  // namespace
}  // namespace trestle::design
