#include "design/import_workbench.h"

#include <fmt/format.h>

#include <cctype>
#include <set>

#include "design/draft.h"
#include "design/sample_guess.h"
#include "design/template.h"
#include "design/typed_json.h"

namespace trestle::design {
namespace {

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

std::string text_of(const Node* node) { return node == nullptr ? std::string() : node->text; }

// ---- Reading the model -------------------------------------------------------------------------------------------

std::vector<Attribute> read_key(const Node* node) {
  std::vector<Attribute> out;
  if (node == nullptr) return out;
  for (const char* part : {"PartitionKey", "SortKey"}) {
    const Node* attribute = node->find(part);
    if (attribute == nullptr) continue;
    Attribute made{.name = text_of(attribute->find("AttributeName"))};
    (void)type_from_name(text_of(attribute->find("AttributeType")), made.type);
    if (!made.name.empty()) out.push_back(std::move(made));
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
          if (const Node* one = alias->find(part)) facet.aliases.push_back(one->text);
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

// ---- Which row is of which facet ---------------------------------------------------------------------------------

// An alias as a template, if it is written as one: with {field} or <field>.
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
  auto made = alias.empty() ? std::nullopt : parse_template(alias, {}, findings);
  return findings.empty() ? made : std::nullopt;
}

bool fits(const Row& row, const Facet& facet, const ModelTable& table) {
  for (const auto& [name, value] : row.values) {
    if (!table.in_key(name) &&
        std::find(facet.attributes.begin(), facet.attributes.end(), name) == facet.attributes.end())
      return false;
  }
  for (size_t i = 0; i < facet.aliases.size() && i < table.key.size(); ++i) {
    const auto key = alias_template(facet.aliases[i]);
    const auto value = row.values.find(table.key[i].name);
    if (!key || value == row.values.end()) continue;
    if (!parse(*key, value->second, [](std::string_view) { return nullptr; })) return false;
  }
  return true;
}

// The facet whose attributes and aliases the row has; among several, the one that a type attribute names, else the one
// with the fewest attributes that the row lacks.
void share_rows(ModelTable& table) {
  for (Row& row : table.rows) {
    Facet* best = nullptr;
    size_t best_score = 0;
    for (Facet& facet : table.facets) {
      if (!fits(row, facet, table)) continue;
      const bool named =
          std::any_of(row.values.begin(), row.values.end(), [&](const auto& one) { return one.second == facet.name; });
      const size_t score = 1000 + (named ? 10'000 : 0) - std::min<size_t>(facet.attributes.size(), 900);
      if (best == nullptr || score > best_score) {
        best = &facet;
        best_score = score;
      }
    }
    if (best != nullptr) best->rows.push_back(std::move(row));
  }
}

// "USER#" of "USER#42", "META" of "META", nothing of "42".
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

// A model without facets: rows whose keys have one shape are one kind of item.
void make_facets(ModelTable& table) {
  std::vector<std::pair<std::string, Facet>> groups;
  std::set<std::string> names;
  for (Row& row : table.rows) {
    std::string shape;
    std::string name;
    for (const Attribute& key : table.key) {
      const auto value = row.values.find(key.name);
      const std::string part =
          value == row.values.end() || key.type != ValueType::kString ? "" : shape_of(value->second);
      shape += part + "\n";
      if (!part.empty()) name = part;
    }
    auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == shape; });
    if (found == groups.end()) {
      std::string unused = name.empty() ? plain_name(table.name) : name_from(name);
      for (int i = 2; !names.insert(unused).second; ++i)
        unused = fmt::format("{}{}", name.empty() ? plain_name(table.name) : name_from(name), i);
      groups.emplace_back(shape, Facet{.name = unused});
      found = groups.end() - 1;
    }
    Facet& facet = found->second;
    for (const std::string& attribute : table.attributes) {
      const bool known =
          std::find(facet.attributes.begin(), facet.attributes.end(), attribute) != facet.attributes.end();
      if (!known && row.values.contains(attribute)) facet.attributes.push_back(attribute);
    }
    facet.rows.push_back(std::move(row));
  }
  for (auto& [shape, facet] : groups) table.facets.push_back(std::move(facet));
  if (table.facets.empty()) table.facets.push_back({.name = plain_name(table.name), .attributes = table.attributes});
}

// ---- Entities ----------------------------------------------------------------------------------------------------

// The attribute that says each row's facet, in all rows that there are.
std::string type_attribute(const ModelTable& table) {
  for (const std::string& attribute : table.attributes) {
    bool all = true;
    size_t rows = 0;
    for (const Facet& facet : table.facets) {
      for (const Row& row : facet.rows) {
        ++rows;
        const auto value = row.values.find(attribute);
        all = all && value != row.values.end() && value->second == facet.name;
      }
    }
    if (all && rows > 0) return attribute;
  }
  return {};
}

class EntityMaker {
 public:
  EntityMaker(const ModelTable& table, const Facet& facet, std::string type_attribute)
      : table_(table), facet_(facet), type_attribute_(std::move(type_attribute)) {
    for (const Row& row : facet.rows) rows_.push_back(row.values);
  }

