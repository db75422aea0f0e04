// Parses and formats the quantities of designs: `5m`, `90d`, `128KB`, `30%`, `500/s per tenant_id`. The parsers return
// nothing for malformed text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trestle::design {

// "90d" -> 7776000. Units: s, m, h, d, w.
std::optional<int64_t> parse_duration_s(std::string_view text);
std::string duration_text(int64_t seconds);

// "2KB" -> 2048 (KB and KiB are 1024 bytes, as DynamoDB counts), "300B", "1MB"; a bare number is bytes.
std::optional<int64_t> parse_bytes(std::string_view text);
std::string bytes_text(int64_t bytes);

// "30%" -> 0.3.
std::optional<double> parse_share(std::string_view text);

// A rate: in total, or for each combination of values of the `per` fields.
struct Rate {
  double per_second = 0;
  std::vector<std::string> per;  // "500/s per childPhoneNumber, appName"
  bool declared() const { return per_second > 0; }
};
// Units: s, m, h, d, month (30 days). Counts take K and M: "10K/month".
std::optional<Rate> parse_rate(std::string_view text);
std::string rate_text(double per_second);
// A number for display: "0.5", "5,015.5", "106,084".
std::string figure_text(double figure);

}  // namespace trestle::design
