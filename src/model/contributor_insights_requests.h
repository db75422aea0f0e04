// Contributor Insights: UpdateContributorInsights, DescribeContributorInsights, ListContributorInsights. A parameter
// that the client omitted is absent.
#pragma once

#include "model/table_requests.h"

namespace trestle {

enum class ContributorInsightsStatus { kEnabling, kEnabled, kDisabling, kDisabled, kFailed };

struct UpdateContributorInsightsRequest {
  std::string table_name;
  std::optional<std::string> index_name;
  bool enable = false;
  std::optional<InsightsMode> mode;
};

// The state of a table or an index: the response of UpdateContributorInsights, and an element of
// ListContributorInsights.
struct ContributorInsightsSummary {
  std::string table_name;
  std::optional<std::string> index_name;
  ContributorInsightsStatus status = ContributorInsightsStatus::kDisabled;
  std::optional<InsightsMode> mode;
};
using UpdateContributorInsightsResponse = ContributorInsightsSummary;

struct DescribeContributorInsightsRequest {
  std::string table_name;
  std::optional<std::string> index_name;
};
struct DescribeContributorInsightsResponse {
  ContributorInsightsSummary summary;
  std::vector<std::string> rules;
  std::optional<int64_t> updated_ms;  // absent: never enabled
};

struct ListContributorInsightsRequest {
  std::optional<std::string> table_name;
  std::optional<std::string> next_token;
  std::optional<int64_t> max_results;
};
struct ListContributorInsightsResponse {
  std::vector<ContributorInsightsSummary> summaries;
  std::optional<std::string> next_token;
};

}  // namespace trestle
