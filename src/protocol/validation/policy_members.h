// What the three operations on resource policies, and CreateTable's ResourcePolicy, share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/error.h"

namespace trestle {

// A policy document for the resource as it is kept, or DynamoDB's refusal: its size, its syntax, its actions.
Result<std::string> read_resource_policy(std::string_view document, std::string_view resource_arn);

}  // namespace trestle
