#include "runtime/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/base64.h"
#include "base/clock.h"
#include "design/language/source.h"
#include "model/number.h"
#include "runtime/values/plain_json.h"

namespace trestle::runtime {
namespace {

using design::Node;
using Records = BasicResult<std::vector<Plain>, std::string>;

Plain plain_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return Plain::null();
    case Node::Kind::kList: {
      Plain::List list;
      for (const Node& item : node.items) list.push_back(plain_of(item));
      return Plain::list(std::move(list));
    }
    case Node::Kind::kMap: {
      Plain map = Plain::map();
      for (const design::Entry& entry : node.entries) map.set(entry.key, plain_of(entry.value));
      return map;
    }
    case Node::Kind::kScalar:
      break;
  }
  if (node.quoted) return Plain::text(node.text);
  if (node.text == "true" || node.text == "false") return Plain::boolean(node.text == "true");
  if (node.text == "null" || node.text == "~") return Plain::null();
  // A phone number begins with "+" and stays text.
  const bool may_be_number = !node.text.empty() && node.text.find_first_not_of("-.0123456789eE") == std::string::npos;
  if (const auto number = canonical_number(node.text); may_be_number && number) return Plain::number(*number);
  return Plain::text(node.text);
}

Records all_maps(Plain value) {
  if (value.is(Plain::Kind::kMap) && value.members().size() == 1 && value.members()[0].second.is(Plain::Kind::kList)) {
    Plain inner = std::move(value.members()[0].second);
    value = std::move(inner);
  }
  if (value.is(Plain::Kind::kMap)) return std::vector<Plain>{std::move(value)};
  if (!value.is(Plain::Kind::kList)) return std::unexpected(std::string("a list of records is expected"));
  size_t number = 0;
  for (const Plain& record : value.elements()) {
    ++number;
    if (!record.is(Plain::Kind::kMap)) return std::unexpected(fmt::format("record {} is not a map of fields", number));
  }
  return std::vector<Plain>(std::move(value.elements()));
}

// Parses a whole file as JSON or YAML.
BasicResult<Plain, std::string> whole_of(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (text[first] == '[' || text[first] == '{')) return parse_plain_json(text);
  design::Findings findings;
  const auto source = design::read_source(text, findings);
  if (!source) return std::unexpected(std::string("this is neither JSON nor YAML"));
  return plain_of(source->root);
}

Records json_lines(std::string_view text) {
  std::vector<Plain> records;
  for (size_t line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line_text = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line_text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto record = parse_plain_json(line_text);
    if (!record) return std::unexpected(fmt::format("line {}: {}", line, record.error()));
    if (!record->is(Plain::Kind::kMap)) return std::unexpected(fmt::format("line {} is not a JSON object", line));
    records.push_back(std::move(*record));
  }
  return records;
}

}  // namespace

Records read_records(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return std::vector<Plain>();
  if (text[first] == '{' && !parse_plain_json(text)) return json_lines(text);
  TRY_INTO(Plain whole, whole_of(text));
  return all_maps(std::move(whole));
}

// ---- Items of entities --------------------------------------------------------------------------------------------

namespace {

// {"S": "..."}: a value in typed JSON.
bool is_typed(const Plain& value) {
  static const std::set<std::string, std::less<>> kTypes = {"S", "N", "B", "SS", "NS", "BS", "M", "L", "BOOL", "NULL"};
  return value.is(Plain::Kind::kMap) && value.members().size() == 1 && kTypes.contains(value.members()[0].first);
}

bool is_typed_item(const Plain& record) {
  return !record.members().empty() &&
         std::ranges::all_of(record.members(), [](const auto& member) { return is_typed(member.second); });
}

BasicResult<Plain, std::string> untyped(const Plain& typed, const std::string& path) {
  const auto wrong = [&] { return std::unexpected(fmt::format("`{}` is not a DynamoDB value", path)); };
  if (!is_typed(typed)) return wrong();
  const auto& [type, value] = typed.members()[0];
  const auto scalar = [&](char kind, const Plain& content) -> BasicResult<Plain, std::string> {
    if (!content.is(Plain::Kind::kText)) return wrong();
    if (kind == 'S') return content;
    if (kind == 'N') {
      auto number = canonical_number(content.string());
      if (!number) return wrong();
      return Plain::number(std::move(*number));
    }
    auto bytes = base64_bytes(content.string());
    if (!bytes) return wrong();
    return Plain::binary(std::move(*bytes));
  };
  if (type == "S" || type == "N" || type == "B") return scalar(type[0], value);
  if (type == "BOOL") return value.is(Plain::Kind::kBool) ? BasicResult<Plain, std::string>(value) : wrong();
  if (type == "NULL") return Plain::null();
  if (type == "M") {
    if (!value.is(Plain::Kind::kMap)) return wrong();
    Plain map = Plain::map();
    for (const auto& [name, member] : value.members()) {
      TRY_INTO(Plain member_value, untyped(member, path + "." + name));
      map.set(name, std::move(member_value));
    }
    return map;
  }
  if (!value.is(Plain::Kind::kList)) return wrong();
  Plain::List list;
  for (const Plain& element : value.elements()) {
    TRY_INTO(Plain element_value, type == "L" ? untyped(element, path) : scalar(type[0], element));
    list.push_back(std::move(element_value));
  }
  return type == "L" ? Plain::list(std::move(list)) : Plain::set(std::move(list));
}

BasicResult<Item, std::string> stored_item_of(const Plain& record) {
  std::vector<std::pair<std::string, Value>> values;
  for (const auto& [name, value] : record.members()) {
    if (!value.exists()) continue;
    ValueType type = natural_type(value, ValueType::kStringSet);
    if (value.is(Plain::Kind::kSet) && !value.elements().empty()) {
      const Plain& first = value.elements()[0];
      type = first.is(Plain::Kind::kNumber)   ? ValueType::kNumberSet
             : first.is(Plain::Kind::kBinary) ? ValueType::kBinarySet
                                              : ValueType::kStringSet;
    }
    auto result = to_value(value, type);
    if (!result) return std::unexpected(fmt::format("`{}`: {}", name, result.error().message));
    values.emplace_back(name, std::move(*result));
  }
  std::vector<Field> attributes;
  attributes.reserve(values.size());
  for (const auto& [name, value] : values) attributes.push_back({name, value});
  return Item(std::move(attributes));
}

bool has_key_of(const design::Table& table, ItemView item) {
  for (const auto* half : {&table.key.hash, &table.key.range}) {
    for (const KeyAttribute& attribute : *half) {
      if (!item.find(attribute.name)) return false;
    }
  }
  return true;
}

}  // namespace

