#include "runtime/sending/operation_units.h"

#include <gtest/gtest.h>

#include <map>

#include "design/language/reader.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kDesign = R"y(design: shop
tables: {t: {key: [PK, SK], indexes: {byTag: {key: [tag], project: all}}}}
entities:
  Thing:
    key: ["T#{id}", "T#{id}"]
    fields: {id: "string([a-z], 1..9)"}
reads:
  thing: {get: Thing}
writes:
  save: {put: Thing}
)y";

class OperationUnitsTest : public testing::Test {
 protected:
  OperationUnitsTest() : reading_(design::read_design(kDesign)), units_(reading_.design) {
    EXPECT_TRUE(reading_.mistakes.empty()) << reading_.mistakes[0].message;
  }
  const design::Operation& operation(std::string_view name) const { return *reading_.design.operation(name); }
  // "save t/byTag" -> (read, write)
  std::map<std::string, std::pair<double, double>> figures() const {
    std::map<std::string, std::pair<double, double>> all;
    units_.each([&](const OperationUnits::Figure& one) {
      all[std::string(one.operation) + " " + std::string(one.table) + "/" + std::string(one.index)] = {one.read,
                                                                                                       one.write};
    });
    return all;
  }

  design::Reading reading_;
  OperationUnits units_;
};

using Kind = OperationUnits::Kind;
using Units = std::pair<double, double>;

TEST_F(OperationUnitsTest, units_are_counted_by_operation_table_and_index) {
  const ConsumedCapacity written{.table_name = "t", .total = 5, .table = 2, .global_indexes = {{"byTag", 3}}};
  units_.add(operation("save"), Kind::kWrite, written);
  units_.add(operation("save"), Kind::kWrite, written);
  units_.add(operation("thing"), Kind::kRead, {.table_name = "t", .total = 0.5, .table = 0.5});
  EXPECT_EQ(figures(),
            (std::map<std::string, Units>{{"save t/", {0, 4}}, {"save t/byTag", {0, 6}}, {"thing t/", {0.5, 0}}}));
}

TEST_F(OperationUnitsTest, a_total_without_detail_is_the_tables) {
  units_.add(operation("thing"), Kind::kRead, {.table_name = "t", .total = 1.5});
  EXPECT_EQ(figures(), (std::map<std::string, Units>{{"thing t/", {1.5, 0}}}));
}

TEST_F(OperationUnitsTest, a_repeated_transaction_is_read) {
  units_.add(operation("save"), Kind::kWrite,
             {.table_name = "t", .kind = CapacityKind::kTransactionRead, .total = 2, .table = 2});
  EXPECT_EQ(figures(), (std::map<std::string, Units>{{"save t/", {2, 0}}}));
}

TEST_F(OperationUnitsTest, tables_that_the_design_does_not_name_share_one_label) {
  units_.add(operation("save"), Kind::kWrite, {.table_name = "elsewhere", .total = 1, .table = 1});
  units_.add(operation("save"), Kind::kWrite, {.table_name = "nowhere", .total = 1, .table = 1});
  EXPECT_EQ(figures(), (std::map<std::string, Units>{{"save other/", {0, 2}}}));
}

}  // namespace
}  // namespace trestle::runtime
