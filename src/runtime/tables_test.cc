#include "runtime/tables.h"

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

TEST(Tables, a_created_table_has_no_differences) {
  for (const char* name : {"authz", "form-bridge", "parental-control", "plugin-auth", "site-catalog"}) {
    DesignWorld world(name);
    const auto differences = verify_tables(world.reading->design, *world.engine);
    ASSERT_TRUE(differences.has_value()) << differences.error().message;
    EXPECT_TRUE(differences->empty()) << (*differences)[0];
    EXPECT_TRUE(create_tables(world.reading->design, *world.engine)->empty());
  }
}

TEST(Tables, every_difference_is_reported_and_nothing_is_altered) {
  DesignWorld world("form-bridge");
  design::Design other = world.reading->design;
  design::Table& table = other.tables[0];
  table.ttl_attribute = "expires";
  table.stream.reset();
  table.indexes[0].key.range[0].name = "Other";
  table.indexes[1].name = "GSI9";
  table.indexes[0].projection = {.type = ProjectionType::kKeysOnly, .non_key_attributes = {}};
  other.tables.push_back(other.tables[0]);
  other.tables.back().name = "Missing";
  const auto differences = verify_tables(other, *world.engine);
  ASSERT_TRUE(differences.has_value());
  const auto tells = [&](std::string_view words) {
    return std::any_of(differences->begin(), differences->end(),
                       [&](const std::string& one) { return one.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(tells("Table Missing is missing."));
  EXPECT_TRUE(tells("the stream is new and old images; the design has none."));
  EXPECT_TRUE(tells("the key of index GSI1 is GSI1PK S (hash), GSI1SK S (range); the design has"));
  EXPECT_TRUE(tells("the projection of index GSI1"));
  EXPECT_TRUE(tells("index GSI9 is missing."));
  EXPECT_TRUE(tells("index GSI2 is not in the design."));
  EXPECT_TRUE(tells("the TTL attribute is ttl; the design has expires."));
  EXPECT_TRUE(verify_tables(world.reading->design, *world.engine)->empty());
}

}  // namespace
}  // namespace trestle::runtime
