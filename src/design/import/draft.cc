#include "design/import/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/json/json_writer.h"
#include "design/language/template.h"
#include "design/language/word.h"

namespace trestle::design {
namespace {

std::string flow_list(const std::vector<std::string>& values) {
  std::vector<std::string> quoted;
  for (const std::string& value : values) quoted.push_back(yaml_scalar(value));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

std::string comment_lines(const std::vector<std::string>& comments, std::string_view margin) {
  std::string out;
  for (std::string line : comments) {
    for (char& c : line) {
      if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    }
    out += fmt::format("{}# {}\n", margin, line);
  }
  return out;
}

std::string table_text(const DraftTable& table) {
  std::string out = comment_lines(table.comments, "  ") +
                    fmt::format("  {}:\n    key: {}\n", yaml_scalar(table.name), flow_list(table.key));
  if (!table.type.empty()) out += fmt::format("    type: {}\n", yaml_scalar(table.type));
  if (!table.ttl.empty()) out += fmt::format("    ttl: {}\n", yaml_scalar(table.ttl));
  if (!table.billing.empty()) out += fmt::format("    billing: {}\n", table.billing);
  if (!table.stream.empty()) out += fmt::format("    stream: {}\n", table.stream);
  if (!table.indexes.empty()) out += "    indexes:\n";
  for (const DraftIndex& index : table.indexes) {
    std::string body;
    if (index.hash.size() > 1 || index.range.size() > 1) {
      body = fmt::format("hash: {}", flow_list(index.hash));
      if (!index.range.empty()) body += fmt::format(", range: {}", flow_list(index.range));
    } else {
      std::vector<std::string> key = index.hash;
      key.insert(key.end(), index.range.begin(), index.range.end());
      body = fmt::format("key: {}", flow_list(key));
    }
    if (index.local) body = "local: true, " + body;
    if (!index.project.empty()) body += ", project: " + index.project;
    out += fmt::format("      {}: {{{}}}\n", yaml_scalar(index.name), body);
  }
  return out;
}

std::string entity_text(const DraftEntity& entity, bool name_table) {
  std::string out = "\n" + comment_lines(entity.comments, "  ") + fmt::format("  {}:\n", yaml_scalar(entity.name));
  if (name_table) out += fmt::format("    table: {}\n", yaml_scalar(entity.table));
  out += fmt::format("    key: {}\n", entity.key.size() == 1 ? yaml_scalar(entity.key[0]) : flow_list(entity.key));
  out += entity.fields.empty() ? "    fields: {}\n" : "    fields:\n";
  for (const DraftField& field : entity.fields) {
    out += fmt::format("      {}: {}", yaml_scalar(field.name), yaml_scalar(field.type));
    out += field.comment.empty() ? "\n" : "  " + comment_lines({field.comment}, "");
  }
  if (!entity.index.empty()) out += "    index:\n";
  for (const DraftEntry& entry : entity.index) {
    if (!entry.comment.empty()) out += comment_lines({entry.comment}, "      ");
    out += fmt::format("      {}: {{on: {}, key: {}{}}}\n", yaml_scalar(entry.name), yaml_scalar(entry.on),
                       flow_list(entry.key), entry.one ? ", one: true" : "");
  }
  if (!entity.unique.empty()) out += "    unique:\n";
  for (const auto& [name, key] : entity.unique) {
    out += fmt::format("      {}: {}\n", yaml_scalar(name),
                       key.size() == 1 ? yaml_scalar(key[0]) : fmt::format("{{key: {}}}", flow_list(key)));
  }
  if (!entity.ttl.empty()) out += fmt::format("    ttl: {}\n", yaml_scalar(entity.ttl));
  if (!entity.examples.empty()) out += "    examples:\n";
  for (const auto& example : entity.examples) {
    std::vector<std::string> attributes;
    for (const auto& [name, value] : example)
      attributes.push_back(fmt::format("{}: {}", yaml_scalar(name), yaml_scalar(value)));
    out += fmt::format("      - {{{}}}\n", fmt::join(attributes, ", "));
  }
  return out;
}

std::string operations_text(std::string_view section, const std::vector<DraftOperation>& operations) {
  if (operations.empty()) return {};
  std::string out = fmt::format("\n{}:\n", section);
  for (const DraftOperation& operation : operations) {
    if (!operation.comment.empty()) out += comment_lines({operation.comment}, "  ");
    out += fmt::format("  {}: {}\n", yaml_scalar(operation.name), operation.body);
  }
  return out;
}

std::string unused_name(const Draft& draft, std::string name) {
  const auto taken = [&](const std::string& candidate) {
    for (const auto* list : {&draft.reads, &draft.writes}) {
      for (const DraftOperation& operation : *list) {
        if (operation.name == candidate) return true;
      }
    }
    return false;
  };
  if (!taken(name)) return name;
  for (int i = 2;; ++i) {
    if (std::string numbered = fmt::format("{}{}", name, i); !taken(numbered)) return numbered;
  }
}

std::set<std::string> fields_of(const std::string& key) {
  Findings ignored;
  std::set<std::string> out;
  if (const auto parsed = parse_template(key, {}, ignored)) {
    for (const std::string& field : parsed->fields()) out.insert(field);
  }
  return out;
}

std::string prefix_of(const std::string& key) {
  Findings ignored;
  const auto parsed = parse_template(key, {}, ignored);
  return parsed ? parsed->literal_prefix() : "";
}

// Whether a query of a partition returns only this entity's items, because no other entity in the table shares the
// prefix of its sort key.
bool lists_alone(const Draft& draft, const DraftEntity& entity) {
  if (entity.key.size() < 2) return false;
  const auto of_hash = fields_of(entity.key[0]);
  const auto of_range = fields_of(entity.key[1]);
  if (std::all_of(of_range.begin(), of_range.end(), [&](const std::string& field) { return of_hash.contains(field); }))
    return false;
  const std::string prefix = prefix_of(entity.key[1]);
  for (const DraftEntity& other : draft.entities) {
    if (&other == &entity || other.table != entity.table || other.key.size() < 2) continue;
    const std::string theirs = prefix_of(other.key[1]);
    if (theirs.starts_with(prefix) || prefix.starts_with(theirs)) return false;
  }
  return true;
}

}  // namespace

const DraftField* DraftEntity::field(std::string_view field_name) const {
  for (const DraftField& draft_field : fields) {
    if (draft_field.name == field_name) return &draft_field;
  }
  return nullptr;
}

void Draft::read(std::string operation, std::string body, std::string comment) {
  reads.push_back({unused_name(*this, std::move(operation)), std::move(body), std::move(comment)});
}
void Draft::write(std::string operation, std::string body, std::string comment) {
  writes.push_back({unused_name(*this, std::move(operation)), std::move(body), std::move(comment)});
}

std::string yaml_scalar(std::string_view text) {
  static const std::set<std::string_view> kWords = {"true", "false", "null",  "yes",  "no",   "on",   "off",
                                                    "~",    "True",  "False", "Null", "NULL", "TRUE", "FALSE"};
  const bool plain = !text.empty() && !kWords.contains(text) &&
                     std::all_of(text.begin(), text.end(),
                                 [](char c) {
                                   return is_word(c) || c == '.' || c == '-' || c == ' ' || c == '(' || c == ')' ||
                                          c == '=' || c == '<' || c == '>' || c == '/' || c == '+';
                                 }) &&
                     (is_word(text.front()) || text.front() == '/') && text.back() != ' ';
  return plain ? std::string(text) : json_quoted(text);
}

std::string lower_first(std::string_view name) {
  std::string out(name);
  if (!out.empty()) out[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(out[0])));
  return out;
}

std::string plain_name(std::string_view text) {
  std::string out;
  bool upper = false;
  for (const char c : text) {
    if (!is_word(c)) {
      upper = !out.empty();
      continue;
    }
    out.push_back(upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c);
    upper = false;
  }
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) out = "x" + out;
  return out;
}

