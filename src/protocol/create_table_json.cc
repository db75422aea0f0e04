#include "protocol/create_table_json.h"

#include "protocol/policy_members.h"
#include "protocol/table_description_json.h"
#include "protocol/table_members.h"
#include "protocol/vector_members.h"

namespace trestle {
namespace {

struct GivenCreateTable {
  std::optional<std::string_view> table_name;
  std::optional<GivenAttributeDefinitions> attribute_definitions;
  std::optional<GivenKeySchema> key_schema;
  std::optional<std::vector<GivenIndex>> local_indexes;
  std::optional<std::vector<GivenIndex>> global_indexes;
  std::optional<std::vector<GivenVectorIndex>> vector_indexes;
  std::optional<std::string_view> billing_mode;
  std::optional<GivenThroughput> throughput;
  std::optional<GivenStream> stream;
  std::optional<GivenSse> sse;
  std::optional<std::vector<GivenTag>> tags;
  std::optional<std::string_view> table_class;
  std::optional<std::string_view> resource_policy;
};

Result<GivenCreateTable> read_create_table_members(JsonInput input, CreateTableRequest& request) {
  GivenCreateTable given;
  for (const JsonMember member : input) {
    if (member.name == "TableName") {
      TRY_INTO(given.table_name, json_string(member.value));
    } else if (member.name == "AttributeDefinitions") {
      TRY_INTO(given.attribute_definitions, read_attribute_definitions(member.value));
    } else if (member.name == "KeySchema") {
      TRY_INTO(given.key_schema, read_key_schema(member.value));
    } else if (member.name == "LocalSecondaryIndexes") {
      TRY_INTO(given.local_indexes, read_indexes(member.value, "LocalSecondaryIndex"));
    } else if (member.name == "GlobalSecondaryIndexes") {
      TRY_INTO(given.global_indexes, read_indexes(member.value, "GlobalSecondaryIndex"));
    } else if (member.name == "VectorIndexes") {
      TRY_INTO(given.vector_indexes, read_vector_indexes(member.value));
    } else if (member.name == "BillingMode") {
      TRY_INTO(given.billing_mode, json_string(member.value));
    } else if (member.name == "ProvisionedThroughput") {
      TRY_INTO(given.throughput, read_throughput(member.value));
    } else if (member.name == "StreamSpecification") {
      TRY_INTO(given.stream, read_stream(member.value));
    } else if (member.name == "SSESpecification") {
      TRY_INTO(given.sse, read_sse(member.value));
    } else if (member.name == "Tags") {
      TRY_INTO(given.tags, read_tags(member.value));
    } else if (member.name == "TableClass") {
      TRY_INTO(given.table_class, json_string(member.value));
    } else if (member.name == "ResourcePolicy") {
      TRY_INTO(given.resource_policy, json_string(member.value));
    } else if (member.name == "DeletionProtectionEnabled") {
      TRY_INTO(request.deletion_protection, json_boolean(member.value));
    } else if (member.name == "OnDemandThroughput") {
      TRY_INTO(request.on_demand, read_on_demand(member.value));
    } else if (member.name == "WarmThroughput") {
      TRY_INTO(request.warm, read_warm(member.value));
    }
  }
  return given;
}

// A name of the wrong length is told alone; one of the wrong characters joins the other violations.
Result<void> check_name_length(std::string_view name) {
  Constraints constraints;
  constraints.length_at_least(name, "tableName", 3);
  constraints.length_at_most(name, "tableName", 255);
  if (constraints.any()) constraints.name_pattern(name, "tableName");
  return constraints.check();
}

}  // namespace

Result<CreateTableRequest> read_create_table_json(JsonInput input) {
  CreateTableRequest request;
  TRY_INTO(const GivenCreateTable given, read_create_table_members(input, request));
  TRY(require_table_name(given.table_name));
  TRY(check_name_length(*given.table_name));

  Constraints constraints;
  constraints.not_null(given.attribute_definitions.has_value(), "attributeDefinitions");
  if (given.attribute_definitions) {
    constrain_attribute_definitions(*given.attribute_definitions, "attributeDefinitions", constraints,
                                    request.attribute_definitions);
  }
  constraints.name_pattern(given.table_name, "tableName");
  constrain_billing_mode(given.billing_mode, constraints, request.billing_mode);
  constrain_throughput(given.throughput, "provisionedThroughput", constraints, request.throughput);
  constraints.not_null(given.key_schema.has_value(), "keySchema");
  if (given.key_schema) constrain_key_schema(*given.key_schema, "keySchema", 2, constraints, request.key_schema);
  constrain_indexes(given.global_indexes, "globalSecondaryIndexes", true, constraints, request.global_indexes);
  constrain_indexes(given.local_indexes, "localSecondaryIndexes", false, constraints, request.local_indexes);
  constrain_vector_indexes(given.vector_indexes, "vectorIndexes", constraints, request.vector_indexes);
  constrain_stream(given.stream, constraints, request.stream);
  constrain_sse(given.sse, constraints, request.sse);
  TRY(constraints.check());
  TRY(refuse_replication(input));

  TRY_INTO(request.table_class, define_table_class(given.table_class));
  if (given.tags) {
    TRY_INTO(request.tags, define_tags(*given.tags));
  }
  request.table_name = *given.table_name;
  if (given.resource_policy) {
    TRY_INTO(request.resource_policy, read_resource_policy(*given.resource_policy, *given.table_name));
  }
  return request;
}

void write_create_table_json(const CreateTableResponse& response, std::string& out) {
  write_table_response("TableDescription", response.table, out);
}

}  // namespace trestle
