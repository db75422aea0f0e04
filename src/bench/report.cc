#include "bench/report.h"

#include <fmt/format.h>

namespace trestle::bench {

namespace {

double us(uint64_t ns) { return static_cast<double>(ns) / 1000.0; }

double client_cores(const Measurement& m) { return m.seconds > 0 ? m.client_cpu_s / m.seconds : 0; }

}  // namespace

std::string table_head() {
  return fmt::format("{:<10} {:>6} {:>10} {:>9} {:>9} {:>9} {:>9} {:>10} {:>7} {:>7}\n", "workload", "conns", "ops/s",
                     "p50 us", "p90 us", "p99 us", "p99.9 us", "max us", "client", "errors");
}

std::string table_line(const ReportRow& row) {
  const Measurement& m = row.measured;
  return fmt::format("{:<10} {:>6} {:>10.0f} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f} {:>10.1f} {:>6.0f}% {:>7}\n",
                     row.workload, row.connections, m.per_second(), us(m.latency_ns.percentile(50)),
                     us(m.latency_ns.percentile(90)), us(m.latency_ns.percentile(99)),
                     us(m.latency_ns.percentile(99.9)), us(m.latency_ns.max()), client_cores(m) * 100, m.errors);
}

std::string csv_text(const std::vector<ReportRow>& rows) {
  std::string text =
      "workload,connections,items,seconds,requests,errors,per_second,mean_us,p50_us,p90_us,p99_us,p999_us,max_us,"
      "request_bytes,reply_body_bytes,client_cpu\n";
  for (const ReportRow& row : rows) {
    const Measurement& m = row.measured;
    const Histogram& h = m.latency_ns;
    text += fmt::format("{},{},{},{:.3f},{},{},{:.1f},{:.1f},{:.1f},{:.1f},{:.1f},{:.1f},{:.1f},{},{},{:.3f}\n",
                        row.workload, row.connections, row.items, m.seconds, m.requests, m.errors, m.per_second(),
                        h.mean() / 1000.0, us(h.percentile(50)), us(h.percentile(90)), us(h.percentile(99)),
                        us(h.percentile(99.9)), us(h.max()), m.request_bytes,
                        m.requests == 0 ? 0 : m.reply_body_bytes / m.requests, client_cores(m));
  }
  return text;
}

}  // namespace trestle::bench
