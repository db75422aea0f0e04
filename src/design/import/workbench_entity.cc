// Converts a facet to an entity.
#include <fmt/format.h>

#include <cctype>
#include <set>

#include "design/import/workbench_model.h"

namespace trestle::design::workbench {
namespace {

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
  // Collects the attributes that are fields rather than rendered keys.
  void find_plain_fields() {
    for (const std::string& attribute : facet_.attributes) {
      // An index key attribute whose name describes its content rather than its role is also a field.
      const bool is_index_key = in_index(attribute) && (is_generic(attribute) || plain_name(attribute) != attribute);
      if (attribute != type_attribute_ && !is_index_key && !table_.in_key(attribute)) plain_.push_back(attribute);
    }
  }
  // The type in the facet's own rows, else in the table. Two facets can store an attribute with different types.
  ValueType type_of(const std::string& attribute) const {
    for (const Row& row : facet_.rows) {
      if (const auto type = row.types.find(attribute); type != row.types.end()) return type->second;
    }
    const auto type = table_.types.find(attribute);
    return type == table_.types.end() ? ValueType::kString : type->second;
  }
  // The template that produces the attribute from plain fields and from the fields found in the keys so far.
  std::optional<std::string> guess(const std::string& attribute) const {
    static const std::string kValue = "\n";  // cannot be an attribute name; a field may have the name of its attribute
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
    auto result = guess_template(rows, kValue, fields);
    // A constant is a literal only if the attribute's name does not describe its content and the value is a word: other
    // rows are likely to differ from "w#77" or "2026-01-03".
    const bool constant = result && result->find('{') == std::string::npos;
    const bool word = constant && result->find_first_of("#0123456789") == std::string::npos;
    if (constant && (!word || !is_generic(attribute))) return std::nullopt;
    return result;
  }
  // A template with the attribute itself as a field, whose name is simplified if templates do not allow it.
  std::string natural(const std::string& attribute) const {
    Findings findings;
    const std::string result = fmt::format("{{{}}}", attribute);
    return parse_template(result, {}, findings) && findings.empty() ? result
                                                                    : fmt::format("{{{}}}", plain_name(attribute));
  }
  std::string key_template(const Attribute& attribute, const std::string& alias) const {
    if (const auto from_alias = alias.empty() ? std::nullopt : alias_template(alias)) return from_alias->text;
    if (attribute.type != ValueType::kString) return natural(attribute.name);
    if (auto guessed = guess(attribute.name)) return *guessed;
    // The common prefix of all rows, followed by a new field.
    std::optional<std::string> shape;
    for (const SampleRow& row : rows_) {
      const auto value = row.find(attribute.name);
      if (value == row.end()) continue;
      const std::string value_shape = shape_of(value->second);
      shape = !shape || *shape == value_shape ? value_shape : "";
    }
    if (!shape || !shape->ends_with('#')) return natural(attribute.name);
    const bool named = !alias.empty() && plain_name(alias) == alias;
    return fmt::format("{}{{{}}}", *shape, named ? alias : lower_first(name_from(*shape)) + "Key");
  }
  // Whether the attribute's name describes its role (PK, GSI1SK) rather than its content. Constants in it are literals.
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
      const auto key = std::find_if(table_.key.begin(), table_.key.end(), [&](const Attribute& key_attribute) {
        return key_attribute.name == attribute.name;
      });
      if (key != table_.key.end()) {
        entry.key.push_back(entity_.key[static_cast<size_t>(key - table_.key.begin())]);
      } else {
        const auto guessed = attribute.type == ValueType::kString ? guess(attribute.name) : std::nullopt;
        entry.key.push_back(guessed ? *guessed : natural(attribute.name));
      }
    }
    entity_.index.push_back(std::move(entry));
  }
  // Adds a field for every attribute that is not rendered from a template, and for every template field that is not an
  // attribute.
  void add_fields() {
    std::set<std::string> in_keys;
    std::vector<std::pair<Template, std::string>> templates;
    const auto note = [&](const std::string& text, const std::string& attribute) {
      Findings ignored;
      if (auto key = parse_template(text, {}, ignored)) {
        for (const std::string& field : key->fields()) in_keys.insert(field);
        templates.emplace_back(std::move(*key), attribute);
      }
    };
    for (size_t i = 0; i < entity_.key.size(); ++i) note(entity_.key[i], table_.key[i].name);
    const std::set<std::string> primary = in_keys;
    for (const DraftEntry& entry : entity_.index) {
      const auto index = std::find_if(table_.indexes.begin(), table_.indexes.end(),
                                      [&](const ModelIndex& model_index) { return model_index.name == entry.on; });
      for (size_t i = 0; i < entry.key.size(); ++i) note(entry.key[i], index->key[i].name);
    }
    const auto is_templated = [&](const std::string& attribute) {
      return std::any_of(templates.begin(), templates.end(),
                         [&](const auto& named_template) { return named_template.second == attribute; });
    };
    // Template fields that no attribute stores, or that are inside a key attribute of the same name.
    std::vector<std::string> first;
    for (const auto& [key, attribute] : templates) {
      for (const std::string& field : key.fields()) {
        const bool stored = has(field) && !is_templated(field);
        if (!stored && std::find(first.begin(), first.end(), field) == first.end()) first.push_back(field);
      }
    }
    for (const std::string& field : first) {
      std::vector<std::string> values;
      for (const auto& [key, attribute] : templates) {
        if (!key.uses(field)) continue;
        for (const SampleRow& row : rows_) {
          const auto value = row.find(attribute);
          const auto parsed =
              value == row.end() ? std::nullopt : parse(key, value->second, [](std::string_view) { return nullptr; });
          if (parsed && parsed->contains(field)) values.push_back(parsed->at(field));
        }
        if (!values.empty()) break;
      }
      const bool known = is_templated(field);
      std::string text = guess_type(known ? type_of(field) : ValueType::kString, values, true);
      if (!primary.contains(field) && values.size() < rows_.size()) text += " optional";
      entity_.fields.push_back(
          {field, std::move(text), known ? "" : "only in the key; the model has no attribute for it"});
    }
    for (const std::string& attribute : facet_.attributes) {
      if (attribute == type_attribute_ || is_templated(attribute)) continue;
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
      const bool in_primary = primary.contains(attribute);
      if ((!everywhere || rows_.empty()) && !in_primary && (!in_keys.contains(attribute) || !rows_.empty()))
        text += " optional";
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
    // Examples also list values that the model has only inside keys, as separate attributes.
    const auto add_parsed = [&](const std::string& text, const std::string& attribute) {
      Findings ignored;
      const auto key = parse_template(text, {}, ignored);
      const auto value = row.values.find(attribute);
      if (!key || value == row.values.end()) return;
      const auto parsed = parse(*key, value->second, [](std::string_view) { return nullptr; });
      for (const auto& [field, part] : parsed.value_or(FieldValues())) {
        const bool known = std::any_of(example.begin(), example.end(),
                                       [&](const auto& named_value) { return named_value.first == field; });
        if (!known) example.emplace_back(field, part);
      }
    };
    for (size_t i = 0; i < entity_.key.size(); ++i) add_parsed(entity_.key[i], table_.key[i].name);
    for (const DraftEntry& entry : entity_.index) {
      const auto index = std::find_if(table_.indexes.begin(), table_.indexes.end(),
                                      [&](const ModelIndex& model_index) { return model_index.name == entry.on; });
      for (size_t i = 0; i < entry.key.size(); ++i) add_parsed(entry.key[i], index->key[i].name);
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

}  // namespace

DraftEntity make_entity(const ModelTable& table, const Facet& facet, const std::string& type_attribute) {
  return EntityMaker(table, facet, type_attribute).make();
}

}  // namespace trestle::design::workbench
