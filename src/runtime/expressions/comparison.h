// Comparison of plain values. Times compare as times, in whatever notation each side is: a moment, ISO text, a date, an
// hour, or Unix time as a number. Two texts compare as times only if both are complete ISO times. Pure.
#pragma once

#include <compare>
#include <optional>

#include "runtime/values/plain.h"

namespace trestle::runtime {

// The value as a time in Unix milliseconds, if it can be read as one.
std::optional<int64_t> time_of(const Plain& value);
// Nothing if there is no order: a side is absent, the kinds are not comparable, or they are lists, maps or sets.
std::optional<std::strong_ordering> compare(const Plain& a, const Plain& b);
// An absent side equals nothing.
bool equal(const Plain& a, const Plain& b);

}  // namespace trestle::runtime
