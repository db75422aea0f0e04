#include "bench/replay.h"

#include <fmt/format.h>

#include <sstream>

#include "base/read_file.h"

namespace trestle::bench {

namespace {

constexpr uint64_t kKeys = 10'000'000'000;  // the number of keys with that many digits

}  // namespace

Result<std::vector<ReplayLine>> read_replay(const std::string& path) {
  auto text = read_file(path);
  if (!text) return fail(text.error());
  std::istringstream file(std::move(*text));
  std::vector<ReplayLine> lines;
  for (std::string line; std::getline(file, line);) {
    const size_t tab = line.find('\t');
    if (tab == std::string::npos || tab == 0) {
      return fail(fmt::format("{}: line {} is not an operation or path, a tab and a body", path, lines.size() + 1));
    }
    lines.push_back({.asks = line.substr(0, tab), .body = line.substr(tab + 1)});
  }
  if (lines.empty()) return fail(fmt::format("{}: it contains no requests", path));
  return lines;
}

ReplaySource::ReplaySource(const std::vector<ReplayLine>& lines, const RequestContext& context, size_t data_bytes,
                           uint64_t seed)
    : random_(seed), key_(random_.next() % kKeys) {
  requests_.reserve(lines.size());
  for (const ReplayLine& line : lines) {
    requests_.emplace_back(
        context, RequestShape{.operation = line.asks, .body = line.body, .data_bytes = data_bytes, .items = kKeys});
  }
}

std::string_view ReplaySource::next(size_t /*connection*/) {
  RequestTemplate& request = requests_[place_];
  place_ = (place_ + 1) % requests_.size();
  return request.fill(key_++, random_);
}

bool ReplaySource::accept(size_t /*connection*/, const Response& response) { return response.status == 200; }

}  // namespace trestle::bench
