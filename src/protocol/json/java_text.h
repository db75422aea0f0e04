// How DynamoDB's older layer prints a request inside a message: Java's toString() of its objects.
#pragma once

#include <string>

#include "protocol/json/json_input.h"

namespace trestle {

// "{table=[WriteRequest(putRequest=PutRequest(item={pk=AttributeValue(s=a, n=null, ...)}, ...), deleteRequest=null)]}":
// RequestItems of BatchWriteItem, which must have the right shape.
std::string java_request_items(JsonElement request_items);

}  // namespace trestle
