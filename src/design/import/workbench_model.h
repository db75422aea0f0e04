// A data model of NoSQL Workbench as in its file: tables with keys, indexes, facets and sample rows. Internal to the
// import.
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
  std::vector<Attribute> key;  // partition, then perhaps sort
  std::string project;         // YAML
};

struct Row {
  SampleRow values;
  std::map<std::string, ValueType> types;
};

struct Facet {
  std::string name;
  std::vector<std::string> aliases;  // as in the model; may be empty
  std::vector<std::string> attributes;
  std::vector<Row> rows;
};

struct ModelTable {
  std::string name;
  std::vector<Attribute> key;
  std::map<std::string, ValueType> types;
  std::vector<std::string> attributes;  // in the model's order, without the key
  std::vector<ModelIndex> indexes;
  std::vector<Facet> facets;
  std::vector<Row> rows;
  std::string billing;

  bool in_key(std::string_view attribute) const {
    return std::any_of(key.begin(), key.end(), [&](const Attribute& one) { return one.name == attribute; });
  }
};

// A member of `DataModel`.
ModelTable read_table(const Node& node);

// "USER#" of "USER#42", "META" of "META", nothing of "42".
std::string shape_of(const std::string& key);
// "Session" of "SESSION#".
std::string name_from(const std::string& shape);
// An alias as a template, if it is written as one: with {field} or <field>.
std::optional<Template> alias_template(std::string alias);

// workbench_facets.cc: assigns rows to facets; a model without facets gets them from its rows' keys.
void share_rows(ModelTable& table);
void make_facets(ModelTable& table);
// The attribute that names the facet in all rows; empty: none.
std::string type_attribute(const ModelTable& table);

// workbench_entity.cc: converts a facet to an entity: keys become templates, types are inferred from rows.
DraftEntity make_entity(const ModelTable& table, const Facet& facet, const std::string& type_attribute);

}  // namespace trestle::design::workbench
