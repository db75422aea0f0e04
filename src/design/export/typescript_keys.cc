#include "design/export/typescript_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/json/json_writer.h"

namespace trestle::design {
namespace {

constexpr std::string_view kAsciiLower =
    "const asciiLower = (value: string): string => value.replace(/[A-Z]/g, (letter) => letter.toLowerCase());\n";
constexpr std::string_view kEscapeKey =
    "const escapeKey = (value: string): string => value.replace(/%/g, '%25').replace(/#/g, '%23');\n";

std::string in_template(std::string_view literal) {
  std::string out;
  for (const char c : literal) {
    if (c == '`' || c == '\\' || c == '$') out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

size_t cut_length_of(std::string_view unit) {
  return unit == "month" ? 7 : unit == "day" ? 10 : unit == "hour" ? 13 : 16;
}

// Returns nothing for a digest, which browsers can only compute asynchronously.
std::optional<std::string> part_text(const TemplatePart& part, const Entity& entity) {
  const std::string field = fmt::format("String(of.{})", part.field);
  switch (part.format.kind) {
    case Format::Kind::kPlain:
      return fmt::format("${{of.{}}}", part.field);
    case Format::Kind::kPad:
      return fmt::format("${{{}.padStart({}, '0')}}", field, part.format.digits);
    case Format::Kind::kCut: {
      const Field* typed = entity.field(part.field);
      const bool epoch = typed != nullptr && typed->type.base == BaseType::kEpoch;
      const std::string time = fmt::format("new Date(of.{}{}).toISOString()", part.field,
                                           epoch && typed->type.milliseconds ? "" : " * 1000");
      return fmt::format("${{{}.slice(0, {})}}", epoch ? time : field, cut_length_of(part.format.unit));
    }
    case Format::Kind::kEscape:
      return fmt::format("${{escapeKey({})}}", field);
    case Format::Kind::kLower:
      return fmt::format("${{asciiLower({})}}", field);
    case Format::Kind::kFold:
      return fmt::format("${{escapeKey(asciiLower({}))}}", field);
    case Format::Kind::kHash:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::string> key_text(const Template& key, ValueType type, const Entity& entity) {
  std::string out;
  for (const TemplatePart& part : key.parts) {
    if (part.is_literal()) {
      out += in_template(part.literal);
      continue;
    }
    const auto text = part_text(part, entity);
    if (!text) return std::nullopt;
    out += *text;
  }
  out = fmt::format("`{}`", out);
  return type == ValueType::kNumber ? fmt::format("Number({})", out) : out;
}

void append_builder(std::string& out, const Entity& entity, const std::string& name, const KeySchema& schema,
                    const std::vector<Template>& key) {
  std::vector<std::string> members, fields;
  size_t i = 0;
  for (const auto* half : {&schema.hash, &schema.range}) {
    for (const KeyAttribute& attribute : *half) {
      const size_t at = key.size() == 1 ? 0 : i;
      ++i;
      if (at >= key.size()) return;
      const auto text = key_text(key[at], attribute.type, entity);
      if (!text) {
        out += fmt::format("    // {}: contains a digest; compute this key yourself.\n", name);
        return;
      }
      members.push_back(fmt::format("{}: {}", typescript_member(attribute.name), *text));
      for (const std::string& field : key[at].fields()) {
        const Field* typed = entity.field(field);
        const bool number = typed == nullptr || is_numeric(typed->type);
        std::string declaration = fmt::format("{}: {}", field, number ? "number" : "string");
        if (std::ranges::find(fields, declaration) == fields.end()) fields.push_back(std::move(declaration));
      }
    }
  }
  const std::string takes = fields.empty() ? "" : fmt::format("of: {{ {} }}", fmt::join(fields, "; "));
  out += fmt::format("    {}: ({}) => ({{ {} }}),\n", typescript_member(name), takes, fmt::join(members, ", "));
}

}  // namespace

std::string typescript_member(std::string_view name) {
  const bool plain =
      !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 && std::ranges::all_of(name, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
      });
  return plain ? std::string(name) : json_quoted(name);
}

std::string typescript_keys(const Design& design) {
  std::string out = "\n/** The table names, by name in the design. */\nexport const tables = {\n";
  for (const Table& table : design.tables)
    out += fmt::format("  {}: {},\n", typescript_member(table.name), json_quoted(table.name));
  out += "} as const;\n\n/** Render the keys of items, index entries and guards. */\n";
  out += "export const keys = {\n";
  for (const Entity& entity : design.entities) {
    const Table* table = design.table(entity.table);
    if (table == nullptr) continue;
    out += fmt::format("  {}: {{\n", typescript_member(entity.name));
    append_builder(out, entity, "item", table->key, entity.key);
    for (const IndexEntry& entry : entity.index) {
      const Index* index = table->index(entry.index);
      if (index != nullptr) append_builder(out, entity, entry.name, index->key, entry.key);
    }
    for (const Guard& guard : entity.unique) {
      if (entity.entry(guard.name) == nullptr) append_builder(out, entity, guard.name, table->key, guard.key);
    }
    out += "  },\n";
  }
  out += "};\n";
  std::string helpers;
  if (out.find("asciiLower(") != std::string::npos) helpers += kAsciiLower;
  if (out.find("escapeKey(") != std::string::npos) helpers += kEscapeKey;
  return (helpers.empty() ? "" : "\n" + helpers) + out;
}

}  // namespace trestle::design
