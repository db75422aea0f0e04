// UpdateContributorInsights, DescribeContributorInsights and ListContributorInsights as JSON.
#pragma once

#include <string>

#include "model/contributor_insights_requests.h"
#include "protocol/constraints.h"
#include "protocol/json_input.h"

namespace trestle {

inline constexpr Choice<bool> kInsightsActions[] = {{"ENABLE", true}, {"DISABLE", false}};
inline constexpr Choice<InsightsMode> kInsightsModes[] = {
    {"ACCESSED_AND_THROTTLED_KEYS", InsightsMode::kAccessedAndThrottledKeys},
    {"THROTTLED_KEYS", InsightsMode::kThrottledKeys}};
inline constexpr Choice<ContributorInsightsStatus> kInsightsStatuses[] = {
    {"ENABLING", ContributorInsightsStatus::kEnabling},
    {"ENABLED", ContributorInsightsStatus::kEnabled},
    {"DISABLING", ContributorInsightsStatus::kDisabling},
    {"DISABLED", ContributorInsightsStatus::kDisabled},
    {"FAILED", ContributorInsightsStatus::kFailed}};

Result<UpdateContributorInsightsRequest> read_update_contributor_insights_json(JsonInput input);
void write_update_contributor_insights_json(const UpdateContributorInsightsResponse& response, std::string& out);

Result<DescribeContributorInsightsRequest> read_describe_contributor_insights_json(JsonInput input);
void write_describe_contributor_insights_json(const DescribeContributorInsightsResponse& response, std::string& out);

Result<ListContributorInsightsRequest> read_list_contributor_insights_json(JsonInput input);
void write_list_contributor_insights_json(const ListContributorInsightsResponse& response, std::string& out);

}  // namespace trestle
