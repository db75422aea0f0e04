// Fuzz test with arbitrary bytes as a design file. Reading and checking terminate without a crash and are
// deterministic. A design that reads without mistakes can be planned, and its plans can be printed.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "design/check/check.h"
#include "design/check/report.h"
#include "design/language/reader.h"
#include "design/plan/plan_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string first = trestle::design::report_json("x", trestle::design::check_text(text));
  const std::string second = trestle::design::report_json("x", trestle::design::check_text(text));
  if (first != second) std::abort();
  const trestle::design::Reading reading = trestle::design::read_design(text);
  if (!reading.mistakes.empty()) return 0;
  for (const trestle::design::Plan& plan : trestle::design::plan_design(reading.design)) {
    if (plan_text(reading.design, plan).empty() || plan_json(reading.design, plan).empty()) std::abort();
  }
  return 0;
}
