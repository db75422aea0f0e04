#include "design/import/import_workbench.h"

#include <fmt/format.h>

#include <cctype>
#include <set>

#include "design/import/workbench_model.h"

namespace trestle::design {
namespace {

std::string attribute_text(const workbench::Attribute& attribute) {
  return attribute.type == ValueType::kString ? attribute.name
                                              : fmt::format("{} {}", attribute.name, type_name(attribute.type));
}

}  // namespace

Result<std::string> import_workbench(std::string_view json) {
  Findings findings;
  const auto source = read_source(json, findings);
  if (!source || !findings.empty())
    return invalid("not a data model in JSON: " + (findings.empty() ? "" : findings.list()[0].message));
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
      "Imported from a data model of NoSQL Workbench. Types are guessed from its sample rows. The model has no TTL,",
      "streams or operations; the operations below are generated. Run `trestle design check` to find what needs "
      "attention."};
  if (unusual != draft.name) draft.comments.push_back("The model's name: " + unusual);
  if (const Node* metadata = source->root.find("ModelMetadata")) draft.about = text_of(metadata->find("Description"));
  std::set<std::string> names;
  for (const Node& node : tables->items) {
    workbench::ModelTable table = workbench::read_table(node);
    if (table.name.empty() || table.key.empty())
      return invalid("a table of the model has no TableName or no PartitionKey");
    if (table.facets.empty())
      workbench::make_facets(table);
    else
      workbench::share_rows(table);
    DraftTable result{.name = table.name, .type = workbench::type_attribute(table), .billing = table.billing};
    for (const workbench::Attribute& attribute : table.key) result.key.push_back(attribute_text(attribute));
    for (const workbench::ModelIndex& index : table.indexes) {
      if (index.key.empty()) continue;
      DraftIndex draft_index{.name = index.name, .hash = {attribute_text(index.key[0])}, .project = index.project};
      if (index.key.size() > 1) draft_index.range = {attribute_text(index.key[1])};
      result.indexes.push_back(std::move(draft_index));
    }
    size_t unclaimed = 0;
    for (const workbench::Row& row : table.rows) unclaimed += row.values.empty() ? 0 : 1;
    if (unclaimed > 0)
      result.comments.push_back(fmt::format("{} sample rows match no facet and were left out.", unclaimed));
    for (const workbench::Facet& facet : table.facets) {
      DraftEntity entity = workbench::make_entity(table, facet, result.type);
      const std::string wanted = entity.name;
      for (int i = 2; !names.insert(entity.name).second; ++i) entity.name = fmt::format("{}{}", wanted, i);
      draft.entities.push_back(std::move(entity));
    }
    draft.tables.push_back(std::move(result));
  }
  add_usual_operations(draft);
  return draft_text(draft);
}

}  // namespace trestle::design
