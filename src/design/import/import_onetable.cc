#include "design/import/import_onetable.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/ascii.h"
#include "design/import/draft.h"
#include "design/language/source.h"
#include "design/language/template.h"

namespace trestle::design {
namespace {

bool is_true(const Node* node) { return node != nullptr && node->text == "true"; }

struct SchemaIndex {
  std::string name;
  bool local = false;
  std::vector<std::string> key;  // partition, then sort if any
  std::string project;
};

// Converts "user#${email}" to "user#{email}" and "${n:6:0}" to "{n:06}", and replaces the type field by the model's
// name. Returns nothing, with a reason in `why`, if a template cannot express it.
std::optional<std::string> template_of(const std::string& value, const std::string& model,
                                       const std::string& type_field, std::string& why) {
  std::string out;
  for (size_t at = 0; at < value.size();) {
    if (!value.substr(at).starts_with("${")) {
      out.push_back(value[at]);
      if (value[at] == '{' || value[at] == '}') out.push_back(value[at]);
      ++at;
      continue;
    }
    const size_t end = value.find('}', at);
    if (end == std::string::npos) {
      why = "it has no closing brace";
      return std::nullopt;
    }
    const std::string inside = value.substr(at + 2, end - at - 2);
    at = end + 1;
    const size_t colon = inside.find(':');
    const std::string name = inside.substr(0, colon);
    if (name == type_field) {
      out += model;
      continue;
    }
    if (name.find('.') != std::string::npos) {
      why = fmt::format("{} is a part of a field", name);
      return std::nullopt;
    }
    if (colon == std::string::npos) {
      out += fmt::format("{{{}}}", name);
      continue;
    }
    const std::string padding = inside.substr(colon + 1);
    const std::string width = padding.substr(0, padding.find(':'));
    const std::string pad = padding.find(':') == std::string::npos ? "0" : padding.substr(padding.find(':') + 1);
    if (pad != "0" || width.empty() || width.find_first_not_of("0123456789") != std::string::npos) {
      why = fmt::format("it pads {} with something other than 0", name);
      return std::nullopt;
    }
    out += fmt::format("{{{}:0{}}}", name, width);
  }
  return out;
}

std::vector<SchemaIndex> read_indexes(const Node& node, std::vector<std::string>& comments) {
  std::vector<SchemaIndex> out;
  const Node* primary = node.find("primary");
  for (const Entry& entry : node.entries) {
    SchemaIndex index{.name = entry.key, .local = text_of(entry.value.find("type")) == "local"};
    std::string hash = text_of(entry.value.find("hash"));
    if (hash.empty() && index.local && primary != nullptr) hash = text_of(primary->find("hash"));
    if (hash.empty()) continue;
    index.key.push_back(hash);
    if (const Node* sort = entry.value.find("sort"); sort != nullptr && !sort->text.empty())
      index.key.push_back(sort->text);
    if (const Node* project = entry.value.find("project")) {
      if (project->kind == Node::Kind::kList) {
        std::vector<std::string> names;
        for (const Node& item : project->items) names.push_back(yaml_scalar(item.text));
        index.project = fmt::format("[{}]", fmt::join(names, ", "));
      } else if (project->text == "keys") {
        index.project = "keys";
      }
    }
    if (is_true(entry.value.find("follow")))
      comments.push_back(fmt::format(
          "Index {}: `follow` was dropped, because every read follows an index that lacks a field.", entry.key));
    out.push_back(std::move(index));
  }
  // The primary index comes first.
  std::stable_partition(out.begin(), out.end(), [](const SchemaIndex& index) { return index.name == "primary"; });
  return out;
}

class ModelReader {
 public:
  ModelReader(const Entry& model, const std::vector<SchemaIndex>& indexes, const Node* params)
      : model_(model), indexes_(indexes) {
    const auto param = [&](const char* name) { return params == nullptr ? nullptr : params->find(name); };
    type_field_ = text_of(param("typeField"));
    if (type_field_.empty()) type_field_ = "_type";
    iso_dates_ = is_true(param("isoDates"));
    const Node* timestamps = param("timestamps");
    creates_ = timestamps != nullptr && (timestamps->text == "true" || timestamps->text == "create");
    updates_ = timestamps != nullptr && (timestamps->text == "true" || timestamps->text == "update");
    created_field_ = text_of(param("createdField")).empty() ? "created" : text_of(param("createdField"));
    updated_field_ = text_of(param("updatedField")).empty() ? "updated" : text_of(param("updatedField"));
  }

