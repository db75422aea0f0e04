// Reads an error reply on the client: the inverse of error_json.h.
#pragma once

#include <string>
#include <string_view>

#include "model/error.h"

namespace trestle {

struct ReplyError {
  Error error;
  std::string name;  // the exception's name as the endpoint sent it, even if it has no ErrorCode
};

// Reads the body of a reply whose status is not 200. Exceptions without an ErrorCode map to the closest one: those
// about signatures and credentials to kAccessDenied, statuses of 500 and above to an endpoint failure, all others to
// kValidation. The message of such an error begins with the exception's name. A body that is not JSON yields an error
// too.
ReplyError read_error_json(int http_status, std::string_view body);

// The error code of one statement in a BatchExecuteStatement response: "ValidationError", "ConditionalCheckFailed".
ErrorCode statement_error_code(std::string_view name);

}  // namespace trestle
