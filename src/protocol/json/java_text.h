// Prints a request inside an error message as DynamoDB's older layer does, with the toString() of its Java objects.
#pragma once

#include <string>

#include "protocol/json/json_input.h"

namespace trestle {

// RequestItems of BatchWriteItem, which must have the right shape, as:
// "{table=[WriteRequest(putRequest=PutRequest(item={pk=AttributeValue(s=a, n=null, ...)}, ...), deleteRequest=null)]}".
std::string java_request_items(JsonElement request_items);

}  // namespace trestle
