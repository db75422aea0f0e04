#include "engine/tables/key_definition.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/limits.h"

namespace trestle {

const KeyAttribute* find_definition(std::span<const KeyAttribute> definitions, std::string_view name) {
  const auto found = std::ranges::find(definitions, name, &KeyAttribute::name);
  return found == definitions.end() ? nullptr : &*found;
}

namespace {

bool are_distinct(std::span<const KeySchemaElement> elements) {
  for (size_t i = 0; i < elements.size(); ++i) {
    const auto before = elements.first(i);
    if (std::ranges::find(before, elements[i].attribute_name, &KeySchemaElement::attribute_name) != before.end()) {
      return false;
    }
  }
  return true;
}

// Java's String.hashCode(), with the bits spread as in HashMap.
uint32_t java_hash(std::string_view text) {
  uint32_t hash = 0;
  for (const char c : text) hash = 31 * hash + static_cast<unsigned char>(c);
  return hash ^ hash >> 16;
}

Result<void> check_first_is_hash(std::span<const KeySchemaElement> elements) {
  if (elements.empty()) {
    return invalid(
        "1 validation error detected: Value '[]' at 'keySchema' failed to satisfy constraint: Member must "
        "have length greater than or equal to 1");
  }
  if (elements.front().is_range) return invalid("Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
  return {};
}

KeySchema join(std::span<const KeySchemaElement> elements, std::span<const KeyAttribute> definitions) {
  KeySchema key;
  for (const auto& element : elements) {
    auto& part = element.is_range ? key.range : key.hash;
    part.push_back(*find_definition(definitions, element.attribute_name));
  }
  return key;
}

}  // namespace

std::string bracketed(std::span<const std::string> names) { return fmt::format("[{}]", fmt::join(names, ", ")); }

std::string bracketed_set(std::vector<std::string> names, size_t buckets) {
  while (names.size() * 4 > buckets * 3) buckets *= 2;
  std::ranges::stable_sort(names, {}, [&](const std::string& name) { return java_hash(name) & (buckets - 1); });
  return bracketed(names);
}

std::string bracketed_definitions(std::span<const KeyAttribute> definitions) {
  std::vector<std::string> names;
  for (const auto& definition : definitions) names.push_back(definition.name);
  size_t buckets = 4;
  while (buckets < names.size() * 4 / 3 + 1) buckets *= 2;
  return bracketed_set(std::move(names), buckets);
}

Result<void> check_defined(std::span<const KeySchemaElement> elements, std::span<const KeyAttribute> definitions) {
  const auto defined = [&](const KeySchemaElement& e) { return find_definition(definitions, e.attribute_name); };
  if (std::ranges::all_of(elements, defined)) return {};
  std::vector<std::string> keys;
  for (const auto& element : elements) {
    if (std::ranges::find(keys, element.attribute_name) == keys.end()) keys.push_back(element.attribute_name);
  }
  return invalid_parameter(
      fmt::format("Some index key attributes are not defined in AttributeDefinitions. Keys: {}, "
                  "AttributeDefinitions: {}",
                  bracketed_set(std::move(keys), kDefaultBuckets), bracketed_definitions(definitions)));
}

Result<KeySchema> define_table_key(std::span<const KeySchemaElement> elements,
                                   std::span<const KeyAttribute> definitions) {
  if (elements.size() > definitions.size()) {
    return invalid("Invalid KeySchema: Some index key attribute have no definition");
  }
  return define_local_key(elements, definitions);
}

Result<KeySchema> define_local_key(std::span<const KeySchemaElement> elements,
                                   std::span<const KeyAttribute> definitions) {
  TRY(check_defined(elements, definitions));
  if (!are_distinct(elements)) {
    return invalid("Both the Hash Key and the Range Key element in the KeySchema have the same name");
  }
  TRY(check_first_is_hash(elements));
  if (elements.size() > 1 && !elements[1].is_range) {
    return invalid("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
  }
  if (elements.size() > 2) {
    return invalid_parameter("The KeySchema exceeds the maximum allowed number of RANGE key attributes");
  }
  return join(elements, definitions);
}

Result<KeySchema> define_global_key(std::span<const KeySchemaElement> elements,
                                    std::span<const KeyAttribute> definitions) {
  TRY(check_defined(elements, definitions));
  if (!are_distinct(elements)) return invalid("The KeySchema contains multiple key attributes with the same name");
  TRY(check_first_is_hash(elements));
  if (!std::ranges::is_sorted(elements, {}, &KeySchemaElement::is_range)) {
    return invalid_parameter("All HASH key attributes must precede RANGE key attributes in the KeySchema");
  }
  auto key = join(elements, definitions);
  if (key.hash.size() > kKeyAttributesMax) {
    return invalid_parameter("The KeySchema exceeds the maximum allowed number of HASH key attributes");
  }
  if (key.range.size() > kKeyAttributesMax) {
    return invalid_parameter("The KeySchema exceeds the maximum allowed number of RANGE key attributes");
  }
  return key;
}

}  // namespace trestle
