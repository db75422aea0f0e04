#include "protocol/policy_members.h"

#include "policy/policy_text.h"

namespace trestle {
namespace {

constexpr size_t kPolicyBytesMax = 20'480;
constexpr std::string_view kInvalid = "One or more parameter values were invalid: ";

}  // namespace

void constrain_resource_arn(std::optional<std::string_view> arn, Constraints& constraints) {
  constraints.not_null(arn.has_value(), "resourceArn");
  constraints.length_at_least(arn, "resourceArn", 1);
  constraints.length_at_most(arn, "resourceArn", 1283);
}

void constrain_revision(std::optional<std::string_view> revision, Constraints& constraints) {
  constraints.length_at_least(revision, "expectedRevisionId", 1);
  constraints.length_at_most(revision, "expectedRevisionId", 255);
}

Result<std::string> read_resource_policy(std::string_view document, std::string_view resource_arn) {
  if (document.size() > kPolicyBytesMax) {
    return invalid(std::string(kInvalid) + "Maximum policy size of 20480 bytes exceeded");
  }
  return canonical_resource_policy(document, resource_arn);
}

}  // namespace trestle
