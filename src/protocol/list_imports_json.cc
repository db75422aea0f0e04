#include "protocol/list_imports_json.h"

#include "protocol/load_members.h"

namespace trestle {
namespace {

// ([0-9a-f]{16})+
bool is_import_token(std::string_view text) {
  return !text.empty() && text.size() % 16 == 0 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

}  // namespace

Result<ListImportsRequest> read_list_imports_json(JsonInput input) {
  ListImportsRequest request;
  std::optional<std::string_view> table_arn;
  std::optional<std::string_view> next_token;
  for (const JsonMember member : input) {
    if (member.name == "TableArn") {
      TRY_INTO(table_arn, json_string(member.value));
    } else if (member.name == "PageSize") {
      TRY_INTO(request.page_size, json_integer(member.value, "Integer"));
    } else if (member.name == "NextToken") {
      TRY_INTO(next_token, json_string(member.value));
    }
  }
  Constraints constraints;
  constraints.length_at_least(table_arn, "tableArn", 1);
  constraints.length_at_most(table_arn, "tableArn", 1024);
  constraints.value_at_least(request.page_size, "pageSize", 1);
  constraints.value_at_most(request.page_size, "pageSize", 25);
  if (next_token && !is_import_token(*next_token)) {
    constraints.violated("nextToken", next_token, "Member must satisfy regular expression pattern: ([0-9a-f]{16})+");
  }
  constraints.length_at_least(next_token, "nextToken", 112);
  constraints.length_at_most(next_token, "nextToken", 1024);
  TRY(constraints.check());
  if (table_arn) request.table_arn = *table_arn;
  if (next_token) request.next_token = *next_token;
  return request;
}

void write_list_imports_json(const ListImportsResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.key("ImportSummaryList").begin_array();
  for (const ImportSummary& import : response.imports) {
    json.begin_object();
    write_import_summary_members(import, json);
    json.end_object();
  }
  json.end_array();
  if (response.next_token) json.member("NextToken", *response.next_token);
  json.end_object();
}

}  // namespace trestle
