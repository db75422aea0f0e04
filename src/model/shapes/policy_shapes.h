// The shapes of resource policies.
#pragma once

#include "model/policy_requests.h"
#include "model/shapes/shape.h"

namespace trestle {

template <>
struct Shape<PutResourcePolicyRequest> : ShapeRules {
  static void members(auto& of) {
    using Of = PutResourcePolicyRequest;
    of.member("ResourceArn", &Of::resource_arn, required, length(1, kPolicyResourceLengthMax));
    of.member("Policy", &Of::policy, required);
    of.member("ExpectedRevisionId", &Of::expected_revision_id, length(1, 255));
    of.member("ConfirmRemoveSelfResourceAccess", &Of::confirm_remove_self_resource_access, omit_default);
  }
};

template <>
struct Shape<PutResourcePolicyResponse> : ShapeRules {
  static void members(auto& of) { of.member("RevisionId", &PutResourcePolicyResponse::revision_id); }
};

template <>
struct Shape<GetResourcePolicyRequest> : ShapeRules {
  static void members(auto& of) {
    of.member("ResourceArn", &GetResourcePolicyRequest::resource_arn, required, length(1, kPolicyResourceLengthMax));
  }
};

template <>
struct Shape<GetResourcePolicyResponse> : ShapeRules {
  static void members(auto& of) {
    of.member("Policy", &GetResourcePolicyResponse::policy);
    of.member("RevisionId", &GetResourcePolicyResponse::revision_id);
  }
};

template <>
struct Shape<DeleteResourcePolicyRequest> : ShapeRules {
  static void members(auto& of) {
    of.member("ResourceArn", &DeleteResourcePolicyRequest::resource_arn, required, length(1, kPolicyResourceLengthMax));
    of.member("ExpectedRevisionId", &DeleteResourcePolicyRequest::expected_revision_id, length(1, 255));
  }
};

template <>
struct Shape<DeleteResourcePolicyResponse> : ShapeRules {
  static void members(auto& of) { of.member("RevisionId", &DeleteResourcePolicyResponse::revision_id); }
};

}  // namespace trestle
