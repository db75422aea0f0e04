#include "design/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <set>

#include "design/sample_value.h"

namespace trestle::design {
namespace {

using Kind = Expression::Kind;
constexpr int64_t kSampleShards = 4;

std::string folded(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (c != '_' && c != '-') out.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return out;
}

// What a field names: `tenant_id` of any entity, and `id` of Tenant, are both "tenantid".
std::string thing_named(const Entity& entity, std::string_view field) {
  const std::string name = folded(field);
  return name == "id" || name == "name" || name == "key" || name == "code" ? folded(entity.name) + name : name;
}

bool can_refer(const FieldType& type) {
  switch (type.base) {
    case BaseType::kString:
    case BaseType::kUlid:
    case BaseType::kUuid:
    case BaseType::kToken:
    case BaseType::kSha256:
    case BaseType::kHex:
    case BaseType::kEmail:
    case BaseType::kDomain:
    case BaseType::kE164:
    case BaseType::kIp: return true;
    default: return false;
  }
}

bool makes_itself(const Field& field) {
  return field.automatic || field.identifier || (field.default_value && field.default_value->is(Kind::kCall) && field.default_value->text == "ulid");
}

std::vector<std::string> fields_of(const std::vector<Template>& key) {
  std::vector<std::string> out;
  for (const Template& part : key) {
    for (std::string& field : part.fields()) {
      if (std::find(out.begin(), out.end(), field) == out.end()) out.push_back(std::move(field));
    }
  }
  return out;
}

// The time that `e` says for an item with these fields: `created_at + 1h`, `now`, `at + choose(severity, 'low', 1d)`.
std::optional<int64_t> seconds_of(const Expression& e, const Entity& entity, const FieldValues& values, int64_t now_s) {
  switch (e.kind) {
    case Kind::kDuration: return e.duration_s;
    case Kind::kName: {
      if (e.text == "now") return now_s;
      const Field* field = entity.field(e.text);
      const auto value = values.find(e.text);
      return field == nullptr || value == values.end() ? std::nullopt : seconds_of(field->type, value->second);
    }
    case Kind::kAdd:
    case Kind::kSubtract: {
      const auto left = seconds_of(e.arguments[0], entity, values, now_s);
      const auto right = seconds_of(e.arguments[1], entity, values, now_s);
      if (!left || !right) return std::nullopt;
      return e.is(Kind::kAdd) ? *left + *right : *left - *right;
    }
    case Kind::kCall: {
      if (e.text != "choose" || e.arguments.empty() || !e.arguments[0].is(Kind::kName)) return std::nullopt;
      const auto value = values.find(e.arguments[0].text);
      for (size_t i = 1; i + 1 < e.arguments.size(); i += 2) {
        if (value != values.end() && e.arguments[i].text == value->second) return seconds_of(e.arguments[i + 1], entity, values, now_s);
      }
      return std::nullopt;
    }
    default: return std::nullopt;
  }
}

// Whether a sparse entry's condition holds. What samples cannot tell counts as true.
bool holds(const Expression& e, const FieldValues& values) {
  const auto text_of = [&](const Expression& side) -> std::optional<std::string> {
    if (side.is(Kind::kBool)) return side.truth ? "true" : "false";
    if (!side.is(Kind::kName)) return side.text;
    const auto value = values.find(side.text);
    return value == values.end() ? std::nullopt : std::optional(value->second);
  };
  switch (e.kind) {
    case Kind::kAnd: return holds(e.arguments[0], values) && holds(e.arguments[1], values);
    case Kind::kOr: return holds(e.arguments[0], values) || holds(e.arguments[1], values);
    case Kind::kNot: return !holds(e.arguments[0], values);
    case Kind::kCompare: {
      const auto left = text_of(e.arguments[0]);
      const auto right = text_of(e.arguments[1]);
      if (e.text == "=") return left && right && *left == *right;
      return e.text != "<>" || !left || !right || *left != *right;
    }
    case Kind::kIn: {
      const auto left = text_of(e.arguments[0]);
      return std::any_of(e.arguments.begin() + 1, e.arguments.end(), [&](const Expression& one) { return left && text_of(one) == left; });
    }
    case Kind::kCall: {
      if (e.arguments.size() != 1 || !e.arguments[0].is(Kind::kName)) return true;
      const bool there = values.contains(e.arguments[0].text);
      if (e.text == "attribute_exists" || e.text == "exists") return there;
      return e.text != "attribute_not_exists" || !there;
    }
    default: return true;
  }
}

int64_t shard_number(const Shard& shard, const std::string& value) {
  const uint64_t hash = std::strtoull(sha256_hex(value).substr(0, 16).c_str(), nullptr, 16);
  const int64_t count = shard.count > 0 ? shard.count : std::min(kSampleShards, std::max<int64_t>(shard.most, 1));
  return static_cast<int64_t>(hash % static_cast<uint64_t>(count));
}

// One sampled item of an entity, before it is given attributes.
struct Draft {
  FieldValues values;
  std::map<std::string, std::vector<std::string>> members;  // of sets and lists
};

class Sampler {
 public:
  explicit Sampler(const Design& design) : design_(design) {
    for (const Entity& entity : design.entities) {
      for (const Each& each : entity.eaches) children_[each.entity] = &entity;
      note_keys(entity, entity.key, true);
      for (const IndexEntry& entry : entity.index) note_keys(entity, entry.key, false);
      for (const Guard& guard : entity.unique) note_keys(entity, guard.key, false);
    }
    for (const Entity& entity : design.entities) find_homes(entity);
  }

