#include "cli/design/command.h"

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/read_file.h"
#include "cli/design/docs_command.h"
#include "cli/design/exchange_command.h"
#include "cli/design/plan_command.h"
#include "design/check/check.h"
#include "design/check/report.h"
#include "design/language/vocabulary.h"
#include "rehearsal/rehearsal.h"

namespace trestle::design {
namespace {

// check FILE...: findings with code, line, reason and repair; status 1 if there is an error, 2 if a file cannot be
// read.
void add_check_command(CLI::App& design, int& exit_status) {
  struct Options {
    std::vector<std::string> files;
    std::string format = "text";
    bool only_static = false;
    size_t calls = rehearsal::kRandomCalls;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = design.add_subcommand("check", "Find mistakes in designs");
  command->add_option("file", options->files, "Design files")->required();
  command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  command->add_flag("--static", options->only_static,
                    "Skip the rehearsal, which runs the operations on a database in memory");
  command->add_option("--calls", options->calls, "Number of random calls in the rehearsal")->capture_default_str();
  command->callback([options, &exit_status] {
    for (const std::string& file : options->files) {
      const auto text = read_file(file);
      if (!text) {
        fmt::print(stderr, "trestle: {}\n", text.error());
        exit_status = 2;
        continue;
      }
      const Reading reading = read_design(*text);
      std::vector<Finding> findings = run_passes(reading);
      // A design with errors is not rehearsed.
      if (!options->only_static && !has_errors(reading.design, findings))
        std::ranges::move(rehearsal::rehearse(reading.design, options->calls), std::back_inserter(findings));
      const Report report = compose_report(reading.design, std::move(findings));
      fmt::print("{}{}", options->format == "json" ? report_json(file, report) : report_text(file, report),
                 options->format == "json" ? "\n" : "");
      if (report.count(Severity::kError) > 0 && exit_status == 0) exit_status = 1;
    }
  });
}

void add_schema_command(CLI::App& design) {
  design.add_subcommand("schema", "Print the JSON Schema of design files")->callback([] {
    fmt::print("{}", design_schema_json());
  });
}

}  // namespace

void add_design_command(CLI::App& app, int& exit_status) {
  CLI::App* design = app.add_subcommand("design", "Check, plan and run DynamoDB designs");
  design->require_subcommand(1);
  add_check_command(*design, exit_status);
  add_plan_command(*design, exit_status);
  add_cost_command(*design, exit_status);
  add_docs_command(*design, exit_status);
  add_export_command(*design, exit_status);
  add_import_command(*design, exit_status);
  add_diff_command(*design, exit_status);
  add_new_command(*design, exit_status);
  add_schema_command(*design);
}

}  // namespace trestle::design
