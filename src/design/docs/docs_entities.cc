// One card per entity, with its keys on the left and its fields on the right.
#include "design/docs/docs_impl.h"

namespace trestle::design {
namespace {

void tag(Html& out, Markup word) { out << "<span class=\"tag\">" << word << "</span>"; }

Html field_html(const Field& field) {
  Html out;
  if (field.counter)
    out << "counter";
  else if (field.revision)
    out << "revision";
  else if (field.extreme == Field::Extreme::kMin)
    out << "least " << type_text(field.type);
  else if (field.extreme == Field::Extreme::kMax)
    out << "greatest " << type_text(field.type);
  else
    out << type_text(field.type);
  if (!field.sha256_of.empty()) out << " of " << field.sha256_of;
  out << " ";
  if (field.optional) tag(out, "optional");
  if (field.automatic) tag(out, "generated");
  if (field.touched) tag(out, "every write");
  if (field.immutable) tag(out, "never changes");
  if (field.identifier) tag(out, "id");
  if (field.secret) tag(out, "secret");
  if (field.encrypted) tag(out, "encrypted");
  if (field.default_value)
    out << "<span class=\"tag\">= <code>" << expression_text(*field.default_value) << "</code></span>";
  return out;
}

void key_rows(Html& out, const KeySchema& schema, const std::vector<Template>& key) {
  std::vector<KeyAttribute> attributes = schema.hash;
  attributes.insert(attributes.end(), schema.range.begin(), schema.range.end());
  for (size_t i = 0; i < key.size() && i < attributes.size(); ++i) {
    out << "<dt><code>" << attributes[i].name << "</code></dt><dd><code>" << template_html(pieces_of(key[i]))
        << "</code></dd>\n";
  }
}

Html keys_html(const DocsContext& context, const Entity& entity) {
  Html out;
  const Table* table = context.design.table(entity.table);
  if (table == nullptr) return out;
  out << "<h4>Key in " << entity.table << "</h4><dl class=\"rows\">\n";
  key_rows(out, table->key, entity.key);
  out << "</dl>\n";
  for (const IndexEntry& entry : entity.index) {
    const Index* index = table->index(entry.index);
    if (index == nullptr) continue;
    out << "<h4>" << entry.name << " in " << entry.index;
    if (entry.condition) out << ", while <code>" << expression_text(*entry.condition) << "</code>";
    if (entry.one) out << ", one item";
    out << "</h4><dl class=\"rows\">\n";
    key_rows(out, index->key, entry.key);
    out << "</dl>\n";
  }
  for (const Guard& guard : entity.unique) {
    out << "<h4>Unique " << guard.name << ", by a guard";
    if (!guard.type.empty()) out << " of type " << guard.type;
    out << "</h4><dl class=\"rows\">\n";
    key_rows(out, table->key, guard.key);
    out << "</dl>\n";
  }
  return out;
}

Html shard_html(const Shard& shard) {
  Html out;
  out << "SHA-256 of <code>" << shard.of << "</code> modulo ";
  if (shard.count > 0)
    out << shard.count;
  else
    out << "<code>" << shard.count_entity << "." << shard.count_field << "</code>, at first " << shard.initial
        << ", at most " << shard.most;
  if (!shard.epochs_entity.empty()) out << "; an item keeps the count of its own time";
  return out;
}

Html flow_html(const Flow& flow) {
  Html out;
  for (const FlowStep& step : flow.steps) {
    if (!out.empty()) out << "<br>";
    out << "<code>" << step.from << "</code> \u2192 ";
    for (size_t i = 0; i < step.to.size(); ++i) {
      if (i > 0) out << ", ";
      out << "<code>" << step.to[i] << "</code>";
    }
  }
  return out;
}

Html rules_html(const DocsContext& context, const Entity& entity) {
  Html out;
  if (entity.ttl) out << "<dt>expires</dt><dd><code>" << expression_text(*entity.ttl) << "</code></dd>\n";
  for (const Flow& flow : entity.flows) out << "<dt>" << flow.field << " goes</dt><dd>" << flow_html(flow) << "</dd>\n";
  for (const Shard& shard : entity.shards)
    out << "<dt>" << shard.field << "</dt><dd>" << shard_html(shard) << "</dd>\n";
  for (const Pack& pack : entity.packs)
    out << "<dt>packed</dt><dd><code>" << pack.field << "</code> over " << bytes_text(pack.over_bytes) << "</dd>\n";
  for (const Spill& spill : entity.spills)
    out << "<dt>spilled</dt><dd><code>" << spill.field << "</code> over " << bytes_text(spill.over_bytes)
        << " to blob storage</dd>\n";
  for (const Each& each : entity.eaches)
    out << "<dt>children</dt><dd>one " << entity_label(context, each.entity) << " per member of <code>" << each.field
        << "</code></dd>\n";
  return out;
}

Html card(const DocsContext& context, const Entity& entity) {
  Html out;
  out << "<article class=\"card e\" style=\"--h:" << context.hue_of(entity) << "\" id=\"entity-"
      << context.number_of(entity) << "\">\n<header><h3>" << entity.name << "</h3><span class=\"facts\">";
  if (entity.item_bytes > 0) out << "about " << bytes_text(entity.item_bytes);
  if (entity.count > 0) out << (entity.item_bytes > 0 ? Markup(", ") : Markup("")) << entity.count << " of them";
  out << "</span>";
  if (!entity.about.empty()) out << "<p>" << entity.about << "</p>";
  out << "</header>\n<div class=\"halves\"><div>\n" << keys_html(context, entity);
  const Html rules = rules_html(context, entity);
  if (!rules.empty()) out << "<h4>Rules</h4><dl class=\"rows\">\n" << rules << "</dl>\n";
  out << "</div><div>\n<h4>Fields</h4><dl class=\"rows fields\">\n";
  for (const Field& field : entity.fields) out << "<dt>" << field.name << "</dt><dd>" << field_html(field) << "</dd>\n";
  out << "</dl>\n</div></div>\n</article>\n";
  return out;
}

}  // namespace

Html docs_entities(const DocsContext& context) {
  Html out;
  if (context.design.entities.empty()) return out;
  out << "<div class=\"cards\">\n";
  for (const Entity& entity : context.design.entities) out << card(context, entity);
  out << "</div>\n";
  return out;
}

}  // namespace trestle::design
