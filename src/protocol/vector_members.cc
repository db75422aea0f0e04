#include "protocol/vector_members.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "protocol/table_enumerations.h"

namespace trestle {
namespace {

Result<std::vector<GivenSearchElement>> read_search_schema(JsonElement json) {
  TRY_INTO(const JsonArray array, json_list(json));
  std::vector<GivenSearchElement> schema;
  for (const JsonElement element : array) {
    if (element.is_null()) continue;
    TRY_INTO(const JsonInput input, json_structure(element, "SearchSchemaElement", JsonPlace::kElement));
    auto& given = schema.emplace_back();
    for (const JsonMember member : input) {
      if (member.name == "AttributeName") {
        TRY_INTO(given.attribute_name, json_string(member.value));
      } else if (member.name == "SearchSchemaElementType") {
        TRY_INTO(given.type, json_string(member.value));
      }
    }
  }
  return schema;
}

Result<GivenVectorIndex> read_vector_index(JsonElement json, std::string_view type, JsonPlace place) {
  TRY_INTO(const JsonInput input, json_structure(json, type, place));
  GivenVectorIndex given;
  for (const JsonMember member : input) {
    if (member.name == "IndexName") {
      TRY_INTO(given.index_name, json_string(member.value));
    } else if (member.name == "VectorAttribute") {
      TRY_INTO(const JsonInput attribute,
               json_structure(member.value, "VectorAttributeDefinition", JsonPlace::kMember));
      given.has_vector_attribute = true;
      for (const JsonMember part : attribute) {
        if (part.name == "AttributeName") {
          TRY_INTO(given.vector_attribute, json_string(part.value));
        }
      }
    } else if (member.name == "SearchSchema") {
      TRY_INTO(given.search_schema, read_search_schema(member.value));
    } else if (member.name == "Projection") {
      TRY_INTO(given.projection, read_projection(member.value));
    } else if (member.name == "Dimensions") {
      TRY_INTO(given.dimensions, json_integer(member.value, "Long"));
    } else if (member.name == "DistanceFunction") {
      TRY_INTO(given.distance, json_string(member.value));
    }
  }
  return given;
}

std::string shown_search_schema(const std::vector<GivenSearchElement>& given) {
  std::vector<std::string> elements;
  for (const auto& element : given) {
    elements.push_back(fmt::format("SearchSchemaElement(attributeName={}, searchSchemaElementType={})",
                                   element.attribute_name.value_or("null"), element.type.value_or("null")));
  }
  return fmt::format("[{}]", fmt::join(elements, ", "));
}

void constrain_attribute_name(std::optional<std::string_view> given, const MemberPath& member,
                              Constraints& constraints) {
  constraints.not_null(given.has_value(), member);
  constraints.length_at_least(given, member, 1);
  constraints.length_at_most(given, member, 65535);
}

void constrain_search_schema(const std::vector<GivenSearchElement>& given, const MemberPath& member,
                             Constraints& constraints, std::vector<SearchSchemaElement>& out) {
  constraints.count_at_least(given.size(), member, 1, [&] { return shown_search_schema(given); });
  for (size_t i = 0; i < given.size(); ++i) {
    const MemberPath element{&member, "member", i + 1};
    const MemberPath type{&element, "searchSchemaElementType"};
    auto& added = out.emplace_back();
    constrain_attribute_name(given[i].attribute_name, {&element, "attributeName"}, constraints);
    added.attribute_name = given[i].attribute_name.value_or("");
    constraints.not_null(given[i].type.has_value(), type);
    constraints.one_of(given[i].type, type, kSearchElementTypes, added.is_hash);
  }
}

void constrain_vector_index_name(std::optional<std::string_view> given, const MemberPath& index,
                                 Constraints& constraints, VectorIndexDefinition& out) {
  IndexDefinition named;
  constrain_index_name(given, index, constraints, named);
  out.index_name = std::move(named.index_name);
}

void constrain_vector_index(const GivenVectorIndex& given, const MemberPath& member, Constraints& constraints,
                            VectorIndexDefinition& out) {
  constrain_vector_index_name(given.index_name, member, constraints, out);
  const MemberPath attribute{&member, "vectorAttribute"};
  constraints.not_null(given.has_vector_attribute, attribute);
  if (given.has_vector_attribute) {
    constrain_attribute_name(given.vector_attribute, {&attribute, "attributeName"}, constraints);
  }
  out.vector_attribute = given.vector_attribute.value_or("");
  if (given.search_schema) {
    constrain_search_schema(*given.search_schema, {&member, "searchSchema"}, constraints, out.search_schema.emplace());
  }
  const MemberPath projection{&member, "projection"};
  constraints.not_null(given.projection.has_value(), projection);
  if (given.projection) {
    constrain_projection(*given.projection, projection, constraints, out.projection_type, out.non_key_attributes);
  }
  const MemberPath dimensions{&member, "dimensions"};
  constraints.not_null(given.dimensions.has_value(), dimensions);
  constraints.value_at_least(given.dimensions, dimensions, 1);
  out.dimensions = given.dimensions.value_or(0);
  const MemberPath distance{&member, "distanceFunction"};
  constraints.not_null(given.distance.has_value(), distance);
  constraints.one_of(given.distance, distance, kDistanceFunctions, out.distance);
}

// What an index is; nothing of its state.
void write_definition(const VectorIndexDescription& index, JsonOutput& json) {
  json.member("IndexName", index.name);
  json.key("VectorAttribute").begin_object();
  json.member("AttributeName", index.vector_attribute);
  json.end_object();
  if (!index.search_schema.empty()) {
    json.key("SearchSchema").begin_array();
    for (const SearchAttribute& element : index.search_schema) {
      json.begin_object();
      json.member("AttributeName", element.attribute.name);
      json.member("SearchSchemaElementType", choice_name(kSearchElementTypes, element.is_hash));
      json.end_object();
    }
    json.end_array();
  }
  json.key("Projection").begin_object();
  json.member("ProjectionType", choice_name(kProjectionTypes, index.projection.type));
  if (index.projection.type == ProjectionType::kInclude) {
    json.key("NonKeyAttributes").begin_array();
    for (const auto& name : index.projection.non_key_attributes) json.string(name);
    json.end_array();
  }
  json.end_object();
  json.member("Dimensions", index.dimensions);
  json.member("DistanceFunction", choice_name(kDistanceFunctions, index.distance));
}

}  // namespace

Result<std::vector<GivenVectorIndex>> read_vector_indexes(JsonElement json) {
  TRY_INTO(const JsonArray array, json_list(json));
  std::vector<GivenVectorIndex> indexes;
  for (const JsonElement element : array) {
    if (element.is_null()) continue;
    TRY_INTO(auto index, read_vector_index(element, "VectorIndex", JsonPlace::kElement));
    indexes.push_back(std::move(index));
  }
  return indexes;
}

Result<std::vector<GivenVectorIndexUpdate>> read_vector_index_updates(JsonElement json) {
  TRY_INTO(const JsonArray array, json_list(json));
  std::vector<GivenVectorIndexUpdate> updates;
  for (const JsonElement element : array) {
    if (element.is_null()) continue;
    TRY_INTO(const JsonInput input, json_structure(element, "VectorIndexUpdate", JsonPlace::kElement));
    auto& given = updates.emplace_back();
    for (const JsonMember member : input) {
      if (member.name == "Create") {
        TRY_INTO(given.create, read_vector_index(member.value, "CreateVectorIndexAction", JsonPlace::kMember));
      } else if (member.name == "Delete") {
        TRY_INTO(given.remove, read_vector_index(member.value, "DeleteVectorIndexAction", JsonPlace::kMember));
      }
    }
  }
  return updates;
}

void constrain_vector_indexes(const std::optional<std::vector<GivenVectorIndex>>& given, std::string_view member,
                              Constraints& constraints, std::optional<std::vector<VectorIndexDefinition>>& out) {
  if (!given) return;
  out.emplace();
  const MemberPath list{member};
  for (size_t i = 0; i < given->size(); ++i) {
    constrain_vector_index((*given)[i], {&list, "member", i + 1}, constraints, out->emplace_back());
  }
}

void constrain_vector_index_updates(const std::vector<GivenVectorIndexUpdate>& given, Constraints& constraints,
                                    std::vector<VectorIndexUpdate>& out) {
  const MemberPath list{"vectorIndexUpdates"};
  for (size_t i = 0; i < given.size(); ++i) {
    const MemberPath element{&list, "member", i + 1};
    if (given[i].create) {
      constrain_vector_index(*given[i].create, {&element, "create"}, constraints, out.emplace_back().index);
    }
    if (given[i].remove) {
      auto& added = out.emplace_back();
      added.is_delete = true;
      constrain_vector_index_name(given[i].remove->index_name, {&element, "delete"}, constraints, added.index);
    }
  }
}

Result<void> check_one_action_each(const std::vector<GivenVectorIndexUpdate>& given) {
  for (const auto& update : given) {
    const int actions = update.create.has_value() + update.remove.has_value();
    if (actions == 1) continue;
    return invalid(fmt::format("One or more parameter values were invalid: {}",
                               actions == 0
                                   ? "One of VectorIndexUpdate.Create, VectorIndexUpdate.Delete must not be null"
                                   : "Only one vector index action is allowed per VectorIndexUpdate object"));
  }
  return {};
}

void write_vector_index_descriptions(const TableDescription& table, JsonOutput& json) {
  if (table.vector_indexes.empty()) return;
  json.key("VectorIndexes").begin_array();
  for (const VectorIndexDescription& index : table.vector_indexes) {
    json.begin_object();
    write_definition(index, json);
    json.member("IndexStatus", choice_name(kStatuses, index.status));
    if (index.backfilling) json.member("Backfilling", *index.backfilling);
    json.member("IndexSizeBytes", index.size_bytes);
    json.member("ItemCount", index.item_count);
    json.member("IndexArn", index.arn);
    json.end_object();
  }
  json.end_array();
}

void write_vector_index_infos(const TableDescription& table, JsonOutput& json) {
  if (table.vector_indexes.empty()) return;
  json.key("VectorIndexes").begin_array();
  for (const VectorIndexDescription& index : table.vector_indexes) {
    json.begin_object();
    write_definition(index, json);
    json.end_object();
  }
  json.end_array();
}

}  // namespace trestle
