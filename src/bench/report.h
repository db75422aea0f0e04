// Formats results for people (one table row each) and for programs (one CSV line each).
#pragma once

#include <string>
#include <vector>

#include "bench/load_loop.h"

namespace trestle::bench {

struct ReportRow {
  std::string workload;
  size_t connections;
  uint64_t items;
  Measurement measured;
};

std::string table_head();
std::string table_line(const ReportRow& row);

// Columns: workload, connections, items, seconds, requests, errors, per_second, mean_us, p50_us, p90_us, p99_us,
// p999_us, max_us, request_bytes, reply_body_bytes (mean), client_cpu (cores).
std::string csv_text(const std::vector<ReportRow>& rows);

}  // namespace trestle::bench
