// Plans: the DynamoDB requests of each operation. The golden listings in tests/golden are the output of `trestle design
// plan`. TRESTLE_GOLDEN=write rewrites them; review the difference before committing.
#include "design/plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "design/language/shipped_designs_for_test.h"
#include "design/plan/planned_for_test.h"

namespace trestle::design {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Planned planned(const std::string& design, const std::string& operation) {
  return {file_text(kRoot / "designs" / (design + ".yaml")), operation};
}

TEST(Plan, every_operation_of_the_five_designs_makes_requests) {
  for (const char* name : kDesignNames) {
    const Reading reading = read_design(file_text(kRoot / "designs" / (std::string(name) + ".yaml")));
    for (const Plan& plan : plan_design(reading.design)) {
      EXPECT_FALSE(plan.steps.empty()) << name << "." << plan.operation->name;
      EXPECT_GT(plan.cost.read.worst + plan.cost.write.worst, 0) << name << "." << plan.operation->name;
      EXPECT_LE(plan.cost.read.best, plan.cost.read.typical) << name << "." << plan.operation->name;
      EXPECT_LE(plan.cost.read.typical, plan.cost.read.worst) << name << "." << plan.operation->name;
      EXPECT_LE(plan.cost.write.best, plan.cost.write.typical) << name << "." << plan.operation->name;
      EXPECT_LE(plan.cost.write.typical, plan.cost.write.worst) << name << "." << plan.operation->name;
    }
  }
}

TEST(Plan, no_item_names_an_attribute_twice) {
  const auto files = [](const char* folder) { return std::filesystem::directory_iterator(kRoot / folder); };
  for (const char* folder : {"designs", "designs/examples", "tests/data/designs"}) {
    for (const auto& file : files(folder)) {
      if (file.path().extension() != ".yaml") continue;
      const Reading reading = read_design(file_text(file.path()));
      for (const Plan& plan : plan_design(reading.design)) {
        for (const PlanStep& step : plan.steps) {
          for (const Request& request : step.requests) {
            std::set<std::string> names;
            for (const PlannedValue& value : request.item)
              EXPECT_TRUE(names.insert(value.placeholder).second)
                  << file.path() << ": " << plan.operation->name << " sends " << value.placeholder << " twice";
          }
        }
      }
    }
  }
}

// Every placeholder is defined, and every definition is used: DynamoDB rejects both faults.
TEST(Plan, every_placeholder_is_defined_and_used) {
  const auto words = [](const std::string& text, char mark) {
    std::set<std::string> found;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != mark) continue;
      size_t end = i + 1;
      while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
      found.insert(text.substr(i, end - i));
    }
    return found;
  };
  const auto check = [&](const std::string& where, const std::string& text, const std::vector<PlannedName>& names,
                         const std::vector<PlannedValue>& values) {
    std::set<std::string> named, valued;
    for (const PlannedName& name : names) named.insert(name.placeholder);
    for (const PlannedValue& value : values) valued.insert(value.placeholder);
    EXPECT_EQ(words(text, '#'), named) << where << ": " << text;
    EXPECT_EQ(words(text, ':'), valued) << where << ": " << text;
  };
  const auto visit = [&](const auto& self, const std::string& where, const std::vector<PlanStep>& steps) -> void {
    for (const PlanStep& step : steps) {
      for (const Request& request : step.requests) {
        const std::string read =
            request.key_condition + " " + request.filter + " " + fmt::format("{}", fmt::join(request.projection, " "));
        check(where, read, request.names, request.values);
        // The first form of every piece, then the second.
        for (const size_t form : {size_t{0}, size_t{1}}) {
          std::vector<const Form*> chosen;
          for (const Piece& piece : request.pieces)
            chosen.push_back(&piece.forms[std::min(form, piece.forms.size() - 1)]);
          const ExpressionText text = plan_text_of(chosen);
          check(where, text.update + " " + text.condition, text.names, text.values);
        }
      }
      self(self, where, step.steps);
    }
  };
  for (const char* name : kDesignNames) {
    const Reading reading = read_design(file_text(kRoot / "designs" / (std::string(name) + ".yaml")));
    for (const Plan& plan : plan_design(reading.design)) {
      const std::string where = std::string(name) + "." + plan.operation->name;
      visit(visit, where, plan.steps);
      visit(visit, where, plan.afterwards);
      visit(visit, where, plan.idempotent_steps);
      for (const auto& [failure, steps] : plan.also) visit(visit, where, steps);
    }
  }
}

