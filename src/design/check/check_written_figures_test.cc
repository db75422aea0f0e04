// Aggregates of tallies: which writes are allowed, their initial value, and how many items they add to a transaction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/check/check_test_help.h"

namespace trestle::design {
namespace {

// A lot with its bids, and one further operation.
std::string figured_design(const std::string& write, const std::string& total = "int = 0",
                           const std::string& lot_more = "") {
  return R"y(design: auction
version: 1
tables:
  lots: {key: [PK, SK], type: Type, indexes: {byAmount: {local: true, key: [PK, L1]}, byPhase: {key: [G1PK, G1SK]}}}
entities:
  Lot:
    key: ["LOT#{lot}", LOT]
    fields: {lot: "string([a-z], 1..9)", title: string(1..40), phase: "enum(draft, open) = draft", high: int optional, record: max<int> optional, bids: counter, total: )y" +
         total + R"y(, note: string(..9) optional, rev: revision}
)y" + lot_more +
         R"y(  Bid:
    key: ["LOT#{lot}", "BID#{bidder}"]
    fields: {lot: "string([a-z], 1..9)", bidder: "string([a-z], 1..9)", amount: int(1..999)}
    index: {ranked: {on: byAmount, key: ["LOT#{lot}", "{amount:03}"]}}
tallies:
  ofLot: {of: Bid, into: Lot, by: {lot: lot}, add: {bids: 1, total: amount}, max: {high: amount, record: amount}}
  again: {of: Bid, into: Lot, by: {lot: lot}, add: {weight: amount}}
reads: {lot: {get: Lot, consistent: true}, bids: {query: Bid.ranked}}
writes:
  open: {put: Lot, if: absent, else: 409}
  bid: {put: Bid}
  edit: )y" +
         write + "\n";
}

std::string with_weight_field(std::string text) {
  return text.replace(text.find("bids: counter"), 13, "bids: counter, weight: counter");
}

std::string figure_errors(const std::string& text) {
  const Reading reading = read_design(with_weight_field(text));
  std::string out;
  for (const Finding& finding : check_design(reading).findings) {
    if (finding.severity == Severity::kError) out += (out.empty() ? "" : " ") + finding.code;
  }
  return out;
}

TEST(WrittenFigures, cannot_be_written_by_operations) {
  const std::string takes = "takes: {lot: Lot.lot, n: int}, by: [lot], ";
  for (const char* change : {"set: {high: $n}", "set: {total: $n}", "set: {total: total - $n}", "add: {total: $n}",
                             "add: {bids: 1}", "remove: [high]"})
    EXPECT_EQ(figure_errors(figured_design("{update: Lot, " + takes + change + ", else: 404}")), "T336") << change;
  EXPECT_EQ(figure_errors(figured_design("{put: Lot, takes: {lot: Lot.lot, title: Lot.title}, set: {total: 5}}")),
            "T336");
}

TEST(WrittenFigures, may_start_at_0_and_all_time_maximums_may_be_set) {
  EXPECT_EQ(figure_errors(figured_design("{update: Lot, else: 404}")), "");
  EXPECT_EQ(
      figure_errors(figured_design("{put: Lot, takes: {lot: Lot.lot, title: Lot.title}, set: {total: 0, bids: 0}}")),
      "");
  EXPECT_EQ(figure_errors(figured_design(
                "{update: Lot, takes: {lot: Lot.lot, n: int}, by: [lot], set: {record: $n}, else: 404}")),
            "");
}

TEST(WrittenFigures, count_from_0) {
  EXPECT_EQ(figure_errors(figured_design("{update: Lot, else: 404}", "int = 100")), "T337");
  EXPECT_EQ(figure_errors(figured_design("{update: Lot, else: 404}", "int = 0")), "");
}

// The item needs a title, so no tally creates it, and no tally ever writes its defaults.
TEST(WrittenFigures, do_not_write_defaults_of_an_item_that_tallies_cannot_create) {
  const std::string listed =
      "    index: {listed: {on: byPhase, key: [\"PHASE#{phase}\", \"{title}\"], if: phase = open}}\n";
  EXPECT_EQ(figure_errors(figured_design("{update: Lot, else: 404}", "int = 0", listed)), "");
}

TEST(WrittenFigures, of_one_target_are_one_item_however_many_writes_count_in_it) {
  const auto loop = [](const char* most, const char* lot) {
    return figured_design(std::string("{takes: {lot: Lot.lot, bidders: \"list<string([a-z], 1..9)>(1..") + most +
                          ")\", amount: Bid.amount}, atomic: [{for: $bidders, as: one, do: [{put: Bid, set: {lot: " +
                          lot + ", bidder: $one}, if: absent, else: 409}]}]}");
  };
  EXPECT_EQ(figure_errors(loop("99", "$lot")), "");
  EXPECT_EQ(figure_errors(loop("100", "$lot")), "T301");
  EXPECT_EQ(figure_errors(loop("50", "$one")), "");
  EXPECT_EQ(figure_errors(loop("51", "$one")), "T301");
}

// A word that is a value of the enum that it is compared with denotes that value, even if a field has the same name.
TEST(WrittenFigures, can_be_conditional_on_enum_values_that_share_a_fields_name) {
  const Reading reading = read_design(R"y(design: d
version: 1
tables: {things: {key: [PK, SK], type: Type}}
entities:
  Box: {key: ["B#{box}", BOX], fields: {box: ulid, onShelf: counter}}
  Copy: {key: ["B#{box}", "C#{id}"], fields: {box: ulid, id: ulid, shelf: string(..9) optional, state: "enum(shelf, lent) = shelf"}}
tallies:
  shelved: {of: Copy, into: Box, by: {box: box}, add: {onShelf: 1}, when: state = shelf}
  other: {of: Copy, into: Box, by: {box: box}, add: {onShelf: 1}, when: shelf = state}
)y");
  ASSERT_TRUE(reading.mistakes.empty()) << reading.mistakes[0].message;
  EXPECT_EQ(expression_text(*reading.design.tallies[0].when), "state = 'shelf'");
  EXPECT_EQ(expression_text(*reading.design.tallies[1].when), "'shelf' = state");
  const Entity* copy = reading.design.entity("Copy");
  EXPECT_TRUE(copy->field("state")->default_value->is(Expression::Kind::kText));
}

}  // namespace
}  // namespace trestle::design
