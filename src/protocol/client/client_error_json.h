// An error's reply as a client reads it: error_json.h backwards.
#pragma once

#include <string>
#include <string_view>

#include "model/error.h"

namespace trestle {

struct ReplyError {
  Error error;
  std::string name;  // the exception's bare name as the endpoint has it, also where no ErrorCode stands for it
};

// Reads the body of a reply whose status is not 200. Exceptions that no ErrorCode stands for become the nearest: those
// about signatures and credentials are kAccessDenied, statuses from 500 are the endpoint's fault, the rest is
// kValidation; the message then begins with the exception's name. A body that is no JSON is an error too.
ReplyError read_error_json(int http_status, std::string_view body);

// The code of an entry of BatchExecuteStatement's answer: "ValidationError", "ConditionalCheckFailed".
ErrorCode statement_error_code(std::string_view name);

}  // namespace trestle
