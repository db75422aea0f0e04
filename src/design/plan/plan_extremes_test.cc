// Plans of writes that change the least or greatest value of a tally: the Query for the next value, and its cost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/cost/cost.h"
#include "design/plan/planned_for_test.h"

namespace trestle::design {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string lots(const std::string& rest_of_tally) {
  return R"y(design: auction
version: 1
tables:
  lots: {key: [PK, SK], type: Type, stream: new-and-old, indexes: {byAmount: {local: true, key: [PK, L1]}}}
entities:
  Lot:
    key: ["LOT#{lot}", LOT]
    fields: {lot: "string([a-z], 1..9)", high: int optional, low: int optional, record: max<int> optional, bids: counter, rev: revision}
  Bid:
    key: ["LOT#{lot}", "BID#{bidder}"]
    fields: {lot: "string([a-z], 1..9)", bidder: "string([a-z], 1..9)", amount: int(1..999), valid: bool = true}
    index: {ranked: {on: byAmount, key: ["LOT#{lot}", "B#{amount:03}"]}}
tallies:
  ofLot: {of: Bid, into: Lot, by: {lot: lot}, add: {bids: 1}, max: {high: amount, record: amount}, min: {low: amount})y" +
         rest_of_tally + R"y(}
writes:
  bid: {put: Bid, if: absent, else: 409}
  withdraw: {delete: Bid, if: present, else: 404}
  closeLot: {takes: {lot: Lot.lot}, steps: [{cascade: Bid, by: [lot]}]}
)y";
}

TEST(PlanExtremes, the_next_value_is_queried_only_where_one_goes) {
  const Planned it(lots(""), "withdraw");
  const Request& target = it.last().requests.back();
  ASSERT_EQ(target.extreme_reads.size(), 2U);  // `record` never comes back, so it needs no Query
  EXPECT_THAT(exact_figures(target), ::testing::ElementsAre("low", "high"));
  const Request& high = target.extreme_reads[1];
  EXPECT_EQ(high.index, "byAmount");
  EXPECT_EQ(high.key_condition, "#PK = :PK AND begins_with(#L1, :L1)");
  EXPECT_TRUE(high.descending);
  EXPECT_TRUE(high.consistent);
  EXPECT_EQ(high.limit, 2);  // the item being removed may come first
  EXPECT_FALSE(target.extreme_reads[0].descending);
  const std::string text = plan_text(it.reading.design, it.plan);
  EXPECT_THAT(text, HasSubstr("only if the write removes the current high, after a refused attempt:"));
  EXPECT_THAT(text, HasSubstr("$left = Query lots.byAmount · Bid"));
  EXPECT_THAT(plan_json(it.reading.design, it.plan), HasSubstr(R"("only_if_goes": "low")"));

  const Planned comes(lots(""), "bid");
  EXPECT_TRUE(comes.last().requests.back().extreme_reads.empty());
  EXPECT_THAT(plan_text(comes.reading.design, comes.plan), Not(HasSubstr("removes the current")));
}

TEST(PlanExtremes, are_counted_in_what_a_call_costs_at_most) {
  const Planned it(lots(""), "withdraw");
  // The item and the target are two units each, and are charged again for the refused attempt; the index entry is one.
  EXPECT_EQ(it.last().failed_cost.write.worst, 4);
  EXPECT_EQ(it.last().cost.write.worst, 9);
  EXPECT_EQ(it.last().cost.write.typical, 5);
  EXPECT_EQ(it.last().cost.read, (Units{0, 2, 2}));
  EXPECT_EQ(it.plan.requests_least, 2);
  EXPECT_EQ(it.plan.requests_most, 5);  // the item, the refused attempt, two queries, the transaction
  EXPECT_EQ(Planned(lots(", when: valid = true"), "withdraw").plan.requests_most, 0) << "page by page";
  // Each item of a cascade may remove the extreme.
  EXPECT_GE(Planned(lots(""), "closeLot").plan.cost.read.worst, 200);
}

TEST(PlanExtremes, through_the_stream_read_their_target_first) {
  const Planned it(lots(", through: stream"), "withdraw");
  ASSERT_EQ(it.plan.afterwards.size(), 2U);
  EXPECT_EQ(it.plan.afterwards[0].requests[0].kind, RequestKind::kGetItem);
  EXPECT_EQ(it.plan.afterwards[1].requests[0].extreme_reads.size(), 2U);
  EXPECT_EQ(it.plan.afterwards[1].requests[0].extreme_reads[0].limit, 1);
  EXPECT_EQ(it.plan.afterwards_cost.read, (Units{1, 3, 3}));
  EXPECT_THAT(plan_text(it.reading.design, it.plan),
              HasSubstr("only if the write removes the current high, before this:"));
}

TEST(PlanExtremes, are_counted_in_the_cost_of_a_month_for_every_value_that_goes) {
  for (const char* through : {"", ", through: stream"}) {
    const Reading reading = read_design(lots(through));
    CostOptions options;
    options.rates.emplace_back("withdraw", *parse_rate("100/month"));
    const CostEstimate estimate = cost_design(reading.design, Prices{}, options);
    // The reads are of the item, or of the target, which the stream reader reads; plus the two queries.
    EXPECT_NEAR(estimate.patterns[0].read_units, 300, 1e-6) << through;
    ASSERT_FALSE(estimate.notes.empty());
    EXPECT_EQ(estimate.notes[0], kExtremesNote);
    EXPECT_THAT(cost_text(reading.design, Prices{}, {}, cost_design(reading.design, Prices{}, {})),
                HasSubstr("least or greatest"));
  }
}

// The stream reader merges two tallies of one entity into one target in a single update.
TEST(PlanExtremes, of_tallies_that_share_a_write_are_all_planned) {
  std::string text = lots(", through: stream");
  text.insert(text.find("writes:"),
              "  lows: {of: Bid, into: Lot, by: {lot: lot}, min: {least: amount}, through: stream}\n");
  text.insert(text.find("record: max"), "least: int optional, ");
  const Planned it(text, "withdraw");
  EXPECT_EQ(it.plan.afterwards.back().requests[0].extreme_reads.size(), 3U);
}

}  // namespace
}  // namespace trestle::design
