// Reads tables and secondary indexes.
#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "design/language/reader_impl.h"
#include "model/limits.h"

namespace trestle::design {

// Parses "PK" or "starRating N".
KeyAttribute Reader::key_attribute(const Node& node) {
  KeyAttribute attribute{.name = text(&node, "a key attribute")};
  const size_t space = attribute.name.find(' ');
  if (space == std::string::npos) return attribute;
  const std::string type = attribute.name.substr(space + 1);
  attribute.name.resize(space);
  if (type == "N")
    attribute.type = ValueType::kNumber;
  else if (type == "B")
    attribute.type = ValueType::kBinary;
  else if (type != "S")
    wrong(node, fmt::format("key attribute `{}`", attribute.name), "type S, N or B");
  return attribute;
}

Index Reader::read_index(const Entry& entry, const Table& table) {
  Index index{.name = entry.key, .place = entry.place};
  if (!object(entry.value, "index")) return index;
  index.local = boolean(entry.value.find("local"), "local");
  const auto attributes = [&](const Node& node, std::vector<KeyAttribute>& out) {
    if (node.kind != Node::Kind::kList) return out.push_back(key_attribute(node));
    for (const Node& item : node.items) out.push_back(key_attribute(item));
  };
  if (const Node* key = entry.value.find("key")) {
    std::vector<KeyAttribute> both;
    attributes(*key, both);
    if (both.empty() || both.size() > 2) {
      wrong(*key, "an index's key",
            "a partition attribute and optionally a sort attribute (for more, `hash` and `range`)");
    }
    if (!both.empty()) index.key.hash = {both[0]};
    if (both.size() > 1) index.key.range = {both[1]};
  }
  if (const Node* hash = entry.value.find("hash")) attributes(*hash, index.key.hash);
  if (const Node* range = entry.value.find("range")) attributes(*range, index.key.range);
  if (index.key.hash.empty()) {
    wrong(entry.value, fmt::format("index `{}`", index.name), "`key`, or `hash` and `range`");
    index.key.hash = table.key.hash;
  }
  if (index.key.hash.size() > kKeyAttributesMax || index.key.range.size() > kKeyAttributesMax) {
    wrong(entry.value, fmt::format("index `{}`", index.name), "at most four attributes of each kind");
  }
  if (index.local && index.key.hash != table.key.hash) {
    wrong(entry.value, fmt::format("local index `{}`", index.name), "the table's own partition attribute");
  }
  if (const Node* project = entry.value.find("project")) {
    if (project->kind == Node::Kind::kList) {
      index.projection = {.type = ProjectionType::kInclude, .non_key_attributes = texts(project, "project")};
    } else if (const std::string all = text(project, "project"); all == "keys") {
      index.projection.type = ProjectionType::kKeysOnly;
    } else if (all != "all") {
      wrong(*project, "project", "all, keys or a list of attributes");
    }
  }
  return index;
}

void Reader::read_tables(const Node& node) {
  if (!map(node, "tables")) return;
  for (const Entry& entry : node.entries) {
    Table table{.name = entry.key, .place = entry.place};
    if (!object(entry.value, "table")) continue;
    const Node& body = entry.value;
    table.about = text(body.find("about"), "about");
    if (const Node* key = body.find("key")) {
      if (key->kind == Node::Kind::kScalar) {
        table.key.hash.push_back(key_attribute(*key));
      } else {
        for (const Node& item : key->items) {
          (table.key.hash.empty() ? table.key.hash : table.key.range).push_back(key_attribute(item));
        }
      }
      if (table.key.hash.empty() || table.key.range.size() > 1) {
        wrong(*key, "a table's key", "a partition attribute and optionally a sort attribute");
        table.key.range.resize(std::min<size_t>(table.key.range.size(), 1));
      }
    }
    // The passes that follow a mistake rely on a partition attribute.
    if (table.key.hash.empty()) table.key.hash.push_back({.name = "PK"});
    table.type_attribute = text(body.find("type"), "type");
    table.ttl_attribute = text(body.find("ttl"), "ttl");
    table.ttl_place = body.find("ttl") != nullptr ? body.find("ttl")->place : table.place;
    if (const Node* billing = body.find("billing")) {
      if (billing->kind == Node::Kind::kMap && object(*billing, "throughput")) {
        table.billing = BillingMode::kProvisioned;
        table.throughput = {.read_units = integer(billing->find("read"), "read").value_or(1),
                            .write_units = integer(billing->find("write"), "write").value_or(1)};
      } else if (billing->text != "on-demand") {
        wrong(*billing, "billing", "on-demand, or {read: 10, write: 5}");
      }
    }
    if (const Node* stream = body.find("stream")) {
      if (stream->text == "keys")
        table.stream = StreamViewType::kKeysOnly;
      else if (stream->text == "new")
        table.stream = StreamViewType::kNewImage;
      else if (stream->text == "old")
        table.stream = StreamViewType::kOldImage;
      else if (stream->text == "new-and-old")
        table.stream = StreamViewType::kNewAndOldImages;
      else
        wrong(*stream, "stream", "keys, new, old or new-and-old");
    }
    table.recovery = boolean(body.find("recovery"), "recovery");
    table.deletion_protection = boolean(body.find("deletion_protection"), "deletion_protection");
    table.encryption = text(body.find("encryption"), "encryption");
    if (table.encryption == "aws-owned") table.encryption.clear();
    if (const Node* table_class = body.find("class")) {
      table.infrequent_access = table_class->text == "infrequent-access";
      if (!table.infrequent_access && table_class->text != "standard")
        wrong(*table_class, "class", "standard or infrequent-access");
    }
    if (const Node* parameter = body.find("parameter")) {
      table.parameter = text(parameter, "parameter");
      const bool is_name = std::ranges::all_of(table.parameter, [](char c) { return is_letter(c) || is_digit(c); });
      if (table.parameter.empty() || is_digit(table.parameter[0]) || !is_name)
        wrong(*parameter, "parameter", "letters and digits, beginning with a letter");
      const auto same = std::ranges::find(design_.tables, table.parameter, &Table::parameter);
      if (same != design_.tables.end())
        wrong(*parameter, "parameter", "a different name from that of table " + same->name);
    }
    if (const Node* tags = body.find("tags"); tags != nullptr && map(*tags, "tags")) {
      for (const Entry& tag : tags->entries) table.tags.emplace_back(tag.key, text(&tag.value, "a tag"));
    }
    if (const Node* indexes = body.find("indexes"); indexes != nullptr && map(*indexes, "indexes")) {
      for (const Entry& index : indexes->entries) table.indexes.push_back(read_index(index, table));
    }
    design_.tables.push_back(std::move(table));
  }
}

}  // namespace trestle::design
