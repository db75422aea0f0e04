#include "protocol/validation/policy_members.h"

#include "policy/policy_text.h"

namespace trestle {
namespace {

constexpr size_t kPolicyBytesMax = 20'480;
constexpr std::string_view kInvalid = "One or more parameter values were invalid: ";

}  // namespace

Result<std::string> read_resource_policy(std::string_view document, std::string_view resource_arn) {
  if (document.size() > kPolicyBytesMax) {
    return invalid(std::string(kInvalid) + "Maximum policy size of 20480 bytes exceeded");
  }
  return canonical_resource_policy(document, resource_arn);
}

}  // namespace trestle
