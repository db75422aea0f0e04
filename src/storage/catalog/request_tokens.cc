#include "storage/catalog/request_tokens.h"

#include <xxhash.h>

#include <cstring>

#include "base/bytes.h"

namespace trestle {
namespace {

constexpr size_t kTimeBytes = 8;

std::string token_key(std::string_view token) { return std::string("k").append(token); }

std::string time_key(int64_t time_ms, std::string_view token) {
  std::string key = "t";
  append_u64_be(key, static_cast<uint64_t>(time_ms));
  return key.append(token);
}

Result<std::optional<RequestToken>> read_token(const Store& store, std::string_view token) {
  PinnedBytes bytes;
  TRY_INTO(const bool found, store.get(Space::kTokens, token_key(token), bytes));
  constexpr size_t kFixedBytes = kTimeBytes + sizeof(Fingerprint);
  if (!found || bytes.view().size() < kFixedBytes) return std::nullopt;
  RequestToken value{.time_ms = static_cast<int64_t>(load_u64_be(bytes.view().data()))};
  std::memcpy(value.fingerprint.data(), bytes.view().data() + kTimeBytes, sizeof(Fingerprint));
  for (size_t at = kFixedBytes; at + sizeof(uint32_t) <= bytes.view().size(); at += sizeof(uint32_t)) {
    value.read_units.push_back(load_u32_be(bytes.view().data() + at));
  }
  return value;
}

}  // namespace

Fingerprint fingerprint_of(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  Fingerprint fingerprint;
  static_assert(sizeof(canonical.digest) == sizeof(Fingerprint));
  std::memcpy(fingerprint.data(), canonical.digest, sizeof(Fingerprint));
  return fingerprint;
}

Result<std::optional<RequestToken>> find_token(const Store& store, std::string_view token, int64_t now_ms) {
  TRY_INTO(auto value, read_token(store, token));
  if (value && value->time_ms + kRequestTokenLifeMs <= now_ms) return std::nullopt;
  return value;
}

void put_token(Batch& batch, std::string_view token, const RequestToken& value) {
  std::string bytes;
  append_u64_be(bytes, static_cast<uint64_t>(value.time_ms));
  bytes.append(reinterpret_cast<const char*>(value.fingerprint.data()), value.fingerprint.size());
  for (const uint32_t units : value.read_units) append_u32_be(bytes, units);
  batch.put(Space::kTokens, token_key(token), bytes);
  batch.put(Space::kTokens, time_key(value.time_ms, token), "");
}

Result<std::vector<ExpiredToken>> expired_tokens(const Store& store, int64_t now_ms, size_t limit) {
  CursorOptions options;
  options.range = {.begin = "t", .end = time_key(now_ms - kRequestTokenLifeMs + 1, "")};
  options.fill_cache = false;
  const auto cursor = store.cursor(Space::kTokens, std::move(options), nullptr);
  std::vector<ExpiredToken> expired;
  for (; cursor->valid() && expired.size() < limit; cursor->next()) {
    const std::string_view key = cursor->key();
    if (key.size() < 1 + kTimeBytes) continue;
    expired.push_back({.time_ms = static_cast<int64_t>(load_u64_be(key.data() + 1)),
                       .token = std::string(key.substr(1 + kTimeBytes))});
  }
  if (!cursor->valid()) TRY(cursor->status());
  return expired;
}

Result<void> erase_token(const Store& store, const ExpiredToken& expired, Batch& batch) {
  TRY_INTO(const auto value, read_token(store, expired.token));
  if (value && value->time_ms == expired.time_ms) batch.erase(Space::kTokens, token_key(expired.token));
  batch.erase(Space::kTokens, time_key(expired.time_ms, expired.token));
  return {};
}

}  // namespace trestle
