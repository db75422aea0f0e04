#include "design/export/export_terraform.h"

#include <fmt/format.h>

#include <cctype>

#include "base/json/json_writer.h"
#include "design/language/stream_view.h"
#include "design/plan/stored_attributes.h"

namespace trestle::design {
namespace {

// Adds HCL's escapes to those of JSON: "${" and "%{" begin a template.
std::string hcl_quoted(std::string_view text) {
  std::string out;
  const std::string json = json_quoted(text);
  for (size_t i = 0; i < json.size(); ++i) {
    out.push_back(json[i]);
    if ((json[i] == '$' || json[i] == '%') && i + 1 < json.size() && json[i + 1] == '{') out.push_back(json[i]);
  }
  return out;
}

// An HCL block: arguments with aligned equals signs, then nested blocks, each after an empty line.
struct Block {
  std::string head;
  std::vector<std::pair<std::string, std::string>> arguments;
  std::vector<Block> blocks = {};

  std::string text(size_t depth) const {
    const std::string margin(depth * 2, ' ');
    std::string out = margin + head + " {\n";
    size_t width = 0;
    for (const auto& [name, value] : arguments) width = std::max(width, name.size());
    for (const auto& [name, value] : arguments) out += fmt::format("{}  {:<{}} = {}\n", margin, name, width, value);
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (i > 0 || !arguments.empty()) out += "\n";
      out += blocks[i].text(depth + 1);
    }
    return out + margin + "}\n";
  }
};

std::string label(const Design& design, const Table& table) {
  const auto plain = [](std::string_view name) {
    std::string out;
    for (const char c : name) {
      const auto byte = static_cast<unsigned char>(c);
      out.push_back(std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '_');
    }
    return out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0 ? "table_" + out : out;
  };
  const std::string name = plain(table.name);
  size_t same_before = 0;
  for (const Table& other : design.tables) {
    if (other.name == table.name) break;
    if (plain(other.name) == name) ++same_before;
  }
  return same_before == 0 ? name : fmt::format("{}_{}", name, same_before + 1);
}

void add_projection(const Projection& projection, Block& block) {
  if (projection.type == ProjectionType::kInclude) {
    std::vector<std::string> attributes;
    for (const std::string& name : projection.non_key_attributes) attributes.push_back(hcl_quoted(name));
    block.arguments.emplace_back("projection_type", "\"INCLUDE\"");
    block.arguments.emplace_back("non_key_attributes", fmt::format("[{}]", fmt::join(attributes, ", ")));
  } else {
    block.arguments.emplace_back("projection_type",
                                 projection.type == ProjectionType::kAll ? "\"ALL\"" : "\"KEYS_ONLY\"");
  }
}

Block index_block(const Table& table, const Index& index) {
  Block block{.head = index.local ? "local_secondary_index" : "global_secondary_index",
              .arguments = {{"name", hcl_quoted(index.name)}}};
  if (index.local) {
    if (!index.key.range.empty()) block.arguments.emplace_back("range_key", hcl_quoted(index.key.range[0].name));
    add_projection(index.projection, block);
    return block;
  }
  add_projection(index.projection, block);
  if (table.billing == BillingMode::kProvisioned) {
    block.arguments.emplace_back("read_capacity", std::to_string(table.throughput.read_units));
    block.arguments.emplace_back("write_capacity", std::to_string(table.throughput.write_units));
  }
  const auto add_keys = [&](const std::vector<KeyAttribute>& half, std::string_view kind) {
    for (const KeyAttribute& attribute : half) {
      block.blocks.push_back(
          {.head = "key_schema",
           .arguments = {{"attribute_name", hcl_quoted(attribute.name)}, {"key_type", hcl_quoted(kind)}}});
    }
  };
  add_keys(index.key.hash, "HASH");
  add_keys(index.key.range, "RANGE");
  return block;
}

std::string name_variable(const Design& design, const Table& table) {
  return table.parameter.empty() ? label(design, table) + "_name" : table.parameter;
}

Block table_block(const Design& design, const Table& table) {
  Block block{.head = fmt::format("resource \"aws_dynamodb_table\" \"{}\"", label(design, table)),
              .arguments = {{"name", "var." + name_variable(design, table)}}};
  auto& arguments = block.arguments;
  if (table.billing == BillingMode::kProvisioned) {
    arguments.emplace_back("billing_mode", "\"PROVISIONED\"");
    arguments.emplace_back("read_capacity", std::to_string(table.throughput.read_units));
    arguments.emplace_back("write_capacity", std::to_string(table.throughput.write_units));
  } else {
    arguments.emplace_back("billing_mode", "\"PAY_PER_REQUEST\"");
  }
  for (const KeyAttribute& attribute : table.key.hash) arguments.emplace_back("hash_key", hcl_quoted(attribute.name));
  for (const KeyAttribute& attribute : table.key.range) arguments.emplace_back("range_key", hcl_quoted(attribute.name));
  if (table.stream) {
    arguments.emplace_back("stream_enabled", "true");
    arguments.emplace_back("stream_view_type", hcl_quoted(stream_view(*table.stream)));
  }
  arguments.emplace_back("deletion_protection_enabled", table.deletion_protection ? "true" : "false");
  if (table.infrequent_access) arguments.emplace_back("table_class", "\"STANDARD_INFREQUENT_ACCESS\"");
  for (const KeyAttribute& attribute : key_attributes(table)) {
    block.blocks.push_back(
        {.head = "attribute",
         .arguments = {{"name", hcl_quoted(attribute.name)}, {"type", hcl_quoted(type_name(attribute.type))}}});
  }
  for (const Index& index : table.indexes) block.blocks.push_back(index_block(table, index));
  if (!table.ttl_attribute.empty()) {
    block.blocks.push_back(
        {.head = "ttl", .arguments = {{"attribute_name", hcl_quoted(table.ttl_attribute)}, {"enabled", "true"}}});
  }
  block.blocks.push_back(
      {.head = "point_in_time_recovery", .arguments = {{"enabled", table.recovery ? "true" : "false"}}});
  if (!table.encryption.empty()) {
    Block sse{.head = "server_side_encryption", .arguments = {{"enabled", "true"}}};
    if (table.encryption != "kms") sse.arguments.emplace_back("kms_key_arn", hcl_quoted(table.encryption));
    block.blocks.push_back(std::move(sse));
  }
  if (!table.tags.empty()) {
    Block tags{.head = "tags =", .arguments = {}};
    for (const auto& [key, value] : table.tags) tags.arguments.emplace_back(hcl_quoted(key), hcl_quoted(value));
    block.blocks.push_back(std::move(tags));
  }
  return block;
}

}  // namespace

