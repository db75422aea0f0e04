// Checks exports against the documented schemas of hashicorp/aws's resource aws_dynamodb_table and CloudFormation's
// AWS::DynamoDB::Table. The tools themselves are not available, so the tests encode their rules: names, required
// arguments and values.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "base/read_file.h"
#include "design/export/export_cloudformation.h"
#include "design/export/export_terraform.h"
#include "design/language/reader.h"
#include "design/language/shipped_designs_for_test.h"
#include "design/language/source.h"

namespace trestle::design {
namespace {

constexpr std::string_view kEverything = R"y(design: everything
tables:
  t:
    key: [PK, SK N]
    ttl: ttl
    stream: keys
    billing: {read: 5, write: 6}
    indexes:
      several: {hash: [country, city], range: [date, n N], project: [x]}
      recent: {local: true, key: [PK, at], project: keys}
entities: {A: {key: ["A#{a}", "{n}"], fields: {a: ulid, n: int, country: string, city: string, date: date, at: time, x: string}, index: {i: {on: several, key: ["{country}", "{city}", "{date}", "{n}"]}, j: {on: recent, key: ["A#{a}", "{at}"]}}}}
)y";

std::vector<Design> designs() {
  std::vector<Design> out;
  for (const char* name : kDesignNames) {
    const auto text = read_file((kRoot / "designs" / (std::string(name) + ".yaml")).string());
    out.push_back(std::move(read_design(text.value_or("")).design));
  }
  out.push_back(std::move(read_design(kEverything).design));
  return out;
}

struct HclBlock {
  std::string head;
  std::multimap<std::string, std::string> arguments;
  std::vector<HclBlock> blocks;

