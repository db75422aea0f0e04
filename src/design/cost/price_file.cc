#include "design/cost/price_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/read_file.h"
#include "design/cost/embedded_prices.h"

namespace trestle::design {

std::optional<Prices> find_prices(const PriceSearch& search, std::string& wrong) {
  namespace fs = std::filesystem;
  const fs::path place = search.file.empty()
                             ? fs::path(search.design_file).parent_path() / "prices" / (search.region + ".json")
                             : fs::path(search.file);
  const auto file = read_file(place.string());
  if (file) {
    auto prices = read_prices(*file, wrong);
    if (!prices) wrong = fmt::format("{}: {}", place.string(), wrong);
    return prices;
  }
  if (!search.file.empty()) {
    wrong = file.error();
    return std::nullopt;
  }
  std::vector<std::string_view> regions;
  for (const auto& [region, text] : embedded_prices()) {
    if (region == search.region) return read_prices(text, wrong);
    regions.push_back(region);
  }
  wrong = fmt::format("there are no prices for {}, only for {}; name a file with --prices", search.region,
                      fmt::join(regions, ", "));
  return std::nullopt;
}

}  // namespace trestle::design
