// The monthly cost of the design at its declared rates and a region's prices.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "design/cost/cost.h"
#include "design/docs/docs_impl.h"

namespace trestle::design {
namespace {

std::string price_text(double amount) {
  if (amount != 0 && amount < 0.005) return "under $0.01";
  return amount >= 1000 ? "$" + figure_text(std::round(amount)) : fmt::format("${:.2f}", amount);
}

std::string count_text(double number) {
  if (number >= 1e9) return fmt::format("{:.1f} G", number / 1e9);
  if (number >= 1e6) return fmt::format("{:.1f} M", number / 1e6);
  if (number >= 1e4) return fmt::format("{:.0f} K", number / 1e3);
  return fmt::format("{:.0f}", number);
}

std::string size_text(double gb) { return gb >= 1000 ? fmt::format("{:.1f} TB", gb / 1024) : gb_text(gb); }

void bill(Html& out, const CostEstimate& estimate) {
  out << "<div class=\"panel bill\"><table class=\"grid\">\n<thead><tr><th>A month</th><th class=\"num\">On-demand</th>"
         "<th class=\"num\">Provisioned</th></tr></thead>\n<tbody>\n";
  const auto row = [&](std::string_view name, double on_demand, double provisioned) {
    out << "<tr><td>" << name << "</td><td class=\"num\">" << price_text(on_demand) << "</td><td class=\"num\">"
        << price_text(provisioned) << "</td></tr>\n";
  };
  row("Reads", estimate.on_demand_reads, estimate.provisioned_reads);
  row("Writes", estimate.on_demand_writes, estimate.provisioned_writes);
  row(fmt::format("Storage, {}", size_text(estimate.storage_gb)), estimate.storage, estimate.storage);
  if (estimate.streams > 0) row("Reading the streams", estimate.streams, estimate.streams);
  row("Point-in-time recovery", estimate.recovery, estimate.recovery);
  out << "</tbody>\n<tfoot><tr><td>Total</td><td class=\"num\">" << price_text(estimate.on_demand())
      << "</td><td class=\"num\">" << price_text(estimate.provisioned()) << "</td></tr></tfoot></table></div>\n";
}

void shares(Html& out, const CostEstimate& estimate) {
  double most = 0;
  for (const PatternCost& pattern : estimate.patterns) most = std::max(most, pattern.on_demand);
  if (most <= 0) return;
  out << "<div class=\"panel\"><table class=\"grid month\">\n<thead><tr><th>Operation</th><th class=\"num\">Calls</th>"
         "<th class=\"num\">Read units</th><th class=\"num\">Write units</th><th class=\"num\">On-demand</th>"
         "<th></th></tr></thead>\n<tbody>\n";
  for (const PatternCost& pattern : estimate.patterns) {
    if (pattern.calls <= 0) continue;
    out << "<tr><td class=\"name\">" << pattern.operation->name << "</td><td class=\"num\">"
        << count_text(pattern.calls) << "</td><td class=\"num\">"
        << (pattern.read_units > 0 ? count_text(pattern.read_units) : "\u2013") << "</td><td class=\"num\">"
        << (pattern.write_units > 0 ? count_text(pattern.write_units) : "\u2013") << "</td><td class=\"num\"><b>"
        << price_text(pattern.on_demand) << "</b></td><td class=\"bar\"><span style=\"width:"
        << fmt::format("{:.1f}", std::max(0.5, pattern.on_demand / most * 100)) << "%\"></span></td></tr>\n";
  }
  out << "</tbody></table></div>\n";
}

}  // namespace

Html docs_month(const DocsContext& context) {
  Html out;
  if (context.prices == nullptr || context.report.count(Severity::kError) > 0) return out;
  const CostOptions options;
  const CostEstimate estimate = cost_design(context.design, *context.prices, options);
  const bool called = std::any_of(estimate.patterns.begin(), estimate.patterns.end(),
                                  [](const PatternCost& pattern) { return pattern.calls > 0; });
  if (!called) return out;
  out << "<p class=\"small quiet\">" << context.prices->region << ", prices of " << context.prices->date
      << ", without the free tier of requests. Provisioned capacity covers a peak of "
      << fmt::format("{:g}", options.peak) << " times the average.</p>\n<div class=\"bills\">\n";
  bill(out, estimate);
  out << "</div>\n";
  shares(out, estimate);
  for (const std::string& note : estimate.notes) out << "<p class=\"small quiet\">" << note << "</p>\n";
  return out;
}

}  // namespace trestle::design
