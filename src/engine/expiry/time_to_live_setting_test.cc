#include "engine/expiry/time_to_live_setting.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

Result<std::optional<std::string>> change(std::optional<std::string> current, std::string attribute, bool enabled) {
  TableDescription table;
  table.ttl_attribute = std::move(current);
  return change_time_to_live(table, {.table_name = "abc", .attribute_name = std::move(attribute), .enabled = enabled});
}

TEST(TimeToLiveSetting, is_enabled_and_disabled) {
  EXPECT_EQ(change(std::nullopt, "ttl", true).value(), "ttl");
  EXPECT_EQ(change("ttl", "ttl", false).value(), std::nullopt);
}

TEST(TimeToLiveSetting, change_to_the_current_setting_is_rejected) {
  EXPECT_EQ(change("ttl", "ttl", true).error().message, "TimeToLive is already enabled");
  EXPECT_EQ(change(std::nullopt, "ttl", false).error().message, "TimeToLive is already disabled");
}

TEST(TimeToLiveSetting, another_attribute_is_rejected_while_one_is_active) {
  const std::string message = "TimeToLive is active on a different AttributeName: current AttributeName is ttl";
  EXPECT_EQ(change("ttl", "other", true).error().message, message);
  EXPECT_EQ(change("ttl", "other", false).error().message, message);
}

}  // namespace
}  // namespace trestle