// Names that differ in the source model can become equal ("GS1" and "gs1"). Numbers repeated entities and entries, and
// drops repeated tables, indexes and fields.
static void make_names_unique(Draft& draft) {
  const auto number = [](std::set<std::string>& taken, std::string& name) {
    const std::string wanted = name;
    for (int i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}{}", wanted, i);
  };
  const auto keep_first = [](auto& list) {
    std::set<std::string> taken;
    std::erase_if(list, [&](const auto& named) { return !taken.insert(named.name).second; });
  };
  keep_first(draft.tables);
  for (DraftTable& table : draft.tables) keep_first(table.indexes);
  std::set<std::string> entities;
  for (DraftEntity& entity : draft.entities) {
    number(entities, entity.name);
    std::set<std::string> entries;
    for (DraftEntry& entry : entity.index) number(entries, entry.name);
    keep_first(entity.fields);
  }
}

void add_usual_operations(Draft& draft) {
  make_names_unique(draft);
  for (const DraftEntity& entity : draft.entities) {
    const std::string name = lower_first(plain_name(entity.name));
    draft.read(name, fmt::format("{{get: {}}}", yaml_scalar(entity.name)));
    if (lists_alone(draft, entity)) draft.read(name + "List", fmt::format("{{query: {}}}", yaml_scalar(entity.name)));
    for (const DraftEntry& entry : entity.index) {
      draft.read(
          name + "By" + upper_first(plain_name(entry.name.starts_with("by") ? entry.name.substr(2) : entry.name)),
          fmt::format("{{{}: {}}}", entry.one ? "get" : "query", yaml_scalar(entity.name + "." + entry.name)));
    }
    for (const auto& [guard, key] : entity.unique) {
      draft.read(name + "By" + upper_first(plain_name(guard)),
                 fmt::format("{{get: {}}}", yaml_scalar(entity.name + "." + guard)));
    }
    const std::string verb = upper_first(plain_name(entity.name));
    draft.write("create" + verb, fmt::format("{{put: {}, if: absent, else: 409}}", yaml_scalar(entity.name)));
    std::set<std::string> in_key;
    for (const std::string& key : entity.key) in_key.merge(fields_of(key));
    const bool has_more = std::any_of(entity.fields.begin(), entity.fields.end(),
                                      [&](const DraftField& field) { return !in_key.contains(field.name); });
    if (has_more) draft.write("update" + verb, fmt::format("{{update: {}, else: 404}}", yaml_scalar(entity.name)));
    draft.write("delete" + verb, fmt::format("{{delete: {}, if: present, else: 404}}", yaml_scalar(entity.name)));
  }
}

std::string draft_text(const Draft& draft) {
  std::string out =
      comment_lines(draft.comments, "") + fmt::format("design: {}\nversion: 1\n", yaml_scalar(draft.name));
  if (!draft.about.empty()) out += fmt::format("about: {}\n", yaml_scalar(draft.about));
  if (!draft.tenant.empty()) out += fmt::format("tenant: {}\n", yaml_scalar(draft.tenant));
  out += "\ntables:\n";
  for (const DraftTable& table : draft.tables) out += table_text(table);
  out += draft.entities.empty() ? "\nentities: {}\n" : "\nentities:";
  for (const DraftEntity& entity : draft.entities) out += entity_text(entity, draft.tables.size() > 1);
  return out + operations_text("reads", draft.reads) + operations_text("writes", draft.writes);
}

}  // namespace trestle::design
