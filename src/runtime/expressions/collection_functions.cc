// Functions of lists, sets and maps, and functions that aggregate results.
#include <fmt/format.h>

#include "base/utf8.h"
#include "model/number.h"
#include "runtime/expressions/arithmetic.h"
#include "runtime/expressions/comparison.h"
#include "runtime/expressions/functions.h"
#include "runtime/values/schedule.h"
#include "runtime/values/time_zone.h"

namespace trestle::runtime {
namespace {

bool has_elements(const Plain& value) { return value.is(PlainKind::kList) || value.is(PlainKind::kSet); }

bool is_among(const Plain::List& list, const Plain& value) {
  for (const Plain& element : list) {
    if (element == value) return true;
  }
  return false;
}

// A list or set of the elements, of the same kind as `model`.
Plain like(const Plain& model, Plain::List elements) {
  return model.is(PlainKind::kSet) ? Plain::set(std::move(elements)) : Plain::list(std::move(elements));
}

// The members that are added to a set or removed from it: those of a set or list, or one value by itself. Nothing: the
// value is absent.
std::optional<Plain::List> members_of(const Plain& change) {
  if (has_elements(change)) return change.elements();
  if (!change.exists()) return std::nullopt;
  return Plain::List{change};
}

Outcome<Operand> without(const Arguments& arguments) {
  const auto removed = members_of(*arguments[1]);
  if (!has_elements(*arguments[0]) || !removed) return Operand();
  Plain::List left;
  for (const Plain& element : arguments[0]->elements()) {
    if (!is_among(*removed, element)) left.push_back(element);
  }
  return Operand(like(*arguments[0], std::move(left)));
}

Outcome<Operand> unite(const Arguments& arguments) {
  const auto added = members_of(*arguments[1]);
  if (!added) return arguments[0];
  if (!has_elements(*arguments[0])) return has_elements(*arguments[1]) ? arguments[1] : Operand(Plain::list(*added));
  Plain::List all = arguments[0]->elements();
  for (const Plain& element : *added) {
    if (!is_among(all, element)) all.push_back(element);
  }
  return Operand(like(*arguments[0], std::move(all)));
}

Outcome<Operand> append(const Arguments& arguments) {
  Plain::List all;
  if (has_elements(*arguments[0])) all = arguments[0]->elements();
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i]->exists()) all.push_back(*arguments[i]);
  }
  return Operand(Plain::list(std::move(all)));
}

Outcome<Operand> list(const Arguments& arguments) {
  Plain::List all;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i]->exists()) all.push_back(*arguments[i]);
  }
  return Operand(Plain::list(std::move(all)));
}

// record('name', value, ...)
Outcome<Operand> record(const Arguments& arguments) {
  Plain map = Plain::map();
  for (size_t i = 0; i + 1 < arguments.size(); i += 2) {
    const auto name = text_of(*arguments[i]);
    if (name && arguments[i + 1]->exists()) map.set(*name, *arguments[i + 1]);
  }
  return Operand(std::move(map));
}

Outcome<Operand> keys(const Arguments& arguments) {
  if (!arguments[0]->is(PlainKind::kMap)) return Operand();
  Plain::List names;
  for (const auto& member : arguments[0]->members()) names.push_back(Plain::text(member.first));
  return Operand(Plain::list(std::move(names)));
}

Outcome<Operand> members(const Arguments& arguments) {
  if (has_elements(*arguments[0])) return Operand(Plain::list(arguments[0]->elements()));
  if (!arguments[0]->is(PlainKind::kMap)) return Operand();
  Plain::List values;
  for (const auto& member : arguments[0]->members()) values.push_back(member.second);
  return Operand(Plain::list(std::move(values)));
}

// ---- Results

Outcome<void> add_to(Plain& total, const Plain& value) {
  if (value.is(PlainKind::kMap)) {
    if (!total.is(PlainKind::kMap)) total = Plain::map();
    for (const auto& [name, member] : value.members()) {
      if (!member.is(PlainKind::kNumber)) continue;
      const Plain& old = total.member(name);
      TRY_INTO(Plain sum, apply_operator(ExpressionKind::kAdd, old.exists() ? old : Plain::number(0), member));
      total.set(name, std::move(sum));
    }
    return {};
  }
  if (!value.is(PlainKind::kNumber) && !value.is(PlainKind::kDuration)) return {};
  if (!total.exists()) {
    total = value;
    return {};
  }
  TRY_INTO(total, apply_operator(ExpressionKind::kAdd, total, value));
  return {};
}

