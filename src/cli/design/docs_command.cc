#include "cli/design/docs_command.h"

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <fstream>
#include <memory>
#include <string>

#include "cli/design/plan_command.h"
#include "design/cost/price_file.h"
#include "design/docs/docs.h"

namespace trestle::design {

void add_docs_command(CLI::App& design, int& exit_status) {
  struct Options {
    std::string file;
    std::string out;
    std::string region = "us-east-1";
    std::string prices;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = design.add_subcommand("docs", "Write an illustrated HTML document of a design");
  command->add_option("file", options->file, "Design file")->required();
  command->add_option("-o,--out", options->out, "HTML file to write")->required();
  command->add_option("--region", options->region, "AWS region of the monthly cost");
  command->add_option("--prices", options->prices, "Price file to use instead of the region's");
  command->callback([options, &exit_status] {
    const auto reading = read_design_file(options->file);
    if (!reading) {
      exit_status = 2;
      return;
    }
    std::string wrong;
    const auto prices = find_prices({options->region, options->prices, options->file}, wrong);
    if (!prices) {
      // A requested region or price file must exist; the default one may be missing.
      const bool required = !options->prices.empty() || options->region != "us-east-1";
      fmt::print(stderr, "trestle: {}{}\n", wrong, required ? "" : "; the page has no monthly cost");
      if (required) {
        exit_status = 2;
        return;
      }
    }
    std::ofstream file(options->out, std::ios::binary | std::ios::trunc);
    file << docs_html(*reading, check_design(*reading), prices ? &*prices : nullptr);
    file.close();
    if (!file) {
      fmt::print(stderr, "trestle: cannot write {}\n", options->out);
      exit_status = 2;
    }
  });
}

}  // namespace trestle::design