  std::vector<SampleItem> items() {
    std::vector<const Entity*> waiting;
    for (const Entity& entity : design_.entities) {
      if (!children_.contains(entity.name)) waiting.push_back(&entity);
    }
    while (!waiting.empty()) {
      auto next = std::find_if(waiting.begin(), waiting.end(), [&](const Entity* entity) { return is_ready(*entity); });
      if (next == waiting.end()) next = waiting.begin();  // they name each other in a circle
      draft(**next);
      waiting.erase(next);
    }
    for (const Entity& entity : design_.entities) {
      for (const Each& each : entity.eaches) draft_children(entity, each);
    }
    std::vector<SampleItem> out;
    for (const Entity& entity : design_.entities) {
      for (const Draft& one : drafts_[&entity]) {
        out.push_back(item(entity, one));
        for (const Guard& guard : entity.unique) {
          if (auto made = guard_item(entity, guard, one)) out.push_back(std::move(*made));
        }
      }
    }
    return out;
  }

 private:
  bool in_any_key(const std::string& thing) const { return in_keys_.contains(thing); }

  void note_keys(const Entity& entity, const std::vector<Template>& key, bool primary) {
    for (const std::string& field : fields_of(key)) {
      const Field* found = entity.field(field);
      if (found == nullptr || !can_refer(found->type)) continue;
      in_keys_.insert(thing_named(entity, field));
      if (primary) in_primary_keys_.insert(thing_named(entity, field));
    }
  }

  // The entity that a field's values come from: the one that makes them, else the one whose whole key it is.
  void find_homes(const Entity& entity) {
    for (const Field& field : entity.fields) {
      if (!can_refer(field.type) || !makes_itself(field)) continue;
      homes_.emplace(thing_named(entity, field.name), &entity);
    }
    const std::vector<std::string> key = fields_of(entity.key);
    if (key.size() != 1 || children_.contains(entity.name)) return;
    const Field* field = entity.field(key[0]);
    if (field == nullptr || !can_refer(field->type)) return;
    for (const Entity& other : design_.entities) {
      for (const Field& made : other.fields) {
        if (can_refer(made.type) && makes_itself(made) && thing_named(other, made.name) == thing_named(entity, key[0])) return;
      }
    }
    homes_.emplace(thing_named(entity, key[0]), &entity);
  }

