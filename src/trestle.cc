// The `trestle` program: one subcommand per file of this folder.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "cli/bench_command.h"
#include "cli/copy_command.h"
#include "cli/design/command.h"
#include "cli/design/data_commands.h"
#include "cli/serve_command.h"
#include "rehearsal/rehearsal.h"

int main(int argc, char** argv) {
  CLI::App app("Trestle: DynamoDB on one machine", "trestle");
  app.set_version_flag("--version", "trestle " TRESTLE_VERSION);
  app.require_subcommand(1);
  int exit_status = 0;
  trestle::add_serve_command(app, exit_status);
  trestle::bench::add_bench_command(app, exit_status);
  trestle::copy::add_copy_command(app, exit_status);
  trestle::design::add_design_command(app, exit_status, trestle::rehearsal::rehearse);
  trestle::add_design_data_commands(app, exit_status);
  CLI11_PARSE(app, argc, argv);
  return exit_status;
}
