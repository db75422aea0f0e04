#include "design/check/check.h"

#include <algorithm>

#include "design/check/check_impl.h"

namespace trestle::design {

namespace {

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
    if (std::ranges::none_of(reading.mistakes, is_error)) {
      check_numbers(context, found);
      check_created_values(context, found);
      check_figure_defaults(context, found);
    }
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

Report check_design(const Reading& reading) { return compose_report(reading.design, run_passes(reading)); }

Report check_text(std::string_view text) { return check_design(read_design(text)); }

}  // namespace trestle::design
