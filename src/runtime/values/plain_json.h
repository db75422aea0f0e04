// Converts plain values to JSON text, and back.
//
// Reading: UTF-8 JSON of a single value, nested at most 32 deep. A duplicate name in an object is rejected, and so is a
// number beyond DynamoDB's 38 digits. Numbers are exact: they never pass through a double.
// Writing: compact. A set is an array, binary is base64 text, a moment is ISO 8601 (with milliseconds only if not
// zero), a duration is its seconds. An absent member of a map is omitted; absent elsewhere is null. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "runtime/values/plain.h"

namespace trestle::runtime {

inline constexpr int kJsonDepthMax = 32;

// The error is a message for the caller: "The name `a` occurs twice in one object."
BasicResult<Plain, std::string> parse_plain_json(std::string_view json);

void append_plain_json(std::string& out, const Plain& value);
std::string plain_json(const Plain& value);

}  // namespace trestle::runtime
