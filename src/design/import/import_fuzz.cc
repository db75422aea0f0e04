// Fuzz test with arbitrary bytes as a model of another tool: an import must not crash, and its result must be YAML.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "design/check/check.h"
#include "design/import/import_onetable.h"
#include "design/import/import_workbench.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& imported : {trestle::design::import_workbench(text), trestle::design::import_onetable(text)}) {
    if (!imported.has_value()) continue;
    // A design may reject names from the model, but the result is always valid YAML.
    for (const auto& finding : trestle::design::check_text(*imported).findings) {
      if (finding.code == "T001") std::abort();
    }
  }
  return 0;
}
