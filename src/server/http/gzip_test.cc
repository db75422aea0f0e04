#include "server/http/gzip.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

TEST(Gzip, a_body_survives_both_ways_and_the_streams_can_be_used_again) {
  Gzip gzip;
  for (const size_t size : {size_t{1}, size_t{1000}, size_t{300'000}}) {
    const std::string plain(size, 'x');
    std::string packed, again;
    gzip.deflate(plain, ContentCoding::kGzip, packed);
    ASSERT_EQ(gzip.inflate(packed, ContentCoding::kGzip, size, again), Gzip::Outcome::kOk);
    EXPECT_EQ(again, plain);
  }
}

TEST(Gzip, a_bomb_is_refused_at_the_limit) {
  Gzip gzip;
  std::string packed, out;
  gzip.deflate(std::string(50'000'000, '\0'), ContentCoding::kGzip, packed);
  EXPECT_EQ(gzip.inflate(packed, ContentCoding::kGzip, 1'000'000, out), Gzip::Outcome::kTooLarge);
  EXPECT_LE(out.capacity(), 2'100'000u);
}

TEST(Gzip, one_byte_over_the_limit_is_too_large) {
  Gzip gzip;
  std::string packed, out;
  gzip.deflate(std::string(101, 'x'), ContentCoding::kGzip, packed);
  EXPECT_EQ(gzip.inflate(packed, ContentCoding::kGzip, 101, out), Gzip::Outcome::kOk);
  EXPECT_EQ(gzip.inflate(packed, ContentCoding::kGzip, 100, out), Gzip::Outcome::kTooLarge);
}

TEST(Gzip, garbage_and_cut_bodies_are_malformed) {
  Gzip gzip;
  std::string packed, out;
  gzip.deflate("hello hello hello", ContentCoding::kGzip, packed);
  EXPECT_EQ(gzip.inflate("not gzip", ContentCoding::kGzip, 100, out), Gzip::Outcome::kMalformed);
  EXPECT_EQ(gzip.inflate("", ContentCoding::kGzip, 100, out), Gzip::Outcome::kMalformed);
  for (size_t cut = 0; cut < packed.size(); ++cut) {
    EXPECT_EQ(gzip.inflate(std::string_view(packed).substr(0, cut), ContentCoding::kGzip, 100, out),
              Gzip::Outcome::kMalformed)
        << cut;
  }
  EXPECT_EQ(gzip.inflate(packed + "tail", ContentCoding::kGzip, 100, out), Gzip::Outcome::kMalformed);
}

TEST(Gzip, members_in_a_row_are_joined) {
  Gzip gzip;
  std::string one, two, out;
  gzip.deflate("one ", ContentCoding::kGzip, one);
  gzip.deflate("two", ContentCoding::kGzip, two);
  EXPECT_EQ(gzip.inflate(one + two, ContentCoding::kGzip, 100, out), Gzip::Outcome::kOk);
  EXPECT_EQ(out, "one two");
}

TEST(Gzip, deflate_is_zlibs_format_and_not_gzips) {
  Gzip gzip;
  std::string packed, out;
  gzip.deflate("hello hello hello", ContentCoding::kDeflate, packed);
  EXPECT_EQ(gzip.inflate(packed, ContentCoding::kDeflate, 100, out), Gzip::Outcome::kOk);
  EXPECT_EQ(out, "hello hello hello");
  EXPECT_EQ(gzip.inflate(packed, ContentCoding::kGzip, 100, out), Gzip::Outcome::kMalformed);
  gzip.deflate("hello hello hello", ContentCoding::kGzip, packed);
  EXPECT_EQ(gzip.inflate(packed, ContentCoding::kDeflate, 100, out), Gzip::Outcome::kMalformed);
  EXPECT_EQ(gzip.inflate("", ContentCoding::kDeflate, 100, out), Gzip::Outcome::kMalformed);
}

// DynamoDB's choices, as recorded in ScyllaDB's test suite for Alternator.
TEST(Gzip, the_coding_of_a_reply_is_the_one_dynamodb_chooses) {
  const auto chosen = [](std::string_view accept) -> std::string_view {
    const auto coding = preferred_coding(accept);
    return coding ? coding_name(*coding) : "";
  };
  for (const char* none :
       {"", "identity", "br", "zstd", "compress", "x-gzip", "gzip ;q=0", "identity;q=0", "*;q=0", "\"gzip\"", "gzip br",
        "gzip:q=1", "br;q=0.8,identity;q=0.5,*;q=0", "gzip;q= 0;q=1", "gzip; q=0;q=1", "gzip;nq=0;q=1"}) {
    EXPECT_EQ(chosen(none), "") << none;
  }
  for (const char* gzip : {"gzip", "gzip, deflate", "GZIP, identity", "dog, gzip ,, cat", "gzip;q=0.8, deflate;q=0.5",
                           "*", "*, deflate;q=0.5", "*, identity", "*;q=0.5,identity", "gzip;q=0.5,identity;q=0.8",
                           "deflate;q=0.5, gzip;q=31", "gzip;q=31,deflate;q=51", "deflate;q=0.5, gzip;q=1;q=0.2",
                           "deflate;q=0.5,gzip;q=0.x", "deflate;q=0.5,gzip;q=0. x", "deflate;q=-0.5,gzip;q=0.2",
                           "gzip;q =0;q=1", "gzip;q=0, gzip;q=1, gzip;q=0", "br,identity;q=0.5,gzip;q=0.0001"}) {
    EXPECT_EQ(chosen(gzip), "gzip") << gzip;
  }
  for (const char* deflate : {"deflate", "br, identity, deflate, gzip", "br, gzip;q=0, deflate; q = 0.5 , identity;q=0",
                              "*, deflate", "*, gzip;q=0.5", "deflate;q=0.5, gzip;q=0.2", "deflate;q=0.5,gzip;q=0."}) {
    EXPECT_EQ(chosen(deflate), "deflate") << deflate;
  }
}

}  // namespace
}  // namespace trestle
