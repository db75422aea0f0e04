#include "design/check/report.h"

#include <fmt/format.h>

#include "base/json/json_writer.h"

namespace trestle::design {
namespace {

std::string finding_json(const Finding& finding, std::string_view more) {
  return fmt::format(R"({{"code": {}, "severity": {}, "line": {}, "column": {}, "message": {}, "repair": {}{}}})",
                     json_quoted(finding.code), json_quoted(severity_name(finding.severity)), finding.place.line,
                     finding.place.column, json_quoted(finding.message), json_quoted(finding.repair), more);
}

}  // namespace

std::string report_text(std::string_view file, const Report& report) {
  std::string out;
  for (const Finding& finding : report.findings) {
    out += fmt::format("{}:{}:{}: {} {}: {}\n", file, finding.place.line, finding.place.column,
                       severity_name(finding.severity), finding.code, finding.message);
    if (!finding.repair.empty()) out += fmt::format("    repair: {}\n", finding.repair);
  }
  const auto many = [](size_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  out += fmt::format("{}: {}, {}, {}, {} suppressed\n", file, many(report.count(Severity::kError), "error"),
                     many(report.count(Severity::kWarning), "warning"), many(report.count(Severity::kNote), "note"),
                     report.suppressed.size());
  return out;
}

std::string report_json(std::string_view file, const Report& report) {
  std::string findings;
  std::string suppressed;
  for (const Finding& finding : report.findings)
    findings += (findings.empty() ? "\n  " : ",\n  ") + finding_json(finding, "");
  for (const SuppressedFinding& hidden : report.suppressed) {
    suppressed += (suppressed.empty() ? "\n  " : ",\n  ") +
                  finding_json(hidden.finding, fmt::format(R"(, "reason": {})", json_quoted(hidden.reason)));
  }
  return fmt::format(
      R"({{"file": {}, "errors": {}, "warnings": {}, "notes": {},{}"findings": [{}],{}"excused": [{}]}})",
      json_quoted(file), report.count(Severity::kError), report.count(Severity::kWarning),
      report.count(Severity::kNote), "\n ", findings, "\n ", suppressed);
}

}  // namespace trestle::design
