#include "storage/key_encoding.h"

#include <xxhash.h>

#include <array>

#include "base/bytes.h"
#include "base/check.h"
#include "model/number.h"

namespace trestle {
namespace {

constexpr char kNegative = 0;
constexpr char kZero = 1;
constexpr char kPositive = 2;
constexpr int kExponentBias = 0x80;

void append_escaped(std::string& out, std::string_view bytes) {
  size_t start = 0;
  for (size_t zero; (zero = bytes.find('\0', start)) != std::string_view::npos; start = zero + 1) {
    out.append(bytes, start, zero - start);
    out.append("\x00\xFF", 2);
  }
  out.append(bytes, start);
}

void append_number_component(std::string& out, std::string_view canonical) {
  const Number number = number_of(canonical);
  if (number.is_zero()) {
    out.push_back(kZero);
    return;
  }
  out.push_back(number.negative ? kNegative : kPositive);
  const size_t start = out.size();
  // 0.p1p2... x 100^e: with an odd number of integer digits, p1 has only one digit.
  const int integer_digits = number.exponent + 1;
  const bool single_first_digit = integer_digits % 2 != 0;
  const int exponent = (integer_digits + (single_first_digit ? 1 : 0)) / 2;
  out.push_back(static_cast<char>(exponent + kExponentBias));
  int i = 0;
  if (single_first_digit) out.push_back(static_cast<char>(number.digits[static_cast<size_t>(i++)] + 1));
  for (; i < number.count; i += 2) {
    const int high = number.digits[static_cast<size_t>(i)];
    const int low = i + 1 < number.count ? number.digits[static_cast<size_t>(i + 1)] : 0;
    out.push_back(static_cast<char>(high * 10 + low + 1));
  }
  out.push_back('\0');
  if (number.negative) {
    for (size_t j = start; j < out.size(); ++j) out[j] = static_cast<char>(~out[j]);
  }
}

std::optional<Value> read_number_component(std::string_view& in) {
  if (in.empty()) return std::nullopt;
  const char sign = in.front();
  in.remove_prefix(1);
  if (sign == kZero) return Value::number("0");
  if ((sign != kNegative && sign != kPositive) || in.empty()) return std::nullopt;
  const char flip = sign == kNegative ? '\xFF' : '\0';
  const int exponent = static_cast<unsigned char>(in.front() ^ flip) - kExponentBias;
  in.remove_prefix(1);
  std::string text = sign == kNegative ? "-0." : "0.";
  for (;; in.remove_prefix(1)) {
    if (in.empty()) return std::nullopt;
    const int pair = static_cast<unsigned char>(in.front() ^ flip);
    if (pair == 0) break;
    if (pair > 100 || text.size() > 2 * kNumberDigitsMax) return std::nullopt;
    text.push_back(static_cast<char>('0' + (pair - 1) / 10));
    text.push_back(static_cast<char>('0' + (pair - 1) % 10));
  }
  in.remove_prefix(1);
  auto canonical = canonical_number(text + "e" + std::to_string(exponent * 2));
  if (!canonical) return std::nullopt;
  return Value::number(*canonical);
}

std::optional<Value> read_bytes_component(std::string_view& in, ValueType type) {
  std::string bytes;
  while (!in.empty()) {
    const char c = in.front();
    in.remove_prefix(1);
    if (c != '\0') {
      bytes.push_back(c);
      continue;
    }
    if (in.empty()) return std::nullopt;
    const char escape = in.front();
    in.remove_prefix(1);
    if (escape == '\x01') return type == ValueType::kString ? Value::string(bytes) : Value::binary(bytes);
    if (escape != '\xFF') return std::nullopt;
    bytes.push_back('\0');
  }
  return std::nullopt;
}

// Writes the hash of the partition's components, which follow the prefix.
void write_partition_hash(std::string& key) {
  const uint64_t hash = XXH64(key.data() + kKeyPrefixBytes, key.size() - kKeyPrefixBytes, 0);
  for (size_t i = 0; i < 4; ++i) key[4 + i] = static_cast<char>(hash >> (56 - 8 * i));
}

std::string begin_key(uint32_t keyspace) {
  std::string key;
  key.reserve(64);
  append_u32_be(key, keyspace);
  key.append(4, '\0');
  return key;
}

bool append_components(std::string& key, const std::vector<KeyAttribute>& attributes, ItemView item) {
  for (const KeyAttribute& attribute : attributes) {
    const auto value = item.find(attribute.name);
    if (!value || value->type() != attribute.type) return false;
    append_component(key, *value);
  }
  return true;
}

}  // namespace

void append_component(std::string& out, ValueView value) {
  if (value.type() == ValueType::kNumber) {
    append_number_component(out, value.scalar());
    return;
  }
  append_escaped(out, value.scalar());
  out.append("\x00\x01", 2);
}

void append_component_prefix(std::string& out, ValueView prefix) { append_escaped(out, prefix.scalar()); }

std::optional<Value> read_component(std::string_view& in, ValueType type) {
  return type == ValueType::kNumber ? read_number_component(in) : read_bytes_component(in, type);
}

std::string encode_partition(uint32_t keyspace, std::span<const ValueView> hash) {
  std::string key = begin_key(keyspace);
  for (ValueView value : hash) append_component(key, value);
  write_partition_hash(key);
  return key;
}

uint32_t partition_hash(std::string_view key) { return load_u32_be(key.data() + 4); }

std::string encode_table_key(uint32_t keyspace, const KeySchema& schema, ItemView item) {
  std::string key = begin_key(keyspace);
  CHECK(append_components(key, schema.hash, item));
  write_partition_hash(key);
  CHECK(append_components(key, schema.range, item));
  return key;
}

std::optional<std::string> encode_index_key(uint32_t keyspace, const KeySchema& index_key, const KeySchema& table_key,
                                            ItemView item) {
  std::string key = begin_key(keyspace);
  if (!append_components(key, index_key.hash, item)) return std::nullopt;
  write_partition_hash(key);
  if (!append_components(key, index_key.range, item)) return std::nullopt;
  CHECK(append_components(key, table_key.hash, item));
  CHECK(append_components(key, table_key.range, item));
  return key;
}

std::string after_prefix(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xFF') prefix.pop_back();
  CHECK(!prefix.empty());
  ++prefix.back();
  return prefix;
}

KeyRange keyspace_range(uint32_t keyspace) { return segment_range(keyspace, 0, 1); }

KeyRange segment_range(uint32_t keyspace, uint32_t segment, uint32_t total) {
  const auto bound = [&](uint64_t index) {
    std::string key;
    const uint64_t hash = (index << 32) / total;  // the first hash of segment `index`
    append_u32_be(key, hash >> 32 ? keyspace + 1 : keyspace);
    append_u32_be(key, static_cast<uint32_t>(hash));
    return key;
  };
  return {bound(segment), bound(uint64_t{segment} + 1)};
}

}  // namespace trestle
