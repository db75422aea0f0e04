// DynamoDB's operations on contributor insights.
#pragma once

#include "engine/parts.h"
#include "model/database.h"

namespace trestle {

Result<DescribeContributorInsightsResponse> describe_contributor_insights(
    TableParts& parts, const DescribeContributorInsightsRequest& request, Call& call);
Result<ListContributorInsightsResponse> list_contributor_insights(TableParts& parts,
                                                                  const ListContributorInsightsRequest& request,
                                                                  Call& call);
Result<UpdateContributorInsightsResponse> update_contributor_insights(ItemParts& parts,
                                                                      const UpdateContributorInsightsRequest& request,
                                                                      Call& call);

}  // namespace trestle
