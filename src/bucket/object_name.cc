#include "bucket/object_name.h"

#include <algorithm>

#include "base/ascii.h"

namespace trestle {
namespace {

bool is_letter_or_digit(char c) { return is_letter(c) || is_digit(c); }

bool is_part(std::string_view part) {
  return !part.empty() && part != "." && part != ".." && part.size() <= 255 && !part.starts_with(kUnfinishedMark);
}

}  // namespace

bool is_bucket_name(std::string_view name) {
  if (name.size() < 3 || name.size() > 255) return false;
  if (!is_letter_or_digit(name.front()) || !is_letter_or_digit(name.back())) return false;
  if (name.find("..") != std::string_view::npos) return false;
  return std::ranges::all_of(name, [](char c) { return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_'; });
}

bool is_object_name(std::string_view name) {
  if (name.empty() || name.size() > 1024) return false;
  if (std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; })) return false;
  while (true) {
    const size_t slash = name.find('/');
    if (!is_part(name.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
}

}  // namespace trestle
