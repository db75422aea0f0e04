#include "engine/vectors/vector_definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/indexes/index_definition.h"
#include "engine/tables/key_definition.h"
#include "model/limits.h"

namespace trestle {
namespace {

Result<void> check_search_schema_defined(const VectorIndexDefinition& index,
                                         std::span<const KeyAttribute> definitions) {
  for (const auto& element : index.search_schema.value_or(std::vector<SearchSchemaElement>{})) {
    if (find_definition(definitions, element.attribute_name) != nullptr) continue;
    return invalid_parameter("One element in SearchSchema is not defined in attribute definitions");
  }
  return {};
}

Result<void> check_search_schema(const std::vector<SearchSchemaElement>& schema) {
  for (size_t i = 0; i < schema.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (schema[i].attribute_name != schema[j].attribute_name) continue;
      return invalid_parameter("SearchSchema contains a duplicate AttributeName");
    }
  }
  const auto count = static_cast<size_t>(std::ranges::count_if(schema, &SearchSchemaElement::is_hash));
  const auto too_many = [](size_t counted, std::string_view type, size_t max) {
    return invalid_parameter(
        fmt::format("Value '{}' at 'SearchSchema' failed to satisfy constraint: Member must have {} count less than or "
                    "equal to {}",
                    counted, type, max));
  };
  if (count > 1) return too_many(count, "HASH", 1);
  if (schema.size() - count > kInlineFiltersMax) {
    return too_many(schema.size() - count, "INLINE_FILTER", kInlineFiltersMax);
  }
  return {};
}

// Checks of an index that do not depend on the table.
Result<void> check_vector_index(const VectorIndexDefinition& index, std::span<const KeyAttribute> definitions) {
  if (index.dimensions < 1 || index.dimensions > kVectorDimensionsMax) {
    return invalid_parameter(
        fmt::format("Number of dimensions must be between 1 and {} inclusive.", kVectorDimensionsMax));
  }
  TRY(check_search_schema_defined(index, definitions));
  if (index.search_schema) TRY(check_search_schema(*index.search_schema));
  if (find_definition(definitions, index.vector_attribute) != nullptr) {
    return invalid_parameter(
        fmt::format("Conflicting attribute definition for '{}'. An attribute cannot be defined in AttributeDefinitions "
                    "when used as a VectorAttribute.",
                    index.vector_attribute));
  }
  TRY(define_projection(index.projection_type, index.non_key_attributes));
  return {};
}

// Checks that all vector indexes on one attribute have the same dimensions.
Result<void> check_same_dimensions(std::span<const VectorIndexDescription> indexes,
                                   const VectorIndexDefinition& added) {
  const auto has_other_dimensions = [&](const VectorIndexDescription& index) {
    return index.vector_attribute == added.vector_attribute && index.dimensions != added.dimensions;
  };
  if (std::ranges::none_of(indexes, has_other_dimensions)) return {};
  return invalid_parameter(
      fmt::format("Conflicting attribute definition for '{}'. All VectorIndexes on the same vector attribute must use "
                  "the same dimensions.",
                  added.vector_attribute));
}

Result<VectorIndexDescription> define_vector_index(const VectorIndexDefinition& index, std::string_view table_arn,
                                                   std::span<const KeyAttribute> definitions) {
  VectorIndexDescription result;
  result.name = index.index_name;
  result.vector_attribute = index.vector_attribute;
  result.dimensions = index.dimensions;
  result.distance = index.distance;
  for (const auto& element : index.search_schema.value_or(std::vector<SearchSchemaElement>{})) {
    result.search_schema.push_back(
        {.attribute = *find_definition(definitions, element.attribute_name), .is_hash = element.is_hash});
  }
  TRY_INTO(result.projection, define_projection(index.projection_type, index.non_key_attributes));
  result.status = Status::kCreating;
  result.arn = fmt::format("{}/index/{}", table_arn, index.index_name);
  return result;
}

// Checks the limit on projected attributes. A vector counts as one, and so does each inline filter.
Result<void> check_projected(const TableDescription& table) {
  size_t projected = 0;
  for (const auto& index : table.indexes) projected += index.projection.non_key_attributes.size();
  for (const auto& index : table.vector_indexes) {
    projected +=
        index.projection.non_key_attributes.size() + 1 + index.search_schema.size() - (index.hash() != nullptr ? 1 : 0);
  }
  if (projected <= kProjectedAttributesMax) return {};
  return invalid_parameter(fmt::format("Number of NonKeyAttributes over all indexes exceeds the per-table limit of {}",
                                       kProjectedAttributesMax));
}

Result<void> check_vector_index_count(size_t count) {
  if (count <= kVectorIndexesMax) return {};
  return invalid_parameter(fmt::format("VectorIndex count exceeds the per-table limit of {}", kVectorIndexesMax));
}

Result<void> create_vector_index(TableDescription& table, const VectorIndexDefinition& index,
                                 std::span<const KeyAttribute> definitions) {
  if (table.index(index.index_name) != nullptr || table.vector_index(index.index_name) != nullptr) {
    return invalid("Attempting to create an index which already exists");
  }
  TRY_INTO(auto result, define_vector_index(index, table.arn, definitions));
  for (const SearchAttribute& element : result.search_schema) {
    const KeyAttribute* existing = find_definition(table.attributes, element.attribute.name);
    if (existing != nullptr && existing->type != element.attribute.type) {
      return invalid_parameter(
          "Attributes cannot be redefined. Please check that your attribute has the same type as previously defined.");
    }
    if (existing == nullptr) table.attributes.push_back(element.attribute);
  }
  std::ranges::sort(table.attributes, {}, &KeyAttribute::name);
  TRY(check_same_dimensions(table.vector_indexes, index));
  TRY(check_vector_index_count(table.vector_indexes.size() + 1));
  result.backfilling = false;
  table.vector_indexes.push_back(std::move(result));
  TRY(check_vector_billing(table.vector_indexes, table.billing));
  return check_projected(table);
}

Result<void> delete_vector_index(TableDescription& table, std::string_view name) {
  const auto found = std::ranges::find(table.vector_indexes, name, &VectorIndexDescription::name);
  if (found == table.vector_indexes.end()) {
    return failure(ErrorCode::kResourceNotFound,
                   fmt::format("Requested resource not found: Index {} for table {}", name, table.name));
  }
  found->status = Status::kDeleting;
  found->backfilling.reset();
  return {};
}

bool is_same(const VectorIndexDefinition& requested, const VectorIndexDescription& index) {
  std::vector<SearchSchemaElement> schema = requested.search_schema.value_or(std::vector<SearchSchemaElement>{});
  const auto same_element = [](const SearchSchemaElement& a, const SearchAttribute& b) {
    return a.attribute_name == b.attribute.name && a.is_hash == b.is_hash;
  };
  auto names = requested.non_key_attributes.value_or(std::vector<std::string>{});
  std::ranges::sort(names);
  return requested.vector_attribute == index.vector_attribute && requested.dimensions == index.dimensions &&
         requested.distance == index.distance && requested.projection_type == index.projection.type &&
         names == index.projection.non_key_attributes && std::ranges::equal(schema, index.search_schema, same_element);
}

}  // namespace

