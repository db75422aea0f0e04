#include "bench/load_loop.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>

namespace trestle::bench {

using namespace std::chrono_literals;

namespace {

constexpr size_t kBufferBytes = 256u << 10;
constexpr size_t kErrorTextMax = 500;
constexpr auto kSilenceMax = std::chrono::seconds(60);
constexpr std::chrono::nanoseconds kWaitMax = std::chrono::milliseconds(200);

double cpu_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + t.tv_usec * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// The random time between two arrivals of a Poisson process.
std::chrono::nanoseconds random_gap(Random& random, double rate) {
  const double uniform = (static_cast<double>(random.next() >> 11) + 0.5) * 0x1p-53;
  return std::chrono::nanoseconds(static_cast<int64_t>(-std::log(uniform) * 1e9 / rate));
}

}  // namespace

Result<Measurement> LoadLoop::run(RequestSource& source, const RunLimits& limits, Progress& progress) {
  source_ = &source;
  limits_ = limits;
  buffer_ = std::make_unique<char[]>(kBufferBytes);
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_ < 0) return fail(fmt::format("epoll: {}", std::strerror(errno)));
  struct Closer {
    int descriptor;
    ~Closer() { close(descriptor); }
  } const closer{epoll_};
  TRY(open_lanes());

  started_ = now_ = std::chrono::steady_clock::now();
  cpu_at_start_s_ = cpu_seconds();
  measuring_ = limits_.warmup_s == 0;
  if (limits_.rate > 0) {
    prctl(PR_SET_TIMERSLACK, 1);
    next_due_ = now_ + random_gap(random_, limits_.rate);
  }
  for (size_t lane = 0; lane < lanes_.size(); ++lane) TRY(send_next(lane));

  Time last_event = now_;
  std::array<epoll_event, 256> events;
  while (in_flight_ > 0 || (!stopping_ && !idle_.empty())) {
    const int ready = wait_for_events(events);
    if (ready < 0 && errno != EINTR) return fail(fmt::format("epoll_wait: {}", std::strerror(errno)));
    now_ = std::chrono::steady_clock::now();
    if (ready > 0) last_event = now_;
    if (in_flight_ > 0 && now_ - last_event > kSilenceMax) return fail("the endpoint has not answered for 60 seconds");
    for (int i = 0; i < ready; ++i) {
      const size_t lane = events[i].data.u64;
      if (events[i].events & EPOLLOUT) TRY(resume_send(lane));
      if (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) TRY(receive(lane));
    }
    update_phase();
    TRY(send_due());
    if (measuring_ && progress.due(now_)) progress.show(now_, fraction_done(), measured_.requests);
  }
  if (!stopping_) {
    measured_.seconds = seconds_between(started_, now_);
    measured_.client_cpu_s = cpu_seconds() - cpu_at_start_s_;
  }
  lanes_.clear();
  return std::move(measured_);
}

// Phases: warm-up, measurement, then waiting for requests in flight without counting them.
void LoadLoop::update_phase() {
  const double elapsed_s = seconds_between(started_, now_);
  if (!measuring_ && !stopping_ && elapsed_s >= limits_.warmup_s) {
    measuring_ = true;
    started_ = now_;
    cpu_at_start_s_ = cpu_seconds();
    measured_ = {};
  } else if (measuring_ && ((limits_.seconds > 0 && elapsed_s >= limits_.seconds) ||
                            (limits_.requests > 0 && measured_.requests + measured_.errors >= limits_.requests))) {
    measuring_ = false;
    stopping_ = true;
    measured_.seconds = elapsed_s;
    measured_.client_cpu_s = cpu_seconds() - cpu_at_start_s_;
  }
}

double LoadLoop::fraction_done() const {
  if (limits_.seconds > 0) return std::min(1.0, seconds_between(started_, now_) / limits_.seconds);
  const uint64_t total = limits_.requests > 0 ? limits_.requests : limits_.expected_requests;
  return total == 0 ? 0 : std::min(1.0, static_cast<double>(measured_.requests) / static_cast<double>(total));
}

Result<void> LoadLoop::open_lanes() {
  lanes_.reserve(options_.connections);
  for (size_t lane = 0; lane < options_.connections; ++lane) {
    TRY_INTO(Connection connection, Connection::open(options_.endpoint, options_.tls));
    lanes_.push_back({.connection = std::move(connection)});
    watch(lane, EPOLL_CTL_ADD, false);
  }
  return {};
}

Result<void> LoadLoop::reopen(size_t lane) {
  TRY_INTO(lanes_[lane].connection, Connection::open(options_.endpoint, options_.tls));
  lanes_[lane].reader.reset();
  lanes_[lane].unsent.clear();
  watch(lane, EPOLL_CTL_ADD, false);
  return {};
}

void LoadLoop::watch(size_t lane, int operation, bool writable) {
  epoll_event event{.events = EPOLLIN | (writable ? EPOLLOUT : 0u), .data = {.u64 = lane}};
  epoll_ctl(epoll_, operation, lanes_[lane].connection.descriptor(), &event);
}

