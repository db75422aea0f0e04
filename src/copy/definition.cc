#include "copy/definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/callers/table_words.h"

namespace trestle::copy {
namespace {

constexpr auto kActiveWait = std::chrono::minutes(30);
constexpr auto kActivePoll = std::chrono::milliseconds(100);

// Whether a setting is missing or unknown: the endpoint does not implement the operation, or denies it to this caller.
bool is_lacking(const Error& error) {
  return error.code == ErrorCode::kUnknownOperation || error.code == ErrorCode::kNotImplemented ||
         error.code == ErrorCode::kAccessDenied;
}

Result<std::vector<Tag>> read_tags(Database& database, const std::string& arn) {
  std::vector<Tag> tags;
  ListTagsOfResourceRequest request{.resource_arn = arn};
  do {
    auto page = database.list_tags_of_resource(request);
    if (!page && is_lacking(page.error())) return tags;
    if (!page) return std::unexpected(std::move(page.error()));
    for (Tag& tag : page->tags) {
      if (!tag.key.starts_with("aws:")) tags.push_back(std::move(tag));  // Amazon's own tags cannot be set
    }
    request.next_token = page->next_token;
  } while (request.next_token);
  return tags;
}

std::optional<ThroughputLimits> limits_of(const ThroughputLimits& limits) {
  ThroughputLimits positive;
  if (limits.read_units.value_or(-1) > 0) positive.read_units = limits.read_units;
  if (limits.write_units.value_or(-1) > 0) positive.write_units = limits.write_units;
  if (!positive.read_units && !positive.write_units) return std::nullopt;
  return positive;
}

template <class To>
void define_projection(const Projection& projection, To& to) {
  to.projection_type = projection.type;
  if (projection.type == ProjectionType::kInclude) to.non_key_attributes = projection.non_key_attributes;
}

IndexDefinition index_of(const IndexDescription& index, bool provisioned) {
  IndexDefinition definition{.index_name = index.name, .key_schema = key_elements(index.key)};
  define_projection(index.projection, definition);
  if (index.global && provisioned) definition.throughput = index.throughput;
  if (index.global && !provisioned) definition.on_demand = limits_of(index.on_demand);
  return definition;
}

VectorIndexDefinition vector_index_of(const VectorIndexDescription& index) {
  VectorIndexDefinition definition{.index_name = index.name,
                                   .vector_attribute = index.vector_attribute,
                                   .dimensions = index.dimensions,
                                   .distance = index.distance};
  define_projection(index.projection, definition);
  if (!index.search_schema.empty()) definition.search_schema.emplace();
  for (const SearchAttribute& element : index.search_schema) {
    definition.search_schema->push_back({.attribute_name = element.attribute.name, .is_hash = element.is_hash});
  }
  return definition;
}

std::string vector_words(const VectorIndexDescription& index) {
  std::string words =
      fmt::format("{} of {} dimensions by distance {}, copying {}", index.vector_attribute, index.dimensions,
                  static_cast<int>(index.distance), projection_words(index.projection));
  for (const SearchAttribute& element : index.search_schema) {
    words += fmt::format(", {} ({})", element.attribute.name, element.is_hash ? "hash" : "filter");
  }
  return words;
}

// Compares the indexes that both have, and reports those that only one has.
template <class Index, class Compare>
void compare_indexes(const std::vector<Index>& source, const std::vector<Index>& target, const Compare& compare,
                     std::vector<std::string>& differences) {
  for (const Index& index : source) {
    const auto found = std::ranges::find(target, index.name, &Index::name);
    if (found == target.end()) {
      differences.push_back(fmt::format("the target lacks the index {}", index.name));
    } else {
      compare(index, *found);
    }
  }
  for (const Index& index : target) {
    if (std::ranges::find(source, index.name, &Index::name) == source.end())
      differences.push_back(fmt::format("only the target has the index {}", index.name));
  }
}

bool is_active(const TableDescription& table) {
  const auto active = [](const auto& index) { return index.status == Status::kActive; };
  return active(table) && std::ranges::all_of(table.indexes, active) &&
         std::ranges::all_of(table.vector_indexes, active);
}

}  // namespace

Result<std::optional<Definition>> read_definition(Database& database, const std::string& table) {
  auto described = database.describe_table({.table_name = table});
  if (!described && is_missing_table(described.error())) return std::nullopt;
  if (!described) return std::unexpected(std::move(described.error()));
  Definition definition{.table = std::move(described->table)};
  auto ttl = database.describe_time_to_live({.table_name = table});
  if (!ttl && !is_lacking(ttl.error())) return std::unexpected(std::move(ttl.error()));
  if (ttl) definition.ttl_attribute = ttl->attribute_name;
  TRY_INTO(definition.tags, read_tags(database, definition.table.arn));
  return definition;
}

CreateTableRequest creation_of(const Definition& source, const CreationOptions& options) {
  const TableDescription& table = source.table;
  const bool provisioned = table.billing == BillingMode::kProvisioned && !options.on_demand;
  CreateTableRequest request{.table_name = options.name};
  request.attribute_definitions = table.attributes;
  request.key_schema = key_elements(table.key);
  for (const IndexDescription& index : table.indexes) {
    auto& list = index.global ? request.global_indexes : request.local_indexes;
    if (!list) list.emplace();
    list->push_back(index_of(index, provisioned));
  }
  for (const VectorIndexDescription& index : table.vector_indexes) {
    if (!request.vector_indexes) request.vector_indexes.emplace();
    request.vector_indexes->push_back(vector_index_of(index));
  }
  request.billing_mode = provisioned ? BillingMode::kProvisioned : BillingMode::kPayPerRequest;
  if (provisioned) {
    request.throughput = table.throughput;
  } else {
    request.on_demand = limits_of(table.on_demand);
  }
  if (table.table_class == TableClass::kStandardInfrequentAccess) request.table_class = table.table_class;
  if (table.deletion_protection) request.deletion_protection = true;
  if (!source.tags.empty()) request.tags = source.tags;
  return request;
}

std::vector<std::string> differences_of(const Definition& source, const Definition& target) {
  std::vector<std::string> differences;
  const auto say = [&](const std::string& what, const std::string& here, const std::string& there) {
    if (here != there)
      differences.push_back(fmt::format("{} is {} at the source, {} at the target", what, here, there));
  };
  const KeySchema &here = source.table.key, &there = target.table.key;
  say("the key", key_words(here), key_words(there));
  compare_indexes(
      source.table.indexes, target.table.indexes,
      [&](const IndexDescription& a, const IndexDescription& b) {
        say("the index " + a.name, a.global ? "global" : "local", b.global ? "global" : "local");
        say("the key of the index " + a.name, key_words(a.key), key_words(b.key));
        say("the projection of the index " + a.name, projection_words(copied_projection(a.projection, here, a.key)),
            projection_words(copied_projection(b.projection, there, b.key)));
      },
      differences);
  compare_indexes(
      source.table.vector_indexes, target.table.vector_indexes,
      [&](const auto& a, const auto& b) { say("the vector index " + a.name, vector_words(a), vector_words(b)); },
      differences);
  return differences;
}

Result<TableDescription> wait_active(Database& database, const std::string& table, const Stop& stop) {
  const auto deadline = std::chrono::steady_clock::now() + kActiveWait;
  while (true) {
    auto described = database.describe_table({.table_name = table});
    if (!described && !is_missing_table(described.error())) return std::unexpected(std::move(described.error()));
    if (described && is_active(described->table)) return std::move(described->table);
    if (std::chrono::steady_clock::now() > deadline) {
      return failure(ErrorCode::kServiceUnavailable, fmt::format("the table {} did not become ACTIVE", table));
    }
    if (!stop.sleep(kActivePoll)) return stopped();
  }
}

Result<std::vector<std::string>> enable_settings(const Definition& source, Database& target, const std::string& table,
                                                 bool with_stream, const Stop& stop) {
  std::vector<std::string> words;
  TRY_INTO(const auto found, read_definition(target, table));
  if (!found)
    return failure(ErrorCode::kResourceNotFound, fmt::format("the table {} no longer exists at the target", table));
  if (source.ttl_attribute && found->ttl_attribute && *source.ttl_attribute != *found->ttl_attribute) {
    words.push_back(fmt::format("the TTL attribute is {} at the source, and remains {} at the target",
                                *source.ttl_attribute, *found->ttl_attribute));
  } else if (source.ttl_attribute && !found->ttl_attribute) {
    const auto set =
        target.update_time_to_live({.table_name = table, .attribute_name = *source.ttl_attribute, .enabled = true});
    if (!set && !is_lacking(set.error())) return std::unexpected(set.error());
    words.push_back(set ? fmt::format("time to live is enabled, by {}", *source.ttl_attribute)
                        : "the target does not support time to live");
  }
  if (with_stream && source.table.stream && !found->table.stream) {
    UpdateTableRequest request{.table_name = table};
    request.stream = StreamSpecification{.enabled = true, .view_type = source.table.stream};
    TRY(target.update_table(request));
    TRY(wait_active(target, table, stop));
    words.push_back(fmt::format("it has a stream of {}", stream_words(source.table.stream)));
  }
  return words;
}

}  // namespace trestle::copy
