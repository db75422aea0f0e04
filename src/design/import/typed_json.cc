#include "design/import/typed_json.h"

#include <cctype>
#include <optional>

namespace trestle::design {
namespace {

constexpr ValueType kTypes[] = {ValueType::kNull,   ValueType::kBool,      ValueType::kString,    ValueType::kNumber,
                                ValueType::kBinary, ValueType::kStringSet, ValueType::kNumberSet, ValueType::kBinarySet,
                                ValueType::kList,   ValueType::kMap};

bool looks_numeric(std::string_view text) {
  if (text.empty() || (std::isdigit(static_cast<unsigned char>(text.back())) == 0)) return false;
  return text.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
}

// Converts a plain JSON value to typed JSON.
Json typed(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return Json::object({{"NULL", true}});
    case Node::Kind::kScalar:
      if (!node.quoted && (node.text == "true" || node.text == "false"))
        return Json::object({{"BOOL", node.text == "true"}});
      if (!node.quoted && looks_numeric(node.text)) return Json::object({{"N", node.text}});
      return Json::object({{"S", node.text}});
    case Node::Kind::kList: {
      Json list = Json::array();
      for (const Node& item : node.items) list.add(typed(item));
      return Json::object({{"L", std::move(list)}});
    }
    case Node::Kind::kMap:
      break;
  }
  Json map = Json::object();
  for (const Entry& entry : node.entries) map.set(entry.key, typed(entry.value));
  return Json::object({{"M", std::move(map)}});
}

std::optional<Node> parsed(std::string_view text) {
  Findings ignored;
  auto source = read_source(text, ignored);
  if (!source || !ignored.empty()) return std::nullopt;
  return std::move(source->root);
}

// Converts a typed value to plain JSON; nothing if it is not a typed value.
std::optional<Json> plain(const Node& node) {
  ValueType type = ValueType::kNull;
  if (node.kind != Node::Kind::kMap || node.entries.size() != 1 || !type_from_name(node.entries[0].key, type))
    return std::nullopt;
  const Node& value = node.entries[0].value;
  switch (type) {
    case ValueType::kNull:
      return Json();
    case ValueType::kBool:
      return Json(value.text == "true");
    case ValueType::kNumber:
      return looks_numeric(value.text) ? Json::number(value.text) : Json(value.text);
    case ValueType::kString:
    case ValueType::kBinary:
      return Json(value.text);
    case ValueType::kStringSet:
    case ValueType::kBinarySet:
    case ValueType::kNumberSet: {
      Json set = Json::array();
      for (const Node& item : value.items)
        set.add(type == ValueType::kNumberSet ? Json::number(item.text) : Json(item.text));
      return set;
    }
    case ValueType::kList: {
      Json list = Json::array();
      for (const Node& item : value.items) {
        auto element = plain(item);
        if (!element) return std::nullopt;
        list.add(std::move(*element));
      }
      return list;
    }
    case ValueType::kMap:
      break;
  }
  Json map = Json::object();
  for (const Entry& entry : value.entries) {
    auto member = plain(entry.value);
    if (!member) return std::nullopt;
    map.set(entry.key, std::move(*member));
  }
  return map;
}

}  // namespace

bool type_from_name(std::string_view name, ValueType& type) {
  for (const ValueType value_type : kTypes) {
    if (type_name(value_type) == name) {
      type = value_type;
      return true;
    }
  }
  return false;
}

Json typed_json(ValueType type, std::string_view text) {
  const std::string name(type_name(type));
  switch (type) {
    case ValueType::kBool:
      return Json::object({{name, text == "true"}});
    case ValueType::kNull:
      return Json::object({{name, true}});
    case ValueType::kString:
    case ValueType::kNumber:
    case ValueType::kBinary:
      return Json::object({{name, text}});
    default:
      break;
  }
  const auto node = parsed(text);
  if (!node) return Json::object({{"S", text}});
  if (type == ValueType::kStringSet || type == ValueType::kNumberSet || type == ValueType::kBinarySet) {
    Json set = Json::array();
    for (const Node& item : node->items) set.add(item.text);
    if (!set.empty()) return Json::object({{name, std::move(set)}});
  }
  return typed(*node);  // a value of type `any` can have another type than the field
}

bool plain_text(const Node& node, ValueType& type, std::string& text) {
  const auto value = plain(node);
  if (!value) return false;
  (void)type_from_name(node.entries[0].key, type);
  if (type == ValueType::kString || type == ValueType::kNumber || type == ValueType::kBinary)
    text = value->string();
  else
    text = value->line();
  return true;
}

}  // namespace trestle::design
