// Plans reads: the requests that find items.
#include <fmt/format.h>

#include <algorithm>

#include "design/language/raw_condition.h"
#include "design/plan/key_condition.h"
#include "design/plan/plan_impl.h"

namespace trestle::design {

using Kind = Expression::Kind;

namespace {

bool has_field(const std::vector<FieldValue>& fields, std::string_view name) {
  return std::any_of(fields.begin(), fields.end(),
                     [&](const FieldValue& field_value) { return field_value.name == name; });
}

// The start of a template, up to the first field that is not in `fields`. Shards are bound by the request itself.
Template start_of(const Template& key, const Entity& entity, const std::vector<FieldValue>& fields) {
  Template start{.place = key.place};
  for (const TemplatePart& part : key.parts) {
    if (!part.is_literal() && !has_field(fields, part.field) && entity.shard(part.field) == nullptr) break;
    start.parts.push_back(part);
  }
  return start;
}

Template up_to(const Template& key, std::string_view field) {
  Template start{.place = key.place};
  for (const TemplatePart& part : key.parts) {
    start.parts.push_back(part);
    if (part.field == field) break;
  }
  return start;
}

std::string template_text_of(const Template& key) {
  std::string text;
  for (const TemplatePart& part : key.parts) {
    if (part.is_literal()) {
      text += part.literal;
      continue;
    }
    // With the same format as in the whole template.
    const Format& format = part.format;
    text += '{' + part.field;
    if (format.kind == Format::Kind::kPad) text += fmt::format(":0{}", format.digits);
    if (format.kind == Format::Kind::kCut) text += ":" + format.unit;
    if (format.kind == Format::Kind::kHash) text += fmt::format(":sha256/{}", format.digits);
    if (format.kind == Format::Kind::kEscape) text += ":escape";
    if (format.kind == Format::Kind::kLower) text += ":lower";
    if (format.kind == Format::Kind::kFold) text += ":fold";
    text += '}';
  }
  return text;
}

ValueSource key_source(Template key, const KeyAttribute& attribute) {
  if (key.text.empty()) key.text = template_text_of(key);
  ValueSource source{.kind = ValueSource::Kind::kKey};
  source.key = std::move(key);
  source.stored = attribute.type;
  return source;
}

// Whether a condition has an OR outside parentheses. DynamoDB rejects redundant parentheses.
bool has_alternatives(std::string_view condition) {
  int depth = 0;
  for (size_t i = 0; i < condition.size(); ++i) {
    depth += condition[i] == '(' ? 1 : condition[i] == ')' ? -1 : 0;
    if (depth == 0 && condition.substr(i).starts_with(" OR ")) return true;
  }
  return false;
}

void bind_field(std::vector<FieldValue>& fields, const Entity& entity, std::string_view name, Expression value) {
  const Field* field = entity.field(name);
  fields.push_back({.field = field, .name = std::string(name), .source = value_of(std::move(value), field)});
}

const Shard* shard_in(const Entity& entity, const std::vector<const Template*>& keys) {
  for (const Shard& shard : entity.shards) {
    for (const Template* key : keys) {
      if (key->uses(shard.field)) return &shard;
    }
  }
  return nullptr;
}

}  // namespace

bool index_copies(const Index& index, const Table& table, std::string_view attribute) {
  if (index.projection.type == ProjectionType::kAll || index.key.contains(attribute) || table.key.contains(attribute))
    return true;
  const auto& copied = index.projection.non_key_attributes;
  return std::find(copied.begin(), copied.end(), attribute) != copied.end();
}

Request Planner::get_request(const Entity& entity, const std::vector<Binding>& by, bool consistent) {
  Request request{.kind = RequestKind::kGetItem, .entity = &entity, .table = entity.table};
  request.consistent = consistent;
  for (const Binding& binding : by) bind_field(request.fields, entity, binding.field, binding.value);
  const Table* table = design_.table(entity.table);
  std::vector<const Template*> keys;
  for (size_t i = 0; table != nullptr && i < entity.key.size() && i < key_attributes(table->key).size(); ++i) {
    const KeyAttribute* attribute = key_attributes(table->key)[i];
    request.key.push_back({attribute->name, key_source(entity.key[i], *attribute)});
    keys.push_back(&entity.key[i]);
  }
  request.shard = shard_in(entity, keys);
  request.hides_expired = entity.ttl.has_value();
  return request;
}

bool Planner::sees_expired(const Entity& entity, std::string_view step) const {
  if (in_cascade_) return true;
  if (!entity.ttl || step.empty()) return false;
  const auto decides = fields_of(entity, *entity.ttl);
  bool sees = false;
  each_step(operation_.steps, [&](const Step& inner_step) {
    if (inner_step.kind != Step::Kind::kRequire || !inner_step.value) return;
    each_expression(*inner_step.value, [&](const Expression& part) {
      sees |= part.is(Kind::kMember) && part.arguments[0].is(Kind::kInput) && part.arguments[0].text == step &&
              decides.contains(part.text);
    });
  });
  return sees;
}

void Planner::hide_expired(Request& request, Namer& namer) const {
  const Entity& entity = *request.entity;
  const Table* table = design_.table(entity.table);
  if (!request.hides_expired || table == nullptr || table->ttl_attribute.empty()) return;
  // An index that does not project the TTL attribute does not show whether an item has expired. Computing the expiry
  // from the fields would be wrong: an item written by another program expires by its TTL attribute alone.
  const Index* index = request.index.empty() ? nullptr : table->index(request.index);
  if (index != nullptr && !index_copies(*index, *table, table->ttl_attribute)) {
    request.reads_again = true;
    return;
  }
  const std::string ttl = namer.name(table->ttl_attribute, request.names);
  ValueSource now{.kind = ValueSource::Kind::kExpiry};
  now.expression = name_expression("now");
  now.stored = ValueType::kNumber;
  // An item written by another program may lack the attribute; it never expires.
  const std::string alive = fmt::format("(attribute_not_exists({}) OR {} > {})", ttl, ttl,
                                        namer.value("now", std::move(now), request.values));
  if (has_alternatives(request.filter)) request.filter = "(" + request.filter + ")";
  request.filter += request.filter.empty() ? alive : fmt::format(" AND {}", alive);
}

// The fields of a step's result that the rest of the operation uses; if it uses the whole item, all non-secret fields.
std::set<std::string> Planner::fields_wanted(const Access& access, const Entity& entity, std::string_view step) const {
  std::set<std::string> wanted;
  const auto all = [&] {
    for (const Field& field : entity.fields) {
      if (!field.secret) wanted.insert(field.name);
    }
  };
  if (!access.fields.empty()) {
    wanted.insert(access.fields.begin(), access.fields.end());
    return wanted;
  }
  if (step.empty()) {
    if (!operation_.returns)
      all();
    else {
      const auto visit = [&](const auto& self, const Answer& answer) -> void {
        for (const auto* e : {&answer.value, &answer.each, &answer.key, &answer.where}) {
          if (!*e) continue;
          each_expression(**e, [&](const Expression& part) {
            if (part.is(Kind::kMember) && part.arguments[0].is_name("items")) wanted.insert(part.text);
            if (part.is(Kind::kName) && entity.field(part.text) != nullptr) wanted.insert(part.text);
            if (part.is(Kind::kCall) && std::any_of(part.arguments.begin(), part.arguments.end(),
                                                    [](const Expression& a) { return a.is_name("items"); }))
              all();
          });
        }
        if (answer.of) self(self, *answer.of);
        for (const auto& [name, member] : answer.members) self(self, member);
      };
      visit(visit, *operation_.returns);
    }
    return wanted;
  }
  all();
  return wanted;
}

// Whether a put copies an item that the step found, or the member of a loop over them, and so needs all attributes.
bool Planner::is_copied(std::string_view step) const {
  if (step.empty()) return false;
  std::set<std::string, std::less<>> names = {std::string(step)};
  each_step(operation_.steps, [&](const Step& loop) {
    if (loop.kind == Step::Kind::kFor && loop.value && loop.value->is(Kind::kInput) && names.contains(loop.value->text))
      names.insert(loop.name);
  });
  bool found = false;
  each_write(operation_, [&](const Write& write, const Step&) { found |= names.contains(write.from); });
  return found;
}

void Planner::answer_fields(Request& request, const Access& access, std::string_view step, Namer& namer) const {
  const Entity& entity = *request.entity;
  const Table* table = design_.table(entity.table);
  if (table == nullptr) return;
  const auto wanted = fields_wanted(access, entity, step);
  if (const Index* index = request.index.empty() ? nullptr : table->index(request.index)) {
    for (const std::string& field : wanted) {
      request.reads_again |=
          entity.field(field) != nullptr && !index_copies(*index, *table, stored_in(design_, entity, field).attribute);
    }
    request.reads_again |= index->projection.type != ProjectionType::kAll && is_copied(step);
  }
  if (access.fields.empty() || request.reads_again || is_copied(step)) return;
  for (const std::string& field : access.fields) {
    request.projection.push_back(namer.name(stored_in(design_, entity, field).attribute, request.names));
  }
  // The runtime looks at the expiry of single items, and of all that it caches.
  const bool looks = (request.kind == RequestKind::kGetItem && request.hides_expired) || operation_.cached_s > 0;
  const bool is_answered = std::ranges::any_of(access.fields, [&](const std::string& field) {
    return stored_in(design_, entity, field).attribute == table->ttl_attribute;
  });
  if (looks && entity.ttl && !table->ttl_attribute.empty() && !is_answered)
    request.projection.push_back(namer.name(table->ttl_attribute, request.names));
}

// A raw key condition of the design file: key attributes become names, and its texts, which are templates over the
// inputs, become values.
Request Planner::raw_request(const Access& access) {
  Request request{.kind = RequestKind::kQuery, .table = access.raw_table, .index = access.raw_index};
  request.raw = true;
  for (const Entity& entity : design_.entities) {
    const bool found = std::find(access.finds.begin(), access.finds.end(), entity.name) != access.finds.end();
    if (entity.table == access.raw_table && request.entity == nullptr && (found || access.finds.empty()))
      request.entity = &entity;
  }
  request.consistent = access.consistent;
  request.descending = access.descending;
  request.limit = access.limit;
  request.paging = access.one ? Request::Paging::kOne : access.all ? Request::Paging::kAll : Request::Paging::kPage;
  request.hides_expired = request.entity != nullptr && request.entity->ttl.has_value();
  const Table* table = design_.table(access.raw_table);
  const Index* index = table == nullptr || access.raw_index.empty() ? nullptr : table->index(access.raw_index);
  request.reads_again = request.hides_expired && index != nullptr && !table->ttl_attribute.empty() &&
                        !index_copies(*index, *table, table->ttl_attribute);
  if (!access.where || table == nullptr) return request;
  Namer namer;
  const auto attributes = key_attributes(index == nullptr ? table->key : index->key);
  const auto value = [&](const Expression& e, const Expression& attribute) -> std::string {
    ValueType type = ValueType::kString;
    for (const KeyAttribute* key_attribute : attributes) {
      if (key_attribute->name == attribute.text) type = key_attribute->type;
    }
    Findings ignored;
    Template key;
    if (e.is(Kind::kInput)) key.parts.push_back({.literal = {}, .field = e.text, .format = {}});
    if (e.is(Kind::kText) && !e.text.empty()) key = parse_template(e.text, {}, ignored).value_or(Template{});
    if (key.parts.empty()) return namer.value(attribute.text, value_of(e), request.values);
    if (key.text.empty()) key.text = template_text_of(key);
    for (const std::string& field : key.fields()) {
      if (!has_field(request.fields, field))
        request.fields.push_back({.field = nullptr, .name = field, .source = value_of(input_expression(field))});
    }
    ValueSource source{.kind = ValueSource::Kind::kKey};
    source.key = std::move(key);
    source.stored = type;
    return namer.value(attribute.text, std::move(source), request.values);
  };
  const auto text = [&](const auto& self, const Expression& e) -> std::string {
    const auto name = [&] { return namer.name(e.arguments[0].text, request.names); };
    switch (e.kind) {
      case Kind::kAnd:
        return fmt::format("{} AND {}", self(self, e.arguments[0]), self(self, e.arguments[1]));
      case Kind::kCompare:
        return fmt::format("{} {} {}", name(), e.text, value(e.arguments[1], e.arguments[0]));
      case Kind::kBetween: {
        const std::string low = value(e.arguments[1], e.arguments[0]);
        return fmt::format("{} BETWEEN {} AND {}", name(), low, value(e.arguments[2], e.arguments[0]));
      }
      case Kind::kCall:
        if (e.arguments.size() == 2)
          return fmt::format("{}({}, {})", e.text, name(), value(e.arguments[1], e.arguments[0]));
        return expression_text(e);
      default:
        return expression_text(e);
    }
  };
  request.key_condition = text(text, *access.where);
  if (access.filter && request.entity != nullptr)
    request.filter =
        ConditionWriter(design_, *request.entity, namer, request.names, request.values).text(*access.filter);
  return request;
}

namespace {

// The common prefix of the sort keys of all entities of one query.
std::string shared_start(const Design& design, const Access& access, size_t attribute) {
  const auto start_of_one = [&](const std::string& name, const std::string& index) -> std::string {
    const Entity* entity = design.entity(name);
    const IndexEntry* entry = entity == nullptr || index.empty() ? nullptr : entity->entry(index);
    if (entity == nullptr) return {};
    const auto& key = entry == nullptr ? entity->key : entry->key;
    if (attribute >= key.size() || key[attribute].parts.empty() || !key[attribute].parts[0].is_literal()) return {};
    return key[attribute].parts[0].literal;
  };
  std::string shared = start_of_one(access.entity, access.index);
  for (const auto& [name, index] : access.others) {
    const std::string other = start_of_one(name, index);
    const auto differ = std::ranges::mismatch(shared, other);
    shared.erase(differ.in1, shared.end());
  }
  return shared;
}

// What determines the key condition of a list.
struct KeyConditionParts {
  const Design& design;
  const Access& access;
  const Entity& entity;
  const KeySchema& schema;
  const std::vector<Template>& key;
};

// A term of a key condition. The attributes after it have none if it is the last.
struct KeyTerm {
  std::string text;  // empty: none
  bool is_last = true;
};

// The term for the sort key in a query of several entities: the start that their sort keys share.
KeyTerm shared_start_term(const KeyConditionParts& parts, size_t i, const KeyAttribute& attribute, Request& request,
                          Namer& namer) {
  const std::string start = shared_start(parts.design, parts.access, i);
  if (start.empty() || attribute.type != ValueType::kString) return {};
  Template literal{.text = start, .place = {}, .parts = {{.literal = start, .field = {}, .format = {}}}};
  const std::string value = namer.value(attribute.name, key_source(std::move(literal), attribute), request.values);
  return {.text = fmt::format("begins_with({}, {})", namer.name(attribute.name, request.names), value)};
}

// The term for the sort key that contains the field of the range.
KeyTerm range_term(const KeyConditionParts& parts, const Template& whole, const KeyAttribute& attribute,
                   Request& request, Namer& namer) {
  const std::string& field = parts.access.range_field;
  const auto bound = [&](ValueSource::Kind kind, const std::optional<Expression>& side) {
    ValueSource source = key_source(up_to(whole, field), attribute);
    source.kind = kind;
    source.field = parts.entity.field(field);
    source.expression = side.value_or(Expression{});
    source.more_follows = source.key.parts.size() < whole.parts.size();
    source.delimiter = delimiter_after(whole, field, types_of(parts.entity));
    return source;
  };
  const std::string low = namer.value("from", bound(ValueSource::Kind::kKeyFrom, parts.access.from), request.values);
  const std::string high = namer.value("to", bound(ValueSource::Kind::kKeyTo, parts.access.to), request.values);
  return {.text = fmt::format("{} BETWEEN {} AND {}", namer.name(attribute.name, request.names), low, high)};
}

// The term for an attribute of which the whole value, or the start, is known.
KeyTerm known_value_term(const KeyConditionParts& parts, const Template& whole, bool is_hash,
                         const KeyAttribute& attribute, Request& request, Namer& namer) {
  const bool by_prefix = !is_hash && parts.access.prefix && whole.uses(parts.access.prefix_field);
  std::vector<FieldValue> known = request.fields;
  if (!is_hash)
    std::erase_if(known, [&](const FieldValue& field) {
      return !determines_sort_key(parts.key, parts.schema.hash.size(), field.name);
    });
  Template start = by_prefix ? up_to(whole, parts.access.prefix_field) : start_of(whole, parts.entity, known);
  if (start.parts.empty()) return {};
  const bool complete = !by_prefix && start.parts.size() == whole.parts.size();
  if (complete) start.text = whole.text;
  const std::string value = namer.value(attribute.name, key_source(std::move(start), attribute), request.values);
  const std::string placeholder = namer.name(attribute.name, request.names);
  return {.text = complete ? fmt::format("{} = {}", placeholder, value)
                           : fmt::format("begins_with({}, {})", placeholder, value),
          .is_last = !complete};
}

// Sets the key condition of a query, and the shard that its partition key contains.
void set_key_condition(const KeyConditionParts& parts, Request& request, Namer& namer) {
  const auto attributes = key_attributes(parts.schema);
  const Access& access = parts.access;
  std::vector<const Template*> hashes;
  std::vector<std::string> terms;
  for (size_t i = 0; request.kind == RequestKind::kQuery && i < attributes.size() && i < parts.key.size(); ++i) {
    const Template& whole = parts.key[i];
    const bool is_hash = i < parts.schema.hash.size();
    if (is_hash) hashes.push_back(&whole);
    KeyTerm term;
    if (!is_hash && !access.others.empty())
      term = shared_start_term(parts, i, *attributes[i], request, namer);
    else if (!is_hash && !access.range_field.empty() && whole.uses(access.range_field))
      term = range_term(parts, whole, *attributes[i], request, namer);
    else
      term = known_value_term(parts, whole, is_hash, *attributes[i], request, namer);
    if (!term.text.empty()) terms.push_back(std::move(term.text));
    if (term.is_last) break;
  }
  request.key_condition = fmt::format("{}", fmt::join(terms, " AND "));
  request.shard = shard_in(parts.entity, hashes);
}

// In a scan, only items of the entity's type. An item written by another program may lack its type; the runtime then
// checks its key.
void filter_by_type(const Table& table, const Entity& entity, Request& request, Namer& namer) {
  if (request.kind != RequestKind::kScan || table.type_attribute.empty()) return;
  const std::string name = namer.name(table.type_attribute, request.names);
  const std::string type = fmt::format("(attribute_not_exists({}) OR {} = {})", name, name,
                                       namer.value("Type", value_of(text_expression(entity.type)), request.values));
  request.filter = request.filter.empty() ? type : fmt::format("{} AND ({})", type, request.filter);
}

// A query of several entities finds all of their fields.
void find_others(const Design& design, const Access& access, const Table& table, Request& request) {
  request.finds.push_back(request.entity);
  const Index* index = request.index.empty() ? nullptr : table.index(request.index);
  for (const auto& [name, entry] : access.others) {
    const Entity* other = design.entity(name);
    if (other != nullptr) request.finds.push_back(other);
  }
  for (const Entity* entity : request.finds) {
    request.hides_expired |= entity->ttl.has_value();
    request.reads_again |= entity->ttl && index != nullptr && !table.ttl_attribute.empty() &&
                           !index_copies(*index, table, table.ttl_attribute);
    for (const Field& field : entity->fields)
      request.reads_again |= index != nullptr && !field.secret &&
                             !index_copies(*index, table, stored_in(design, *entity, field.name).attribute);
  }
}

}  // namespace

Request Planner::list_request(const Access& access, const Entity& entity, std::string_view step) {
  Request request{.kind = access.kind == Access::Kind::kScan ? RequestKind::kScan : RequestKind::kQuery,
                  .entity = &entity,
                  .table = entity.table};
  const Table* table = design_.table(entity.table);
  if (table == nullptr) return request;
  Namer namer;
  request.consistent = access.consistent;
  request.descending = access.descending;
  request.limit = access.limit;
  request.paging = access.one ? Request::Paging::kOne : access.all ? Request::Paging::kAll : Request::Paging::kPage;
  request.hides_expired = entity.ttl.has_value() && !sees_expired(entity, step);
  for (const Binding& binding : access.by) bind_field(request.fields, entity, binding.field, binding.value);

  const KeySchema* schema = &table->key;
  const std::vector<Template>* key = &entity.key;
  if (const IndexEntry* entry = access.index.empty() ? nullptr : entity.entry(access.index)) {
    request.index = entry->index;
    key = &entry->key;
    if (const Index* index = table->index(entry->index)) schema = &index->key;
  }
  if (access.prefix) {
    bind_field(request.fields, entity, access.prefix_field, *access.prefix);
    // A prefix need not be a valid value of the field: 2025-10 for a date.
    for (FieldValue& field : request.fields) {
      if (field.name == access.prefix_field) field.field = field.source.field = nullptr;
    }
  }
  set_key_condition({.design = design_, .access = access, .entity = entity, .schema = *schema, .key = *key}, request,
                    namer);
  if (request.shard != nullptr) request.fan_out = !has_field(request.fields, request.shard->of);
  if (access.filter)
    request.filter = ConditionWriter(design_, entity, namer, request.names, request.values).text(*access.filter);
  filter_by_type(*table, entity, request, namer);
  if (!access.others.empty()) {
    find_others(design_, access, *table, request);
    return request;
  }
  hide_expired(request, namer);
  answer_fields(request, access, step, namer);
  return request;
}

std::vector<Request> Planner::requests_of(const Access& access, std::string_view step) {
  std::vector<Request> requests;
  const Entity* entity = design_.entity(access.entity);
  if (access.kind == Access::Kind::kRaw) {
    requests.push_back(raw_request(access));
  } else if (entity == nullptr) {
    return requests;
  } else if (access.by_guard) {
    // The guard stores its owner's key fields; the second request reads the owner. The runtime answers with it only if
    // it has the value: the guard of an expired item may remain when the item's key is used again.
    const Guard* guard = entity->guard(access.index);
    Request first{.kind = RequestKind::kGetItem, .entity = entity, .guard = guard, .table = entity->table};
    first.consistent = access.consistent;
    first.hides_expired = entity->ttl.has_value();
    for (const Binding& binding : access.by) bind_field(first.fields, *entity, binding.field, binding.value);
    const Table* table = design_.table(entity->table);
    for (size_t i = 0;
         guard != nullptr && table != nullptr && i < guard->key.size() && i < key_attributes(table->key).size(); ++i) {
      first.key.push_back(
          {key_attributes(table->key)[i]->name, key_source(guard->key[i], *key_attributes(table->key)[i])});
    }
    std::vector<Binding> owner;
    for (const std::string& field : fields_of(*entity, entity->key)) {
      const std::string attribute =
          guard == nullptr || table == nullptr ? field : entity->guard_attribute(*table, *guard, field);
      owner.push_back({.field = field,
                       .element = {},
                       .value = member_expression(input_expression("$guard"), attribute),
                       .place = access.place});
    }
    requests.push_back(std::move(first));
    requests.push_back(get_request(*entity, owner, access.consistent));
  } else if (access.kind == Access::Kind::kGet && access.index.empty()) {
    Request request = get_request(*entity, access.by, access.consistent);
    request.hides_expired &= !sees_expired(*entity, step);
    if (!access.fields.empty()) {
      Namer namer;
      answer_fields(request, access, step, namer);
    }
    requests.push_back(std::move(request));
  } else {
    requests.push_back(list_request(access, *entity, step));
  }
  for (Request& request : requests) cost_read(design_, request);
  return requests;
}

void Planner::shard_step(const Request& request, std::vector<PlanStep>& steps) {
  if (request.shard == nullptr || request.shard->count_entity.empty() || request.entity == nullptr) return;
  const Entity* counts = design_.entity(request.shard->count_entity);
  if (counts == nullptr || !shards_read_.insert(counts->name).second) return;
  std::vector<Binding> by;
  for (const std::string& field : fields_of(*counts, counts->key)) {
    const auto same = [&](const FieldValue& field_value) { return field_value.name == field; };
    const auto bound = std::find_if(request.fields.begin(), request.fields.end(), same);
    by.push_back({.field = field,
                  .element = {},
                  .value = bound == request.fields.end() ? input_expression(field) : bound->source.expression,
                  .place = counts->place});
  }
  PlanStep step{.kind = PlanStep::Kind::kRead, .place = request.shard->place, .name = request.shard->field};
  Request count = get_request(*counts, by, true);
  // A new epoch begins `lead` after it is set, so a cached value of at most half that age is safe even if clocks
  // differ.
  count.cached_s = request.shard->lead_s / 2;
  cost_read(design_, count);
  step.requests.push_back(std::move(count));
  step.cost = step.requests[0].cost;
  if (step.requests[0].cached_s > 0) step.cost = Cost::perhaps(step.cost);
  steps.push_back(std::move(step));
}

}  // namespace trestle::design