Exported export_terraform(const Design& design) {
  std::string out = fmt::format("# The tables of design {}, version {}. Generated by `trestle design export`.\n",
                                design.name, design.version);
  // `key_schema` of an index, the only way to declare several key attributes, was added in version 6.29. Before 6.37,
  // removing an index also removed the others.
  const Block providers{
      .head = "required_providers",
      .arguments = {},
      .blocks = {{.head = "aws =", .arguments = {{"source", "\"hashicorp/aws\""}, {"version", "\">= 6.37\""}}}}};
  out += Block{.head = "terraform", .arguments = {}, .blocks = {providers}}.text(0) + "\n";
  for (const Table& table : design.tables) {
    const std::string name = label(design, table);
    out += Block{.head = fmt::format("variable \"{}\"", name_variable(design, table)),
                 .arguments = {{"type", "string"},
                               {"default", hcl_quoted(table.name)},
                               {"description", hcl_quoted("The name of the table " + table.name)}}}
               .text(0);
    out += "\n" + table_block(design, table).text(0);
    out += "\n" + Block{.head = fmt::format("output \"{}_arn\"", name),
                        .arguments = {{"value", fmt::format("aws_dynamodb_table.{}.arn", name)}}}
                      .text(0);
    if (table.stream) {
      out += "\n" + Block{.head = fmt::format("output \"{}_stream_arn\"", name),
                          .arguments = {{"value", fmt::format("aws_dynamodb_table.{}.stream_arn", name)}}}
                        .text(0);
    }
  }
  return {.text = std::move(out), .notes = {}};
}

}  // namespace trestle::design
