#include "base/bytes.h"

#include <gtest/gtest.h>

#include <vector>

namespace trestle {
namespace {

TEST(Varint, every_length_is_read_as_it_was_written) {
  std::vector<uint64_t> values{0, UINT64_MAX};
  for (unsigned bit = 0; bit < 64; ++bit) {
    for (const uint64_t near : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}}) values.push_back((uint64_t{1} << bit) + near);
  }
  for (const uint64_t value : values) {
    std::string bytes;
    append_varint(bytes, value);
    for (const std::string_view after : {"", "x", "\xFF\xFF"}) {
      const std::string all = bytes + std::string(after);
      std::string_view in = all;
      uint64_t read = 0;
      ASSERT_TRUE(read_varint(in, read)) << value;
      EXPECT_EQ(read, value);
      EXPECT_EQ(in, after);
    }
    for (size_t size = 0; size < bytes.size(); ++size) {
      std::string_view cut = std::string_view(bytes).substr(0, size);
      uint64_t read = 0;
      EXPECT_FALSE(read_varint(cut, read)) << value;
    }
  }
}

}  // namespace
}  // namespace trestle