// Whether the argument is `items.field`, where the field is a map.
bool sums_maps(const Arguments& arguments) {
  const design::Expression& e = arguments.expression(0);
  if (!e.is(ExpressionKind::kMember) || !e.arguments[0].is_name("items") || arguments.scope().items_entity == nullptr)
    return false;
  const design::Field* field = arguments.scope().items_entity->field(e.text);
  return field != nullptr && design::stored_type(field->type) == ValueType::kMap;
}

Outcome<Operand> sum(const Arguments& arguments) {
  Plain total;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!has_elements(*arguments[i])) {
      TRY(add_to(total, *arguments[i]));
      continue;
    }
    for (const Plain& element : arguments[i]->elements()) TRY(add_to(total, element));
  }
  if (total.is_absent()) return Operand(sums_maps(arguments) ? Plain::map() : Plain::number(0));
  return Operand(std::move(total));
}

Outcome<Operand> count(const Arguments& arguments) {
  return Operand(Plain::number(static_cast<int64_t>(count_of(*arguments[0]))));
}

Outcome<Operand> first(const Arguments& arguments) {
  return has_elements(*arguments[0]) && count_of(*arguments[0]) > 0 ? Operand(arguments[0]->elements().front())
                                                                    : Operand();
}
Outcome<Operand> last(const Arguments& arguments) {
  return has_elements(*arguments[0]) && count_of(*arguments[0]) > 0 ? Operand(arguments[0]->elements().back())
                                                                    : Operand();
}

// The least or greatest of the arguments, and of the elements of arguments that are lists or sets.
Outcome<Operand> extreme(const Arguments& arguments, bool least) {
  const Plain* found = nullptr;
  const auto consider = [&](const Plain& value) {
    if (!value.exists()) return;
    if (found == nullptr) {
      found = &value;
      return;
    }
    const auto order = compare(value, *found);
    if (order && (least ? *order < 0 : *order > 0)) found = &value;
  };
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (has_elements(*arguments[i])) {
      for (const Plain& element : arguments[i]->elements()) consider(element);
    } else {
      consider(*arguments[i]);
    }
  }
  return found == nullptr ? Operand() : Operand(*found);
}
Outcome<Operand> least(const Arguments& arguments) { return extreme(arguments, true); }
Outcome<Operand> greatest(const Arguments& arguments) { return extreme(arguments, false); }

Outcome<Operand> all(const Arguments& arguments) {
  if (!has_elements(*arguments[0])) return Operand();
  for (const Plain& element : arguments[0]->elements()) {
    if (!element.is(PlainKind::kBool) || !element.truth()) return Operand(Plain::boolean(false));
  }
  return Operand(Plain::boolean(true));
}

Outcome<Operand> scheduled_now(const Arguments& arguments) {
  const auto at = arguments.size() > 1 && arguments[1]->exists() ? time_of(*arguments[1]) : arguments.scope().now_ms;
  if (!at) return refuse(400, "scheduled() requires a time.");
  std::string zone;
  if (arguments.size() > 2 && arguments[2]->is(PlainKind::kText)) zone = arguments[2]->string();
  if (!zone.empty() && !is_time_zone(zone))
    return refuse(400, fmt::format("`{}` is not a time zone.", valid_utf8(zone, 64)));
  return Operand(
      scheduled(*arguments[0], *at, zone, arguments.size() > 3 ? schedule_names(*arguments[3]) : ScheduleNames{}));
}

}  // namespace

const std::vector<std::pair<std::string_view, Function>>& collection_functions() {
  static const std::vector<std::pair<std::string_view, Function>> functions = {
      {"without", {without, 2}}, {"union", {unite, 2}},   {"append", {append, 1}},
      {"list", {list, 0}},       {"record", {record, 0}}, {"keys", {keys, 1}},
      {"members", {members, 1}}, {"sum", {sum, 1}},       {"count", {count, 1}},
      {"first", {first, 1}},     {"last", {last, 1}},     {"min", {least, 1}},
      {"max", {greatest, 1}},    {"all", {all, 1}},       {"scheduled", {scheduled_now, 1}},
  };
  return functions;
}

}  // namespace trestle::runtime
