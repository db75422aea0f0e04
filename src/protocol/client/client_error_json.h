// An error's reply as a client reads it: error_json.h backwards.
#pragma once

#include <string>
#include <string_view>

#include "model/error.h"

namespace trestle {

struct ReplyError {
  Error error;
  std::string name;  // the exception's name as the endpoint sent it, even if no ErrorCode corresponds to it
};

// Reads the body of a reply whose status is not 200. Exceptions without an ErrorCode map to the nearest: those about
// signatures and credentials to kAccessDenied, statuses from 500 to the endpoint's failure, the rest to kValidation;
// the message then begins with the exception's name. A body that is not JSON yields an error too.
ReplyError read_error_json(int http_status, std::string_view body);

// The code of an entry of BatchExecuteStatement's answer: "ValidationError", "ConditionalCheckFailed".
ErrorCode statement_error_code(std::string_view name);

}  // namespace trestle
