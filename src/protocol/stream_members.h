// Members that the operations on streams share.
#pragma once

#include <optional>
#include <string_view>

#include "model/error.h"
#include "protocol/constraints.h"

namespace trestle {

// A StreamArn that cannot be one is refused before the other members are looked at.
Result<void> check_stream_arn(std::optional<std::string_view> arn);
// Lengths and presence.
void constrain_stream_arn(std::optional<std::string_view> arn, const MemberPath& member, Constraints& constraints);
void constrain_shard_id(std::optional<std::string_view> id, const MemberPath& member, Constraints& constraints);

}  // namespace trestle
