// Plans of writes with accompanying requests: guards, stream tallies, limits of one slice; and raw updates, which have
// none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/plan/planned_for_test.h"

namespace trestle::design {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string update_of(const Request& request) { return plan_text_of(first_forms(request)).update; }

std::string source_of(const Request& request, std::string_view placeholder) {
  for (const PlannedValue& value : plan_text_of(first_forms(request)).values) {
    if (value.placeholder == placeholder) return source_text(value.source);
  }
  return {};
}
std::string field_of(const Request& request, std::string_view name) {
  for (const FieldValue& field : request.fields) {
    if (field.name == name) return source_text(field.source);
  }
  return {};
}

// ---- Raw updates --------------------------------------------------------------------------------------------------

constexpr std::string_view kRaw = R"y(entities:
  M: {key: ["M#{id}", X], fields: {id: ulid, status: string, n: counter, last: time}, index: {byStatus: {on: G1, key: ["S#{status}", "{id}"]}}, unique: {status: "U#{status}"}}
writes:
  count: {update: M, takes: {id: ulid, inc: int, ts: time}, raw: "ADD n :inc SET last = :ts, #status = if_not_exists(#status, :inc)"}
  guarded: {update: M, takes: {id: ulid, inc: int}, raw: "add n :inc", if: n < 10, else: 409}
)y";

TEST(PlanRaw, a_documents_update_is_planned_as_it_is) {
  const Planned it = small(kRaw, "count");
  ASSERT_EQ(it.plan.steps.size(), 1U);  // nothing is read first
  ASSERT_EQ(it.last().requests.size(), 1U);
  EXPECT_EQ(it.own().kind, RequestKind::kUpdateItem);
  EXPECT_EQ(it.text().update, "SET last = :ts, #status = if_not_exists(#status, :inc) ADD n :inc");
  EXPECT_EQ(it.text().condition, "");
  EXPECT_EQ(source_of(it.own(), ":inc"), "$inc");
  EXPECT_EQ(source_of(it.own(), ":ts"), "$ts");
  ASSERT_EQ(it.text().names.size(), 1U);
  EXPECT_EQ(it.text().names[0].attribute, "status");
  EXPECT_EQ(source_text(it.own().key[0].source), "\"M#{id}\"");
  EXPECT_THAT(plan_text(it.reading.design, it.plan), HasSubstr("ADD n :inc"));
}

TEST(PlanRaw, its_condition_holds_and_its_change_of_an_index_key_is_paid_for) {
  EXPECT_EQ(small(kRaw, "guarded").text().condition, "#n < :n");
  EXPECT_GT(small(kRaw, "count").plan.cost.write.worst, small(kRaw, "guarded").plan.cost.write.worst);
}

TEST(PlanRaw, what_it_names_must_be_there) {
  const auto mistake = [](std::string_view raw) {
    const Reading reading = read_design(
        around(fmt::format("entities: {{A: {{key: [\"A#{{a}}\", X], fields: {{a: ulid, n: counter}}}}}}\nwrites: {{w: "
                           "{{update: A, takes: {{a: ulid, v: int}}, raw: \"{}\"}}}}\n",
                           raw)));
    return reading.mistakes.empty() ? std::string() : reading.mistakes[0].code;
  };
  EXPECT_EQ(mistake("ADD n :v"), "");
  EXPECT_EQ(mistake("SET n = if_not_exists(n, :v) + :v REMOVE x, y"), "");
  EXPECT_EQ(mistake("ADD n :w"), "T004");
  EXPECT_EQ(mistake("n = :v"), "T005");
  EXPECT_EQ(mistake("SET n = :v,"), "T005");
  EXPECT_EQ(mistake("SET n = list_append(n, :v"), "T005");
  EXPECT_EQ(mistake("SET"), "T005");
  EXPECT_EQ(mistake("SET = :v"), "T005");
}

// ---- Guards that keep what changes --------------------------------------------------------------------------------

constexpr std::string_view kGuardWithCopies = R"y(entities:
  A: {key: ["A#{a}", X], fields: {a: ulid, mail: email, name: string, note: string optional, hits: counter}, unique: {mail: {key: "M#{mail}", type: M, keeps: [mail, a, name, note]}}}
writes:
  rename: {update: A, takes: {a: ulid, name: A.name}, set: [name]}
  change: {update: A}
  hit: {update: A, takes: {a: ulid}, add: {hits: 1}}
)y";

