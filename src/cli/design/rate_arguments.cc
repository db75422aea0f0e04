#include "cli/design/rate_arguments.h"

#include <fmt/format.h>

#include "design/language/source.h"

namespace trestle::design {

BasicResult<std::vector<std::pair<std::string, Rate>>, std::string> read_rates(
    const Design& design, const std::vector<std::string>& arguments) {
  std::vector<std::pair<std::string, Rate>> rates;
  for (const std::string& argument : arguments) {
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const auto rate = equals == std::string::npos ? std::nullopt : parse_rate(argument.substr(equals + 1));
    if (!rate) {
      return std::unexpected(fmt::format("`{}`: expected operation=rate, such as submit=10K/month", argument));
    }
    if (design.operation(name) == nullptr) {
      std::vector<std::string> names;
      for (const Operation& operation : design.operations) names.push_back(operation.name);
      return std::unexpected(fmt::format("{} has no operation `{}`{}", design.name, name, did_you_mean(name, names)));
    }
    rates.emplace_back(name, *rate);
  }
  return rates;
}

}  // namespace trestle::design
