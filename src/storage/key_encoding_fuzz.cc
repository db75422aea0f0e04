// Arbitrary bytes as key components: what read_component() accepts encodes to bytes that read back as the same value.
#include "base/check.h"
#include "storage/key_encoding.h"

using namespace trestle;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  static constexpr ValueType kTypes[] = {ValueType::kString, ValueType::kNumber, ValueType::kBinary};
  const ValueType type = kTypes[data[0] % 3];
  std::string_view in(reinterpret_cast<const char*>(data) + 1, size - 1);
  while (const auto value = read_component(in, type)) {
    std::string encoded;
    append_component(encoded, *value);
    std::string_view rest = encoded;
    CHECK(read_component(rest, type) == value);
    CHECK(rest.empty());
  }
  return 0;
}