// DynamoDB: "Filter Expression can only contain non-primary key attributes".
TEST(Plan, no_filter_of_a_query_names_a_key_of_what_it_queries) {
  for (const char* name : kDesignNames) {
    const Reading reading = read_design(file_text(kRoot / "designs" / (std::string(name) + ".yaml")));
    for (const Plan& plan : plan_design(reading.design)) {
      for (const PlanStep& step : plan.steps) {
        for (const Request& request : step.requests) {
          const Table* table = reading.design.table(request.table);
          if (request.kind != RequestKind::kQuery || table == nullptr) continue;
          const Index* index = request.index.empty() ? nullptr : table->index(request.index);
          const KeySchema& key = index == nullptr ? table->key : index->key;
          for (const PlannedName& one : request.names) {
            if (key.contains(one.attribute)) {
              EXPECT_EQ(request.filter.find(one.placeholder), std::string::npos) << name << "." << plan.operation->name;
            }
          }
        }
      }
    }
  }
}

TEST(Plan, no_transaction_of_the_five_designs_has_over_100_items) {
  for (const char* name : kDesignNames) {
    const Reading reading = read_design(file_text(kRoot / "designs" / (std::string(name) + ".yaml")));
    for (const Plan& plan : plan_design(reading.design)) {
      for (const PlanStep& step : plan.steps) {
        EXPECT_LE(step.items_most, 100) << name << "." << plan.operation->name;
        EXPECT_FALSE(step.unbounded) << name << "." << plan.operation->name;
      }
    }
  }
}

constexpr const char* kThing = R"y(
entities:
  Thing:
    key: ["THING#{id}", "THING#{id}"]
    fields: {id: ulid auto, name: string(1..50), status: "enum(open, closed) = open", note: string(..100) optional, at: time auto}
    index: {byStatus: {on: G1, key: ["STATUS#{status}", "{at}#{id}"]}, byNote: {on: G2, key: ["NOTE#{note}", "{id}"]}}
    unique: {name: "NAME#{name}"}
    size: 300B
)y";

TEST(Plan, a_guard_is_created_with_its_owner_in_one_transaction) {
  const Planned it = small(std::string(kThing) + "writes: {create: {put: Thing, if: absent}}\n", "create");
  ASSERT_EQ(it.plan.steps.size(), 1U);
  ASSERT_EQ(it.last().requests.size(), 2U);
  EXPECT_EQ(it.last().items_least, 2);
  EXPECT_NE(it.last().requests[1].guard, nullptr);
  EXPECT_EQ(plan_text_of(first_forms(it.last().requests[1])).condition, "attribute_not_exists(#PK)");
  EXPECT_EQ(it.last().requests[1].refusals[0].status, 409);
}

TEST(Plan, a_changed_guard_is_replaced_conditionally) {
  const Planned it = small(std::string(kThing) + "writes: {change: {update: Thing, else: 404}}\n", "change");
  ASSERT_EQ(it.plan.steps.size(), 2U);
  EXPECT_EQ(it.plan.steps[0].kind, PlanStep::Kind::kObserve);
  EXPECT_TRUE(it.plan.steps[0].requests[0].consistent);
  ASSERT_EQ(it.last().requests.size(), 3U);
  EXPECT_EQ(it.last().requests[1].kind, RequestKind::kPutItem);
  EXPECT_EQ(it.last().requests[2].kind, RequestKind::kDeleteItem);
  EXPECT_THAT(it.text().condition, HasSubstr("#name = :old_name"));
}

TEST(Plan, an_update_that_changes_no_key_reads_nothing_first) {
  const Planned it = small(R"y(
entities:
  Thing:
    key: ["THING#{id}", "THING#{id}"]
    fields: {id: ulid auto, name: string(1..50), hits: counter}
writes: {touch: {update: Thing, takes: {id: ulid}, add: {hits: 1}}}
)y",
                           "touch");
  ASSERT_EQ(it.plan.steps.size(), 1U);
  EXPECT_EQ(it.text().update, "ADD #hits :hits");
}

