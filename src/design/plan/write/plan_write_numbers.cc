// Plans additions to numbers, and the conditions that keep the sums within their ranges.
#include <fmt/format.h>

#include "design/plan/write/plan_write_item.h"
#include "design/plan/write/plan_write_pieces.h"

namespace trestle::design {

void WritePlanner::add_piece(Request& request, const Binding& add, Namer& namer) const {
  const Field* field = entity_.field(add.field);
  if (field == nullptr) return;
  if (add.element) return add_member_piece(request, *field, add, namer);
  if (field->type.base == BaseType::kSet) {
    request.pieces.push_back(set_change(add, Section::kAdd, namer));
    limit_refusal(request, *field);
    return;
  }
  const auto change = changes_.find(add.field);
  const Expression value = of_current(add.value);
  Form form{.section = Section::kAdd, .effect = Form::Effect::kAmount};
  const std::string name = namer.name(add.field, form.names);
  // A counter may be changed by any number, even one that its type does not allow.
  const std::string amount =
      namer.value(add.field, field->counter ? amount_of(value) : value_of(value, field), form.values);
  form.text = fmt::format("{} {}", name, amount);
  const Expression first = first_number(*field);
  if (expression_text(first) != "0") {
    // A new item starts with the default.
    form.section = Section::kSet;
    form.text = fmt::format("{} = if_not_exists({}, {}) + {}", name, name,
                            namer.value("first_" + add.field, value_of(first, field), form.values), amount);
  }
  Piece piece = piece_of(std::move(form));
  if (change != changes_.end()) piece.trigger_inputs = change->second.trigger_inputs;
  const auto trigger_inputs = piece.trigger_inputs;
  request.pieces.push_back(std::move(piece));
  if (is_numeric(field->type)) range_piece(request, *field, name_expression(add.field), value, trigger_inputs, namer);
}

// SET field = field + value, or the sum of two fields.
void WritePlanner::sum_piece(Request& request, const Field& field, const Change& change, Namer& namer) const {
  const Sum& sum = *change.sum;
  Form form{.section = Section::kSet};
  const std::string name = namer.name(stored_in(design_, entity_, field.name).attribute, form.names);
  const auto path = [&](const Expression& e) {
    return namer.name(stored_in(design_, entity_, e.text).attribute, form.names);
  };
  if (sum.rest) {
    const std::string other = path(sum.plus[0]);
    if (other == name) form.effect = Form::Effect::kAmount;
    form.text = fmt::format("{} = {} + {}", name, other,
                            namer.value("change_" + field.name, amount_of(*sum.rest), form.values));
  } else {
    const bool adds = sum.minus.empty();
    const std::string first = path(sum.plus[0]);
    form.text = fmt::format("{} = {} {} {}", name, first, adds ? "+" : "-", path(adds ? sum.plus[1] : sum.minus[0]));
  }
  Piece piece = piece_of(std::move(form));
  piece.trigger_inputs = change.trigger_inputs;
  request.pieces.push_back(std::move(piece));
  if (sum.rest) range_piece(request, field, sum.plus[0], *sum.rest, change.trigger_inputs, namer);
}

// The value that an addition starts from if the item lacks the attribute. A new item starts with the default.
Expression WritePlanner::first_number(const Field& field) const {
  const bool starts = write_.kind == Write::Kind::kUpsert && field.default_value && !field.counter;
  return starts && is_numeric(field.type) ? *field.default_value : number_expression("0");
}

// The condition that `path` + `amount` is within the field's range. An absent attribute counts as first_number().
void WritePlanner::range_piece(Request& request, const Field& field, const Expression& path, const Expression& amount,
                               const std::vector<std::string>& trigger_inputs, Namer& namer) const {
  // The range of a counter applies only to inputs.
  if (field.counter || field.revision || (!field.type.min && !field.type.max)) return;
  Form form;
  const std::string name = namer.name(stored_in(design_, entity_, path.text).attribute, form.names);
  const Field& from = *entity_.field(path.text);
  std::vector<std::string> present, absent;
  const bool may_lack = from.optional || !must_exist();
  const auto bound_at = [&](Bound bound, std::string_view symbol, int64_t limit) {
    const std::string hint = (bound == Bound::kLeast ? "least_" : "most_") + field.name;
    const Expression rest = difference(number_expression(std::to_string(limit)), amount);
    const std::string value = namer.value(hint, amount_of(rest), form.values, bound);
    present.push_back(fmt::format("{} {} {}", name, symbol, value));
    if (!may_lack) return;
    const std::string zero = namer.value("zero", amount_of(first_number(from)), form.values);
    absent.push_back(fmt::format("{} {} {}", zero, symbol, value));
  };
  if (field.type.min) bound_at(Bound::kLeast, ">=", *field.type.min);
  if (field.type.max) bound_at(Bound::kMost, "<=", *field.type.max);
  form.condition = fmt::format("{}", fmt::join(present, " AND "));
  if (may_lack)
    form.condition =
        fmt::format("({}) OR (attribute_not_exists({}) AND {})", form.condition, name, fmt::join(absent, " AND "));
  Piece piece = piece_of(std::move(form), Cause::kRange);
  piece.trigger_inputs = trigger_inputs;
  request.pieces.push_back(std::move(piece));
  const std::string range = field.type.min && field.type.max
                                ? fmt::format("between {} and {}", *field.type.min, *field.type.max)
                            : field.type.min ? fmt::format("at least {}", *field.type.min)
                                             : fmt::format("at most {}", *field.type.max);
  request.refusals.push_back({.cause = Cause::kRange,
                              .status = 409,
                              .message = fmt::format("`{}` of {} must stay {}.", field.name, entity_.name, range),
                              .attribute = stored_in(design_, entity_, path.text).attribute});
}

}  // namespace trestle::design
