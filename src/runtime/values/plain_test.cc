#include "runtime/values/plain.h"

#include <gtest/gtest.h>

namespace trestle::runtime {
namespace {

TEST(Plain, absent_is_not_null) {
  EXPECT_TRUE(Plain().is_absent());
  EXPECT_FALSE(Plain::null().is_absent());
  EXPECT_FALSE(Plain::null().exists());
  EXPECT_NE(Plain(), Plain::null());
}

TEST(Plain, a_set_is_sorted_and_has_each_member_once) {
  const Plain numbers = Plain::set({Plain::number(10), Plain::number(9), Plain::number(10)});
  ASSERT_EQ(numbers.elements().size(), 2u);
  EXPECT_EQ(numbers.elements()[0], Plain::number(9));
  EXPECT_EQ(numbers, Plain::set({Plain::number(9), Plain::number(10)}));
}

TEST(Plain, a_map_keeps_the_order_of_its_members) {
  Plain map = Plain::map();
  map.set("b", Plain::number(1));
  map.set("a", Plain::number(2));
  map.set("b", Plain::number(3));
  ASSERT_EQ(map.members().size(), 2u);
  EXPECT_EQ(map.members()[0].first, "b");
  EXPECT_EQ(map.member("b"), Plain::number(3));
  map.erase("b");
  EXPECT_TRUE(map.member("b").is_absent());
  EXPECT_TRUE(Plain::text("x").member("b").is_absent());
}

}  // namespace
}  // namespace trestle::runtime
