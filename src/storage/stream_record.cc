#include "storage/stream_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/bytes.h"
#include "base/check.h"

namespace trestle {
namespace {

constexpr char kStreamRecordFormat = 1;
constexpr size_t kCommitDigits = 20;
constexpr size_t kPlaceDigits = 6;
constexpr size_t kSlotBytes = 5;
constexpr size_t kKeyBytes = kSlotBytes + 12;

template <class Number>
bool read_digits(std::string_view digits, Number& value) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size();
}

}  // namespace

std::string sequence_number(StreamPosition position) {
  return fmt::format("1{:020}{:06}", position.commit, std::min(position.place, kStreamPlacesMax - 1));
}

std::optional<StreamPosition> read_sequence_number(std::string_view text) {
  if (text.size() != 1 + kCommitDigits + kPlaceDigits || text[0] != '1') return std::nullopt;
  if (!std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  StreamPosition position;
  if (!read_digits(text.substr(1, kCommitDigits), position.commit)) return std::nullopt;
  if (!read_digits(text.substr(1 + kCommitDigits), position.place)) return std::nullopt;
  return position;
}

std::string stream_record_key(uint32_t stream, uint32_t slot, StreamPosition position) {
  std::string key;
  key.reserve(kKeyBytes);
  append_u32_be(key, stream);
  key.push_back(static_cast<char>(slot));
  append_u64_be(key, position.commit);
  append_u32_be(key, position.place);
  return key;
}

StreamPosition stream_record_position(std::string_view key) {
  CHECK(key.size() == kKeyBytes);
  return {.commit = load_u64_be(key.data() + kSlotBytes), .place = load_u32_be(key.data() + kSlotBytes + 8)};
}

KeyRange stream_record_range(uint32_t stream, uint32_t slot, StreamPosition begin, StreamPosition end) {
  return {.begin = stream_record_key(stream, slot, begin), .end = stream_record_key(stream, slot, end)};
}

KeyRange stream_range(uint32_t stream) {
  KeyRange range;
  append_u32_be(range.begin, stream);
  range.end = after_prefix(range.begin);
  return range;
}

std::string encode_stream_record(const StreamRecordView& record) {
  std::string bytes;
  bytes.reserve(24 + record.keys.bytes().size() + record.new_image.bytes().size() + record.old_image.bytes().size());
  bytes.push_back(kStreamRecordFormat);
  bytes.push_back(static_cast<char>(record.event));
  bytes.push_back(static_cast<char>(record.origin));
  append_varint(bytes, static_cast<uint64_t>(record.created_ms));
  append_sized(bytes, record.keys.bytes());
  append_sized(bytes, record.new_image.bytes());
  append_sized(bytes, record.old_image.bytes());
  return bytes;
}

std::optional<StreamRecordView> read_stream_record(std::string_view bytes) {
  if (bytes.size() < 3 || bytes[0] != kStreamRecordFormat) return std::nullopt;
  const auto event = static_cast<unsigned char>(bytes[1]);
  const auto origin = static_cast<unsigned char>(bytes[2]);
  if (event > static_cast<unsigned>(StreamEvent::kRemove)) return std::nullopt;
  if (origin > static_cast<unsigned>(WriteOrigin::kTimeToLive)) return std::nullopt;
  bytes.remove_prefix(3);
  uint64_t created_ms;
  std::string_view keys;
  std::string_view new_image;
  std::string_view old_image;
  if (!read_varint(bytes, created_ms) || !read_sized(bytes, keys) || !read_sized(bytes, new_image) ||
      !read_sized(bytes, old_image) || !bytes.empty()) {
    return std::nullopt;
  }
  return StreamRecordView{.event = static_cast<StreamEvent>(event),
                          .origin = static_cast<WriteOrigin>(origin),
                          .created_ms = static_cast<int64_t>(created_ms),
                          .keys = ItemView(keys),
                          .new_image = ItemView(new_image),
                          .old_image = ItemView(old_image)};
}

}  // namespace trestle
