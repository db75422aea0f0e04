#include "design/docs_command.h"

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <fstream>
#include <memory>
#include <string>

#include "design/docs.h"
#include "design/plan_command.h"

namespace trestle::design {

void add_docs_command(CLI::App& design, int& exit_status) {
  struct Options {
    std::string file;
    std::string out;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = design.add_subcommand("docs", "Write a document with pictures, for people");
  command->add_option("file", options->file, "Design file")->required();
  command->add_option("-o,--out", options->out, "HTML file to write")->required();
  command->callback([options, &exit_status] {
    const auto reading = read_design_file(options->file);
    if (!reading) {
      exit_status = 2;
      return;
    }
    std::ofstream file(options->out, std::ios::binary | std::ios::trunc);
    file << docs_html(*reading, check_design(*reading));
    file.close();
    if (!file) {
      fmt::print(stderr, "trestle: cannot write {}\n", options->out);
      exit_status = 2;
    }
  });
}

}  // namespace trestle::design
