// Reads types, entities and their fields.
#include <fmt/format.h>

#include "base/contains.h"
#include "design/language/reader_impl.h"

namespace trestle::design {

std::optional<FieldType> Reader::type_named(std::string_view name) {
  // `counter` and `revision` are integers; read_field() sets their flags.
  if (name == "counter" || name == "revision") return FieldType{.base = BaseType::kInt, .min = 0};
  if (const NamedRecord* type = design_.type(name)) {
    // An alias is stored as a record with one unnamed field.
    if (type->fields.size() == 1 && type->fields[0].name.empty()) return type->fields[0].type;
    return FieldType{.base = BaseType::kRecord, .record = std::string(name)};
  }
  // `Entity.field`, used in `takes`.
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const Entity* entity = design_.entity(name.substr(0, dot));
  const Field* field = entity == nullptr ? nullptr : entity->field(name.substr(dot + 1));
  return field == nullptr ? std::nullopt : std::optional(input_type(*field));
}

// `name: type modifiers = default`.
std::optional<Field> Reader::read_field(const Entry& entry) {
  Field field{.name = entry.key, .place = entry.place};
  if (entry.value.kind != Node::Kind::kScalar) {
    const bool record = entry.value.kind == Node::Kind::kMap;
    wrong(entry.value, fmt::format("field `{}`", entry.key),
          record ? "the name of a type (a record is declared under `types`)"
                 : "a type such as `ulid auto` or `string(1..64) optional`");
    return std::nullopt;
  }
  const Place place = entry.value.place;
  std::string_view rest = entry.value.text;
  if (rest.starts_with("min<") || rest.starts_with("max<")) {
    field.extreme = rest.starts_with("min<") ? Field::Extreme::kMin : Field::Extreme::kMax;
    rest.remove_prefix(4);
  }
  field.counter = rest.starts_with("counter");
  field.revision = rest.starts_with("revision");
  auto type = take_type(rest, place, [&](std::string_view name) { return type_named(name); }, findings_);
  if (!type) return std::nullopt;
  field.type = std::move(*type);
  if (field.extreme != Field::Extreme::kNone && rest.starts_with('>')) rest.remove_prefix(1);
  static const std::vector<std::string> kModifiers = {"optional", "auto",   "touch",     "immutable", "id",
                                                      "few",      "secret", "encrypted", "of"};
  while (!rest.empty()) {
    if (rest.front() == ' ') {
      rest.remove_prefix(1);
      continue;
    }
    if (rest.front() == '=') {
      field.default_value = parse_expression(rest.substr(1), place, findings_);
      break;
    }
    const size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end);
    if (word == "optional")
      field.optional = true;
    else if (word == "auto")
      field.automatic = true;
    else if (word == "touch")
      field.touched = field.automatic = true;
    else if (word == "immutable")
      field.immutable = true;
    else if (word == "id")
      field.identifier = true;
    else if (word == "few")
      field.few = true;
    else if (word == "secret")
      field.secret = true;
    else if (word == "encrypted")
      field.encrypted = true;
    else if (word == "of" && field.type.base == BaseType::kSha256) {
      while (rest.starts_with(' ')) rest.remove_prefix(1);
      const size_t stop = std::min(rest.find(' '), rest.size());
      field.sha256_of = rest.substr(0, stop);
      rest.remove_prefix(stop);
    } else {
      findings_.mistake("T003", place,
                        fmt::format("`{}` is not a field modifier{}", word, did_you_mean(word, kModifiers)),
                        fmt::format("one of: {}, or `= default`", fmt::join(kModifiers, ", ")));
    }
  }
  // `= ulid()`: an id that is generated unless the caller supplies it.
  if (field.default_value && field.default_value->is(Expression::Kind::kCall) &&
      (field.default_value->text == "ulid" || field.default_value->text == "uuid"))
    field.identifier = true;
  return field;
}

void Reader::read_types(const Node& node) {
  if (!map(node, "types")) return;
  for (const Entry& entry : node.entries) {
    NamedRecord record{.name = entry.key, .place = entry.place};
    if (entry.value.kind == Node::Kind::kMap) {
      for (const Entry& member : entry.value.entries) {
        if (auto field = read_field(member)) record.fields.push_back(std::move(*field));
      }
    } else if (auto field = read_field({.key = "", .place = entry.place, .value = entry.value})) {
      record.fields.push_back(std::move(*field));
    }
    design_.types.push_back(std::move(record));
  }
}

