// Runs schedules of injected faults (src/simulation/schedule.h), each in its own process, several at a time.
//
//   build/fault_test --schedules 300            seeds 1 to 300
//   build/fault_test --seed 7 --trace           one seed, in this process, with its trace
//
// A violation prints the seed and the trace, and so does a schedule that crashes or hangs.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstring>
#include <map>
#include <string>
#include <thread>

#include "base/read_file.h"
#include "simulation/schedule.h"

namespace {

constexpr unsigned kSecondsMax = 120;  // per schedule, on a busy machine

// Of every five schedules, one uses the operations of tests/faults/depot.yaml, one uses those of a design of designs/,
// one has several concurrent clients, and two have one client. Of every twenty, five have relaxed durability.
constexpr const char* kDesigns[] = {"authz", "form-bridge", "parental-control", "plugin-auth", "site-catalog"};
constexpr int kClientsMax = 4;

std::string yaml_of(const std::string& path) {
  const auto text = trestle::read_file(TRESTLE_SOURCE_FOLDER "/" + path);
  if (text) return *text;
  fmt::print("{} cannot be read\n", path);
  std::exit(2);
}

trestle::ScheduleReport run_seed(trestle::ScheduleOptions options) {
  options.relaxed = options.seed / 5 % 4 == 3;
  switch (options.seed % 5) {
    case 0:
      return trestle::run_depot_schedule(options, yaml_of("tests/faults/depot.yaml"));
    case 1:
      return trestle::run_design_schedule(
          options, yaml_of(fmt::format("designs/{}.yaml", kDesigns[options.seed / 5 % std::size(kDesigns)])));
    case 2:
      options.clients = kClientsMax;
      return trestle::run_schedule(options);
    default:
      return trestle::run_schedule(options);
  }
}

struct Sums {
  long requests = 0, unknown = 0, faults = 0, recoveries = 0, without_recovery = 0, restarts = 0;
};

struct Running {
  uint64_t seed = 0;
  int output = -1;
};

constexpr const char* kFigures = "figures: ";

void print_report(const trestle::ScheduleReport& report, uint64_t seed) {
  if (!report.violation.empty()) fmt::print("VIOLATION, seed {}: {}\n", seed, report.violation);
}

// In the child process: runs one schedule. Writes the trace as far as it gets, the program's messages, and at the end
// the figures.
[[noreturn]] void run_child(uint64_t seed, int output) {
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  alarm(kSecondsMax);
  const trestle::ScheduleReport report = run_seed({.seed = seed, .print_trace = true});
  print_report(report, seed);
  fmt::print("{}{} {} {} {} {} {}\n", kFigures, report.requests, report.unknown, report.faults, report.recoveries,
             report.without_recovery, report.restarts);
  std::fflush(stdout);
  _exit(report.violation.empty() ? 0 : 1);
}

std::string read_all(int from) {
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(from, buffer, sizeof(buffer))) > 0;)
    text.append(buffer, static_cast<size_t>(count));
  close(from);
  return text;
}

int run_many(uint64_t first, uint64_t count, unsigned jobs) {
  std::map<pid_t, Running> running;
  uint64_t next = first;
  std::vector<uint64_t> failed;
  Sums sums;
  while (next < first + count || !running.empty()) {
    while (next < first + count && running.size() < jobs) {
      FILE* output = std::tmpfile();  // not a pipe: a long trace must not block the child
      const int descriptor = fileno(output);
      const pid_t child = fork();
      if (child == 0) run_child(next, descriptor);
      running[child] = {.seed = next++, .output = dup(descriptor)};
      std::fclose(output);
    }
    int status = 0;
    const pid_t ended = wait(&status);
    const auto found = running.find(ended);
    if (found == running.end()) continue;
    lseek(found->second.output, 0, SEEK_SET);
    const std::string text = read_all(found->second.output);
    const uint64_t seed = found->second.seed;
    running.erase(found);
    long figures[6] = {};
    const size_t at = text.rfind(kFigures);
    if (at != std::string::npos &&
        std::sscanf(text.c_str() + at + std::strlen(kFigures), "%ld %ld %ld %ld %ld %ld", &figures[0], &figures[1],
                    &figures[2], &figures[3], &figures[4], &figures[5]) == 6) {
      sums.requests += figures[0];
      sums.unknown += figures[1];
      sums.faults += figures[2];
      sums.recoveries += figures[3];
      sums.without_recovery += figures[4];
      sums.restarts += figures[5];
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    failed.push_back(seed);
    fmt::print("{}", text);
    if (WIFSIGNALED(status)) {
      fmt::print(
          "VIOLATION, seed {}: {}\n", seed,
          WTERMSIG(status) == SIGALRM ? "it does not end" : fmt::format("it ends by signal {}", WTERMSIG(status)));
    }
    std::fflush(stdout);
  }
  fmt::print(
      "{} requests, {} with an unknown outcome; {} failed disk operations; {} recoveries, {} times a restart was "
      "needed; {} restarts\n",
      sums.requests, sums.unknown, sums.faults, sums.recoveries, sums.without_recovery, sums.restarts);
  for (const uint64_t seed : failed) fmt::print("failed: --seed {}\n", seed);
  fmt::print("{} passed, {} failed\n", count - failed.size(), failed.size());
  return failed.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Random requests under injected disk faults, checked against a model.");
  uint64_t schedules = 300;
  uint64_t first = 1;
  uint64_t seed = 0;
  bool trace = false;
  unsigned jobs = 2 * std::max(1u, std::thread::hardware_concurrency());
  app.add_option("--schedules", schedules, "How many schedules");
  app.add_option("--first", first, "The seed of the first one");
  app.add_option("--jobs", jobs, "How many at a time");
  auto* one = app.add_option("--seed", seed, "Only this one, in this process");
  app.add_flag("--trace", trace, "With --seed: prints what it does");
  CLI11_PARSE(app, argc, argv);
  if (one->count() == 0) return run_many(first, schedules, jobs);
  const trestle::ScheduleReport report = run_seed({.seed = seed, .print_trace = trace});
  print_report(report, seed);
  return report.violation.empty() ? 0 : 1;
}
