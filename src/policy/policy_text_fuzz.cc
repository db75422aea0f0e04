// Any text is either parsed or rejected. A parsed policy is the same after it was written and parsed again, and can be
// evaluated.
#include <cstdint>

#include "base/check.h"
#include "policy/evaluate.h"
#include "policy/policy_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trestle;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const PolicyKind kind : {PolicyKind::kIdentity, PolicyKind::kResource}) {
    const auto policy = parse_policy(text, kind);
    if (!policy.has_value()) continue;
    const std::string written = policy_text(*policy);
    const auto again = parse_policy(written, kind);
    CHECK(again.has_value());
    CHECK(policy_text(*again) == written);
    Access access{.action = "dynamodb:GetItem", .resource = "arn:aws:dynamodb:us-east-1:000000000000:table/music"};
    access.context.set(access_key::kUserName, std::string("alice"));
    access.context.set(access_key::kSourceIp, std::string("127.0.0.1"));
    access.context.set_everything(access_key::kLeadingKeys);
    const Principal alice{.arn = "arn:aws:iam::000000000000:user/alice", .account = "000000000000"};
    CHECK(evaluate(*policy, access, alice) == evaluate(*again, access, alice));
  }
  return 0;
}
