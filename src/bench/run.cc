#include "bench/run.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <set>

#include "base/random_id.h"
#include "bench/replay.h"
#include "bench/report.h"
#include "bench/table.h"

namespace trestle::bench {

namespace {

constexpr double kWarmupMaxSeconds = 1;

// One run: from its options to its result rows. finish() deletes the tables that it created, even if measuring failed.
class Run {
 public:
  explicit Run(const BenchOptions& options) : options_(options) {}

  Result<void> prepare();
  Result<void> measure();
  Result<void> finish();
  const std::vector<ReportRow>& rows() const { return rows_; }

 private:
  Result<void> choose_workloads();
  Result<void> make_tables();
  Result<void> load_tables(Caller& caller);
  Result<Measurement> drive(RequestSource& source, std::string_view name, size_t connections);
  Result<void> replay();
  Result<void> measure(const Workload& workload, size_t connections);
  Result<void> measure_full_scan();
  void add(ReportRow row);

  const BenchOptions& options_;
  RequestContext context_;
  std::shared_ptr<SSL_CTX> tls_;
  DataShape data_;
  uint64_t seed_ = 0;
  std::vector<const Workload*> workloads_;
  std::set<TableKind> kinds_;
  bool full_scan_ = false;
  std::vector<std::string> created_tables_;
  std::vector<ReportRow> rows_;
};

Result<void> Run::prepare() {
  TRY_INTO(context_.endpoint, http::parse_endpoint(options_.endpoint));
  context_.region = options_.region;
  if (auto credentials = http::credentials_from_environment()) {
    context_.signer = std::make_shared<Signer>(*std::move(credentials), options_.region);
  }
  TRY_INTO(tls_, http::make_tls(context_.endpoint, !options_.insecure));
  const uint64_t partitions = (options_.items + kItemsPerPartition - 1) / kItemsPerPartition;
  data_ = {.table = options_.table, .items = partitions * kItemsPerPartition, .item_bytes = options_.item_bytes};
  seed_ = options_.seed != 0 ? options_.seed : random_u64();
  if (!options_.replay.empty()) return {};
  TRY(choose_workloads());
  fmt::print("{}: {} items of {} bytes, seed {}, {}\n", options_.endpoint, data_.items, data_.item_bytes, seed_,
             context_.signer != nullptr ? "signed with AWS_ACCESS_KEY_ID" : "no credentials: placeholder signature");
  return make_tables();
}

Result<void> Run::choose_workloads() {
  if (options_.workloads.empty()) {
    for (const Workload& workload : workloads()) {
      if (workload.table != TableKind::kStreamed) workloads_.push_back(&workload);  // not every endpoint has streams
    }
  }
  for (const std::string& name : options_.workloads) {
    if (name == "load" || name == "scan-all") {
      kinds_.insert(TableKind::kPlain);
      full_scan_ = full_scan_ || name == "scan-all";
    } else if (const Workload* workload = find_workload(name)) {
      workloads_.push_back(workload);
    } else {
      return fail(fmt::format("there is no workload {}", name));
    }
  }
  for (const Workload* workload : workloads_) kinds_.insert(workload->table);
  return {};
}

Result<void> Run::make_tables() {
  if (options_.echo) return {};
  Caller caller(context_, tls_.get());
  if (!options_.reuse) TRY(load_tables(caller));
  if (!kinds_.contains(TableKind::kStreamed)) return {};
  TRY_INTO(data_.shard_iterator, find_shard_iterator(caller, table_name(data_, TableKind::kStreamed)));
  return {};
}

Result<void> Run::load_tables(Caller& caller) {
  for (const TableKind kind : kinds_) {
    const std::string name = table_name(data_, kind);
    TRY(create_table(caller, name, kind));
    created_tables_.push_back(name);
    TRY_INTO(const Measurement loaded, load_table({.context = context_,
                                                   .tls = tls_.get(),
                                                   .data = data_,
                                                   .kind = kind,
                                                   .connections = options_.load_connections,
                                                   .seed = seed_}));
    fmt::print("loaded {}: {} items in {:.2f} s, {:.0f} items/s\n", name, data_.items, loaded.seconds,
               static_cast<double>(data_.items) / loaded.seconds);
    std::fflush(stdout);
    rows_.push_back({.workload = "load" + name.substr(data_.table.size()),
                     .connections = options_.load_connections,
                     .items = data_.items,
                     .measured = loaded});
  }
  return {};
}

Result<void> Run::replay() {
  TRY_INTO(const auto lines, read_replay(options_.replay));
  const std::string name = std::filesystem::path(options_.replay).stem().string();
  fmt::print("{}", table_head());
  for (const size_t connections : options_.connections) {
    ReplaySource source(lines, context_, options_.item_bytes, seed_ + rows_.size());
    TRY_INTO(Measurement measured, drive(source, name, connections));
    add({.workload = name, .connections = connections, .items = lines.size(), .measured = std::move(measured)});
  }
  return {};
}

Result<void> Run::measure() {
  if (!options_.replay.empty()) return replay();
  if (!workloads_.empty()) fmt::print("{}", table_head());
  for (const Workload* workload : workloads_) {
    for (const size_t connections : options_.connections) TRY(measure(*workload, connections));
  }
  if (full_scan_) TRY(measure_full_scan());
  return {};
}

Result<Measurement> Run::drive(RequestSource& source, std::string_view name, size_t connections) {
  LoadLoop loop({.endpoint = context_.endpoint, .tls = tls_.get(), .connections = connections, .seed = seed_});
  Progress progress(fmt::format("{}, {} connections", name, connections), 0);
  if (options_.requests > 0) return loop.run(source, {.requests = options_.requests, .rate = options_.rate}, progress);
  const double warmup_s = std::min(kWarmupMaxSeconds, options_.seconds / 5);
  return loop.run(source, {.warmup_s = warmup_s, .seconds = options_.seconds, .rate = options_.rate}, progress);
}

Result<void> Run::measure(const Workload& workload, size_t connections) {
  RequestContext context = context_;
  context.keep_alive = options_.keep_alive;
  WorkloadSource source(workload, context, data_, seed_ + rows_.size());
  TRY_INTO(Measurement measured, drive(source, workload.name, connections));
  add({.workload = std::string(workload.name),
       .connections = connections,
       .items = data_.items,
       .measured = std::move(measured)});
  return {};
}

Result<void> Run::measure_full_scan() {
  Caller caller(context_, tls_.get());
  TRY_INTO(const ScanTotals totals, scan_table(caller, data_.table, data_.items));
  fmt::print("scan-all: {} items in {} pages, {:.2f} s, {:.0f} items/s\n", totals.items, totals.pages, totals.seconds,
             static_cast<double>(totals.items) / totals.seconds);
  if (totals.items != data_.items) return fail(fmt::format("the table should hold {} items", data_.items));
  Measurement measured;
  measured.requests = totals.items;
  measured.seconds = totals.seconds;
  rows_.push_back({.workload = "scan-all", .connections = 1, .items = data_.items, .measured = measured});
  return {};
}

void Run::add(ReportRow row) {
  fmt::print("{}", table_line(row));
  if (row.measured.errors > 0) fmt::print("  first error: {}\n", row.measured.first_error);
  std::fflush(stdout);
  rows_.push_back(std::move(row));
}

Result<void> Run::finish() {
  if (!options_.keep) {
    Caller caller(context_, tls_.get());
    for (const std::string& name : created_tables_) TRY(delete_table(caller, name));
  }
  if (options_.csv.empty()) return {};
  std::FILE* file = std::fopen(options_.csv.c_str(), "w");
  if (file == nullptr) return fail(fmt::format("{}: cannot be written", options_.csv));
  const std::string text = csv_text(rows_);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !written) return fail(fmt::format("{}: cannot be written", options_.csv));
  return {};
}

bool print_failure(const Result<void>& result) {
  if (result.has_value()) return false;
  std::fflush(stdout);
  fmt::print(stderr, "trestle bench: {}\n", result.error().message);
  return true;
}

}  // namespace

int run_bench(const BenchOptions& options) {
  Run run(options);
  bool failed = print_failure(run.prepare());
  if (!failed) failed = print_failure(run.measure());
  failed = print_failure(run.finish()) || failed;
  for (const ReportRow& row : run.rows()) {
    failed = failed || (row.measured.errors > 0 && !row.workload.starts_with("load"));
  }
  return failed ? 1 : 0;
}

}  // namespace trestle::bench
