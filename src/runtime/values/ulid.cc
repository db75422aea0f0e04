#include "runtime/values/ulid.h"

#include <openssl/rand.h>

#include <array>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/check.h"
#include "base/mutex.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr size_t kTimeLength = 10;
constexpr size_t kLength = 26;
constexpr int64_t kTimeMax = (int64_t{1} << 48) - 1;

constexpr std::array<int8_t, 256> make_values() {
  std::array<int8_t, 256> values{};
  values.fill(-1);
  for (size_t i = 0; i < kAlphabet.size(); ++i) values[static_cast<uint8_t>(kAlphabet[i])] = static_cast<int8_t>(i);
  return values;
}
constexpr auto kValues = make_values();

// The last id's time and random bits: 16 high, 64 low.
struct Last {
  Mutex mutex;
  int64_t ms GUARDED_BY(mutex) = -1;
  uint64_t high GUARDED_BY(mutex) = 0;
  uint64_t low GUARDED_BY(mutex) = 0;
};
Last& last() {
  static Last last;
  return last;
}

void fill_random(void* bytes, size_t count) {
  CHECK(RAND_bytes(static_cast<unsigned char*>(bytes), static_cast<int>(count)) == 1);
}

std::string written(int64_t ms, uint64_t high, uint64_t low) {
  std::string out(kLength, '0');
  auto time = static_cast<uint64_t>(ms);
  for (size_t i = kTimeLength; i-- > 0; time >>= 5) out[i] = kAlphabet[time & 31];
  for (size_t i = kLength; i-- > kTimeLength;) {
    out[i] = kAlphabet[low & 31];
    low = low >> 5 | high << 59;
    high >>= 5;
  }
  return out;
}

}  // namespace

std::string make_ulid(int64_t now_ms) {
  CHECK(now_ms >= 0 && now_ms <= kTimeMax);
  constexpr int64_t kStepBackMax = 1000;
  unsigned char bytes[10];
  fill_random(bytes, sizeof bytes);
  const char* chars = reinterpret_cast<const char*>(bytes);
  Last& state = last();
  MutexLock lock(state.mutex);
  if (now_ms <= state.ms && now_ms > state.ms - kStepBackMax) {
    // Advance by a random step, so that the next id cannot be guessed.
    const uint64_t step = load_u32_be(chars) | 1u;
    state.low += step;
    if (state.low < step && ++state.high > 0xFFFF) {
      state.high = 0;
      ++state.ms;
    }
  } else {
    state.ms = now_ms;
    state.high = uint64_t{bytes[8] & 0x7Fu} << 8 | bytes[9];  // the top bit leaves room to count
    state.low = load_u64_be(chars);
  }
  return written(state.ms, state.high, state.low);
}

bool is_ulid(std::string_view text) {
  if (text.size() != kLength || text[0] > '7') return false;
  for (const char c : text) {
    if (kValues[static_cast<uint8_t>(c)] < 0) return false;
  }
  return true;
}

std::optional<int64_t> ulid_time(std::string_view text) {
  if (!is_ulid(text)) return std::nullopt;
  int64_t ms = 0;
  for (const char c : text.substr(0, kTimeLength)) ms = ms << 5 | kValues[static_cast<uint8_t>(c)];
  return ms;
}

std::string random_bytes(size_t count) {
  std::string out(count, '\0');
  fill_random(out.data(), count);
  return out;
}

std::string make_token(size_t bytes) { return base64url_text(random_bytes(bytes)); }

}  // namespace trestle::runtime
