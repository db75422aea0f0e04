// Vector indexes as CreateTable, UpdateTable and the restores give them, and as descriptions tell them. Reading is in
// two steps, as for all of a table (protocol/table_members.h): the shapes first, then the constraints.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/table_requests.h"
#include "protocol/constraints.h"
#include "protocol/json_input.h"
#include "protocol/json_output.h"
#include "protocol/table_members.h"

namespace trestle {

struct GivenSearchElement {
  std::optional<std::string_view> attribute_name;
  std::optional<std::string_view> type;
};

struct GivenVectorIndex {
  std::optional<std::string_view> index_name;
  bool has_vector_attribute = false;
  std::optional<std::string_view> vector_attribute;
  std::optional<std::vector<GivenSearchElement>> search_schema;
  std::optional<GivenIndexProjection> projection;
  std::optional<int64_t> dimensions;
  std::optional<std::string_view> distance;
};

// One element of VectorIndexUpdates.
struct GivenVectorIndexUpdate {
  std::optional<GivenVectorIndex> create;
  std::optional<GivenVectorIndex> remove;
};

Result<std::vector<GivenVectorIndex>> read_vector_indexes(JsonElement json);
Result<std::vector<GivenVectorIndexUpdate>> read_vector_index_updates(JsonElement json);

void constrain_vector_indexes(const std::optional<std::vector<GivenVectorIndex>>& given, std::string_view member,
                              Constraints& constraints, std::optional<std::vector<VectorIndexDefinition>>& out);
void constrain_vector_index_updates(const std::vector<GivenVectorIndexUpdate>& given, Constraints& constraints,
                                    std::vector<VectorIndexUpdate>& out);
// Each element is one action; the engine's request has no way to say anything else.
Result<void> check_one_action_each(const std::vector<GivenVectorIndexUpdate>& given);

// "VectorIndexes" of a table, and of a backup's source, which tells no state. Nothing if there are none.
void write_vector_index_descriptions(const TableDescription& table, JsonOutput& json);
void write_vector_index_infos(const TableDescription& table, JsonOutput& json);

}  // namespace trestle