std::vector<std::string> search_attribute_names(const std::optional<std::vector<VectorIndexDefinition>>& indexes) {
  std::vector<std::string> names;
  for (const auto& index : indexes.value_or(std::vector<VectorIndexDefinition>{})) {
    for (const auto& element : index.search_schema.value_or(std::vector<SearchSchemaElement>{})) {
      names.push_back(element.attribute_name);
    }
  }
  return names;
}

bool is_search_attribute(const TableDescription& table, std::string_view name) {
  const auto has_name = [&](const SearchAttribute& element) { return element.attribute.name == name; };
  return std::ranges::any_of(table.vector_indexes, [&](const VectorIndexDescription& index) {
    return std::ranges::any_of(index.search_schema, has_name);
  });
}

Result<void> check_vector_billing(std::span<const VectorIndexDescription> indexes, BillingMode billing) {
  if (indexes.empty() || billing == BillingMode::kPayPerRequest) return {};
  return invalid_parameter("Vector indexes are only supported for PAY_PER_REQUEST tables");
}

Result<void> check_vector_index_list(const CreateTableRequest& request) {
  if (!request.vector_indexes) return {};
  if (request.vector_indexes->empty()) return invalid_parameter("List of VectorIndexes is empty");
  for (const auto& index : *request.vector_indexes) {
    TRY(check_search_schema_defined(index, request.attribute_definitions));
  }
  // Checked here, because otherwise an attribute that is defined only for a vector would be reported as unused.
  for (const auto& index : *request.vector_indexes) TRY(check_vector_index(index, request.attribute_definitions));
  return {};
}

