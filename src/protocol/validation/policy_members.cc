#include "protocol/validation/policy_members.h"

#include <fmt/format.h>

#include "model/limits.h"
#include "policy/policy_text.h"

namespace trestle {
Result<std::string> read_resource_policy(std::string_view document, std::string_view resource_arn) {
  if (document.size() > kPolicyBytesMax) {
    return invalid_parameter(fmt::format("Maximum policy size of {} bytes exceeded", kPolicyBytesMax));
  }
  return canonical_resource_policy(document, resource_arn);
}

}  // namespace trestle
