#include "design/language/reader.h"

#include <fmt/format.h>

#include <charconv>

#include "design/language/reader_impl.h"
#include "design/language/resolve/resolve.h"
#include "design/language/vocabulary.h"

namespace trestle::design {

void Reader::wrong(const Node& node, std::string_view what, std::string_view expected) {
  findings_.mistake("T003", node.place, fmt::format("{}: expected {}", what, expected));
}

void Reader::unknown(Place place, std::string_view what, std::string_view name, const std::vector<std::string>& known) {
  mistake_unknown(findings_, place, what, name, known);
}

bool Reader::object(const Node& node, std::string_view kind_name) {
  const ObjectKind& kind = object_kind(kind_name);
  if (node.kind != Node::Kind::kMap) {
    wrong(node, kind.about, "an object");
    return false;
  }
  std::vector<std::string> known;
  for (const Word& word : kind.words) known.emplace_back(word.name);
  for (const Entry& entry : node.entries) {
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
      findings_.mistake("T002", entry.place,
                        fmt::format("`{}` is not allowed in a{} {}{}", entry.key,
                                    std::string_view("aeiou").find(kind.name[0]) == std::string_view::npos ? "" : "n",
                                    kind.name, did_you_mean(entry.key, known)),
                        fmt::format("one of: {}", fmt::join(known, ", ")));
    }
  }
  for (const Word& word : kind.words) {
    if (word.required && node.find(word.name) == nullptr) {
      findings_.mistake("T003", node.place, fmt::format("`{}` is missing ({})", word.name, word.about));
    }
  }
  return true;
}

bool Reader::map(const Node& node, std::string_view what) {
  if (node.kind == Node::Kind::kMap) return true;
  wrong(node, what, "a map (`name: value`)");
  return false;
}

std::string Reader::text(const Node* node, std::string_view what) {
  if (node == nullptr) return {};
  if (node->kind == Node::Kind::kScalar) return node->text;
  wrong(*node, what, "text");
  return {};
}

std::optional<int64_t> Reader::integer(const Node* node, std::string_view what) {
  if (node == nullptr) return std::nullopt;
  int64_t number = 0;
  const char* begin = node->text.data();
  const char* end = begin + node->text.size();
  if (node->kind == Node::Kind::kScalar) {
    const auto [stop, error] = std::from_chars(begin, end, number);
    if (error == std::errc() && stop == end) return number;
  }
  wrong(*node, what, "a whole number");
  return std::nullopt;
}

bool Reader::boolean(const Node* node, std::string_view what) {
  if (node == nullptr) return false;
  if (node->kind == Node::Kind::kScalar && (node->text == "true" || node->text == "false")) return node->text == "true";
  wrong(*node, what, "true or false");
  return false;
}

std::vector<std::string> Reader::texts(const Node* node, std::string_view what) {
  if (node == nullptr) return {};
  if (node->kind == Node::Kind::kScalar) return {node->text};
  std::vector<std::string> out;
  if (node->kind != Node::Kind::kList) {
    wrong(*node, what, "a list");
    return out;
  }
  for (const Node& item : node->items) out.push_back(text(&item, what));
  return out;
}

int64_t Reader::duration(const Node* node, std::string_view what) {
  if (node == nullptr) return 0;
  const auto seconds = parse_duration_s(node->text);
  if (!seconds) wrong(*node, what, "a duration such as 90d, 1h, 5m");
  return seconds.value_or(0);
}

int64_t Reader::bytes(const Node* node, std::string_view what) {
  if (node == nullptr) return 0;
  const auto size = parse_bytes(node->text);
  if (!size) wrong(*node, what, "a size such as 2KB");
  return size.value_or(0);
}

std::optional<Expression> Reader::expression(const Node* node) {
  if (node == nullptr) return std::nullopt;
  if (node->kind == Node::Kind::kNull) return Expression{.kind = Expression::Kind::kNull, .place = node->place};
  if (node->kind != Node::Kind::kScalar) {
    wrong(*node, "a value", "an expression");
    return std::nullopt;
  }
  return parse_expression(node->text, node->place, findings_);
}

std::vector<Template> Reader::templates(const Node& node) {
  std::vector<Template> out;
  const auto add = [&](const Node& template_node) {
    if (template_node.kind != Node::Kind::kScalar)
      return wrong(template_node, "a key", "a template such as \"SITE#{domain}\"");
    if (auto result = parse_template(template_node.text, template_node.place, findings_))
      out.push_back(std::move(*result));
  };
  if (node.kind == Node::Kind::kList) {
    for (const Node& item : node.items) add(item);
  } else {
    add(node);
  }
  return out;
}

Design Reader::read(const Source& source) {
  const Node& root = source.root;
  design_.remarks = source.remarks;
  design_.place = root.place;
  if (!object(root, "design")) return std::move(design_);
  design_.name = text(root.find("design"), "design");
  design_.version = integer(root.find("version"), "version").value_or(1);
  design_.about = text(root.find("about"), "about");
  design_.tenant = text(root.find("tenant"), "tenant");
  if (const Node* node = root.find("tables")) read_tables(*node);
  if (const Node* node = root.find("types")) read_types(*node);
  if (const Node* node = root.find("entities")) read_entities(*node);
  if (const Node* node = root.find("limits")) read_limits(*node);
  if (const Node* node = root.find("tallies")) read_tallies(*node);
  if (const Node* node = root.find("roles")) read_roles(*node);
  if (const Node* node = root.find("reads")) read_operations(*node, false);
  if (const Node* node = root.find("writes")) read_operations(*node, true);
  if (const Node* node = root.find("reactions")) read_reactions(*node);
  if (const Node* node = root.find("alerts")) read_alerts(*node);
  if (const Node* node = root.find("claims")) read_claims(*node);
  resolve_names(design_, findings_);
  return std::move(design_);
}

Reading read_design(std::string_view text) {
  Findings findings;
  Reading reading;
  if (const auto source = read_source(text, findings)) reading.design = Reader(findings).read(*source);
  reading.mistakes = findings.take();
  return reading;
}

}  // namespace trestle::design
