#include "bench/call.h"

#include <gtest/gtest.h>

namespace trestle::bench {
namespace {

TEST(FindObject, object_is_cut_out_whole) {
  const std::string_view page = R"({"Items":[{"a":{"S":"}"}}],"LastEvaluatedKey": {"pk":{"S":"a}\"{"}},"Count":1})";
  EXPECT_EQ(find_object(page, "LastEvaluatedKey"), R"({"pk":{"S":"a}\"{"}})");
}

TEST(FindObject, an_absent_member_or_one_that_is_not_an_object_is_not_found) {
  EXPECT_FALSE(find_object(R"({"Count":1})", "LastEvaluatedKey").has_value());
  EXPECT_FALSE(find_object(R"({"Count":1})", "Count").has_value());
  EXPECT_FALSE(find_object(R"({"Key":{"a":)", "Key").has_value());
}

}  // namespace
}  // namespace trestle::bench
