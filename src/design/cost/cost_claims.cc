// Compares the costs that a document claims with the computed ones.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "design/cost/cost.h"
#include "design/language/source.h"
#include "model/limits.h"

namespace trestle::design {
namespace {

double number_of(const Node* node, double otherwise) {
  double value = otherwise;
  if (node != nullptr) std::from_chars(node->text.data(), node->text.data() + node->text.size(), value);
  return value;
}

// The monthly calls of the scale's first operation, from which the scale has its name.
double calls_of(const ClaimedScale& scale) {
  return scale.rates.empty() ? 0 : scale.rates[0].second.per_second * kMonthSeconds;
}

std::string claim_row(std::string_view what, double claimed, double found, std::string_view why) {
  const std::string factor = found > 0 ? fmt::format("{:.0f} times too high", claimed / found) : "no charge";
  return fmt::format("    {:<9}{:>9.2f}{:>12.4f}   {}; {}\n", what, claimed, found, factor, why);
}

}  // namespace

std::optional<CostClaims> read_cost_claims(std::string_view text, std::string& wrong) {
  Findings findings;
  const auto source = read_source(text, findings);
  const Node* scales = source ? source->root.find("scales") : nullptr;
  if (scales == nullptr || scales->kind != Node::Kind::kList) {
    wrong = "expected a list `scales`";
    return std::nullopt;
  }
  CostClaims claims;
  if (const Node* says = source->root.find("says")) claims.summary = says->text;
  if (const Node* alerts = source->root.find("alerts")) {
    for (const Node& alert : alerts->items) claims.alerts.push_back(number_of(&alert, 0));
  }
  for (const Node& node : scales->items) {
    ClaimedScale scale;
    if (const Node* name = node.find("name")) scale.name = name->text;
    if (const Node* rates = node.find("rates")) {
      for (const Entry& entry : rates->entries) {
        const auto rate = parse_rate(entry.value.text);
        if (!rate)
          wrong = fmt::format("`{}` is not a rate", entry.value.text);
        else
          scale.rates.emplace_back(entry.key, *rate);
      }
    }
    if (const Node* claims_node = node.find("claims")) {
      scale.read = number_of(claims_node->find("read"), -1);
      scale.write = number_of(claims_node->find("write"), -1);
      scale.storage = number_of(claims_node->find("storage"), -1);
    }
    scale.others = number_of(node.find("others"), 0);
    if (const Node* totals = node.find("totals")) {
      for (const Node& range : totals->items) {
        if (range.items.size() == 2)
          scale.totals.emplace_back(number_of(&range.items[0], 0), number_of(&range.items[1], 0));
      }
    }
    claims.scales.push_back(std::move(scale));
  }
  return wrong.empty() ? std::optional(claims) : std::nullopt;
}

std::string claims_text(const Design& design, const Prices& prices, const CostOptions& options,
                        const CostClaims& claims) {
  std::string out = fmt::format("{} · claimed and computed cost ({}, prices of {}, on-demand)\n  {}\n", design.name,
                                prices.region, prices.date, claims.summary);
  const ClaimedScale* before = nullptr;
  double found_before = 0;
  for (const ClaimedScale& scale : claims.scales) {
    CostOptions here = options;
    here.rates = scale.rates;
    here.alerts = claims.alerts;
    const CostEstimate estimate = cost_design(design, prices, here);
    const double calls = calls_of(scale);
    std::vector<std::string> assumptions;
    for (const auto& [name, rate] : scale.rates)
      assumptions.push_back(fmt::format("{} {:.0f}", name, rate.per_second * kMonthSeconds));
    out += fmt::format("\n  {}\n    assumed: {} a month\n    {:<9}{:>9}{:>12}\n", scale.name,
                       fmt::join(assumptions, ", "), "", "claimed $", "computed $");
    if (scale.read >= 0) {
      const double units = scale.read / prices.read_million * 1e6;
      out += claim_row(
          "reads", scale.read, estimate.on_demand_reads,
          fmt::format("it pays for {:.1f} million reads, {:.0f} for each submission", units / 1e6, units / calls));
    }
    if (scale.write >= 0) {
      const double units = scale.write / prices.write_million * 1e6;
      out += claim_row(
          "writes", scale.write, estimate.on_demand_writes,
          fmt::format("it pays for {:.1f} million writes, {:.0f} for each submission", units / 1e6, units / calls));
    }
    if (scale.storage >= 0) {
      const double gb = scale.storage / prices.gb_month + prices.free_gb;
      const double each = gb * 1024 * 1024 / calls;
      out += claim_row("storage", scale.storage, estimate.storage,
                       fmt::format("it pays for {:.0f} GB, {:.0f} KB for each submission of a month{}", gb, each,
                                   each > static_cast<double>(kItemBytesMax) / 1024
                                       ? ",\n" + std::string(33, ' ') + "and an item has at most 400 KB"
                                       : ""));
    }
    const double claimed = std::max(scale.read, 0.0) + std::max(scale.write, 0.0) + std::max(scale.storage, 0.0);
    if (scale.read >= 0) {
      out += fmt::format(
          "    {:<9}{:>9.2f}{:>12.4f}   with streams {:.4f} and recovery {:.4f}, which the document omits\n",
          "DynamoDB", claimed, estimate.on_demand(), estimate.streams, estimate.recovery);
      if (scale.others > 0) {
        out += fmt::format("    all      {:>9.2f}{:>12.4f}   with the document's own {:.2f} for other services\n",
                           claimed + scale.others, estimate.on_demand() + scale.others, scale.others);
      }
    } else {
      out += fmt::format("    {:<9}{:>9}{:>12.4f}   the document gives no figure for DynamoDB at this scale\n",
                         "DynamoDB", "-", estimate.on_demand());
    }
    if (scale.totals.size() > 1) {
      out += fmt::format("    The document gives two ranges for the same: ${:g}-{:g} and ${:g}-{:g}.\n",
                         scale.totals[0].first, scale.totals[0].second, scale.totals[1].first, scale.totals[1].second);
    } else if (scale.totals.size() == 1) {
      out += fmt::format("    The document's range for everything: ${:g}-{:g}.\n", scale.totals[0].first,
                         scale.totals[0].second);
    }
    if (before != nullptr && before->read >= 0 && scale.read >= 0 && calls_of(*before) > 0) {
      const double claimed_before = before->read + before->write + before->storage;
      out += fmt::format(
          "    From the scale before: {:.0f} times the submissions; the claim grows {:.1f} times, the price of the "
          "requests {:.1f} times.\n",
          calls / calls_of(*before), claimed / claimed_before,
          found_before > 0 ? estimate.requests() / found_before : 0);
    }
    for (const AlertCost& alert : estimate.alerts) {
      if (scale.others >= alert.amount)
        out += fmt::format(
            "    alert ${:g}: the document's own ${:g} for other services triggers it before the first submission\n",
            alert.amount, scale.others);
      else
        out += alert.reached ? fmt::format("    alert ${:g}: reached by DynamoDB alone\n", alert.amount)
                             : fmt::format("    alert ${:g}: DynamoDB alone reaches it at {:.3g} times this scale\n",
                                           alert.amount, alert.at);
    }
    before = &scale;
    found_before = estimate.requests();
  }
  return out;
}

}  // namespace trestle::design
