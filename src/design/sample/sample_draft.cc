#include "design/sample/sample_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <set>

#include "design/sample/sample_expression.h"
#include "design/sample/sample_value.h"

namespace trestle::design {
namespace {

constexpr int64_t kSampleShards = 4;

std::string folded(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (c != '_' && c != '-') out.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return out;
}

// The name of what a field refers to: `tenant_id` of any entity and `id` of Tenant are both "tenantid".
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
    case BaseType::kIp:
      return true;
    default:
      return false;
  }
}

bool makes_itself(const Field& field) {
  return field.automatic || field.identifier ||
         (field.default_value && field.default_value->is(Expression::Kind::kCall) &&
          field.default_value->text == "ulid");
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

int64_t shard_number(const Shard& shard, const std::string& value) {
  const uint64_t hash = std::strtoull(sha256_hex(value).substr(0, 16).c_str(), nullptr, 16);
  const int64_t count = shard.count > 0 ? shard.count : std::min(kSampleShards, std::max<int64_t>(shard.most, 1));
  return static_cast<int64_t>(hash % static_cast<uint64_t>(count));
}

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

  std::map<const Entity*, std::vector<SampleDraft>> drafts() {
    std::vector<const Entity*> waiting;
    for (const Entity& entity : design_.entities) {
      if (!children_.contains(entity.name)) waiting.push_back(&entity);
    }
    while (!waiting.empty()) {
      auto next = std::find_if(waiting.begin(), waiting.end(), [&](const Entity* entity) { return is_ready(*entity); });
      if (next == waiting.end()) next = waiting.begin();  // a cycle of references
      draft(**next);
      waiting.erase(next);
    }
    for (const Entity& entity : design_.entities) {
      for (const Each& each : entity.eaches) draft_children(entity, each);
    }
    count_figures();
    return std::move(drafts_);
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

  // The entity that a field's values come from: the one that generates them, otherwise the one whose whole key it is.
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
      for (const Field& candidate : other.fields) {
        if (can_refer(candidate.type) && makes_itself(candidate) &&
            thing_named(other, candidate.name) == thing_named(entity, key[0]))
          return;
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

  // One value per reference and index, shared by all entities.
  std::string pooled(const Entity& entity, const Field& field, size_t index, int64_t at_s) {
    const std::string thing = thing_named(entity, field.name);
    const auto key = std::pair(thing, index);
    const auto known = pool_.find(key);
    if (known != pool_.end()) return known->second;
    const std::string value = sample_value({.design = &design_,
                                            .entity = entity.name,
                                            .field = field.name,
                                            .type = &field.type,
                                            .index = index,
                                            .at_s = at_s});
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

  // A draft from an example in the design file, which may give fields directly or within key and index attributes.
  // Nothing if the example does not determine the whole key.
  std::optional<SampleDraft> example_draft(const Entity& entity, const Example& example, size_t number) {
    const Table* table = design_.table(entity.table);
    if (table == nullptr) return std::nullopt;
    SampleDraft sample_draft;
    const auto example_text = [&](const std::string& name) -> const std::string* {
      for (const auto& [attribute, value] : example.attributes) {
        if (attribute == name) return &value;
      }
      return nullptr;
    };
    const auto read_key = [&](const KeySchema& schema, const std::vector<Template>& key) {
      std::vector<KeyAttribute> names = schema.hash;
      names.insert(names.end(), schema.range.begin(), schema.range.end());
      for (size_t i = 0; i < names.size() && i < key.size(); ++i) {
        const std::string* text = example_text(names[i].name);
        const auto fields = text == nullptr ? std::nullopt : parse(key[i], *text, types_of(entity));
        if (!fields) continue;
        for (const auto& [name, value] : *fields) sample_draft.values.emplace(name, value);
      }
    };
    read_key(table->key, entity.key);
    for (const IndexEntry& entry : entity.index) {
      if (const Index* index = table->index(entry.index)) read_key(index->key, entry.key);
    }
    for (const Field& field : entity.fields) {
      const std::string* text = example_text(field.name);
      if (text == nullptr || sample_draft.values.contains(field.name)) continue;
      if (field.type.base == BaseType::kSet || field.type.base == BaseType::kList) {
        auto& members = sample_draft.members[field.name];
        for (size_t at = 0; at < text->size();) {
          const size_t end = std::min(text->find(", ", at), text->size());
          members.push_back(text->substr(at, end - at));
          at = end + 2;
        }
        sample_draft.values.emplace(field.name, json_list(members, *field.type.element));
      } else if (is_scalar(field.type)) {
        sample_draft.values.emplace(field.name, *text);
      }
    }
    for (const std::string& name : fields_of(entity.key)) {
      const Shard* shard = entity.shard(name);
      if (!sample_draft.values.contains(shard == nullptr ? name : shard->of)) return std::nullopt;
    }
    const Moment moment{
        .number = number, .shift = 0, .group = number, .at_s = time_of(entity, number), .in_key = false};
    for (const Field& field : entity.fields) {
      if (!sample_draft.values.contains(field.name) && !field.optional) fill(entity, field, moment, sample_draft);
    }
    for (const Shard& shard : entity.shards) {
      const auto of = sample_draft.values.find(shard.of);
      if (of != sample_draft.values.end())
        sample_draft.values.emplace(shard.field, std::to_string(shard_number(shard, of->second)));
    }
    return sample_draft;
  }

  void draft(const Entity& entity) {
    std::vector<SampleDraft>& drafts = drafts_[&entity];
    const size_t wanted = how_many(entity);
    std::set<std::vector<std::string>> keys;
    for (const Example& example : entity.examples) {
      auto example_item = example_draft(entity, example, drafts.size());
      if (!example_item) continue;
      std::vector<std::string> key;
      for (const Template& part : entity.key)
        key.push_back(render(part, example_item->values, types_of(entity)).value_or(""));
      if (keys.insert(key).second) drafts.push_back(std::move(*example_item));
    }
    for (size_t number = drafts.size(); number < wanted; ++number) {
      for (size_t shift = 0; shift < 6; ++shift) {
        SampleDraft sample_draft = draft_one(entity, number, shift);
        std::vector<std::string> key;
        for (const Template& part : entity.key)
          key.push_back(render(part, sample_draft.values, types_of(entity)).value_or(""));
        if (!keys.insert(key).second) continue;
        drafts.push_back(std::move(sample_draft));
        break;
      }
    }
  }

  // `shift` varies the fields that may vary, if the key exists already.
  SampleDraft draft_one(const Entity& entity, size_t number, size_t shift) {
    SampleDraft sample_draft;
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
        refer(entity, *field, index, at_s, sample_draft.values);
        first = false;
      }
    }
    for (const Field& field : entity.fields) {
      if (sample_draft.values.contains(field.name)) continue;
      const bool in_key = std::find(key.begin(), key.end(), field.name) != key.end();
      if (field.optional && !in_key && (number % 2 == 1 || describes_another_outcome(field, sample_draft))) continue;
      fill(entity, field,
           {.number = number, .shift = in_key ? shift : 0, .group = group, .at_s = at_s, .in_key = in_key},
           sample_draft);
    }
    for (const Shard& shard : entity.shards) {
      const auto of = sample_draft.values.find(shard.of);
      if (of != sample_draft.values.end())
        sample_draft.values[shard.field] = std::to_string(shard_number(shard, of->second));
    }
    // The templates of a faulty design may use undeclared fields.
    for (const std::string& name : key) sample_draft.values.emplace(name, fmt::format("\u2039{}\u203a", name));
    return sample_draft;
  }

  // Takes the value from another entity's sample, and that sample's values for the same references.
  void refer(const Entity& entity, const Field& field, size_t index, int64_t at_s, FieldValues& values) {
    const Entity* from = home(entity, field);
    const auto known = from == nullptr || from == &entity ? drafts_.end() : drafts_.find(from);
    if (known == drafts_.end() || known->second.empty()) {
      values.emplace(field.name, pooled(entity, field, index, at_s));
      return;
    }
    const std::vector<SampleDraft>& others = known->second;
    const SampleDraft* chosen = &others[index % others.size()];
    for (size_t i = 0; i < others.size(); ++i) {
      const SampleDraft& other = others[(index + i) % others.size()];
      if (agrees(entity, values, *from, other)) {
        chosen = &other;
        break;
      }
    }
    for (const Field& theirs : from->fields) {
      const auto value = chosen->values.find(theirs.name);
      if (value == chosen->values.end() || !can_refer(theirs.type)) continue;
      for (const Field& ours : entity.fields) {
        if (!can_refer(ours.type) || home(entity, ours) == &entity ||
            thing_named(entity, ours.name) != thing_named(*from, theirs.name))
          continue;
        if (ours.name == field.name || in_any_key(thing_named(entity, ours.name)))
          values.emplace(ours.name, value->second);
      }
    }
    values.emplace(field.name, pooled(entity, field, index, at_s));
  }

  bool agrees(const Entity& entity, const FieldValues& values, const Entity& from, const SampleDraft& other) const {
    for (const Field& theirs : from.fields) {
      const auto value = other.values.find(theirs.name);
      if (value == other.values.end() || !can_refer(theirs.type)) continue;
      for (const Field& ours : entity.fields) {
        const auto fixed = values.find(ours.name);
        if (fixed == values.end() || !can_refer(ours.type) ||
            thing_named(entity, ours.name) != thing_named(from, theirs.name))
          continue;
        if (fixed->second != value->second) return false;
      }
    }
    return true;
  }

  // Whether the field describes a failure although the item's status is not one.
  static bool describes_another_outcome(const Field& field, const SampleDraft& sample_draft) {
    const auto status = sample_draft.values.find("status");
    return folded(field.name).find("error") != std::string::npos && status != sample_draft.values.end() &&
           folded(status->second).find("fail") == std::string::npos;
  }

  struct Moment {
    size_t number;
    size_t shift;
    size_t group;
    int64_t at_s;
    bool in_key;
  };

  void fill(const Entity& entity, const Field& field, const Moment& moment, SampleDraft& sample_draft) {
    const std::string thing = thing_named(entity, field.name);
    if (can_refer(field.type) && in_any_key(thing)) {
      // A value is distinct if the entity defines it, or if the field's home entity will take it over. Otherwise it is
      // one of two values, or depends on the partition.
      const Entity* from = home(entity, field);
      const bool fresh = from == &entity || (from != nullptr && !drafts_.contains(from));
      const size_t shared = in_primary_keys_.contains(thing) ? moment.number % 2 : moment.group;
      return refer(entity, field, fresh ? moment.number : shared, moment.at_s, sample_draft.values);
    }
    sample_draft.values.emplace(field.name, value(entity, field, moment, sample_draft));
  }

  std::string value(const Entity& entity, const Field& field, const Moment& moment, SampleDraft& sample_draft) {
    SampleRequest request{.design = &design_,
                          .entity = entity.name,
                          .field = field.name,
                          .type = &field.type,
                          .index = moment.number + moment.shift,
                          .at_s = moment.at_s};
    if (holds_shard_count(entity, field)) return std::to_string(kSampleShards);
    if (field.encrypted) return "(encrypted)";
    if (field.revision) return std::to_string(1 + moment.number);
    if (field.type.base == BaseType::kSet || field.type.base == BaseType::kList) {
      sample_draft.members[field.name] = members(field, request);
      return json_list(sample_draft.members[field.name], *field.type.element);
    }
    if (is_time(field.type)) {
      if (field.default_value) {
        if (const auto at = sample_seconds(*field.default_value, entity, sample_draft.values, moment.at_s))
          return time_value(field.type, *at);
      }
      if (field.touched || field.extreme == Field::Extreme::kMax || field.optional)
        return time_value(field.type, moment.at_s + 5400);
      // Date and hour fields of a key go back one day or one hour per item.
      const int64_t step_s = field.type.base == BaseType::kDate ? 86400 : field.type.base == BaseType::kHour ? 3600 : 0;
      return time_value(field.type, moment.at_s - static_cast<int64_t>(moment.number + moment.shift) * step_s);
    }
    if (field.type.base == BaseType::kEnum && field.default_value) {
      const auto& values = field.type.values;
      const auto usual = std::find(values.begin(), values.end(), field.default_value->text);
      const size_t at = usual == values.end() ? 0 : static_cast<size_t>(usual - values.begin());
      return values[(at + moment.number / 2) % values.size()];
    }
    if (field.type.base == BaseType::kZone && field.default_value && moment.number % 2 == 1)
      return field.default_value->text;
    if (moment.in_key && field.type.base == BaseType::kInt)
      return std::to_string(field.type.min.value_or(1) + static_cast<int64_t>(moment.shift));
    return sample_value(request);
  }

  // `roles: set<ulid>` contains ids of Role, if there is such an entity.
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

  // Sets figures to what the sample items add up to, where the samples determine it.
  void count_figures() {
    for (const Tally& tally : design_.tallies) {
      const Entity* of = design_.entity(tally.of);
      const Entity* into = design_.entity(tally.into);
      if (of == nullptr || into == nullptr) continue;
      for (const Binding& add : tally.add) {
        if (add.element) continue;
        for (SampleDraft& target : drafts_[into]) {
          if (const Field* figure = into->field(add.field); figure != nullptr && !is_shown(*into, target, add.field))
            target.values[add.field] = "0";
        }
      }
      for (const TallyExtreme& extreme : tally.extremes) {
        for (SampleDraft& target : drafts_[into]) {
          if (!is_shown(*into, target, extreme.figure.field)) target.values.erase(extreme.figure.field);
        }
      }
      for (const SampleDraft& sample_draft : drafts_[of]) count(tally, sample_draft, drafts_[into], *into);
    }
  }

  // Whether the author's example gives the value, which then must not be changed.
  static bool is_shown(const Entity& entity, const SampleDraft& draft, const std::string& field) {
    return std::any_of(entity.examples.begin(), entity.examples.end(), [&](const Example& example) {
      return std::any_of(example.attributes.begin(), example.attributes.end(), [&](const auto& attribute) {
        const auto value = draft.values.find(field);
        return attribute.first == field && value != draft.values.end() && value->second == attribute.second;
      });
    });
  }

  static std::optional<std::string> known_value(const Expression& e, const FieldValues& values) {
    if (e.is(Expression::Kind::kNumber) || e.is(Expression::Kind::kText)) return e.text;
    if (e.is(Expression::Kind::kName)) {
      const auto value = values.find(e.text);
      return value == values.end() ? std::nullopt : std::optional(value->second);
    }
    if (e.is(Expression::Kind::kCall) && e.text == "date" && e.arguments.size() == 1) {
      const auto at = known_value(e.arguments[0], values);
      return at && at->size() >= 10 ? std::optional(at->substr(0, 10)) : std::nullopt;
    }
    return std::nullopt;
  }

  void count(const Tally& tally, const SampleDraft& sample_draft, std::vector<SampleDraft>& targets,
             const Entity& into) {
    if (tally.when && !sample_holds(*tally.when, sample_draft.values)) return;
    for (SampleDraft& target : targets) {
      const bool same = std::all_of(tally.by.begin(), tally.by.end(), [&](const Binding& by) {
        const auto value = known_value(by.value, sample_draft.values);
        const auto has = target.values.find(by.field);
        return value && has != target.values.end() && has->second == *value;
      });
      if (!same) continue;
      for (const Binding& add : tally.add) {
        const auto amount = add.element ? std::nullopt : known_value(add.value, sample_draft.values);
        if (!amount || is_shown(into, target, add.field)) continue;
        const double sum =
            std::strtod(target.values[add.field].c_str(), nullptr) + std::strtod(amount->c_str(), nullptr);
        target.values[add.field] = fmt::format("{}", sum);
      }
      for (const TallyExtreme& extreme : tally.extremes) {
        const std::string& name = extreme.figure.field;
        const auto value = known_value(extreme.figure.value, sample_draft.values);
        const Field* figure = into.field(name);
        if (!value || figure == nullptr || is_shown(into, target, name)) continue;
        const auto [has, is_first] = target.values.emplace(name, *value);
        const bool number = is_numeric(figure->type);
        const double difference = std::strtod(value->c_str(), nullptr) - std::strtod(has->second.c_str(), nullptr);
        const bool more = number ? difference > 0 : *value > has->second;
        const bool less = number ? difference < 0 : *value < has->second;
        if (extreme.greatest ? more : less) has->second = *value;
      }
    }
  }

  void draft_children(const Entity& owner, const Each& each) {
    const Entity* child = design_.entity(each.entity);
    if (child == nullptr) return;
    std::vector<SampleDraft>& drafts = drafts_[child];
    for (const SampleDraft& parent : drafts_[&owner]) {
      const auto list = parent.members.find(each.field);
      if (list == parent.members.end()) continue;
      for (const std::string& member : list->second) {
        SampleDraft sample_draft;
        for (const Field& field : child->fields) {
          const auto same = parent.values.find(field.name);
          if (field.name == each.member)
            sample_draft.values[field.name] = member;
          else if (same != parent.values.end())
            sample_draft.values[field.name] = same->second;
          else
            fill(*child, field,
                 {.number = drafts.size(),
                  .shift = 0,
                  .group = 0,
                  .at_s = time_of(*child, drafts.size()),
                  .in_key = false},
                 sample_draft);
        }
        drafts.push_back(std::move(sample_draft));
      }
    }
  }

  const Design& design_;
  std::map<std::string, const Entity*> children_;  // entities created by `each`, with their owners
  std::set<std::string> in_keys_;
  std::set<std::string> in_primary_keys_;
  std::map<std::string, const Entity*> homes_;
  std::map<std::pair<std::string, size_t>, std::string> pool_;
  std::map<const Entity*, std::vector<SampleDraft>> drafts_;
};

}  // namespace

std::map<const Entity*, std::vector<SampleDraft>> sample_drafts(const Design& design) {
  return Sampler(design).drafts();
}

}  // namespace trestle::design
