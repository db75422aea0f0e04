// Generates random inputs for operations from a seed. Most refer to existing items: keys that exist, values of another
// item, the same text in capitals, numbers at the end of their range. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "design/language/design.h"
#include "design/language/string_set.h"
#include "rehearsal/input_origins.h"
#include "runtime/values/plain.h"

namespace trestle::rehearsal {

class RandomInputs {
 public:
  using Items = std::map<const design::Entity*, std::vector<runtime::Plain>>;  // the fields of each item

  RandomInputs(const design::Design& design, uint64_t seed);

  size_t below(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }
  bool percent(int chance) { return below(100) < static_cast<size_t>(chance); }
  runtime::Plain of(const design::Operation& operation, const Items& items, int64_t now_ms);

 private:
  runtime::Plain value(const design::Input& input, const Origin& origin, const Items& items,
                       const runtime::Plain* item);
  runtime::Plain random(const design::FieldType& type, std::string_view entity, std::string_view field,
                        int64_t later_s);
  bool takes(const design::FieldType& type, std::string_view text);
  runtime::Plain number(const design::FieldType& type);
  runtime::Plain text(const design::FieldType& type, runtime::Plain otherwise);
  runtime::Plain members(const design::FieldType& type, std::string_view entity, std::string_view field);
  runtime::Plain changed(const design::FieldType& type, const runtime::Plain& value);
  int64_t some_lifetime();

  const design::Design& design_;
  std::mt19937_64 random_;
  std::vector<std::string> words_;  // texts and member names in the design's expressions
  std::map<const design::FieldType*, design::StringSet> strings_;
  int64_t later_s_ = 0;  // the present, in seconds after the samples were written
};

}  // namespace trestle::rehearsal
