#include "protocol/list_tables_json.h"

#include "protocol/constraints.h"
#include "protocol/json_output.h"

namespace trestle {

Result<ListTablesRequest> read_list_tables_json(JsonInput input) {
  ListTablesRequest request;
  std::optional<std::string_view> start;
  for (const JsonMember member : input) {
    if (member.name == "ExclusiveStartTableName") {
      TRY_INTO(start, json_string(member.value));
    } else if (member.name == "Limit") {
      TRY_INTO(request.limit, json_integer(member.value, "Integer"));
    }
  }
  Constraints constraints;
  constraints.name_pattern(start, "exclusiveStartTableName");
  constraints.length_at_least(start, "exclusiveStartTableName", 3);
  constraints.length_at_most(start, "exclusiveStartTableName", 255);
  constraints.value_at_least(request.limit, "limit", 1);
  constraints.value_at_most(request.limit, "limit", 100);
  TRY(constraints.check());
  if (start) request.exclusive_start_table_name = *start;
  return request;
}

void write_list_tables_json(const ListTablesResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  if (response.last_evaluated_table_name) json.member("LastEvaluatedTableName", *response.last_evaluated_table_name);
  json.key("TableNames").begin_array();
  for (const auto& name : response.table_names) json.string(name);
  json.end_array();
  json.end_object();
}

}  // namespace trestle
