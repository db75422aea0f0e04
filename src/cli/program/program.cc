#include "cli/program/program.h"

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "base/read_file.h"
#include "cli/bench_command.h"
#include "cli/copy_command.h"
#include "cli/design/call_command.h"
#include "cli/design/command.h"
#include "cli/design/load_command.h"
#include "cli/design/upkeep_commands.h"
#include "cli/development_key.h"
#include "cli/health_command.h"
#include "cli/local_arguments.h"
#include "cli/mcp/mcp_command.h"
#include "cli/program/completion.h"
#include "cli/program/manual.h"
#include "cli/program/settings.h"
#include "cli/serve/serve_command.h"
#include "design/language/source.h"

namespace trestle {
namespace {

constexpr int kUsageError = 2;

std::vector<std::string> names_of_commands(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> names_of_flags(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// The command without the program's name: "serve", "design check".
std::string path_of(const CLI::App& app) {
  std::string path = app.get_name();
  for (const CLI::App* parent = app.get_parent(); parent != nullptr && parent->get_parent() != nullptr;
       parent = parent->get_parent())
    path = parent->get_name() + " " + path;
  return path;
}

int print_usage_error(const std::string& message) {
  fmt::print(stderr, "trestle: {}\n", message);
  return kUsageError;
}

// `help serve` becomes `serve --help`, `version` becomes `--version`, and no arguments become `--help`.
void translate_words(std::vector<std::string>& words) {
  if (words.empty()) {
    words.push_back("--help");
  } else if (words[0] == "help") {
    words.erase(words.begin());
    words.push_back("--help");
  } else if (words[0] == "version" && words.size() == 1) {
    words[0] = "--version";
  }
}

}  // namespace

SelectedCommand selected_command(CLI::App& app, const std::vector<std::string>& words) {
  SelectedCommand selected{.app = &app};
  for (const std::string& word : words) {
    CLI::App* next = nullptr;
    for (CLI::App* command : selected.app->get_subcommands([](CLI::App*) { return true; })) {
      if (command->get_name() == word) next = command;
    }
    if (next == nullptr) break;
    selected = {.app = next, .first = selected.first + 1};
  }
  return selected;
}

std::optional<std::string> unknown_name(CLI::App& app, const std::vector<std::string>& words) {
  const auto [command, first] = selected_command(app, words);
  const std::vector<std::string> commands = names_of_commands(*command);
  if (!commands.empty() && first < words.size() && !words[first].starts_with("-")) {
    return fmt::format("there is no command `{}`{} (`trestle{}{} --help` lists them)", words[first],
                       design::did_you_mean(words[first], commands), command == &app ? "" : " ",
                       command == &app ? "" : path_of(*command));
  }
  if (command->get_allow_extras()) return std::nullopt;  // the inputs of a design's operation
  const std::vector<std::string> flags = names_of_flags(*command);
  for (size_t i = first; i < words.size() && words[i] != "--"; ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    if (!name.starts_with("--") || std::find(flags.begin(), flags.end(), name) != flags.end()) continue;
    // It may be the value of the preceding flag; the parser decides that.
    if (i > first && words[i - 1].starts_with("-") && words[i - 1].find('=') == std::string::npos) {
      const CLI::Option* before = command->get_option_no_throw(words[i - 1]);
      if (before != nullptr && before->get_items_expected_max() > 0) continue;
    }
    return fmt::format("`trestle {}` has no flag `{}`{} (`trestle {} --help` lists them)", path_of(*command), name,
                       design::did_you_mean(name, flags), path_of(*command));
  }
  return std::nullopt;
}

void add_commands(CLI::App& app, int& exit_status) {
  app.set_version_flag("--version", "trestle " TRESTLE_VERSION);
  app.require_subcommand(1);
  add_serve_command(app, exit_status);
  bench::add_bench_command(app, exit_status);
  copy::add_copy_command(app, exit_status);
  design::add_design_command(app, exit_status);
  CLI::App& design_command = *app.get_subcommand("design");
  add_call_command(design_command, exit_status);
  add_load_command(design_command, exit_status);
  add_token_command(design_command, exit_status);
  add_upkeep_commands(design_command, exit_status);
  mcp::add_mcp_command(app, exit_status);
  add_health_command(app, exit_status);
  add_completion_command(app);
  add_manual_command(app);
  app.footer(
      "Flags may also be set in a file (--config FILE, one line such as `port = 9000` each) or in the environment\n"
      "(TRESTLE_SERVE_PORT for `serve --port`).");
}

int run_program(int argc, const char* const* argv) {
  CLI::App app("Trestle: DynamoDB on one machine", "trestle");
  int exit_status = 0;
  add_commands(app, exit_status);
  std::vector<std::string> words(argv + 1, argv + std::max(argc, 1));
  if (is_for_dynamodb_local(words)) {
    auto translated = translate_dynamodb_local(words);
    if (!translated) return print_usage_error(translated.error());
    words = std::move(*translated);
  }
  translate_words(words);
  const auto config = take_config_file(words);
  if (const auto message = unknown_name(app, words)) return print_usage_error(*message);
  const CLI::App& command = *selected_command(app, words).app;
  const auto add = [&](const std::vector<std::string>& more) { words.insert(words.end(), more.begin(), more.end()); };
  if (&command != &app)
    add(arguments_from_environment(command, words, [](auto& name) { return std::getenv(name.c_str()); }));
  if (config) {
    const auto text = read_file(*config);
    if (!text) return print_usage_error(text.error());
    const auto arguments = arguments_from_file(command, words, *text);
    if (!arguments) return print_usage_error(*config + ": " + arguments.error());
    add(*arguments);
  }
  std::reverse(words.begin(), words.end());  // CLI11 takes them in reverse
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsageError;
  } catch (const std::system_error& error) {
    fmt::print(stderr, "trestle: cannot start a thread: {}\n", error.code().message());
    return 1;
  }
  return exit_status;
}

}  // namespace trestle
