// Exports: two designs as golden files (tests/golden/export-*), and properties of all five.
//
// TRESTLE_GOLDEN=write regenerates the files after an intended change.
#include <gtest/gtest.h>
#include <fstream>

#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <set>

#include "base/read_file.h"
#include "design/export/export_cloudformation.h"
#include "design/export/export_json_schema.h"
#include "design/export/export_openapi.h"
#include "design/export/export_policies.h"
#include "design/export/export_terraform.h"
#include "design/export/export_typescript.h"
#include "design/export/export_workbench.h"
#include "design/import/draft.h"
#include "design/import/import_workbench.h"
#include "design/language/reader.h"
#include "design/language/shipped_designs_for_test.h"
#include "design/language/source.h"
#include "design/plan/permissions.h"

namespace trestle::design {
namespace {

Design design_named(const std::string& name) {
  const auto text = read_file((kRoot / "designs" / (name + ".yaml")).string());
  EXPECT_TRUE(text) << name;
  Reading reading = read_design(text.value_or(""));
  EXPECT_TRUE(reading.mistakes.empty()) << name;
  return std::move(reading.design);
}

// JSON is YAML, so the reader of design files can parse it.
Node parsed(const std::string& json) {
  Findings findings;
  auto source = read_source(json, findings);
  EXPECT_TRUE(source && findings.empty()) << (findings.empty() ? "" : findings.list()[0].message);
  return source ? std::move(source->root) : Node{};
}

const Node& at(const Node& node, std::initializer_list<std::string_view> path) {
  static const Node none;
  const Node* here = &node;
  for (const std::string_view name : path) {
    here = here->find(name);
    if (here == nullptr) {
      ADD_FAILURE() << "no " << name;
      return none;
    }
  }
  return *here;
}

void expect_golden(const std::string& file, const std::string& text) {
  const std::string path = (kRoot / "tests" / "golden" / file).string();
  if (const char* mode = std::getenv("TRESTLE_GOLDEN"); mode != nullptr && std::string_view(mode) == "write") {
    ASSERT_TRUE(std::ofstream(path) << text);
  }
  const auto golden = read_file(path);
  ASSERT_TRUE(golden) << path;
  EXPECT_EQ(text, *golden) << file;
}

TEST(Export, two_designs_match_their_golden_files) {
  for (const std::string name : {"authz", "parental-control"}) {
    const Design design = design_named(name);
    expect_golden(fmt::format("export-{}-cloudformation.json", name), export_cloudformation(design).text);
    expect_golden(fmt::format("export-{}-terraform.tf", name), export_terraform(design).text);
    expect_golden(fmt::format("export-{}-workbench.json", name), export_workbench(design).text);
    expect_golden(fmt::format("export-{}-policies.json", name), export_policies(design).text);
    expect_golden(fmt::format("export-{}-openapi.json", name), export_openapi(design).text);
    expect_golden(fmt::format("export-{}-json-schema.json", name), export_json_schema(design).text);
  }
}

TEST(Export, cloudformation_defines_each_key_attribute_once_and_no_other) {
  for (const std::string name : kDesignNames) {
    const Design design = design_named(name);
    const Node root = parsed(export_cloudformation(design).text);
    EXPECT_EQ(at(root, {"Resources"}).entries.size(), design.tables.size() + design.alerts.size());
    for (const Entry& resource : at(root, {"Resources"}).entries) {
      if (at(resource.value, {"Type"}).text != "AWS::DynamoDB::Table") continue;
      const Node& properties = at(resource.value, {"Properties"});
      std::set<std::string> defined;
      for (const Node& attribute : at(properties, {"AttributeDefinitions"}).items)
        EXPECT_TRUE(defined.insert(at(attribute, {"AttributeName"}).text).second);
      std::set<std::string> used;
      const auto use = [&](const Node& owner) {
        for (const Node& part : at(owner, {"KeySchema"}).items) used.insert(at(part, {"AttributeName"}).text);
      };
      use(properties);
      for (const char* kind : {"GlobalSecondaryIndexes", "LocalSecondaryIndexes"}) {
        if (const Node* indexes = properties.find(kind)) {
          for (const Node& index : indexes->items) use(index);
        }
      }
      EXPECT_EQ(defined, used) << resource.key;
    }
  }
}

constexpr std::string_view kPlaces = R"y(design: places
tables:
  t:
    key: [PK, SK]
    ttl: expires
    billing: {read: 3, write: 2}
    stream: keys
    indexes:
      byPlace: {hash: [country, city], range: [date, id N], project: [note]}
      recent: {local: true, key: [PK, at], project: keys}
entities:
  Visit:
    key: ["V#{visit}", "V#{visit}"]
    fields: {visit: ulid auto, country: "string([A-Z], 2..2)", city: "string([a-z], 1..40)", date: date, id: int, at: time, note: string(..100)}
    index:
      byPlace: {on: byPlace, key: ["{country}", "{city}", "{date}", "{id}"]}
      recent: {on: recent, key: ["V#{visit}", "{at}"]}
    ttl: at + 30d
reads: {visit: {get: Visit}, visitsOf: {query: Visit.byPlace}}
writes: {addVisit: {put: Visit, if: absent}}
)y";

TEST(Export, keys_of_several_attributes_local_indexes_and_settings_reach_cloudformation) {
  const Reading reading = read_design(kPlaces);
  ASSERT_TRUE(reading.mistakes.empty()) << reading.mistakes[0].message;
  const Node root = parsed(export_cloudformation(reading.design).text);
  const Node& table = at(root, {"Resources", "TTable", "Properties"});
  const Node& global = at(table, {"GlobalSecondaryIndexes"}).items.at(0);
  std::vector<std::string> keys;
  for (const Node& part : at(global, {"KeySchema"}).items)
    keys.push_back(at(part, {"AttributeName"}).text + " " + at(part, {"KeyType"}).text);
  EXPECT_EQ(keys, (std::vector<std::string>{"country HASH", "city HASH", "date RANGE", "id RANGE"}));
  EXPECT_EQ(at(global, {"Projection", "NonKeyAttributes"}).items.at(0).text, "note");
  EXPECT_EQ(at(global, {"ProvisionedThroughput", "ReadCapacityUnits"}).text, "3");
  EXPECT_EQ(at(at(table, {"LocalSecondaryIndexes"}).items.at(0), {"Projection", "ProjectionType"}).text, "KEYS_ONLY");
  EXPECT_EQ(at(table, {"TimeToLiveSpecification", "AttributeName"}).text, "expires");
  EXPECT_EQ(at(table, {"StreamSpecification", "StreamViewType"}).text, "KEYS_ONLY");
  const std::string terraform = export_terraform(reading.design).text;
  EXPECT_NE(terraform.find("attribute_name = \"city\"\n      key_type       = \"HASH\""), std::string::npos)
      << terraform;
  EXPECT_NE(terraform.find("stream_view_type            = \"KEYS_ONLY\""), std::string::npos) << terraform;
  EXPECT_EQ(export_workbench(reading.design).notes.size(), 4U);  // two indexes, TTL, stream
}

TEST(Export, a_policy_for_reads_allows_only_the_writes_that_reads_make) {
  const std::set<std::string> reading = {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query",
                                         "dynamodb:Scan"};
  for (const std::string name : kDesignNames) {
    const Node root = parsed(export_policies(design_named(name)).text);
    std::set<std::string> writing;
    for (const Node& statement : at(root, {"reads", "Statement"}).items) {
      for (const Node& action : at(statement, {"Action"}).items) {
        if (!reading.contains(action.text)) writing.insert(action.text);
      }
      EXPECT_EQ(at(statement, {"Resource"}).text.find("table/*"), std::string::npos);
    }
    // plugin-auth: the read latestVersion puts what it found into a cache.
    const std::set<std::string> expected =
        name == "plugin-auth" ? std::set<std::string>{"dynamodb:PutItem"} : std::set<std::string>{};
    EXPECT_EQ(writing, expected) << name;
  }
}

TEST(Export, the_policy_of_the_blob_sweep_allows_any_resource_only_for_actions_without_resources) {
  const Node root = parsed(export_policies(design_named("form-bridge")).text);
  std::map<std::string, std::set<std::string>> actions;
  for (const Node& statement : at(root, {"blobs", "Statement"}).items) {
    EXPECT_EQ(statement.find("Condition"), nullptr);
    for (const Node& action : at(statement, {"Action"}).items)
      actions[at(statement, {"Resource"}).text].insert(action.text);
  }
  const std::map<std::string, std::set<std::string>> expected = {
      {"*", {"dynamodb:ListBackups"}},
      {"arn:aws:dynamodb:*:*:table/FormBridgeData", {"dynamodb:DescribeContinuousBackups", "dynamodb:Scan"}}};
  EXPECT_EQ(actions, expected);
  EXPECT_EQ(parsed(export_policies(design_named("authz")).text).find("blobs"), nullptr) << "nothing spills";
}

TEST(Export, a_tenants_policy_is_limited_to_its_partition_keys) {
  const Reading reading = read_design(R"y(design: shop
tenant: tenantId
tables: {t: {key: [PK, SK], indexes: {G1: {key: [G1PK, G1SK]}}}}
entities:
  Order:
    key: ["T#{tenantId}#ORDERS", "O#{orderId}"]
    fields: {tenantId: ulid, orderId: ulid auto, status: "enum(open, done)"}
    index: {byStatus: {on: G1, key: ["T#{tenantId}#{status}", "O#{orderId}"]}}
  Notice: {key: ["NOTICES", "N#{noticeId}"], fields: {noticeId: ulid auto, text: string(..100)}}
reads: {ordersByStatus: {query: Order.byStatus}, notices: {query: Notice}}
writes: {addOrder: {put: Order, if: absent}}
)y");
  ASSERT_TRUE(reading.mistakes.empty()) << reading.mistakes[0].message;
  const Exported exported = export_policies(reading.design, {.region = "eu-west-1", .account = "123456789012"});
  const Node root = parsed(exported.text);
  const Node& write = at(root, {"writes", "Statement"}).items.at(0);
  EXPECT_EQ(at(write, {"Resource"}).text, "arn:aws:dynamodb:eu-west-1:123456789012:table/t");
  EXPECT_EQ(at(write, {"Condition", "ForAllValues:StringLike", "dynamodb:LeadingKeys"}).items.at(0).text,
            "T#${aws:PrincipalTag/tenantId}#ORDERS");
  EXPECT_EQ(at(write, {"Condition", "Null", "dynamodb:LeadingKeys"}).text, "false");
  bool index_bound = false;
  for (const Node& statement : at(root, {"reads", "Statement"}).items) {
    ASSERT_NE(statement.find("Condition"), nullptr) << "an unbound statement would undo the others";
    if (at(statement, {"Resource"}).text.ends_with("/index/G1")) {
      index_bound = at(statement, {"Condition", "ForAllValues:StringLike", "dynamodb:LeadingKeys"}).items.at(0).text ==
                    "T#${aws:PrincipalTag/tenantId}#*";
    }
  }
  EXPECT_TRUE(index_bound);
  EXPECT_EQ(exported.notes.size(), 1U) << "the notices are shared";
}

TEST(Export, openapi_has_a_path_for_each_operation_and_valid_references) {
  for (const std::string name : kDesignNames) {
    const Design design = design_named(name);
    const std::string text = export_openapi(design).text;
    const Node root = parsed(text);
    EXPECT_EQ(at(root, {"paths"}).entries.size(), design.operations.size());
    const std::function<void(const Node&)> walk = [&](const Node& node) {
      for (const Entry& entry : node.entries) {
        if (entry.key == "$ref" && entry.value.kind == Node::Kind::kScalar) {
          const Node* here = &root;
          for (size_t from = 2; from < entry.value.text.size() && here != nullptr;) {
            const size_t slash = std::min(entry.value.text.find('/', from), entry.value.text.size());
            here = here->find(entry.value.text.substr(from, slash - from));
            from = slash + 1;
          }
          EXPECT_NE(here, nullptr) << entry.value.text;
        }
        walk(entry.value);
      }
      for (const Node& item : node.items) walk(item);
    };
    walk(root);
  }
}

TEST(Export, several_entities_of_one_query_are_distinguished_by_name) {
  const Design design = read_design(file_text(kDesigns / "examples" / "online-shop.yaml")).design;
  const std::string api = export_openapi(design).text;
  EXPECT_NE(api.find("\"oneOf\""), std::string::npos);
  EXPECT_NE(api.find("\"const\": \"Order\""), std::string::npos) << api;
  const std::string client = export_typescript(design).text;
  EXPECT_NE(client.find(R"((Customer & { _entity: "Customer" }) | (Order & { _entity: "Order" }))"), std::string::npos)
      << client;
}

TEST(Export, examples_of_entities_are_examples_of_inputs) {
  const Design design = read_design(R"y(design: shown
tables: {t: {key: [PK, SK]}}
entities:
  A: {key: ["A#{a}", X], fields: {a: "string([a-z], 1..9)", n: int}, examples: [{a: lamp, n: 7}]}
writes: {put: {put: A}}
)y")
                            .design;
  const std::string api = export_openapi(design).text;
  EXPECT_NE(api.find("\"lamp\""), std::string::npos) << api;
  EXPECT_NE(api.find("examples"), std::string::npos);
}

TEST(Export, secret_fields_are_never_in_answers) {
  for (const std::string name : kDesignNames) {
    const Design design = design_named(name);
    const Node root = parsed(export_json_schema(design).text);
    for (const Entity& entity : design.entities) {
      for (const Field& field : entity.fields)
        EXPECT_EQ(at(root, {"$defs", entity.name, "properties"}).find(field.name) == nullptr, field.secret)
            << entity.name << "." << field.name;
    }
  }
}

TEST(Export, workbench_export_import_export_gives_the_same_model) {
  for (const std::string name : {"authz", "parental-control", "plugin-auth", "site-catalog"}) {
    const std::string model = export_workbench(design_named(name)).text;
    const auto imported = import_workbench(model);
    ASSERT_TRUE(imported.has_value()) << imported.error().message;
    const Reading reading = read_design(*imported);
    ASSERT_TRUE(reading.mistakes.empty())
        << name << ":" << reading.mistakes[0].place.line << " " << reading.mistakes[0].message << "\n"
        << *imported;
    EXPECT_EQ(export_workbench(reading.design).text, model) << name;
  }
}

}  // namespace
}  // namespace trestle::design
