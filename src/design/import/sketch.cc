#include "design/import/sketch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <istream>
#include <ostream>
#include <set>

#include "base/ascii.h"
#include "design/import/draft.h"
#include "design/language/word.h"

namespace trestle::design {
namespace {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (const auto word = trim(text.substr(0, comma)); !word.empty()) out.emplace_back(word);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

bool is_name(std::string_view text) {
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text[0])) == 0) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

SketchEntity* find(Sketch& sketch, std::string_view name) {
  for (SketchEntity& entity : sketch.entities) {
    if (entity.name == name) return &entity;
  }
  return nullptr;
}
const SketchEntity* find(const Sketch& sketch, std::string_view name) {
  return find(const_cast<Sketch&>(sketch), name);
}

std::string field_name(std::string_view field) { return std::string(trim(field.substr(0, field.find(':')))); }

// The declared type of a field, or a type guessed from its name: email, createdAt, price.
std::string field_type(std::string_view field) {
  if (const size_t colon = field.find(':'); colon != std::string_view::npos)
    return std::string(trim(field.substr(colon + 1)));
  const std::string name = lower(field);
  const auto ends = [&](std::string_view end) { return name.ends_with(end); };
  if (ends("email")) return "email";
  if (ends("phone")) return "e164";
  if (ends("url")) return "url";
  if (name == "createdat" || name == "created_at") return "time auto";
  if (name == "updatedat" || name == "updated_at") return "time touch";
  if (ends("_at") || (field.ends_with("At") && name.size() > 2) || ends("time")) return "time";
  if (ends("date")) return "date";
  if (ends("price") || ends("amount") || ends("total")) return "money";
  if (ends("count") || ends("quantity")) return "int(0..)";
  if (name == "status") return "enum(active, inactive) = active";
  return "string(1..200)";
}

// Like field_type(), but for a field in a key: no value may contain the delimiter.
std::string key_field_type(std::string_view field) {
  const std::string type = field_type(field);
  return type == "string(1..200)" ? "string([0-9A-Za-z._-], 1..64)" : type;
}

std::string upper(std::string text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (i > 0 && std::isupper(c) != 0 && std::islower(static_cast<unsigned char>(text[i - 1])) != 0) out.push_back('_');
    out.push_back(static_cast<char>(std::toupper(c)));
  }
  return out;
}

Result<std::pair<SketchEntity*, std::string>> entity_and_field(Sketch& sketch, std::string_view text,
                                                               std::string_view what) {
  const size_t dot = text.find('.');
  SketchEntity* entity = dot == std::string_view::npos ? nullptr : find(sketch, trim(text.substr(0, dot)));
  const std::string field(dot == std::string_view::npos ? "" : trim(text.substr(dot + 1)));
  if (entity == nullptr || !is_name(field))
    return invalid(
        fmt::format("`{}`: {} must be written Entity.field, where the entity has already been named", text, what));
  const bool known = field == entity->id ||
                     std::any_of(entity->fields.begin(), entity->fields.end(),
                                 [&](const std::string& known_field) { return field_name(known_field) == field; });
  if (!known) entity->fields.push_back(field);
  return std::pair(entity, field);
}

}  // namespace

Result<void> add_entity(Sketch& sketch, std::string_view text) {
  const size_t colon = std::min(text.find(':'), text.size());
  SketchEntity entity{.name = std::string(trim(text.substr(0, colon)))};
  if (!is_name(entity.name))
    return invalid(
        fmt::format("`{}` is not a valid entity name: use letters and digits, beginning with a letter", entity.name));
  if (find(sketch, entity.name) != nullptr) return invalid(fmt::format("there are two entities named {}", entity.name));
  entity.id = lower_first(entity.name) + "Id";
  for (std::string& field : words(text.substr(std::min(colon + 1, text.size())))) {
    const std::string name = field_name(field);
    if (!is_name(name)) return invalid(fmt::format("`{}` is not a valid field name", name));
    const bool twice = name == entity.id ||
                       std::any_of(entity.fields.begin(), entity.fields.end(),
                                   [&](const std::string& known_field) { return field_name(known_field) == name; });
    if (!twice) entity.fields.push_back(std::move(field));
  }
  sketch.entities.push_back(std::move(entity));
  return {};
}

Result<void> add_relation(Sketch& sketch, std::string_view text) {
  const size_t colon = text.find(':');
  SketchEntity* child = colon == std::string_view::npos ? nullptr : find(sketch, trim(text.substr(0, colon)));
  const SketchEntity* parent = colon == std::string_view::npos ? nullptr : find(sketch, trim(text.substr(colon + 1)));
  if (child == nullptr || parent == nullptr || child == parent)
    return invalid(fmt::format(
        "`{}`: a relation must be written Child:Parent, where both entities have already been named", text));
  for (const SketchEntity* above = parent; above != nullptr;
       above = above->parent.empty() ? nullptr : find(sketch, above->parent)) {
    if (above == child) return invalid(fmt::format("`{}` creates a cycle", text));
  }
  child->parent = parent->name;
  return {};
}

