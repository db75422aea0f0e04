#include "cli/spaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace trestle {
namespace {

constexpr size_t kNameBytesMax = 128;

// Folder names are derived from this text.
bool is_plain(std::string_view text) {
  return !text.empty() && text.size() <= kNameBytesMax &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
}

}  // namespace

Spaces::Spaces(Options options, std::unique_ptr<Engine> first) : options_(std::move(options)) {
  if (first) (*engines_)[SpaceName{}] = std::move(first);
}

Spaces::~Spaces() {
  retired_.push_back(std::move(engines_));
  release_retired();
}

std::shared_ptr<Engine> Spaces::only() const {
  const std::shared_lock lock(mutex_);
  return engines_->begin()->second;
}

void Spaces::bind(Call& call) {
  if (call.space || call.spaces) return;
  const std::shared_lock lock(mutex_);
  call.spaces = engines_;
}

Result<SpaceName> Spaces::name_of(const Call& call) const {
  if (!options_.isolate) return SpaceName{};
  SpaceName name{.access_key = call.caller, .region = call.region.empty() ? options_.region : call.region};
  if (is_plain(name.access_key) && is_plain(name.region)) return name;
  return failure(ErrorCode::kValidation,
                 "With --isolate, access key ids and regions may contain only letters, digits, - and _");
}

Result<std::shared_ptr<Engine>> Spaces::find(Call& call) {
  if (call.space) return std::static_pointer_cast<Engine>(call.space);  // a call that makes several requests
  TRY_INTO(const SpaceName name, name_of(call));
  const auto find_open = [&]() -> std::shared_ptr<Engine> {
    const std::shared_lock lock(mutex_);
    const Engines& engines = call.spaces ? *static_cast<const Engines*>(call.spaces.get()) : *engines_;
    const auto found = engines.find(name);
    if (found != engines.end()) call.space = found->second;
    return found == engines.end() ? nullptr : found->second;
  };
  if (auto engine = find_open()) return engine;
  if (call.cached_reads_only) {  // opening an engine takes long
    call.needs_disk = call.needs_lock = true;
    return failure(ErrorCode::kServiceUnavailable, "The space is not open yet");
  }
  bind(call);
  auto& engines = *static_cast<Engines*>(call.spaces.get());
  const std::lock_guard opening(opening_);
  if (auto engine = find_open()) return engine;
  {
    const std::shared_lock lock(mutex_);
    if (engines.size() >= kSpacesMax) {
      return failure(ErrorCode::kInternal, fmt::format("There are {} pairs of access keys and regions", kSpacesMax));
    }
  }
  auto opened = options_.open(name);
  if (!opened) return failure(ErrorCode::kServiceUnavailable, opened.error());  // the next call tries again
  const std::shared_ptr<Engine> engine = std::move(*opened);
  const std::unique_lock lock(mutex_);
  engines[name] = engine;
  call.space = engine;
  return engine;
}

BasicResult<void, std::string> Spaces::reset() {
  auto fresh = std::make_shared<Engines>();
  if (!options_.isolate) {
    TRY_INTO((*fresh)[SpaceName{}], options_.open({}));
  }
  const std::unique_lock lock(mutex_);
  std::swap(engines_, fresh);
  retired_.push_back(std::move(fresh));
  return {};
}

void Spaces::release_retired() {
  // A thread of an engine itself must not drop the last reference.
  const auto wait_until_unused = [](const auto& shared) {
    while (shared.use_count() > 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  for (const auto& engines : retired_) {
    wait_until_unused(engines);  // from then on no call opens a space in it
    for (auto& [name, engine] : *engines) {
      wait_until_unused(engine);
      engine.reset();
    }
  }
  retired_.clear();
}

std::vector<std::shared_ptr<Engine>> Spaces::all() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::shared_ptr<Engine>> all;
  for (const auto& [name, engine] : *engines_) all.push_back(engine);
  return all;
}

void Spaces::wait_for_callbacks() {
  for (const auto& engine : all()) engine->wait_for_callbacks();
}

Result<void> Spaces::wait_durable(const Call& call) {
  if (!call.space) return {};
  return static_cast<Engine*>(call.space.get())->wait_durable(call);
}

void Spaces::when_durable(const Call& call, std::move_only_function<void(Result<void>)> then) {
  if (!call.space) return then({});
  const auto space = std::static_pointer_cast<Engine>(call.space);
  space->when_durable(call,
                      [space, then = std::move(then)](Result<void> durable) mutable { then(std::move(durable)); });
}

Result<void> Spaces::flush_log() {
  if (!options_.isolate) return only()->flush_log();
  for (const auto& engine : all()) TRY(engine->flush_log());
  return {};
}

}  // namespace trestle
