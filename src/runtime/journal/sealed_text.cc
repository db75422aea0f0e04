#include "runtime/journal/sealed_text.h"

namespace trestle::runtime {
namespace {

constexpr char kOpen = 0;
constexpr char kSealed = 1;

}  // namespace

std::string seal_text(const KeyRing* keys, const std::string& text, std::string_view owner) {
  if (keys == nullptr) return std::string(1, kOpen) + text;
  return std::string(1, kSealed) + keys->seal(text, owner);
}

Outcome<std::string> open_text(const KeyRing* keys, std::string_view stored, std::string_view owner) {
  if (stored.empty()) return refuse(500, "The journal's record of the call is damaged.");
  std::string text(stored.substr(1));
  if (stored[0] != kSealed) return text;
  if (keys == nullptr) return refuse(500, "The first answer is sealed, and there is no key ring to open it.");
  auto opened = keys->open(text, owner);
  if (!opened) return refuse(500, opened.error());
  return std::move(*opened);
}

}  // namespace trestle::runtime
