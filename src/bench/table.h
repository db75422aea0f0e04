// Creates, fills, scans and deletes the tables of a benchmark.
#pragma once

#include "bench/call.h"
#include "bench/workload.h"

namespace trestle::bench {

// Creates the table and waits until it is ACTIVE. Fails if a table of that name already exists.
Result<void> create_table(Caller& caller, const std::string& name, TableKind kind);
Result<void> delete_table(Caller& caller, const std::string& name);

// An iterator at the beginning of a shard that has records.
Result<std::string> find_shard_iterator(Caller& caller, const std::string& table);

struct LoadOptions {
  const RequestContext& context;
  SSL_CTX* tls = nullptr;
  const DataShape& data;
  TableKind kind = TableKind::kPlain;
  size_t connections = 32;
  uint64_t seed = 1;
};

// Writes every item of the table once, in batches of 25. A batch that the endpoint throttled or accepted only in part
// is written again.
Result<Measurement> load_table(const LoadOptions& options);

struct ScanTotals {
  uint64_t pages = 0;
  uint64_t items = 0;
  double seconds = 0;
};

// Reads the whole table page by page, with the endpoint's page size. `expected_items` is only used for progress.
Result<ScanTotals> scan_table(Caller& caller, const std::string& name, uint64_t expected_items);

}  // namespace trestle::bench
