// The patterns of S3 bucket names and account ids in requests, which DynamoDB quotes when it rejects a name. Opening a
// bucket applies stricter rules (bucket/object_name.h).
#pragma once

#include <algorithm>
#include <string_view>

#include "base/ascii.h"
#include "model/shapes/shape.h"

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

// Rules of requests that name a bucket.
struct BucketRules : ShapeRules {
  static constexpr rules::Pattern bucket_name{matches_bucket_pattern, "^[a-z0-9A-Z]+[\\.\\-\\w]*[a-z0-9A-Z]+$",
                                              "bucket"};
  static constexpr rules::Pattern account{matches_account_pattern, "[0-9]{12}", "000000000000"};
  static constexpr rules::Pattern client_token{
      [](std::string_view text) { return !text.empty() && text.find('$') == text.npos; }, "^[^\\$]+$", "token"};
};

}  // namespace trestle
