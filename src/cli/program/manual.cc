#include "cli/program/manual.h"

#include <fmt/format.h>

#include <string_view>

namespace trestle {
namespace {

std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\n') {
      out += "\n.br\n";
    } else {
      if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
      out.push_back(c);
    }
  }
  return out;
}

void add_options(const CLI::App& app, std::string& out) {
  for (const CLI::Option* option : app.get_options()) {
    std::string value = option->get_type_name();
    if (!option->get_default_str().empty()) value += " (default " + option->get_default_str() + ")";
    const bool takes_value = option->get_items_expected_max() > 0;
    out += fmt::format(".TP\n.B {}{}\n{}\n", roff(option->get_name(false, true)),
                       takes_value && !value.empty() ? " \\fI" + roff(value) + "\\fR" : "",
                       roff(option->get_description()));
  }
}

void add_command(const CLI::App& app, const std::string& path, std::string& out) {
  out += fmt::format(".SS trestle {}\n{}.\n", roff(path), roff(app.get_description()));
  add_options(app, out);
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    add_command(*command, path + " " + command->get_name(), out);
}

}  // namespace

std::string manual_page(const CLI::App& app) {
  std::string out = fmt::format(
      ".TH TRESTLE 1 \"\" \"trestle {}\" \"User commands\"\n"
      ".SH NAME\ntrestle \\- DynamoDB's API on one machine\n"
      ".SH SYNOPSIS\n.B trestle\n.I COMMAND\n.RI [ options ]\n"
      ".SH DESCRIPTION\n"
      "Trestle answers DynamoDB's API over HTTP or HTTPS from a data folder, and checks, plans and serves data "
      "designs.\n"
      ".SH COMMANDS\n",
      TRESTLE_VERSION);
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    add_command(*command, command->get_name(), out);
  out +=
      ".SH ENVIRONMENT\n"
      "A flag that is not on the command line is taken from the variable that has the names of its command and of the "
      "flag:\n"
      ".B TRESTLE_SERVE_PORT\nfor\n.BR \"trestle serve \\-\\-port\" .\nSeveral values are separated by commas.\n"
      ".SH FILES\n"
      ".B \\-\\-config\n.I FILE\n"
      "names a file of flags, one on each line without the dashes:\n.BR \"port = 9000\" .\n"
      "The command line and the environment take precedence over it.\n"
      ".PP\nThe Debian package runs\n.B trestle serve\nas the user\n.I trestle\nby the unit\n.IR trestle.service ,\n"
      "with the flags in\n.IR /etc/default/trestle\nand the data in\n.IR /var/lib/trestle ,\n"
      "which stays when the package is removed.\n"
      ".SH EXIT STATUS\n"
      "0 after SIGINT or SIGTERM and a clean close, 1 when it cannot start, 2 for a wrong command line.\n";
  return out;
}

void add_manual_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("manual", "Print the manual page in roff: trestle manual | man -l -");
  command->callback([&app] { fmt::print("{}", manual_page(app)); });
}

}  // namespace trestle
