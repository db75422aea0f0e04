#include <fmt/format.h>

#include <memory>

#include "base/read_file.h"
#include "cli/design/plan_command.h"
#include "cli/design/rate_arguments.h"
#include "design/cost/cost.h"
#include "design/cost/price_file.h"

namespace trestle::design {
namespace {

struct CostArguments {
  std::string file;
  std::vector<std::string> rates;
  std::string region = "us-east-1";
  std::string prices;
  std::string against;
  std::string format = "text";
  CostOptions options;
};

int fail(std::string_view message) {
  fmt::print(stderr, "trestle: {}\n", message);
  return 2;
}

int print_cost(CostArguments& arguments) {
  const auto reading = read_design_file(arguments.file);
  if (!reading) return 2;
  const Design& design = reading->design;
  std::string wrong;
  const auto prices = find_prices({arguments.region, arguments.prices, arguments.file}, wrong);
  if (!prices) return fail(wrong);
  auto rates = read_rates(design, arguments.rates);
  if (!rates) return fail(rates.error());
  arguments.options.rates = std::move(*rates);
  if (!arguments.against.empty()) {
    const auto claims_file = read_file(arguments.against);
    if (!claims_file) return fail(claims_file.error());
    const auto claims = read_cost_claims(*claims_file, wrong);
    if (!claims) return fail(fmt::format("{}: {}", arguments.against, wrong));
    fmt::print("{}", claims_text(design, *prices, arguments.options, *claims));
    return 0;
  }
  const CostEstimate estimate = cost_design(design, *prices, arguments.options);
  fmt::print("{}", arguments.format == "json" ? cost_json(design, *prices, arguments.options, estimate)
                                              : cost_text(design, *prices, arguments.options, estimate));
  return 0;
}

}  // namespace

void add_cost_command(CLI::App& design, int& exit_status) {
  auto arguments = std::make_shared<CostArguments>();
  CLI::App* command = design.add_subcommand("cost", "Estimate a design's monthly cost");
  command->add_option("file", arguments->file, "Design file")->required();
  command
      ->add_option("--rates", arguments->rates,
                   "operation=rate, such as submit=10K/month; the default is the averages that the design declares")
      ->delimiter(',');
  command->add_option("--region", arguments->region, "AWS region");
  command->add_option("--prices", arguments->prices, "Price file to use instead of the region's");
  command->add_option("--alert", arguments->options.alerts, "Monthly amounts that should raise an alert")
      ->delimiter(',');
  command->add_option("--peak", arguments->options.peak, "Ratio of the busiest hour to the average")
      ->check(CLI::Range(1.0, 1000.0));
  command->add_option("--months", arguments->options.lifetime_months, "Months that items live if nothing removes them")
      ->check(CLI::Range(0.01, 1200.0));
  command->add_option("--backups", arguments->options.backups, "Number of full backups that are kept")
      ->check(CLI::Range(0.0, 1000.0));
  command->add_flag("!--no-recovery", arguments->options.recovery, "Without point-in-time recovery");
  command->add_option("--against", arguments->against,
                      "File with the figures of a document, to compare with the estimate");
  command->add_option("--format", arguments->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  command->callback([arguments, &exit_status] { exit_status = print_cost(*arguments); });
}

}  // namespace trestle::design