TEST(Plan, an_index_key_is_rewritten_from_what_is_set_and_what_is_read) {
  const Planned it = small(
      std::string(kThing) + "writes: {close: {update: Thing, takes: {id: ulid}, set: {status: closed}}}\n", "close");
  // STATUS#{status} depends only on the new value, and {at}#{id} does not change, so nothing is read.
  ASSERT_EQ(it.plan.steps.size(), 1U);
  EXPECT_EQ(it.text().update, "SET #status = :status, #G1PK = :G1PK");
  const Planned note =
      small(std::string(kThing) +
                "writes: {annotate: {update: Thing, takes: {id: ulid, note: Thing.note optional}, set: [note]}}\n",
            "annotate");
  const auto& pieces = note.own().pieces;
  const auto key = std::find_if(pieces.begin(), pieces.end(),
                                [](const Piece& piece) { return piece.forms[0].text == "#G2PK = :G2PK"; });
  ASSERT_NE(key, pieces.end());
  ASSERT_EQ(key->forms.size(), 2U);
  EXPECT_EQ(key->forms[1].section, Section::kRemove);
  EXPECT_EQ(key->trigger_inputs, std::vector<std::string>{"note"});
}

TEST(Plan, an_index_on_plain_fields_needs_no_reading) {
  EXPECT_EQ(planned("parental-control", "updatePolicy").plan.steps.size(), 1U);
}

TEST(Plan, a_step_that_read_the_item_serves_as_its_observation) {
  const Planned it = planned("form-bridge", "recordDelivery");
  for (const PlanStep& step : it.plan.steps) EXPECT_NE(step.kind, PlanStep::Kind::kObserve);
  EXPECT_THAT(plan_text_of(first_forms(it.last().requests[1])).condition, HasSubstr("#timestamp = :old_timestamp"));
}

TEST(Plan, a_flow_is_a_condition) {
  const Planned it = planned("plugin-auth", "suspendSite");
  EXPECT_THAT(it.text().condition, HasSubstr("#status IN (:suspended, :active)"));
}

TEST(Plan, children_follow_by_difference) {
  const Planned it = planned("site-catalog", "updateSite");
  ASSERT_EQ(it.last().requests.size(), 3U);
  EXPECT_EQ(it.last().requests[1].kind, RequestKind::kPutItem);
  EXPECT_EQ(it.last().requests[1].follows, Request::Follows::kNewValue);
  EXPECT_EQ(it.last().requests[2].kind, RequestKind::kDeleteItem);
  EXPECT_EQ(it.last().items_most, 81);
}

TEST(Plan, a_map_that_may_be_missing_has_two_forms) {
  const Planned it = planned("parental-control", "recordBlocked");
  const auto& pieces = it.own().pieces;
  const auto map = std::find_if(pieces.begin(), pieces.end(),
                                [](const Piece& piece) { return piece.choice == Piece::Choice::kByMap; });
  ASSERT_NE(map, pieces.end());
  EXPECT_EQ(map->forms[0].condition, "attribute_exists(#hourly)");
  EXPECT_EQ(map->forms[1].text, "#hourly = :hourly");
  EXPECT_EQ(map->forms[1].condition, "attribute_not_exists(#hourly)");
  EXPECT_EQ(it.plan.requests_most, 1);
}

TEST(Plan, the_greatest_is_written_only_where_it_is_greater) {
  const Planned it = planned("parental-control", "recordBlocked");
  const auto& pieces = it.own().pieces;
  const auto last = std::find_if(pieces.begin(), pieces.end(),
                                 [](const Piece& piece) { return piece.choice == Piece::Choice::kByMax; });
  ASSERT_NE(last, pieces.end());
  EXPECT_EQ(last->forms[0].text, "#timestampLast = :timestampLast");
  EXPECT_EQ(last->forms[1].text, "");
  EXPECT_EQ(last->forms[1].condition, "#timestampLast > :timestampLast");
}

TEST(Plan, a_query_is_narrowed_to_its_entity) {
  const Planned it = planned("authz", "usersOfTenant");
  EXPECT_EQ(it.own().key_condition, "#PK = :PK AND begins_with(#SK, :SK)");
  EXPECT_EQ(source_text(it.own().values[1].source), "\"USER#\"");
}

