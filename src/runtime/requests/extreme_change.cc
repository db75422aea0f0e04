#include "runtime/requests/extreme_change.h"

#include <fmt/format.h>

#include "runtime/expressions/evaluate.h"
#include "runtime/items/typed_value.h"
#include "runtime/requests/tally_change.h"

namespace trestle::runtime {
namespace {

bool is_more_extreme(bool greatest, ValueView a, ValueView b) {
  const auto order = compare(a, b);
  return order && (greatest ? *order > 0 : *order < 0);
}

}  // namespace

void merge_extreme(bool greatest, std::optional<Value>& extreme, const std::optional<Value>& more) {
  if (more && (!extreme || is_more_extreme(greatest, *more, *extreme))) extreme = more;
}

void ExtremeChange::add(const ExtremeChange& other) {
  merge_extreme(greatest, before, other.before);
  merge_extreme(greatest, after, other.after);
}

ExtremeChange::Next ExtremeChange::next(const std::optional<ValueView>& figure) const {
  if (!before && !after) return Next::kStay;
  // In an item that another program wrote, the figure may have any type.
  if (!figure || figure->type() != (after ? after : before)->view().type()) return before ? Next::kRead : Next::kSet;
  if (after && (!before || !is_more_extreme(greatest, *before, *after)))
    return is_more_extreme(greatest, *figure, *after) ? Next::kStay : Next::kSet;
  return is_more_extreme(greatest, *figure, *before) ? Next::kStay : Next::kRead;
}

Outcome<std::optional<Value>> extreme_value(const design::Design& design, const design::Entity& into,
                                            const design::TallyExtreme& extreme, const Scope& scope) {
  const design::Field* field = into.field(extreme.figure.field);
  TRY_INTO(Plain value, evaluate(extreme.figure.value, scope));
  if (field == nullptr || !value.exists() || value.is(Plain::Kind::kNull)) return std::nullopt;
  TRY_INTO(value, convert_to_type(design, field->type, std::move(value), field->name));
  TRY_INTO(Value stored, to_value(value, design::stored_type(field->type)));
  return stored;
}

Outcome<std::optional<Value>> ExtremeQuery::read(const design::Tally& tally, const design::TallyExtreme& extreme,
                                                 const Plain& fields, const Item& key,
                                                 const std::set<std::string>& without, int64_t now_ms) const {
  const auto planned = design::extreme_query(design, tally, extreme, without.size());
  const design::Entity& of = *design.entity(tally.of);
  const design::Entity& into = *design.entity(tally.into);
  const design::Table& table = *design.table(of.table);
  if (!planned) return refuse(500, fmt::format("No key lists {} by `{}`.", of.name, extreme.figure.field));
  Plain known = Plain::map();
  for (const design::Binding& by : tally.by) known.set(by.value.text, fields.member(by.field));

  QueryRequest request;
  request.table_name = planned->table;
  if (!planned->index.empty()) request.index_name = planned->index;
  request.consistent_read = planned->consistent;
  request.scan_index_forward = !planned->descending;
  request.limit = planned->limit;
  request.key_condition_expression = planned->key_condition;
  NameMap names;
  for (const design::PlannedName& name : planned->names) names.emplace_back(name.placeholder, name.attribute);
  ValueMap values;
  for (const design::PlannedValue& value : planned->values) {
    TRY_INTO(const auto text, form.start_of_key(of, value.source.key, known, now_ms));
    if (!text) return std::nullopt;
    values.emplace_back(value.placeholder, key_attribute_value(*text, value.source.stored));
  }
  request.placeholders.names = std::move(names);
  request.placeholders.values = std::move(values);
  const TallyChange change(design, form);
  for (;;) {
    const auto page = send(request);
    if (!page) return std::unexpected(refused_by(page.error()));
    for (size_t i = 0; i < page->items.size(); ++i) {
      const ItemView item = page->items[i];
      const ItemKind kind = kind_of(design, table, item);
      if (kind.entity != &of || kind.guard != nullptr || without.contains(key_of(table, item).bytes())) continue;
      TRY_INTO(const Plain row, counted_fields(design, codec, of, item));
      const auto target = change.target_of(tally, row, now_ms);
      if (!target && target.error().status != 400) return std::unexpected(target.error());
      if (!target || !*target || (*target)->key != key) continue;
      Scope scope;
      scope.fields = &row;
      scope.now_ms = now_ms;
      TRY_INTO(auto value, extreme_value(design, into, extreme, scope));
      if (value) return value;
    }
    if (!page->last_evaluated_key) return std::nullopt;
    request.exclusive_start_key = page->last_evaluated_key;
  }
}

}  // namespace trestle::runtime