  const Entity* home(const Entity& entity, const Field& field) const {
    if (!can_refer(field.type)) return nullptr;
    const auto found = homes_.find(thing_named(entity, field.name));
    return found == homes_.end() ? nullptr : found->second;
  }

  bool is_ready(const Entity& entity) const {
    return std::all_of(entity.fields.begin(), entity.fields.end(), [&](const Field& field) {
      const Entity* from = home(entity, field);
      return from == nullptr || from == &entity || drafts_.contains(from);
    });
  }

  // One value per thing and index, whoever asks first.
  std::string pooled(const Entity& entity, const Field& field, size_t index, int64_t at_s) {
    const std::string thing = thing_named(entity, field.name);
    const auto key = std::pair(thing, index);
    const auto known = pool_.find(key);
    if (known != pool_.end()) return known->second;
    std::string value;
    if (makes_itself(field) && field.default_value) value = ulid_value(fmt::format("{}/{}", thing, index), at_s);
    else value = sample_value({.design = &design_, .entity = entity.name, .field = field.name, .type = &field.type, .index = index, .at_s = at_s});
    pool_.emplace(key, value);
    return value;
  }

  size_t how_many(const Entity& entity) const {
    const std::vector<std::string> key = fields_of(entity.key);
    if (key.empty()) return 1;
    return key.size() == 1 ? 2 : 3;
  }

  int64_t time_of(const Entity& entity, size_t number) const {
    const auto order = static_cast<int64_t>(&entity - design_.entities.data());
    return kSampleNowSeconds + order * 1260 + static_cast<int64_t>(number) * 427 + order * 7;
  }

  void draft(const Entity& entity) {
    std::vector<Draft>& made = drafts_[&entity];
    const size_t wanted = how_many(entity);
    std::set<std::vector<std::string>> keys;
    for (size_t number = 0; number < wanted; ++number) {
      for (size_t shift = 0; shift < 6; ++shift) {
        Draft one = draft_one(entity, number, shift);
        std::vector<std::string> key;
        for (const Template& part : entity.key) key.push_back(render(part, one.values).value_or(""));
        if (!keys.insert(key).second) continue;
        made.push_back(std::move(one));
        break;
      }
    }
  }

  // `shift` changes what may change, when the key was there before.
  Draft draft_one(const Entity& entity, size_t number, size_t shift) {
    Draft one;
    const int64_t at_s = time_of(entity, number + shift);
    const std::vector<std::string> key = fields_of(entity.key);
    const size_t group = how_many(entity) == 3 ? number / 2 : number;
    bool first = true;
    for (const std::string& name : key) {
      const Field* field = entity.field(name);
      if (field != nullptr && can_refer(field->type)) {
        const bool own = home(entity, *field) == &entity || home(entity, *field) == nullptr;
        const bool only = key.size() == 1;
        size_t index = first ? group : number % 2 + shift;
        if (home(entity, *field) == &entity || only) index = number + (first ? 0 : shift);
        if (own && !first && home(entity, *field) == nullptr) index = number + shift;
        refer(entity, *field, index, at_s, one.values);
        first = false;
      }
    }
    for (const Field& field : entity.fields) {
      if (one.values.contains(field.name)) continue;
      const bool in_key = std::find(key.begin(), key.end(), field.name) != key.end();
      if (field.optional && !in_key && number % 2 == 1) continue;
      fill(entity, field, {.number = number, .shift = in_key ? shift : 0, .group = group, .at_s = at_s, .in_key = in_key}, one);
    }
    for (const Shard& shard : entity.shards) {
      const auto of = one.values.find(shard.of);
      if (of != one.values.end()) one.values[shard.field] = std::to_string(shard_number(shard, of->second));
    }
    // Templates of a faulty design may use fields that nobody declared.
    for (const std::string& name : key) one.values.emplace(name, fmt::format("\u2039{}\u203a", name));
    return one;
  }

