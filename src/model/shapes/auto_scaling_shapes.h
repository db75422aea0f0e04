// Auto scaling settings nested in the requests on replicas. They are validated like any other member and then ignored,
// because Trestle's tables have no replicas.
#pragma once

#include <string>

#include "model/shapes/shape.h"

namespace trestle {

struct AutoScalingConfiguration {};
struct AutoScalingPolicy {};
struct AutoScalingSettings {};

template <>
struct Shape<AutoScalingConfiguration> : ShapeRules {
  static constexpr std::string_view kType = "AutoScalingTargetTrackingScalingPolicyConfigurationUpdate";
  static void members(auto& of) {
    of.unused("TargetValue", AnyJson(), required);
    of.unused("DisableScaleIn", bool());
    of.unused("ScaleInCooldown", int64_t(), integer);
    of.unused("ScaleOutCooldown", int64_t(), integer);
  }
};
template <>
struct Shape<AutoScalingPolicy> : ShapeRules {
  static constexpr std::string_view kType = "AutoScalingPolicyUpdate";
  static void members(auto& of) {
    of.unused("PolicyName", std::string(), length(1, 256));
    of.unused("TargetTrackingScalingPolicyConfiguration", AutoScalingConfiguration(), required);
  }
};
template <>
struct Shape<AutoScalingSettings> : ShapeRules {
  static constexpr std::string_view kType = "AutoScalingSettingsUpdate";
  static void members(auto& of) {
    of.unused("MinimumUnits", int64_t(), at_least(1));
    of.unused("MaximumUnits", int64_t(), at_least(1));
    of.unused("AutoScalingDisabled", bool());
    of.unused("AutoScalingRoleArn", std::string(), length(1, 1600));
    of.unused("ScalingPolicyUpdate", AutoScalingPolicy());
  }
};

}  // namespace trestle
