#include "runtime/background/tally_change.h"

#include <fmt/format.h>

#include "design/plan/plan.h"
#include "model/number.h"
#include "runtime/values/evaluate.h"
#include "runtime/values/operand.h"
#include "runtime/values/typed_value.h"

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
    for (const auto* list : {&tally.by, &tally.add}) {
      for (const design::Binding& binding : *list) {
        look(binding.value);
        if (binding.element) look(*binding.element);
      }
    }
    if (tally.when) look(*tally.when);
  }
  if (opens) return codec.decode(entity, item);
  return codec.decode_plain_fields(entity, item);
}

Outcome<void> TallyChange::count(const design::Tally& tally, const Plain& fields, int sign, int64_t now_ms,
                                 TallyTargets& targets) const {
  const design::Entity* into = design_.entity(tally.into);
  if (into == nullptr) return {};
  Scope scope;
  scope.fields = &fields;
  scope.now_ms = now_ms;
  if (tally.when) {
    TRY_INTO(const bool counted, holds(*tally.when, scope));
    if (!counted) return {};
  }
  Plain by = Plain::map();
  for (const design::Binding& binding : tally.by) {
    TRY_INTO(Plain value, evaluate(binding.value, scope));
    const design::Field* field = into->field(binding.field);
    if (!value.exists() || field == nullptr) return {};
    TRY_INTO(value, shaped(design_, field->type, std::move(value), binding.field));
    by.set(binding.field, std::move(value));
  }
  TRY_INTO(auto key, form_.key(*into, by, now_ms));
  if (!key) return {};
  TallyTarget& target = targets[into->table + '\n' + key->bytes()];
  if (target.entity == nullptr) {
    target.entity = into;
    target.fields = std::move(by);
    target.key = std::move(*key);
  }
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
    const auto total = sign > 0 ? trestle::add(number_of(sum), more) : subtract(number_of(sum), more);
    if (!total) return std::unexpected(refused_by(total.error()));
    sum = total->text();
  }
  return {};
}

Outcome<void> TallyChange::add(const design::Entity& of, const Plain& fields, int sign, bool all, int64_t now_ms,
                               TallyTargets& targets) const {
  for (const design::Tally& tally : design_.tallies) {
    if (tally.of == of.name && (all || tally.through_stream)) TRY(count(tally, fields, sign, now_ms, targets));
  }
  return {};
}

void TallyChange::simplify(TallyTargets& targets) {
  for (auto target = targets.begin(); target != targets.end();) {
    std::erase_if(target->second.amounts, [](const auto& one) { return one.second == "0"; });
    target = target->second.amounts.empty() ? targets.erase(target) : std::next(target);
  }
}

}  // namespace trestle::runtime
