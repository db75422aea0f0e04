#include "cli/bench_command.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>

#include "bench/run.h"

namespace trestle::bench {

void add_bench_command(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<BenchOptions>();  // shared with the callback, which outlives this call
  if (const char* region = std::getenv("AWS_REGION")) options->region = region;

  CLI::App* bench = app.add_subcommand("bench", "Measure the throughput and latencies of any DynamoDB endpoint");
  bench->add_option("--endpoint", options->endpoint, "The endpoint's URL, such as http://127.0.0.1:8000")->required();
  bench
      ->add_option("--workloads", options->workloads,
                   "Any of get, put, put-if, update, hot, batch, transact-write4, transact-get4, partiql, query10, "
                   "query100, scan; also get-records, scan-all, which scans the whole table once, and load, which only "
                   "loads it. The default is all but the last three")
      ->delimiter(',');
  bench->add_option("--connections", options->connections, "Connections, each with one request in flight")
      ->delimiter(',')
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  bench->add_option("--items", options->items, "Items in a table, a multiple of 100")
      ->check(CLI::Range(uint64_t{1}, uint64_t{4'000'000'000}))
      ->capture_default_str();
  bench->add_option("--item-bytes", options->item_bytes, "The size of an item, as DynamoDB counts it")
      ->check(CLI::Range(64, 350'000))
      ->capture_default_str();
  bench->add_option("--seconds", options->seconds, "Duration of one measurement, after up to a second of warm-up")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  bench->add_option("--requests", options->requests, "Measure this many requests instead of a duration");
  bench
      ->add_option("--rate", options->rate,
                   "Requests a second, sent at random times whether or not earlier ones were answered; latencies count "
                   "from those times. Without it, each connection sends its next request when the last one is answered")
      ->check(CLI::PositiveNumber);
  bench->add_option("--csv", options->csv, "Write the results to this file");
  bench->add_option("--table", options->table, "The table's name; a second one has -ranged after it")
      ->capture_default_str();
  bench->add_option("--region", options->region, "The region that requests are signed for")->capture_default_str();
  bench->add_option("--seed", options->seed, "Random seed; repeats the keys of an earlier run");
  bench->add_option("--load-connections", options->load_connections, "Connections that load the tables")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  bench->add_flag("--keep", options->keep, "Keep the tables for a later run with --reuse");
  bench->add_flag("--reuse", options->reuse, "Use existing tables: neither create nor load them");
  bench->add_flag("--echo", options->echo, "The endpoint answers 200 to any POST: send the requests without tables");
  bench
      ->add_option("--replay", options->replay,
                   "Send the requests of this file instead, over and over: lines of a DynamoDB operation or a path, a "
                   "tab and a JSON body, in which <key> is replaced by a new number. Creates no table")
      ->check(CLI::ExistingFile);
  bench->add_flag("!--no-keep-alive", options->keep_alive, "Open a new connection for each measured request");
  bench->add_flag("--insecure", options->insecure, "Accept any certificate");
  bench->footer(
      "Requests are signed with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY when they are set. Tables that the run\n"
      "created are deleted at its end unless --keep is given.");
  bench->callback([options, &exit_status] { exit_status = run_bench(*options); });
}

}  // namespace trestle::bench
