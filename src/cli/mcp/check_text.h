// The text of docs/checks.md about a finding. The document is embedded in the program.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trestle::mcp {

std::string_view checks_document();

// The paragraph or table row for a code such as "T203"; nullopt if there is none.
std::optional<std::string> explain_finding(std::string_view code);

}  // namespace trestle::mcp
