#include "protocol/table_members.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "protocol/table_enumerations.h"

namespace trestle {
namespace {

// A list of structures, each read by read(); nulls inside are left out.
template <class T, class Read>
Result<std::vector<T>> read_list(JsonElement json, Read read) {
  TRY_INTO(const JsonArray array, json_list(json));
  std::vector<T> list;
  for (const JsonElement element : array) {
    if (element.is_null()) continue;
    TRY_INTO(T value, read(element));
    list.push_back(std::move(value));
  }
  return list;
}

Result<ThroughputLimits> read_limits(JsonElement json, std::string_view type, std::string_view read_name,
                                     std::string_view write_name) {
  TRY_INTO(const JsonInput input, json_structure(json, type, JsonPlace::kMember));
  ThroughputLimits limits;
  for (const JsonMember member : input) {
    if (member.name == read_name) {
      TRY_INTO(limits.read_units, json_integer(member.value, "Long"));
    } else if (member.name == write_name) {
      TRY_INTO(limits.write_units, json_integer(member.value, "Long"));
    }
  }
  return limits;
}

}  // namespace

Result<GivenIndexProjection> read_projection(JsonElement json) {
  TRY_INTO(const JsonInput input, json_structure(json, "Projection", JsonPlace::kMember));
  GivenIndexProjection given;
  for (const JsonMember member : input) {
    if (member.name == "ProjectionType") {
      TRY_INTO(given.type, json_string(member.value));
    } else if (member.name == "NonKeyAttributes") {
      TRY_INTO(given.non_key_attributes, json_string_list(member.value));
    }
  }
  return given;
}

void constrain_projection(const GivenIndexProjection& given, const MemberPath& member, Constraints& constraints,
                          std::optional<ProjectionType>& type, std::optional<std::vector<std::string>>& names) {
  constraints.one_of(given.type, {&member, "projectionType"}, kProjectionTypes, type);
  if (!given.non_key_attributes) return;
  const MemberPath path{&member, "nonKeyAttributes"};
  const auto shown = [&] { return shown_list(*given.non_key_attributes); };
  constraints.count_at_least(given.non_key_attributes->size(), path, 1, shown);
  constraints.count_at_most(given.non_key_attributes->size(), path, 20, shown);
  names.emplace();
  for (size_t i = 0; i < given.non_key_attributes->size(); ++i) {
    const auto name = (*given.non_key_attributes)[i];
    const MemberPath element{&path, "member", i + 1};
    constraints.length_at_least(name, element, 1);
    constraints.length_at_most(name, element, 255);
    names->emplace_back(name);
  }
}

std::string shown_key_schema(const GivenKeySchema& given) {
  std::vector<std::string> elements;
  for (const auto& element : given) {
    elements.push_back(fmt::format("KeySchemaElement(attributeName={}, keyType={})",
                                   element.attribute_name.value_or("null"), element.key_type.value_or("null")));
  }
  return fmt::format("[{}]", fmt::join(elements, ", "));
}

std::string shown_list(const std::vector<std::string_view>& texts) {
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

Result<GivenKeySchema> read_key_schema(JsonElement json) {
  return read_list<GivenKeyElement>(json, [](JsonElement element) -> Result<GivenKeyElement> {
    TRY_INTO(const JsonInput input, json_structure(element, "KeySchemaElement", JsonPlace::kElement));
    GivenKeyElement given;
    for (const JsonMember member : input) {
      if (member.name == "AttributeName") {
        TRY_INTO(given.attribute_name, json_string(member.value));
      } else if (member.name == "KeyType") {
        TRY_INTO(given.key_type, json_string(member.value));
      }
    }
    return given;
  });
}

Result<GivenAttributeDefinitions> read_attribute_definitions(JsonElement json) {
  return read_list<GivenAttributeDefinition>(json, [](JsonElement element) -> Result<GivenAttributeDefinition> {
    TRY_INTO(const JsonInput input, json_structure(element, "AttributeDefinition", JsonPlace::kElement));
    GivenAttributeDefinition given;
    for (const JsonMember member : input) {
      if (member.name == "AttributeName") {
        TRY_INTO(given.attribute_name, json_string(member.value));
      } else if (member.name == "AttributeType") {
        TRY_INTO(given.attribute_type, json_string(member.value));
      }
    }
    return given;
  });
}

Result<GivenThroughput> read_throughput(JsonElement json) {
  TRY_INTO(const auto limits, read_limits(json, "ProvisionedThroughput", "ReadCapacityUnits", "WriteCapacityUnits"));
  return GivenThroughput{.read_units = limits.read_units, .write_units = limits.write_units};
}

Result<ThroughputLimits> read_on_demand(JsonElement json) {
  return read_limits(json, "OnDemandThroughput", "MaxReadRequestUnits", "MaxWriteRequestUnits");
}

Result<ThroughputLimits> read_warm(JsonElement json) {
  return read_limits(json, "WarmThroughput", "ReadUnitsPerSecond", "WriteUnitsPerSecond");
}

Result<GivenIndex> read_index(JsonElement json, std::string_view type, JsonPlace place) {
  TRY_INTO(const JsonInput input, json_structure(json, type, place));
  GivenIndex given;
  for (const JsonMember member : input) {
    if (member.name == "IndexName") {
      TRY_INTO(given.index_name, json_string(member.value));
    } else if (member.name == "KeySchema") {
      TRY_INTO(given.key_schema, read_key_schema(member.value));
    } else if (member.name == "Projection") {
      TRY_INTO(given.projection, read_projection(member.value));
    } else if (member.name == "ProvisionedThroughput") {
      TRY_INTO(given.throughput, read_throughput(member.value));
    } else if (member.name == "OnDemandThroughput") {
      TRY_INTO(given.on_demand, read_on_demand(member.value));
    } else if (member.name == "WarmThroughput") {
      TRY_INTO(given.warm, read_warm(member.value));
    }
  }
  return given;
}

Result<std::vector<GivenIndex>> read_indexes(JsonElement json, std::string_view type) {
  return read_list<GivenIndex>(json,
                               [&](JsonElement element) { return read_index(element, type, JsonPlace::kElement); });
}

Result<GivenStream> read_stream(JsonElement json) {
  TRY_INTO(const JsonInput input, json_structure(json, "StreamSpecification", JsonPlace::kMember));
  GivenStream given;
  for (const JsonMember member : input) {
    if (member.name == "StreamEnabled") {
      TRY_INTO(given.enabled, json_boolean(member.value));
    } else if (member.name == "StreamViewType") {
      TRY_INTO(given.view_type, json_string(member.value));
    }
  }
  return given;
}

Result<GivenSse> read_sse(JsonElement json) {
  TRY_INTO(const JsonInput input, json_structure(json, "SSESpecification", JsonPlace::kMember));
  GivenSse given;
  for (const JsonMember member : input) {
    if (member.name == "Enabled") {
      TRY_INTO(given.enabled, json_boolean(member.value));
    } else if (member.name == "SSEType") {
      TRY_INTO(given.type, json_string(member.value));
    } else if (member.name == "KMSMasterKeyId") {
      TRY_INTO(given.key_id, json_string(member.value));
    }
  }
  return given;
}

Result<std::vector<GivenTag>> read_tags(JsonElement json) {
  return read_list<GivenTag>(json, [](JsonElement element) -> Result<GivenTag> {
    TRY_INTO(const JsonInput input, json_structure(element, "Tag", JsonPlace::kElement));
    GivenTag given;
    for (const JsonMember member : input) {
      if (member.name == "Key") {
        TRY_INTO(given.key, json_string(member.value));
      } else if (member.name == "Value") {
        TRY_INTO(given.value, json_string(member.value));
      }
    }
    return given;
  });
}

void constrain_key_schema(const GivenKeySchema& given, const MemberPath& member, std::optional<size_t> count_max,
                          Constraints& constraints, std::vector<KeySchemaElement>& out) {
  const auto shown = [&] { return shown_key_schema(given); };
  constraints.count_at_least(given.size(), member, 1, shown);
  if (count_max) constraints.count_at_most(given.size(), member, *count_max, shown);
  for (size_t i = 0; i < given.size(); ++i) {
    const MemberPath element{&member, "member", i + 1};
    const MemberPath name{&element, "attributeName"};
    const MemberPath type{&element, "keyType"};
    auto& added = out.emplace_back();
    constraints.not_null(given[i].attribute_name.has_value(), name);
    constraints.length_at_least(given[i].attribute_name, name, 1);
    constraints.length_at_most(given[i].attribute_name, name, 255);
    added.attribute_name = given[i].attribute_name.value_or("");
    constraints.not_null(given[i].key_type.has_value(), type);
    constraints.one_of(given[i].key_type, type, kKeyTypes, added.is_range);
  }
}

void constrain_attribute_definitions(const GivenAttributeDefinitions& given, const MemberPath& member,
                                     Constraints& constraints, std::vector<KeyAttribute>& out) {
  for (size_t i = 0; i < given.size(); ++i) {
    const MemberPath element{&member, "member", i + 1};
    const MemberPath name{&element, "attributeName"};
    const MemberPath type{&element, "attributeType"};
    auto& added = out.emplace_back();
    constraints.not_null(given[i].attribute_type.has_value(), type);
    constraints.one_of(given[i].attribute_type, type, kAttributeTypes, added.type);
    constraints.not_null(given[i].attribute_name.has_value(), name);
    constraints.length_at_least(given[i].attribute_name, name, 1);
    constraints.length_at_most(given[i].attribute_name, name, 255);
    added.name = given[i].attribute_name.value_or("");
  }
}

void constrain_throughput(const std::optional<GivenThroughput>& given, const MemberPath& member,
                          Constraints& constraints, std::optional<Throughput>& out) {
  if (!given) return;
  const MemberPath write{&member, "writeCapacityUnits"};
  constraints.not_null(given->write_units.has_value(), write);
  constraints.value_at_least(given->write_units, write, 1);
  const MemberPath read{&member, "readCapacityUnits"};
  constraints.not_null(given->read_units.has_value(), read);
  constraints.value_at_least(given->read_units, read, 1);
  out = Throughput{.read_units = given->read_units.value_or(0), .write_units = given->write_units.value_or(0)};
}

void constrain_index_name(std::optional<std::string_view> given, const MemberPath& index, Constraints& constraints,
                          IndexDefinition& out) {
  const MemberPath name{&index, "indexName"};
  constraints.not_null(given.has_value(), name);
  constraints.length_at_least(given, name, 3);
  constraints.length_at_most(given, name, 255);
  constraints.name_pattern(given, name);
  out.index_name = given.value_or("");
}

void constrain_table_name(std::optional<std::string_view> given, Constraints& constraints) {
  if (given && given->starts_with("arn:") && table_name_of(*given)) return;
  constraints.length_at_least(given, "tableName", 3);
  constraints.length_at_most(given, "tableName", 255);
  constraints.name_pattern(given, "tableName");
}

void constrain_index(const GivenIndex& given, const MemberPath& member, bool global, Constraints& constraints,
                     IndexDefinition& out) {
  const MemberPath projection{&member, "projection"};
  constraints.not_null(given.projection.has_value(), projection);
  if (given.projection) {
    constrain_projection(*given.projection, projection, constraints, out.projection_type, out.non_key_attributes);
  }
  constrain_index_name(given.index_name, member, constraints, out);
  if (global) constrain_throughput(given.throughput, {&member, "provisionedThroughput"}, constraints, out.throughput);
  const MemberPath keys{&member, "keySchema"};
  constraints.not_null(given.key_schema.has_value(), keys);
  const auto count_max = global ? std::nullopt : std::optional<size_t>(2);
  if (given.key_schema) constrain_key_schema(*given.key_schema, keys, count_max, constraints, out.key_schema);
  if (!global) return;
  out.on_demand = given.on_demand;
  out.warm = given.warm;
}

void constrain_billing_mode(std::optional<std::string_view> text, Constraints& constraints,
                            std::optional<BillingMode>& out) {
  constraints.one_of(text, "billingMode", kBillingModes, out);
}

Result<std::optional<TableClass>> define_table_class(std::optional<std::string_view> text) {
  if (!text) return std::nullopt;
  for (const auto& choice : kTableClasses) {
    if (choice.name == *text) return choice.value;
  }
  return invalid(
      "Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, "
      "STANDARD_INFREQUENT_ACCESS].");
}

void constrain_stream(const std::optional<GivenStream>& given, Constraints& constraints,
                      std::optional<StreamSpecification>& out) {
  if (!given) return;
  const MemberPath stream{"streamSpecification"};
  constraints.not_null(given->enabled.has_value(), {&stream, "streamEnabled"});
  auto& specification = out.emplace();
  specification.enabled = given->enabled.value_or(false);
  constraints.one_of(given->view_type, {&stream, "streamViewType"}, kStreamViewTypes, specification.view_type);
}

void constrain_indexes(const std::optional<std::vector<GivenIndex>>& given, std::string_view member, bool global,
                       Constraints& constraints, std::optional<std::vector<IndexDefinition>>& out) {
  if (!given) return;
  out.emplace();
  const MemberPath list{member};
  for (size_t i = 0; i < given->size(); ++i) {
    constrain_index((*given)[i], {&list, "member", i + 1}, global, constraints, out->emplace_back());
  }
}

void constrain_sse(const std::optional<GivenSse>& given, Constraints& constraints, std::optional<SseSpecification>& out,
                   std::string_view member) {
  if (!given) return;
  const MemberPath sse{member};
  auto& specification = out.emplace();
  specification.enabled = given->enabled;
  constraints.one_of(given->type, {&sse, "sSEType"}, kSseTypes, specification.type);
  constraints.length_at_least(given->key_id, {&sse, "kMSMasterKeyId"}, 1);
  specification.key_id = given->key_id.value_or("");
}

Result<std::vector<Tag>> define_tags(const std::vector<GivenTag>& given) {
  std::vector<Tag> tags;
  for (const auto& tag : given) {
    if (!tag.key) return invalid("The Tag Key provided is invalid, Key: null");
    if (!tag.value) return invalid("The Tag Value provided is invalid, Value: null");
    tags.push_back({.key = std::string(*tag.key), .value = std::string(*tag.value)});
  }
  return tags;
}

Result<void> refuse_replication(JsonInput input) {
  for (const JsonMember member : input) {
    for (const std::string_view refused :
         {"GlobalTableSourceArn", "GlobalTableSettingsReplicationMode", "GlobalTableWitnessUpdates",
          "MultiRegionConsistency", "DisassociationProtectionEnabled"}) {
      if (member.name != refused) continue;
      return invalid(
          fmt::format("One or more parameter values were invalid: {} is not supported: a table is kept in one "
                      "place",
                      refused));
    }
  }
  return {};
}

Result<void> require_table_name(const std::optional<std::string_view>& table_name) {
  if (table_name) return {};
  return invalid("The parameter 'TableName' is required but was not present in the request");
}

Result<std::string_view> read_table_name(JsonInput input) {
  std::optional<std::string_view> table_name;
  for (const JsonMember member : input) {
    if (member.name == "TableName") {
      TRY_INTO(table_name, json_string(member.value));
    }
  }
  TRY(require_table_name(table_name));
  Constraints constraints;
  constrain_table_name(table_name, constraints);
  TRY(constraints.check());
  return *table_name;
}

Result<void> require_resource_arn(const std::optional<std::string_view>& resource_arn) {
  if (resource_arn) return {};
  return invalid("Invalid TableArn");
}

}  // namespace trestle
