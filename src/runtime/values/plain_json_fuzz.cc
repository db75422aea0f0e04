// Parses arbitrary text as JSON: a parsed value can be written, and parses to the same value again.
#include "base/check.h"
#include "runtime/values/plain_json.h"

using namespace trestle::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto parsed = parse_plain_json({reinterpret_cast<const char*>(data), size});
  if (!parsed) return 0;
  const std::string text = plain_json(*parsed);
  const auto again = parse_plain_json(text);
  CHECK(again.has_value(), text);
  CHECK(*again == *parsed, text);
  return 0;
}