Result<void> define_vector_indexes(const CreateTableRequest& request, TableDescription& table) {
  if (!request.vector_indexes) return {};
  for (const auto& index : *request.vector_indexes) {
    if (table.index(index.index_name) != nullptr || table.vector_index(index.index_name) != nullptr) {
      return invalid_parameter(fmt::format("Duplicate index name: {}", index.index_name));
    }
    TRY(check_same_dimensions(table.vector_indexes, index));
    TRY_INTO(auto result, define_vector_index(index, table.arn, request.attribute_definitions));
    table.vector_indexes.push_back(std::move(result));
  }
  TRY(check_vector_index_count(table.vector_indexes.size()));
  TRY(check_vector_billing(table.vector_indexes, table.billing));
  return check_projected(table);
}

Result<void> check_vector_index_updates(const UpdateTableRequest& request) {
  if (!request.vector_index_updates) return {};
  if (request.vector_index_updates->empty()) return invalid_parameter("List of VectorIndexUpdates is empty");
  for (const auto& update : *request.vector_index_updates) {
    if (update.is_delete) continue;
    const auto definitions = request.attribute_definitions.value_or(std::vector<KeyAttribute>{});
    TRY(check_vector_index(update.index, definitions));
  }
  return {};
}

Result<void> change_vector_indexes(TableDescription& table, const UpdateTableRequest& request) {
  if (!request.vector_index_updates) return {};
  const auto definitions = request.attribute_definitions.value_or(std::vector<KeyAttribute>{});
  for (const auto& update : *request.vector_index_updates) {
    TRY(update.is_delete ? delete_vector_index(table, update.index.index_name)
                         : create_vector_index(table, update.index, definitions));
  }
  return {};
}

Result<void> define_restored_vector_indexes(const TableDescription& source, const RestoreOverrides& overrides,
                                            TableDescription& table) {
  table.vector_indexes = source.vector_indexes;
  if (overrides.vector_indexes) {
    table.vector_indexes.clear();
    for (const VectorIndexDefinition& requested : *overrides.vector_indexes) {
      const auto matches = [&](const VectorIndexDescription& index) { return is_same(requested, index); };
      const auto found = std::ranges::find_if(source.vector_indexes, matches);
      if (found == source.vector_indexes.end()) {
        return invalid(fmt::format(
            "Invalid Request: Index {} does not match a vector index that existed in the source table and cannot be "
            "created during the restore operation",
            requested.index_name));
      }
      if (table.index(requested.index_name) != nullptr || table.vector_index(requested.index_name) != nullptr) {
        return invalid_parameter(fmt::format("Duplicate index name: {}", requested.index_name));
      }
      table.vector_indexes.push_back(*found);
      table.vector_indexes.back().name = requested.index_name;
    }
  }
  for (VectorIndexDescription& index : table.vector_indexes) {
    index.status = Status::kCreating;
    index.backfilling = true;
    index.item_count = 0;
    index.size_bytes = 0;
    index.arn = fmt::format("{}/index/{}", table.arn, index.name);
    index.keyspace = 0;
  }
  return check_vector_billing(table.vector_indexes, table.billing);
}

}  // namespace trestle
