// Client request tokens of completed transactions, so that a repeated request is not executed again.
//
//   kTokens keys: 'k' token -> time of the transaction u64 big endian (ms since 1970), fingerprint (16 bytes),
//                              then for each action u32 big endian: its read units
//                 't' time u64 big endian, token -> ""      an index by time, to find expired tokens
//   fingerprint := XXH3, 128 bits, canonical form, of the request's canonical bytes
//   (engine/transactions/request_fingerprint.h)
//
// A token is written in the commit of its transaction, so either both survive or neither does. A token may be reused
// once it has expired; its old 't' entry then remains until it is trimmed. These bytes are on disk: never change a
// code, only add one. Vectors: docs/formats.md, request_tokens_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/store.h"

namespace trestle {

using Fingerprint = std::array<unsigned char, 16>;
Fingerprint fingerprint_of(std::string_view bytes);

inline constexpr int64_t kRequestTokenLifeMs = 10 * 60 * 1000;

struct RequestToken {
  int64_t time_ms = 0;
  Fingerprint fingerprint{};
  // The cost of reading each action's item when the transaction ran: the larger of its old and new images. A repeated
  // request is charged this. Tokens written by older versions of Trestle have none.
  std::vector<uint32_t> read_units;
};

// Returns nothing if the token was never used or has expired by `now_ms`.
Result<std::optional<RequestToken>> find_token(const Store& store, std::string_view token, int64_t now_ms);
void put_token(Batch& batch, std::string_view token, const RequestToken& value);

struct ExpiredToken {
  int64_t time_ms = 0;
  std::string token;
};
// The oldest expired tokens, at most `limit`.
Result<std::vector<ExpiredToken>> expired_tokens(const Store& store, int64_t now_ms, size_t limit);
// Erases a token that expired_tokens() returned; if it has been reused, only its old 't' entry. No other thread may
// commit the token until the batch is committed.
Result<void> erase_token(const Store& store, const ExpiredToken& expired, Batch& batch);

}  // namespace trestle
