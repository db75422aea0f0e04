// Internal to the import: a data model of NoSQL Workbench as read from its file, that is, tables with keys, indexes,
// facets and sample rows.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "design/import/draft.h"
#include "design/import/typed_json.h"
#include "design/language/template.h"
#include "design/sample/sample_guess.h"

namespace trestle::design::workbench {

struct Attribute {
  std::string name;
  ValueType type = ValueType::kString;
};

struct ModelIndex {
  std::string name;
  std::vector<Attribute> key;  // partition, then sort if any
  std::string project;         // YAML
};

struct Row {
  SampleRow values;
  std::map<std::string, ValueType> types;
};

struct Facet {
  std::string name;
  std::vector<std::string> aliases;  // key aliases as in the model; may be empty
  std::vector<std::string> attributes;
  std::vector<Row> rows;
};

struct ModelTable {
  std::string name;
  std::vector<Attribute> key;
  std::map<std::string, ValueType> types;
  std::vector<std::string> attributes;  // non-key attributes in the model's order
  std::vector<ModelIndex> indexes;
  std::vector<Facet> facets;
  std::vector<Row> rows;
  std::string billing;

  bool in_key(std::string_view attribute) const {
    return std::any_of(key.begin(), key.end(),
                       [&](const Attribute& key_attribute) { return key_attribute.name == attribute; });
  }
};

// Reads an element of `DataModel`.
ModelTable read_table(const Node& node);

// The constant part of a key: "USER#" of "USER#42", "META" of "META", "" of "42".
std::string shape_of(const std::string& key);
// An entity name for a shape: "Session" for "SESSION#".
std::string name_from(const std::string& shape);
// The template of an alias that contains {field} or <field>, or is a literal; nothing for other aliases.
std::optional<Template> alias_template(std::string alias);

// workbench_facets.cc. share_rows() assigns sample rows to the facets that they match. make_facets() creates the facets
// of a model without any from the keys of its rows.
void share_rows(ModelTable& table);
void make_facets(ModelTable& table);
// The attribute whose value is the facet's name in all rows; empty: none.
std::string type_attribute(const ModelTable& table);

// workbench_entity.cc: converts a facet to an entity. Keys become templates; types are inferred from the rows.
DraftEntity make_entity(const ModelTable& table, const Facet& facet, const std::string& type_attribute);

}  // namespace trestle::design::workbench
