#include "runtime/values/packing.h"

#include <gtest/gtest.h>

#include <random>

namespace trestle::runtime {
namespace {

TEST(Packing, everything_comes_back) {
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  for (size_t length : {size_t{0}, size_t{1}, size_t{100}, size_t{5000}, size_t{300000}}) {
    for (const int alphabet : {1, 4, 256}) {
      std::string bytes;
      for (size_t i = 0; i < length; ++i)
        bytes.push_back(static_cast<char>(random() % static_cast<unsigned>(alphabet)));
      const std::string small = pack_bytes(bytes);
      ASSERT_TRUE(is_packed(small));
      const auto again = unpack_bytes(small);
      ASSERT_TRUE(again.has_value()) << "seed " << seed;
      ASSERT_TRUE(*again == bytes) << "seed " << seed;
    }
  }
}

TEST(Packing, what_is_damaged_is_refused) {
  const std::string small = pack_bytes(std::string(1000, 'a'));
  EXPECT_FALSE(unpack_bytes("plain").has_value());
  EXPECT_FALSE(unpack_bytes("").has_value());
  for (size_t i = 0; i < small.size(); ++i) EXPECT_FALSE(unpack_bytes(small.substr(0, i)).has_value()) << i;
  EXPECT_FALSE(unpack_bytes(small + "x").has_value());
  std::string other = small;
  other[other.size() - 6] = static_cast<char>(other[other.size() - 6] ^ 1);  // the checksum
  EXPECT_FALSE(unpack_bytes(other).has_value());
}

TEST(Packing, a_bomb_is_refused) {
  EXPECT_FALSE(unpack_bytes(pack_bytes(std::string(kUnpackedMax + 1, 'a'))).has_value());
}

}  // namespace
}  // namespace trestle::runtime
