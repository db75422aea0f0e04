// The type of a field: its values with bounds, the DynamoDB type that stores it, and its text in a key.
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
  kMap,     // any names, values of `element`
  kRecord,  // the names of a type declared under `types`
  kBinary,
  kAny,  // any JSON value
};

struct FieldType {
  BaseType base = BaseType::kString;
  std::optional<int64_t> min;  // of a number's value, or of a text's length in characters
  std::optional<int64_t> max;
  std::string characters;                    // kString: the inside of "[a-z0-9-]"; empty: any
  std::vector<std::string> values;           // kEnum
  int64_t resolution_ms = 1000;              // kTime, kEpoch
  bool milliseconds = false;                 // kEpoch: counts milliseconds rather than seconds
  std::shared_ptr<const FieldType> element;  // kSet, kList, kMap; shared because types are copied, never changed
  std::string record;                        // kRecord: the name under `types`
};

// Parses a type at the front of `text` and removes it. `named` returns the type declared under a name, if any. If there
// is no type, adds a mistake (T003) and returns nothing.
using NamedType = std::function<std::optional<FieldType>(std::string_view name)>;
std::optional<FieldType> take_type(std::string_view& text, Place place, const NamedType& named, Findings& findings);
std::string type_text(const FieldType& type);

// The DynamoDB type that stores it.
ValueType stored_type(const FieldType& type);
// Whether it can be used in a key template.
bool is_scalar(const FieldType& type);
bool is_numeric(const FieldType& type);
bool is_time(const FieldType& type);
// Whether all its values have the same length as strings, so that strings sort like values.
bool sorts_as_text(const FieldType& type);
// How many characters every value has as a string; 0: not all have as many.
size_t fixed_length(const FieldType& type);
// Whether generated values of the type are unique.
bool is_unique_by_nature(const FieldType& type);
// Whether a value may have any length, up to a whole item and beyond.
bool is_unbounded(const FieldType& type);
// How many values it has, where they are few (enum, bool, a small range).
std::optional<int64_t> value_count(const FieldType& type);

// The strings its values make in a key.
StringSet strings_of(const FieldType& type);
// The maximum size of a value in an item; absent if there is no limit.
std::optional<int64_t> bytes_max(const FieldType& type);

}  // namespace trestle::design
