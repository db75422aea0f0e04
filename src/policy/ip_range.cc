#include "policy/ip_range.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

namespace trestle {
namespace {

// IPv4 addresses are stored as IPv4-mapped IPv6 addresses.
using Address = std::array<uint8_t, 16>;
constexpr std::array<uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

struct ReadAddress {
  Address bytes{};
  bool is_v4 = false;  // as written
};

std::optional<ReadAddress> read_address(std::string_view text) {
  const std::string copy(text);
  ReadAddress read;
  std::array<uint8_t, 4> v4{};
  if (inet_pton(AF_INET, copy.c_str(), v4.data()) == 1) {
    std::ranges::copy(kMapped, read.bytes.begin());
    std::ranges::copy(v4, read.bytes.begin() + 12);
    read.is_v4 = true;
    return read;
  }
  if (inet_pton(AF_INET6, copy.c_str(), read.bytes.data()) != 1) return std::nullopt;
  return read;
}

}  // namespace

bool is_in_ip_range(std::string_view address, std::string_view range) {
  const size_t slash = range.find('/');
  const auto actual = read_address(address);
  const auto base = read_address(range.substr(0, slash));
  if (!actual || !base) return false;
  const unsigned bits_max = base->is_v4 ? 32 : 128;
  unsigned bits = bits_max;
  if (slash != std::string_view::npos) {
    const std::string_view text = range.substr(slash + 1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
    if (error != std::errc{} || end != text.data() + text.size() || bits > bits_max) return false;
  }
  if (base->is_v4) bits += 96;
  for (unsigned i = 0; i < 16 && bits > 0; ++i) {
    const unsigned here = std::min(bits, 8u);
    const auto mask = static_cast<uint8_t>(0xff00u >> here);
    if (((actual->bytes[i] ^ base->bytes[i]) & mask) != 0) return false;
    bits -= here;
  }
  return true;
}

}  // namespace trestle
