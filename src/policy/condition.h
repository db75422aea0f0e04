// Whether a condition of a policy's statement holds for a request, as IAM says:
//
// - An absent key fails a plain condition and holds a negated one (StringNotEquals); with ...IfExists it holds both.
// - ForAllValues holds when every value of the request does, so also when there is none; ForAnyValue when one does.
// - Null asks whether the key is absent.
//
// Two questions IAM leaves open are answered so that less is allowed. A key with several values under a condition
// without a quantifier: all must hold for a statement that allows, one for a statement that denies. A key that stands
// for every value: a statement that allows needs both IAM's answer for an absent key and the truth of all values; one
// that denies needs either.
//
// Pure: the same answer when asked twice. What cannot be read as the operator's type equals nothing.
#pragma once

#include "policy/access_context.h"
#include "policy/policy.h"

namespace trestle {

struct ConditionQuestion {
  const AccessContext& context;
  PolicyEffect effect = PolicyEffect::kAllow;
  bool has_variables = true;  // of the policy's Version
};

bool holds(const PolicyCondition& condition, const ConditionQuestion& question);

}  // namespace trestle
