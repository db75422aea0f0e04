#include "engine/items/key_range.h"

#include "base/check.h"

namespace trestle {
namespace {

KeyRange range_of(const std::string& prefix, const KeyTerm& term) {
  const auto with = [&](ValueView value) {
    std::string key = prefix;
    append_component(key, value);
    return key;
  };
  switch (term.comparison) {
    case KeyComparison::kEqual:
      return {with(term.first), after_prefix(with(term.first))};
    case KeyComparison::kLess:
      return {prefix, with(term.first)};
    case KeyComparison::kLessOrEqual:
      return {prefix, after_prefix(with(term.first))};
    case KeyComparison::kGreater:
      return {after_prefix(with(term.first)), after_prefix(prefix)};
    case KeyComparison::kGreaterOrEqual:
      return {with(term.first), after_prefix(prefix)};
    case KeyComparison::kBetween:
      return {with(term.first), after_prefix(with(term.second))};
    case KeyComparison::kBeginsWith: {
      std::string key = prefix;
      append_component_prefix(key, term.first);
      return {key, after_prefix(key)};
    }
    case KeyComparison::kNotIndexable:
      break;  // rejected by select_key()
  }
  check_failed(__FILE__, __LINE__, "a comparison that a key can answer");
}

}  // namespace

KeyRange selected_range(uint32_t keyspace, const KeySelection& selection) {
  std::string prefix = encode_partition(keyspace, selection.hash);
  for (ValueView value : selection.range_equal) append_component(prefix, value);
  if (selection.range) return range_of(prefix, *selection.range);
  return {prefix, after_prefix(prefix)};
}

}  // namespace trestle
