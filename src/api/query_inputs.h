// Converts the query string of a GET to the inputs of a read: each parameter is converted to the type of its input, so
// the runtime sees the same values as in the JSON of a POST.
//
//   ?domain=a.com&stars=5&tags=x&tags=y      text, a number (from the input's type), a list (repeated)
//
// Records, maps and `any` are JSON text. A value that cannot be converted stays a string, which the runtime then
// rejects; unknown names are passed on for the same reason. Pure.
#pragma once

#include <string_view>

#include "design/language/design.h"
#include "runtime/values/plain.h"
#include "runtime/values/refusal.h"

namespace trestle::api {

// `is_list`: also accepts limit (a number) and descending (true or false). Fails (400) if a parameter that is not a
// list is repeated, or is not UTF-8.
runtime::Outcome<runtime::Plain> query_inputs(std::string_view query, const design::Operation& operation, bool is_list);

}  // namespace trestle::api
