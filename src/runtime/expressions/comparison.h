// Comparison of plain values. If one side is a moment or its type declares it to be a time (Plain::is_time), both
// compare as times, in whatever notation each is: a moment, ISO text, a date, an hour, or Unix time as a number. Texts
// that merely look like times compare as text, as in DynamoDB. Pure.
#pragma once

#include <compare>
#include <optional>

#include "runtime/values/plain.h"

namespace trestle::runtime {

// The value as a time in Unix milliseconds, if it can be read as one.
std::optional<int64_t> time_of(const Plain& value);
// Nothing if there is no order: a side is absent, the kinds are not comparable, or they are lists, maps or sets.
std::optional<std::strong_ordering> compare(const Plain& a, const Plain& b);
// The order as values of one kind, even if they are times: the order of the text or number.
std::optional<std::strong_ordering> compare_values(const Plain& a, const Plain& b);
// An absent side equals nothing.
bool equal(const Plain& a, const Plain& b);

}  // namespace trestle::runtime
