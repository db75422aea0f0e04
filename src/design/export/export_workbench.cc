#include "design/export/export_workbench.h"

#include <fmt/format.h>

#include <map>

#include "design/import/draft.h"
#include "design/import/typed_json.h"
#include "design/plan/stored_attributes.h"
#include "design/sample/sample.h"

namespace trestle::design {
namespace {

// One attribute of a sample row; `text` is the value.
struct Cell {
  std::string name;
  ValueType type;
  std::string text;
};
using Row = std::vector<Cell>;

struct Facet {
  std::string name;
  std::vector<std::string> aliases;
  std::vector<std::pair<std::string, ValueType>> attributes;  // excluding the table's key
  std::vector<Row> rows;
};

bool in_index_key(const Table& table, std::string_view name) {
  return std::any_of(table.indexes.begin(), table.indexes.end(),
                     [&](const Index& index) { return index.key.contains(name); });
}

// Moves the index keys behind the other attributes, in the order of the table's indexes.
void order_attributes(const Table& table, Facet& facet) {
  std::vector<std::pair<std::string, ValueType>> ordered;
  for (const auto& attribute : facet.attributes) {
    if (!in_index_key(table, attribute.first)) ordered.push_back(attribute);
  }
  for (const KeyAttribute& key : key_attributes(table)) {
    for (const auto& attribute : facet.attributes) {
      if (attribute.first == key.name && in_index_key(table, key.name)) ordered.push_back(attribute);
    }
  }
  facet.attributes = std::move(ordered);
}

Facet entity_facet(const Entity& entity, const Table& table) {
  Facet facet{.name = entity.name};
  for (const Template& key : entity.key) facet.aliases.push_back(key.text);
  const auto attributes = stored_attributes(entity, table);
  // TTL comes after the fields and before the type, because an import treats it as a field.
  const auto rank = [&](const StoredAttribute& stored_attribute) {
    return stored_attribute.field != nullptr ? 0 : stored_attribute.name == table.ttl_attribute ? 1 : 2;
  };
  for (const int turn : {0, 1, 2}) {
    for (const StoredAttribute& attribute : attributes) {
      if (rank(attribute) == turn && !table.key.contains(attribute.name))
        facet.attributes.emplace_back(attribute.name, attribute.type);
    }
  }
  order_attributes(table, facet);
  for (const Example& example : entity.examples) {
    Row row;
    for (const auto& [name, text] : example.attributes) {
      const auto found = std::find_if(
          attributes.begin(), attributes.end(),
          [&, &wanted = name](const StoredAttribute& stored_attribute) { return stored_attribute.name == wanted; });
      row.push_back({name, found == attributes.end() ? ValueType::kString : found->type, text});
    }
    facet.rows.push_back(std::move(row));
  }
  return facet;
}

Facet guard_facet(const Entity& entity, const Guard& guard, const Table& table) {
  Facet facet{.name = plain_name(guard.type)};
  for (const Template& key : guard.key) facet.aliases.push_back(key.text);
  for (const std::string& name : guard.keeps) {
    const std::string attribute = entity.guard_attribute(table, guard, name);
    if (const Field* field = entity.field(name); field != nullptr && !table.key.contains(attribute))
      facet.attributes.emplace_back(attribute, stored_type(field->type));
  }
  if (!table.type_attribute.empty()) facet.attributes.emplace_back(table.type_attribute, ValueType::kString);
  order_attributes(table, facet);
  return facet;
}

std::vector<Facet> facets_of(const Design& design, const Table& table, const std::vector<SampleItem>& samples) {
  std::vector<Facet> facets;
  const auto add = [&](Facet facet, const Entity& entity, const Guard* guard) {
    if (facet.rows.empty()) {
      for (const SampleItem& sample : samples) {
        if (sample.entity != &entity || sample.guard != guard) continue;
        Row row;
        for (const SampleAttribute& attribute : sample.attributes)
          row.push_back({attribute.name, attribute.type, attribute.text});
        facet.rows.push_back(std::move(row));
      }
    }
    facets.push_back(std::move(facet));
  };
  for (const Entity& entity : design.entities) {
    if (entity.table != table.name) continue;
    add(entity_facet(entity, table), entity, nullptr);
    if (!entity.examples.empty()) continue;  // an imported design: its guards are entities or absent
    for (const Guard& guard : entity.unique) add(guard_facet(entity, guard, table), entity, &guard);
  }
  return facets;
}

Json key_attribute(const KeyAttribute& attribute) {
  return Json::object({{"AttributeName", attribute.name}, {"AttributeType", type_name(attribute.type)}});
}

Json key_attributes_of(const KeySchema& key) {
  Json out = Json::object({{"PartitionKey", key_attribute(key.hash[0])}});
  if (!key.range.empty()) out.set("SortKey", key_attribute(key.range[0]));
  return out;
}

Json row_json(const Table& table, const Facet& facet, const Row& row) {
  Json out = Json::object();
  const auto put = [&](std::string_view name) {
    for (const Cell& cell : row) {
      if (cell.name == name) out.set(cell.name, typed_json(cell.type, cell.text));
    }
  };
  for (const auto* half : {&table.key.hash, &table.key.range}) {
    for (const KeyAttribute& attribute : *half) put(attribute.name);
  }
  for (const auto& [name, type] : facet.attributes) put(name);
  return out;
}

Json indexes_json(const Table& table, std::vector<std::string>& notes) {
  Json out = Json::array();
  for (const Index& index : table.indexes) {
    if (index.local || index.key.hash.size() != 1 || index.key.range.size() > 1) {
      notes.push_back(fmt::format("{}.{}: NoSQL Workbench does not support {}; the index was left out", table.name,
                                  index.name, index.local ? "local indexes" : "keys of several attributes"));
      continue;
    }
    Json projection =
        Json::object({{"ProjectionType", index.projection.type == ProjectionType::kAll        ? "ALL"
                                         : index.projection.type == ProjectionType::kKeysOnly ? "KEYS_ONLY"
                                                                                              : "INCLUDE"}});
    if (index.projection.type == ProjectionType::kInclude)
      projection.set("NonKeyAttributes", Json::strings(index.projection.non_key_attributes));
    out.add(Json::object({{"IndexName", index.name},
                          {"KeyAttributes", key_attributes_of(index.key)},
                          {"Projection", std::move(projection)}}));
  }
  return out;
}

Json capacity(const Throughput& units) {
  const auto scaling = [] {
    return Json::object({{"ScalableTargetRequest",
                          Json::object({{"MinCapacity", 1},
                                        {"MaxCapacity", 10},
                                        {"ServiceRole", "AWSServiceRoleForApplicationAutoScaling_DynamoDBTable"}})},
                         {"ScalingPolicyConfiguration", Json::object({{"TargetValue", 70}})}});
  };
  return Json::object({{"ProvisionedThroughput", Json::object({{"ReadCapacityUnits", units.read_units},
                                                               {"WriteCapacityUnits", units.write_units}})},
                       {"AutoScalingRead", scaling()},
                       {"AutoScalingWrite", scaling()}});
}

Json table_json(const Design& design, const Table& table, const std::vector<SampleItem>& samples,
                std::vector<std::string>& notes) {
  const std::vector<Facet> facets = facets_of(design, table, samples);
  Json out = Json::object({{"TableName", table.name}, {"KeyAttributes", key_attributes_of(table.key)}});
  std::map<std::string, ValueType> types;
  Json attributes = Json::array();
  for (const Facet& facet : facets) {
    for (const auto& [name, type] : facet.attributes) {
      const auto [found, is_new] = types.emplace(name, type);
      if (is_new)
        attributes.add(Json::object({{"AttributeName", name}, {"AttributeType", type_name(type)}}));
      else if (found->second != type)
        notes.push_back(
            fmt::format("{}: attribute {} is {} here but {} elsewhere; the model can have only one type per attribute",
                        facet.name, name, type_name(type), type_name(found->second)));
    }
  }
  out.set("NonKeyAttributes", std::move(attributes));
  Json facets_json = Json::array();
  Json rows = Json::array();
  for (const Facet& facet : facets) {
    Json alias = Json::object();
    if (!facet.aliases.empty()) alias.set("PartitionKeyAlias", facet.aliases[0]);
    if (facet.aliases.size() > 1) alias.set("SortKeyAlias", facet.aliases[1]);
    Json names = Json::array();
    for (const auto& [name, type] : facet.attributes) names.add(name);
    facets_json.add(Json::object(
        {{"FacetName", facet.name}, {"KeyAttributeAlias", std::move(alias)}, {"NonKeyAttributes", std::move(names)}}));
    for (const Row& row : facet.rows) rows.add(row_json(table, facet, row));
  }
  out.set("TableFacets", std::move(facets_json));
  out.set("GlobalSecondaryIndexes", indexes_json(table, notes));
  out.set("TableData", std::move(rows));
  out.set("DataAccess", Json::object({{"MySql", Json::object()}}));
  if (table.billing == BillingMode::kProvisioned) {
    out.set("BillingMode", "PROVISIONED");
    out.set("ProvisionedCapacitySettings", capacity(table.throughput));
  } else {
    out.set("BillingMode", "PAY_PER_REQUEST");
  }
  if (!table.ttl_attribute.empty())
    notes.push_back(fmt::format("{}: the model cannot express TTL ({})", table.name, table.ttl_attribute));
  if (table.stream) notes.push_back(fmt::format("{}: the model cannot express a stream", table.name));
  return out;
}

}  // namespace

Exported export_workbench(const Design& design) {
  Exported out;
  const std::vector<SampleItem> samples = sample_items(design);
  Json tables = Json::array();
  for (const Table& table : design.tables) {
    if (!table.key.hash.empty()) tables.add(table_json(design, table, samples, out.notes));
  }
  // Fixed dates, so that the same design always produces the same file.
  Json metadata = Json::object({{"Author", ""},
                                {"DateCreated", "Jan 01, 2026, 12:00 AM"},
                                {"DateLastModified", "Jan 01, 2026, 12:00 AM"},
                                {"Description", design.about},
                                {"AWSService", "Amazon DynamoDB"},
                                {"Version", "3.0"}});
  out.text = Json::object(
                 {{"ModelName", design.name}, {"ModelMetadata", std::move(metadata)}, {"DataModel", std::move(tables)}})
                 .text();
  return out;
}

}  // namespace trestle::design
