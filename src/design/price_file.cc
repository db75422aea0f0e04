#include "design/price_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace trestle::design {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> places(const PriceSearch& search) {
  if (!search.file.empty()) return {search.file};
  const std::string name = search.region + ".json";
  const fs::path folder = fs::path(search.design_file).parent_path();
  std::vector<fs::path> out = {folder / "prices" / name, folder / ".." / "prices" / name,
                               fs::path("designs/prices") / name};
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  if (!none) out.push_back(program.parent_path() / ".." / "share" / "trestle" / "prices" / name);
  out.push_back(fs::path("/usr/share/trestle/prices") / name);
  return out;
}

}  // namespace

std::optional<Prices> find_prices(const PriceSearch& search, std::string& wrong) {
  for (const fs::path& place : places(search)) {
    std::ifstream file(place, std::ios::binary);
    if (!file) continue;
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    auto prices = read_prices(text, wrong);
    if (!prices) wrong = fmt::format("{}: {}", place.string(), wrong);
    return prices;
  }
  wrong = search.file.empty() ? fmt::format("there are no prices for {}; name a file with --prices", search.region)
                              : fmt::format("cannot read {}", search.file);
  return std::nullopt;
}

}  // namespace trestle::design
