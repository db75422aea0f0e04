// Plans of writes whose values name fields of the item.
#include <gmock/gmock.h>

#include "design/plan/planned_for_test.h"

namespace trestle::design {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string value_in(const Request& request, std::string_view field) {
  for (const FieldValue& value : request.fields) {
    if (value.name == field) return expression_text(value.source.expression);
  }
  return "";
}

std::vector<std::string> order_of(const Request& request) {
  std::vector<std::string> names;
  for (const FieldValue& value : request.fields) names.push_back(value.name);
  return names;
}

constexpr std::string_view kCards = R"y(entities:
  A:
    key: ["A#{a}", X]
    fields: {total: int = price * quantity, price: int = 1, quantity: int = 1, a: ulid, was: int optional, stars: int(0..9) = 1, shelf: string}
    index: {byStars: {on: G1, key: ["S#{shelf}", "{stars}"]}}
writes:
  pay: {update: A, takes: {a: ulid, n: int}, set: {price: price - $n, was: price}}
  become: {update: A, takes: {a: ulid, n: int}, set: {price: $n, was: price}}
  sum: {update: A, takes: {a: ulid, n: int}, set: {price: price - $n}}
  award: {update: A, takes: {a: ulid, n: int optional}, set: {stars: stars + $n}}
  make: {put: A, takes: {a: ulid, shelf: string}, if: absent}
  rise: {upsert: A, takes: {a: ulid, shelf: string}, set: {price: price + 1, was: price}}
  start: {upsert: A, takes: {a: ulid, shelf: string}}
)y";

TEST(PlanBareNames, a_name_in_an_update_is_read_and_must_be_unchanged) {
  for (const char* operation : {"pay", "become"}) {
    const Planned it = small(kCards, operation);
    ASSERT_EQ(it.plan.steps.size(), 2U) << operation;
    EXPECT_EQ(it.plan.steps[0].kind, PlanStep::Kind::kObserve);
    EXPECT_EQ(value_in(it.own(), "was"), "$current.price");
    EXPECT_THAT(it.text().condition, HasSubstr("#price = :old_price"));
    EXPECT_THAT(it.own().computed_from, ElementsAre("price"));
  }
  EXPECT_THAT(small(kCards, "pay").text().update, HasSubstr("#price = #price + :change_price"));
}

TEST(PlanBareNames, a_sum_that_nothing_else_names_is_not_read) {
  EXPECT_EQ(small(kCards, "sum").plan.steps.size(), 1U);
}

TEST(PlanBareNames, an_absent_input_of_a_sum_leaves_what_follows_from_the_field) {
  EXPECT_EQ(value_in(small(kCards, "award").own(), "stars"), "if_input($n, $current.stars + $n, $current.stars)");
}

TEST(PlanBareNames, values_of_a_new_item_follow_those_that_they_name) {
  const Planned it = small(kCards, "make");
  EXPECT_THAT(order_of(it.own()), ElementsAre("price", "quantity", "total", "a", "stars", "shelf"));
}

TEST(PlanBareNames, an_upsert_computes_from_the_old_item_or_its_defaults) {
  const Planned it = small(kCards, "rise");
  EXPECT_EQ(value_in(it.own(), "price"), "coalesce($current.price, 1) + 1");
  EXPECT_EQ(value_in(it.own(), "was"), "coalesce($current.price, 1)");
}

// The default of an existing item is not used.
TEST(PlanBareNames, an_upsert_does_not_read_for_a_default_of_a_required_field) {
  const Planned it = small(kCards, "start");
  EXPECT_EQ(it.plan.steps.size(), 1U);
}

}  // namespace
}  // namespace trestle::design