BasicResult<const design::Entity*, std::string> EntityReader::entity_of(ItemView item,
                                                                        const std::string& entity) const {
  if (!entity.empty()) {
    const design::Entity* named = design_.entity(entity);
    if (named == nullptr) return std::unexpected(fmt::format("the design {} has no entity `{}`", design_.name, entity));
    return named;
  }
  std::vector<const design::Entity*> candidates;
  for (const design::Table& table : design_.tables) {
    const auto type = table.type_attribute.empty() ? std::nullopt : item.find(table.type_attribute);
    if (type && type->type() == ValueType::kString) {
      for (const design::Entity& candidate : design_.entities) {
        if (candidate.table == table.name && candidate.type == type->scalar()) return &candidate;
      }
      return std::unexpected(fmt::format("no entity has the {} \"{}\"", table.type_attribute, type->scalar()));
    }
    if (!has_key_of(table, item)) continue;
    const ItemKind kind = kind_of(design_, table, item);
    if (kind.entity != nullptr && kind.guard == nullptr) candidates.push_back(kind.entity);
  }
  if (candidates.size() == 1) return candidates[0];
  return std::unexpected(std::string("cannot tell which entity this item belongs to; name it with --entity"));
}

BasicResult<EntityRecord, std::string> EntityReader::record_of(Plain record, const std::string& entity) {
  if (is_typed_item(record)) {
    Plain plain = Plain::map();
    for (const auto& [name, value] : record.members()) {
      TRY_INTO(Plain member_value, untyped(value, name));
      plain.set(name, std::move(member_value));
    }
    record = std::move(plain);
  }
  TRY_INTO(const Item item, stored_item_of(record));
  TRY_INTO(const design::Entity* named, entity_of(item, entity));
  const design::Table& table = *design_.table(named->table);
  EntityRecord result{.entity = named->name, .fields = std::move(record)};
  if (!has_key_of(table, item)) {
    std::erase_if(result.fields.members(), [&](const auto& member) { return member.first == table.type_attribute; });
    return result;
  }
  auto fields = codec_.decode(*named, item);
  if (!fields) return std::unexpected(fields.error().message);
  const auto computed = form_.computed_attributes(*named, *fields, SystemClock().now_ms());
  if (!computed) return std::unexpected(computed.error().message);
  for (const ComputedAttribute& attribute : *computed) {
    const auto stored_value = item.find(attribute.name);
    if (!stored_value || !attribute.value || *stored_value == attribute.value->view() ||
        attribute.name == table.ttl_attribute)
      continue;
    return std::unexpected(fmt::format("{} is {}, but the design computes {} from the fields", attribute.name,
                                       plain_json(to_plain(*stored_value)), plain_json(to_plain(*attribute.value))));
  }
  codec_.add_extras(*named, item, false, *fields);
  result.fields = std::move(*fields);
  return result;
}

BasicResult<EntityReader::Records, std::string> EntityReader::read(std::string_view text, const std::string& entity) {
  Records records;
  const auto add = [&](std::vector<Plain> list, const std::string& name) {
    size_t number = 0;
    for (Plain& record : list) records.emplace_back(++number, record_of(std::move(record), name));
  };
  if (entity.empty()) {
    // A map of lists by entity.
    const auto whole = whole_of(text);
    const bool grouped = whole && whole->is(Plain::Kind::kMap) && !whole->members().empty() &&
                         std::ranges::all_of(whole->members(), [&](const auto& member) {
                           return member.second.is(Plain::Kind::kList) && design_.entity(member.first) != nullptr;
                         });
    if (grouped) {
      for (const auto& [name, list] : whole->members()) {
        auto group = all_maps(list);
        if (!group) return std::unexpected(fmt::format("`{}`: {}", name, group.error()));
        add(std::move(*group), name);
      }
      return records;
    }
  }
  TRY_INTO(auto list, read_records(text));
  add(std::move(list), entity);
  return records;
}

}  // namespace trestle::runtime
