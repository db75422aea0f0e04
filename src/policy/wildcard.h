// Patterns in policies: * matches any text, ? matches any one character, and ${key} is replaced by the value of that
// key in the request's context (${*}, ${?} and ${$} are the literal characters; ${key, 'text'} has a default).
//
// The value of a variable is literal text: a user named * matches only that name. Pure. In the worst case, matching
// takes time proportional to the product of both lengths, which are bounded by request limits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/access_context.h"

namespace trestle {

// The wildcards in a prepared pattern. They cannot occur in a policy's text, which has no control characters.
inline constexpr char kAnyText = '\x01';
inline constexpr char kAnyCharacter = '\x02';

// Prepares a pattern for matching: replaces * and ? by the wildcards above, and variables by their values. Without a
// context, variables are plain text. Returns nothing if a variable has no value; such a pattern matches nothing.
std::optional<std::string> prepare_pattern(std::string_view pattern, const AccessContext* context);
// The same, but * and ? are plain text.
std::optional<std::string> prepare_text(std::string_view text, const AccessContext* context);

bool matches(std::string_view prepared, std::string_view text);
bool matches_ignoring_case(std::string_view prepared, std::string_view text);
// Matches an ARN part by part, so that * does not match across a colon. The sixth part is the rest of the ARN.
bool matches_arn(std::string_view prepared, std::string_view arn);
// Whether the pattern matches every text.
bool matches_everything(std::string_view prepared);

}  // namespace trestle
