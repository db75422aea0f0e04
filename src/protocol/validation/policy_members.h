// Members shared by the three operations on resource policies and CreateTable's ResourcePolicy.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/error.h"

namespace trestle {

// The canonical policy document for the resource, or DynamoDB's error about its size, syntax or actions.
Result<std::string> read_resource_policy(std::string_view document, std::string_view resource_arn);

}  // namespace trestle
