// A data model of NoSQL Workbench, as its file says it: tables with keys, indexes, facets and sample rows.
// Shared by the import's files. Not for others.
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
  std::vector<std::string> aliases;  // as the model has them; may be empty
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

// workbench_facets.cc: gives each facet its rows; a model without facets gets them from its rows' keys.
void share_rows(ModelTable& table);
void make_facets(ModelTable& table);
// The attribute that says each row's facet, in all rows that there are; empty: none.
std::string type_attribute(const ModelTable& table);

// workbench_entity.cc: a facet as an entity: keys become templates, rows tell types.
DraftEntity make_entity(const ModelTable& table, const Facet& facet, const std::string& type_attribute);

}  // namespace trestle::design::workbench
