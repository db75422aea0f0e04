#include "cli/serve/serve_command.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/design/design_place.h"
#include "cli/serve/running_server.h"
#include "cli/serve/serve_checks.h"
#include "cli/serve/serve_options.h"

namespace trestle {
namespace {

// Whether the address is a wildcard: clients reach the server by another address.
bool is_any_address(const std::string& address) { return address == "0.0.0.0" || address == "::"; }

std::string callers_text(const ServeOptions& options) {
  if (!options.credentials.empty()) return "those with a key in " + options.credentials;
  return options.open ? "ANYONE who can reach this server; any access key will do"
                      : "anyone on this machine; any access key will do";
}

void print_welcome(const ServeOptions& options, uint16_t port, const ServedDesigns* designs) {
  const char* scheme = options.tls_certificate.empty() ? "http" : "https";
  const std::string address = is_any_address(options.bind) ? "127.0.0.1" : options.bind;
  const std::string host = address.find(':') == std::string::npos ? address : "[" + address + "]";
  const std::string url = fmt::format("{}://{}:{}", scheme, host, port);
  fmt::print("Trestle {} serves DynamoDB's API on {}\n", TRESTLE_VERSION, url);
  if (options.designs.stores_elsewhere) {
    fmt::print("Data of designs: at {}; other tables are in memory, gone when it stops\n", options.designs.on);
  } else if (options.memory_store) {
    fmt::print("Data: in memory, gone when it stops\n");
  } else {
    fmt::print("Data: {} ({})\n", options.data,
               options.durability == "sync" ? "every acknowledged write is durable" : "relaxed durability");
  }
  fmt::print("Callers: {}\n", callers_text(options));
  if (!options.policies.empty()) fmt::print("Access: policies in {}\n", options.policies);
  fmt::print("Point an SDK at it, for instance: aws dynamodb list-tables --endpoint-url {}\n", url);
  fmt::print("Console: {}/console/\n", url);
  if (designs != nullptr) fmt::print("{}", designs->welcome(url));
  std::fflush(stdout);
  if (options.open) {
    fmt::print(stderr,
               "WARNING: --open: this server does not authenticate clients and listens on {}. Anyone who can reach "
               "port {} can read, change "
               "and delete all data. Only for tests and development.\n",
               is_any_address(options.bind) ? "every address of this machine" : options.bind, port);
  }
}

// Blocks the signals that end the program, so that only the sigwait() in serve() sees them. Threads created later
// inherit the mask.
sigset_t block_stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // Files of keys and policies are reloaded whenever they change, so SIGHUP has nothing to do.
  ::signal(SIGHUP, SIG_IGN);
  return signals;
}

// Why these flags are refused together; empty: they are accepted.
std::string refusal_of_flags(const ServeOptions& options) {
  if (std::string why = refusal_of_callers(options); !why.empty()) return why;
  if (options.designs.browse_on && (options.designs.on.empty() || !options.policies.empty())) {
    return "--browse-on needs --on, and cannot be combined with --policies, which do not cover that endpoint";
  }
  return refusal_of_isolation(options);
}

// `started` is set once the server listens.
int serve(const ServeOptions& options, bool& started) {
  if (const std::string why = refusal_of_flags(options); !why.empty()) return print_error(why);
  auto files = ServerFiles::read(options);
  if (!files.has_value()) return print_error(files.error());
  const sigset_t stop_signals = block_stop_signals();
  auto server = RunningServer::open(options, std::move(*files));
  if (!server.has_value()) return print_error(server.error());
  if (const auto listening = (*server)->listen(); !listening.has_value()) return print_error(listening.error());
  started = true;
  print_welcome(options, (*server)->port(), (*server)->designs());

  int signal_number = 0;
  sigwait(&stop_signals, &signal_number);
  (*server)->stop();
  return 0;
}

}  // namespace

void add_serve_command(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<ServeOptions>();  // shared with the callback, which outlives this call
  CLI::App* command = app.add_subcommand("serve", "Serve DynamoDB's API from a data folder");
  add_serve_flags(*command, *options);
  command->callback([options, command, &exit_status] {
    complete_options(*options, command->get_option("--data")->count() > 0);
    std::error_code error;
    const bool is_new = !options->memory_store && !std::filesystem::exists(options->data, error);
    bool started = false;
    exit_status = serve(*options, started);
    if (is_new && !started) std::filesystem::remove_all(options->data, error);
  });
}

}  // namespace trestle
