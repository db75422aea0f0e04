#include "engine/statements/statement_token.h"

#include "base/base64.h"
#include "base/bytes.h"

namespace trestle {
namespace {

constexpr char kTokenVersion = 1;

// FNV-1a. The fingerprint detects mistakes; forging a token would gain nothing.
uint64_t fingerprint(const Statement& statement) {
  std::string text;
  append_sized(text, statement.text);
  for (const Value& parameter : statement.parameters) append_sized(text, parameter.bytes());
  uint64_t hash = 0xCBF29CE484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

}  // namespace

std::string statement_token(const Statement& statement, const StatementPlace& place) {
  std::string token(1, kTokenVersion);
  append_u64_be(token, fingerprint(statement));
  append_varint(token, place.read);
  append_sized(token, place.after ? std::string_view(place.after->bytes()) : std::string_view());
  return base64_text(token);
}

Result<StatementPlace> read_statement_token(const Statement& statement, std::string_view text) {
  constexpr size_t kHeaderBytes = 9;
  const std::string bytes = base64_bytes(text).value_or("");
  std::string_view token = bytes;
  if (token.size() < kHeaderBytes || token.front() != kTokenVersion) return invalid("Invalid NextToken");
  const uint64_t token_fingerprint = load_u64_be(token.data() + 1);
  token.remove_prefix(kHeaderBytes);
  uint64_t read;
  std::string_view key;
  if (!read_varint(token, read) || !read_sized(token, key) || !token.empty()) return invalid("Invalid NextToken");
  if (!key.empty() && !is_valid_item(key)) return invalid("Invalid NextToken");
  if (token_fingerprint != fingerprint(statement)) return invalid("NextToken does not match request");
  StatementPlace place{.read = read};
  if (!key.empty()) place.after = Item(std::string(key));
  return place;
}

}  // namespace trestle