TEST(Plan, a_range_includes_all_that_begins_with_its_end) {
  const Planned it = planned("form-bridge", "submissionsByTime");
  const Request& query = it.own();
  EXPECT_THAT(query.key_condition, HasSubstr("#GSI1SK BETWEEN :from AND :to"));
  const auto to = std::find_if(query.values.begin(), query.values.end(),
                               [](const PlannedValue& value) { return value.placeholder == ":to"; });
  ASSERT_NE(to, query.values.end());
  EXPECT_TRUE(to->source.more_follows);
  EXPECT_TRUE(query.fan_out);
  EXPECT_TRUE(query.reads_again);  // the index does not project the payload
  EXPECT_EQ(query.times_most, 64);
}

TEST(Plan, what_has_expired_is_filtered_unless_the_operation_asks_when_it_expired) {
  EXPECT_THAT(planned("plugin-auth", "registrationsOfDomain").own().filter, HasSubstr("#ttl > :now"));
  EXPECT_EQ(planned("plugin-auth", "exchangeKey").plan.steps[0].requests[0].filter, "");
}

TEST(Plan, independent_gets_are_one_batch) {
  const Planned it = planned("authz", "authorization");
  EXPECT_TRUE(is_batch(it.plan.steps[0]));
  EXPECT_EQ(it.plan.steps[0].steps.size(), 3U);
  // One BatchGetItem cannot read a table both consistently and eventually consistently.
  EXPECT_FALSE(is_batch(planned("form-bridge", "setShards").plan.steps[0]));
}

TEST(Plan, a_limit_counts_in_one_write_and_reads_the_window_only_for_a_new_slice) {
  const Planned it = planned("plugin-auth", "registerSite");
  const PlanStep& limit = it.plan.steps[0];
  ASSERT_EQ(limit.kind, PlanStep::Kind::kLimit);
  EXPECT_EQ(plan_text_of(first_forms(limit.requests[0])).condition, "#count < #budget");
  EXPECT_EQ(limit.cost.write.best, 1);
  EXPECT_EQ(limit.cost.read.best, 0);
  EXPECT_EQ(limit.refusals[0].status, 429);
}

TEST(Plan, a_cascade_is_noted_in_the_journal_first_and_struck_out_last) {
  const Planned it = planned("authz", "deleteTenant");
  EXPECT_EQ(it.plan.steps[1].requests.back().table, kJournalTable);
  EXPECT_EQ(it.own().table, kJournalTable);
  EXPECT_EQ(it.own().kind, RequestKind::kDeleteItem);
}

TEST(Plan, an_idempotent_write_answers_with_the_owner_of_its_guard) {
  const Planned it = planned("form-bridge", "submit");
  ASSERT_NE(it.plan.idempotent, nullptr);
  ASSERT_EQ(it.plan.idempotent_steps.size(), 1U);
  EXPECT_EQ(it.plan.idempotent_steps[0].requests.size(), 2U);
  EXPECT_EQ(it.last().items_least, 1);
  EXPECT_EQ(it.last().items_most, 2);
}

TEST(Plan, tallies_through_the_stream_are_not_the_callers_cost) {
  const Planned it = planned("form-bridge", "submit");
  EXPECT_EQ(it.plan.afterwards_cost.write.typical, 7);
  EXPECT_EQ(it.plan.cost.write.typical, 4);
}

TEST(Plan, a_removed_item_is_subtracted_from_its_tally) {
  constexpr std::string_view kCounted = R"y(entities:
  A: {key: ["A#{a}", X], fields: {a: ulid auto, d: date}}
  M: {key: ["M#{d}", X], fields: {d: date, n: counter}}
tallies: {t: {of: A, into: M, by: {d: d}, add: {n: 1}, through: stream}}
writes: {make: {put: A, if: absent}, drop: {delete: A}}
)y";
  const auto added = [&](const char* operation) {
    const Planned it = small(kCounted, operation);
    std::string sources;
    for (const PlannedValue& value : plan_text_of(first_forms(it.plan.afterwards[0].requests[0])).values)
      sources += source_text(value.source) + ";";
    for (const FieldValue& field : it.plan.afterwards[0].requests[0].fields) sources += source_text(field.source) + ";";
    return sources;
  };
  EXPECT_THAT(added("drop"), HasSubstr("0 - 1"));
  EXPECT_THAT(added("drop"), HasSubstr("old.d"));
  EXPECT_THAT(added("make"), Not(HasSubstr("0 - 1")));
  EXPECT_THAT(added("make"), HasSubstr("new.d"));
}

