#include "design/plan/extreme_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "design/plan/plan_impl.h"
#include "design/plan/write/plan_write_item.h"

namespace trestle::design {
namespace {

// The page size of the Query if some of the listed items may not count.
constexpr int64_t kConditionalPage = 100;

// Whether keys that contain the value in this part sort in the order of the values.
bool sorts_by(const Field& value, const Template& key, size_t part, ValueType stored) {
  const Format& format = key.parts[part].format;
  const bool last = part + 1 == key.parts.size();
  if (stored == ValueType::kNumber) return key.parts.size() == 1 && format.kind == Format::Kind::kPlain;
  const FieldType& type = value.type;
  if (format.kind == Format::Kind::kPad) {
    const bool fits = type.base == BaseType::kInt && type.min && *type.min >= 0 && type.max &&
                      std::to_string(*type.max).size() <= static_cast<size_t>(format.digits);
    return fits;
  }
  if (format.kind != Format::Kind::kPlain || !sorts_as_text(type)) return false;
  return last || is_numeric(type) || fixed_length(type) > 0;
}

class Finder {
 public:
  Finder(const Design& design, const Tally& tally, const TallyExtreme& extreme) : design_(design), tally_(tally) {
    of_ = design.entity(tally.of);
    const Expression& value = extreme.figure.value;
    if (of_ != nullptr && value.is(Expression::Kind::kName)) value_ = of_->field(value.text);
    for (const Binding& by : tally.by) {
      const bool plain = by.value.is(Expression::Kind::kName) && of_ != nullptr && of_->field(by.value.text) != nullptr;
      if (!plain) value_ = nullptr;
      by_.insert(by.value.text);
    }
  }

  std::optional<ExtremeRead> find() const {
    const Table* table = of_ == nullptr ? nullptr : design_.table(of_->table);
    if (table == nullptr || value_ == nullptr || is_stored_closed(*of_, *value_)) return std::nullopt;
    if (auto read = by_key(table->key, of_->key)) {
      read->consistent = true;
      return read;
    }
    for (const bool local : {true, false}) {
      for (const IndexEntry& entry : of_->index) {
        const Index* index = table->index(entry.index);
        if (index == nullptr || index->local != local || !lists_all(entry, *index)) continue;
        if (auto read = by_key(index->key, entry.key)) {
          read->index = index;
          read->consistent = local;
          return read;
        }
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<ExtremeRead> by_key(const KeySchema& schema, const std::vector<Template>& key) const {
    const auto attributes = key_attributes(schema);
    if (attributes.size() != key.size()) return std::nullopt;
    std::set<std::string> known;
    for (size_t at = 0; at < key.size(); ++at) {
      for (size_t part = 0; part < key[at].parts.size(); ++part) {
        const TemplatePart& template_part = key[at].parts[part];
        if (template_part.is_literal()) continue;
        if (by_.contains(template_part.field)) {
          known.insert(template_part.field);
          continue;
        }
        if (template_part.field != value_->name || at < schema.hash.size() || known != by_ ||
            !sorts_by(*value_, key[at], part, attributes[at]->type))
          return std::nullopt;
        ExtremeRead read{.schema = &schema, .key = &key, .at = at};
        read.prefix.parts.assign(key[at].parts.begin(), key[at].parts.begin() + static_cast<std::ptrdiff_t>(part));
        return read;
      }
    }
    return std::nullopt;
  }

  // Whether every counted item has the entry, and the entry has every field needed to decide whether the item counts.
  bool lists_all(const IndexEntry& entry, const Index& index) const {
    const bool same =
        entry.condition && tally_.when && expression_text(*entry.condition) == expression_text(*tally_.when);
    if (entry.condition && !same) return false;
    std::set<std::string> in_key;
    for (const auto* key : {&entry.key, &of_->key}) {
      for (const Template& pattern : *key) {
        for (const std::string& name : pattern.fields()) in_key.insert(name);
      }
    }
    for (const Template& key : entry.key) {
      for (const std::string& name : key.fields()) {
        const Field* field = of_->field(name);
        if (field == nullptr || (field->optional && name != value_->name && !by_.contains(name))) return false;
      }
    }
    if (!tally_.when || same || index.projection.type == ProjectionType::kAll) return true;
    const auto& copied = index.projection.non_key_attributes;
    const auto needed = fields_of(*of_, *tally_.when);
    return std::all_of(needed.begin(), needed.end(), [&](const std::string& name) {
      return in_key.contains(name) || std::find(copied.begin(), copied.end(), name) != copied.end();
    });
  }

  const Design& design_;
  const Tally& tally_;
  const Entity* of_ = nullptr;
  const Field* value_ = nullptr;
  std::set<std::string> by_;
};

}  // namespace

bool never_comes_back(const Design& design, const Tally& tally, const TallyExtreme& extreme) {
  const Entity* into = design.entity(tally.into);
  const Field* field = into == nullptr ? nullptr : into->field(extreme.figure.field);
  return field != nullptr && field->extreme != Field::Extreme::kNone;
}

bool has_exact_extremes(const Design& design, const Entity& into) {
  return std::any_of(design.tallies.begin(), design.tallies.end(), [&](const Tally& tally) {
    return tally.into == into.name &&
           std::any_of(tally.extremes.begin(), tally.extremes.end(),
                       [&](const TallyExtreme& extreme) { return !never_comes_back(design, tally, extreme); });
  });
}

const Field* revision_of(const Entity& entity) {
  const auto field = std::find_if(entity.fields.begin(), entity.fields.end(),
                                  [](const Field& other_field) { return other_field.revision; });
  return field == entity.fields.end() ? nullptr : &*field;
}

std::optional<ExtremeRead> extreme_read(const Design& design, const Tally& tally, const TallyExtreme& extreme) {
  return Finder(design, tally, extreme).find();
}

std::optional<Request> extreme_query(const Design& design, const Tally& tally, const TallyExtreme& extreme,
                                     size_t left_out) {
  const auto read = extreme_read(design, tally, extreme);
  if (!read) return std::nullopt;
  const Entity& of = *design.entity(tally.of);
  Request query{.kind = RequestKind::kQuery, .entity = &of, .table = of.table};
  if (read->index != nullptr) query.index = read->index->name;
  for (const Binding& by : tally.by) {
    const Field* field = of.field(by.value.text);
    query.fields.push_back({field, field->name, {.expression = of_item(by.value, of, "old"), .field = field}});
  }
  Namer namer;
  const auto attributes = key_attributes(*read->schema);
  for (size_t i = 0; i <= read->at; ++i) {
    const bool last = i == read->at;
    if (last && read->prefix.parts.empty()) break;
    ValueSource start{.kind = ValueSource::Kind::kKey};
    start.key = last ? read->prefix : (*read->key)[i];
    start.stored = attributes[i]->type;
    const std::string name = namer.name(attributes[i]->name, query.names);
    const std::string value = namer.value(attributes[i]->name, std::move(start), query.values);
    query.key_condition += fmt::format("{}{}", query.key_condition.empty() ? "" : " AND ",
                                       last ? fmt::format("begins_with({}, {})", name, value) : name + " = " + value);
  }
  query.consistent = read->consistent;
  query.descending = extreme.greatest;
  query.limit = tally.when ? kConditionalPage : static_cast<int64_t>(left_out) + 1;
  query.paging = tally.when ? Request::Paging::kAll : Request::Paging::kOne;
  cost_read(design, query);
  return query;
}

}  // namespace trestle::design
