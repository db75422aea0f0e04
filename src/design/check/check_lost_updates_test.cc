// Each check: a design that causes the finding, and the most similar one that does not.
#include <gtest/gtest.h>

#include "design/check/check_test_help.h"

namespace trestle::design {
namespace {

std::string figures(std::string_view field) {
  return fmt::format(R"y(entities:
  A: {{key: ["A#{{a}}", X], fields: {{a: ulid auto, d: date}}}}
  M: {{key: ["M#{{d}}", X], fields: {{d: date, n: counter, {}}}}}
tallies: {{t: {{of: A, into: M, by: {{d: d}}, add: {{n: 1}}, through: stream}}}}
)y",
                     field);
}

TEST(CheckFigures, T310_a_number_that_addition_cannot_maintain) {
  EXPECT_TRUE(has("T310", figures("error_rate: number")));
  EXPECT_FALSE(has("T310", figures("errors: counter")));
  EXPECT_FALSE(has("T310", figures("least: min<number>")));
  EXPECT_FALSE(has("T310", figures("note: string optional")));
  EXPECT_FALSE(has("T310", figures("best: int optional")));
  EXPECT_TRUE(has("T310", figures("error_rate: number optional")));
  // A number outside an item that holds figures is allowed.
  EXPECT_FALSE(has("T310", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, error_rate: number}}})y"));
}

std::string grant(std::string_view write) {
  return fmt::format(R"y(entities:
  A: {{key: ["A#{{a}}", X], fields: {{a: ulid, roles: set<ulid>, n: int, rev: revision}}}}
writes:
  w: {{takes: {{a: ulid, role: set<ulid>}}, steps: [{{get: A, as: old, none: 404}}, {}]}}
)y",
                     write);
}

TEST(CheckLostUpdates, T311_a_value_that_is_read_and_written_back_without_a_condition) {
  EXPECT_TRUE(has("T311", grant("{update: A, set: {roles: \"union($old.roles, $role)\"}}")));
  EXPECT_TRUE(has("T311", grant("{update: A, set: {n: $old.n + 1}}")));
  EXPECT_FALSE(has("T311", grant("{update: A, set: {n: $old.n + 1}, if: rev = $old.rev}")));
  EXPECT_FALSE(has("T311", grant("{update: A, add: {roles: $role}}")));
  EXPECT_FALSE(has("T311", grant("{update: A, set: {roles: $role}}")));
}
TEST(CheckLostUpdates, T312_a_list_of_ids) {
  EXPECT_TRUE(has("T312", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, roles: list<ulid>}}})y"));
  EXPECT_FALSE(has("T312", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, roles: set<ulid>}}})y"));
  EXPECT_FALSE(has("T312", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, roles: list<ulid> immutable}}})y"));
  EXPECT_FALSE(has("T312", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, names: list<string>}}})y"));
}
TEST(CheckLostUpdates, T313_errors_that_are_swallowed) {
  constexpr const char* kRead =
      "entities: {{A: {{key: [\"A#{{a}}\", X], fields: {{a: ulid}}}}}}\nreads: {{r: {{get: A, errors: {}}}}}";
  EXPECT_TRUE(has("T313", fmt::format(fmt::runtime(kRead), "ignored")));
  EXPECT_FALSE(has("T313", fmt::format(fmt::runtime(kRead), "raised")));
  EXPECT_TRUE(has("T003", fmt::format(fmt::runtime(kRead), "maybe")));
  EXPECT_TRUE(
      has("T313", "entities: {A: {key: [\"A#{a}\", X], fields: {a: ulid}}}\nwrites: {w: {put: A, errors: ignored}}"));
}

TEST(CheckLostUpdates, T314_a_guard_that_keeps_a_field_that_changes) {
  constexpr const char* kGuard = R"y(entities:
  A: {{key: ["A#{{a}}", X], fields: {{a: ulid, mail: email, name: string, hits: counter}}, unique: {{mail: {{key: "M#{{mail}}", type: M, keeps: [{}]}}}}}}
writes: {{w: {{update: A}}, hit: {{update: A, takes: {{a: ulid}}, add: {{hits: 1}}}}}}
)y";
  // `set` also updates the guard's copy; `add` does not.
  EXPECT_FALSE(has("T314", fmt::format(fmt::runtime(kGuard), "mail, a, name")));
  EXPECT_TRUE(has("T314", fmt::format(fmt::runtime(kGuard), "mail, a, hits")));
  EXPECT_FALSE(has("T314", fmt::format(fmt::runtime(kGuard), "mail, a")));
}
TEST(CheckLifecycle, T510_an_upsert_that_revives_an_expired_item) {
  constexpr const char* kCount = R"y(entities:
  A: {{key: ["A#{{a}}", "X{}"], fields: {{a: ulid, d: date, n: counter, at: time touch}}, ttl: at + 1h}}
writes: {{w: {{takes: {{a: ulid, d: date}}, upsert: A, set: {{d: $d}}, add: {{n: 1}}}}}}
)y";
  EXPECT_TRUE(has("T510", fmt::format(fmt::runtime(kCount), "")));
  EXPECT_FALSE(has("T510", fmt::format(fmt::runtime(kCount), "#{d}")));
}

