// DynamoDB's operations on time to live.
#pragma once

#include "engine/parts.h"
#include "model/database.h"

namespace trestle {

Result<DescribeTimeToLiveResponse> describe_time_to_live(TableParts& parts, const DescribeTimeToLiveRequest& request,
                                                         Call& call);
Result<UpdateTimeToLiveResponse> update_time_to_live(EngineParts& parts, const UpdateTimeToLiveRequest& request,
                                                     Call& call);

}  // namespace trestle
