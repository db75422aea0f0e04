// Reads operations: inputs, reads, and the shorthand for single writes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "design/language/reader_impl.h"

namespace trestle::design {
namespace {

Expression input_named(std::string_view name, Place place) {
  return {.kind = Expression::Kind::kInput, .text = std::string(name), .place = place};
}

bool binds(const std::vector<Binding>& bindings, std::string_view field) {
  for (const Binding& binding : bindings) {
    if (binding.field == field && !binding.element) return true;
  }
  return false;
}

std::vector<std::string> entity_names(const Design& design) {
  std::vector<std::string> names;
  for (const Entity& entity : design.entities) names.push_back(entity.name);
  return names;
}

}  // namespace

// Returns "Entity.field" if the input's type is written that way, else "".
std::string Reader::field_named(const Node& node) const {
  const std::string name = node.text.substr(0, node.text.find_first_of(" ="));
  const size_t dot = name.find('.');
  const Entity* entity = dot == std::string::npos ? nullptr : design_.entity(name.substr(0, dot));
  return entity != nullptr && entity->field(name.substr(dot + 1)) != nullptr ? name : "";
}

std::vector<Input> Reader::read_inputs(const Node& node) {
  std::vector<Input> inputs;
  if (!map(node, "takes")) return inputs;
  for (const Entry& entry : node.entries) {
    if (auto field = read_field(entry)) {
      inputs.push_back({.name = field->name,
                        .place = field->place,
                        .type = input_type(*field),
                        .optional = field->optional || field->default_value,
                        .default_value = field->default_value,
                        .of = field_named(entry.value)});
    }
  }
  return inputs;
}

// Reads `field: value` or `map[$name]: value`.
std::optional<Binding> Reader::binding(const Entry& entry) {
  auto target_expression = parse_expression(entry.key, entry.place, findings_);
  auto value = expression(&entry.value);
  if (!target_expression || !value) return std::nullopt;
  Binding result{.value = std::move(*value), .place = entry.place};
  if (target_expression->is(Expression::Kind::kName)) {
    result.field = target_expression->text;
  } else if (target_expression->is(Expression::Kind::kIndex) &&
             target_expression->arguments[0].is(Expression::Kind::kName)) {
    result.field = target_expression->arguments[0].text;
    result.element = std::move(target_expression->arguments[1]);
  } else {
    findings_.mistake("T003", entry.place, fmt::format("`{}`: expected a field, or field[name]", entry.key));
    return std::nullopt;
  }
  return result;
}

// Reads a map of bindings or, if `as_inputs`, also a list of fields that take the input of the same name.
std::vector<Binding> Reader::bindings(const Node& node, bool as_inputs) {
  std::vector<Binding> out;
  if (node.kind == Node::Kind::kMap) {
    for (const Entry& entry : node.entries) {
      if (auto result = binding(entry)) out.push_back(std::move(*result));
    }
  } else if (as_inputs) {
    for (const std::string& name : texts(&node, "fields")) {
      out.push_back({.field = name, .element = {}, .value = input_named(name, node.place), .place = node.place});
    }
  } else {
    wrong(node, "values", "`field: value`");
  }
  return out;
}

// Reads "Entity", "Entity.entry" or "Entity.guard".
void Reader::target(const Node& node, Access& access, bool for_get) {
  const std::string name = text(&node, "what is read");
  const size_t dot = name.find('.');
  access.entity = name.substr(0, dot);
  const Entity* entity = design_.entity(access.entity);
  if (entity == nullptr) return unknown(node.place, "entity", access.entity, entity_names(design_));
  if (dot == std::string::npos) return;
  access.index = name.substr(dot + 1);
  access.by_guard = entity->guard(access.index) != nullptr && entity->entry(access.index) == nullptr;
  if (!access.by_guard && entity->entry(access.index) == nullptr) {
    std::vector<std::string> known;
    for (const IndexEntry& entry : entity->index) known.push_back(entry.name);
    for (const Guard& guard : entity->unique) {
      if (entity->entry(guard.name) == nullptr) known.push_back(guard.name);
    }
    unknown(node.place, fmt::format("index entry of {}", entity->name), access.index, known);
    access.index.clear();
  }
  if (for_get && !access.by_guard) access.one = true;
}

// Reads [Customer, Order]: a query of several entities whose items share a partition.
void Reader::read_collection(const Node& node, Access& access) {
  target(node.items[0], access, false);
  const auto partition = [&](const Access& of) -> std::optional<std::pair<std::string, std::vector<std::string>>> {
    const Entity* entity = design_.entity(of.entity);
    if (entity == nullptr || of.by_guard) return std::nullopt;
    const IndexEntry* entry = of.index.empty() ? nullptr : entity->entry(of.index);
    const Table* table = design_.table(entity->table);
    const trestle::design::Index* index = table == nullptr || entry == nullptr ? nullptr : table->index(entry->index);
    std::vector<std::string> texts;
    const auto& key = entry == nullptr ? entity->key : entry->key;
    const size_t hashes = index == nullptr ? 1 : index->key.hash.size();
    for (size_t i = 0; i < hashes && i < key.size(); ++i) {
      texts.push_back(key[i].text);
      for (const std::string& field : key[i].fields()) {
        if (entity->shard(field) != nullptr) return std::nullopt;
      }
    }
    return std::pair(entity->table + "." + (entry == nullptr ? "" : entry->index), texts);
  };
  const auto first = partition(access);
  for (size_t i = 1; i < node.items.size(); ++i) {
    Access other;
    target(node.items[i], other, false);
    if (design_.entity(other.entity) == nullptr) continue;
    if (!first || partition(other) != first)
      findings_.mistake("T003", node.items[i].place,
                        fmt::format("{} and {} do not share a partition: a query of several entities requires the same "
                                    "table or index, the same partition template, and no shards",
                                    access.entity, other.entity));
    access.others.emplace_back(other.entity, other.index);
  }
}

void Reader::read_raw(const Node& node, Access& access) {
  access.kind = Access::Kind::kRaw;
  if (!object(node, "raw")) return;
  access.raw_table = text(node.find("table"), "table");
  if (access.raw_table.empty() && design_.tables.size() == 1) access.raw_table = design_.tables[0].name;
  access.raw_index = text(node.find("index"), "index");
  access.where = expression(node.find("where"));
  if (const Node* where = node.find("where")) access.place = where->place;
}

// Reads the get, query or scan of a step or operation; nothing if it has none.
std::optional<Access> Reader::read_access(const Node& node) {
  Access access;
  const Node* found = nullptr;
  for (const auto& [word, kind] :
       {std::pair("get", Access::Kind::kGet), {"query", Access::Kind::kQuery}, {"scan", Access::Kind::kScan}}) {
    const Node* named = node.find(word);
    if (named == nullptr) continue;
    if (found != nullptr) wrong(*named, "a read", "one of get, query, scan");
    found = named;
    access.kind = kind;
  }
  if (found == nullptr) return std::nullopt;
  access.place = found->place;
  if (access.kind == Access::Kind::kQuery && found->kind == Node::Kind::kMap)
    read_raw(*found, access);
  else if (access.kind == Access::Kind::kQuery && found->kind == Node::Kind::kList && !found->items.empty())
    read_collection(*found, access);
  else
    target(*found, access, access.kind == Access::Kind::kGet);
  access.finds = texts(node.find("finds"), "finds");
  access.fields = texts(node.find("fields"), "fields");
  for (const std::string& name : access.finds) {
    if (design_.entity(name) == nullptr) unknown(node.find("finds")->place, "entity", name, entity_names(design_));
  }
  if (const Node* by = node.find("by")) access.by = bindings(*by, true);
  if (const Node* range = node.find("range")) {
    if (range->kind == Node::Kind::kMap && range->entries.size() == 1 && range->entries[0].value.items.size() == 2) {
      access.range_field = range->entries[0].key;
      access.from = expression(&range->entries[0].value.items[0]);
      access.to = expression(&range->entries[0].value.items[1]);
    } else if (range->kind == Node::Kind::kScalar) {
      access.range_field = range->text;
      access.from = input_named("from", range->place);
      access.to = input_named("to", range->place);
    } else {
      wrong(*range, "range", "a field, or `field: [low, high]`");
    }
  }
  if (const Node* prefix = node.find("prefix")) {
    if (prefix->kind == Node::Kind::kMap && prefix->entries.size() == 1) {
      access.prefix_field = prefix->entries[0].key;
      access.prefix = expression(&prefix->entries[0].value);
    } else {
      access.prefix_field = text(prefix, "prefix");
      access.prefix = input_named(access.prefix_field, prefix->place);
    }
  }
  access.filter = expression(node.find("filter"));
  if (!access.others.empty()) {
    for (const char* word : {"range", "prefix", "filter", "fields", "one"}) {
      if (const Node* keyword = node.find(word))
        findings_.mistake("T003", keyword->place,
                          fmt::format("`{}` is not allowed in a query of several entities", word));
    }
  }
  if (const Node* order = node.find("order")) {
    access.descending = order->text == "descending";
    if (!access.descending && order->text != "ascending") wrong(*order, "order", "ascending or descending");
  }
  access.one = boolean(node.find("one"), "one") || access.one;
  access.all = boolean(node.find("all"), "all");
  access.consistent = boolean(node.find("consistent"), "consistent");

  // Unbound fields of the key take the input of the same name.
  const Entity* entity = design_.entity(access.entity);
  if (entity == nullptr || access.kind == Access::Kind::kRaw || access.kind == Access::Kind::kScan) return access;
  std::vector<Template> needed;
  if (access.by_guard) {
    if (const Guard* guard = entity->guard(access.index)) needed = guard->key;
  } else if (access.index.empty()) {
    if (access.kind == Access::Kind::kGet)
      needed = entity->key;
    else if (!entity->key.empty())
      needed = {entity->key[0]};
  } else if (const IndexEntry* entry = entity->entry(access.index)) {
    const Table* table = design_.table(entity->table);
    const trestle::design::Index* index = table == nullptr ? nullptr : table->index(entry->index);
    const size_t hashes = index == nullptr ? 1 : index->key.hash.size();
    for (size_t i = 0; i < entry->key.size() && i < hashes; ++i) needed.push_back(entry->key[i]);
  }
  for (const Template& key : needed) {
    for (const std::string& field : key.fields()) {
      const Shard* shard = entity->shard(field);
      const std::string wanted = shard == nullptr ? field : access.kind == Access::Kind::kGet ? shard->of : "";
      if (!wanted.empty() && !binds(access.by, wanted)) {
        access.by.push_back(
            {.field = wanted, .element = {}, .value = input_named(wanted, access.place), .place = access.place});
      }
    }
  }
  return access;
}

std::optional<Expression> Reader::read_allow(const Node& node) {
  const auto rule = [&](const Node& rule_node) -> std::optional<Expression> {
    for (const Role& role : design_.roles) {
      if (role.name == rule_node.text) return role.rule;
    }
    return expression(&rule_node);
  };
  if (node.kind != Node::Kind::kList) return rule(node);
  std::optional<Expression> all;
  for (const Node& item : node.items) {
    auto alternative = rule(item);
    if (!alternative) continue;
    if (!all)
      all = std::move(alternative);
    else
      all = Expression{
          .kind = Expression::Kind::kOr, .arguments = {std::move(*all), std::move(*alternative)}, .place = node.place};
  }
  return all;
}

// Adds the inputs that the design does not declare: for the shorthand of a write, the fields that its caller can set;
// otherwise the `$name`s bound to fields.
void Reader::read_shorthand_inputs(Operation& operation, bool explicit_inputs) {
  const auto add = [&](std::string_view name, const FieldType& type, bool optional, Place place) {
    if (operation.input(name) == nullptr) {
      operation.takes.push_back({.name = std::string(name), .place = place, .type = type, .optional = optional});
    }
  };
  if (!explicit_inputs && operation.steps.size() == 1 && operation.steps[0].writes.size() == 1 &&
      operation.steps[0].writes[0].sets_inputs) {
    const Write& write = operation.steps[0].writes[0];
    const Entity* entity = design_.entity(write.entity);
    if (entity != nullptr) {
      for (const Field& field : entity->fields) {
        if (binds(write.by, field.name) || binds(write.set, field.name)) continue;
        const bool in_key = entity->in_key(field.name);
        // Aggregates are maintained by tallies, not set by callers.
        const bool counted = std::any_of(design_.tallies.begin(), design_.tallies.end(), [&](const Tally& tally) {
          return tally.into == entity->name && tally.writes(field.name);
        });
        // For a digest, the caller supplies its source, which can be any text.
        const bool digested = !field.sha256_of.empty();
        const std::string& source = digested ? field.sha256_of : field.name;
        const FieldType type = digested ? FieldType{} : input_type(field);
        const bool is_generated = field.automatic || field.counter || field.revision || counted;
        if (write.kind == Write::Kind::kDelete) {
          if (in_key) add(field.name, type, false, operation.place);
        } else if (write.kind == Write::Kind::kUpdate) {
          if (in_key)
            add(field.name, type, false, operation.place);
          else if (!is_generated && !field.immutable)
            add(source, type, true, operation.place);
        } else if (!is_generated || (in_key && !field.automatic)) {
          add(source, type, field.optional || field.default_value.has_value(), operation.place);
        }
      }
    }
  }
  // An undeclared `$name` bound to a field has that field's type.
  const auto from_bindings = [&](const std::vector<Binding>& list, const Entity* entity, bool optional) {
    for (const Binding& binding : list) {
      const Field* field = entity == nullptr ? nullptr : entity->field(binding.field);
      if (binding.value.is(Expression::Kind::kInput) && field != nullptr && !binding.element) {
        add(binding.value.text, input_type(*field), optional, binding.place);
      }
    }
  };
  const auto from_access = [&](const Access& access) {
    const Entity* entity =
        design_.entity(access.kind == Access::Kind::kRaw && !access.finds.empty() ? access.finds[0] : access.entity);
    from_bindings(access.by, entity, false);
    const Field* range = entity == nullptr ? nullptr : entity->field(access.range_field);
    for (const auto& side : {access.from, access.to}) {
      if (side && side->is(Expression::Kind::kInput) && range != nullptr)
        add(side->text, input_type(*range), true, access.place);
    }
    if (access.prefix && access.prefix->is(Expression::Kind::kInput)) add(access.prefix->text, {}, false, access.place);
    if (!access.where) return;
    each_expression(*access.where, [&](const Expression& part) {
      if (!part.is(Expression::Kind::kText)) return;
      Findings ignored;
      const auto key = parse_template(part.text.empty() ? "x" : part.text, part.place, ignored);
      if (!key) return;
      for (const std::string& name : key->fields()) {
        const Field* field = entity == nullptr ? nullptr : entity->field(name);
        add(name, field == nullptr ? FieldType{} : input_type(*field), false, access.place);
      }
    });
  };
  if (operation.access) from_access(*operation.access);
  if (operation.steps.size() == 1 && !explicit_inputs) {
    for (const Write& write : operation.steps[0].writes) {
      from_bindings(write.by, design_.entity(write.entity), false);
      from_bindings(write.set, design_.entity(write.entity), false);
    }
  }
}

// `peak` is the load that partitions must serve; `average` determines the monthly cost. The obsolete `rate` meant both.
// It is read as `peak`, so that an old file does not show a monthly cost that it did not declare.
void Reader::read_rates(const Node& body, Operation& operation) {
  const auto read = [&](std::string_view word, Rate& into) {
    const Node* node = body.find(word);
    if (node == nullptr) return;
    if (const auto parsed = parse_rate(node->text))
      into = *parsed;
    else
      wrong(*node, word, "a rate such as 500/s, 10K/month or 500/s per tenant_id");
  };
  read("rate", operation.peak);
  read("peak", operation.peak);
  read("average", operation.average);
  if (const Node* average = body.find("average"); average != nullptr && !operation.average.per.empty()) {
    wrong(*average, "average", "the rate of all calls together, without `per`");
    operation.average = {};
  }
  if (const Node* old = body.find("rate")) operation.rate_place = old->place;
}

// Reads `idempotent: byRequest`. Without such a guard among those that the operation puts, a repeated call would take
// effect twice.
void Reader::read_idempotent(const Node& node, Operation& operation) {
  operation.idempotent = text(&node, "idempotent");
  if (operation.idempotent.empty()) return;
  std::vector<std::string> known;
  std::set<std::string> entities;
  each_write(operation, [&](const Write& write, const Step&) {
    const Entity* entity = design_.entity(write.entity);
    if (entity == nullptr || write.kind != Write::Kind::kPut || !entities.insert(entity->name).second) return;
    for (const Guard& guard : entity->unique) known.push_back(guard.name);
  });
  if (std::ranges::find(known, operation.idempotent) != known.end()) return;
  findings_.mistake("T004", node.place,
                    fmt::format("`{}` is not a guard of an item that `{}` puts{}", operation.idempotent, operation.name,
                                did_you_mean(operation.idempotent, known)),
                    known.empty()
                        ? "`put` an item in the operation, and declare the key of the call under `unique` of its entity"
                        : fmt::format("one of: {}", fmt::join(known, ", ")));
}

void Reader::read_operations(const Node& node, bool writes) {
  if (!map(node, writes ? "writes" : "reads")) return;
  for (const Entry& entry : node.entries) {
    if (!object(entry.value, "operation")) continue;
    const Node& body = entry.value;
    check_words(body);
    Operation operation{.name = entry.key, .place = entry.place};
    operation.is_write = writes;
    operation.about = text(body.find("about"), "about");
    if (design_.operation(operation.name) != nullptr) {
      findings_.mistake("T003", entry.place, fmt::format("there is another operation named `{}`", operation.name));
    }
    const Node* takes = body.find("takes");
    if (takes != nullptr) operation.takes = read_inputs(*takes);
    operation.states_knows = body.find("knows") != nullptr;
    operation.knows = texts(body.find("knows"), "knows");
    if (const Node* errors = body.find("errors")) {
      operation.ignores_errors = errors->text == "ignored";
      if (!operation.ignores_errors && errors->text != "raised") wrong(*errors, "errors", "raised or ignored");
    }
    if (const Node* allow = body.find("allow")) operation.allow = read_allow(*allow);
    if (const Node* cache = body.find("cache")) {
      operation.cached_s = duration(cache, "cache");
      if (writes) wrong(*cache, "cache", "a read: writes cannot be cached");
    }
    read_rates(body, operation);
    if (const Node* steps = body.find("steps")) {
      operation.steps = read_steps(*steps);
      for (const Step& step : operation.steps) {
        each_step(step.steps, [&](const Step& inner) {
          if (!inner.undo.empty())
            findings_.mistake("T003", inner.undo[0].place,
                              "`undo` is only allowed on a top-level step of the operation, not within `for`");
        });
      }
    } else if (const Node* atomic = body.find("atomic")) {
      Step step{.kind = Step::Kind::kAtomic, .place = atomic->place};
      read_writes(*atomic, step);
      operation.steps.push_back(std::move(step));
    } else if (auto access = read_access(body)) {
      access->limit = integer(body.find("limit"), "limit").value_or(0);
      operation.access = std::move(*access);
    } else if (auto write = read_write(body)) {
      write->sets_inputs = write->raw.empty();
      Step step{.kind = Step::Kind::kAtomic, .place = write->place};
      step.writes.push_back(std::move(*write));
      operation.steps.push_back(std::move(step));
    } else {
      wrong(body, fmt::format("operation `{}`", operation.name),
            "get, query, scan, put, update, upsert, delete, atomic or steps");
    }
    if (const Node* bad = body.find("bad"); bad != nullptr && map(*bad, "bad")) {
      for (const Entry& input : bad->entries) operation.bad.emplace_back(input.key, read_failure(&input.value));
    }
    if (const Node* idempotent = body.find("idempotent")) read_idempotent(*idempotent, operation);
    if (const Node* returns = body.find("returns")) operation.returns = read_answer(*returns);
    read_shorthand_inputs(operation, takes != nullptr);
    // The shorthand of a write takes all fields, and so also the attributes of an entity with `additional`.
    if (takes == nullptr && operation.steps.size() == 1 && operation.steps[0].writes.size() == 1 &&
        body.find("additional") == nullptr) {
      Write& write = operation.steps[0].writes[0];
      const Entity* entity = design_.entity(write.entity);
      const bool fills = write.kind != Write::Kind::kDelete && write.kind != Write::Kind::kCheck && write.raw.empty();
      write.additional = entity != nullptr && entity->additional && fills;
    }
    each_write(operation, [&](const Write& write, const Step&) { operation.additional |= write.additional; });
    design_.operations.push_back(std::move(operation));
  }
}

}  // namespace trestle::design
