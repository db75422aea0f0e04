// Assigns sample rows to facets.
#include <fmt/format.h>

#include <set>

#include "design/import/workbench_model.h"

namespace trestle::design::workbench {
namespace {

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

// Whether one template per key attribute matches every row, so that all rows belong to one entity despite different
// prefixes.
bool is_one_kind(const ModelTable& table) {
  std::vector<SampleRow> rows;
  for (const Row& row : table.rows) rows.push_back(row.values);
  for (const Attribute& key : table.key) {
    if (key.type != ValueType::kString) continue;
    std::set<std::string> shapes;
    for (const SampleRow& row : rows) {
      const auto value = row.find(key.name);
      shapes.insert(value == row.end() ? "" : shape_of(value->second));
    }
    if (shapes.size() <= 1) continue;
    const auto result = guess_template(rows, key.name, table.attributes);
    if (!result || !result->starts_with('{')) return false;
  }
  return true;
}

// Names the groups after an attribute that has one value in each group, different from those of the other groups.
void name_by_attribute(const ModelTable& table, std::vector<std::pair<std::string, Facet>>& groups) {
  for (const std::string& attribute : table.attributes) {
    std::set<std::string> values;
    bool telling = groups.size() > 1;
    for (const auto& [shape, facet] : groups) {
      std::set<std::string> own;
      for (const Row& row : facet.rows) {
        const auto value = row.values.find(attribute);
        own.insert(value == row.values.end() ? "" : value->second);
      }
      telling =
          telling && own.size() == 1 && plain_name(*own.begin()) == *own.begin() && values.insert(*own.begin()).second;
    }
    if (!telling) continue;
    for (auto& [shape, facet] : groups) facet.name = facet.rows[0].values.at(attribute);
    return;
  }
}

}  // namespace

// Assigns each row to a facet that has all its attributes and whose aliases match. Among several, prefers one whose
// name is a value of the row, then the one with the fewest attributes.
void share_rows(ModelTable& table) {
  for (Row& row : table.rows) {
    Facet* best = nullptr;
    size_t best_score = 0;
    for (Facet& facet : table.facets) {
      if (!fits(row, facet, table)) continue;
      const bool named = std::any_of(row.values.begin(), row.values.end(),
                                     [&](const auto& named_value) { return named_value.second == facet.name; });
      const size_t score = 1000 + (named ? 10'000 : 0) - std::min<size_t>(facet.attributes.size(), 900);
      if (best == nullptr || score > best_score) {
        best = &facet;
        best_score = score;
      }
    }
    if (best != nullptr) best->rows.push_back(std::move(row));
  }
}

// For a model without facets: rows whose keys have the same shape form a facet.
void make_facets(ModelTable& table) {
  std::vector<std::pair<std::string, Facet>> groups;
  const bool one_kind = is_one_kind(table);
  std::set<std::string> names;
  for (Row& row : table.rows) {
    std::string shape;
    std::string name;
    for (const Attribute& key : table.key) {
      const auto value = row.values.find(key.name);
      const std::string part =
          value == row.values.end() || key.type != ValueType::kString ? "" : shape_of(value->second);
      if (!one_kind) shape += part + "\n";
      if (!part.empty() && !one_kind) name = part;
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
  name_by_attribute(table, groups);
  for (auto& [shape, facet] : groups) table.facets.push_back(std::move(facet));
  if (table.facets.empty()) table.facets.push_back({.name = plain_name(table.name), .attributes = table.attributes});
}

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

}  // namespace trestle::design::workbench
