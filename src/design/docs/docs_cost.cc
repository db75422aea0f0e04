// The cost of each operation, computed from its plan: its requests and their capacity units.
#include <fmt/format.h>

#include <algorithm>

#include "design/docs/docs_impl.h"
#include "design/plan/plan.h"

namespace trestle::design {
namespace {

std::string amount(double units) { return units == 0 ? "\u2013" : figure_text(std::min(units, 1e9)); }

// The typical units, followed by their range.
void units_cells(Html& out, const Units& units) {
  out << "<td class=\"num\"><b>" << amount(units.typical) << "</b></td><td class=\"range\">";
  if (units.best != units.worst) out << amount(units.best) << " to " << amount(units.worst);
  out << "</td>";
}

std::string requests_text(const Plan& plan) {
  if (plan.requests_most == plan.requests_least) return std::to_string(plan.requests_least);
  if (plan.requests_most == 0) return fmt::format("{} or more", plan.requests_least);
  return fmt::format("{} to {}", plan.requests_least, plan.requests_most);
}

}  // namespace

Html docs_cost(const DocsContext& context) {
  Html out;
  // The plan of a design with errors would be misleading.
  if (context.design.operations.empty() || context.report.count(Severity::kError) > 0) return out;
  const std::vector<Plan> plans = plan_design(context.design);
  const bool streams =
      std::any_of(plans.begin(), plans.end(), [](const Plan& plan) { return !plan.afterwards_cost.write.is_zero(); });
  out << "<div class=\"panel\"><table class=\"grid cost\">\n<thead><tr><th>Operation</th><th "
         "class=\"num\">Requests</th><th class=\"num\">Read units</th><th></th><th class=\"num\">Write "
         "units</th><th></th>";
  if (streams) out << "<th>Through the stream</th>";
  out << "</tr></thead>\n<tbody>\n";
  for (const Plan& plan : plans) {
    out << "<tr><td class=\"name\">" << plan.operation->name << "</td><td class=\"num\">" << requests_text(plan)
        << "</td>";
    units_cells(out, plan.cost.read);
    units_cells(out, plan.cost.write);
    if (streams) out << "<td class=\"small quiet\">";
    if (!plan.afterwards_cost.write.is_zero())
      out << "up to " << amount(plan.afterwards_cost.write.typical) << " write units";
    if (!plan.afterwards_cost.read.is_zero()) out << ", " << amount(plan.afterwards_cost.read.typical) << " read units";
    if (streams) out << "</td>";
    out << "</tr>\n";
  }
  out << "</tbody></table></div>\n";
  return out;
}

}  // namespace trestle::design