std::pair<std::string, std::string> Reader::dotted(const Node* node, std::string_view what) {
  const std::string name = text(node, what);
  const size_t dot = name.find('.');
  if (node != nullptr && (dot == std::string::npos || dot == 0 || dot + 1 == name.size()))
    wrong(*node, what, "Entity.field");
  if (dot == std::string::npos) return {name, ""};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

void Reader::read_entries(const Node& node, Entity& entity) {
  if (!map(node, "index")) return;
  for (const Entry& entry : node.entries) {
    if (!object(entry.value, "entry")) continue;
    IndexEntry result{.name = entry.key, .place = entry.place};
    result.index = text(entry.value.find("on"), "on");
    if (const Node* key = entry.value.find("key")) result.key = templates(*key);
    result.condition = expression(entry.value.find("if"));
    result.one = boolean(entry.value.find("one"), "one");
    entity.index.push_back(std::move(result));
  }
}

void Reader::read_guards(const Node& node, Entity& entity) {
  if (!map(node, "unique")) return;
  for (const Entry& entry : node.entries) {
    Guard guard{.name = entry.key, .place = entry.place};
    const bool long_form = entry.value.kind == Node::Kind::kMap;
    if (long_form && !object(entry.value, "guard")) continue;
    const Node* key = long_form ? entry.value.find("key") : &entry.value;
    if (key != nullptr) guard.key = templates(*key);
    if (guard.key.size() == 1) guard.key.push_back(guard.key[0]);
    guard.type = long_form ? text(entry.value.find("type"), "type") : "";
    if (guard.type.empty()) guard.type = entity.name + "." + entry.key;
    if (long_form) guard.keeps = texts(entry.value.find("keeps"), "keeps");
    if (entity.entry(guard.name) != nullptr)
      findings_.mistake("T003", entry.place,
                        fmt::format("{} also has an index entry `{}`: `{}.{}` is ambiguous", entity.name, guard.name,
                                    entity.name, guard.name),
                        "rename one of them");
    entity.unique.push_back(std::move(guard));
  }
}

void Reader::read_shards(const Node& node, Entity& entity) {
  if (!map(node, "shard")) return;
  for (const Entry& entry : node.entries) {
    if (!object(entry.value, "shard")) continue;
    Shard shard{.field = entry.key, .place = entry.place};
    shard.of = text(entry.value.find("of"), "of");
    if (const Node* count = entry.value.find("count")) {
      if (count->kind == Node::Kind::kScalar && count->text.find('.') != std::string::npos) {
        std::tie(shard.count_entity, shard.count_field) = dotted(count, "count");
      } else {
        shard.count = integer(count, "count").value_or(1);
      }
    }
    if (const Node* epochs = entry.value.find("epochs")) {
      std::tie(shard.epochs_entity, shard.epochs_field) = dotted(epochs, "epochs");
    }
    shard.initial = integer(entry.value.find("initial"), "initial").value_or(1);
    shard.most = integer(entry.value.find("most"), "most").value_or(shard.count > 0 ? shard.count : 64);
    shard.lead_s = duration(entry.value.find("lead"), "lead");
    entity.shards.push_back(std::move(shard));
  }
}

void Reader::read_figures(const Node& node, const Entity& entity, Pack& pack) {
  if (node.kind != Node::Kind::kMap) {
    if (!boolean(&node, "figures")) return;
    for (const std::string_view name : kPackFigures) {
      if (entity.field(name) != nullptr) pack.figures.emplace(name, name);
    }
    return;
  }
  for (const Entry& entry : node.entries) {
    if (!list_contains(kPackFigures, entry.key)) {
      unknown(entry.place, "figure", entry.key, {kPackFigures.begin(), kPackFigures.end()});
    } else if (!pack.figures.emplace(text(&entry.value, "figures"), entry.key).second) {
      wrong(entry.value, "figures", "a field for each figure");
    }
  }
}

void Reader::read_flows(const Node& node, Entity& entity) {
  if (!map(node, "flow")) return;
  for (const Entry& entry : node.entries) {
    Flow flow{.field = entry.key, .place = entry.place};
    if (!map(entry.value, "flow")) continue;
    for (const Entry& step : entry.value.entries) flow.steps.push_back({step.key, texts(&step.value, "flow")});
    entity.flows.push_back(std::move(flow));
  }
}

void Reader::read_examples(const Node& node, Entity& entity) {
  if (node.kind != Node::Kind::kList) return wrong(node, "examples", "a list of items");
  for (const Node& item : node.items) {
    if (!map(item, "an example")) continue;
    Example example{.place = item.place};
    for (const Entry& attribute : item.entries) {
      std::string value = attribute.value.text;
      for (const Node& member : attribute.value.items) value += (value.empty() ? "" : ", ") + member.text;
      example.attributes.emplace_back(attribute.key, std::move(value));
    }
    entity.examples.push_back(std::move(example));
  }
}

void Reader::read_entity_parts(const Node& body, Entity& entity) {
  if (const Node* node = body.find("index")) read_entries(*node, entity);
  if (const Node* node = body.find("unique")) read_guards(*node, entity);
  if (const Node* node = body.find("ttl")) {
    entity.ttl = expression(node);
    entity.ttl_place = node->place;
  }
  if (const Node* node = body.find("flow")) read_flows(*node, entity);
  if (const Node* node = body.find("shard")) read_shards(*node, entity);
  if (const Node* node = body.find("pack"); node != nullptr && map(*node, "pack")) {
    for (const Entry& entry : node->entries) {
      if (!object(entry.value, "pack")) continue;
      Pack pack{.field = entry.key, .place = entry.place, .over_bytes = bytes(entry.value.find("over"), "over")};
      if (const Node* saves = entry.value.find("saves")) {
        const auto share = parse_share(saves->text);
        if (!share) wrong(*saves, "saves", "a share such as 30%");
        pack.saves = share.value_or(0);
      }
      pack.base64 = text(entry.value.find("as"), "as") == "base64";
      if (const Node* figures = entry.value.find("figures")) read_figures(*figures, entity, pack);
      entity.packs.push_back(std::move(pack));
    }
  }
  if (const Node* node = body.find("spill"); node != nullptr && map(*node, "spill")) {
    for (const Entry& entry : node->entries) {
      if (!object(entry.value, "spill")) continue;
      entity.spills.push_back({entry.key, entry.place, bytes(entry.value.find("over"), "over")});
    }
  }
  if (const Node* node = body.find("each"); node != nullptr && map(*node, "each")) {
    for (const Entry& entry : node->entries) {
      Each each{.field = entry.key, .place = entry.place};
      std::tie(each.entity, each.member) = dotted(&entry.value, "each");
      entity.eaches.push_back(std::move(each));
    }
  }
  if (const Node* node = body.find("examples")) read_examples(*node, entity);
  if (const Node* node = body.find("formerly")) {
    if (node->kind != Node::Kind::kList) wrong(*node, "formerly", "a list of keys, each a list of templates");
    for (const Node& key : node->items) entity.formerly.push_back(templates(key));
  }
  entity.additional = boolean(body.find("additional"), "additional");
}

void Reader::read_entities(const Node& node) {
  if (!map(node, "entities")) return;
  for (const Entry& entry : node.entries) {
    Entity entity{.name = entry.key, .place = entry.place};
    if (!object(entry.value, "entity")) continue;
    const Node& body = entry.value;
    entity.about = text(body.find("about"), "about");
    entity.table = text(body.find("table"), "table");
    if (entity.table.empty() && design_.tables.size() == 1) entity.table = design_.tables[0].name;
    if (entity.table.empty() && design_.tables.size() > 1) {
      std::vector<std::string> names;
      for (const Table& table : design_.tables) names.push_back(table.name);
      findings_.mistake("T003", entity.place,
                        fmt::format("{} does not say which table stores it, and the design has several", entity.name),
                        fmt::format("add `table: {}` ({})", names[0], fmt::join(names, ", ")));
    }
    entity.type = text(body.find("type"), "type");
    if (entity.type.empty()) entity.type = entity.name;
    if (const Node* key = body.find("key")) entity.key = templates(*key);
    if (const Node* fields = body.find("fields"); fields != nullptr && map(*fields, "fields")) {
      for (const Entry& member : fields->entries) {
        if (auto field = read_field(member)) entity.fields.push_back(std::move(*field));
      }
    }
    entity.item_bytes = bytes(body.find("size"), "size");
    entity.count = integer(body.find("count"), "count").value_or(0);
    read_entity_parts(body, entity);
    design_.entities.push_back(std::move(entity));
  }
}

}  // namespace trestle::design
