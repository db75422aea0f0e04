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

bool has_errors(const std::vector<Finding>& findings) {
  return std::ranges::any_of(findings, [](const Finding& one) { return one.severity == Severity::kError; });
}

}  // namespace

Report check_design(const Reading& reading, std::vector<Finding> more) {
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
    if (!has_errors(reading.mistakes)) check_numbers(context, found);
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
  for (Finding& finding : more) all.push_back(std::move(finding));
  std::stable_sort(all.begin(), all.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.place, a.code, a.message) < std::tie(b.place, b.code, b.message);
  });
  all.erase(std::unique(all.begin(), all.end(),
                        [](const Finding& a, const Finding& b) {
                          return std::tie(a.place, a.code, a.message) == std::tie(b.place, b.code, b.message);
                        }),
            all.end());

  Report report;
  std::set<const Remark*> used;
  for (Finding& finding : all) {
    const Remark* excuse = nullptr;
    for (const Remark& remark : reading.design.remarks) {
      if (remark.applies_to_line == finding.place.line && finding.code >= "T100" &&
          std::find(remark.codes.begin(), remark.codes.end(), finding.code) != remark.codes.end()) {
        excuse = &remark;
      }
    }
    if (excuse == nullptr) {
      report.findings.push_back(std::move(finding));
    } else {
      used.insert(excuse);
      report.excused.push_back({std::move(finding), excuse->reason});
    }
  }
  for (const Remark& remark : reading.design.remarks) {
    if (!used.contains(&remark) && !remark.codes.empty()) {
      report.findings.push_back({"T007", Severity::kNote, remark.place,
                                 "this remark excuses nothing: its line has no finding with that code", "remove it"});
    }
  }
  return report;
}

Report check_text(std::string_view text) { return check_design(read_design(text)); }

}  // namespace trestle::design
