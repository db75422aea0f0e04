// The structures that CreateTable and UpdateTable are made of, in two steps, because the service complains about JSON
// of the wrong shape anywhere before it looks at any value:
//
//   TRY_INTO(auto keys, read_key_schema(member.value));               // text as given; SerializationException
//   constrain_key_schema(keys, "keySchema", 2, constraints, request.key_schema);    // checked and converted
//
// What was read borrows from the thread's parser (protocol/json_input.h). What violates a constraint is left out of the
// converted value; the caller refuses the request before anyone sees it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/table_requests.h"
#include "protocol/constraints.h"
#include "protocol/json_input.h"

namespace trestle {

struct GivenKeyElement {
  std::optional<std::string_view> attribute_name;
  std::optional<std::string_view> key_type;
};
using GivenKeySchema = std::vector<GivenKeyElement>;

struct GivenAttributeDefinition {
  std::optional<std::string_view> attribute_name;
  std::optional<std::string_view> attribute_type;
};
using GivenAttributeDefinitions = std::vector<GivenAttributeDefinition>;

struct GivenIndexProjection {
  std::optional<std::string_view> type;
  std::optional<std::vector<std::string_view>> non_key_attributes;
};

struct GivenThroughput {
  std::optional<int64_t> read_units;
  std::optional<int64_t> write_units;
};

struct GivenIndex {
  std::optional<std::string_view> index_name;
  std::optional<GivenKeySchema> key_schema;
  std::optional<GivenIndexProjection> projection;
  std::optional<GivenThroughput> throughput;
  std::optional<ThroughputLimits> on_demand;
  std::optional<ThroughputLimits> warm;
};

struct GivenStream {
  std::optional<bool> enabled;
  std::optional<std::string_view> view_type;
};

struct GivenSse {
  std::optional<bool> enabled;
  std::optional<std::string_view> type;
  std::optional<std::string_view> key_id;
};

struct GivenTag {
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
};

Result<GivenKeySchema> read_key_schema(JsonElement json);
Result<GivenIndexProjection> read_projection(JsonElement json);
Result<GivenAttributeDefinitions> read_attribute_definitions(JsonElement json);
Result<GivenThroughput> read_throughput(JsonElement json);
Result<ThroughputLimits> read_on_demand(JsonElement json);
Result<ThroughputLimits> read_warm(JsonElement json);
// type: "LocalSecondaryIndex" and its like; an action of UpdateTable is an index with some of its members.
Result<GivenIndex> read_index(JsonElement json, std::string_view type, JsonPlace place);
Result<std::vector<GivenIndex>> read_indexes(JsonElement json, std::string_view type);
Result<GivenStream> read_stream(JsonElement json);
Result<GivenSse> read_sse(JsonElement json);
Result<std::vector<GivenTag>> read_tags(JsonElement json);

void constrain_key_schema(const GivenKeySchema& given, const MemberPath& member, std::optional<size_t> count_max,
                          Constraints& constraints, std::vector<KeySchemaElement>& out);
void constrain_attribute_definitions(const GivenAttributeDefinitions& given, const MemberPath& member,
                                     Constraints& constraints, std::vector<KeyAttribute>& out);
void constrain_throughput(const std::optional<GivenThroughput>& given, const MemberPath& member,
                          Constraints& constraints, std::optional<Throughput>& out);
void constrain_projection(const GivenIndexProjection& given, const MemberPath& member, Constraints& constraints,
                          std::optional<ProjectionType>& type, std::optional<std::vector<std::string>>& names);
// An index to create. A table key's two attributes are the most a local index may have; a global index's own limits
// belong to the engine.
void constrain_index(const GivenIndex& given, const MemberPath& member, bool global, Constraints& constraints,
                     IndexDefinition& out);
void constrain_indexes(const std::optional<std::vector<GivenIndex>>& given, std::string_view member, bool global,
                       Constraints& constraints, std::optional<std::vector<IndexDefinition>>& out);
void constrain_billing_mode(std::optional<std::string_view> text, Constraints& constraints,
                            std::optional<BillingMode>& out);
void constrain_stream(const std::optional<GivenStream>& given, Constraints& constraints,
                      std::optional<StreamSpecification>& out);
void constrain_sse(const std::optional<GivenSse>& given, Constraints& constraints, std::optional<SseSpecification>& out,
                   std::string_view member = "sSESpecification");
void constrain_index_name(std::optional<std::string_view> given, const MemberPath& index, Constraints& constraints,
                          IndexDefinition& out);
// TableName of the operations on tables that exist: a name or an ARN.
void constrain_table_name(std::optional<std::string_view> given, Constraints& constraints);

// Two kinds of text that the service checks by hand, after the constraints.
Result<std::optional<TableClass>> define_table_class(std::optional<std::string_view> text);
Result<std::vector<Tag>> define_tags(const std::vector<GivenTag>& given);

// Refuses the members of CreateTable and UpdateTable that are about a table's copies in other regions and accounts: a
// table is kept in one place. The engine's requests have no way to say them.
Result<void> refuse_replication(JsonInput input);

// TableName of the operations on tables must be there before anything else is looked at.
Result<void> require_table_name(const std::optional<std::string_view>& table_name);
// The whole request of the operations that take a TableName and nothing else.
Result<std::string_view> read_table_name(JsonInput input);
// ResourceArn of the operations on tags.
Result<void> require_resource_arn(const std::optional<std::string_view>& resource_arn);

// "[KeySchemaElement(attributeName=pk, keyType=HASH)]" and "[a, b]": lists as the service prints them.
std::string shown_key_schema(const GivenKeySchema& given);
std::string shown_list(const std::vector<std::string_view>& texts);

}  // namespace trestle
