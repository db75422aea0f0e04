// Policies as IAM's JSON: read, refused, and written in the one form in which DynamoDB keeps them.
//
//   TRY_INTO(const Policy policy, parse_policy(text, PolicyKind::kIdentity));
//
// Reading is strict: what is unknown, given twice or of the wrong type is refused, since a policy that is half
// understood may allow what it should not. A refusal is a sentence without what DynamoDB puts before it.
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

// Minified, members in a fixed order, a list of one as its element, an account id as its root ARN. What is read from it
// is the same policy, and its text is itself.
std::string policy_text(const Policy& policy);

// A resource policy's canonical text, or DynamoDB's refusal of it: `resource_arn` tells whether it is a table's or a
// stream's, which have actions of their own.
Result<std::string> canonical_resource_policy(std::string_view document, std::string_view resource_arn);

}  // namespace trestle