  std::string value(const std::string& name) const {
    const auto found = arguments.find(name);
    return found == arguments.end() ? "" : found->second;
  }
  std::vector<const HclBlock*> all(std::string_view kind) const {
    std::vector<const HclBlock*> out;
    for (const HclBlock& block : blocks) {
      if (block.head == kind) out.push_back(&block);
    }
    return out;
  }
};

// The subset of HCL that the exporter writes: one argument or brace per line.
HclBlock read_hcl(std::istringstream& lines, std::string head) {
  HclBlock result{.head = std::move(head)};
  for (std::string line; std::getline(lines, line);) {
    const size_t start = line.find_first_not_of(' ');
    if (start == std::string::npos || line[start] == '#') continue;
    line = line.substr(start);
    if (line == "}") return result;
    if (line.ends_with(" {")) {
      std::string inner = line.substr(0, line.size() - 2);
      if (inner.ends_with(" =")) inner.resize(inner.size() - 2);
      result.blocks.push_back(read_hcl(lines, std::move(inner)));
      continue;
    }
    const size_t equals = line.find(" = ");
    EXPECT_NE(equals, std::string::npos) << line;
    result.arguments.emplace(line.substr(0, line.find_first_of(' ')), line.substr(equals + 3));
  }
  return result;
}

void check_names(const HclBlock& block, const std::set<std::string>& arguments, const std::set<std::string>& blocks) {
  for (const auto& [name, value] : block.arguments) {
    EXPECT_TRUE(arguments.contains(name)) << block.head << ": " << name;
    EXPECT_EQ(block.arguments.count(name), 1U) << block.head << ": " << name;
  }
  for (const HclBlock& inner : block.blocks)
    EXPECT_TRUE(blocks.contains(inner.head)) << block.head << ": " << inner.head;
}

void check_projection(const HclBlock& index) {
  const std::string type = index.value("projection_type");
  EXPECT_TRUE(type == "\"ALL\"" || type == "\"KEYS_ONLY\"" || type == "\"INCLUDE\"") << index.head << type;
  EXPECT_EQ(type == "\"INCLUDE\"", !index.value("non_key_attributes").empty()) << index.head;
}

void check_table(const HclBlock& table) {
  check_names(table,
              {"name", "billing_mode", "read_capacity", "write_capacity", "hash_key", "range_key", "stream_enabled",
               "stream_view_type", "deletion_protection_enabled", "table_class"},
              {"attribute", "global_secondary_index", "local_secondary_index", "ttl", "point_in_time_recovery",
               "server_side_encryption", "tags"});
  EXPECT_NE(table.value("name"), "");
  const bool provisioned = table.value("billing_mode") == "\"PROVISIONED\"";
  EXPECT_TRUE(provisioned || table.value("billing_mode") == "\"PAY_PER_REQUEST\"");
  EXPECT_EQ(provisioned, !table.value("read_capacity").empty() && !table.value("write_capacity").empty());
  EXPECT_EQ(table.value("stream_enabled") == "true", !table.value("stream_view_type").empty());
  std::set<std::string> keys = {table.value("hash_key")};
  if (!table.value("range_key").empty()) keys.insert(table.value("range_key"));
  for (const HclBlock* index : table.all("global_secondary_index")) {
    check_names(*index, {"name", "projection_type", "non_key_attributes", "read_capacity", "write_capacity"},
                {"key_schema"});
    check_projection(*index);
    EXPECT_EQ(provisioned, !index->value("read_capacity").empty() && !index->value("write_capacity").empty());
    std::map<std::string, int> kinds;
    bool ranged = false;
    for (const HclBlock* key : index->all("key_schema")) {
      check_names(*key, {"attribute_name", "key_type"}, {});
      ++kinds[key->value("key_type")];
      EXPECT_FALSE(ranged && key->value("key_type") == "\"HASH\"") << "hash attributes come first";
      ranged = ranged || key->value("key_type") == "\"RANGE\"";
      keys.insert(key->value("attribute_name"));
    }
    EXPECT_GE(kinds["\"HASH\""], 1);
    EXPECT_LE(kinds["\"HASH\""], 4);
    EXPECT_LE(kinds["\"RANGE\""], 4);
    EXPECT_EQ(kinds.size(), 2U) << "only HASH and RANGE";
  }
  for (const HclBlock* index : table.all("local_secondary_index")) {
    check_names(*index, {"name", "range_key", "projection_type", "non_key_attributes"}, {});
    check_projection(*index);
    EXPECT_NE(index->value("range_key"), "");
    keys.insert(index->value("range_key"));
  }
  // "Only define attributes that are going to be used as a key": otherwise every plan shows a difference.
  std::set<std::string> defined;
  for (const HclBlock* attribute : table.all("attribute")) {
    check_names(*attribute, {"name", "type"}, {});
    EXPECT_TRUE(defined.insert(attribute->value("name")).second) << attribute->value("name") << " twice";
    const std::string type = attribute->value("type");
    EXPECT_TRUE(type == "\"S\"" || type == "\"N\"" || type == "\"B\"") << type;
  }
  EXPECT_EQ(defined, keys);
  for (const HclBlock* ttl : table.all("ttl")) {
    check_names(*ttl, {"attribute_name", "enabled"}, {});
    EXPECT_NE(ttl->value("attribute_name"), "");
    EXPECT_EQ(ttl->value("enabled"), "true");
  }
  ASSERT_EQ(table.all("point_in_time_recovery").size(), 1U);
  check_names(*table.all("point_in_time_recovery")[0], {"enabled"}, {});
}

TEST(ExportSchema, terraform_follows_the_documentation_of_the_provider) {
  for (const Design& design : designs()) {
    std::istringstream lines(export_terraform(design).text);
    const HclBlock file = read_hcl(lines, design.name);
    size_t tables = 0;
    for (const HclBlock& block : file.blocks) {
      if (!block.head.starts_with("resource \"aws_dynamodb_table\"")) continue;
      ++tables;
      check_table(block);
    }
    EXPECT_EQ(tables, design.tables.size()) << design.name;
  }
}

std::set<std::string> names_of(const Node& node) {
  std::set<std::string> out;
  for (const Entry& entry : node.entries) out.insert(entry.key);
  return out;
}

void within(const Node& node, const std::set<std::string>& known, std::string_view what) {
  for (const std::string& name : names_of(node)) EXPECT_TRUE(known.contains(name)) << what << ": " << name;
}

void check_index(const Node& index, bool global, bool provisioned) {
  within(index, {"IndexName", "KeySchema", "Projection", "ProvisionedThroughput"}, "index");
  for (const char* name : {"IndexName", "KeySchema", "Projection"}) EXPECT_NE(index.find(name), nullptr) << name;
  EXPECT_EQ(index.find("ProvisionedThroughput") != nullptr, global && provisioned);
  for (const Node& key : index.find("KeySchema")->items) within(key, {"AttributeName", "KeyType"}, "KeySchema");
  within(*index.find("Projection"), {"ProjectionType", "NonKeyAttributes"}, "Projection");
  EXPECT_EQ(index.find("Projection")->find("ProjectionType")->text == "INCLUDE",
            index.find("Projection")->find("NonKeyAttributes") != nullptr);
}

TEST(ExportSchema, cloudformation_follows_the_documentation_of_the_resource) {
  const std::set<std::string> properties = {"TableName",
                                            "AttributeDefinitions",
                                            "KeySchema",
                                            "LocalSecondaryIndexes",
                                            "GlobalSecondaryIndexes",
                                            "BillingMode",
                                            "ProvisionedThroughput",
                                            "TimeToLiveSpecification",
                                            "StreamSpecification",
                                            "PointInTimeRecoverySpecification",
                                            "DeletionProtectionEnabled",
                                            "SSESpecification",
                                            "TableClass",
                                            "Tags"};
  for (const Design& design : designs()) {
    Findings findings;
    const auto source = read_source(export_cloudformation(design).text, findings);
    ASSERT_TRUE(source && findings.empty()) << design.name;
    within(source->root, {"AWSTemplateFormatVersion", "Description", "Parameters", "Resources", "Outputs"}, "template");
    for (const Entry& resource : source->root.find("Resources")->entries) {
      // Logical ids are alphanumeric.
      EXPECT_TRUE(std::all_of(resource.key.begin(), resource.key.end(), [](unsigned char c) {
        return std::isalnum(c) != 0;
      })) << resource.key;
      within(resource.value, {"Type", "DeletionPolicy", "UpdateReplacePolicy", "Properties"}, "resource");
      const Node& table = *resource.value.find("Properties");
      if (resource.value.find("Type")->text == "AWS::CloudWatch::Alarm") {
        within(table,
               {"AlarmDescription", "Statistic", "Namespace", "MetricName", "Period", "Threshold", "Dimensions",
                "EvaluationPeriods", "ComparisonOperator", "TreatMissingData"},
               "alarm");
        continue;
      }
      within(table, properties, "table");
      ASSERT_NE(table.find("KeySchema"), nullptr);
      const bool provisioned = table.find("BillingMode")->text == "PROVISIONED";
      EXPECT_EQ(provisioned, table.find("ProvisionedThroughput") != nullptr);
      if (const Node* list = table.find("GlobalSecondaryIndexes")) {
        for (const Node& index : list->items) check_index(index, true, provisioned);
      }
      if (const Node* list = table.find("LocalSecondaryIndexes")) {
        for (const Node& index : list->items) check_index(index, false, provisioned);
      }
      if (const Node* ttl = table.find("TimeToLiveSpecification")) {
        EXPECT_EQ(names_of(*ttl), (std::set<std::string>{"AttributeName", "Enabled"}));
      }
      if (const Node* stream = table.find("StreamSpecification")) {
        EXPECT_EQ(names_of(*stream), (std::set<std::string>{"StreamViewType"}));
      }
      if (const Node* tags = table.find("Tags")) {
        for (const Node& tag : tags->items) EXPECT_EQ(names_of(tag), (std::set<std::string>{"Key", "Value"}));
      }
    }
  }
}

}  // namespace
}  // namespace trestle::design