int LoadLoop::wait_for_events(std::span<epoll_event> events) {
  const int most = static_cast<int>(events.size());
  if (limits_.rate == 0) return epoll_wait(epoll_, events.data(), most, static_cast<int>(kWaitMax / 1ms));
  // A poll() with nanoseconds is used instead of epoll_wait(), which has only milliseconds.
  std::chrono::nanoseconds wait = kWaitMax;
  if (!idle_.empty() && !stopping_) {
    wait = std::clamp<std::chrono::nanoseconds>(next_due_ - std::chrono::steady_clock::now(), 0ns, kWaitMax);
  }
  const timespec until{.tv_sec = 0, .tv_nsec = wait.count()};
  pollfd events_ready{.fd = epoll_, .events = POLLIN, .revents = 0};
  const int ready = ppoll(&events_ready, 1, &until, nullptr);
  return ready <= 0 ? ready : epoll_wait(epoll_, events.data(), most, 0);
}

// Sends the requests that are due, as far as connections are free.
Result<void> LoadLoop::send_due() {
  if (limits_.rate == 0 || stopping_) return {};
  for (; next_due_ <= now_; next_due_ += random_gap(random_, limits_.rate)) due_.push_back(next_due_);
  while (!due_.empty() && !idle_.empty()) {
    const size_t lane = idle_.back();
    idle_.pop_back();
    const size_t before = in_flight_;
    TRY(send(lane, due_.front()));
    if (in_flight_ > before) due_.pop_front();
  }
  return {};
}

Result<void> LoadLoop::send_next(size_t lane) {
  if (stopping_) return {};
  if (limits_.rate == 0) return send(lane, now_);
  idle_.push_back(lane);
  return {};
}

Result<void> LoadLoop::send(size_t lane, Time since) {
  const std::string_view request = source_->next(lane);
  if (request.empty()) return {};
  Lane& l = lanes_[lane];
  l.sent_at = since;
  l.in_flight = true;
  ++in_flight_;
  measured_.request_bytes = request.size();
  const auto [end, bytes] = l.connection.write(request);
  if (end == Connection::End::kClosed) return lose(lane, "the connection closed while a request was written");
  if (bytes < request.size()) {
    l.unsent = request.substr(bytes);
    watch(lane, EPOLL_CTL_MOD, true);
  }
  return {};
}

Result<void> LoadLoop::resume_send(size_t lane) {
  Lane& l = lanes_[lane];
  if (!l.unsent.empty()) {
    const auto [end, bytes] = l.connection.write(l.unsent);
    if (end == Connection::End::kClosed) return lose(lane, "the connection closed while a request was written");
    l.unsent.erase(0, bytes);
  }
  if (l.unsent.empty()) watch(lane, EPOLL_CTL_MOD, false);
  return {};
}

Result<void> LoadLoop::receive(size_t lane) {
  Lane& l = lanes_[lane];
  do {
    const auto [end, bytes] = l.connection.read(buffer_.get(), kBufferBytes);
    if (end == Connection::End::kBlocked) return {};
    if (end == Connection::End::kClosed) return lose(lane, "the connection closed before the response was complete");
    if (!l.in_flight) return lose(lane, "unexpected bytes arrived");
    switch (l.reader.feed({buffer_.get(), bytes})) {
      case ResponseState::kIncomplete:
        break;
      case ResponseState::kMalformed:
        return lose(lane, "the response is not HTTP/1.1 with a length");
      case ResponseState::kComplete:
        TRY(complete(lane));
        break;
    }
  } while (l.connection.buffers_input());
  return {};
}

Result<void> LoadLoop::complete(size_t lane) {
  Lane& l = lanes_[lane];
  const Response& response = l.reader.response();
  now_ = std::chrono::steady_clock::now();
  l.in_flight = false;
  --in_flight_;
  if (source_->accept(lane, response)) {
    if (!stopping_) {
      ++measured_.requests;
      measured_.reply_body_bytes += response.body.size();
      measured_.latency_ns.record(static_cast<uint64_t>((now_ - l.sent_at).count()));
    }
  } else {
    note_error(fmt::format("{} {}", response.status, response.body.substr(0, kErrorTextMax)));
  }
  if (response.closes_connection && !stopping_) TRY(reopen(lane));
  return send_next(lane);
}

Result<void> LoadLoop::lose(size_t lane, std::string_view why) {
  if (lanes_[lane].in_flight) {
    lanes_[lane].in_flight = false;
    --in_flight_;
    source_->lost(lane);
    note_error(why);
  }
  TRY(reopen(lane));
  return send_next(lane);
}

void LoadLoop::note_error(std::string_view text) {
  if (stopping_) return;
  ++measured_.errors;
  if (measured_.first_error.empty()) measured_.first_error = text;
}

}  // namespace trestle::bench
