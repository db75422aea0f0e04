// Helpers for check tests: build small designs and collect the codes of their findings.
#pragma once

#include <fmt/format.h>

#include <set>
#include <string>

#include "design/check/check.h"

namespace trestle::design {

inline std::set<std::string> codes_of(std::string_view text) {
  std::set<std::string> codes;
  for (const Finding& finding : check_text(text).findings) codes.insert(finding.code);
  return codes;
}

// Returns a design with one table t (PK, SK; TTL `ttl`; indexes G1 and G2) followed by `rest`, which begins with
// "entities:".
inline std::string around(std::string_view rest) {
  return fmt::format(R"y(design: test
tables:
  t:
    key: [PK, SK]
    ttl: ttl
    stream: new-and-old
    indexes: {{G1: {{key: [G1PK, G1SK]}}, G2: {{key: [G2PK, G2SK]}}}}
{})y",
                     rest);
}

inline bool has(std::string_view code, std::string_view rest) {
  return codes_of(around(rest)).contains(std::string(code));
}

}  // namespace trestle::design