  DraftEntity make(const std::string& table, std::string& ttl_attribute) {
    entity_.name = plain_name(model_.key);
    entity_.table = table;
    for (const std::string& attribute : indexes_[0].key) entity_.key.push_back(key_template(attribute, "the key"));
    for (size_t i = 1; i < indexes_.size(); ++i) add_entry(indexes_[i]);
    for (const Entry& field : model_.value.entries) add_field(field, ttl_attribute);
    const std::string time = iso_dates_ ? "time(ms)" : "epoch(ms)";
    if (creates_ && entity_.field(created_field_) == nullptr)
      entity_.fields.push_back({created_field_, time + " auto", {}});
    if (updates_ && entity_.field(updated_field_) == nullptr)
      entity_.fields.push_back({updated_field_, time + " touch", {}});
    declare_missing();
    return std::move(entity_);
  }

 private:
  // The template of a key attribute: its value template, or the field itself.
  std::string key_template(const std::string& attribute, std::string_view where) {
    const Node* field = model_.value.find(attribute);
    const Node* value = field == nullptr ? nullptr : field->find("value");
    if (value == nullptr) return fmt::format("{{{}}}", attribute);
    std::string why;
    if (const auto result = template_of(value->text, model_.key, type_field_, why)) {
      Findings findings;
      if (parse_template(*result, {}, findings) && findings.empty()) {
        templated_.insert(attribute);
        return *result;
      }
      why = "it is not a valid template";
    }
    entity_.comments.push_back(
        fmt::format("{} in {}: `{}` could not be converted: {}.", attribute, where, value->text, why));
    return fmt::format("{{{}}}", attribute);
  }
  void add_entry(const SchemaIndex& index) {
    DraftEntry entry{.name = lower_first(plain_name(index.name)), .on = index.name};
    for (size_t i = 0; i < index.key.size(); ++i) {
      const auto primary = std::find(indexes_[0].key.begin(), indexes_[0].key.end(), index.key[i]);
      if (primary != indexes_[0].key.end()) {
        entry.key.push_back(entity_.key[static_cast<size_t>(primary - indexes_[0].key.begin())]);
      } else if (model_.value.find(index.key[i]) == nullptr) {
        return;  // the model is not in this index
      } else {
        entry.key.push_back(key_template(index.key[i], index.name));
      }
    }
    entity_.index.push_back(std::move(entry));
  }

  std::string type_text(const std::string& name, const Node& field, bool in_key) {
    std::string result = text_of(field.find("generate"));
    if (result.empty()) result = text_of(field.find("uuid"));
    const std::string type = lower(text_of(field.find("type")));
    if (const Node* values = field.find("enum"); values != nullptr && values->kind == Node::Kind::kList) {
      std::vector<std::string> texts;
      for (const Node& value : values->items) texts.push_back(value.text);
      return fmt::format("enum({})", fmt::join(texts, ", "));
    }
    if (result == "ulid") return "ulid auto";
    if (result == "uuid" || result == "true") return "uuid auto";
    if (result.starts_with("uid")) return "token(16) auto";
    if (type == "number") return in_key ? "int" : "number";
    if (type == "boolean") return "bool";
    // OneTable stores the TTL in Unix seconds, whatever the format of other dates.
    if (is_true(field.find("ttl"))) return "epoch";
    if (type == "date") return is_true(field.find("isoDates")) || iso_dates_ ? "time(ms)" : "epoch(ms)";
    if (type == "set") return "set<string>";
    if (type == "array") {
      const Node* items = field.find("items");
      const std::string element = items == nullptr ? "" : lower(text_of(items->find("type")));
      return element == "string"    ? "list<string>"
             : element == "number"  ? "list<number>"
             : element == "boolean" ? "list<bool>"
                                    : "list<any>";
    }
    if (type == "object") return "any";
    if (type == "binary" || type == "buffer" || type == "arraybuffer") return "binary";
    (void)name;
    return in_key ? "string([0-9A-Za-z@._-], 1..128)" : "string";
  }

  std::set<std::string> key_fields() const {
    std::set<std::string> out;
    const auto note = [&](const std::string& text) {
      Findings ignored;
      if (const auto key = parse_template(text, {}, ignored)) {
        for (const std::string& field : key->fields()) out.insert(field);
      }
    };
    for (const std::string& key : entity_.key) note(key);
    for (const DraftEntry& entry : entity_.index) {
      for (const std::string& key : entry.key) note(key);
    }
    return out;
  }

