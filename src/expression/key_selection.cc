// Matches a key condition with the key of a table or index.
#include <fmt/format.h>

#include <algorithm>

#include "expression/key_condition.h"
#include "model/limits.h"

namespace trestle {
namespace {

const KeyTerm* find_term(const KeyCondition& condition, std::string_view attribute) {
  const auto found = std::ranges::find(condition, attribute, &KeyTerm::attribute);
  return found == condition.end() ? nullptr : &*found;
}

Result<void> missed(std::string_view attribute) {
  return invalid(fmt::format("Query condition missed key schema element: {}", attribute));
}

Result<void> check_value(ValueView value, const KeyAttribute& attribute) {
  if (value.type() != attribute.type) {
    return invalid_parameter("Condition parameter type does not match schema type");
  }
  return check_key_not_empty(attribute, value);
}

Result<void> check_term(const KeyTerm& term, const KeyAttribute& attribute) {
  if (term.comparison == KeyComparison::kNotIndexable) {
    return invalid("Attempted conditional constraint is not an indexable operation");
  }
  TRY(check_value(term.first, attribute));
  if (term.comparison == KeyComparison::kBetween) TRY(check_value(term.second, attribute));
  return {};
}

size_t key_bytes(ValueView value) { return value.size_bytes(); }

// Every range attribute before the last one in the condition must have an equality.
Result<void> check_prefix(const KeyCondition& condition, const std::vector<KeyAttribute>& range) {
  size_t term_count = range.size();
  while (term_count > 0 && find_term(condition, range[term_count - 1].name) == nullptr) --term_count;
  std::string missing;
  for (size_t i = 0; i + 1 < term_count; ++i) {
    const KeyTerm* term = find_term(condition, range[i].name);
    if (term != nullptr && term->comparison == KeyComparison::kEqual) continue;
    if (!missing.empty()) missing += ", ";
    missing += range[i].name;
  }
  if (missing.empty()) return {};
  return invalid(
      fmt::format("RANGE key attributes {} must have equality conditions specified in the query because a "
                  "condition is present on key attribute {}",
                  missing, range[term_count - 1].name));
}

Result<void> check_range_bytes(const KeySelection& selection) {
  size_t bytes = 0;
  for (ValueView value : selection.range_equal) bytes += key_bytes(value);
  if (selection.range) bytes += key_bytes(selection.range->first);
  if (bytes <= kRangeKeyBytesMax) return {};
  return invalid_parameter(
      "Aggregated size of all range keys has exceeded the size limit of "
      "1024 bytes");
}

// A key with several HASH attributes needs an equality for each.
Result<void> check_hash_equalities(const KeyCondition& condition, const std::vector<KeyAttribute>& hash) {
  if (hash.size() < 2) return {};
  std::string missing;
  for (const KeyAttribute& attribute : hash) {
    const KeyTerm* term = find_term(condition, attribute.name);
    if (term != nullptr && term->comparison == KeyComparison::kEqual) continue;
    missing += missing.empty() ? "" : ", ";
    missing += attribute.name;
  }
  if (missing.empty()) return {};
  return invalid(fmt::format("HASH key attributes {} must have equality conditions specified in the query", missing));
}

Result<void> add_hash(KeySelection& selection, const KeyCondition& condition, const KeyAttribute& attribute) {
  const KeyTerm* term = find_term(condition, attribute.name);
  if (term == nullptr) return missed(attribute.name);
  TRY(check_term(*term, attribute));
  if (term->comparison != KeyComparison::kEqual) return invalid("Query key condition not supported");
  if (key_bytes(term->first) > kHashKeyBytesMax) {
    return invalid_parameter("Size of hashkey has exceeded the maximum size limit of2048 bytes");
  }
  selection.hash.push_back(term->first);
  return {};
}

}  // namespace

std::string_view empty_kind(ValueType type) { return type == ValueType::kString ? "string" : "binary"; }

Result<void> check_key_not_empty(const KeyAttribute& attribute, ValueView value) {
  if (!is_empty_key_value(value)) return {};
  return invalid(
      fmt::format("One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
                  "contain an empty {} value. Key: {}",
                  empty_kind(value.type()), attribute.name));
}

Result<KeySelection> select_key(const KeyCondition& condition, const KeySchema& key, bool is_index) {
  static_cast<void>(is_index);
  const size_t attributes = key.hash.size() + key.range.size();
  if (condition.size() > attributes) {
    return invalid(fmt::format(
        "The number of query conditions ({}) exceeds the number of key attributes defined in the schema ({})",
        condition.size(), attributes));
  }
  TRY(check_hash_equalities(condition, key.hash));
  KeySelection selection;
  selection.hash.reserve(key.hash.size());
  for (const KeyAttribute& attribute : key.hash) TRY(add_hash(selection, condition, attribute));
  TRY(check_prefix(condition, key.range));
  size_t matched = key.hash.size();
  for (const KeyAttribute& attribute : key.range) {
    const KeyTerm* term = find_term(condition, attribute.name);
    if (term == nullptr) {
      // The remaining conditions are not on key attributes.
      if (matched < condition.size()) TRY(missed(attribute.name));
      break;
    }
    ++matched;
    TRY(check_term(*term, attribute));
    if (term->comparison == KeyComparison::kEqual) {
      selection.range_equal.push_back(term->first);
    } else {
      selection.range = *term;
    }
  }
  TRY(check_range_bytes(selection));
  return selection;
}

Result<KeySelection> select_legacy_key(const KeyCondition& condition, const KeySchema& key, bool is_index) {
  return select_key(condition, key, is_index);
}

}  // namespace trestle