TEST(CheckRawReads, T220_a_read_by_another_field_than_the_one_in_the_key) {
  constexpr const char* kRead = R"y(entities:
  A: {{key: ["A#{{a}}", X], fields: {{a: ulid, now: string(..9), latest: string(..9)}}, index: {{i: {{on: G1, key: ["V#{{latest}}", "{{a}}"]}}}}}}
reads:
  r: {{takes: {{v: {}}}, query: {{index: G1, where: "G1PK = 'V#{{v}}'"}}, finds: [A]}}
)y";
  EXPECT_TRUE(has("T220", fmt::format(fmt::runtime(kRead), "A.now")));
  EXPECT_FALSE(has("T220", fmt::format(fmt::runtime(kRead), "A.latest")));
  EXPECT_FALSE(has("T220", fmt::format(fmt::runtime(kRead), "string(..9)")));
  // The input `version` can mean either field.
  constexpr const char* kRivals = R"y(entities:
  A: {{key: ["A#{{a}}", X], fields: {{a: ulid, {}: string(..9), latest_version: string(..9)}}, index: {{i: {{on: G1, key: ["V#{{latest_version}}", "{{a}}"]}}}}}}
reads:
  r: {{takes: {{version: {}}}, query: {{index: G1, where: "G1PK = 'V#{{version}}'"}}, finds: [A]}}
)y";
  EXPECT_TRUE(has("T220", fmt::format(fmt::runtime(kRivals), "current_version", "string(..9)")));
  EXPECT_FALSE(has("T220", fmt::format(fmt::runtime(kRivals), "current_version", "A.latest_version")));
  EXPECT_FALSE(has("T220", fmt::format(fmt::runtime(kRivals), "label", "string(..9)")));
}
TEST(CheckRawReads, T213_T214_a_read_that_DynamoDB_rejects_is_not_a_use) {
  constexpr const char* kRead = R"y(entities:
  A: {{key: ["A#{{a}}", X], fields: {{a: ulid, s: string(..9)}}, index: {{i: {{on: G1, key: ["S#{{s}}", ON]}}}}}}
reads: {{r: {{query: {{index: G1, where: "{}"}}, finds: [A]}}}}
)y";
  const std::string refused = fmt::format(fmt::runtime(kRead), "G1SK = 'ON'");
  EXPECT_TRUE(has("T213", refused));
  EXPECT_TRUE(has("T214", refused));
  const std::string good = fmt::format(fmt::runtime(kRead), "G1PK = 'S#{s}' AND G1SK = 'ON'");
  EXPECT_FALSE(has("T213", good));
  EXPECT_FALSE(has("T214", good));
}
TEST(CheckAnswers, T221_a_total_of_one_page) {
  constexpr const char* kRead = R"y(entities:
  A: {{key: ["A#{{a}}", "B#{{b}}"], fields: {{a: ulid, b: ulid auto, n: int}}}}
reads: {{r: {{query: A{}, returns: {}}}}}
)y";
  EXPECT_TRUE(has("T221", fmt::format(fmt::runtime(kRead), "", "{total: sum(items.n)}")));
  EXPECT_FALSE(has("T221", fmt::format(fmt::runtime(kRead), ", all: true", "{total: sum(items.n)}")));
  EXPECT_FALSE(has("T221", fmt::format(fmt::runtime(kRead), "", "{numbers: {each: items, of: n}}")));
}
TEST(CheckAnswers, T221_a_total_of_one_page_of_a_step) {
  constexpr const char* kRead = R"y(entities:
  A: {{key: ["A#{{a}}", "B#{{b}}"], fields: {{a: ulid, b: ulid auto, n: int}}}}
reads: {{r: {{takes: {{a: ulid}}, steps: [{{query: A, by: [a]{}, as: all}}], returns: {{total: sum($all.n)}}}}}}
)y";
  EXPECT_TRUE(has("T221", fmt::format(fmt::runtime(kRead), "")));
  EXPECT_FALSE(has("T221", fmt::format(fmt::runtime(kRead), ", all: true")));
}

