// The checker's findings, and those that the design suppresses with a reason.
#include "design/docs/docs_impl.h"

namespace trestle::design {
namespace {

Markup severity_class(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "";
}

// The checker's messages are not capitalized; here they become whole sentences.
std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  if (!text.empty() && text.back() != '.' && text.back() != '?') text.push_back('.');
  return text;
}

// Renders text between backquotes as code.
Html prose(std::string_view text) {
  Html out;
  bool inside = false;
  while (!text.empty()) {
    const size_t mark = text.find('`');
    const bool closes =
        mark != std::string_view::npos && (inside || text.find('`', mark + 1) != std::string_view::npos);
    if (!closes) return std::move(out << text);
    out << text.substr(0, mark) << (inside ? Markup("</code>") : Markup("<code>"));
    inside = !inside;
    text.remove_prefix(mark + 1);
  }
  return out;
}

void row(Html& out, const Finding& finding, Markup kind, Markup word, std::string_view reason) {
  out << "<div class=\"finding\"><div class=\"sev " << kind << "\">" << word << "</div><div><code>" << finding.code
      << "</code></div><div class=\"quiet small\">line " << finding.place.line << "</div><div><p>"
      << prose(sentence(finding.message)) << "</p>";
  if (!reason.empty())
    out << "<p class=\"repair\">Suppressed: " << prose(sentence(std::string(reason))) << "</p>";
  else if (!finding.repair.empty())
    out << "<p class=\"repair\">" << prose(sentence(finding.repair)) << "</p>";
  out << "</div></div>\n";
}

}  // namespace

Html docs_findings(const DocsContext& context) {
  Html out;
  out << "<div class=\"panel\">\n";
  if (context.report.findings.empty()) out << "<div class=\"empty\">Nothing: no error, no warning, no note.</div>\n";
  for (const Severity severity : {Severity::kError, Severity::kWarning, Severity::kNote}) {
    const Markup word = severity_class(severity);
    for (const Finding& finding : context.report.findings) {
      if (finding.severity == severity) row(out, finding, word, word, "");
    }
  }
  out << "</div>\n";
  if (context.report.suppressed.empty()) return out;
  out << "<h3>Suppressed</h3>\n<div class=\"panel\">\n";
  for (const SuppressedFinding& hidden : context.report.suppressed)
    row(out, hidden.finding, "suppressed", severity_class(hidden.finding.severity),
        hidden.reason.empty() ? "no reason" : hidden.reason);
  out << "</div>\n";
  return out;
}

}  // namespace trestle::design
