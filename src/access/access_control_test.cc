#include "access/access_control.h"

#include <gtest/gtest.h>

#include <map>

namespace trestle {
namespace {

// Tables and streams with policies but without keys.
class FakeResources final : public ProtectedResources {
 public:
  std::map<std::string, std::string, std::less<>> tables, streams;

  bool has_policies() const override { return !tables.empty() || !streams.empty(); }
  ResourcePolicy table_policy(std::string_view name) const override { return policy_of(tables, name); }
  ResourcePolicy stream_policy(std::string_view arn, std::string_view) const override {
    return policy_of(streams, arn);
  }
  std::shared_ptr<const KeySchema> key(std::string_view, const std::optional<std::string>&) const override {
    return nullptr;
  }
  std::optional<std::string> stream_of(std::string_view) const override { return std::nullopt; }
  SelectedPartitions selected_partitions(const PartiqlStatement&, const PartiqlLowering&,
                                         const KeySchema&) const override {
    return {};
  }

 private:
  static ResourcePolicy policy_of(const std::map<std::string, std::string, std::less<>>& policies,
                                  std::string_view name) {
    const auto it = policies.find(name);
    if (it == policies.end()) return {};
    return {.arn = it->first, .text = std::make_shared<const std::string>(it->second)};
  }
};

std::string denial_of(std::string_view action) {
  return R"({"Version": "2012-10-17", "Statement": [{"Effect": "Deny", "Principal": "*", "Action": "dynamodb:)" +
         std::string(action) + R"(", "Resource": "*"}]})";
}

class AccessControlTest : public testing::Test {
 protected:
  bool allows(std::string_view action, std::string_view resource) const {
    const Access access{.action = "dynamodb:" + std::string(action),
                        .resource = "arn:aws:dynamodb:us-east-1:000000000000:" + std::string(resource)};
    return control_.check(access, control_.caller("AKIDALICE")).has_value();
  }

  FakeResources resources_;
  const Credentials credentials_ = *Credentials::parse("AKIDALICE secret\n");
  const AccessControl control_{{.resources = resources_, .credentials = &credentials_}};
};

TEST_F(AccessControlTest, applies_once_a_resource_has_a_policy) {
  EXPECT_FALSE(control_.applies());
  resources_.tables["songs"] = denial_of("PutItem");
  EXPECT_TRUE(control_.applies());
  EXPECT_FALSE((AccessControl({.resources = resources_}).applies()));  // callers are unknown
}

TEST_F(AccessControlTest, policy_of_a_table_covers_its_indexes_but_not_its_streams_or_backups) {
  resources_.tables["songs"] = denial_of("*");
  EXPECT_FALSE(allows("Query", "table/songs"));
  EXPECT_FALSE(allows("Query", "table/songs/index/by-year"));
  EXPECT_TRUE(allows("Query", "table/songs2"));
  EXPECT_TRUE(allows("GetRecords", "table/songs/stream/2024"));
  EXPECT_TRUE(allows("DeleteBackup", "table/songs/backup/1"));
  EXPECT_TRUE(allows("ListTables", "table/*"));
}

TEST_F(AccessControlTest, policy_of_a_stream_does_not_cover_its_table) {
  resources_.streams["arn:aws:dynamodb:us-east-1:000000000000:table/songs/stream/2024"] = denial_of("GetRecords");
  EXPECT_FALSE(allows("GetRecords", "table/songs/stream/2024"));
  EXPECT_TRUE(allows("GetRecords", "table/songs"));
}

TEST_F(AccessControlTest, changed_policy_applies_to_the_next_request) {
  resources_.tables["songs"] = denial_of("PutItem");
  EXPECT_FALSE(allows("PutItem", "table/songs"));
  resources_.tables["songs"] = denial_of("GetItem");
  EXPECT_TRUE(allows("PutItem", "table/songs"));
  EXPECT_FALSE(allows("GetItem", "table/songs"));
}

TEST_F(AccessControlTest, unreadable_policy_denies_everything) {
  resources_.tables["songs"] = "{";
  EXPECT_FALSE(allows("GetItem", "table/songs"));
}

}  // namespace
}  // namespace trestle
