// ULIDs and random tokens: 48 bits of time and 80 random bits in Crockford's base 32, 26 characters that sort by time.
//
// make_ulid() is monotonic in a process: within one millisecond, and while the clock steps back by less than a second,
// each is greater than the previous one. Random bits come from OpenSSL's generator. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trestle::runtime {

std::string make_ulid(int64_t now_ms);
// Only upper case, as ULIDs are stored; the first character is at most 7.
bool is_ulid(std::string_view text);
// Nothing if the text is not a ULID.
std::optional<int64_t> ulid_time(std::string_view text);

std::string random_bytes(size_t count);
// base64url of `bytes` random bytes.
std::string make_token(size_t bytes);

}  // namespace trestle::runtime
