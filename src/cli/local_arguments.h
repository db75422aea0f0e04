// The command line of DynamoDB Local, so that its container image can be exchanged for Trestle's with nothing else
// changed.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace trestle {

// Whether the words are what Java gets to run DynamoDB Local: `-jar DynamoDBLocal.jar -sharedDb`, perhaps with flags of
// Java before `-jar`.
bool is_for_dynamodb_local(const std::vector<std::string>& words);

// The `serve` command that does the same. Tables on disk are in the folder `trestle` of -dbPath, where DynamoDB Local's
// own file does not disturb. Fails on a flag that DynamoDB Local does not have.
BasicResult<std::vector<std::string>, std::string> translate_dynamodb_local(const std::vector<std::string>& words);

}  // namespace trestle
