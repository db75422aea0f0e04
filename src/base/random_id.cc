#include "base/random_id.h"

#include <fmt/format.h>
#include <openssl/rand.h>

#include <array>
#include <cstring>
#include <random>
#include <string_view>

#include "base/check.h"

namespace trestle {

uint64_t random_u64() {
  thread_local std::mt19937_64 generator([] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }());
  return generator();
}

std::string random_request_id() {
  static constexpr std::string_view kAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
  static constexpr auto kPairs = [] {
    std::array<std::array<char, 2>, 1024> pairs{};
    for (size_t i = 0; i < pairs.size(); ++i) pairs[i] = {kAlphabet[i / 32], kAlphabet[i % 32]};
    return pairs;
  }();
  std::string id(52, '0');
  uint64_t bits = 0;
  for (size_t i = 0; i < id.size(); i += 2, bits >>= 10) {
    if (i % 12 == 0) bits = random_u64();
    std::memcpy(&id[i], kPairs[bits % 1024].data(), 2);
  }
  return id;
}

std::string random_uuid() {
  uint64_t bits[2];
  CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(bits), sizeof bits) == 1);
  const auto [a, b] = bits;
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", a >> 32, (a >> 16) & 0xFFFF, a & 0xFFF, 0x8000 | (b >> 50),
                     b & 0xFFFFFFFFFFFF);
}

}  // namespace trestle
