#include "runtime/values/text_types.h"

#include <arpa/inet.h>

#include <algorithm>
#include <bitset>
#include <charconv>
#include <cstring>

#include "base/ascii.h"

namespace trestle::runtime {
namespace {

bool is_label(std::string_view label) {
  if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-') return false;
  return std::all_of(label.begin(), label.end(), [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
}

// At least two labels, the last one not a number.
bool is_domain(std::string_view text) {
  if (text.size() < 4 || text.size() > 253) return false;
  size_t labels = 0;
  std::string_view last;
  for (size_t at = 0; at <= text.size();) {
    const size_t dot = std::min(text.find('.', at), text.size());
    last = text.substr(at, dot - at);
    if (!is_label(last)) return false;
    ++labels;
    at = dot + 1;
  }
  return labels >= 2 && last.size() >= 2 && !std::all_of(last.begin(), last.end(), is_digit);
}

// The address's bytes, and whether it is v6.
struct Address {
  unsigned char bytes[16] = {};
  bool six = false;
};

std::optional<Address> read_address(std::string_view text) {
  if (text.size() > 45) return std::nullopt;
  char whole[46] = {};
  std::memcpy(whole, text.data(), text.size());
  if (std::strlen(whole) != text.size()) return std::nullopt;
  Address address;
  if (inet_pton(AF_INET, whole, address.bytes) == 1) return address;
  address.six = true;
  if (inet_pton(AF_INET6, whole, address.bytes) == 1) return address;
  return std::nullopt;
}

std::string written(const Address& address) {
  char out[INET6_ADDRSTRLEN] = {};
  inet_ntop(address.six ? AF_INET6 : AF_INET, address.bytes, out, sizeof out);
  return out;
}

}  // namespace

std::optional<std::string> email_text(std::string_view text) {
  const size_t at = text.rfind('@');
  if (at == std::string_view::npos || at == 0 || at > 64 || !is_domain(text.substr(at + 1))) return std::nullopt;
  const std::string_view local = text.substr(0, at);
  if (local.front() == '.' || local.back() == '.' || local.find("..") != std::string_view::npos) return std::nullopt;
  constexpr std::string_view kOthers = "!$%&'*+-/=?^_`{|}~.";
  for (const char c : local) {
    if (!is_letter(c) && !is_digit(c) && kOthers.find(c) == std::string_view::npos) return std::nullopt;
  }
  return lower(text);
}

std::optional<std::string> domain_text(std::string_view text) {
  return is_domain(text) ? std::optional(lower(text)) : std::nullopt;
}

std::optional<std::string> pattern_domain_text(std::string_view text) {
  const std::string_view rest = text.starts_with("*.") ? text.substr(2) : text;
  return is_domain(rest) && text.size() <= 253 ? std::optional(lower(text)) : std::nullopt;
}

std::optional<std::string> url_text(std::string_view text) {
  if (text.size() > 2000) return std::nullopt;
  const std::string scheme = lower(text.substr(0, 8));
  const size_t start = scheme.starts_with("https://") ? 8 : scheme.starts_with("http://") ? 7 : 0;
  if (start == 0 || text.size() == start) return std::nullopt;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7F || c == '"' || c == '<' || c == '>' || c == '\\' ||
        c == '^' || c == '`' || c == '{' || c == '|' || c == '}')
      return std::nullopt;
  }
  // The host is between an optional user and an optional port.
  std::string_view host = text.substr(start, std::min(text.find_first_of("/?#", start), text.size()) - start);
  if (const size_t user = host.rfind('@'); user != std::string_view::npos) host.remove_prefix(user + 1);
  if (host.starts_with('[')) {
    const size_t close = host.find(']');
    if (close == std::string_view::npos || !ip_text(host.substr(1, close - 1))) return std::nullopt;
    host.remove_prefix(close + 1);
    if (host.empty()) return std::string(text);
    if (host.front() != ':') return std::nullopt;
  }
  if (const size_t colon = host.find(':'); colon != std::string_view::npos) {
    const std::string_view port = host.substr(colon + 1);
    int value = 0;
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), value);
    if (port.empty() || error != std::errc() || end != port.data() + port.size() || value < 1 || value > 65535)
      return std::nullopt;
    host = host.substr(0, colon);
    if (host.empty()) return text[start] == '[' ? std::optional(std::string(text)) : std::nullopt;
  }
  for (size_t at = 0; at <= host.size();) {
    const size_t dot = std::min(host.find('.', at), host.size());
    if (!is_label(host.substr(at, dot - at))) return std::nullopt;
    at = dot + 1;
  }
  return std::string(text);
}

std::optional<std::string> e164_text(std::string_view text) {
  if (text.size() < 8 || text.size() > 16 || text[0] != '+' || text[1] == '0') return std::nullopt;
  if (!std::all_of(text.begin() + 1, text.end(), is_digit)) return std::nullopt;
  return std::string(text);
}

std::optional<std::string> ip_text(std::string_view text) {
  const auto address = read_address(text);
  return address ? std::optional(written(*address)) : std::nullopt;
}

std::optional<std::string> cidr_text(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto address = read_address(text.substr(0, slash));
  const std::string_view length = text.substr(slash + 1);
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bits);
  if (!address || length.empty() || error != std::errc() || end != length.data() + length.size()) return std::nullopt;
  const unsigned width = address->six ? 128 : 32;
  if (bits > width) return std::nullopt;
  for (unsigned bit = bits; bit < width; ++bit) {
    if ((address->bytes[bit / 8] >> (7 - bit % 8) & 1) != 0) return std::nullopt;
  }
  return written(*address) + "/" + std::to_string(bits);
}

std::optional<std::string> uuid_text(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  std::string folded = lower(text);
  for (size_t i = 0; i < folded.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? folded[i] != '-' : !is_lower_hex({&folded[i], 1})) return std::nullopt;
  }
  return folded;
}

size_t character_count(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool is_lower_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

bool has_only(std::string_view text, std::string_view ranges) {
  std::bitset<256> allowed;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const auto low = static_cast<unsigned char>(ranges[i]);
    const bool range = i + 2 < ranges.size() && ranges[i + 1] == '-';
    const auto high = static_cast<unsigned char>(range ? ranges[i + 2] : ranges[i]);
    for (unsigned c = low; c <= high; ++c) allowed.set(c);
    if (range) i += 2;
  }
  return std::all_of(text.begin(), text.end(), [&](char c) { return allowed[static_cast<unsigned char>(c)]; });
}

}  // namespace trestle::runtime
