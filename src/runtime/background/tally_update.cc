#include "runtime/background/tally_update.h"

#include <fmt/format.h>

#include <algorithm>

#include "design/plan/absent_fields.h"
#include "design/plan/extreme_read.h"
#include "design/plan/plan.h"
#include "design/plan/value_order.h"
#include "model/number.h"
#include "runtime/expressions/evaluate.h"
#include "runtime/items/typed_value.h"

namespace trestle::runtime {
namespace {

bool has_first_value(const design::Field& field) {
  return field.counter || field.default_value.has_value() || field.automatic;
}

}  // namespace

// Collects the clauses of an update. Each name and value gets one short placeholder, since many must fit into 4 KB.
class TallyUpdate::Text {
 public:
  std::string name(const std::string& attribute) {
    for (const auto& [placeholder, known] : names_) {
      if (known == attribute) return placeholder;
    }
    names_.emplace_back("#" + std::to_string(names_.size()), attribute);
    return names_.back().first;
  }
  std::string value(Value value) {
    for (const auto& [placeholder, known] : values_) {
      if (known == value) return placeholder;
    }
    values_.emplace_back(":" + std::to_string(values_.size()), std::move(value));
    return values_.back().first;
  }
  void set(const std::string& clause) { set_ += (set_.empty() ? "SET " : ", ") + clause; }
  void remove(const std::string& clause) { remove_ += (remove_.empty() ? " REMOVE " : ", ") + clause; }
  void add(const std::string& clause) { add_ += (add_.empty() ? " ADD " : ", ") + clause; }
  void require(const std::string& clause) { condition_ += (condition_.empty() ? "" : " AND ") + clause; }
  // Requires that the attribute is the same as in this item; nothing: the item does not exist.
  void require_unchanged(const std::string& attribute, const std::optional<Item>& item) {
    const std::string placeholder = name(attribute);
    const auto current = item ? item->find(attribute) : std::nullopt;
    require(current ? fmt::format("{} = {}", placeholder, value(Value(*current)))
                    : fmt::format("attribute_not_exists({})", placeholder));
  }

  void write(TransactWrite& to) && {
    to.update_expression = set_ + remove_ + add_;
    if (!condition_.empty()) to.condition.expression = condition_;
    to.condition.return_item_on_failure = !condition_.empty();
    to.placeholders.names = std::move(names_);
    if (!values_.empty()) to.placeholders.values = std::move(values_);
  }

