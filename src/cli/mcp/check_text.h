// What docs/checks.md says of a finding. The document is part of the program.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trestle::mcp {

std::string_view checks_document();

// The paragraph or table row of the code, such as "T203"; nullopt: there is none.
std::optional<std::string> explain_finding(std::string_view code);

}  // namespace trestle::mcp
