// The query string of a GET as inputs of a read: each parameter as its input's type wants it, so that the runtime sees
// the same values as in a POST's JSON.
//
//   ?domain=a.com&stars=5&tags=x&tags=y      text, a number by the input's type, a list by repeating
//
// Records, maps and `any` are given as JSON text. A value that cannot be of its type stays text, and the runtime names
// it. Names that the operation does not take are passed on, for the same reason. Pure.
#pragma once

#include <string_view>

#include "design/language/design.h"
#include "runtime/call/refusal.h"
#include "runtime/values/plain.h"

namespace trestle::api {

// `is_list`: it also takes limit (a number) and descending (true or false). Fails (400) where a parameter is repeated
// that is no list, or is not UTF-8.
runtime::Outcome<runtime::Plain> query_inputs(std::string_view query, const design::Operation& operation, bool is_list);

}  // namespace trestle::api
