// Authorizes one request: records the permissions that it needs, for the audit log, and rejects it if the caller lacks
// one of them.
//
//   Admission admission(control, {.access_key_id = caller, .peer = request.peer, ...});
//   TRY(admission.admit(request));       // AccessDeniedException
//
// Call admit() when the request has been parsed and before the operation looks at any table. Create one Admission per
// request.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "access/access_control.h"
#include "access/access_needs.h"

namespace trestle {

// What is known about a request before it is parsed.
struct RequestOrigin {
  std::string_view access_key_id;
  std::string_view peer;  // "127.0.0.1:50312", "[::1]:50312"
  std::string_view user_agent;
  bool tls = false;
  int64_t now_ms = 0;
};

// "127.0.0.1" of "127.0.0.1:50312", "::1" of "[::1]:50312".
std::string_view address_of(std::string_view peer);

class Admission {
 public:
  Admission(const AccessControl& control, const RequestOrigin& origin);
  Admission(const Admission&) = delete;  // needs refer to its context
  Admission& operator=(const Admission&) = delete;

  template <class Request>
  Result<void> admit(const Request& request) {
    AccessNeeds needs(scope());
    note_needs(request, needs);
    return check(needs.release());
  }
  // Also rejects a policy that would lock out its author, unless the request confirms that.
  Result<void> admit(const PutResourcePolicyRequest& request);
  // For an operation that has no request type. It needs the action on any resource.
  Result<void> admit_action(std::string_view action);
  // Checks each statement separately. Returns the error of each rejected one.
  std::vector<std::optional<Error>> admit_each(const BatchExecuteStatementRequest& request);

  const std::string& user_name() const { return caller_.user_name; }
  // The actions and resources that the request needs, without duplicates, whether it was admitted or rejected.
  std::vector<std::string> release_actions() { return std::move(actions_); }
  std::vector<std::string> release_resources() { return std::move(resources_); }

 private:
  AccessScope scope() const;
  Result<void> check(const std::vector<Access>& accesses);

  const AccessControl& control_;
  const bool enforced_;
  AccessCaller caller_;
  AccessContext context_;
  std::vector<std::string> actions_;
  std::vector<std::string> resources_;
};

}  // namespace trestle