  // Takes the value of another entity's sample, and with it whatever else that sample says about the same things.
  void refer(const Entity& entity, const Field& field, size_t index, int64_t at_s, FieldValues& values) {
    const Entity* from = home(entity, field);
    const auto known = from == nullptr || from == &entity ? drafts_.end() : drafts_.find(from);
    if (known == drafts_.end() || known->second.empty()) {
      values.emplace(field.name, pooled(entity, field, index, at_s));
      return;
    }
    const std::vector<Draft>& others = known->second;
    const Draft* chosen = &others[index % others.size()];
    for (size_t i = 0; i < others.size(); ++i) {
      const Draft& other = others[(index + i) % others.size()];
      if (agrees(entity, values, *from, other)) {
        chosen = &other;
        break;
      }
    }
    for (const Field& theirs : from->fields) {
      const auto value = chosen->values.find(theirs.name);
      if (value == chosen->values.end() || !can_refer(theirs.type)) continue;
      for (const Field& ours : entity.fields) {
        if (!can_refer(ours.type) || home(entity, ours) == &entity || thing_named(entity, ours.name) != thing_named(*from, theirs.name)) continue;
        if (ours.name == field.name || in_any_key(thing_named(entity, ours.name))) values.emplace(ours.name, value->second);
      }
    }
    values.emplace(field.name, pooled(entity, field, index, at_s));
  }

  bool agrees(const Entity& entity, const FieldValues& values, const Entity& from, const Draft& other) const {
    for (const Field& theirs : from.fields) {
      const auto value = other.values.find(theirs.name);
      if (value == other.values.end() || !can_refer(theirs.type)) continue;
      for (const Field& ours : entity.fields) {
        const auto fixed = values.find(ours.name);
        if (fixed == values.end() || !can_refer(ours.type) || thing_named(entity, ours.name) != thing_named(from, theirs.name)) continue;
        if (fixed->second != value->second) return false;
      }
    }
    return true;
  }

  struct Moment {
    size_t number;
    size_t shift;
    size_t group;
    int64_t at_s;
    bool in_key;
  };

  void fill(const Entity& entity, const Field& field, const Moment& moment, Draft& one) {
    const std::string thing = thing_named(entity, field.name);
    if (can_refer(field.type) && in_any_key(thing)) {
      const bool own = home(entity, field) == &entity;
      const bool elsewhere = in_primary_keys_.contains(thing);
      return refer(entity, field, own ? moment.number : elsewhere ? moment.number % 2 : moment.group, moment.at_s, one.values);
    }
    one.values.emplace(field.name, value(entity, field, moment, one));
  }

  std::string value(const Entity& entity, const Field& field, const Moment& moment, Draft& one) {
    SampleRequest request{.design = &design_, .entity = entity.name, .field = field.name, .type = &field.type, .index = moment.number + moment.shift, .at_s = moment.at_s};
    if (holds_shard_count(entity, field)) return std::to_string(kSampleShards);
    if (field.encrypted) return "(encrypted)";
    if (field.revision) return std::to_string(1 + moment.number);
    if (field.type.base == BaseType::kSet || field.type.base == BaseType::kList) {
      one.members[field.name] = members(field, request);
      return json_list(one.members[field.name], *field.type.element);
    }
    if (is_time(field.type)) {
      if (field.default_value) {
        if (const auto at = seconds_of(*field.default_value, entity, one.values, moment.at_s)) return time_value(field.type, *at);
      }
      if (field.touched || field.extreme == Field::Extreme::kMax || field.optional) return time_value(field.type, moment.at_s + 5400);
      // Calendar fields of a key count back day by day, hour by hour.
      const int64_t step_s = field.type.base == BaseType::kDate ? 86400 : field.type.base == BaseType::kHour ? 3600 : 0;
      return time_value(field.type, moment.at_s - static_cast<int64_t>(moment.number + moment.shift) * step_s);
    }
    if (field.type.base == BaseType::kEnum && field.default_value) {
      const auto& values = field.type.values;
      const auto usual = std::find(values.begin(), values.end(), field.default_value->text);
      const size_t at = usual == values.end() ? 0 : static_cast<size_t>(usual - values.begin());
      return values[(at + moment.number / 2) % values.size()];
    }
    if (field.type.base == BaseType::kZone && field.default_value && moment.number % 2 == 1) return field.default_value->text;
    if (moment.in_key && field.type.base == BaseType::kInt) return std::to_string(field.type.min.value_or(1) + static_cast<int64_t>(moment.shift));
    return sample_value(request);
  }

