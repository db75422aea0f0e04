// Imports: models of other tools become designs that read without mistakes and produce the same keys.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "design/check/check.h"
#include "design/import/import_onetable.h"
#include "design/import/import_workbench.h"
#include "design/language/reader.h"
#include "design/sample/sample_guess.h"

namespace trestle::design {
namespace {

Reading readable(const Result<std::string>& text) {
  EXPECT_TRUE(text.has_value()) << text.error().message;
  Reading reading = read_design(text.has_value() ? *text : "");
  for (const Finding& mistake : reading.mistakes)
    ADD_FAILURE() << mistake.place.line << ": " << mistake.message << "\n" << *text;
  return reading;
}

constexpr std::string_view kOneTable = R"j({
  "format": "onetable:1.1.0", "version": "0.0.1", "name": "Shop",
  "indexes": {
    "primary": {"hash": "pk", "sort": "sk"},
    "gs1": {"hash": "gs1pk", "sort": "gs1sk", "project": ["name"], "follow": true},
    "ls1": {"type": "local", "sort": "created"}
  },
  "models": {
    "User": {
      "pk": {"type": "string", "value": "account#${accountId}"},
      "sk": {"type": "string", "value": "user#${email}"},
      "gs1pk": {"type": "string", "value": "${_type}#"},
      "gs1sk": {"type": "string", "value": "user#${number:6:0}"},
      "accountId": {"type": "string", "required": true},
      "email": {"type": "string", "required": true, "unique": true},
      "number": {"type": "number", "required": true},
      "name": {"type": "string"},
      "id": {"type": "string", "generate": "ulid"},
      "role": {"type": "string", "enum": ["user", "admin"], "default": "user"},
      "address": {"type": "object", "schema": {"zip": {"type": "string"}}}
    }
  },
  "params": {"timestamps": true, "isoDates": true, "typeField": "_type"}
})j";

// Entries are named after their index with a lower-case first letter; "GS1" and "gS1" must stay distinct.
TEST(ImportOneTable, index_names_that_differ_by_case_stay_distinct) {
  const Reading reading = readable(import_onetable(R"j({
  "format": "onetable:1.1.0", "version": "0.0.1",
  "indexes": {"primary": {"hash": "pk", "sort": "sk"}, "GS1": {"hash": "apk", "sort": "ask"}, "gS1": {"hash": "bpk", "sort": "bsk"}},
  "models": {"A": {
    "pk": {"type": "string", "value": "a#${id}"}, "sk": {"type": "string", "value": "a#"},
    "apk": {"type": "string", "value": "x#${x}"}, "ask": {"type": "string", "value": "a#${id}"},
    "bpk": {"type": "string", "value": "y#${y}"}, "bsk": {"type": "string", "value": "a#${id}"},
    "id": {"type": "string", "required": true}, "x": {"type": "string", "required": true}, "y": {"type": "string", "required": true}}}
})j"));
  const Entity* entity = reading.design.entity("A");
  ASSERT_NE(entity, nullptr);
  ASSERT_EQ(entity->index.size(), 2U);
  EXPECT_NE(entity->index[0].name, entity->index[1].name);
  EXPECT_NE(entity->index[0].index, entity->index[1].index);
  EXPECT_EQ(reading.design.tables[0].indexes.size(), 2U);
}

TEST(ImportOneTable, value_templates_become_key_templates) {
  const Reading reading = readable(import_onetable(kOneTable));
  const Entity* user = reading.design.entity("User");
  ASSERT_NE(user, nullptr);
  EXPECT_EQ(user->key[0].text, "account#{accountId}");
  EXPECT_EQ(user->key[1].text, "user#{email}");
  ASSERT_NE(user->entry("gs1"), nullptr);
  EXPECT_EQ(user->entry("gs1")->key[0].text, "User#");
  EXPECT_EQ(user->entry("gs1")->key[1].text, "user#{number:06}");
  ASSERT_NE(user->guard("email"), nullptr);
  EXPECT_EQ(user->guard("email")->key[0].text, "_unique#User#email#{email}");
  EXPECT_EQ(user->guard("email")->key[1].text, "_unique#");
  EXPECT_EQ(user->field("role")->type.values, (std::vector<std::string>{"user", "admin"}));
  EXPECT_TRUE(user->field("name")->optional);
  EXPECT_TRUE(user->field("id")->automatic);
  EXPECT_EQ(user->field("pk"), nullptr);
  EXPECT_EQ(reading.design.tables[0].type_attribute, "_type");
  EXPECT_TRUE(reading.design.tables[0].index("ls1")->local);
}

