#include "model/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace trestle {
namespace {

bool is_table_name(std::string_view text) {
  static constexpr auto kAllowed = [] {
    std::array<bool, 256> allowed{};
    for (int c = 0; c < 128; ++c)
      allowed[c] = is_letter(char(c)) || is_digit(char(c)) || c == '_' || c == '.' || c == '-';
    return allowed;
  }();
  return !text.empty() && text.size() <= 255 &&
         std::ranges::all_of(text, [](char c) { return kAllowed[static_cast<unsigned char>(c)]; });
}

// Removes the text before the next colon from `rest` and returns it. Nothing if there is no colon or no text.
std::optional<std::string_view> take_part(std::string_view& rest) {
  const size_t colon = rest.find(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const auto part = rest.substr(0, colon);
  rest.remove_prefix(colon + 1);
  return part;
}

}  // namespace

std::string table_arn(std::string_view region, std::string_view account, std::string_view table) {
  return fmt::format("arn:aws:dynamodb:{}:{}:table/{}", region, account, table);
}

std::optional<std::string_view> table_name_of(std::string_view name_or_arn) {
  if (is_table_name(name_or_arn)) return name_or_arn;
  auto rest = name_or_arn;
  if (take_part(rest) != "arn") return std::nullopt;
  const auto partition = take_part(rest);
  if (!partition || !partition->starts_with("aws")) return std::nullopt;
  if (take_part(rest) != "dynamodb") return std::nullopt;
  if (!take_part(rest)) return std::nullopt;
  const auto account = take_part(rest);
  if (!account || !std::ranges::all_of(*account, [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  constexpr std::string_view kTable = "table/";
  if (!rest.starts_with(kTable) || !is_table_name(rest.substr(kTable.size()))) return std::nullopt;
  return rest.substr(kTable.size());
}

}  // namespace trestle
