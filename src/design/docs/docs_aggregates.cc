// The aggregate view: sample items as rows, grouped by partition, for every table and index.
#include <algorithm>

#include "design/docs/docs_impl.h"

namespace trestle::design {
namespace {

bool is_projected(const Table& table, const Index* index, const std::string& attribute) {
  if (index == nullptr || index->projection.type == ProjectionType::kAll) return true;
  if (table.key.contains(attribute)) return true;
  const auto& names = index->projection.non_key_attributes;
  return index->projection.type == ProjectionType::kInclude &&
         std::find(names.begin(), names.end(), attribute) != names.end();
}

bool is_index_key(const Table& table, const std::string& attribute) {
  return std::any_of(table.indexes.begin(), table.indexes.end(),
                     [&](const Index& index) { return index.key.contains(attribute); });
}

Html attributes_html(const SampleItem& item, const Table& table, const Index* index) {
  const KeySchema& key = index == nullptr ? table.key : index->key;
  Html out;
  out << "<dl class=\"attrs\">";
  for (const SampleAttribute& attribute : item.attributes) {
    if (key.contains(attribute.name) || attribute.name == table.type_attribute ||
        !is_projected(table, index, attribute.name))
      continue;
    const bool dim = item.entity->field(attribute.name) == nullptr &&
                     (is_index_key(table, attribute.name) || table.key.contains(attribute.name));
    out << "<div" << (dim ? Markup(" class=\"ix\"") : Markup("")) << "><dt>" << attribute.name << "</dt><dd title=\""
        << attribute.text << "\">" << attribute.text << "</dd></div>";
  }
  out << "</dl>";
  return out;
}

Html values_html(const SampleItem& item, const std::vector<KeyAttribute>& attributes) {
  Html out;
  for (const KeyAttribute& attribute : attributes) {
    if (!out.empty()) out << "<br>";
    // Allows a long key to wrap after a delimiter.
    std::string_view text = item.attribute(attribute.name)->text;
    for (size_t at = text.find('#'); at != std::string_view::npos && at + 1 < text.size(); at = text.find('#')) {
      out << text.substr(0, at + 1) << "<wbr>";
      text.remove_prefix(at + 1);
    }
    out << text;
  }
  return out;
}

Html names_html(const std::vector<KeyAttribute>& attributes) { return schema_html({.hash = attributes, .range = {}}); }

// Lists the entities of the table that have no item in this table or index.
Html absent_html(const DocsContext& context, const Table& table, const std::vector<const SampleItem*>& items) {
  Html out;
  for (const Entity& entity : context.design.entities) {
    if (entity.table != table.name) continue;
    if (std::any_of(items.begin(), items.end(), [&](const SampleItem* item) { return item->entity == &entity; }))
      continue;
    out << (out.empty() ? Markup("<div class=\"absent\">Not here: ") : Markup(" "))
        << entity_label(context, entity.name);
  }
  if (!out.empty()) out << "</div>\n";
  return out;
}

Html rows_html(const DocsContext& context, const Table& table, const Index* index,
               const std::vector<const SampleItem*>& items) {
  const KeySchema& key = index == nullptr ? table.key : index->key;
  const auto same_partition = [&](const SampleItem& a, const SampleItem& b) {
    return std::all_of(key.hash.begin(), key.hash.end(), [&](const KeyAttribute& attribute) {
      return a.attribute(attribute.name)->text == b.attribute(attribute.name)->text;
    });
  };
  Html out;
  for (size_t i = 0; i < items.size();) {
    size_t end = i + 1;
    while (end < items.size() && same_partition(*items[i], *items[end])) ++end;
    out << "<tbody>\n";
    for (size_t row = i; row < end; ++row) {
      const SampleItem& item = *items[row];
      out << "<tr class=\"e" << (item.guard == nullptr ? Markup("") : Markup(" guard"))
          << "\" style=\"--h:" << context.hue_of(*item.entity) << "\">";
      if (row == i) out << "<td class=\"p k\" rowspan=\"" << end - i << "\">" << values_html(item, key.hash) << "</td>";
      if (!key.range.empty()) out << "<td class=\"s k\">" << values_html(item, key.range) << "</td>";
      out << "<td class=\"w\">";
      if (item.guard == nullptr)
        out << entity_label(context, item.entity->name);
      else
        out << "<span class=\"label guard\">" << (item.guard->type.empty() ? item.guard->name : item.guard->type)
            << "</span>";
      out << "</td><td class=\"a\">" << attributes_html(item, table, index) << "</td></tr>\n";
    }
    out << "</tbody>\n";
    i = end;
  }
  return out;
}

// The width of the longest key at 6.65 pixels per character, limited to a little more than a 26-character id; longer
// keys wrap.
int key_width(const std::vector<const SampleItem*>& items, const std::vector<KeyAttribute>& attributes) {
  size_t longest = 12;
  for (const KeyAttribute& attribute : attributes) {
    longest = std::max(longest, attribute.name.size() + 1);  // the column heading
    for (const SampleItem* item : items) longest = std::max(longest, item->attribute(attribute.name)->text.size());
  }
  return static_cast<int>(static_cast<double>(std::min<size_t>(longest, 28)) * 6.65) + 26;
}

int label_width(const std::vector<const SampleItem*>& items) {
  double widest = 96;
  for (const SampleItem* item : items) {
    const bool guard = item->guard != nullptr;
    const std::string& name = !guard                      ? item->entity->name
                              : item->guard->type.empty() ? item->guard->name
                                                          : item->guard->type;
    widest = std::max(widest, static_cast<double>(name.size()) * (guard ? 6.8 : 8.2) + 50);
  }
  return static_cast<int>(std::min(widest, 184.0));
}

Html space_html(const DocsContext& context, const Table& table, const Index* index) {
  const KeySchema& key = index == nullptr ? table.key : index->key;
  const std::vector<const SampleItem*> items = items_in(context.samples, table, index);
  Html out;
  out << "<div class=\"space\"><h3>" << (index == nullptr ? table.name : index->name) << "<span class=\"small\">";
  if (index == nullptr)
    out << "table";
  else
    out << (index->local ? Markup("local index of ") : Markup("index of ")) << table.name;
  out << "</span></h3>\n<div class=\"panel\">";
  if (items.empty()) {
    out << "<div class=\"empty\">No entity has an item here.</div></div></div>\n";
    return out;
  }
  out << "<table class=\"items\">\n<colgroup><col style=\"width:" << key_width(items, key.hash) << "px\">";
  if (!key.range.empty()) out << "<col style=\"width:" << key_width(items, key.range) << "px\">";
  out << "<col style=\"width:" << label_width(items) << "px\"><col></colgroup>\n<thead><tr><th>" << names_html(key.hash)
      << "</th>";
  if (!key.range.empty()) out << "<th>" << names_html(key.range) << "</th>";
  out << "<th>Entity</th><th>Attributes</th></tr></thead>\n" << rows_html(context, table, index, items) << "</table>\n";
  if (index != nullptr) out << absent_html(context, table, items);
  out << "</div></div>\n";
  return out;
}

}  // namespace

Html docs_aggregates(const DocsContext& context) {
  Html out;
  for (const Table& table : context.design.tables) {
    out << space_html(context, table, nullptr);
    for (const Index& index : table.indexes) out << space_html(context, table, &index);
  }
  return out;
}

}  // namespace trestle::design
