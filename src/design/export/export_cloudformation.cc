#include "design/export/export_cloudformation.h"

#include <cctype>

#include "base/json/json_writer.h"
#include "design/export/export_alerts.h"
#include "design/language/stream_view.h"
#include "design/plan/stored_attributes.h"

namespace trestle::design {
namespace {

Json key_schema(const KeySchema& key) {
  Json out = Json::array();
  for (const KeyAttribute& attribute : key.hash)
    out.add(Json::object({{"AttributeName", attribute.name}, {"KeyType", "HASH"}}));
  for (const KeyAttribute& attribute : key.range)
    out.add(Json::object({{"AttributeName", attribute.name}, {"KeyType", "RANGE"}}));
  return out;
}

Json projection(const Projection& projected) {
  switch (projected.type) {
    case ProjectionType::kAll:
      return Json::object({{"ProjectionType", "ALL"}});
    case ProjectionType::kKeysOnly:
      return Json::object({{"ProjectionType", "KEYS_ONLY"}});
    case ProjectionType::kInclude:
      break;
  }
  return Json::object(
      {{"ProjectionType", "INCLUDE"}, {"NonKeyAttributes", Json::strings(projected.non_key_attributes)}});
}

Json throughput(const Throughput& units) {
  return Json::object({{"ReadCapacityUnits", units.read_units}, {"WriteCapacityUnits", units.write_units}});
}

Json indexes(const Table& table, bool local) {
  Json out = Json::array();
  for (const Index& index : table.indexes) {
    if (index.local != local) continue;
    Json result = Json::object({{"IndexName", index.name},
                                {"KeySchema", key_schema(index.key)},
                                {"Projection", projection(index.projection)}});
    if (!local && table.billing == BillingMode::kProvisioned)
      result.set("ProvisionedThroughput", throughput(table.throughput));
    out.add(std::move(result));
  }
  return out;
}

std::string name_parameter(const Design& design, const Table& table) {
  return table.parameter.empty() ? resource_name(design, table) + "Name" : table.parameter;
}

Json table_properties(const Design& design, const Table& table) {
  Json attributes = Json::array();
  for (const KeyAttribute& attribute : key_attributes(table)) {
    attributes.add(Json::object({{"AttributeName", attribute.name}, {"AttributeType", type_name(attribute.type)}}));
  }
  Json out = Json::object({{"TableName", Json::object({{"Ref", name_parameter(design, table)}})},
                           {"AttributeDefinitions", std::move(attributes)},
                           {"KeySchema", key_schema(table.key)}});
  if (Json local = indexes(table, true); !local.empty()) out.set("LocalSecondaryIndexes", std::move(local));
  if (Json global = indexes(table, false); !global.empty()) out.set("GlobalSecondaryIndexes", std::move(global));
  const bool provisioned = table.billing == BillingMode::kProvisioned;
  out.set("BillingMode", provisioned ? "PROVISIONED" : "PAY_PER_REQUEST");
  if (provisioned) out.set("ProvisionedThroughput", throughput(table.throughput));
  if (!table.ttl_attribute.empty()) {
    out.set("TimeToLiveSpecification", Json::object({{"AttributeName", table.ttl_attribute}, {"Enabled", true}}));
  }
  if (table.stream) out.set("StreamSpecification", Json::object({{"StreamViewType", stream_view(*table.stream)}}));
  out.set("PointInTimeRecoverySpecification", Json::object({{"PointInTimeRecoveryEnabled", table.recovery}}));
  out.set("DeletionProtectionEnabled", table.deletion_protection);
  if (table.infrequent_access) out.set("TableClass", "STANDARD_INFREQUENT_ACCESS");
  if (!table.encryption.empty()) {
    Json sse = Json::object({{"SSEEnabled", true}, {"SSEType", "KMS"}});
    if (table.encryption != "kms") sse.set("KMSMasterKeyId", table.encryption);
    out.set("SSESpecification", std::move(sse));
  }
  if (!table.tags.empty()) {
    Json tags = Json::array();
    for (const auto& [key, value] : table.tags) tags.add(Json::object({{"Key", key}, {"Value", value}}));
    out.set("Tags", std::move(tags));
  }
  return out;
}

}  // namespace

std::string resource_name(const Design& design, const Table& table) {
  const auto plain = [](std::string_view name) {
    std::string out;
    bool upper = true;
    for (const char c : name) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
        upper = true;
        continue;
      }
      out.push_back(upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c);
      upper = false;
    }
    return out + "Table";
  };
  const std::string name = plain(table.name);
  // "a-b" and "a.b" produce the same name, so the second one gets a number.
  size_t same_before = 0;
  for (const Table& other : design.tables) {
    if (&other == &table || other.name == table.name) break;
    if (plain(other.name) == name) ++same_before;
  }
  return same_before == 0 ? name : name + std::to_string(same_before + 1);
}

Exported export_cloudformation(const Design& design) {
  Json resources = Json::object();
  Json outputs = Json::object();
  Json parameters = Json::object();
  for (const Table& table : design.tables) {
    const std::string name = resource_name(design, table);
    parameters.set(
        name_parameter(design, table),
        Json::object(
            {{"Type", "String"}, {"Default", table.name}, {"Description", "The name of the table " + table.name}}));
    resources.set(name, Json::object({{"Type", "AWS::DynamoDB::Table"},
                                      {"DeletionPolicy", "Retain"},
                                      {"UpdateReplacePolicy", "Retain"},
                                      {"Properties", table_properties(design, table)}}));
    outputs.set(name + "Arn", Json::object({{"Value", Json::object({{"Fn::GetAtt", Json::array({name, "Arn"})}})}}));
    if (table.stream) {
      outputs.set(name + "StreamArn",
                  Json::object({{"Value", Json::object({{"Fn::GetAtt", Json::array({name, "StreamArn"})}})}}));
    }
  }
  for (auto& [name, alarm] : alarm_resources(design)) resources.set(name, std::move(alarm));
  Json out = Json::object({{"AWSTemplateFormatVersion", "2010-09-09"}});
  out.set("Description", design.about.empty() ? "The tables of design " + design.name : design.about);
  out.set("Parameters", std::move(parameters));
  out.set("Resources", std::move(resources));
  out.set("Outputs", std::move(outputs));
  return {.text = out.text(), .notes = {}};
}

}  // namespace trestle::design
