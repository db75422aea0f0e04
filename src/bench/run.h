// `trestle bench`: loads tables at an endpoint, runs workloads against it and prints the measurements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace trestle::bench {

struct BenchOptions {
  std::string endpoint;
  std::vector<std::string>
      workloads;  // names of workload.h, "load" (only load) and "scan-all"; empty: all of workload.h
  std::vector<size_t> connections = {1, 16, 64, 256};
  uint64_t items = 1000;  // rounded up to whole partitions
  size_t item_bytes = 200;
  double seconds = 5;     // per measurement
  uint64_t requests = 0;  // per measurement, instead of `seconds` if not 0
  double rate = 0;        // requests a second, sent at random times; 0: as fast as they are answered
  std::string csv;        // a file to write; empty: none
  std::string table = "trestle-bench";
  std::string region = "us-east-1";
  uint64_t seed = 0;  // 0: chosen at random
  size_t load_connections = 32;
  bool keep = false;       // do not delete the tables
  bool reuse = false;      // use the tables loaded by an earlier run with keep
  bool echo = false;       // the endpoint is not a database: send the same requests without tables
  std::string replay;      // a file of requests to send instead of workloads (replay.h); empty: none
  bool insecure = false;   // do not verify the certificate
  bool keep_alive = true;  // false: a connection for each measured request
};

// Returns the program's exit status: 0, or 1 after an error, which is printed.
int run_bench(const BenchOptions& options);

}  // namespace trestle::bench
