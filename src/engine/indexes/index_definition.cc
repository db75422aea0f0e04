#include "engine/indexes/index_definition.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/tables/key_definition.h"
#include "engine/tables/throughput_definition.h"
#include "model/limits.h"

namespace trestle {
namespace {

std::string_view projection_name(ProjectionType type) {
  switch (type) {
    case ProjectionType::kAll:
      return "ALL";
    case ProjectionType::kKeysOnly:
      return "KEYS_ONLY";
    case ProjectionType::kInclude:
      return "INCLUDE";
  }
  return {};
}

std::string index_arn(const IndexContext& context, std::string_view name) {
  return fmt::format("{}/index/{}", context.table_arn, name);
}

Result<void> add_index(std::vector<IndexDescription>& indexes, IndexDescription index) {
  if (std::ranges::find(indexes, index.name, &IndexDescription::name) != indexes.end()) {
    return invalid_parameter(fmt::format("Duplicate index name: {}", index.name));
  }
  indexes.push_back(std::move(index));
  return {};
}

Result<void> define_local_indexes(const CreateTableRequest& request, const IndexContext& context,
                                  std::vector<IndexDescription>& indexes) {
  if (!request.local_indexes) return {};
  for (const auto& definition : *request.local_indexes) {
    TRY_INTO(auto index, define_local_index(definition, context));
    TRY(add_index(indexes, std::move(index)));
  }
  if (request.local_indexes->size() > kLocalIndexesMax) {
    return invalid_parameter(
        fmt::format("Number of LocalSecondaryIndexes exceeds per-table limit of {}", kLocalIndexesMax));
  }
  return {};
}

Result<void> define_global_indexes(const CreateTableRequest& request, const IndexContext& context,
                                   std::vector<IndexDescription>& indexes) {
  if (!request.global_indexes) return {};
  for (const auto& definition : *request.global_indexes) {
    TRY_INTO(auto index, define_global_index(definition, context));
    TRY(add_index(indexes, std::move(index)));
  }
  if (request.global_indexes->size() > kGlobalIndexesMax) {
    return invalid_parameter(
        fmt::format("GlobalSecondaryIndex count exceeds the per-table limit of {}", kGlobalIndexesMax));
  }
  return {};
}

}  // namespace

Result<Projection> define_projection(std::optional<ProjectionType> requested_type,
                                     const std::optional<std::vector<std::string>>& non_key_attributes) {
  if (!requested_type) return invalid_parameter("Unknown ProjectionType: null");
  const auto type = *requested_type;
  const bool has_attributes = non_key_attributes.has_value();
  if (type != ProjectionType::kInclude && has_attributes) {
    return invalid_parameter(
        fmt::format("ProjectionType is {}, but NonKeyAttributes is specified", projection_name(type)));
  }
  if (type == ProjectionType::kInclude && (!has_attributes || non_key_attributes->empty())) {
    return invalid_parameter("ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
  }
  // DynamoDB keeps the names sorted.
  Projection projection{.type = type, .non_key_attributes = {}};
  if (has_attributes) projection.non_key_attributes = *non_key_attributes;
  std::ranges::sort(projection.non_key_attributes);
  const auto duplicate = std::ranges::adjacent_find(projection.non_key_attributes);
  if (duplicate != projection.non_key_attributes.end()) {
    return invalid_parameter(fmt::format("Duplicate element in NonKeyAttributes: {}", *duplicate));
  }
  return projection;
}

Result<IndexDescription> define_local_index(const IndexDefinition& index, const IndexContext& context) {
  TRY_INTO(auto key, define_local_key(index.key_schema, context.definitions));
  if (key.range.empty()) {
    return invalid_parameter(fmt::format("Index KeySchema does not have a range key for index: {}", index.index_name));
  }
  if (key.hash != context.table_key.hash) {
    return invalid_parameter(
        fmt::format("Index KeySchema does not have the same leading hash key as table KeySchema for index: {}. "
                    "index hash key: {}, table hash key: {}",
                    index.index_name, key.hash.front().name, context.table_key.hash.front().name));
  }
  TRY_INTO(auto projection, define_projection(index.projection_type, index.non_key_attributes));
  IndexDescription description;
  description.name = index.index_name;
  description.key = std::move(key);
  description.projection = std::move(projection);
  description.arn = index_arn(context, index.index_name);
  return description;
}

Result<IndexDescription> define_global_index(const IndexDefinition& index, const IndexContext& context) {
  TRY_INTO(auto key, define_global_key(index.key_schema, context.definitions));
  TRY_INTO(auto projection, define_projection(index.projection_type, index.non_key_attributes));
  const ThroughputSubject subject{.index = index.index_name, .is_new = context.table_is_new};
  TRY(check_index_throughput(subject, context.billing, index.throughput));
  TRY(check_on_demand({.index = index.index_name, .is_new = true}, context.billing, index.on_demand));

  IndexDescription description;
  description.name = index.index_name;
  description.global = true;
  description.key = std::move(key);
  description.projection = std::move(projection);
  description.status = Status::kCreating;
  description.throughput = index.throughput.value_or(Throughput{});
  description.on_demand = index.on_demand.value_or(ThroughputLimits{});
  const auto warm = default_warm(context.billing, description.throughput);
  TRY(check_warm({.index = index.index_name, .is_new = true}, context.billing, warm, index.warm));
  description.warm = merge_limits(warm, index.warm);
  description.arn = index_arn(context, index.index_name);
  return description;
}

Result<void> check_global_index(const IndexDefinition& index, std::span<const KeyAttribute> definitions) {
  TRY(define_global_key(index.key_schema, definitions));
  TRY(define_projection(index.projection_type, index.non_key_attributes));
  return {};
}

Result<void> check_index_lists(const CreateTableRequest& request, const KeySchema& table_key) {
  if (request.local_indexes) {
    if (request.local_indexes->empty()) return invalid_parameter("List of LocalSecondaryIndexes is empty");
    if (table_key.range.empty()) {
      return invalid_parameter(
          "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex");
    }
    for (const auto& index : *request.local_indexes) {
      TRY(check_defined(index.key_schema, request.attribute_definitions));
    }
  }
  if (request.global_indexes) {
    if (request.global_indexes->empty()) return invalid_parameter("List of GlobalSecondaryIndexes is empty");
    for (const auto& index : *request.global_indexes) {
      TRY(check_defined(index.key_schema, request.attribute_definitions));
    }
  }
  return {};
}

Result<std::vector<IndexDescription>> define_indexes(const CreateTableRequest& request, const IndexContext& context) {
  std::vector<IndexDescription> indexes;
  TRY(define_local_indexes(request, context, indexes));
  TRY(define_global_indexes(request, context, indexes));
  TRY(check_projected_attributes(indexes));
  return indexes;
}

Result<void> check_projected_attributes(std::span<const IndexDescription> indexes) {
  size_t projected = 0;
  for (const auto& index : indexes) projected += index.projection.non_key_attributes.size();
  if (projected <= kProjectedAttributesMax) return {};
  return invalid_parameter(fmt::format("Number of NonKeyAttributes over all indexes exceeds the per-table limit of {}",
                                       kProjectedAttributesMax));
}

}  // namespace trestle
