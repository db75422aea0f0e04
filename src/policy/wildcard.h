// Patterns of policies: * matches any text, ? any one character, and ${key} is replaced by the value of that key in the
// request's context (${*}, ${?} and ${$} are the literal characters; ${key, 'text'} has a default).
//
// The replacement of a variable is literal text: a user named * matches only that name. Pure. Matching takes at worst
// time proportional to the product of both lengths, which request limits bound.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/access_context.h"

namespace trestle {

// Wildcards of a prepared pattern. The text of a policy has no characters below the space.
inline constexpr char kAnyText = '\x01';
inline constexpr char kAnyCharacter = '\x02';

// A pattern with its marks in place; with a context its variables are replaced, without one they are plain text.
// Nothing: a variable has no value, and so the pattern matches nothing.
std::optional<std::string> ready_pattern(std::string_view pattern, const AccessContext* context);
// The same where * and ? are characters like others.
std::optional<std::string> ready_text(std::string_view text, const AccessContext* context);

bool matches(std::string_view ready, std::string_view text);
bool matches_ignoring_case(std::string_view ready, std::string_view text);
// Matches an ARN part by part, so that * does not match across a colon; the sixth part is the rest.
bool matches_arn(std::string_view ready, std::string_view arn);
// Whether it matches every text.
bool matches_everything(std::string_view ready);

}  // namespace trestle
