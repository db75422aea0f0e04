#include "server/gzip.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

TEST(Gzip, a_body_survives_both_ways_and_the_streams_can_be_used_again) {
  Gzip gzip;
  for (const size_t size : {size_t{1}, size_t{1000}, size_t{300'000}}) {
    const std::string plain(size, 'x');
    std::string packed, again;
    gzip.deflate(plain, packed);
    ASSERT_EQ(gzip.inflate(packed, size, again), Gzip::Outcome::kOk);
    EXPECT_EQ(again, plain);
  }
}

TEST(Gzip, a_bomb_is_refused_at_the_limit) {
  Gzip gzip;
  std::string packed, out;
  gzip.deflate(std::string(50'000'000, '\0'), packed);
  EXPECT_EQ(gzip.inflate(packed, 1'000'000, out), Gzip::Outcome::kTooLarge);
  EXPECT_LE(out.capacity(), 2'100'000u);
}

TEST(Gzip, one_byte_over_the_limit_is_too_large) {
  Gzip gzip;
  std::string packed, out;
  gzip.deflate(std::string(101, 'x'), packed);
  EXPECT_EQ(gzip.inflate(packed, 101, out), Gzip::Outcome::kOk);
  EXPECT_EQ(gzip.inflate(packed, 100, out), Gzip::Outcome::kTooLarge);
}

TEST(Gzip, garbage_and_cut_bodies_are_malformed) {
  Gzip gzip;
  std::string packed, out;
  gzip.deflate("hello hello hello", packed);
  EXPECT_EQ(gzip.inflate("not gzip", 100, out), Gzip::Outcome::kMalformed);
  EXPECT_EQ(gzip.inflate("", 100, out), Gzip::Outcome::kMalformed);
  for (size_t cut = 0; cut < packed.size(); ++cut) {
    EXPECT_EQ(gzip.inflate(std::string_view(packed).substr(0, cut), 100, out), Gzip::Outcome::kMalformed) << cut;
  }
  EXPECT_EQ(gzip.inflate(packed + "tail", 100, out), Gzip::Outcome::kMalformed);
}

TEST(Gzip, members_in_a_row_are_joined) {
  Gzip gzip;
  std::string one, two, out;
  gzip.deflate("one ", one);
  gzip.deflate("two", two);
  EXPECT_EQ(gzip.inflate(one + two, 100, out), Gzip::Outcome::kOk);
  EXPECT_EQ(out, "one two");
}

TEST(Gzip, accept_encoding) {
  EXPECT_TRUE(accepts_gzip("gzip"));
  EXPECT_TRUE(accepts_gzip("deflate, GZIP;q=0.5, br"));
  EXPECT_TRUE(accepts_gzip("*"));
  EXPECT_FALSE(accepts_gzip(""));
  EXPECT_FALSE(accepts_gzip("identity"));
  EXPECT_FALSE(accepts_gzip("gzip;q=0"));
  EXPECT_FALSE(accepts_gzip("gzip; q=0.000, *"));
  EXPECT_FALSE(accepts_gzip("*;q=0"));
}

}  // namespace
}  // namespace trestle
