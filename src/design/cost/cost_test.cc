// Cost: capacity units multiplied by prices, by AWS's rules.
#include "design/cost/cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/check/finding_codes_for_test.h"
#include "design/cost/price_file.h"
#include "design/language/shipped_designs_for_test.h"

namespace trestle::design {
namespace {

using ::testing::HasSubstr;

Prices prices_of(const std::string& region) {
  std::string wrong;
  const auto prices = read_prices(file_text(kDesigns / "prices" / (region + ".json")), wrong);
  EXPECT_TRUE(prices.has_value()) << wrong;
  return prices.value_or(Prices{});
}

CostOptions with(const std::string& operation, const std::string& rate) {
  CostOptions options;
  options.rates.emplace_back(operation, *parse_rate(rate));
  return options;
}

constexpr const char* kLog = R"y(
entities:
  Entry:
    key: ["LOG#{id}", "LOG#{id}"]
    fields: {id: ulid auto, at: time auto}
    size: 924B
writes: {record: {put: Entry}}
reads: {entry: {get: Entry}}
)y";

TEST(Cost, a_million_small_writes_cost_what_the_price_list_says) {
  const Reading reading = read_design(around(kLog));
  const CostEstimate estimate = cost_design(reading.design, prices_of("us-east-1"), with("record", "1M/month"));
  EXPECT_NEAR(estimate.on_demand_writes, 0.625, 1e-9);
  EXPECT_EQ(estimate.on_demand_reads, 0);
}

TEST(Cost, an_eventually_consistent_read_is_half_a_unit) {
  const Reading reading = read_design(around(kLog));
  const CostEstimate estimate = cost_design(reading.design, prices_of("us-east-1"), with("entry", "2M/month"));
  EXPECT_NEAR(estimate.on_demand_reads, 0.125, 1e-9);
}

TEST(Cost, storage_counts_a_hundred_bytes_for_each_item_and_nothing_below_the_free_25_gb) {
  const Reading reading = read_design(around(kLog));
  CostOptions options = with("record", "1M/month");
  options.lifetime_months = 1;
  const CostEstimate small = cost_design(reading.design, prices_of("us-east-1"), options);
  EXPECT_NEAR(small.storage_gb, 1e6 * 1024 / (1024.0 * 1024 * 1024), 1e-9);
  EXPECT_EQ(small.storage, 0);
  options.lifetime_months = 100;
  const CostEstimate large = cost_design(reading.design, prices_of("us-east-1"), options);
  EXPECT_NEAR(large.storage, (large.storage_gb - 25) * 0.25, 1e-9);
}

TEST(Cost, provisioned_capacity_is_the_cheaper_above_29_percent_in_use) {
  const Reading reading = read_design(around(kLog));
  CostOptions options = with("record", "1000/s");
  options.peak = 1;
  const CostEstimate steady = cost_design(reading.design, prices_of("us-east-1"), options);
  EXPECT_NEAR(steady.break_even, 0.2889, 1e-4);
  EXPECT_LT(steady.provisioned(), steady.on_demand());
  options.peak = 10;
  const CostEstimate spiky = cost_design(reading.design, prices_of("us-east-1"), options);
  EXPECT_GT(spiky.provisioned(), spiky.on_demand());
}

TEST(Cost, recovery_is_charged_for_the_table_and_not_for_global_indexes) {
  const Reading reading = read_design(file_text(kDesigns / "site-catalog.yaml"));
  CostOptions options = with("rateSite", "1M/month");
  const CostEstimate estimate = cost_design(reading.design, prices_of("us-east-1"), options);
  EXPECT_LT(estimate.recovery, estimate.storage_gb * 0.20);
  options.recovery = false;
  EXPECT_EQ(cost_design(reading.design, prices_of("us-east-1"), options).recovery, 0);
}

TEST(Cost, the_units_by_table_and_index_add_up_to_those_by_operation) {
  for (const char* name : {"authz", "form-bridge", "parental-control", "plugin-auth", "site-catalog"}) {
    const Reading reading = read_design(file_text(kDesigns / (std::string(name) + ".yaml")));
    for (const Operation& operation : reading.design.operations) {
      const CostEstimate estimate =
          cost_design(reading.design, prices_of("us-east-1"), with(operation.name, "1K/month"));
      double reads = 0, writes = 0, patterns_read = 0, patterns_write = 0;
      for (const StoreCost& one : estimate.stores) {
        reads += one.read_units;
        writes += one.write_units;
      }
      for (const PatternCost& one : estimate.patterns) {
        patterns_read += one.read_units;
        patterns_write += one.write_units;
      }
      EXPECT_NEAR(reads, patterns_read, 1e-6) << name << "." << operation.name;
      EXPECT_NEAR(writes, patterns_write, 1e-6) << name << "." << operation.name;
    }
  }
}

TEST(Cost, an_alert_is_reported_with_its_rate) {
  const Reading reading = read_design(around(kLog));
  CostOptions options = with("record", "1M/month");
  options.alerts = {0.1, 10};
  options.recovery = false;
  options.lifetime_months = 1;
  const CostEstimate estimate = cost_design(reading.design, prices_of("us-east-1"), options);
  EXPECT_TRUE(estimate.alerts[0].reached);
  EXPECT_FALSE(estimate.alerts[1].reached);
  options.rates[0].second.per_second *= estimate.alerts[1].at;
  EXPECT_NEAR(cost_design(reading.design, prices_of("us-east-1"), options).on_demand(), 10, 0.01);
}

TEST(Cost, what_the_form_bridge_document_claims_is_compared_by_arithmetic) {
  const Reading reading = read_design(file_text(kDesigns / "form-bridge.yaml"));
  std::string wrong;
  const auto claims = read_cost_claims(file_text(kDesigns / "claims" / "form-bridge.json"), wrong);
  ASSERT_TRUE(claims.has_value()) << wrong;
  ASSERT_EQ(claims->scales.size(), 3U);
  const std::string text = claims_text(reading.design, prices_of("us-east-1"), {}, *claims);
  EXPECT_THAT(text, HasSubstr("it pays for 4.8 million writes, 4800 for each submission"));  // $3 at $0.625 a million
  EXPECT_THAT(text, HasSubstr("it pays for 29 GB"));  // $1 at $0.25, after 25 GB free
  EXPECT_THAT(text, HasSubstr("two ranges for the same: $12-21 and $15-20"));
  EXPECT_THAT(text, HasSubstr("10 times the submissions; the claim grows 3.8 times"));
}

TEST(Cost, a_peak_is_not_an_average_and_without_an_average_no_month_is_priced) {
  const auto text_with = [&](const std::string& rates) {
    const Reading reading = read_design(
        around("entities: {Entry: {key: [\"LOG#{id}\", X], fields: {id: ulid auto}}}\nwrites: {record: {put: Entry, " +
               rates + "}}\n"));
    EXPECT_TRUE(reading.mistakes.empty()) << rates;
    const Prices prices = prices_of("us-east-1");
    return cost_text(reading.design, prices, {}, cost_design(reading.design, prices, {}));
  };
  EXPECT_THAT(text_with("peak: 100/s"), HasSubstr("there is no monthly cost"));
  EXPECT_THAT(text_with("rate: 100/s"), HasSubstr("there is no monthly cost"));
  EXPECT_THAT(text_with("peak: 100/s, average: 1M/month"), HasSubstr("a month in us-east-1"));
  EXPECT_THAT(text_with("average: 1M/month"), HasSubstr("1.00M"));
}

TEST(Cost, the_old_word_rate_is_explained_and_an_average_is_of_the_whole) {
  const auto with_rate = [](const std::string& rate) {
    return codes_of(
        around("entities: {Entry: {key: [\"LOG#{id}\", X], fields: {id: ulid auto}}}\nwrites: {record: {put: "
               "Entry, " +
               rate + "}}\n"));
  };
  EXPECT_TRUE(with_rate("rate: 100/s").contains("T008"));
  EXPECT_FALSE(with_rate("peak: 100/s").contains("T008"));
  EXPECT_TRUE(with_rate("average: 100/s per id").contains("T003"));
}

TEST(Prices, are_found_in_any_folder_because_the_program_contains_them) {
  std::string wrong;
  for (const char* region : {"us-east-1", "eu-west-1"}) {
    const auto prices = find_prices({region, "", "/nowhere/design.yaml"}, wrong);
    ASSERT_TRUE(prices.has_value()) << wrong;
    EXPECT_EQ(prices->region, region);
  }
  EXPECT_FALSE(find_prices({"mars-north-1", "", ""}, wrong).has_value());
  EXPECT_THAT(wrong, HasSubstr("only for eu-west-1, us-east-1"));
}

TEST(Prices, are_refused_when_one_is_missing) {
  std::string wrong;
  std::string text = file_text(kDesigns / "prices" / "us-east-1.json");
  text.replace(text.find("write_million"), 13, "write_billion");
  EXPECT_FALSE(read_prices(text, wrong).has_value());
  EXPECT_THAT(wrong, HasSubstr("on_demand.write_million"));
  EXPECT_FALSE(read_prices("{", wrong).has_value());
}

TEST(Prices, carry_their_date_and_say_which_are_derived) {
  EXPECT_EQ(prices_of("us-east-1").date, "2024-11-01");
  EXPECT_TRUE(prices_of("us-east-1").derived.empty());
  EXPECT_FALSE(prices_of("eu-west-1").derived.empty());
}

}  // namespace
}  // namespace trestle::design
