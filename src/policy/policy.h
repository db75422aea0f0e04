// An IAM policy: statements that allow or deny actions on resources, under conditions. Identity policies define what a
// user may do. Resource policies name principals, and define who may use a table or stream.
//
// A policy is plain data, parsed by policy_text.h and evaluated by evaluate.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trestle {

enum class PolicyEffect { kAllow, kDeny };

// ${variables} are replaced in policies with the current Version; with the old one they are plain text.
inline constexpr std::string_view kPolicyVersion = "2012-10-17";
inline constexpr std::string_view kOldPolicyVersion = "2008-10-17";

struct PolicyPrincipals {
  bool everyone = false;          // "*"
  std::vector<std::string> arns;  // the ARNs of {"AWS": ...}; an account id is stored as its root ARN
  // Service, Federated, CanonicalUser: stored so that the policy can be returned unchanged; they never match a caller.
  std::vector<std::pair<std::string, std::vector<std::string>>> others;
};

enum class ConditionOperator {
  kStringEquals,
  kStringEqualsIgnoreCase,
  kStringLike,
  kNumericEquals,
  kNumericLessThan,
  kNumericLessThanEquals,
  kNumericGreaterThan,
  kNumericGreaterThanEquals,
  kDateEquals,
  kDateLessThan,
  kDateLessThanEquals,
  kDateGreaterThan,
  kDateGreaterThanEquals,
  kBool,
  kBinaryEquals,
  kIpAddress,
  kArnLike,  // also ArnEquals
  kNull,
};
enum class ConditionQuantifier { kNone, kForAllValues, kForAnyValue };

struct PolicyCondition {
  std::string name;  // as written: "ForAllValues:StringEqualsIfExists"
  ConditionOperator comparison = ConditionOperator::kStringEquals;
  ConditionQuantifier quantifier = ConditionQuantifier::kNone;
  bool negated = false;    // StringNotEquals, for example
  bool if_exists = false;  // ...IfExists
  std::string key;         // as written; key names are case-insensitive
  std::vector<std::string> values;
};

struct PolicyStatement {
  std::string sid;
  PolicyEffect effect = PolicyEffect::kAllow;
  std::optional<PolicyPrincipals> principals;  // resource policies only
  bool not_principals = false;                 // NotPrincipal instead of Principal; the same for the two below
  std::vector<std::string> actions;
  bool not_actions = false;
  std::vector<std::string> resources;
  bool not_resources = false;
  std::vector<PolicyCondition> conditions;
};

struct Policy {
  std::string version{kOldPolicyVersion};
  std::string id;
  std::vector<PolicyStatement> statements;
};

}  // namespace trestle
