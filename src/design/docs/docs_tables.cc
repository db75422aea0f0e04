// The section on the tables and indexes to create.
#include "design/docs/docs_impl.h"

namespace trestle::design {
namespace {

Html projection_html(const Projection& projection) {
  Html out;
  if (projection.type == ProjectionType::kAll) return std::move(out << "all attributes");
  if (projection.type == ProjectionType::kKeysOnly) return std::move(out << "keys only");
  for (const std::string& name : projection.non_key_attributes) out << "<span class=\"tag mono\">" << name << "</span>";
  return out;
}

Html stream_html(StreamViewType stream) {
  Html out;
  switch (stream) {
    case StreamViewType::kKeysOnly:
      return std::move(out << "stream of keys");
    case StreamViewType::kNewImage:
      return std::move(out << "stream of new images");
    case StreamViewType::kOldImage:
      return std::move(out << "stream of old images");
    case StreamViewType::kNewAndOldImages:
      return std::move(out << "stream of new and old images");
  }
  return out;
}

Html settings_html(const Table& table) {
  Html out;
  if (table.billing == BillingMode::kPayPerRequest)
    out << "<span class=\"tag\">on-demand</span>";
  else
    out << "<span class=\"tag\">provisioned " << table.throughput.read_units << " read, "
        << table.throughput.write_units << " write</span>";
  if (!table.type_attribute.empty())
    out << "<span class=\"tag\">type in <code>" << table.type_attribute << "</code></span>";
  if (!table.ttl_attribute.empty())
    out << "<span class=\"tag\">TTL in <code>" << table.ttl_attribute << "</code></span>";
  if (table.recovery) out << "<span class=\"tag\">point-in-time recovery</span>";
  if (table.deletion_protection) out << "<span class=\"tag\">protected from deletion</span>";
  if (!table.encryption.empty()) out << "<span class=\"tag\">encrypted by KMS</span>";
  if (table.infrequent_access) out << "<span class=\"tag\">infrequent access</span>";
  if (table.stream) out << "<span class=\"tag\">" << stream_html(*table.stream) << "</span>";
  return out;
}

}  // namespace

Html docs_tables(const DocsContext& context) {
  Html out;
  if (context.design.tables.empty()) return out;
  out << "<div class=\"panel\"><table class=\"grid places\">\n<thead><tr><th>Table or index</th><th>Partition "
         "key</th><th>Sort key</th><th>Settings or projection</th></tr></thead>\n";
  for (const Table& table : context.design.tables) {
    const auto keys = [&](const KeySchema& key) {
      out << "<td>" << schema_html({.hash = key.hash, .range = {}}) << "</td><td>"
          << schema_html({.hash = {}, .range = key.range}) << "</td>";
    };
    out << "<tbody><tr><td class=\"name\">" << table.name;
    if (!table.about.empty()) out << "<small>" << table.about << "</small>";
    out << "</td>";
    keys(table.key);
    out << "<td>" << settings_html(table) << "</td></tr>\n";
    for (const Index& index : table.indexes) {
      out << "<tr><td class=\"under\"><span class=\"quiet\">\u2514 </span>" << index.name;
      if (index.local) out << " <span class=\"tag\">local</span>";
      out << "</td>";
      keys(index.key);
      out << "<td>" << projection_html(index.projection) << "</td></tr>\n";
    }
    out << "</tbody>\n";
  }
  out << "</table></div>\n";
  return out;
}

}  // namespace trestle::design