  void add_field(const Entry& entry, std::string& ttl_attribute) {
    const Node& field = entry.value;
    if (templated_.contains(entry.key) || entry.key == type_field_) return;
    const auto in_key = key_fields();
    if (const Node* value = field.find("value"); value != nullptr && !in_key.contains(entry.key)) {
      entity_.comments.push_back(fmt::format("OneTable computed {} from `{}` on every write; here callers supply it.",
                                             entry.key, value->text));
    }
    DraftField result{.name = entry.key, .type = type_text(entry.key, field, in_key.contains(entry.key))};
    std::vector<std::string> lost;
    if (const Node* map = field.find("map")) lost.push_back(fmt::format("it was stored in attribute {}", map->text));
    if (const Node* validate = field.find("validate"))
      lost.push_back(fmt::format("it had to match {}", validate->text));
    if (const Node* scope = field.find("scope")) lost.push_back(fmt::format("it was unique within {}", scope->text));
    if (field.find("schema") != nullptr) lost.push_back("it had its own schema");
    if (is_true(field.find("ttl"))) {
      ttl_attribute = entry.key;
      lost.emplace_back("it is the table's TTL");
    }
    const Node* fallback = field.find("default");
    const bool automatic = result.type.ends_with(" auto");
    if (is_true(field.find("crypt"))) result.type += " encrypted";
    if (is_true(field.find("hidden")) && !in_key.contains(entry.key))
      lost.emplace_back("it was hidden from answers: use `secret` for that");
    if (fallback != nullptr && fallback->kind == Node::Kind::kScalar && !automatic) {
      const bool plain =
          result.type == "number" || result.type == "int" || result.type == "bool" || result.type.starts_with("enum");
      result.type += plain ? fmt::format(" = {}", fallback->text) : fmt::format(" = '{}'", fallback->text);
    } else if (!is_true(field.find("required")) && !automatic && !in_key.contains(entry.key)) {
      result.type += " optional";
    }
    if (is_true(field.find("unique"))) add_guard(entry.key);
    result.comment = fmt::format("{}", fmt::join(lost, "; "));
    entity_.fields.push_back(std::move(result));
  }
  void add_guard(const std::string& field) {
    std::vector<std::string> key = {fmt::format("_unique#{}#{}#{{{}}}", model_.key, field, field)};
    if (indexes_[0].key.size() > 1) key.emplace_back("_unique#");
    entity_.unique.emplace_back(field, std::move(key));
  }
  // Declares fields that templates use but the model does not declare.
  void declare_missing() {
    for (const std::string& name : key_fields()) {
      if (entity_.field(name) == nullptr)
        entity_.fields.push_back(
            {name, "string([0-9A-Za-z@._-], 1..128)", "used in a key, but not declared by the model"});
    }
  }

  const Entry& model_;
  const std::vector<SchemaIndex>& indexes_;
  std::string type_field_;
  std::string created_field_;
  std::string updated_field_;
  bool iso_dates_ = false;
  bool creates_ = false;
  bool updates_ = false;
  std::set<std::string> templated_;  // key attributes that are rendered from a template
  DraftEntity entity_;
};

}  // namespace

Result<std::string> import_onetable(std::string_view schema) {
  // Accept `export default {...}` and `const Schema = {...};`.
  const size_t open = schema.find('{');
  const size_t close = schema.rfind('}');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return invalid("not a OneTable schema: there is no object");
  Findings findings;
  const auto source = read_source(schema.substr(open, close - open + 1), findings);
  if (!source || !findings.empty())
    return invalid("not a OneTable schema as JSON: " + (findings.empty() ? "" : findings.list()[0].message));
  const Node* indexes = source->root.find("indexes");
  const Node* models = source->root.find("models");
  if (indexes == nullptr || models == nullptr || indexes->find("primary") == nullptr)
    return invalid("not a OneTable schema: `indexes.primary` and `models` are missing");
  Draft draft;
  draft.comments = {"Imported from a OneTable schema. Run `trestle design check` to find what needs attention."};
  const auto read = read_indexes(*indexes, draft.comments);
  if (read.empty() || read[0].name != "primary")
    return invalid("not a OneTable schema: `indexes.primary` has no `hash`");
  draft.name = plain_name(text_of(source->root.find("name")).empty() ? "imported" : text_of(source->root.find("name")));
  draft.about = text_of(source->root.find("description"));
  const Node* params = source->root.find("params");
  DraftTable table{.name = draft.name,
                   .comments = {"A OneTable schema does not contain the table's name."},
                   .key = read[0].key,
                   .billing = "on-demand"};
  const std::string type_field = params == nullptr ? "" : text_of(params->find("typeField"));
  table.type = type_field.empty() ? "_type" : type_field;
  for (size_t i = 1; i < read.size(); ++i) {
    DraftIndex index{
        .name = read[i].name, .local = read[i].local, .hash = {read[i].key[0]}, .project = read[i].project};
    if (read[i].key.size() > 1) index.range = {read[i].key[1]};
    table.indexes.push_back(std::move(index));
  }
  for (const Entry& model : models->entries) {
    if (model.value.kind == Node::Kind::kMap)
      draft.entities.push_back(ModelReader(model, read, params).make(table.name, table.ttl));
  }
  if (!table.ttl.empty())
    table.comments.push_back(
        "Declare on the entities when they expire (`ttl: created + 30d`); in OneTable the attribute was a field.");
  draft.tables.push_back(std::move(table));
  add_usual_operations(draft);
  return draft_text(draft);
}

}  // namespace trestle::design
