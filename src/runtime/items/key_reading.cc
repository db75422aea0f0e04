#include "runtime/items/key_reading.h"

#include <algorithm>

#include "runtime/items/typed_value.h"
#include "runtime/values/text_types.h"

namespace trestle::runtime {
namespace {

using design::BaseType;
using design::Format;

// Whether no value of the type contains the character.
bool lacks(const design::FieldType& type, char c) {
  switch (type.base) {
    case BaseType::kString:
      return !type.characters.empty() && !has_only({&c, 1}, type.characters);
    case BaseType::kEnum:
      for (const std::string& value : type.values) {
        if (value.find(c) != std::string::npos) return false;
      }
      return true;
    case BaseType::kText:
    case BaseType::kUrl:
    case BaseType::kBinary:
    case BaseType::kAny:
      return false;
    default:
      return c == '#';
  }
}

// Whether the text can be a value of the type. Only checks properties that distinguish keys of different templates.
bool can_be(const design::FieldType& type, std::string_view text) {
  if (text.empty()) return false;
  if (const size_t length = fixed_length(type); length != 0 && text.size() != length) return false;
  if (type.base == BaseType::kString) return type.characters.empty() || has_only(text, type.characters);
  if (type.base == BaseType::kEnum) return std::find(type.values.begin(), type.values.end(), text) != type.values.end();
  return !lacks(type, '#') || text.find('#') == std::string_view::npos;
}

}  // namespace

KeyReading::KeyReading(const design::Entity& entity, const design::Template& key) : entity_(entity), key_(key) {
  const auto type_of = design::types_of(entity);
  for (size_t i = 0; i < key.parts.size(); ++i) {
    const design::TemplatePart& part = key.parts[i];
    if (part.is_literal()) continue;
    const design::FieldType* type = type_of(part.field);
    const bool last = i + 1 == key.parts.size();
    const bool delimited = !last && key.parts[i + 1].is_literal();
    if (part.format.kind != Format::Kind::kPlain || type == nullptr)
      can_split_ = false;
    else if (fixed_length(*type) == 0 && !last && !(delimited && lacks(*type, key.parts[i + 1].literal[0])))
      can_split_ = false;
  }
}

Plain KeyReading::read(std::string_view text, std::string_view field) const {
  const design::Field* wanted = entity_.field(field);
  if (wanted == nullptr) return Plain();
  if (!can_split_) {
    const auto values = design::parse(key_, text, design::types_of(entity_));
    if (!values) return Plain();
    const auto found = values->find(std::string(field));
    return found == values->end() ? Plain() : from_key_text(wanted->type, found->second);
  }
  for (size_t i = 0; i < key_.parts.size(); ++i) {
    const design::TemplatePart& part = key_.parts[i];
    if (part.is_literal()) {
      if (!text.starts_with(part.literal)) return Plain();
      text.remove_prefix(part.literal.size());
      continue;
    }
    const design::Field* own = entity_.field(part.field);
    size_t length = own == nullptr ? 0 : fixed_length(own->type);
    if (length == 0) length = i + 1 == key_.parts.size() ? text.size() : text.find(key_.parts[i + 1].literal);
    if (length > text.size()) return Plain();
    if (part.field == field) return from_key_text(wanted->type, text.substr(0, length));
    text.remove_prefix(length);
  }
  return Plain();
}

bool KeyReading::fits(std::string_view text) const {
  if (!can_split_) return design::parse(key_, text, design::types_of(entity_)).has_value();
  const auto type_of = design::types_of(entity_);
  for (size_t i = 0; i < key_.parts.size(); ++i) {
    const design::TemplatePart& part = key_.parts[i];
    const bool last = i + 1 == key_.parts.size();
    if (part.is_literal()) {
      if (!text.starts_with(part.literal)) return false;
      text.remove_prefix(part.literal.size());
      continue;
    }
    const design::FieldType& type = *type_of(part.field);
    size_t length = fixed_length(type);
    if (length == 0) length = last ? text.size() : text.find(key_.parts[i + 1].literal);
    if (length > text.size() || !can_be(type, text.substr(0, length))) return false;
    text.remove_prefix(length);
  }
  return text.empty();
}

}  // namespace trestle::runtime
