#include "runtime/load.h"

#include <fmt/format.h>

#include "design/language/source.h"
#include "model/number.h"
#include "runtime/values/plain_json.h"

namespace trestle::runtime {
namespace {

using design::Node;
using Records = BasicResult<std::vector<Plain>, std::string>;

Plain plain_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return Plain::null();
    case Node::Kind::kList: {
      Plain::List list;
      for (const Node& item : node.items) list.push_back(plain_of(item));
      return Plain::list(std::move(list));
    }
    case Node::Kind::kMap: {
      Plain map = Plain::map();
      for (const design::Entry& entry : node.entries) map.set(entry.key, plain_of(entry.value));
      return map;
    }
    case Node::Kind::kScalar:
      break;
  }
  if (node.quoted) return Plain::text(node.text);
  if (node.text == "true" || node.text == "false") return Plain::boolean(node.text == "true");
  if (node.text == "null" || node.text == "~") return Plain::null();
  // A phone number has a sign in front and is none.
  const bool may_be_number = !node.text.empty() && node.text.find_first_not_of("-.0123456789eE") == std::string::npos;
  if (const auto number = canonical_number(node.text); may_be_number && number) return Plain::number(*number);
  return Plain::text(node.text);
}

Records all_maps(Plain value) {
  if (value.is(Plain::Kind::kMap) && value.members().size() == 1 && value.members()[0].second.is(Plain::Kind::kList)) {
    Plain inner = std::move(value.members()[0].second);
    value = std::move(inner);
  }
  if (value.is(Plain::Kind::kMap)) return std::vector<Plain>{std::move(value)};
  if (!value.is(Plain::Kind::kList)) return std::unexpected(std::string("a list of records is expected"));
  size_t number = 0;
  for (const Plain& record : value.elements()) {
    ++number;
    if (!record.is(Plain::Kind::kMap)) return std::unexpected(fmt::format("record {} is no map of fields", number));
  }
  return std::vector<Plain>(std::move(value.elements()));
}

// A whole file of JSON or YAML.
BasicResult<Plain, std::string> whole_of(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (text[first] == '[' || text[first] == '{')) return parse_plain_json(text);
  design::Findings findings;
  const auto source = design::read_source(text, findings);
  if (!source) return std::unexpected(std::string("this is neither JSON nor YAML"));
  return plain_of(source->root);
}

Records json_lines(std::string_view text) {
  std::vector<Plain> records;
  for (size_t line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto record = parse_plain_json(one);
    if (!record) return std::unexpected(fmt::format("line {}: {}", line, record.error()));
    if (!record->is(Plain::Kind::kMap)) return std::unexpected(fmt::format("line {} is no JSON object", line));
    records.push_back(std::move(*record));
  }
  return records;
}

}  // namespace

Records read_records(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return std::vector<Plain>();
  if (text[first] == '{' && !parse_plain_json(text)) return json_lines(text);
  TRY_INTO(Plain whole, whole_of(text));
  return all_maps(std::move(whole));
}

BasicResult<EntityRecords, std::string> read_entities(std::string_view text, const std::string& entity) {
  EntityRecords groups;
  if (!entity.empty()) {
    TRY_INTO(auto records, read_records(text));
    groups.emplace_back(entity, std::move(records));
    return groups;
  }
  TRY_INTO(Plain whole, whole_of(text));
  if (!whole.is(Plain::Kind::kMap))
    return std::unexpected(std::string("a map of records by entity is expected, or --entity, or --operation"));
  for (auto& [name, list] : whole.members()) {
    if (!list.is(Plain::Kind::kList)) return std::unexpected(fmt::format("`{}` is no list of records", name));
    auto records = all_maps(std::move(list));
    if (!records) return std::unexpected(fmt::format("`{}`: {}", name, records.error()));
    groups.emplace_back(name, std::move(*records));
  }
  return groups;
}

}  // namespace trestle::runtime
