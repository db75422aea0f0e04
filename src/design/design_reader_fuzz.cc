// Any bytes as a design file: reading and checking end, without a crash, and say the same thing twice.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "design/check.h"
#include "design/report.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string first = trestle::design::report_json("x", trestle::design::check_text(text));
  const std::string second = trestle::design::report_json("x", trestle::design::check_text(text));
  if (first != second) std::abort();
  return 0;
}
