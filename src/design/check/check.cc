#include "design/check/check.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "design/check/check_impl.h"

namespace trestle::design {

size_t Report::count(Severity severity) const {
  return static_cast<size_t>(
      std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.severity == severity; }));
}

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

bool is_error(const Finding& finding) { return finding.severity == Severity::kError; }

}  // namespace

std::vector<Finding> run_passes(const Reading& reading) {
  Findings found;
  if (!reading.design.tables.empty()) {
    const CheckContext context(reading.design);
    check_tables(context, found);
    check_keys(context, found);
    check_constants(context, found);
    check_prefixes(context, found);
    check_growth(context, found);
    check_lists(context, found);
    check_names(context, found);
    check_copies(context, found);
    check_references(context, found);
    check_overwrites(context, found);
    check_races(context, found);
    check_examples(context, found);
    check_raw_reads(context, found);
    check_reads(context, found);
    check_indexes(context, found);
    check_writes(context, found);
    check_raw_updates(context, found);
    check_transactions(context, found);
    // Only designs without mistakes can be planned.
    if (std::ranges::none_of(reading.mistakes, is_error)) check_numbers(context, found);
    check_partial_effects(context, found);
    check_figures(context, found);
    check_extremes(context, found);
    check_written_figures(context, found);
    check_left_counts(context, found);
    check_followers(context, found);
    check_lost_updates(context, found);
    check_answers(context, found);
    check_capacity(context, found);
    check_shards(context, found);
    check_lifecycle(context, found);
    check_claims(context, found);
  }
  std::vector<Finding> all = reading.mistakes;
  for (Finding& finding : found.take()) all.push_back(std::move(finding));
  return all;
}

bool has_errors(const Design& design, const std::vector<Finding>& findings) {
  return std::ranges::any_of(findings, [&](const Finding& finding) {
    return is_error(finding) && suppressing_remark(design, finding) == nullptr;
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

Report check_design(const Reading& reading) { return compose_report(reading.design, run_passes(reading)); }

Report check_text(std::string_view text) { return check_design(read_design(text)); }

}  // namespace trestle::design
