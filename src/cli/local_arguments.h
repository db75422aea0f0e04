// Accepts the command line of DynamoDB Local, so that Trestle's container image can replace DynamoDB Local's without
// other changes.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace trestle {

// Whether the arguments are those that Java gets to run DynamoDB Local: `-jar DynamoDBLocal.jar -sharedDb`, possibly
// with JVM flags before `-jar`.
bool is_for_dynamodb_local(const std::vector<std::string>& words);

// Translates them to the equivalent `serve` command. Tables on disk are stored in the subfolder `trestle` of -dbPath,
// apart from DynamoDB Local's own file. Fails on a flag that DynamoDB Local does not have.
BasicResult<std::vector<std::string>, std::string> translate_dynamodb_local(const std::vector<std::string>& words);

}  // namespace trestle
