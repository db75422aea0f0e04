#include "copy/verify.h"

#include <gmock/gmock.h>

#include "copy/digest.h"
#include "copy/progress.h"
#include "copy/test_world.h"

namespace trestle::copy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Verify : public testing::Test {
 protected:
  void SetUp() override {
    world_.create(*world_.source);
    world_.create(*world_.target);
    for (int i = 0; i < 300; ++i) {
      World::put(*world_.source, "p" + std::to_string(i % 7), i, "same");
      World::put(*world_.target, "p" + std::to_string(i % 7), i, "same");
    }
  }
  VerifyReport verify(size_t shown_max = 100) {
    const Definition here = **read_definition(*world_.source, "music");
    const Definition there = **read_definition(*world_.target, "music");
    std::atomic<int64_t> items = 0;
    auto report = verify_table({.source = {*world_.source, here},
                                .target = {*world_.target, there},
                                .pace = world_.pace,
                                .now_ms = world_.clock->now_ms(),
                                .threads = 3,
                                .shown_max = shown_max,
                                .items = items},
                               [] {});
    EXPECT_TRUE(report.has_value()) << report.error().message;
    return std::move(*report);
  }
  static std::vector<std::string> texts(const VerifyReport& report) {
    std::vector<std::string> all;
    for (const Difference& one : report.shown) all.push_back(one.text());
    return all;
  }
  World world_;
};

TEST_F(Verify, equal_tables_are_equal) {
  const VerifyReport report = verify();
  EXPECT_EQ(report.differences, 0u);
  EXPECT_EQ(report.source_items, 300u);
  EXPECT_EQ(report.target_items, 300u);
  EXPECT_THAT(report.shown, IsEmpty());
}

TEST_F(Verify, each_kind_of_difference_is_reported_once) {
  World::put(*world_.target, "p1", 1, "changed");
  World::erase(*world_.target, "p2", 2);
  World::put(*world_.target, "p3", 1000, "added");
  const VerifyReport report = verify();
  EXPECT_EQ(report.differences, 3u);
  EXPECT_THAT(texts(report),
              testing::UnorderedElementsAre(R"({"pk":{"S":"p1"},"sk":{"N":"1"}}: differs in text)",
                                            R"({"pk":{"S":"p2"},"sk":{"N":"2"}}: missing at the target)",
                                            R"({"pk":{"S":"p3"},"sk":{"N":"1000"}}: only at the target)"));
}

TEST_F(Verify, one_changed_item_is_found_though_the_counts_are_equal) {
  World::erase(*world_.target, "p4", 4);
  World::put(*world_.target, "p4", 2000, "same");
  const VerifyReport report = verify();
  EXPECT_EQ(report.source_items, report.target_items);
  EXPECT_EQ(report.differences, 2u);
}

TEST_F(Verify, no_more_are_listed_than_asked_for_but_all_are_counted) {
  for (int i = 0; i < 40; ++i) World::put(*world_.target, "extra", i, "x");
  const VerifyReport report = verify(5);
  EXPECT_EQ(report.differences, 40u);
  EXPECT_EQ(report.shown.size(), 5u);
}

TEST_F(Verify, expired_items_of_one_side_are_no_difference) {
  ASSERT_TRUE(world_.source->update_time_to_live({.table_name = "music", .attribute_name = "until", .enabled = true})
                  .has_value());
  const auto put = [&](int64_t sk, int64_t until_s) {
    return world_.source->put_item(
        {.table_name = "music",
         .item = Item({{"pk", Value::string("t")}, {"sk", Value::number(sk)}, {"until", Value::number(until_s)}})});
  };
  ASSERT_TRUE(put(1, world_.clock->now_ms() / 1000 - 10).has_value());
  ASSERT_TRUE(put(2, world_.clock->now_ms() / 1000 + 1000).has_value());
  const VerifyReport report = verify();
  EXPECT_EQ(report.expired, 1u);
  EXPECT_THAT(texts(report), ElementsAre(R"({"pk":{"S":"t"},"sk":{"N":"2"}}: missing at the target)"));
}

TEST(Digest, order_does_not_matter_and_every_bit_does) {
  const auto item = [](int64_t id, std::string_view text) {
    return Item({{"pk", Value::number(id)}, {"text", Value::string(text)}});
  };
  const auto key = [](int64_t id) { return Item({{"pk", Value::number(id)}}); };
  Digest a, b, c;
  for (int64_t i = 0; i < 1000; ++i) a.add(key(i), item(i, "x"));
  for (int64_t i = 999; i >= 500; --i) b.add(key(i), item(i, "x"));
  for (int64_t i = 499; i >= 0; --i) c.add(key(i), item(i, i == 77 ? "y" : "x"));
  Digest rest;
  for (int64_t i = 0; i < 500; ++i) rest.add(key(i), item(i, "x"));
  Digest same = b;
  same.add(rest);
  EXPECT_TRUE(a.differing(same).none());
  b.add(c);
  EXPECT_EQ(b.count(), 1000u);
  const auto differing = a.differing(b);
  EXPECT_EQ(differing.count(), 1u);
  EXPECT_TRUE(differing[Digest::bucket_of(key(77))]);
}

TEST(CopyProgress, figures_read_well) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(1234567), "1,234,567");
  EXPECT_EQ(with_thousands(-123), "-123");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(1'500'000), "1.5 MB");
  EXPECT_EQ(progress_text("copy", {.items = 5000, .items_total = 20'000, .bytes = 1'200'000}, 1000, 2, true),
            "copy  [#####---------------]   25%  5,000 items  1.2 MB  2,000/s  ETA 0:08");
  EXPECT_EQ(progress_text("follow", {.items = 7, .note = "0.2 s behind"}, 0, 7, false),
            "follow  7 items  1/s  0.2 s behind");
  EXPECT_EQ(progress_text("copy", {.items = 30, .items_total = 20}, 0, 1, false), "copy  100%  30 items  30/s")
      << "a source that grew";
}

}  // namespace
}  // namespace trestle::copy