std::string behaviour(std::string_view statement, std::string_view each = "") {
  return fmt::format(R"y(entities:
  A: {{key: ["A#{{a}}", "B#{{b}}"], fields: {{a: ulid, b: ulid, s: "enum(x, y)", n: counter, tags: "set<string>(..9) optional"}}{}}}
  T: {{key: ["A#{{a}}", "T#{{tag}}"], fields: {{a: ulid, tag: string(..9)}}}}
reads:
  all: {{query: {{where: "PK = 'A#{{a}}' AND begins_with(SK, 'B#')"}}, finds: [A]}}
  some: {{query: A, filter: s = x}}
writes:
  put: {{put: A}}
  once: {{put: A, if: absent}}
  count: {{update: A, takes: {{a: ulid, b: ulid}}, add: {{n: 1}}}}
  both: {{takes: {{a: ulid, b: ulid, tag: T.tag}}, atomic: [{{delete: A}}, {{delete: T}}]}}
claims: [{{says: said, {}}}]
)y",
                     each, statement);
}

TEST(CheckClaims, T617_a_read_of_one_value_that_returns_all) {
  EXPECT_TRUE(has("T617", behaviour("only: {all: s}")));
  EXPECT_FALSE(has("T617", behaviour("only: {some: s}")));
  EXPECT_TRUE(has("T004", behaviour("only: {nothing: s}")));
}
TEST(CheckClaims, T618_requests_that_the_sdk_rejects) {
  EXPECT_TRUE(has("T618", behaviour("request: {UpdateItem: [client, Key, typed]}")));
  EXPECT_TRUE(has("T618", behaviour("request: {Query: [client, TableName, plain]}")));
  EXPECT_TRUE(has("T618", behaviour("request: {PutItem: [table, Item, floats]}")));
  EXPECT_TRUE(has("T618", behaviour("request: {GetItem: [table, plain]}")));
  EXPECT_FALSE(has("T618", behaviour("request: {Query: [client, TableName, typed]}")));
  EXPECT_FALSE(has("T618", behaviour("request: {PutItem: [table, Item, plain]}")));
}
TEST(CheckClaims, T619_errors_that_must_be_retried) {
  constexpr const char* kSome =
      "retryable: [ProvisionedThroughputExceededException, ThrottlingException, RequestLimitExceeded, "
      "InternalServerError{}]";
  EXPECT_TRUE(has("T619", behaviour(fmt::format(fmt::runtime(kSome), ""))));
  EXPECT_FALSE(has("T619", behaviour(fmt::format(fmt::runtime(kSome),
                                                 ", TransactionConflictException, TransactionInProgressException"))));
  // Without transactions there are no transaction conflicts.
  EXPECT_FALSE(has("T619",
                   "entities: {A: {key: [\"A#{a}\", X], fields: {a: ulid}}}\nwrites: {w: {put: A}}\nclaims: "
                   "[{says: said, " +
                       fmt::format(fmt::runtime(kSome), "") + "}]"));
}
TEST(CheckClaims, T620_an_operation_that_is_safe_to_call_twice) {
  EXPECT_TRUE(has("T620", behaviour("idempotent: put")));
  EXPECT_TRUE(has("T620", behaviour("idempotent: count")));
  EXPECT_FALSE(has("T620", behaviour("idempotent: once")));
}
TEST(CheckClaims, T621_children_that_nothing_keeps_consistent) {
  EXPECT_TRUE(has("T621", behaviour("follows: {T: A.tags}")));
  EXPECT_FALSE(has("T621", behaviour("follows: {T: A.tags}", ", each: {tags: T.tag}")));
}

TEST(CheckRaces, T315_not_reported_for_an_item_that_consists_of_its_key) {
  constexpr const char* kCreate = R"y(entities:
  A: {{key: ["A#{{a}}", "B#{{b}}"], fields: {{a: string(..9), b: string(..9){}}}}}
writes: {{createA: {{put: A}}}}
)y";
  EXPECT_TRUE(has("T315", fmt::format(fmt::runtime(kCreate), ", c: string(..9)")));
  EXPECT_FALSE(has("T315", fmt::format(fmt::runtime(kCreate), "")));
}

TEST(CheckGrowth, T411_a_write_of_the_last_use_counts_as_one_per_request) {
  constexpr const char* kUse = R"y(entities:
  A: {{key: ["A#{{a}}", X], fields: {{a: ulid, b: ulid, {}: time}}, index: {{i: {{on: G1, key: ["B#{{b}}", "{{a}}"]}}}}}}
writes: {{use: {{update: A, takes: {{a: ulid, at: time}}, set: {{{}: $at}}{}}}}}
)y";
  EXPECT_TRUE(has("T411", fmt::format(fmt::runtime(kUse), "last_used", "last_used", "")));
  EXPECT_FALSE(has("T411", fmt::format(fmt::runtime(kUse), "renamed", "renamed", "")));
  EXPECT_FALSE(has("T411", fmt::format(fmt::runtime(kUse), "last_used", "last_used", ", peak: 1/m")));
}

}  // namespace
}  // namespace trestle::design
