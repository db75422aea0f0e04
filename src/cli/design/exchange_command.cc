#include "cli/design/exchange_command.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "base/read_file.h"
#include "cli/design/text_file.h"
#include "design/check/check.h"
#include "design/check/report.h"
#include "design/diff/diff.h"
#include "design/export/export_alerts.h"
#include "design/export/export_cloudformation.h"
#include "design/export/export_json_schema.h"
#include "design/export/export_openapi.h"
#include "design/export/export_policies.h"
#include "design/export/export_terraform.h"
#include "design/export/export_typescript.h"
#include "design/export/export_workbench.h"
#include "design/import/import_onetable.h"
#include "design/import/import_workbench.h"
#include "design/import/sketch.h"

namespace trestle::design {
namespace {

// Reads a design from a file. Reports errors in its text, sets the status and returns nullopt.
std::optional<Design> design_in(const std::string& file, int& exit_status) {
  const auto text = read_file(file);
  if (!text) {
    fmt::print(stderr, "trestle: {}\n", text.error());
    exit_status = 2;
    return std::nullopt;
  }
  Reading reading = read_design(*text);
  if (reading.mistakes.empty()) return std::move(reading.design);
  fmt::print(stderr, "{}", report_text(file, {.findings = reading.mistakes, .suppressed = {}}));
  exit_status = 1;
  return std::nullopt;
}

Exported exported_to(const std::string& format, const Design& design, const PolicyScope& scope) {
  if (format == "cloudformation") return export_cloudformation(design);
  if (format == "terraform") return export_terraform(design);
  if (format == "workbench") return export_workbench(design);
  if (format == "alerts") return export_alerts(design);
  if (format == "policies") return export_policies(design, scope);
  if (format == "openapi") return export_openapi(design);
  if (format == "typescript") return export_typescript(design);
  return export_json_schema(design);
}

}  // namespace

void add_export_command(CLI::App& design, int& exit_status) {
  struct Options {
    std::string file, to, out;
    PolicyScope scope;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      design.add_subcommand("export", "Write a design's tables, policies, API or data in another tool's format");
  command->add_option("file", options->file, "Design file")->required();
  command->add_option("--to", options->to, "The format")
      ->required()
      ->check(CLI::IsMember(
          {"cloudformation", "terraform", "workbench", "policies", "alerts", "openapi", "json-schema", "typescript"}));
  command->add_option("-o,--output", options->out, "File to write; the default is standard output");
  command->add_option("--region", options->scope.region, "policies: the region in ARNs (*)");
  command->add_option("--account", options->scope.account, "policies: the account in ARNs (*)");
  command->add_option("--partition", options->scope.partition, "policies: aws, aws-cn or aws-us-gov");
  command->callback([options, &exit_status] {
    const auto read = design_in(options->file, exit_status);
    if (!read) return;
    const Exported exported = exported_to(options->to, *read, options->scope);
    for (const std::string& note : exported.notes) fmt::print(stderr, "trestle: note: {}\n", note);
    if (!write_text_file(options->out, exported.text)) exit_status = 2;
  });
}

void add_import_command(CLI::App& design, int& exit_status) {
  struct Options {
    std::string file, from, out;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = design.add_subcommand("import", "Create a design file from another tool's model");
  command->add_option("file", options->file, "The model's file")->required();
  command->add_option("--from", options->from, "workbench or onetable")
      ->required()
      ->check(CLI::IsMember({"workbench", "onetable"}));
  command->add_option("-o,--output", options->out, "File to write; the default is standard output");
  command->callback([options, &exit_status] {
    const auto text = read_file(options->file);
    if (!text) {
      fmt::print(stderr, "trestle: {}\n", text.error());
      exit_status = 2;
      return;
    }
    const auto result = options->from == "workbench" ? import_workbench(*text) : import_onetable(*text);
    if (!result.has_value()) {
      fmt::print(stderr, "trestle: {}: {}\n", options->file, result.error().message);
      exit_status = 1;
    } else if (!write_text_file(options->out, *result)) {
      exit_status = 2;
    }
  });
}

void add_diff_command(CLI::App& design, int& exit_status) {
  struct Options {
    std::string before, after;
    std::string format = "text";
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = design.add_subcommand("diff", "Show the steps of a migration from one design to another");
  command->add_option("old", options->before, "The running design")->required();
  command->add_option("new", options->after, "The new design")->required();
  command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  command->callback([options, &exit_status] {
    const auto before = design_in(options->before, exit_status);
    const auto after = design_in(options->after, exit_status);
    if (!before || !after) {
      exit_status = 2;
      return;
    }
    const auto changes = diff_designs(*before, *after);
    fmt::print("{}", options->format == "json" ? diff_json(changes) : diff_text(changes));
    if (needs_work(changes)) exit_status = 1;
  });
}

void add_new_command(CLI::App& design, int& exit_status) {
  struct Options {
    std::string name, tables = "one", out;
    std::vector<std::string> entities, relations, unique, listings;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = design.add_subcommand("new", "Create a first design file by asking a few questions");
  command->add_option("--name", options->name, "The design's name");
  command->add_option("--tables", options->tables, "One table for all entities, or several")
      ->check(CLI::IsMember({"one", "several"}));
  command->add_option("--entity", options->entities, "An entity and its fields: User:email,name");
  command->add_option("--belongs", options->relations, "An entity and the entity it belongs to: Order:User");
  command->add_option("--unique", options->unique, "A field that must be unique: User.email");
  command->add_option("--list", options->listings, "A field by which entities are listed: Order.status");
  command->add_option("-o,--output", options->out, "File to write; the default is standard output");
  command->callback([options, &exit_status] {
    Sketch sketch{.name = options->name, .several_tables = options->tables == "several", .entities = {}};
    const auto result = [&]() -> Result<void> {
      for (const std::string& text : options->entities) TRY(add_entity(sketch, text));
      for (const std::string& text : options->relations) TRY(add_relation(sketch, text));
      for (const std::string& text : options->unique) TRY(add_unique(sketch, text));
      for (const std::string& text : options->listings) TRY(add_listing(sketch, text));
      return ask(sketch, std::cin, std::cerr);  // the result may go to standard output
    }();
    if (!result.has_value()) {
      fmt::print(stderr, "trestle: {}\n", result.error().message);
      exit_status = 1;
    } else if (!write_text_file(options->out, sketch_text(sketch))) {
      exit_status = 2;
    }
  });
}

}  // namespace trestle::design
