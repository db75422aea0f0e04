// The shapes of Contributor Insights.
#pragma once

#include "model/contributor_insights_requests.h"
#include "model/shapes/shape.h"

namespace trestle {

inline constexpr Choice<bool> kInsightsActions[] = {{"ENABLE", true}, {"DISABLE", false}};
inline constexpr Choice<InsightsMode> kInsightsModes[] = {
    {"THROTTLED_KEYS", InsightsMode::kThrottledKeys},
    {"ACCESSED_AND_THROTTLED_KEYS", InsightsMode::kAccessedAndThrottledKeys}};
inline constexpr Choice<ContributorInsightsStatus> kInsightsStatuses[] = {
    {"ENABLING", ContributorInsightsStatus::kEnabling},
    {"ENABLED", ContributorInsightsStatus::kEnabled},
    {"DISABLING", ContributorInsightsStatus::kDisabling},
    {"DISABLED", ContributorInsightsStatus::kDisabled},
    {"FAILED", ContributorInsightsStatus::kFailed}};

template <>
struct Shape<UpdateContributorInsightsRequest> : ShapeRules {
  static void members(auto& of) {
    using Of = UpdateContributorInsightsRequest;
    of.member("TableName", &Of::table_name, table_name_needed, existing_table);
    of.member("IndexName", &Of::index_name, index_name_length, name_pattern);
    of.member("ContributorInsightsAction", &Of::enable, required, one_of(kInsightsActions));
    of.member("ContributorInsightsMode", &Of::mode, one_of(kInsightsModes));
  }
};

template <>
struct Shape<ContributorInsightsSummary> : ShapeRules {
  static void members(auto& of) {
    using Of = ContributorInsightsSummary;
    of.member("TableName", &Of::table_name);
    of.member("IndexName", &Of::index_name);
    of.member("ContributorInsightsStatus", &Of::status, one_of(kInsightsStatuses));
    of.member("ContributorInsightsMode", &Of::mode, one_of(kInsightsModes));
  }
};

template <>
struct Shape<DescribeContributorInsightsRequest> : ShapeRules {
  static void members(auto& of) {
    using Of = DescribeContributorInsightsRequest;
    of.member("TableName", &Of::table_name, table_name_needed, existing_table);
    of.member("IndexName", &Of::index_name, index_name_length, name_pattern);
  }
};

template <>
struct Shape<DescribeContributorInsightsResponse> : ShapeRules {
  static void members(auto& of) {
    using Of = DescribeContributorInsightsResponse;
    of.inlined(&Of::summary);
    of.member("ContributorInsightsRuleList", &Of::rules, omit_default);
    of.member("LastUpdateDateTime", &Of::updated_ms, timestamp);
  }
};

template <>
struct Shape<ListContributorInsightsRequest> : ShapeRules {
  static void members(auto& of) {
    using Of = ListContributorInsightsRequest;
    of.member("TableName", &Of::table_name, existing_table);
    of.member("MaxResults", &Of::max_results, integer, at_most(100));
    of.member("NextToken", &Of::next_token);
  }
};

template <>
struct Shape<ListContributorInsightsResponse> : ShapeRules {
  static void members(auto& of) {
    using Of = ListContributorInsightsResponse;
    of.member("ContributorInsightsSummaries", &Of::summaries);
    of.member("NextToken", &Of::next_token);
  }
};

}  // namespace trestle