TEST(Plan, a_tally_that_does_not_count_a_change_adds_nothing) {
  const Planned it = planned("form-bridge", "recordDelivery");
  const ExpressionText text = plan_text_of(first_forms(it.plan.afterwards[0].requests[0]));
  EXPECT_THAT(text.update, HasSubstr("#errors :errors"));
  const auto errors = std::find_if(text.values.begin(), text.values.end(),
                                   [](const PlannedValue& value) { return value.placeholder == ":errors"; });
  ASSERT_NE(errors, text.values.end());
  EXPECT_EQ(source_text(errors->source), "if($new.status = 'failed', 1, 0)");
}

TEST(PlanUnits, follow_awss_rounding) {
  EXPECT_EQ(write_units({1, 1024, 1025}), (Units{1, 1, 2}));
  EXPECT_EQ(read_units({1, 4096, 4097}, true), (Units{1, 1, 2}));
  EXPECT_EQ(read_units({1, 4096, 4097}, false), (Units{0.5, 0.5, 1}));
}

TEST(PlanUnits, a_transaction_costs_twice_and_a_moved_entry_two_writes) {
  const Planned alone = small(
      std::string(kThing) + "writes: {close: {update: Thing, takes: {id: ulid}, set: {status: closed}}}\n", "close");
  // The item 1, byStatus (entry moves) 2, byNote (projects everything, sparse) 1.
  EXPECT_EQ(alone.plan.cost.write.typical, 4);
  const Planned both = planned("authz", "createTenant");
  // The tenant and its guard doubled, the tenant's index entry once.
  EXPECT_EQ(both.plan.cost.write.typical, 5);
  EXPECT_EQ(both.last().failed_cost.write.typical, 4);
}

TEST(PlanUnits, an_index_that_copies_nothing_of_a_change_costs_nothing) {
  const Planned it = planned("plugin-auth", "validateKey");
  for (const PlanStep& step : it.plan.steps) {
    for (const IndexUnits& index : step.cost.indexes) EXPECT_NE(index.index, "GSI2");
  }
}

TEST(PlanListing, is_what_the_golden_files_say) {
  const std::vector<std::pair<std::string, std::string>> listed = {{"authz", "grant"},
                                                                   {"authz", "updateUser"},
                                                                   {"authz", "authorization"},
                                                                   {"form-bridge", "submit"},
                                                                   {"form-bridge", "submissionsByTime"},
                                                                   {"parental-control", "recordBlocked"},
                                                                   {"plugin-auth", "exchangeKey"},
                                                                   {"plugin-auth", "validateKey"},
                                                                   {"site-catalog", "deleteSite"}};
  for (const auto& [design, operation] : listed) {
    const Planned it = planned(design, operation);
    const auto path = kRoot / "tests" / "golden" / ("plan-" + design + "-" + operation + ".txt");
    const std::string text = plan_text(it.reading.design, it.plan);
    if (std::getenv("TRESTLE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << text;
    EXPECT_EQ(text, file_text(path)) << path;
  }
}

TEST(PlanListing, has_no_line_wider_than_a_page) {
  for (const char* name : kDesignNames) {
    const Reading reading = read_design(file_text(kRoot / "designs" / (std::string(name) + ".yaml")));
    for (const Plan& plan : plan_design(reading.design)) {
      std::istringstream lines(plan_text(reading.design, plan));
      for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 122U) << line;
        EXPECT_THAT(line, Not(::testing::EndsWith(" ")));
      }
    }
  }
}

TEST(Plan, a_time_whose_day_is_the_partition_finds_the_day) {
  constexpr std::string_view kDays = R"y(entities:
  Event: {key: ["E#{id}", X], fields: {id: ulid, at: time}, index: {ofDay: {on: G1, key: ["DAY#{at:day}", "{at}"]}}}
reads:
  day: {query: Event.ofDay}
  part: {query: Event.ofDay, range: at}
)y";
  const Planned day = small(kDays, "day");
  EXPECT_THAT(day.own().key_condition, Not(HasSubstr(" AND "))) << day.own().key_condition;
  EXPECT_THAT(small(kDays, "part").own().key_condition, HasSubstr("BETWEEN"));
}

}  // namespace
}  // namespace trestle::design