  // `roles: set<ulid>` holds ids of Role, where there is such an entity.
  std::vector<std::string> members(const Field& field, const SampleRequest& request) {
    for (const Entity& other : design_.entities) {
      if (folded(field.name) != folded(other.name) + "s" && folded(field.name) != folded(other.name) + "ids") continue;
      for (const Field& id : other.fields) {
        if (id.type.base != field.type.element->base || id.type.base != BaseType::kUlid || !makes_itself(id)) continue;
        return {pooled(other, id, request.index % 3, time_of(other, request.index % 3))};
      }
    }
    return sample_members(request);
  }

  bool holds_shard_count(const Entity& entity, const Field& field) const {
    for (const Entity& other : design_.entities) {
      for (const Shard& shard : other.shards) {
        if (shard.count_entity == entity.name && shard.count_field == field.name) return true;
      }
    }
    return false;
  }

  void draft_children(const Entity& owner, const Each& each) {
    const Entity* child = design_.entity(each.entity);
    if (child == nullptr) return;
    std::vector<Draft>& made = drafts_[child];
    for (const Draft& parent : drafts_[&owner]) {
      const auto list = parent.members.find(each.field);
      if (list == parent.members.end()) continue;
      for (const std::string& member : list->second) {
        Draft one;
        for (const Field& field : child->fields) {
          const auto same = parent.values.find(field.name);
          if (field.name == each.member) one.values[field.name] = member;
          else if (same != parent.values.end()) one.values[field.name] = same->second;
          else fill(*child, field, {.number = made.size(), .shift = 0, .group = 0, .at_s = time_of(*child, made.size()), .in_key = false}, one);
        }
        made.push_back(std::move(one));
      }
    }
  }

  static void add(SampleItem& item, SampleAttribute attribute) {
    if (item.attribute(attribute.name) == nullptr) item.attributes.push_back(std::move(attribute));
  }

  // Adds key attributes if `key` makes all of them.
  static void add_key(SampleItem& item, const KeySchema& schema, const std::vector<Template>& key) {
    std::vector<KeyAttribute> names = schema.hash;
    names.insert(names.end(), schema.range.begin(), schema.range.end());
    std::vector<SampleAttribute> made;
    for (size_t i = 0; i < names.size() && i < key.size(); ++i) {
      const auto text = render(key[i], item.fields);
      if (!text) return;
      made.push_back({names[i].name, names[i].type, *text});
    }
    for (SampleAttribute& attribute : made) add(item, std::move(attribute));
  }

  SampleItem item(const Entity& entity, const Draft& one) const {
    SampleItem made{.entity = &entity, .fields = one.values, .attributes = {}};
    const Table* table = design_.table(entity.table);
    if (table == nullptr) return made;
    add_key(made, table->key, entity.key);
    if (!table->type_attribute.empty()) add(made, {table->type_attribute, ValueType::kString, entity.type});
    for (const IndexEntry& entry : entity.index) {
      const Index* index = table->index(entry.index);
      if (index != nullptr && (!entry.condition || holds(*entry.condition, one.values))) add_key(made, index->key, entry.key);
    }
    if (entity.ttl && !table->ttl_attribute.empty()) {
      if (const auto at = seconds_of(*entity.ttl, entity, one.values, kSampleNowSeconds)) {
        add(made, {table->ttl_attribute, ValueType::kNumber, std::to_string(*at)});
      }
    }
    for (const Field& field : entity.fields) {
      const auto value = one.values.find(field.name);
      if (value != one.values.end()) add(made, {field.name, field.encrypted ? ValueType::kBinary : stored_type(field.type), value->second});
    }
    return made;
  }

