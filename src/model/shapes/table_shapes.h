// The shapes of tables, their settings and tags.
#pragma once

#include "model/shapes/shape.h"
#include "model/shapes/table_enumerations.h"
#include "model/table_requests.h"

namespace trestle {

// ---- Definitions.

template <>
struct Shape<KeySchemaElement> : ShapeRules {
  static constexpr std::string_view kType = "KeySchemaElement";
  static void members(auto& of) {
    of.member("AttributeName", &KeySchemaElement::attribute_name, required, length(1, kDefinedNameLengthMax));
    of.member("KeyType", &KeySchemaElement::is_range, required, one_of(kKeyTypes));
  }
};

template <>
struct Shape<KeyAttribute> : ShapeRules {
  static constexpr std::string_view kType = "AttributeDefinition";
  static void members(auto& of) {
    of.member("AttributeType", &KeyAttribute::type, required, one_of(kAttributeTypes));
    of.member("AttributeName", &KeyAttribute::name, required, length(1, kDefinedNameLengthMax));
  }
};

template <>
struct Shape<Throughput> : ShapeRules {
  static constexpr std::string_view kType = "ProvisionedThroughput";
  static void members(auto& of) {
    of.member("WriteCapacityUnits", &Throughput::write_units, required, at_least(1));
    of.member("ReadCapacityUnits", &Throughput::read_units, required, at_least(1));
  }
};
struct OnDemandThroughputShape : ShapeRules {
  static constexpr std::string_view kType = "OnDemandThroughput";
  static void members(auto& of) {
    of.member("MaxReadRequestUnits", &ThroughputLimits::read_units);
    of.member("MaxWriteRequestUnits", &ThroughputLimits::write_units);
  }
};
struct WarmThroughputShape : ShapeRules {
  static constexpr std::string_view kType = "WarmThroughput";
  static void members(auto& of) {
    of.member("ReadUnitsPerSecond", &ThroughputLimits::read_units);
    of.member("WriteUnitsPerSecond", &ThroughputLimits::write_units);
  }
};

template <>
struct Shape<StreamSpecification> : ShapeRules {
  static constexpr std::string_view kType = "StreamSpecification";
  static void members(auto& of) {
    of.member("StreamEnabled", &StreamSpecification::enabled, required);
    of.member("StreamViewType", &StreamSpecification::view_type, one_of(kStreamViewTypes));
  }
};

template <>
struct Shape<SseSpecification> : ShapeRules {
  static constexpr std::string_view kType = "SSESpecification";
  static void members(auto& of) {
    of.member("Enabled", &SseSpecification::enabled);
    of.member("SSEType", &SseSpecification::type, one_of(kSseTypes), omit_default);
    of.member("KMSMasterKeyId", &SseSpecification::key_id, length(1, SIZE_MAX), omit_default);
  }
};

template <>
struct Shape<Tag> : ShapeRules {
  static constexpr std::string_view kType = "Tag";
  static void members(auto& of) {
    of.member("Key", &Tag::key);
    of.member("Value", &Tag::value);
  }
};

// The parts shared by the definitions of indexes. Index is the type of the definition.
template <class Index>
struct IndexParts : ShapeRules {
  static void name(auto& of) { of.member("IndexName", &Index::index_name, required, name_length, name_pattern); }
  static void projection(auto& of) {
    of.structure(
        "Projection",
        [](auto& in) {
          in.member("ProjectionType", &Index::projection_type, one_of(kProjectionTypes));
          in.member("NonKeyAttributes", &Index::non_key_attributes, count(1, 20),
                    each(length(1, kDefinedNameLengthMax)));
        },
        required);
  }
  static void throughput(auto& of) { of.member("ProvisionedThroughput", &Index::throughput); }
  static void limits(auto& of) {
    of.member("OnDemandThroughput", &Index::on_demand, as<OnDemandThroughputShape>);
    of.member("WarmThroughput", &Index::warm, as<WarmThroughputShape>);
  }
};

struct LocalIndexShape : IndexParts<IndexDefinition> {
  static constexpr std::string_view kType = "LocalSecondaryIndex";
  static void members(auto& of) {
    projection(of);
    name(of);
    of.member("KeySchema", &IndexDefinition::key_schema, required, count(1, 2));
  }
};
struct GlobalIndexShape : IndexParts<IndexDefinition> {
  static constexpr std::string_view kType = "GlobalSecondaryIndex";
  static void members(auto& of) {
    projection(of);
    name(of);
    throughput(of);
    of.member("KeySchema", &IndexDefinition::key_schema, required, count(1));
    limits(of);
  }
};
struct UpdatedIndexShape : IndexParts<IndexDefinition> {
  static constexpr std::string_view kType = "UpdateGlobalSecondaryIndexAction";
  static void members(auto& of) {
    name(of);
    throughput(of);
    limits(of);
  }
};
template <class Index>
struct DeletedIndexShape : IndexParts<Index> {
  static void members(auto& of) { IndexParts<Index>::name(of); }
};

template <>
struct Shape<IndexUpdate> : ShapeRules {
  static constexpr std::string_view kType = "GlobalSecondaryIndexUpdate";
  static void members(auto& of) {
    using Of = IndexUpdate;
    of.alternative("Update", &Of::kind, Of::Kind::kUpdate, &Of::index, as<UpdatedIndexShape>);
    of.alternative("Create", &Of::kind, Of::Kind::kCreate, &Of::index, as<GlobalIndexShape>,
                   type("CreateGlobalSecondaryIndexAction"));
    of.alternative("Delete", &Of::kind, Of::Kind::kDelete, &Of::index, as<DeletedIndexShape<IndexDefinition>>,
                   type("DeleteGlobalSecondaryIndexAction"));
  }
};

template <>
struct Shape<SearchSchemaElement> : ShapeRules {
  static constexpr std::string_view kType = "SearchSchemaElement";
  static void members(auto& of) {
    of.member("AttributeName", &SearchSchemaElement::attribute_name, required, length(1, kAttributeNameBytesMax));
    of.member("SearchSchemaElementType", &SearchSchemaElement::is_hash, required, one_of(kSearchElementTypes));
  }
};
template <>
struct Shape<VectorIndexDefinition> : IndexParts<VectorIndexDefinition> {
  static constexpr std::string_view kType = "VectorIndex";
  static void members(auto& of) {
    using Of = VectorIndexDefinition;
    name(of);
    of.structure(
        "VectorAttribute",
        [](auto& in) {
          in.member("AttributeName", &Of::vector_attribute, required, length(1, kAttributeNameBytesMax));
        },
        required, type("VectorAttributeDefinition"));
    of.member("SearchSchema", &Of::search_schema, count(1));
    projection(of);
    of.member("Dimensions", &Of::dimensions, required, at_least(1));
    of.member("DistanceFunction", &Of::distance, required, one_of(kDistanceFunctions));
  }
};
template <>
struct Shape<VectorIndexUpdate> : ShapeRules {
  static constexpr std::string_view kType = "VectorIndexUpdate";
  static void members(auto& of) {
    using Of = VectorIndexUpdate;
    of.alternative("Create", &Of::is_delete, false, &Of::index, type("CreateVectorIndexAction"));
    of.alternative("Delete", &Of::is_delete, true, &Of::index, as<DeletedIndexShape<VectorIndexDefinition>>,
                   type("DeleteVectorIndexAction"));
  }
};

// ---- Tables.

template <>
struct Shape<CreateTableRequest> : ShapeRules {
  static void members(auto& of) {
    using Of = CreateTableRequest;
    of.member("AttributeDefinitions", &Of::attribute_definitions, required);
    of.member("TableName", &Of::table_name, table_name_needed, name_pattern);
    of.member("BillingMode", &Of::billing_mode, one_of(kBillingModes));
    of.member("ProvisionedThroughput", &Of::throughput);
    of.member("KeySchema", &Of::key_schema, required, count(1, 2));
    of.member("GlobalSecondaryIndexes", &Of::global_indexes, as<GlobalIndexShape>);
    of.member("LocalSecondaryIndexes", &Of::local_indexes, as<LocalIndexShape>);
    of.member("VectorIndexes", &Of::vector_indexes);
    of.member("StreamSpecification", &Of::stream);
    of.member("SSESpecification", &Of::sse);
    of.member("OnDemandThroughput", &Of::on_demand, as<OnDemandThroughputShape>);
    of.member("WarmThroughput", &Of::warm, as<WarmThroughputShape>);
    of.member("TableClass", &Of::table_class, unconstrained_one_of(kTableClasses));
    of.member("DeletionProtectionEnabled", &Of::deletion_protection);
    of.member("Tags", &Of::tags);
    of.member("ResourcePolicy", &Of::resource_policy);
  }
};

// ImportTable's TableCreationParameters.
struct TableCreationShape : ShapeRules {
  static constexpr std::string_view kType = "TableCreationParameters";
  static void members(auto& of) {
    using Of = CreateTableRequest;
    of.member("TableName", &Of::table_name, required, name_pattern, name_length);
    of.member("AttributeDefinitions", &Of::attribute_definitions, required);
    of.member("KeySchema", &Of::key_schema, required, count(1, 2));
    of.member("BillingMode", &Of::billing_mode, one_of(kBillingModes));
    of.member("ProvisionedThroughput", &Of::throughput);
    of.member("OnDemandThroughput", &Of::on_demand, as<OnDemandThroughputShape>);
    of.member("SSESpecification", &Of::sse);
    of.member("VectorIndexes", &Of::vector_indexes);
    of.member("GlobalSecondaryIndexes", &Of::global_indexes, as<GlobalIndexShape>);
  }
};

template <>
struct Shape<UpdateTableRequest> : ShapeRules {
  static void members(auto& of) {
    using Of = UpdateTableRequest;
    of.member("AttributeDefinitions", &Of::attribute_definitions);
    of.member("TableName", &Of::table_name, table_name_needed, existing_table);
    of.member("ProvisionedThroughput", &Of::throughput);
    of.member("BillingMode", &Of::billing_mode, one_of(kBillingModes));
    of.member("GlobalSecondaryIndexUpdates", &Of::index_updates);
    of.member("VectorIndexUpdates", &Of::vector_index_updates);
    of.member("StreamSpecification", &Of::stream);
    of.member("SSESpecification", &Of::sse);
    of.member("OnDemandThroughput", &Of::on_demand, as<OnDemandThroughputShape>);
    of.member("WarmThroughput", &Of::warm, as<WarmThroughputShape>);
    of.member("TableClass", &Of::table_class, unconstrained_one_of(kTableClasses));
    of.member("DeletionProtectionEnabled", &Of::deletion_protection);
    of.unused("ReplicaUpdates", std::vector<AnyJson>());
  }
};

template <>
struct Shape<DeleteTableRequest> : ShapeRules {
  static void members(auto& of) {
    of.member("TableName", &DeleteTableRequest::table_name, table_name_needed, existing_table);
  }
};
template <>
struct Shape<DescribeTableRequest> : ShapeRules {
  static void members(auto& of) {
    of.member("TableName", &DescribeTableRequest::table_name, table_name_needed, existing_table);
  }
};
template <>
struct Shape<TableResponse> : ShapeRules {
  static void members(auto& of) { of.member("TableDescription", &TableResponse::table); }
};
template <>
struct Shape<DescribeTableResponse> : ShapeRules {
  static void members(auto& of) { of.member("Table", &DescribeTableResponse::table); }
};

template <>
struct Shape<ListTablesRequest> : ShapeRules {
  static void members(auto& of) {
    using Of = ListTablesRequest;
    of.member("ExclusiveStartTableName", &Of::exclusive_start_table_name, name_pattern, name_length);
    of.member("Limit", &Of::limit, integer, range(1, kTablesPerPage));
  }
};
template <>
struct Shape<ListTablesResponse> : ShapeRules {
  static void members(auto& of) {
    of.member("LastEvaluatedTableName", &ListTablesResponse::last_evaluated_table_name);
    of.member("TableNames", &ListTablesResponse::table_names);
  }
};

template <>
struct Shape<UpdateTimeToLiveRequest> : ShapeRules {
  static void members(auto& of) {
    using Of = UpdateTimeToLiveRequest;
    of.member("TableName", &Of::table_name, table_name_needed, existing_table);
    of.structure(
        "TimeToLiveSpecification",
        [](auto& in) {
          in.member("AttributeName", &Of::attribute_name, required, length(1, kDefinedNameLengthMax));
          in.member("Enabled", &Of::enabled, required);
        },
        required);
  }
};
template <>
struct Shape<UpdateTimeToLiveResponse> : ShapeRules {
  static void members(auto& of) {
    using Of = UpdateTimeToLiveResponse;
    of.structure("TimeToLiveSpecification", [](auto& in) {
      in.member("AttributeName", &Of::attribute_name);
      in.member("Enabled", &Of::enabled);
    });
  }
};
template <>
struct Shape<DescribeTimeToLiveRequest> : ShapeRules {
  static void members(auto& of) {
    of.member("TableName", &DescribeTimeToLiveRequest::table_name, table_name_needed, existing_table);
  }
};

struct TagRules : ShapeRules {
  static constexpr rules::Needed resource_arn_needed{"Invalid TableArn"};
};
template <>
struct Shape<TagResourceRequest> : TagRules {
  static void members(auto& of) {
    of.member("ResourceArn", &TagResourceRequest::resource_arn, resource_arn_needed);
    of.member("Tags", &TagResourceRequest::tags, required);
  }
};
template <>
struct Shape<TagResourceResponse> : ShapeRules {
  static constexpr bool kEmptyBody = true;
  static void members(auto&) {}
};
template <>
struct Shape<UntagResourceRequest> : TagRules {
  static void members(auto& of) {
    of.member("ResourceArn", &UntagResourceRequest::resource_arn, resource_arn_needed);
    of.member("TagKeys", &UntagResourceRequest::tag_keys, required);
  }
};
template <>
struct Shape<UntagResourceResponse> : ShapeRules {
  static constexpr bool kEmptyBody = true;
  static void members(auto&) {}
};
template <>
struct Shape<ListTagsOfResourceRequest> : TagRules {
  static void members(auto& of) {
    of.member("ResourceArn", &ListTagsOfResourceRequest::resource_arn, resource_arn_needed);
    of.member("NextToken", &ListTagsOfResourceRequest::next_token);
  }
};
template <>
struct Shape<ListTagsOfResourceResponse> : ShapeRules {
  static void members(auto& of) {
    of.member("NextToken", &ListTagsOfResourceResponse::next_token);
    of.member("Tags", &ListTagsOfResourceResponse::tags);
  }
};

template <>
struct Shape<DescribeLimitsRequest> : ShapeRules {
  static void members(auto&) {}
};
template <>
struct Shape<DescribeLimitsResponse> : ShapeRules {
  static void members(auto& of) {
    using Of = DescribeLimitsResponse;
    of.member("AccountMaxReadCapacityUnits", &Of::account_read_units_max);
    of.member("AccountMaxWriteCapacityUnits", &Of::account_write_units_max);
    of.member("TableMaxReadCapacityUnits", &Of::table_read_units_max);
    of.member("TableMaxWriteCapacityUnits", &Of::table_write_units_max);
  }
};

}  // namespace trestle
