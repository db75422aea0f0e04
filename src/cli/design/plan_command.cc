#include "cli/design/plan_command.h"

#include <fmt/format.h>

#include <memory>

#include "base/read_file.h"
#include "design/check/check.h"
#include "design/check/report.h"
#include "design/plan/plan_text.h"

namespace trestle::design {
namespace {

struct PlanOptions {
  std::string file;
  std::string operation;
  std::string format = "text";
};

int print_plan(const PlanOptions& options) {
  const auto reading = read_design_file(options.file);
  if (!reading) return 2;
  std::vector<Plan> plans;
  if (options.operation.empty()) {
    plans = plan_design(reading->design);
  } else if (const Operation* operation = reading->design.operation(options.operation)) {
    plans.push_back(plan_operation(reading->design, *operation));
  } else {
    std::vector<std::string> names;
    for (const Operation& candidate : reading->design.operations) names.push_back(candidate.name);
    fmt::print(stderr, "trestle: {} has no operation `{}`{}\n", reading->design.name, options.operation,
               did_you_mean(options.operation, names));
    return 2;
  }
  const bool json = options.format == "json";
  std::string out = json ? "[" : "";
  for (size_t i = 0; i < plans.size(); ++i) {
    if (i > 0) out += json ? ",\n " : "\n";
    out += json ? plan_json(reading->design, plans[i]) : plan_text(reading->design, plans[i]);
  }
  fmt::print("{}{}", out, json ? "]\n" : "");
  return 0;
}

}  // namespace

std::optional<Reading> read_design_file(const std::string& path) {
  const auto text = read_file(path);
  if (!text) {
    fmt::print(stderr, "trestle: {}\n", text.error());
    return std::nullopt;
  }
  Reading reading = read_design(*text);
  if (!reading.mistakes.empty()) {
    Report report;
    report.findings = reading.mistakes;
    fmt::print(stderr, "{}", report_text(path, report));
    return std::nullopt;
  }
  return reading;
}

void add_plan_command(CLI::App& design, int& exit_status) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App* command = design.add_subcommand("plan", "Show the DynamoDB requests that operations make, and their cost");
  command->add_option("file", options->file, "Design file")->required();
  command->add_option("operation", options->operation, "Operation; the default is all");
  command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  command->callback([options, &exit_status] { exit_status = print_plan(*options); });
}

}  // namespace trestle::design
