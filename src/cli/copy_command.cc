#include "cli/copy_command.h"

#include <fmt/format.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "copy/copy_endpoint.h"
#include "copy/run.h"

namespace trestle::copy {
namespace {

struct CommandOptions {
  CopyOptions copy;
  std::string from_profile, to_profile;
  int64_t patience_s = 120;
};

Stop& process_stop() {
  static Stop stop;
  return stop;
}

void catch_signals() {
  struct sigaction action{};
  action.sa_handler = [](int) { process_stop().request(); };
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int run(CommandOptions& options) {
  options.copy.patience_ms = options.patience_s * 1000;
  const size_t connections = options.copy.threads + 8;
  const auto open = [&](const std::string& text, const std::string& profile,
                        bool may_create) -> std::unique_ptr<Database> {
    auto opened = open_copy_endpoint(
        {.text = text, .profile = profile, .may_create = may_create, .connections_max = connections});
    if (opened.has_value()) return std::move(*opened);
    fmt::print(stderr, "trestle copy: {}: {}\n", text, opened.error().message);
    return nullptr;
  };
  const auto source = open(options.copy.from, options.from_profile, false);
  if (source == nullptr) return kFailed;
  const auto target = open(options.copy.to, options.to_profile, !options.copy.verify_only);
  if (target == nullptr) return kFailed;
  process_stop();  // created before a signal can arrive
  catch_signals();
  return run_copy(options.copy, {.source = *source, .target = *target}, process_stop());
}

void add_place_flags(CLI::App& command, CommandOptions& options) {
  command
      .add_option("--from", options.copy.from,
                  "Source: http://host:port, https://..., aws:REGION, or a data folder that no server has open")
      ->required();
  command.add_option("--to", options.copy.to, "Target, in the same forms")->required();
  command.add_option("--table", options.copy.tables,
                     "Table to copy, or name=new-name; may be repeated. Without it, all tables of the source");
  command.add_option("--from-profile", options.from_profile, "Profile in the AWS CLI's files for the source");
  command.add_option("--to-profile", options.to_profile, "The same for the target");
}

void add_table_flags(CLI::App& command, CopyOptions& options) {
  command
      .add_flag("--on-demand", options.on_demand,
                "Create tables on demand, regardless of their billing mode at the source")
      ->group("Tables");
  command
      .add_flag("--with-stream", options.with_stream,
                "Enable the source's streams on the target's tables, after the copy")
      ->group("Tables");
  command.add_flag("--any-indexes", options.any_indexes, "Allow existing tables of the target to have other indexes")
      ->group("Tables");
  command.add_flag("--overwrite", options.overwrite, "Copy into tables that already have items")->group("Tables");
}

void add_pace_flags(CLI::App& command, CommandOptions& options) {
  CopyOptions& copy = options.copy;
  const auto rate = [&](const char* name, double& value, const char* words) {
    command.add_option(name, value, words)->check(CLI::NonNegativeNumber)->group("Pace");
  };
  rate("--rate", copy.write_units_per_second, "Maximum write units a second at the target; 0: no limit");
  rate("--item-rate", copy.items_per_second, "Maximum items a second; 0: no limit");
  rate("--read-rate", copy.read_units_per_second, "Maximum read units a second for scans; 0: no limit");
  command.add_option("--threads", copy.threads, "Concurrent requests")
      ->check(CLI::Range(1u, 256u))
      ->capture_default_str()
      ->group("Pace");
  command.add_option("--segments", copy.segments, "Segments of a table's scan; 0: chosen by its size")
      ->check(CLI::Range(0u, 1'000'000u))
      ->group("Pace");
  command
      .add_option("--patience-s", options.patience_s,
                  "How long requests to a failing or throttling endpoint are retried")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group("Pace");
}

void add_live_flags(CLI::App& command, CopyOptions& options) {
  command.add_flag("--once", options.once, "Copy the current items without following streams")->group("Live");
  command
      .add_flag("--enable-stream", options.enable_stream,
                "Enable streams (NEW_AND_OLD_IMAGES) on tables of the source that have none")
      ->group("Live");
  command
      .add_flag(
          "--cut-over", options.follow.cut_over,
          "For when writes to the source have stopped or will soon stop: end once its streams have no new records")
      ->group("Live");
  command.add_option("--lag-ms", options.follow.lag_ms_max, "Lag that counts as caught up")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group("Live");
  command
      .add_option("--quiet-ms", options.follow.quiet_ms, "How long streams must have no new records before a cut-over")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group("Live");
}

void add_run_flags(CLI::App& command, CopyOptions& options) {
  command.add_option("--state", options.state,
                     "File with the progress of the copy; the default is trestle-copy-<hash>.json in this folder");
  command.add_flag("--restart", options.restart, "Copy from the beginning, ignoring the state file");
  command.add_flag("--verify", options.verify, "Compare both sides at the end");
  command.add_flag("--verify-only", options.verify_only, "Only compare both sides, without copying");
  command.add_option("--differences", options.differences_max, "Maximum number of differences to list for a table")
      ->capture_default_str();
}

}  // namespace

void add_copy_command(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<CommandOptions>();  // shared with the callback, which outlives this call
  CLI::App* command = app.add_subcommand("copy", "Copy tables between two DynamoDB endpoints while they are in use");
  add_place_flags(*command, *options);
  add_run_flags(*command, options->copy);
  add_table_flags(*command, options->copy);
  add_live_flags(*command, options->copy);
  add_pace_flags(*command, *options);
  command->footer(
      "Tables with a stream are followed after the scan until Ctrl-C, or with --cut-over until it has no new records.\n"
      "Exit status: 0 done (and equal), 1 failed, 2 the two sides differ, 130 stopped; the same command resumes it.");
  command->callback([options, &exit_status] { exit_status = run(*options); });
}

}  // namespace trestle::copy
