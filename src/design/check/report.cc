#include "design/check/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/json/json_writer.h"

namespace trestle::design {
namespace {

// The remark that suppresses the finding, or null. Mistakes of the text (T0..) cannot be suppressed.
const Remark* suppressing_remark(const Design& design, const Finding& finding) {
  const Remark* found = nullptr;
  for (const Remark& remark : design.remarks) {
    if (remark.applies_to_line == finding.place.line && finding.code >= "T100" &&
        std::ranges::find(remark.codes, finding.code) != remark.codes.end())
      found = &remark;
  }
  return found;
}

std::string finding_json(const Finding& finding, std::string_view more) {
  return fmt::format(R"({{"code": {}, "severity": {}, "line": {}, "column": {}, "message": {}, "repair": {}{}}})",
                     json_quoted(finding.code), json_quoted(severity_name(finding.severity)), finding.place.line,
                     finding.place.column, json_quoted(finding.message), json_quoted(finding.repair), more);
}

}  // namespace

size_t Report::count(Severity severity) const {
  return static_cast<size_t>(
      std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.severity == severity; }));
}

bool has_errors(const Design& design, const std::vector<Finding>& findings) {
  return std::ranges::any_of(findings, [&](const Finding& finding) {
    return finding.severity == Severity::kError && suppressing_remark(design, finding) == nullptr;
  });
}

Report compose_report(const Design& design, std::vector<Finding> findings) {
  const auto order = [](const Finding& finding) { return std::tie(finding.place, finding.code, finding.message); };
  std::ranges::stable_sort(findings, {}, order);
  const auto duplicates = std::ranges::unique(findings, {}, order);
  findings.erase(duplicates.begin(), duplicates.end());

  Report report;
  std::set<const Remark*> used;
  for (Finding& finding : findings) {
    if (const Remark* remark = suppressing_remark(design, finding)) {
      used.insert(remark);
      report.suppressed.push_back({std::move(finding), remark->reason});
    } else {
      report.findings.push_back(std::move(finding));
    }
  }
  for (const Remark& remark : design.remarks) {
    if (!used.contains(&remark) && !remark.codes.empty()) {
      report.findings.push_back({"T007", Severity::kNote, remark.place,
                                 "this remark suppresses nothing: its line has no finding with that code",
                                 "remove it"});
    }
  }
  return report;
}

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
