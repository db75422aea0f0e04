#include "protocol/stream_members.h"

#include "model/stream_requests.h"

namespace trestle {

Result<void> check_stream_arn(std::optional<std::string_view> arn) {
  if (arn && !is_stream_arn(*arn)) return invalid("Invalid StreamArn");
  return {};
}

void constrain_stream_arn(std::optional<std::string_view> arn, const MemberPath& member, Constraints& constraints) {
  constraints.length_at_least(arn, member, 37);
  constraints.length_at_most(arn, member, 1024);
}

void constrain_shard_id(std::optional<std::string_view> id, const MemberPath& member, Constraints& constraints) {
  constraints.length_at_least(id, member, 28);
  constraints.length_at_most(id, member, 65);
}

}  // namespace trestle