  std::optional<SampleItem> guard_item(const Entity& entity, const Guard& guard, const Draft& one) const {
    const Table* table = design_.table(entity.table);
    SampleItem made{.entity = &entity, .guard = &guard, .fields = one.values, .attributes = {}};
    if (table == nullptr) return std::nullopt;
    add_key(made, table->key, guard.key);
    if (!made.has_key(table->key)) return std::nullopt;
    if (!table->type_attribute.empty()) add(made, {table->type_attribute, ValueType::kString, guard.type});
    for (const std::string& name : guard.keeps) {
      const Field* field = entity.field(name);
      const auto value = one.values.find(name);
      if (field != nullptr && value != one.values.end()) add(made, {name, stored_type(field->type), value->second});
    }
    return made;
  }

  const Design& design_;
  std::map<std::string, const Entity*> children_;  // made by `each`: their owner
  std::set<std::string> in_keys_;
  std::set<std::string> in_primary_keys_;
  std::map<std::string, const Entity*> homes_;
  std::map<std::pair<std::string, size_t>, std::string> pool_;
  std::map<const Entity*, std::vector<Draft>> drafts_;
};

// DynamoDB's order of one key attribute.
int compare(const SampleAttribute& a, const SampleAttribute& b) {
  if (a.type != ValueType::kNumber) return a.text.compare(b.text);
  const double left = std::strtod(a.text.c_str(), nullptr);
  const double right = std::strtod(b.text.c_str(), nullptr);
  return left < right ? -1 : left > right ? 1 : 0;
}

}  // namespace

const SampleAttribute* SampleItem::attribute(std::string_view name) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(), [&](const SampleAttribute& one) { return one.name == name; });
  return found == attributes.end() ? nullptr : &*found;
}

bool SampleItem::has_key(const KeySchema& key) const {
  const auto there = [&](const KeyAttribute& one) { return attribute(one.name) != nullptr; };
  return std::all_of(key.hash.begin(), key.hash.end(), there) && std::all_of(key.range.begin(), key.range.end(), there);
}

std::vector<SampleItem> sample_items(const Design& design) { return Sampler(design).items(); }

std::vector<const SampleItem*> items_in(const std::vector<SampleItem>& items, const Table& table, const Index* index) {
  const KeySchema& key = index == nullptr ? table.key : index->key;
  std::vector<const SampleItem*> out;
  std::map<std::vector<std::string>, size_t> partitions;
  const auto partition_of = [&](const SampleItem& item) {
    std::vector<std::string> texts;
    for (const KeyAttribute& part : key.hash) texts.push_back(item.attribute(part.name)->text);
    return texts;
  };
  for (const SampleItem& item : items) {
    if (item.entity->table != table.name || !item.has_key(key)) continue;
    out.push_back(&item);
    partitions.emplace(partition_of(item), partitions.size());
  }
  std::stable_sort(out.begin(), out.end(), [&](const SampleItem* a, const SampleItem* b) {
    const size_t left = partitions[partition_of(*a)];
    const size_t right = partitions[partition_of(*b)];
    if (left != right) return left < right;
    for (const KeyAttribute& part : key.range) {
      const int order = compare(*a->attribute(part.name), *b->attribute(part.name));
      if (order != 0) return order < 0;
    }
    return false;
  });
  return out;
}

}  // namespace trestle::design
