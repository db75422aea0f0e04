#include "base/percent_encoding.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

TEST(PercentEncoding, survives_cut_and_odd_input) {
  EXPECT_EQ(percent_encode("a/b c~\xE1"), "a%2Fb%20c~%E1");
  EXPECT_EQ(percent_decode("a%2Fb%20c"), "a/b c");
  EXPECT_EQ(percent_decode("%"), "%");
  EXPECT_EQ(percent_decode("%4"), "%4");
  EXPECT_EQ(percent_decode("%zz%41"), "%zzA");
}

TEST(PercentEncoding, keeps_what_it_is_asked_to_keep) { EXPECT_EQ(percent_encode("/a b/c", "/"), "/a%20b/c"); }

}  // namespace
}  // namespace trestle
