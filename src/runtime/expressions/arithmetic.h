// Products and quotients of exact decimals (sums are in model/number.h), rounded half up to 38 digits. Fails if
// DynamoDB could not store the result, or if the divisor is zero. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/number.h"

namespace trestle::runtime {

Result<Number> multiply(const Number& a, const Number& b);
Result<Number> divide(const Number& a, const Number& b);
// The integer part, rounded towards zero, if it fits.
std::optional<int64_t> integer_of(std::string_view canonical);
bool is_integer(std::string_view canonical);

}  // namespace trestle::runtime
