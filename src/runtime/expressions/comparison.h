// How plain values compare. Times compare as times, whichever way each side is written: a moment, ISO text, a date, an
// hour, Unix time as a number. Two texts are times only if both are whole ISO times. Pure.
#pragma once

#include <compare>
#include <optional>

#include "runtime/values/plain.h"

namespace trestle::runtime {

// The value as a time in Unix milliseconds, if it can be read as one.
std::optional<int64_t> time_of(const Plain& value);
// Nothing where there is no order: an absent side, kinds that do not compare, lists, maps and sets.
std::optional<std::strong_ordering> compare(const Plain& a, const Plain& b);
// An absent side equals nothing.
bool equal(const Plain& a, const Plain& b);

}  // namespace trestle::runtime
