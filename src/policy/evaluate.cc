#include "policy/evaluate.h"

#include <fmt/format.h>

#include <algorithm>

#include "policy/condition.h"
#include "policy/wildcard.h"

namespace trestle {
namespace {

bool names_principal(const PolicyStatement& statement, const Principal& principal) {
  if (!statement.principals) return true;
  if (statement.principals->everyone) return true;
  const std::string root = fmt::format("arn:aws:iam::{}:root", principal.account);
  return std::ranges::any_of(statement.principals->arns, [&](const std::string& arn) {
    if (arn == root) return statement.effect == PolicyEffect::kDeny && !statement.not_principals;
    return arn == principal.arn;
  });
}

bool names_action(const PolicyStatement& statement, std::string_view action) {
  return std::ranges::any_of(statement.actions, [&](const std::string& pattern) {
    const auto prepared = prepare_pattern(pattern, nullptr);
    return prepared && matches_ignoring_case(*prepared, action);
  });
}

bool names_resource(const PolicyStatement& statement, std::string_view resource, const AccessContext* variables) {
  return std::ranges::any_of(statement.resources, [&](const std::string& pattern) {
    const auto prepared = prepare_pattern(pattern, variables);
    return prepared && matches_arn(*prepared, resource);
  });
}

bool applies(const PolicyStatement& statement, const Access& access, const Principal& principal, bool has_variables) {
  if (names_action(statement, access.action) == statement.not_actions) return false;
  const AccessContext* variables = has_variables ? &access.context : nullptr;
  if (names_resource(statement, access.resource, variables) == statement.not_resources) return false;
  if (names_principal(statement, principal) == statement.not_principals) return false;
  const ConditionQuestion question{
      .context = access.context, .effect = statement.effect, .has_variables = has_variables};
  return std::ranges::all_of(statement.conditions,
                             [&](const PolicyCondition& condition) { return holds(condition, question); });
}

}  // namespace

Verdict evaluate(const Policy& policy, const Access& access, const Principal& principal) {
  const bool has_variables = policy.version == kPolicyVersion;
  Verdict verdict = Verdict::kSilent;
  for (const PolicyStatement& statement : policy.statements) {
    if (verdict == Verdict::kAllow && statement.effect == PolicyEffect::kAllow) continue;
    if (!applies(statement, access, principal, has_variables)) continue;
    if (statement.effect == PolicyEffect::kDeny) return Verdict::kDeny;
    verdict = Verdict::kAllow;
  }
  return verdict;
}

Decision decide(const PolicyList& identity_policies, const Policy* resource_policy, const Access& access,
                const Principal& principal) {
  bool allowed = false;
  for (const auto& policy : identity_policies) {
    const Verdict verdict = evaluate(*policy, access, principal);
    if (verdict == Verdict::kDeny) return Decision::kDeniedByIdentity;
    allowed = allowed || verdict == Verdict::kAllow;
  }
  if (resource_policy != nullptr) {
    const Verdict verdict = evaluate(*resource_policy, access, principal);
    if (verdict == Verdict::kDeny) return Decision::kDeniedByResource;
    allowed = allowed || verdict == Verdict::kAllow;
  }
  return allowed ? Decision::kAllowed : Decision::kNotAllowed;
}

std::string denial_message(Decision decision, const Access& access, const Principal& principal) {
  std::string message = fmt::format("User: {} is not authorized to perform: {} on resource: {}", principal.arn,
                                    access.action, access.resource);
  switch (decision) {
    case Decision::kAllowed:
      break;
    case Decision::kNotAllowed:
      message += fmt::format(" because no identity-based policy allows the {} action", access.action);
      break;
    case Decision::kDeniedByIdentity:
      message += " with an explicit deny in an identity-based policy";
      break;
    case Decision::kDeniedByResource:
      message += " with an explicit deny in a resource-based policy";
      break;
  }
  return message;
}

}  // namespace trestle
