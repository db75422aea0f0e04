#include "engine/streams/shard_iterator.h"

#include "base/bytes.h"

namespace trestle {
namespace {

constexpr std::string_view kIteratorVersion = "|1|";
constexpr size_t kBytes = 4 + 4 + 8 + 8 + 4 + 8;
constexpr std::string_view kDigits = "0123456789abcdef";

std::string hex(std::string_view bytes) {
  std::string text;
  for (char c : bytes) {
    text.push_back(kDigits[static_cast<unsigned char>(c) >> 4]);
    text.push_back(kDigits[static_cast<unsigned char>(c) & 15]);
  }
  return text;
}

std::optional<std::string> unhex(std::string_view text) {
  std::string bytes;
  if (text.size() != 2 * kBytes) return std::nullopt;
  for (size_t i = 0; i < text.size(); i += 2) {
    const size_t high = kDigits.find(text[i]);
    const size_t low = kDigits.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes.push_back(static_cast<char>(high << 4 | low));
  }
  return bytes;
}

}  // namespace

std::string encode_shard_iterator(const ShardIterator& iterator) {
  std::string bytes;
  append_u32_be(bytes, iterator.stream_id);
  append_u32_be(bytes, iterator.slot);
  append_u64_be(bytes, iterator.shard_first_commit);
  append_u64_be(bytes, iterator.next.commit);
  append_u32_be(bytes, iterator.next.place);
  append_u64_be(bytes, static_cast<uint64_t>(iterator.issued_ms));
  return iterator.stream_arn + std::string(kIteratorVersion) + hex(bytes);
}

std::optional<ShardIterator> read_shard_iterator(std::string_view text) {
  const size_t at = text.find(kIteratorVersion);
  if (at == std::string_view::npos) return std::nullopt;
  const auto bytes = unhex(text.substr(at + kIteratorVersion.size()));
  if (!bytes) return std::nullopt;
  const char* p = bytes->data();
  return ShardIterator{.stream_arn = std::string(text.substr(0, at)),
                       .stream_id = load_u32_be(p),
                       .slot = load_u32_be(p + 4),
                       .shard_first_commit = load_u64_be(p + 8),
                       .next = {.commit = load_u64_be(p + 16), .place = load_u32_be(p + 24)},
                       .issued_ms = static_cast<int64_t>(load_u64_be(p + 28))};
}

}  // namespace trestle