  DraftEntity make() {
    entity_.name = plain_name(facet_.name);
    entity_.table = table_.name;
    if (entity_.name != facet_.name) entity_.comments.push_back(fmt::format("The facet {}.", facet_.name));
    find_plain_fields();
    for (size_t i = 0; i < table_.key.size(); ++i) {
      const std::string alias = i < facet_.aliases.size() ? facet_.aliases[i] : "";
      entity_.key.push_back(key_template(table_.key[i], alias));
    }
    for (const ModelIndex& index : table_.indexes) add_entry(index);
    add_fields();
    for (const Row& row : facet_.rows) add_example(row);
    return std::move(entity_);
  }

 private:
  bool has(const std::string& attribute) const {
    return std::find(facet_.attributes.begin(), facet_.attributes.end(), attribute) != facet_.attributes.end();
  }
  bool in_index(std::string_view attribute) const {
    for (const ModelIndex& index : table_.indexes) {
      for (const Attribute& key : index.key) {
        if (key.name == attribute) return true;
      }
    }
    return false;
  }
  // Attributes that are fields whatever the keys are.
  void find_plain_fields() {
    for (const std::string& attribute : facet_.attributes) {
      if (attribute != type_attribute_ && !in_index(attribute) && !table_.in_key(attribute))
        plain_.push_back(attribute);
    }
  }
  // As the facet's own rows have it, else as the table says: two facets may store one name in two types.
  ValueType type_of(const std::string& attribute) const {
    for (const Row& row : facet_.rows) {
      if (const auto type = row.types.find(attribute); type != row.types.end()) return type->second;
    }
    const auto type = table_.types.find(attribute);
    return type == table_.types.end() ? ValueType::kString : type->second;
  }
  // The template that makes the attribute from plain fields and from the fields found in the keys so far.
  std::optional<std::string> guess(const std::string& attribute) const {
    static const std::string kValue = "\n";  // no attribute's name: a field may have the name of the attribute it is in
    std::vector<std::string> fields = plain_;
    std::vector<SampleRow> rows;
    for (const SampleRow& row : rows_) {
      SampleRow seen;
      for (const std::string& name : plain_) {
        if (const auto value = row.find(name); value != row.end()) seen[name] = value->second;
      }
      for (size_t i = 0; i < entity_.key.size(); ++i) {
        Findings ignored;
        const auto key = parse_template(entity_.key[i], {}, ignored);
        const auto value = row.find(table_.key[i].name);
        const auto found = key && value != row.end()
                               ? parse(*key, value->second, [](std::string_view) { return nullptr; })
                               : std::nullopt;
        for (const auto& [name, text] : found.value_or(FieldValues())) {
          seen.emplace(name, text);
          if (std::find(fields.begin(), fields.end(), name) == fields.end()) fields.push_back(name);
        }
      }
      if (const auto value = row.find(attribute); value != row.end()) seen[kValue] = value->second;
      rows.push_back(std::move(seen));
    }
    auto made = guess_template(rows, kValue, fields);
    // A constant is a literal only where the name says nothing of what it holds.
    if (made && made->find('{') == std::string::npos && !is_generic(attribute)) return std::nullopt;
    return made;
  }
  std::string natural(const std::string& attribute) const { return fmt::format("{{{}}}", attribute); }
  std::string key_template(const Attribute& attribute, const std::string& alias) const {
    if (const auto given = alias.empty() ? std::nullopt : alias_template(alias)) return given->text;
    if (attribute.type != ValueType::kString) return natural(attribute.name);
    if (auto guessed = guess(attribute.name)) return *guessed;
    // What all rows begin with, then something that no other attribute says.
    std::optional<std::string> shape;
    for (const SampleRow& row : rows_) {
      const auto value = row.find(attribute.name);
      if (value == row.end()) continue;
      const std::string one = shape_of(value->second);
      shape = !shape || *shape == one ? one : "";
    }
    if (!shape || !shape->ends_with('#')) return natural(attribute.name);
    const bool named = !alias.empty() && plain_name(alias) == alias;
    return fmt::format("{}{{{}}}", *shape, named ? alias : lower_first(name_from(*shape)) + "Key");
  }
  // Named for its place, not for what it holds: a constant in it is a literal.
  static bool is_generic(std::string name) {
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return name.ends_with("PK") || name.ends_with("SK") || name.starts_with("GSI") || name.starts_with("GS1");
  }
  void add_entry(const ModelIndex& index) {
    DraftEntry entry{.name = lower_first(plain_name(index.name)), .on = index.name};
    for (const Attribute& attribute : index.key) {
      if (!has(attribute.name) && !table_.in_key(attribute.name)) return;  // the facet is not in this index
    }
    for (const Attribute& attribute : index.key) {
      const auto key = std::find_if(table_.key.begin(), table_.key.end(),
                                    [&](const Attribute& one) { return one.name == attribute.name; });
      if (key != table_.key.end()) {
        entry.key.push_back(entity_.key[static_cast<size_t>(key - table_.key.begin())]);
      } else {
        const auto guessed = attribute.type == ValueType::kString ? guess(attribute.name) : std::nullopt;
        entry.key.push_back(guessed ? *guessed : natural(attribute.name));
      }
    }
    entity_.index.push_back(std::move(entry));
  }
  // Every attribute that is not made by a template, and every field of a template that is no attribute.
  void add_fields() {
    std::set<std::string> in_keys;
    std::vector<std::pair<Template, std::string>> made_by;
    const auto note = [&](const std::string& text, const std::string& attribute) {
      Findings ignored;
      if (auto key = parse_template(text, {}, ignored)) {
        for (const std::string& field : key->fields()) in_keys.insert(field);
        made_by.emplace_back(std::move(*key), attribute);
      }
    };
    for (size_t i = 0; i < entity_.key.size(); ++i) note(entity_.key[i], table_.key[i].name);
    for (const DraftEntry& entry : entity_.index) {
      const auto index = std::find_if(table_.indexes.begin(), table_.indexes.end(),
                                      [&](const ModelIndex& one) { return one.name == entry.on; });
      for (size_t i = 0; i < entry.key.size(); ++i) note(entry.key[i], index->key[i].name);
    }
    const auto made = [&](const std::string& attribute) {
      return std::any_of(made_by.begin(), made_by.end(), [&](const auto& one) { return one.second == attribute; });
    };
    // Template fields that no attribute holds, or that stand within a key attribute of their own name.
    std::vector<std::string> first;
    for (const auto& [key, attribute] : made_by) {
      for (const std::string& field : key.fields()) {
        const bool stored = has(field) && !made(field);
        if (!stored && std::find(first.begin(), first.end(), field) == first.end()) first.push_back(field);
      }
    }
    for (const std::string& field : first) {
      std::vector<std::string> values;
      for (const auto& [key, attribute] : made_by) {
        if (!key.uses(field)) continue;
        for (const SampleRow& row : rows_) {
          const auto value = row.find(attribute);
          const auto parsed =
              value == row.end() ? std::nullopt : parse(key, value->second, [](std::string_view) { return nullptr; });
          if (parsed && parsed->contains(field)) values.push_back(parsed->at(field));
        }
        if (!values.empty()) break;
      }
      const bool known = made(field);
      entity_.fields.push_back({field, guess_type(known ? type_of(field) : ValueType::kString, values, true),
                                known ? "" : "only in the key; the model has no attribute for it"});
    }
    for (const std::string& attribute : facet_.attributes) {
      if (attribute == type_attribute_ || made(attribute)) continue;
      std::vector<std::string> values;
      bool everywhere = true;
      for (const SampleRow& row : rows_) {
        const auto value = row.find(attribute);
        if (value != row.end())
          values.push_back(value->second);
        else
          everywhere = false;
      }
      std::string text = guess_type(type_of(attribute), values, in_keys.contains(attribute));
      if ((!everywhere || rows_.empty()) && !in_keys.contains(attribute)) text += " optional";
      entity_.fields.push_back({attribute, std::move(text), {}});
    }
  }
  void add_example(const Row& row) {
    std::vector<std::pair<std::string, std::string>> example;
    std::vector<std::string> order;
    for (const Attribute& key : table_.key) order.push_back(key.name);
    order.insert(order.end(), facet_.attributes.begin(), facet_.attributes.end());
    for (const std::string& name : order) {
      if (const auto value = row.values.find(name); value != row.values.end())
        example.emplace_back(name, value->second);
    }
    entity_.examples.push_back(std::move(example));
  }