TEST(ImportOneTable, parts_that_cannot_be_converted_are_reported) {
  const auto text = import_onetable(R"j({"indexes": {"primary": {"hash": "pk"}}, "models": {"A": {
      "pk": {"type": "string", "value": "a#${where.city}"}, "x": {"type": "string", "validate": "/^x/", "map": "data.x"}}}})j");
  ASSERT_TRUE(text.has_value());
  EXPECT_NE(text->find("where.city is a part of a field"), std::string::npos) << *text;
  EXPECT_NE(text->find("it had to match /^x/"), std::string::npos);
  EXPECT_NE(text->find("stored in attribute data.x"), std::string::npos);
}

TEST(ImportOneTable, accepts_the_object_literal_of_a_program) {
  readable(
      import_onetable("export default {\n indexes: {primary: {hash: 'pk', sort: 'sk'}},\n models: {A: {pk: {type: "
                      "String, value: 'a#${id}'}, sk: {type: String, value: 'a#'}, id: {type: String}}},\n};\n"));
}

TEST(ImportOneTable, rejects_other_files) {
  EXPECT_FALSE(import_onetable("[]").has_value());
  EXPECT_FALSE(import_onetable("{\"models\": {}}").has_value());
  EXPECT_FALSE(import_onetable("{{{").has_value());
}

constexpr std::string_view kSessions =
    R"j({"ModelName": "My sessions", "ModelMetadata": {"Version": "3.0"}, "DataModel": [{
  "TableName": "sessions",
  "KeyAttributes": {"PartitionKey": {"AttributeName": "PK", "AttributeType": "S"}, "SortKey": {"AttributeName": "SK", "AttributeType": "S"}},
  "NonKeyAttributes": [{"AttributeName": "user", "AttributeType": "S"}, {"AttributeName": "at", "AttributeType": "S"}, {"AttributeName": "n", "AttributeType": "N"}],
  "GlobalSecondaryIndexes": [{"IndexName": "inverse", "KeyAttributes": {"PartitionKey": {"AttributeName": "SK", "AttributeType": "S"},
     "SortKey": {"AttributeName": "PK", "AttributeType": "S"}}, "Projection": {"ProjectionType": "KEYS_ONLY"}}],
  "TableData": [
    {"PK": {"S": "USER#ann"}, "SK": {"S": "SESSION#2026-01-01T00:00:00Z"}, "user": {"S": "ann"}, "at": {"S": "2026-01-01T00:00:00Z"}, "n": {"N": "1"}},
    {"PK": {"S": "USER#bob"}, "SK": {"S": "SESSION#2026-01-02T00:00:00Z"}, "user": {"S": "bob"}, "at": {"S": "2026-01-02T00:00:00Z"}},
    {"PK": {"S": "USER#bob"}, "SK": {"S": "PROFILE"}, "user": {"S": "bob"}}
  ],
  "BillingMode": "PROVISIONED", "ProvisionedCapacitySettings": {"ProvisionedThroughput": {"ReadCapacityUnits": 7, "WriteCapacityUnits": 2}}}]})j";

TEST(ImportWorkbench, without_facets_the_keys_of_rows_determine_the_entities) {
  const Reading reading = readable(import_workbench(kSessions));
  EXPECT_EQ(reading.design.name, "My-sessions");
  const Entity* session = reading.design.entity("Session");
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->key[0].text, "USER#{user}");
  EXPECT_EQ(session->key[1].text, "SESSION#{at}");
  EXPECT_EQ(session->field("at")->type.base, BaseType::kTime);
  EXPECT_TRUE(session->field("n")->optional);
  EXPECT_EQ(session->entry("inverse")->key[0].text, "SESSION#{at}");
  ASSERT_NE(reading.design.entity("Profile"), nullptr);
  EXPECT_EQ(reading.design.entity("Profile")->key[1].text, "PROFILE");
  EXPECT_EQ(reading.design.tables[0].throughput.read_units, 7);
}