 private:
  NameMap names_;
  ValueMap values_;
  std::string set_, remove_, add_, condition_;
};

TallyUpdate::TallyUpdate(const design::Design& design, ItemForm& form, const ItemCodec& codec,
                         const TallyTarget& target, int64_t now_ms)
    : design_(design), form_(form), codec_(codec), target_(target), now_ms_(now_ms) {
  gains_ = target.gains_item() ||
           std::ranges::any_of(target.assigned, [](const auto& field) { return field.second.has_value(); });
  const auto stays = [](const auto& figure) { return figure.second.never_comes_back; };
  gains_ |= target.gained_item() && std::ranges::any_of(target.extremes, stays);
  const design::Entity& entity = *target.entity;
  const auto observe = [&](const std::set<std::string>& fields, const auto& lacks) {
    bool written = false;
    std::set<std::string> unknown;
    for (const std::string& name : fields) {
      const design::Field* field = entity.field(name);
      if (field == nullptr) continue;
      written |= field->touched || (may_create() && has_first_value(*field)) || writes_figure(name);
      if (!field->touched && !target.fields.member(name).exists()) unknown.insert(name);
    }
    if (written || !lacks(unknown)) observed_.merge(unknown);
  };
  for (const design::IndexEntry& entry : entity.index) {
    observe(design::fields_deciding(entity, entry),
            [&](const auto& absent) { return design::lacks_entry(entity, entry, absent); });
  }
  if (entity.ttl) {
    observe(design::fields_in(entity, *entity.ttl),
            [&](const auto& absent) { return design::lacks_value(*entity.ttl, absent); });
  }
}

// An item is not created to subtract from it, nor if it would lack required fields.
bool TallyUpdate::may_create() const { return gains_ && design::tally_may_create(design_, *target_.entity); }

bool TallyUpdate::writes_figure(const std::string& field) const {
  return target_.assigned.contains(field) || target_.extremes.contains(field) ||
         std::ranges::any_of(target_.amounts, [&](const auto& amount) { return amount.first.field == field; });
}

Outcome<void> TallyUpdate::count(Plain& fields) const {
  for (const auto& [figure, amount] : target_.amounts) {
    const Plain now = fields.member(figure.field);
    const Plain& counted = figure.member.empty() ? now : now.member(figure.member);
    const auto total = add(number_of(counted.is(Plain::Kind::kNumber) ? counted.string() : "0"), number_of(amount));
    if (!total) return std::unexpected(refused_by(total.error()));
    if (figure.member.empty()) {
      fields.set(figure.field, Plain::number(total->text()));
      continue;
    }
    Plain map = now.is(Plain::Kind::kMap) ? now : Plain::map();
    map.set(figure.member, Plain::number(total->text()));
    fields.set(figure.field, std::move(map));
  }
  for (const auto* values : {&extremes_, &target_.assigned}) {
    for (const auto& [field, value] : *values) fields.set(field, value ? to_plain(*value) : Plain());
  }
  return {};
}

Outcome<bool> TallyUpdate::adapt(const std::optional<ItemView>& item, const ExtremeQuery& query) {
  if (!item && !may_create()) return false;
  extremes_.clear();
  for (const auto& [field, figure] : target_.extremes) {
    const ExtremeChange change = figure.change();
    const auto next = change.next(item ? item->find(field) : std::nullopt);
    if (next == ExtremeChange::Next::kStay) continue;
    auto& value = extremes_[field];
    value = change.after;
    if (next == ExtremeChange::Next::kSet || figure.never_comes_back) continue;
    // The items that are read may be ahead of the stream. Changes that they already contain have no effect when they
    // are read from the stream later.
    TRY_INTO(value, query.read(*figure.tally, *figure.extreme, target_.fields, target_.key, {}, now_ms_));
    merge_extreme(change.greatest, value, change.after);
  }
  if (needs_item()) item_ = item ? std::optional(Item(*item)) : std::nullopt;
  missing_maps_.clear();
  for (const auto& [figure, amount] : target_.amounts) {
    if (!figure.member.empty() && (!item || !item->find(figure.field))) missing_maps_.insert(figure.field);
  }
  return true;
}

Outcome<Plain> TallyUpdate::written_fields() const {
  Plain fields = target_.fields;
  for (const design::Field& field : target_.entity->fields) {
    if (!field.touched) continue;
    TRY_INTO(Plain now, convert_to_type(design_, field.type, Plain::moment(now_ms_), field.name));
    fields.set(field.name, std::move(now));
  }
  return fields;
}

Outcome<Plain> TallyUpdate::first_values(const Plain& fields) const {
  // A default may be computed from others.
  std::vector<design::FieldValue> first;
  for (const design::Field& field : target_.entity->fields) {
    const bool counted = writes_figure(field.name) && !target_.extremes.contains(field.name);
    if (counted || fields.member(field.name).exists() || !has_first_value(field)) continue;
    design::FieldValue value{.field = &field, .name = field.name, .source = {}};
    value.source.expression = field.default_value ? *field.default_value
                              : field.automatic
                                  ? design::generated_value(field)
                                  : design::Expression{.kind = design::Expression::Kind::kNumber, .text = "0"};
    first.push_back(std::move(value));
  }
  design::order_by_operands(first);
  Plain known = fields, values = Plain::map();
  Scope scope;
  scope.now_ms = now_ms_;
  scope.fields = &known;
  for (const design::FieldValue& field : first) {
    TRY_INTO(Plain value, evaluate(field.source.expression, scope));
    if (field.field->default_value || field.field->automatic) {
      TRY_INTO(value, convert_to_type(design_, field.field->type, std::move(value), field.name));
    }
    known.set(field.name, value);
    values.set(field.name, std::move(value));
  }
  return values;
}

// Adds the observed fields, on condition that they are unchanged, and the figures.
Outcome<void> TallyUpdate::complete(Plain& fields, Plain first_values, Text& text) const {
  if (observed_.empty()) return {};
  Plain current = std::move(first_values);
  if (item_) {
    TRY_INTO(current, codec_.decode(*target_.entity, *item_));
  }
  for (const std::string& name : observed_) {
    if (current.member(name).exists()) fields.set(name, current.member(name));
    text.require_unchanged(name, item_);
  }
  return count(fields);
}

// Sets the attributes computed from all fields, then the other fields; those of `first_values` only if they are absent.
Outcome<void> TallyUpdate::set_attributes(const Plain& fields, const Plain& first_values, const Plain& all_fields,
                                          Text& text) const {
  const design::Entity& entity = *target_.entity;
  const design::Table& table = *design_.table(entity.table);
  TRY_INTO(const auto computed, form_.computed_attributes(entity, all_fields, now_ms_));
  std::set<std::string> done;
  for (const ComputedAttribute& attribute : computed) {
    if (!done.insert(attribute.name).second || table.key.contains(attribute.name) || !attribute.value) continue;
    text.set(fmt::format("{} = {}", text.name(attribute.name), text.value(*attribute.value)));
  }
  for (const design::Field& field : entity.fields) {
    if (done.contains(field.name) || table.key.contains(field.name)) continue;
    const Plain& current = fields.member(field.name);
    if (current.exists()) {
      TRY_INTO(Value value, to_value(current, design::stored_type(field.type)));
      text.set(fmt::format("{} = {}", text.name(field.name), text.value(std::move(value))));
    } else if (const Plain& first = first_values.member(field.name); first.exists()) {
      TRY_INTO(Value value, to_value(first, design::stored_type(field.type)));
      const std::string name = text.name(field.name);
      text.set(fmt::format("{} = if_not_exists({}, {})", name, name, text.value(std::move(value))));
    }
  }
  return {};
}

// The amounts for the members of a map that the item lacks.
Value TallyUpdate::new_map(const std::string& field) const {
  std::vector<std::pair<std::string, Value>> members;
  for (const auto& [figure, amount] : target_.amounts) {
    if (figure.field == field && !figure.member.empty())
      members.emplace_back(figure.member, Value::number(std::string_view(amount)));
  }
  std::vector<Field> fields;
  for (const auto& [member, value] : members) fields.push_back({member, value});
  return Value::map(std::move(fields));
}

void TallyUpdate::add_amounts(Text& text) const {
  std::set<std::string> maps;
  for (const auto& [figure, amount] : target_.amounts) {
    const std::string name = text.name(figure.field);
    if (figure.member.empty()) {
      text.add(fmt::format("{} {}", name, text.value(Value::number(std::string_view(amount)))));
      continue;
    }
    const bool first = maps.insert(figure.field).second;
    if (missing_maps_.contains(figure.field)) {
      if (!first) continue;
      text.set(fmt::format("{} = {}", name, text.value(new_map(figure.field))));
      text.require(fmt::format("attribute_not_exists({})", name));
      continue;
    }
    const std::string member = fmt::format("{}.{}", name, text.name(figure.member));
    text.set(fmt::format("{} = if_not_exists({}, {}) + {}", member, member, text.value(Value::number(0)),
                         text.value(Value::number(std::string_view(amount)))));
    if (first) text.require(fmt::format("attribute_exists({})", name));
  }
}

// Sets least and greatest values and figures that a repair sets, on condition that the item is the one from which they
// were computed.
void TallyUpdate::set_figures(Text& text) const {
  for (const auto* values : {&extremes_, &target_.assigned}) {
    for (const auto& [field, value] : *values) {
      const std::string name = text.name(field);
      if (value)
        text.set(fmt::format("{} = {}", name, text.value(*value)));
      else
        text.remove(name);
    }
  }
  bool has_exact = false;
  for (const auto& [field, figure] : target_.extremes) {
    if (figure.never_comes_back)
      text.require_unchanged(field, item_);
    else
      has_exact = true;
  }
  const design::Field* revision = design::revision_of(*target_.entity);
  if (revision == nullptr) return;
  if (target_.assigned.empty() && has_exact) text.require_unchanged(revision->name, item_);
  text.add(fmt::format("{} {}", text.name(revision->name), text.value(Value::number(1))));
}

Outcome<TransactWrite> TallyUpdate::write() const {
  const design::Entity& entity = *target_.entity;
  TransactWrite out{.kind = TransactWrite::Kind::kUpdate, .table_name = entity.table, .item = target_.key};
  Text text;
  TRY_INTO(const Plain fields, written_fields());
  TRY_INTO(const Plain first, first_values(fields));
  Plain all_fields = fields;
  TRY(complete(all_fields, first, text));
  TRY(set_attributes(fields, first, all_fields, text));
  add_amounts(text);
  set_figures(text);
  const std::string& hash = design_.table(entity.table)->key.hash[0].name;
  if (!may_create()) text.require(fmt::format("attribute_exists({})", text.name(hash)));
  std::move(text).write(out);
  return out;
}

}  // namespace trestle::runtime
