// Writes and reads catalog records. A record is a format byte followed by its fields in order, without tags.
//   text := sized bytes       count, list size := varint       flag, code, presence of an optional := u8
//   u32, u64, time := big endian       key type := 'S' | 'N' | 'B'
//
//   template <class Codec, class T>
//   void hold_fields(Codec& codec, T& hold) { codec.text(hold.owner).u32(hold.keyspace); }
//
//   CatalogWriter writer(kHoldFormat);           CatalogReader reader(bytes, kHoldFormat);
//   hold_fields(writer, hold);                   hold_fields(reader, hold);
//   return writer.take();                        TRY(reader.end("hold on a history"));
//
// Writer and reader have the same functions, so that one list of fields serves both. A reader that finds a damaged
// field reads nothing more and reports the damage in end(); the caller must then discard the fields already read. These
// bytes are on disk: never change what a function writes.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "model/error.h"
#include "model/value.h"
#include "storage/key_encoding.h"

namespace trestle {

// ---- Each removes one element from the front of `in`, or returns false if the bytes are invalid.

inline bool read_byte(std::string_view& in, uint32_t& value) {
  if (in.empty()) return false;
  value = static_cast<unsigned char>(in.front());
  in.remove_prefix(1);
  return true;
}

inline bool read_text(std::string_view& in, std::string& text) {
  std::string_view bytes;
  if (!read_sized(in, bytes)) return false;
  text = bytes;
  return true;
}

// The keys in Space::kCatalog that begin with the letter of a kind of record.
inline KeyRange kind_range(char kind) { return {std::string(1, kind), std::string(1, static_cast<char>(kind + 1))}; }

class CatalogWriter {
 public:
  explicit CatalogWriter(char format) : out_(1, format) {}

  CatalogWriter& text(const std::string& value) {
    append_sized(out_, value);
    return *this;
  }
  CatalogWriter& text(const std::optional<std::string>& value) {
    return optional(value, [this](const std::string& present) { text(present); });
  }
  CatalogWriter& count(int64_t value) {
    append_varint(out_, static_cast<uint64_t>(value));
    return *this;
  }
  CatalogWriter& count(uint64_t value) {
    append_varint(out_, value);
    return *this;
  }
  CatalogWriter& u32(uint32_t value) {
    append_u32_be(out_, value);
    return *this;
  }
  CatalogWriter& u64(uint64_t value) {
    append_u64_be(out_, value);
    return *this;
  }
  CatalogWriter& time(int64_t ms) { return u64(static_cast<uint64_t>(ms)); }
  CatalogWriter& flag(bool value) {
    out_.push_back(value ? 1 : 0);
    return *this;
  }
  template <class Enum>
  CatalogWriter& code(Enum value) {
    out_.push_back(static_cast<char>(value));
    return *this;
  }
  // Only the reader uses the second argument, the greatest valid code.
  template <class Enum>
  CatalogWriter& code(Enum value, Enum) {
    return code(value);
  }
  CatalogWriter& key_type(ValueType type) {
    out_.append(type_name(type));
    return *this;
  }
  CatalogWriter& value(const Value& value) {
    append_sized(out_, value.bytes());
    return *this;
  }
  // A presence flag, then the value written by `write`.
  template <class T, class Write>
  CatalogWriter& optional(const std::optional<T>& field, Write write) {
    flag(field.has_value());
    if (field) write(*field);
    return *this;
  }
  // The number of elements, then each element, written by `write`.
  template <class T, class Write>
  CatalogWriter& list(const std::vector<T>& elements, Write write) {
    append_varint(out_, elements.size());
    for (const T& element : elements) write(element);
    return *this;
  }
  // Whether the record has the fields that follow, which are the last ones and may be omitted. The writer decides.
  bool has_more(bool is_written) const { return is_written; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

class CatalogReader {
 public:
  // Borrows the bytes.
  CatalogReader(std::string_view in, char format) : in_(in) {
    ok_ = !in_.empty() && in_.front() == format;
    if (ok_) in_.remove_prefix(1);
  }

  CatalogReader& text(std::string& value) {
    ok_ = ok_ && read_text(in_, value);
    return *this;
  }
  CatalogReader& text(std::optional<std::string>& value) {
    return optional(value, [this](std::string& present) { text(present); });
  }
  CatalogReader& count(int64_t& value) {
    uint64_t raw;
    if (ok_ && (ok_ = read_varint(in_, raw))) value = static_cast<int64_t>(raw);
    return *this;
  }
  CatalogReader& count(uint64_t& value) {
    uint64_t raw;
    if (ok_ && (ok_ = read_varint(in_, raw))) value = raw;
    return *this;
  }
  CatalogReader& u32(uint32_t& value) {
    if (!(ok_ = ok_ && in_.size() >= 4)) return *this;
    value = load_u32_be(in_.data());
    in_.remove_prefix(4);
    return *this;
  }
  CatalogReader& u64(uint64_t& value) {
    if (!(ok_ = ok_ && in_.size() >= 8)) return *this;
    value = load_u64_be(in_.data());
    in_.remove_prefix(8);
    return *this;
  }
  CatalogReader& time(int64_t& ms) {
    uint64_t raw = 0;
    u64(raw);
    ms = static_cast<int64_t>(raw);
    return *this;
  }
  CatalogReader& flag(bool& value) { return code(value, true); }
  template <class Enum>
  CatalogReader& code(Enum& value, Enum last) {
    uint32_t raw = 0;
    ok_ = ok_ && read_byte(in_, raw) && raw <= static_cast<uint32_t>(last);
    if (ok_) value = static_cast<Enum>(raw);
    return *this;
  }
  CatalogReader& key_type(ValueType& type) {
    uint32_t raw = 0;
    ok_ = ok_ && read_byte(in_, raw) && (raw == 'S' || raw == 'N' || raw == 'B');
    if (ok_) type = raw == 'S' ? ValueType::kString : raw == 'N' ? ValueType::kNumber : ValueType::kBinary;
    return *this;
  }
  CatalogReader& value(Value& value) {
    std::string_view bytes;
    if (ok_ && (ok_ = read_sized(in_, bytes))) value = Value(std::string(bytes));
    return *this;
  }
  template <class T, class Read>
  CatalogReader& optional(std::optional<T>& field, Read read) {
    bool is_present = false;
    flag(is_present);
    if (is_present) read(field.emplace());
    return *this;
  }
  // Every element takes at least a byte, so a valid list has no more elements than there are bytes left.
  template <class T, class Read>
  CatalogReader& list(std::vector<T>& elements, Read read) {
    uint64_t size = 0;
    ok_ = ok_ && read_varint(in_, size) && size <= in_.size();
    for (uint64_t i = 0; ok_ && i < size; ++i) read(elements.emplace_back());
    return *this;
  }
  bool has_more(bool) const { return !in_.empty(); }
  // Rejects a record that is incomplete, or has bytes after its last field; `what` names the kind of record.
  Result<void> end(std::string_view what) const {
    if (ok_ && in_.empty()) return {};
    return failure(ErrorCode::kInternal,
                   fmt::format("A stored {} is damaged, or was written by a newer version of Trestle.", what));
  }

 private:
  std::string_view in_;
  bool ok_ = false;
};

}  // namespace trestle