TEST(ImportWorkbench, rejects_other_files) {
  EXPECT_FALSE(import_workbench("{}").has_value());
  EXPECT_FALSE(import_workbench("not: [json").has_value());
  EXPECT_FALSE(import_workbench(R"({"DataModel": [{"TableName": "x"}]})").has_value());
}

// Models in the form of samples published by AWS. The remaining findings are faults of the models, not of the import.
TEST(Import, models_check_without_errors) {
  const auto models = std::filesystem::path(TRESTLE_SOURCE_FOLDER) / "tests" / "models";
  // Warnings caused by the models: unbounded maps, messages distinguished only by a millisecond, large projections.
  const std::map<std::string, std::set<std::string>> known = {
      {"workbench-shop.json", {"T114"}}, {"workbench-device-log.json", {}},
      {"workbench-social.json", {}},     {"workbench-chat.json", {"T104"}},
      {"onetable-tenants.js", {}},       {"onetable-log.json", {"T104", "T114", "T218", "T410"}}};
  size_t seen = 0;
  for (const auto& file : std::filesystem::directory_iterator(models)) {
    const std::string name = file.path().filename().string();
    std::ifstream stream(file.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const auto result = name.starts_with("workbench-") ? import_workbench(text) : import_onetable(text);
    const Reading reading = readable(result);
    ASSERT_TRUE(known.contains(name)) << name;
    ++seen;
    std::set<std::string> warned;
    for (const Finding& finding : check_design(reading).findings) {
      EXPECT_NE(finding.severity, Severity::kError) << name << ":" << finding.place.line << " " << finding.message;
      if (finding.severity == Severity::kWarning) warned.insert(finding.code);
    }
    EXPECT_EQ(warned, known.at(name)) << name << "\n" << *result;
  }
  EXPECT_EQ(seen, known.size());
}

TEST(ImportWorkbench, facets_are_named_after_a_type_attribute) {
  std::ifstream stream(std::filesystem::path(TRESTLE_SOURCE_FOLDER) / "tests" / "models" / "workbench-shop.json");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const Reading reading = readable(import_workbench(text));
  EXPECT_EQ(reading.design.tables[0].type_attribute, "EntityType");
  const Entity* order = reading.design.entity("order");
  ASSERT_NE(order, nullptr);
  EXPECT_EQ(order->key[0].text, "o#{oKey}");
  EXPECT_EQ(order->key[1].text, "c#{cKey}");
  ASSERT_EQ(order->index.size(), 1U);
  EXPECT_EQ(order->index[0].key[0].text, "c#{cKey}");
}

TEST(ImportWorkbench, rows_that_one_template_matches_are_one_entity) {
  std::ifstream stream(std::filesystem::path(TRESTLE_SOURCE_FOLDER) / "tests" / "models" / "workbench-device-log.json");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const Reading reading = readable(import_workbench(text));
  ASSERT_EQ(reading.design.entities.size(), 1U);
  EXPECT_EQ(reading.design.entities[0].key[1].text, "{State}#{Date}");
  EXPECT_TRUE(reading.design.entities[0].field("EscalatedTo")->optional);
}

TEST(SampleGuess, a_template_must_produce_every_row) {
  const std::vector<SampleRow> rows = {{{"k", "A#1#x"}, {"a", "1"}, {"b", "x"}},
                                       {{"k", "A#2#y"}, {"a", "2"}, {"b", "y"}}};
  EXPECT_EQ(guess_template(rows, "k", {"a", "b"}), "A#{a}#{b}");
  EXPECT_EQ(guess_template({{{"k", "A#1"}, {"a", "1"}}, {{"k", "B#2"}, {"a", "2"}}}, "k", {"a"}), std::nullopt);
}

TEST(SampleGuess, types_are_the_narrowest_that_fit) {
  EXPECT_EQ(guess_type(ValueType::kString, {"01J8ZQ4X5V6W7Y8Z9A0B1C2D3E"}, true), "ulid");
  EXPECT_EQ(guess_type(ValueType::kString, {"2026-01-01T00:00:00Z"}, false), "time");
  EXPECT_EQ(guess_type(ValueType::kString, {"a@b.c", "x"}, false), "string");
  EXPECT_EQ(guess_type(ValueType::kNumber, {"1", "2.5"}, false), "number");
}

}  // namespace
}  // namespace trestle::design