Result<void> add_unique(Sketch& sketch, std::string_view text) {
  TRY_INTO(auto found, entity_and_field(sketch, text, "a unique field"));
  auto& list = found.first->unique;
  if (found.second != found.first->id && std::find(list.begin(), list.end(), found.second) == list.end())
    list.push_back(found.second);
  return {};
}

Result<void> add_listing(Sketch& sketch, std::string_view text) {
  TRY_INTO(auto found, entity_and_field(sketch, text, "a field to list by"));
  auto& list = found.first->list_by;
  if (found.second != found.first->id && std::find(list.begin(), list.end(), found.second) == list.end())
    list.push_back(found.second);
  return {};
}

Result<void> ask(Sketch& sketch, std::istream& in, std::ostream& out) {
  const auto line = [&](std::string_view question) {
    out << question << " " << std::flush;
    std::string text;
    std::getline(in, text);
    return std::string(trim(text));
  };
  while (sketch.name.empty() && in) sketch.name = line("What is the design called?");
  if (sketch.entities.empty()) {
    sketch.several_tables =
        line("One table for all entities (one), or one table per entity (several)? [one]").starts_with('s');
    const auto every = [&](std::string_view question, auto&& add) {
      for (std::string answer = line(question); !answer.empty(); answer = line("Another? (empty: no more)")) {
        if (auto added = add(sketch, answer); !added.has_value()) out << added.error().message << "\n";
      }
    };
    every("Which entities are stored? Enter one with its fields, such as `User: email, name` (empty: no more)",
          add_entity);
    every("Which entities belong to another? `Order: User` means that each order belongs to one user (empty: none)",
          add_relation);
    every("Which fields must be unique? For example `User.email` (empty: none)", add_unique);
    every("By which fields are items listed? For example `Order.status` (empty: none)", add_listing);
  }
  if (sketch.name.empty()) return invalid("a design needs a name");
  if (sketch.entities.empty()) return invalid("a design needs at least one entity");
  return {};
}

// DynamoDB requires table names of at least three characters.
static std::string table_name(const std::string& name) { return name.size() < 3 ? name + "-table" : name; }

std::string sketch_text(const Sketch& sketch) {
  Draft draft;
  draft.name = sketch.name;
  draft.comments = {
      "A first sketch: change names and types, then run `trestle design check`. docs/designs.md describes every word."};
  size_t indexes = 0;
  const auto table_of = [&](const SketchEntity& entity) {
    return sketch.several_tables ? table_name(plain_name(entity.name)) : table_name(sketch.name);
  };
  const auto add_table = [&](const std::string& name) {
    draft.tables.push_back({.name = name,
                            .comments = {},
                            .key = {"PK", "SK"},
                            .type = "Type",
                            .ttl = "",
                            .billing = "on-demand",
                            .stream = "",
                            .indexes = {}});
  };
  if (!sketch.several_tables) add_table(table_name(sketch.name));
  // The entities of a table share its indexes GSI1, GSI2, ...
  for (const SketchEntity& entity : sketch.entities) {
    if (sketch.several_tables) add_table(table_of(entity));
    DraftTable& table = draft.tables.back();
    const std::string prefix = upper(entity.name);
    DraftEntity result{.name = entity.name, .table = table.name};
    const SketchEntity* parent = entity.parent.empty() ? nullptr : find(sketch, entity.parent);
    std::string own = fmt::format("{}#{{{}}}", prefix, entity.id);
    if (parent != nullptr)
      result.key = {fmt::format("{}#{{{}}}", upper(parent->name), parent->id), own};
    else
      result.key = {own, own};
    std::set<std::string> in_key(entity.list_by.begin(), entity.list_by.end());
    in_key.insert(entity.unique.begin(), entity.unique.end());
    result.fields.push_back({entity.id, "ulid auto", {}});
    if (parent != nullptr) result.fields.push_back({parent->id, "ulid", {}});
    for (const std::string& field : entity.fields) {
      const std::string name = field_name(field);
      if (result.field(name) == nullptr)
        result.fields.push_back({name, in_key.contains(name) ? key_field_type(field) : field_type(field), {}});
    }
    indexes = 0;
    for (const std::string& field : entity.list_by) {
      const std::string on = fmt::format("GSI{}", ++indexes);
      const bool exists = std::any_of(table.indexes.begin(), table.indexes.end(),
                                      [&](const DraftIndex& index) { return index.name == on; });
      if (!exists)
        table.indexes.push_back({.name = on, .local = false, .hash = {on + "PK"}, .range = {on + "SK"}, .project = ""});
      result.index.push_back({.name = "by" + upper_first(field),
                              .on = on,
                              .key = {fmt::format("{}_{}#{{{}}}", prefix, upper(field), field), own},
                              .one = false,
                              .comment = {}});
    }
    for (const std::string& field : entity.unique)
      result.unique.emplace_back(field,
                                 std::vector<std::string>{fmt::format("{}_{}#{{{}}}", prefix, upper(field), field)});
    draft.entities.push_back(std::move(result));
  }
  add_usual_operations(draft);
  return draft_text(draft);
}

}  // namespace trestle::design
