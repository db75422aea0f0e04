#include "base/random_id.h"

#include <fmt/format.h>
#include <openssl/rand.h>

#include <random>

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
  static constexpr char kAlphabet[] = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
  std::string id(52, '0');
  for (size_t i = 0; i < id.size();) {
    uint64_t bits = random_u64();
    for (int j = 0; j < 12 && i < id.size(); ++j, ++i, bits >>= 5) id[i] = kAlphabet[bits & 31];
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
