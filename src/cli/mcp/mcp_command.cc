#include "cli/mcp/mcp_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/Validators.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/design/design_place.h"
#include "cli/mcp/mcp_tools.h"
#include "engine/engine.h"
#include "remote/remote_database.h"

namespace trestle::mcp {
namespace {

struct McpOptions {
  std::string data = "data";
  std::string on;
  bool memory_store = false;
  bool allow_writes = false;
  std::string claims;
  DesignOptions designs;
};

// Opens the data folder, or an empty store. Does not create a missing folder.
BasicResult<std::unique_ptr<Engine>, std::string> open_engine(const McpOptions& options) {
  const bool in_memory = options.memory_store || !options.on.empty();
  std::error_code error;
  if (!in_memory && !std::filesystem::exists(options.data, error)) {
    return std::unexpected(fmt::format(
        "there is no data folder {}: pass --data FOLDER, or --on URL for a server, or --memory-store to start empty",
        options.data));
  }
  EngineOptions engine;
  engine.store.folder = options.data;
  engine.store.in_memory = in_memory;
  engine.expiry.interval_ms = 0;
  engine.throttles = false;
  auto opened = Engine::open(std::move(engine));
  if (!opened) {
    return std::unexpected(fmt::format("{} (if a server runs on {}, give its address: --on http://127.0.0.1:8000)",
                                       opened.error().message, options.data));
  }
  return std::move(*opened);
}

// Returns standard output for the protocol alone; everything else that is printed goes to standard error from now on.
std::FILE* take_standard_output() {
  std::fflush(stdout);
  std::FILE* out = ::fdopen(::dup(STDOUT_FILENO), "w");
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return out;
}

int serve_mcp(McpOptions options) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(take_standard_output(), std::fclose);
  if (!out) return print_error("standard output is closed");
  auto engine = open_engine(options);
  if (!engine) return print_error(engine.error());
  std::unique_ptr<Database> remote;
  if (!options.on.empty()) {
    auto opened = RemoteDatabase::open({.endpoint = options.on});
    if (!opened) return print_error(fmt::format("{}: {}", options.on, opened.error().message));
    remote = std::move(*opened);
  }
  Database& database = remote ? *remote : **engine;
  const auto context = context_of(options.claims);
  if (!context) return print_error(context.error());

  std::vector<Tool> tools;
  add_database_tools(database, options.allow_writes, tools);
  add_design_tools(tools);
  std::unique_ptr<ServedDesigns> designs;
  if (!options.designs.files.empty()) {
    options.designs.on = options.on;
    options.designs.verify = !options.allow_writes && !options.memory_store;
    options.designs.create = !options.designs.verify;
    auto opened = ServedDesigns::open(
        options.designs,
        {.data = options.data, .memory = options.memory_store || !options.on.empty(), .region = "us-east-1"}, **engine);
    if (!opened) return print_error(opened.error());
    designs = std::move(*opened);
    add_operation_tools(*designs, context->caller, options.allow_writes, tools);
  }
  const McpServer server(std::move(tools), TRESTLE_VERSION);
  for (std::string line; std::getline(std::cin, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (const auto reply = server.answer(line)) {
      fmt::print(out.get(), "{}\n", *reply);
      std::fflush(out.get());
    }
  }
  return 0;
}

}  // namespace

void add_mcp_command(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<McpOptions>();  // shared with the callback, which outlives this call
  CLI::App* command = app.add_subcommand(
      "mcp", "Serve the Model Context Protocol on standard input and output: tables, items and designs for agents");
  command->add_option("--data", options->data, "Data folder of a server that is not running")->capture_default_str();
  command->add_flag("--memory-store", options->memory_store, "Start with no tables, and keep everything in memory");
  command->add_option("--on", options->on, "DynamoDB endpoint to work on, such as a running server");
  command->add_flag("--allow-writes", options->allow_writes,
                    "Offer tools that write items, PartiQL that writes, and operations of designs that write");
  command->add_option("--design", options->designs.files, "Design whose operations can be called; may be repeated")
      ->check(CLI::ExistingPath);
  command->add_option("--table", options->designs.tables, "Another name for a table, as for serve: design/table=NAME");
  command->add_option("--keys", options->designs.keys, "Key ring, as for serve")->check(CLI::ExistingFile);
  command->add_option("--blobs", options->designs.blobs, "Where blobs are stored, as for serve");
  command->add_option("--caller-claims", options->claims,
                      "Claims of the caller of the designs' operations, as a JSON object");
  command->callback([options, &exit_status] { exit_status = serve_mcp(*options); });
}

}  // namespace trestle::mcp