  const ModelTable& table_;
  const Facet& facet_;
  const std::string type_attribute_;
  std::vector<SampleRow> rows_;
  std::vector<std::string> plain_;
  DraftEntity entity_;
};

std::string attribute_text(const Attribute& attribute) {
  return attribute.type == ValueType::kString ? attribute.name
                                              : fmt::format("{} {}", attribute.name, type_name(attribute.type));
}

}  // namespace

Result<std::string> import_workbench(std::string_view json) {
  Findings findings;
  const auto source = read_source(json, findings);
  if (!source || !findings.empty())
    return invalid("not the JSON of a data model: " + (findings.empty() ? "" : findings.list()[0].message));
  const Node* tables = source->root.find("DataModel");
  if (tables == nullptr || tables->kind != Node::Kind::kList)
    return invalid("not a data model of NoSQL Workbench: it has no list `DataModel`");
  Draft draft;
  draft.name = text_of(source->root.find("ModelName"));
  const std::string unusual = draft.name;
  for (char& c : draft.name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_') c = '-';
  }
  if (draft.name.empty()) draft.name = "imported";
  draft.comments = {
      "From a data model of NoSQL Workbench. Types are guessed from its sample rows; the model says nothing of TTL,",
      "streams and operations: those below are the usual ones. `trestle design check` says what to look at."};
  if (unusual != draft.name) draft.comments.push_back("The model's name: " + unusual);
  if (const Node* metadata = source->root.find("ModelMetadata")) draft.about = text_of(metadata->find("Description"));
  std::set<std::string> names;
  for (const Node& node : tables->items) {
    ModelTable table = read_table(node);
    if (table.name.empty() || table.key.empty())
      return invalid("a table of the model has no TableName or no PartitionKey");
    if (table.facets.empty())
      make_facets(table);
    else
      share_rows(table);
    DraftTable made{.name = table.name, .type = type_attribute(table), .billing = table.billing};
    for (const Attribute& attribute : table.key) made.key.push_back(attribute_text(attribute));
    for (const ModelIndex& index : table.indexes) {
      if (index.key.empty()) continue;
      DraftIndex one{.name = index.name, .hash = {attribute_text(index.key[0])}, .project = index.project};
      if (index.key.size() > 1) one.range = {attribute_text(index.key[1])};
      made.indexes.push_back(std::move(one));
    }
    size_t unclaimed = 0;
    for (const Row& row : table.rows) unclaimed += row.values.empty() ? 0 : 1;
    if (unclaimed > 0)
      made.comments.push_back(fmt::format("{} sample rows are of no facet and were left out.", unclaimed));
    for (const Facet& facet : table.facets) {
      DraftEntity entity = EntityMaker(table, facet, made.type).make();
      const std::string wanted = entity.name;
      for (int i = 2; !names.insert(entity.name).second; ++i) entity.name = fmt::format("{}{}", wanted, i);
      draft.entities.push_back(std::move(entity));
    }
    draft.tables.push_back(std::move(made));
  }
  add_usual_operations(draft);
  return draft_text(draft);
}

}  // namespace trestle::design
