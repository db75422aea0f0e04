// If a change cannot be counted, its target is set aside with a dead letter, and all others are counted.
#include <fmt/format.h>

#include "runtime/background/reactions.h"
#include "runtime/background/stream_tallies.h"
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kSums = R"yaml(
design: sums
version: 1
tables: {tbl: {key: [PK, SK], type: Type, stream: new-and-old}}
types: {Name: "string([a-z0-9], 1..12)"}
entities:
  Hit: {key: ["H#{site}", "{id}"], fields: {site: Name, id: Name, n: number, kind: "string(1..1000) = 'x'"}}
  Sum: {key: ["S#{site}", S], fields: {site: Name, total: "number = 0", hits: counter}}
  Kinds: {key: ["K#{site}", S], fields: {site: Name, hits: counter, kinds: "map<int> optional"}}
tallies:
  sum: {of: Hit, into: Sum, by: {site: site}, add: {total: n, hits: 1}, through: stream}
  kinds: {of: Hit, into: Kinds, by: {site: site}, add: {hits: 1, "kinds[kind]": 1}, through: stream}
writes:
  hit: {put: Hit}
  drop: {delete: Hit}
)yaml";

struct Counted {
  Counted()
      : world(std::string(kSums)),
        codec(world.reading->design, world.keys.get(), &world.blobs),
        form(world.reading->design, world.database, codec),
        tallies(world.reading->design, world.database, codec, form) {}
  void hit(const std::string& site, int id, const std::string& n, const std::string& kind = "x") {
    world.ok("hit", fmt::format(R"({{"site":"{}","id":"h{}","n":{},"kind":"{}"}})", site, id, n, kind));
  }
  void drain() {
    const auto done = tallies.drain(world.clock.now_ms());
    EXPECT_TRUE(done.has_value()) << (done ? "" : done.error().message);
  }
  std::string hits(const std::string& target) { return world.attribute("tbl", target, "S", "hits"); }
  std::vector<DeadLetter> letters() { return *dead_letters(world.database, "sums", 100); }

  DesignWorld world;
  ItemCodec codec;
  ItemForm form;
  StreamTallies tallies;
};

TEST(TallyLetters, a_sum_that_leaves_the_range_of_numbers_stops_no_other_figure) {
  Counted counted;
  // The figure overflows either in a transaction with others, or already in the sum of the records of one batch.
  for (const bool each : {true, false}) {
    const std::string site = each ? "a" : "c";
    for (int i = 0; i < 12; ++i) {
      counted.hit(site, i, "9e124");
      if (each) counted.drain();
    }
    counted.hit("b", each ? 1 : 2, "1");
    counted.drain();
    EXPECT_EQ(counted.hits("K#" + site), "12");
  }
  EXPECT_EQ(counted.hits("S#b"), "2");
  EXPECT_EQ(counted.hits("S#a"), "11");
  const auto letters = counted.letters();
  ASSERT_EQ(letters.size(), 2u);
  EXPECT_EQ(letters[0].reaction, "sum");
  EXPECT_TRUE(letters[0].error.starts_with("Sum of PK = \"S#")) << letters[0].error;
  EXPECT_NE(letters[0].error.find("Number overflow"), std::string::npos) << letters[0].error;
  EXPECT_EQ(letters[0].failures, 1);
  // Letters of tallies are not retried.
  EXPECT_EQ(*retry_dead_letters(counted.world.database, "sums", ""), 0u);

  // A figure that cannot be counted cannot be repaired, but does not stop a verification.
  EXPECT_EQ(counted.world.faults(true).size(), 2u);
  EXPECT_EQ(counted.letters().size(), 2u);
  for (int i = 0; i < 12; ++i) {
    for (const char* site : {"a", "c"}) {
      if (i > 2) counted.world.ok("drop", fmt::format(R"({{"site":"{}","id":"h{}"}})", site, i));
    }
  }
  counted.drain();
  EXPECT_EQ(counted.world.faults(true).size(), 2u);
  EXPECT_EQ(counted.world.faults(), std::vector<std::string>());
  EXPECT_EQ(counted.hits("S#a"), "3");
  EXPECT_EQ(counted.letters().size(), 0u);
}

TEST(TallyLetters, a_change_whose_difference_is_no_number_stops_no_other_figure) {
  Counted counted;
  counted.hit("a", 1, "12345678901234567890123456789012345678");
  counted.drain();
  counted.hit("a", 1, "0.5");
  counted.hit("b", 1, "1");
  counted.drain();
  EXPECT_EQ(counted.hits("S#b"), "1");
  EXPECT_EQ(counted.letters().size(), 1u);
  EXPECT_EQ(counted.world.faults(true).size(), 1u);
  EXPECT_EQ(counted.world.attribute("tbl", "S#a", "S", "total"), "0.5");
  EXPECT_EQ(counted.letters().size(), 0u);
}

TEST(TallyLetters, a_target_that_outgrows_an_item_stops_no_other_figure) {
  Counted counted;
  std::string wide;
  while (wide.size() < 2'900) wide += "\xe2\x98\x83";
  for (int i = 0; i < 150; ++i) counted.hit("a", i, "1", fmt::format("{:04}{}", i, wide));
  counted.hit("b", 1, "1");
  counted.drain();
  EXPECT_EQ(counted.hits("S#a"), "150");
  EXPECT_EQ(counted.hits("K#b"), "1");
  ASSERT_EQ(counted.letters().size(), 1u);
  EXPECT_NE(counted.letters()[0].error.find("Item size"), std::string::npos) << counted.letters()[0].error;
}

// Each target can be written, but not all in one transaction, which is limited to 4 MB.
TEST(TallyLetters, targets_that_are_together_too_large_are_counted_apart) {
  Counted counted;
  std::string wide;
  while (wide.size() < 2'900) wide += "\xe2\x98\x83";
  constexpr int kSites = 14;
  for (int site = 0; site < kSites; ++site) {
    for (int i = 0; i < 110; ++i) counted.hit(fmt::format("s{}", site), i, "1", fmt::format("{:04}{}", i, wide));
  }
  counted.drain();
  for (int site = 0; site < kSites; ++site) counted.hit(fmt::format("s{}", site), 200, "1");
  counted.drain();
  for (int site = 0; site < kSites; ++site) EXPECT_EQ(counted.hits(fmt::format("K#s{}", site)), "111");
  EXPECT_EQ(counted.letters().size(), 0u);
}

}  // namespace
}  // namespace trestle::runtime
