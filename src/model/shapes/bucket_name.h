// The patterns of S3 bucket names and account ids in requests, which DynamoDB quotes when it rejects a name. Opening a
// bucket applies stricter rules (bucket/object_name.h).
#pragma once

#include <algorithm>
#include <string_view>

#include "base/ascii.h"

namespace trestle {

// [a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+
inline bool matches_bucket_pattern(std::string_view name) {
  const auto is_letter_or_digit = [](char c) { return is_letter(c) || is_digit(c); };
  if (name.size() < 2 || !is_letter_or_digit(name.front()) || !is_letter_or_digit(name.back())) return false;
  return std::ranges::all_of(name, [&](char c) { return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_'; });
}

// [0-9]{12}
inline bool matches_account_pattern(std::string_view owner) {
  return owner.size() == 12 && std::ranges::all_of(owner, is_digit);
}

}  // namespace trestle
