#include "cli/health_command.h"

#include <fmt/format.h>

#include <CLI/Option.hpp>
#include <cstdlib>
#include <memory>

#include "cli/design/design_place.h"
#include "http/call.h"

namespace trestle {

void add_health_command(CLI::App& app, int& exit_status) {
  auto url = std::make_shared<std::string>();  // shared with the callback, which outlives this call
  CLI::App* command =
      app.add_subcommand("health", "Check whether a server is healthy: exit status 0 if it is, 1 if not");
  command->add_option("url", *url,
                      "The server's URL; the default is 127.0.0.1 and the port in TRESTLE_SERVE_PORT, or 8000");
  command->callback([url, &exit_status] {
    const char* port = std::getenv("TRESTLE_SERVE_PORT");
    if (url->empty()) *url = fmt::format("http://127.0.0.1:{}", port == nullptr || *port == 0 ? "8000" : port);
    const auto answer = call_http({.method = "GET", .url = *url, .path = "/", .headers = {}, .body = {}});
    if (!answer) {
      exit_status = print_error(answer.error().message);
    } else if (answer->status != 200) {
      exit_status = print_error(fmt::format("{} answers with status {}", *url, answer->status));
    } else {
      fmt::print("{}\n", answer->body);
    }
  });
}

}  // namespace trestle
