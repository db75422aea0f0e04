// Patterns of policies: * stands for any text and ? for any one character, and ${key} for what the request's context
// has under that key (${*}, ${?} and ${$} for the marks themselves, ${key, 'text'} for a text where it has nothing).
//
// What a variable is replaced by is plain text: a user who is called * matches only his own name.
// Pure. Matching takes time in proportion to the product of both lengths at worst, which are bounded by what may be
// sent.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/access_context.h"

namespace trestle {

// Marks of a pattern that was made ready; no text of a policy has characters below the blank.
inline constexpr char kAnyText = '\x01';
inline constexpr char kAnyCharacter = '\x02';

// A pattern with its marks in place; with a context its variables are replaced, without one they are plain text.
// Nothing: a variable has no value, and so the pattern matches nothing.
std::optional<std::string> ready_pattern(std::string_view pattern, const AccessContext* context);
// The same where * and ? are characters like others.
std::optional<std::string> ready_text(std::string_view text, const AccessContext* context);

bool matches(std::string_view ready, std::string_view text);
bool matches_ignoring_case(std::string_view ready, std::string_view text);
// An ARN is matched part by part, so that no * reaches over a colon; the sixth part is the rest.
bool matches_arn(std::string_view ready, std::string_view arn);
// Whether it matches every text.
bool matches_everything(std::string_view ready);

}  // namespace trestle
