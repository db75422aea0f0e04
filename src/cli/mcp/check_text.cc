#include "cli/mcp/check_text.h"

namespace trestle::mcp {

std::optional<std::string> explain_finding(std::string_view code) {
  const std::string_view document = checks_document();
  const std::string paragraph = "\n**" + std::string(code) + " ";
  if (const size_t start = document.find(paragraph); start != std::string_view::npos) {
    // Ends at the next finding or heading: a finding may have several paragraphs.
    const size_t next = std::min(document.find("\n\n**T", start + 1), document.find("\n## ", start + 1));
    return std::string(document.substr(start + 1, next == std::string_view::npos ? next : next - start - 1));
  }
  const std::string row = "\n| " + std::string(code) + " |";
  if (const size_t start = document.find(row); start != std::string_view::npos) {
    return std::string(document.substr(start + 1, document.find('\n', start + 1) - start - 1));
  }
  return std::nullopt;
}

}  // namespace trestle::mcp
