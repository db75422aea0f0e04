#include "protocol/json/base64.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"

namespace trestle {
namespace {

// DynamoDB's message for text that is not base64.
std::string base64_fault(std::string_view text) {
  const auto non_ascii = std::ranges::find_if(text, [](char c) { return static_cast<unsigned char>(c) > 0x7f; });
  if (non_ascii != text.end()) {
    return fmt::format("Invalid character found at position {} for {}", non_ascii - text.begin(), text);
  }
  if (text.size() % 4 != 0) {
    return "Base64 encoded length is expected a multiple of 4 bytes but found: " + std::to_string(text.size());
  }
  size_t digits = text.size();
  for (int i = 0; i < 2 && digits > 0 && text[digits - 1] == '='; ++i) --digits;
  const size_t last = kBase64Digits.find(text[digits - 1]);  // npos has all bits set
  if (digits % 4 != 0 && (last & (digits % 4 == 2 ? 15 : 3)) != 0) {
    return "Invalid last non-pad Base64 character dectected";
  }
  return "Invalid base 64 character: '" + std::string(1, text[text.find_first_not_of(kBase64Digits)]) + "'";
}

}  // namespace

Result<void> append_base64_decoded(std::string& out, std::string_view text) {
  if (append_base64_bytes(out, text)) [[likely]]
    return {};
  return failure(ErrorCode::kSerialization, base64_fault(text));
}

}  // namespace trestle
