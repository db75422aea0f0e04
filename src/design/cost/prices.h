// DynamoDB's prices in a region on a date, read from a file in designs/prices.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trestle::design {

struct Prices {
  std::string region;
  std::string currency;
  std::string date;
  std::vector<std::string> sources;
  std::vector<std::string> derived;                // figures that no source states directly, and how they were derived
  double write_million = 0, read_million = 0;      // on-demand request units
  double write_unit_hour = 0, read_unit_hour = 0;  // provisioned capacity units
  double gb_month = 0, free_gb = 0;                // storage
  double stream_reads_100k = 0, free_stream_reads = 0;
  double pitr_gb_month = 0, backup_gb_month = 0, restore_gb = 0;
};

// Nothing if the text is not a price file; `wrong` then says what was expected.
std::optional<Prices> read_prices(std::string_view text, std::string& wrong);

}  // namespace trestle::design
