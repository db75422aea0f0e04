#include "design/import/sketch.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "design/check/check.h"

namespace trestle::design {
namespace {

void expect_sound(const Sketch& sketch) {
  const std::string text = sketch_text(sketch);
  for (const Finding& finding : check_text(text).findings) {
    EXPECT_NE(finding.severity, Severity::kError)
        << finding.code << " line " << finding.place.line << ": " << finding.message << "\n"
        << text;
  }
}

TEST(Sketch, a_shop_in_one_table_or_several_checks_without_errors) {
  for (const bool several : {false, true}) {
    Sketch sketch{.name = "shop", .several_tables = several};
    ASSERT_TRUE(add_entity(sketch, "User: email, name").has_value());
    ASSERT_TRUE(add_entity(sketch, "Order: status, total, createdAt").has_value());
    ASSERT_TRUE(add_relation(sketch, "Order:User").has_value());
    ASSERT_TRUE(add_unique(sketch, "User.email").has_value());
    ASSERT_TRUE(add_listing(sketch, "Order.status").has_value());
    expect_sound(sketch);
  }
}

TEST(Sketch, any_mixture_of_answers_checks_without_errors) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto one_in = [&](unsigned n) { return random() % n == 0; };
    const std::vector<std::string> names = {"User", "Order", "OrderLine", "Product", "Note"};
    const std::vector<std::string> fields = {"email", "name",  "status", "createdAt", "total",
                                             "count", "phone", "url",    "due_at",    "kind"};
    Sketch sketch{.name = "s", .several_tables = one_in(2)};
    for (const std::string& name : names) {
      if (!sketch.entities.empty() && one_in(3)) continue;
      std::string text = name + ":";
      for (const std::string& field : fields) {
        if (one_in(2)) text += field + ",";
      }
      ASSERT_TRUE(add_entity(sketch, text).has_value());
    }
    for (const SketchEntity& child : std::vector(sketch.entities)) {
      const SketchEntity& parent = sketch.entities[random() % sketch.entities.size()];
      if (one_in(2)) (void)add_relation(sketch, child.name + ":" + parent.name);
      if (one_in(3)) {
        EXPECT_TRUE(add_unique(sketch, child.name + ".email").has_value());
      }
      if (one_in(2)) {
        EXPECT_TRUE(add_listing(sketch, child.name + "." + fields[random() % fields.size()]).has_value());
      }
    }
    expect_sound(sketch);
  }
}

TEST(Sketch, questions_and_flags_give_the_same_result) {
  Sketch asked;
  std::istringstream in("shop\none\nUser: email\nOrder\n\nOrder: User\n\nUser.email\n\n\n");
  std::ostringstream out;
  ASSERT_TRUE(ask(asked, in, out).has_value());
  Sketch flagged{.name = "shop"};
  ASSERT_TRUE(add_entity(flagged, "User:email").has_value());
  ASSERT_TRUE(add_entity(flagged, "Order").has_value());
  ASSERT_TRUE(add_relation(flagged, "Order:User").has_value());
  ASSERT_TRUE(add_unique(flagged, "User.email").has_value());
  EXPECT_EQ(sketch_text(asked), sketch_text(flagged));
}

TEST(Sketch, rejects_invalid_answers) {
  Sketch sketch{.name = "s"};
  ASSERT_TRUE(add_entity(sketch, "A").has_value());
  ASSERT_TRUE(add_entity(sketch, "B").has_value());
  EXPECT_FALSE(add_entity(sketch, "A").has_value());
  EXPECT_FALSE(add_entity(sketch, "1x").has_value());
  EXPECT_FALSE(add_entity(sketch, "C: a b").has_value());
  EXPECT_TRUE(add_relation(sketch, "A:B").has_value());
  EXPECT_FALSE(add_relation(sketch, "B:A").has_value());
  EXPECT_FALSE(add_relation(sketch, "A:Z").has_value());
  EXPECT_FALSE(add_unique(sketch, "Z.x").has_value());
  Sketch empty;
  std::istringstream in("");
  std::ostringstream out;
  EXPECT_FALSE(ask(empty, in, out).has_value());
}

}  // namespace
}  // namespace trestle::design