TEST(PlanGuard, one_that_keeps_a_changed_field_is_updated_in_the_transaction) {
  const Planned it = small(kGuardWithCopies, "rename");
  ASSERT_EQ(it.plan.steps.size(), 2U);
  EXPECT_EQ(it.plan.steps[0].kind, PlanStep::Kind::kObserve);  // the guarded value, which is in the guard's key
  ASSERT_EQ(it.last().requests.size(), 2U);
  const Request& guard = it.last().requests[1];
  EXPECT_NE(guard.guard, nullptr);
  EXPECT_EQ(guard.kind, RequestKind::kUpdateItem);
  EXPECT_EQ(update_of(guard), "SET #name = :name");
  EXPECT_EQ(plan_text_of(first_forms(guard)).condition, "attribute_exists(#PK)");
  EXPECT_EQ(field_of(guard, "name"), "$name");
  EXPECT_EQ(field_of(guard, "mail"), "$current.mail");
  EXPECT_EQ(it.last().items_most, 2);
  EXPECT_THAT(it.text().condition, HasSubstr("#mail = :old_mail"));
}

TEST(PlanGuard, one_that_may_be_swapped_too_has_the_key_of_the_new_value) {
  const Planned it = small(kGuardWithCopies, "change");
  ASSERT_EQ(it.last().requests.size(), 4U);  // the item, the new guard, the old guard, and the refresh of the unchanged
                                             // guard
  const Request& guard = it.last().requests[3];
  EXPECT_EQ(guard.kind, RequestKind::kUpdateItem);
  EXPECT_EQ(field_of(guard, "mail"), "input_or($mail, $current.mail)");
  EXPECT_EQ(field_of(guard, "name"), "input_or($name, $current.name)");
  EXPECT_EQ(update_of(guard), "SET #name = :name, #note = :note");
  ASSERT_EQ(guard.pieces.back().forms.size(), 2U);  // an optional field can be removed
  EXPECT_EQ(guard.pieces.back().forms[1].text, "#note");
  EXPECT_THAT(it.plan.steps[0].trigger_inputs, ::testing::UnorderedElementsAre("mail", "name", "note"));
}

TEST(PlanGuard, one_that_keeps_nothing_of_a_change_is_left_alone) {
  EXPECT_EQ(small(kGuardWithCopies, "hit").last().requests.size(), 1U);
}

TEST(PlanGuard, one_that_expires_with_its_owner_lives_as_long) {
  const Planned it = small(R"y(entities:
  S: {key: ["S#{s}", X], fields: {s: ulid, token: string, seen: time}, unique: {token: "T#{token}"}, ttl: seen + 1h}
writes: {touch: {update: S, takes: {s: ulid, seen: time}, set: [seen]}}
)y",
                           "touch");
  ASSERT_EQ(it.last().requests.size(), 2U);
  EXPECT_EQ(update_of(it.last().requests[1]), "SET #ttl = :ttl");
  EXPECT_EQ(source_of(it.last().requests[1], ":ttl"), "epoch(seen + 1h)");
  EXPECT_EQ(field_of(it.last().requests[1], "seen"), "$seen");
}

// ---- Tallies through the stream -------------------------------------------------------------------------------------

constexpr std::string_view kCountedByTally = R"y(entities:
  A: {key: ["A#{a}", X], fields: {a: ulid auto, d: date, size: int, kind: string, name: string}}
  M: {key: ["M#{d}", X], fields: {d: date, n: counter, bytes: counter, kinds: map<int>}}
tallies: {t: {of: A, into: M, by: {d: d}, add: {n: 1, bytes: size, "kinds[kind]": 1}, through: stream}}
writes:
  make: {put: A, if: absent}
  replace: {put: A}
  move: {update: A, takes: {a: ulid, d: date}, set: [d]}
  grow: {update: A, takes: {a: ulid, size: int}, set: [size]}
  turn: {update: A, takes: {a: ulid, kind: string}, set: [kind]}
  name: {update: A, takes: {a: ulid, name: string}, set: [name]}
  drop: {delete: A}
)y";

std::vector<Request> after(const char* operation) {
  static std::vector<Planned> plans;  // plans refer to their designs
  plans.push_back(small(kCountedByTally, operation));
  if (plans.back().plan.afterwards.empty()) return {};
  auto requests = plans.back().plan.afterwards[0].requests;
  EXPECT_EQ(requests.back().table, kJournalTable);  // the stream checkpoint
  requests.pop_back();
  return requests;
}

