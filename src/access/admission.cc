#include "access/admission.h"

#include <algorithm>

#include "base/utc_text.h"
#include "policy/policy_text.h"

namespace trestle {
namespace {

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::ranges::find(list, text) == list.end()) list.push_back(text);
}

}  // namespace

std::string_view address_of(std::string_view peer) {
  const size_t colon = peer.rfind(':');
  std::string_view address = peer.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  return address;
}

Admission::Admission(const AccessControl& control, const RequestOrigin& origin)
    : control_(control), enforced_(control.applies()), caller_(control.caller(origin.access_key_id)) {
  if (!enforced_) return;
  context_.set(access_key::kSourceIp, std::string(address_of(origin.peer)));
  context_.set(access_key::kSecureTransport, std::string(origin.tls ? "true" : "false"));
  context_.set(access_key::kCurrentTime, utc_text(origin.now_ms));
  context_.set(access_key::kEpochTime, std::to_string(origin.now_ms / 1000));
  context_.set(access_key::kUserName, caller_.user_name);
  context_.set(access_key::kUserId, caller_.user_id);
  context_.set(access_key::kPrincipalArn, caller_.principal.arn);
  context_.set(access_key::kPrincipalAccount, caller_.principal.account);
  context_.set(access_key::kPrincipalType, std::string("User"));
  context_.set(access_key::kRequestedRegion, control.region());
  if (!origin.user_agent.empty()) context_.set(access_key::kUserAgent, std::string(origin.user_agent));
}

AccessScope Admission::scope() const {
  return {.resources = control_.resources(),
          .region = control_.region(),
          .account = control_.account(),
          .detailed = enforced_,
          .rest = &context_};
}

Result<void> Admission::check(const std::vector<Access>& accesses) {
  for (const Access& access : accesses) {
    add_once(actions_, access.action);
    add_once(resources_, access.resource);
  }
  if (!enforced_) return {};
  for (const Access& access : accesses) TRY(control_.check(access, caller_));
  return {};
}

Result<void> Admission::admit(const PutResourcePolicyRequest& request) {
  AccessNeeds needs(scope());
  note_needs(request, needs);
  const std::vector<Access> accesses = needs.release();
  TRY(check(accesses));
  if (!enforced_ || request.confirm_remove_self_resource_access) return {};
  const auto policy = parse_policy(request.policy, PolicyKind::kResource);
  if (policy.has_value() && evaluate(*policy, accesses.front(), caller_.principal) == Verdict::kDeny) {
    return failure(ErrorCode::kAccessDenied,
                   "The new resource policy will not allow you to update the resource policy in the future.");
  }
  return {};
}

Result<void> Admission::admit_action(std::string_view action) {
  AccessNeeds needs(scope());
  needs.add(action, "*");
  return check(needs.release());
}

std::vector<std::optional<Error>> Admission::admit_each(const BatchExecuteStatementRequest& request) {
  std::vector<std::optional<Error>> errors;
  for (const Statement& statement : request.statements) {
    AccessNeeds needs(scope());
    note_statement_needs(statement, {}, request.return_consumed_capacity, needs);
    const auto admitted = check(needs.release());
    errors.push_back(admitted.has_value() ? std::nullopt : std::optional(admitted.error()));
  }
  return errors;
}

}  // namespace trestle
