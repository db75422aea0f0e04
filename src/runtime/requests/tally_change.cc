#include "runtime/requests/tally_change.h"

#include <fmt/format.h>

#include <algorithm>

#include "design/plan/extreme_read.h"
#include "design/plan/plan.h"
#include "model/number.h"
#include "runtime/expressions/evaluate.h"
#include "runtime/expressions/operand.h"
#include "runtime/items/typed_value.h"

namespace trestle::runtime {

Outcome<Plain> counted_fields(const design::Design& design, const ItemCodec& codec, const design::Entity& entity,
                              ItemView item) {
  bool opens = false;
  const auto look = [&](const design::Expression& expression) {
    design::each_expression(expression, [&](const design::Expression& part) {
      const design::Field* field = part.is(design::Expression::Kind::kName) ? entity.field(part.text) : nullptr;
      opens |= field != nullptr && design::is_stored_closed(entity, *field);
    });
  };
  for (const design::Tally& tally : design.tallies) {
    if (tally.of != entity.name) continue;
    const auto look_at = [&](const design::Binding& binding) {
      look(binding.value);
      if (binding.element) look(*binding.element);
    };
    for (const design::Binding& by : tally.by) look_at(by);
    design::each_figure(tally, look_at);
    if (tally.when) look(*tally.when);
  }
  if (opens) return codec.decode(entity, item);
  return codec.decode_plain_fields(entity, item);
}

void ExtremeFigure::follow(const ExtremeFigure& later) {
  for (const auto& [key, row] : later.rows) {
    const auto [at, is_new] = rows.emplace(key, row);
    if (is_new) continue;
    if (never_comes_back)
      merge_extreme(extreme->greatest, at->second.after, row.after);
    else
      at->second.after = row.after;
    if (!at->second.before && !at->second.after) rows.erase(at);
  }
}

bool TallyTarget::gains_item() const {
  return std::ranges::any_of(
      contributions, [](const auto& contribution) { return !contribution.second.before && contribution.second.after; });
}

bool TallyTarget::gained_item() const {
  return gains_item() ||
         std::ranges::any_of(contributions, [](const auto& contribution) { return contribution.second.began; });
}

ExtremeChange ExtremeFigure::change() const {
  ExtremeChange change{.greatest = extreme->greatest};
  for (const auto& [key, row] : rows) {
    merge_extreme(change.greatest, change.before, row.before);
    merge_extreme(change.greatest, change.after, row.after);
  }
  return change;
}

Outcome<std::optional<TallyTarget>> TallyChange::target_of(const design::Tally& tally, const Plain& fields,
                                                           int64_t now_ms) const {
  const design::Entity* into = design_.entity(tally.into);
  if (into == nullptr) return std::nullopt;
  Scope scope;
  scope.fields = &fields;
  scope.now_ms = now_ms;
  if (tally.when) {
    TRY_INTO(const bool counted, holds(*tally.when, scope));
    if (!counted) return std::nullopt;
  }
  Plain by = Plain::map();
  for (const design::Binding& binding : tally.by) {
    TRY_INTO(Plain value, evaluate(binding.value, scope));
    const design::Field* field = into->field(binding.field);
    if (!value.exists() || field == nullptr) return std::nullopt;
    TRY_INTO(value, convert_to_type(design_, field->type, std::move(value), binding.field));
    by.set(binding.field, std::move(value));
  }
  TRY_INTO(auto key, form_.key(*into, by, now_ms));
  if (!key) return std::nullopt;
  TallyTarget target;
  target.entity = into;
  target.fields = std::move(by);
  target.key = std::move(*key);
  return target;
}

Outcome<void> TallyChange::count(const design::Tally& tally, const Plain& fields, const std::string& row, int sign,
                                 int64_t now_ms, TallyTargets& targets) const {
  TRY_INTO(auto found, target_of(tally, fields, now_ms));
  if (!found) return {};
  const design::Entity& into = *found->entity;
  TallyTarget& target = targets[into.table + '\n' + found->key.bytes()];
  if (target.entity == nullptr) target = std::move(*found);
  Scope scope;
  scope.fields = &fields;
  scope.now_ms = now_ms;
  bool contributes = false;
  for (const design::Binding& binding : tally.add) {
    Figure figure{.field = binding.field, .member = {}};
    if (binding.element) {
      TRY_INTO(const Plain name, evaluate(*binding.element, scope));
      const auto text = text_of(name);
      if (!text || text->empty()) continue;
      figure.member = *text;
    }
    TRY_INTO(const Plain amount, evaluate(binding.value, scope));
    if (!amount.is(Plain::Kind::kNumber)) continue;
    std::string& sum = target.amounts.emplace(std::move(figure), "0").first->second;
    const Number more = number_of(amount.string());
    contributes |= !more.is_zero();
    const auto total = sign > 0 ? trestle::add(number_of(sum), more) : subtract(number_of(sum), more);
    if (total)
      sum = total->text();
    else
      target.fault = total.error().message;
  }
  for (const design::TallyExtreme& extreme : tally.extremes) {
    TRY_INTO(auto value, extreme_value(design_, into, extreme, scope));
    const bool ever = design::never_comes_back(design_, tally, extreme);
    contributes |= value.has_value();
    if (!value || (ever && sign < 0)) continue;
    ExtremeFigure& figure = target.extremes[extreme.figure.field];
    figure.tally = &tally;
    figure.extreme = &extreme;
    figure.never_comes_back = ever;
    ExtremeFigure::Row& at = figure.rows[ever ? std::string() : row];
    (sign > 0 ? at.after : at.before) = std::move(value);
  }
  if (contributes) {
    TallyTarget::Contribution& item = target.contributions[row];
    (sign > 0 ? item.after : item.before) = true;
  }
  return {};
}

Outcome<void> TallyChange::add(const design::Entity& of, const Plain& fields, const std::string& row, int sign,
                               bool all, int64_t now_ms, TallyTargets& targets) const {
  for (const design::Tally& tally : design_.tallies) {
    if (tally.of == of.name && (all || tally.through_stream)) TRY(count(tally, fields, row, sign, now_ms, targets));
  }
  return {};
}

void TallyChange::add_amounts(TallyTarget& to, const TallyTarget& more) {
  if (to.fault.empty()) to.fault = more.fault;
  for (const auto& [figure, amount] : more.amounts) {
    std::string& sum = to.amounts.emplace(figure, "0").first->second;
    if (const auto total = trestle::add(number_of(sum), number_of(amount)))
      sum = total->text();
    else
      to.fault = total.error().message;
  }
  for (const auto& [row, later] : more.contributions) {
    TallyTarget::Contribution& item = to.contributions.try_emplace(row, later).first->second;
    item.began |= later.began || (!later.before && later.after) || (!item.before && item.after);
    item.after = later.after;
  }
}

void TallyChange::simplify(TallyTargets& targets) {
  for (auto target = targets.begin(); target != targets.end();) {
    auto& [name, changed] = *target;
    auto& extremes = changed.extremes;
    for (auto& [field, figure] : extremes)
      std::erase_if(figure.rows, [](const auto& row) { return row.second.before == row.second.after; });
    std::erase_if(extremes, [](const auto& extreme) { return extreme.second.rows.empty(); });
    const auto is_zero = [](const auto& amount) { return amount.second == "0"; };
    const bool changes = !std::ranges::all_of(changed.amounts, is_zero) || !extremes.empty();
    if (changes || !changed.gains_item()) std::erase_if(changed.amounts, is_zero);
    const bool is_empty = changed.amounts.empty() && extremes.empty() && changed.fault.empty();
    target = is_empty ? targets.erase(target) : std::next(target);
  }
}

}  // namespace trestle::runtime
