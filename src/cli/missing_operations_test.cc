#include "cli/missing_operations.h"

#include <gtest/gtest.h>

#include <map>

#include "base/read_file.h"
#include "design/language/reader.h"

namespace trestle {
namespace {

// The text for the design of chat rooms on an endpoint that lacks these operations.
std::string text_without(const std::vector<std::string_view>& operations) {
  const auto text = read_file(TRESTLE_SOURCE_FOLDER "/designs/examples/chat.yaml");
  if (!text.has_value()) return text.error();
  const design::Reading reading = design::read_design(*text);
  std::map<std::string, design::Plan> plans;
  for (const design::Operation& operation : reading.design.operations)
    plans.emplace(operation.name, design::plan_operation(reading.design, operation));
  std::vector<LackingOperation> lacking;
  for (const std::string_view operation : operations) lacking.push_back({operation, "UnknownOperationException"});
  return missing_operations_text(
      lacking, reading.design,
      [&](const design::Operation& operation) -> const design::Plan& { return plans.at(operation.name); });
}

TEST(MissingOperations, a_complete_endpoint_lacks_nothing) { EXPECT_EQ(text_without({}), ""); }

TEST(MissingOperations, operations_that_the_design_does_not_need_are_not_missing) {
  EXPECT_EQ(text_without({"CreateBackup", "ExecuteStatement", "UpdateContinuousBackups"}), "");
}

TEST(MissingOperations, features_of_tables_come_before_operations) {
  EXPECT_EQ(text_without({"TransactWriteItems", "UpdateTimeToLive", "GetRecords"}),
            "  chat: table chat keeps its expired items without UpdateTimeToLive\n"
            "  chat: table chat has no stream for tallies and reactions without GetRecords\n"
            "  chat.createRoom needs TransactWriteItems\n"
            "  chat.post needs TransactWriteItems\n");
}

TEST(MissingOperations, an_operation_names_everything_that_it_needs) {
  EXPECT_EQ(text_without({"Scan", "GetItem", "UpdateItem"}),
            "  chat.room needs GetItem\n"
            "  chat.unread needs GetItem\n"
            "  chat.rename needs UpdateItem\n"
            "  chat.join needs GetItem\n"
            "  chat.edit needs UpdateItem\n"
            "  chat.markRead needs GetItem, UpdateItem\n");
}

}  // namespace
}  // namespace trestle
