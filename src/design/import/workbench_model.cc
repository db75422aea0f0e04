#include "design/import/workbench_model.h"

#include <fmt/format.h>

#include <cctype>

namespace trestle::design::workbench {
namespace {

std::vector<Attribute> read_key(const Node* node) {
  std::vector<Attribute> out;
  if (node == nullptr) return out;
  for (const char* part : {"PartitionKey", "SortKey"}) {
    const Node* attribute = node->find(part);
    if (attribute == nullptr) continue;
    Attribute result{.name = text_of(attribute->find("AttributeName"))};
    (void)type_from_name(text_of(attribute->find("AttributeType")), result.type);
    if (!result.name.empty()) out.push_back(std::move(result));
  }
  return out;
}

std::vector<Row> read_rows(const Node* node) {
  std::vector<Row> rows;
  if (node == nullptr) return rows;
  for (const Node& item : node->items) {
    Row row;
    for (const Entry& entry : item.entries) {
      ValueType type = ValueType::kString;
      std::string text;
      if (!plain_text(entry.value, type, text)) continue;
      row.types[entry.key] = type;
      row.values[entry.key] = std::move(text);
    }
    if (!row.values.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

ModelIndex read_index(const Node& node) {
  ModelIndex index{.name = text_of(node.find("IndexName")), .key = read_key(node.find("KeyAttributes"))};
  const Node* projection = node.find("Projection");
  const std::string kind = projection == nullptr ? "ALL" : text_of(projection->find("ProjectionType"));
  if (kind == "KEYS_ONLY") index.project = "keys";
  if (kind == "INCLUDE") {
    std::vector<std::string> names;
    if (const Node* list = projection->find("NonKeyAttributes")) {
      for (const Node& item : list->items) names.push_back(yaml_scalar(item.text));
    }
    index.project = fmt::format("[{}]", fmt::join(names, ", "));
  }
  return index;
}

}  // namespace

ModelTable read_table(const Node& node) {
  ModelTable table{.name = text_of(node.find("TableName")), .key = read_key(node.find("KeyAttributes"))};
  for (const Attribute& attribute : table.key) table.types[attribute.name] = attribute.type;
  if (const Node* attributes = node.find("NonKeyAttributes")) {
    for (const Node& item : attributes->items) {
      const std::string name = text_of(item.find("AttributeName"));
      if (name.empty()) continue;
      ValueType type = ValueType::kString;
      (void)type_from_name(text_of(item.find("AttributeType")), type);
      table.types[name] = type;
      table.attributes.push_back(name);
    }
  }
  if (const Node* indexes = node.find("GlobalSecondaryIndexes")) {
    for (const Node& item : indexes->items) table.indexes.push_back(read_index(item));
  }
  for (const ModelIndex& index : table.indexes) {
    for (const Attribute& attribute : index.key) table.types[attribute.name] = attribute.type;
  }
  table.rows = read_rows(node.find("TableData"));
  if (const Node* facets = node.find("TableFacets")) {
    for (const Node& item : facets->items) {
      Facet facet{.name = text_of(item.find("FacetName"))};
      if (const Node* alias = item.find("KeyAttributeAlias")) {
        for (const char* part : {"PartitionKeyAlias", "SortKeyAlias"}) {
          if (const Node* alias_part = alias->find(part)) facet.aliases.push_back(alias_part->text);
        }
      }
      if (const Node* names = item.find("NonKeyAttributes")) {
        for (const Node& name : names->items) facet.attributes.push_back(name.text);
      }
      for (Row& row : read_rows(item.find("TableData"))) facet.rows.push_back(std::move(row));
      if (!facet.name.empty()) table.facets.push_back(std::move(facet));
    }
  }
  for (const auto& [name, type] : table.rows.empty() ? std::map<std::string, ValueType>() : table.rows[0].types)
    table.types.emplace(name, type);
  table.billing = "on-demand";
  if (text_of(node.find("BillingMode")) == "PROVISIONED") {
    const Node* settings = node.find("ProvisionedCapacitySettings");
    const Node* units = settings == nullptr ? nullptr : settings->find("ProvisionedThroughput");
    const std::string read = units == nullptr ? "" : text_of(units->find("ReadCapacityUnits"));
    const std::string write = units == nullptr ? "" : text_of(units->find("WriteCapacityUnits"));
    const auto whole = [](const std::string& text) {
      return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    };
    table.billing = fmt::format("{{read: {}, write: {}}}", whole(read) ? read : "5", whole(write) ? write : "5");
  }
  return table;
}

std::string shape_of(const std::string& key) {
  if (const size_t hash = key.find('#'); hash != std::string::npos) return key.substr(0, hash + 1);
  const bool word = std::all_of(key.begin(), key.end(), [](char c) {
    return std::isupper(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
  });
  return word ? key : "";
}

std::string name_from(const std::string& shape) {
  std::string name = plain_name(shape);
  for (size_t i = 1; i < name.size(); ++i)
    name[i] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

std::optional<Template> alias_template(std::string alias) {
  if (alias.find('{') == std::string::npos) {
    const bool marked = alias.find('<') != std::string::npos && alias.find('>') != std::string::npos;
    const bool literal = alias.find('#') != std::string::npos || std::all_of(alias.begin(), alias.end(), [](char c) {
                           return std::islower(static_cast<unsigned char>(c)) == 0;
                         });
    if (!marked && !literal) return std::nullopt;
    for (char& c : alias) c = c == '<' ? '{' : c == '>' ? '}' : c;
  }
  Findings findings;
  auto result = alias.empty() ? std::nullopt : parse_template(alias, {}, findings);
  return findings.empty() ? result : std::nullopt;
}

}  // namespace trestle::design::workbench
