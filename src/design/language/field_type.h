// The type of a field: its possible values, the DynamoDB type that stores it, and its strings in keys.
//
//   text  string  string(1..64)  string([a-z0-9-], 1..32)      int  int(1..5)  number  money     bool
//   ulid  uuid  token(32)  sha256  hex(16)               email  domain  pattern_domain  url  e164  ip  cidr
//   time  time(ms)  date  hour  minute_of_day  zone      epoch  epoch(ms)  epoch(1m)
//   enum(a, b)   set<T>  list<T>  map<T>  binary  any    Name (declared under `types`)
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "design/language/finding.h"
#include "design/language/string_set.h"
#include "model/value.h"

namespace trestle::design {

enum class BaseType {
  kString,
  kText,  // free text of any length; never part of a key
  kInt,
  kNumber,
  kMoney,  // a decimal with two places, stored as N
  kBool,
  kUlid,
  kUuid,
  kToken,   // random bytes as base64url
  kSha256,  // 64 hexadecimal digits
  kHex,
  kEmail,
  kDomain,
  kPatternDomain,  // a domain that may begin with "*."
  kUrl,
  kE164,
  kIp,
  kCidr,
  kTime,         // ISO 8601 UTC with the resolution `resolution_ms`
  kDate,         // 2025-10-03
  kHour,         // 2025-10-03-14
  kMinuteOfDay,  // 22:00
  kZone,         // IANA time zone
  kEpoch,        // Unix time as a number; seconds, or milliseconds
  kEnum,
  kSet,
  kList,
  kMap,     // any names; the values have type `element`
  kRecord,  // the fields of a type declared under `types`
  kBinary,
  kAny,  // any JSON value
};

struct FieldType {
  BaseType base = BaseType::kString;
  std::optional<int64_t> min;  // bound of a number's value, of a text's length in characters, or of a collection's size
  std::optional<int64_t> max;
  std::string characters;                    // kString: "a-z0-9-" of "[a-z0-9-]"; empty: any
  std::vector<std::string> values;           // kEnum
  int64_t resolution_ms = 1000;              // kTime, kEpoch
  bool milliseconds = false;                 // kEpoch: counts milliseconds rather than seconds
  std::shared_ptr<const FieldType> element;  // kSet, kList, kMap; shared because types are copied, never changed
  std::string record;                        // kRecord: the name under `types`
};

// Parses a type at the front of `text` and removes it. `named` looks up a declared type by name. On failure adds a
// mistake (T003) and returns nothing.
using NamedType = std::function<std::optional<FieldType>(std::string_view name)>;
std::optional<FieldType> take_type(std::string_view& text, Place place, const NamedType& named, Findings& findings);
std::string type_text(const FieldType& type);

// The DynamoDB type that stores values of the type.
ValueType stored_type(const FieldType& type);
// Whether values are stored as S, N or B, so that they can be part of a key. False for kText.
bool is_scalar(const FieldType& type);
bool is_numeric(const FieldType& type);
bool is_time(const FieldType& type);
// Whether the strings of values sort like the values.
bool sorts_as_text(const FieldType& type);
// The number of characters of every value as a string; 0 if it varies.
size_t fixed_length(const FieldType& type);
// Whether generated values of the type are unique.
bool is_unique_by_nature(const FieldType& type);
// Whether a value has no size limit and may exceed the size of an item.
bool is_unbounded(const FieldType& type);
// The number of possible values if it is small (enum, bool, int with a range up to 1,000).
std::optional<int64_t> value_count(const FieldType& type);

// The strings of its values in a key.
StringSet strings_of(const FieldType& type);
// The maximum size of a value in an item, in bytes; absent if there is no limit.
std::optional<int64_t> bytes_max(const FieldType& type);

}  // namespace trestle::design
