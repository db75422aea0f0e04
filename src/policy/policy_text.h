// Parses IAM's JSON policies, and writes them in the canonical form that DynamoDB stores.
//
//   TRY_INTO(const Policy policy, parse_policy(text, PolicyKind::kIdentity));
//
// Parsing is strict: unknown members, duplicates and wrong types are rejected, since a policy that is only partly
// understood may allow what it should not. The error message is a sentence without DynamoDB's prefix.
#pragma once

#include <string>
#include <string_view>

#include <simdjson.h>

#include "model/error.h"
#include "policy/policy.h"

namespace trestle {

enum class PolicyKind {
  kIdentity,  // has no principals
  kResource,  // every statement names principals
};

template <class T>
using PolicyResult = BasicResult<T, std::string>;

PolicyResult<Policy> parse_policy(std::string_view text, PolicyKind kind);
PolicyResult<Policy> read_policy(simdjson::dom::element json, PolicyKind kind);

// The canonical form: minified, with members in a fixed order; a list of one element is replaced by the element, and an
// account id by its root ARN. Parsing it yields the same policy, and writing that policy yields the same text.
std::string policy_text(const Policy& policy);

// The canonical text of a resource policy, or DynamoDB's error message. `resource_arn` decides whether the policy is
// for a table or a stream, which have different actions.
Result<std::string> canonical_resource_policy(std::string_view document, std::string_view resource_arn);

}  // namespace trestle
