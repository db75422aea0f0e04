// Authorizes requests: identity policies from a file, and the resource policies of tables and streams.
//
// With a policy file, everything is denied that no policy allows. Without one, a caller with a valid signature may do
// everything that no resource policy denies. Without credentials, callers are unknown and nothing is checked.
//
// Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "access/credentials.h"
#include "access/identity_policies.h"
#include "access/protected_resources.h"
#include "base/mutex.h"
#include "base/watched_file.h"
#include "model/error.h"
#include "policy/evaluate.h"

namespace trestle {

// A caller with credentials and their current policies.
struct AccessCaller {
  Principal principal;
  std::string user_name;
  std::string user_id;
  // Null: no policies are configured. Shared with the file's other readers. `user` points into it.
  std::shared_ptr<const IdentityPolicies> policies;
  const IdentityUser* user = nullptr;
};

struct AccessControlOptions {
  const ProtectedResources& resources;
  std::string region = "us-east-1";
  std::string account = "000000000000";
  const Credentials* credentials = nullptr;                      // null: callers are unknown
  std::unique_ptr<WatchedFile<IdentityPolicies>> policies = {};  // null: no identity policies (see above)
};

class AccessControl {
 public:
  explicit AccessControl(AccessControlOptions options) : options_(std::move(options)) {}

  // Whether there is anything to check. Costs two loads if there is not.
  bool applies() const {
    return options_.credentials != nullptr && (options_.policies != nullptr || options_.resources.has_policies());
  }
  AccessCaller caller(std::string_view access_key_id) const;
  // Fails with AccessDeniedException and DynamoDB's message if the access is denied.
  Result<void> check(const Access& access, const AccessCaller& caller) const;

  const ProtectedResources& resources() const { return options_.resources; }
  const std::string& region() const { return options_.region; }
  const std::string& account() const { return options_.account; }

 private:
  struct ParsedPolicy {
    std::string text;
    std::shared_ptr<const Policy> policy;
  };
  // The policy of the table or stream that the resource is or belongs to, or null.
  std::shared_ptr<const Policy> resource_policy(std::string_view resource) const;
  std::shared_ptr<const Policy> parse_cached(const ResourcePolicy& source) const;

  const AccessControlOptions options_;
  mutable Mutex mutex_;
  mutable std::map<std::string, ParsedPolicy, std::less<>> parsed_ GUARDED_BY(mutex_);  // by ARN
};

}  // namespace trestle
