// Evaluates a condition of a policy statement for a request, as IAM does:
//
// - An absent key fails a plain condition and holds a negated one (StringNotEquals); with ...IfExists it holds both.
// - ForAllValues holds when every value of the request does, so also when there is none; ForAnyValue when one does.
// - Null asks whether the key is absent.
//
// Two questions that IAM leaves open are answered in the stricter way. A key with several values under a condition
// without a quantifier: all values must match in an Allow statement, any value in a Deny statement. A key that
// represents every value: an Allow statement requires both IAM's result for an absent key and that all values match; a
// Deny statement requires either.
//
// Pure. A value that cannot be parsed as the operator's type equals nothing.
#pragma once

#include "policy/access_context.h"
#include "policy/policy.h"

namespace trestle {

struct ConditionQuestion {
  const AccessContext& context;
  PolicyEffect effect = PolicyEffect::kAllow;
  bool has_variables = true;  // depends on the policy's Version
};

bool holds(const PolicyCondition& condition, const ConditionQuestion& question);

}  // namespace trestle