TEST(PlanAfterwards, a_changed_target_is_left_and_another_entered) {
  const auto moved = after("move");
  ASSERT_EQ(moved.size(), 2U);
  EXPECT_EQ(moved[0].follows, Request::Follows::kOldValue);
  EXPECT_EQ(field_of(moved[0], "d"), "$old.d");
  EXPECT_EQ(source_of(moved[0], ":n"), "0 - 1");
  EXPECT_EQ(source_of(moved[0], ":bytes"), "0 - $old.size");
  EXPECT_THAT(plan_text_of(first_forms(moved[0])).condition, HasSubstr("attribute_exists(#PK)"));
  EXPECT_THAT(plan_text_of(first_forms(moved[1])).condition, Not(HasSubstr("attribute_exists(#PK)")));
  EXPECT_EQ(moved[1].follows, Request::Follows::kNewValue);
  EXPECT_EQ(field_of(moved[1], "d"), "$new.d");
  EXPECT_EQ(source_of(moved[1], ":n"), "1");
  EXPECT_EQ(source_of(moved[1], ":bytes"), "$new.size");
}

TEST(PlanAfterwards, the_same_target_is_written_once_by_the_difference) {
  const auto grown = after("grow");
  ASSERT_EQ(grown.size(), 1U);
  EXPECT_EQ(source_of(grown[0], ":bytes"), "$new.size - $old.size");
  // A figure that counts 1 before and after the change is not written.
  EXPECT_THAT(update_of(grown[0]), Not(HasSubstr("#n :n")));
  EXPECT_THAT(update_of(grown[0]), Not(HasSubstr("#kinds.")));
}

TEST(PlanAfterwards, a_member_that_changes_its_name_is_two_figures) {
  const auto turned = after("turn");
  ASSERT_EQ(turned.size(), 1U);
  std::vector<std::string> members;
  for (const PlannedName& name : plan_text_of(first_forms(turned[0])).names) {
    if (name.member) members.push_back(expression_text(*name.member));
  }
  EXPECT_THAT(members, ElementsAre("$old.kind", "$new.kind"));
  // A missing map is created once, by the piece that adds.
  std::vector<std::string> result;
  for (const Piece& piece : turned[0].pieces) {
    if (piece.choice == Piece::Choice::kByMap) result.push_back(piece.forms[1].text);
  }
  ASSERT_EQ(result.size(), 2U);
  EXPECT_EQ(result[0], "");
  EXPECT_THAT(result[1], HasSubstr("#kinds = "));
}

TEST(PlanAfterwards, what_counts_nothing_writes_nothing) { EXPECT_TRUE(after("name").empty()); }

TEST(PlanAfterwards, a_replacing_put_subtracts_the_old_item) {
  EXPECT_EQ(after("make").size(), 1U);
  EXPECT_EQ(after("drop").size(), 1U);
  const auto replaced = after("replace");
  ASSERT_EQ(replaced.size(), 2U);
  EXPECT_EQ(replaced[0].times_typical, 0);
}

// ---- Limits ---------------------------------------------------------------------------------------------------------

TEST(PlanLimit, a_window_of_one_slice_asks_for_no_earlier_ones) {
  const auto limited = [](const char* window) {
    return small(fmt::format(R"y(entities:
  R: {{key: ["R#{{ip}}", "{{slice}}"], fields: {{ip: ip, slice: epoch(1m), count: counter, budget: int}}, ttl: slice + 2h}}
limits: {{perMinute: {{in: R, window: {}, slice: 1m, max: 10}}}}
writes: {{w: {{takes: {{ip: ip}}, steps: [{{limit: perMinute, by: {{ip: $ip}}, else: 429}}]}}}}
)y",
                             window),
                 "w");
  };
  const Planned one = limited("1m");
  ASSERT_EQ(one.last().kind, PlanStep::Kind::kLimit);
  ASSERT_EQ(one.last().requests.size(), 3U);
  EXPECT_EQ(one.last().requests[1].times_most, 0);
  EXPECT_EQ(one.plan.cost.read.worst, 0);
  EXPECT_EQ(one.plan.requests_most, 2);
  EXPECT_THAT(plan_text(one.reading.design, one.plan), Not(HasSubstr("Query")));
  const Planned hour = limited("1h");
  EXPECT_GT(hour.plan.cost.read.worst, 0);
  EXPECT_EQ(hour.plan.requests_most, 3);
  EXPECT_THAT(plan_text(hour.reading.design, hour.plan), HasSubstr("Query"));
}

}  // namespace
}  // namespace trestle::design
