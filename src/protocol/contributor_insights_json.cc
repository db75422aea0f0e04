#include "protocol/contributor_insights_json.h"

#include "protocol/json_output.h"
#include "protocol/table_members.h"

namespace trestle {
namespace {

void write_summary(const ContributorInsightsSummary& summary, JsonOutput& json) {
  json.member("TableName", summary.table_name);
  if (summary.index_name) json.member("IndexName", *summary.index_name);
  json.member("ContributorInsightsStatus", choice_name(kInsightsStatuses, summary.status));
  if (summary.mode) json.member("ContributorInsightsMode", choice_name(kInsightsModes, *summary.mode));
}

}  // namespace

Result<UpdateContributorInsightsRequest> read_update_contributor_insights_json(JsonInput input) {
  UpdateContributorInsightsRequest request;
  std::optional<std::string_view> table_name;
  std::optional<std::string_view> index_name;
  std::optional<std::string_view> action;
  std::optional<std::string_view> mode;
  for (const JsonMember member : input) {
    if (member.name == "TableName") {
      TRY_INTO(table_name, json_string(member.value));
    } else if (member.name == "IndexName") {
      TRY_INTO(index_name, json_string(member.value));
    } else if (member.name == "ContributorInsightsAction") {
      TRY_INTO(action, json_string(member.value));
    } else if (member.name == "ContributorInsightsMode") {
      TRY_INTO(mode, json_string(member.value));
    }
  }
  TRY(require_table_name(table_name));
  Constraints constraints;
  constrain_table_name(table_name, constraints);
  constraints.index_name(index_name, "indexName");
  constraints.not_null(action.has_value(), "contributorInsightsAction");
  constraints.one_of(action, "contributorInsightsAction", kInsightsActions, request.enable);
  constraints.one_of(mode, "contributorInsightsMode", kInsightsModes, request.mode);
  TRY(constraints.check());
  request.table_name = *table_name;
  if (index_name) request.index_name = *index_name;
  return request;
}

void write_update_contributor_insights_json(const UpdateContributorInsightsResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  write_summary(response, json);
  json.end_object();
}

Result<DescribeContributorInsightsRequest> read_describe_contributor_insights_json(JsonInput input) {
  std::optional<std::string_view> table_name;
  std::optional<std::string_view> index_name;
  for (const JsonMember member : input) {
    if (member.name == "TableName") {
      TRY_INTO(table_name, json_string(member.value));
    } else if (member.name == "IndexName") {
      TRY_INTO(index_name, json_string(member.value));
    }
  }
  TRY(require_table_name(table_name));
  Constraints constraints;
  constrain_table_name(table_name, constraints);
  constraints.index_name(index_name, "indexName");
  TRY(constraints.check());
  DescribeContributorInsightsRequest request;
  request.table_name = *table_name;
  if (index_name) request.index_name = *index_name;
  return request;
}

void write_describe_contributor_insights_json(const DescribeContributorInsightsResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  write_summary(response.summary, json);
  if (!response.rules.empty()) {
    json.key("ContributorInsightsRuleList").begin_array();
    for (const std::string& rule : response.rules) json.string(rule);
    json.end_array();
  }
  if (response.updated_ms) json.key("LastUpdateDateTime").timestamp_ms(*response.updated_ms);
  json.end_object();
}

Result<ListContributorInsightsRequest> read_list_contributor_insights_json(JsonInput input) {
  ListContributorInsightsRequest request;
  std::optional<std::string_view> table_name;
  std::optional<std::string_view> next_token;
  for (const JsonMember member : input) {
    if (member.name == "TableName") {
      TRY_INTO(table_name, json_string(member.value));
    } else if (member.name == "NextToken") {
      TRY_INTO(next_token, json_string(member.value));
    } else if (member.name == "MaxResults") {
      TRY_INTO(request.max_results, json_integer(member.value, "Integer"));
    }
  }
  Constraints constraints;
  constrain_table_name(table_name, constraints);
  constraints.value_at_most(request.max_results, "maxResults", 100);
  TRY(constraints.check());
  if (table_name) request.table_name = *table_name;
  if (next_token) request.next_token = *next_token;
  return request;
}

void write_list_contributor_insights_json(const ListContributorInsightsResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.key("ContributorInsightsSummaries").begin_array();
  for (const ContributorInsightsSummary& summary : response.summaries) {
    json.begin_object();
    write_summary(summary, json);
    json.end_object();
  }
  json.end_array();
  if (response.next_token) json.member("NextToken", *response.next_token);
  json.end_object();
}

}  // namespace trestle
