// Plans the condition of a write: whether the item exists, the declared condition, the revision, the status flow, and
// that fields read before are unchanged.
#include <fmt/format.h>

#include <algorithm>

#include "design/plan/write/plan_write_item.h"
#include "design/plan/write/plan_write_pieces.h"

namespace trestle::design {

using Kind = Expression::Kind;

// The item must exist, or must not. An expired item counts as absent, although TTL may not have deleted it yet.
std::string WritePlanner::presence_condition(bool present, Namer& namer, Form& form) const {
  const std::string key = namer.name(table_->key.hash[0].name, form.names);
  const std::string exists = fmt::format("{}({})", present ? "attribute_exists" : "attribute_not_exists", key);
  if (!entity_.ttl || table_->ttl_attribute.empty()) return exists;
  const std::string ttl = namer.name(table_->ttl_attribute, form.names);
  const std::string now = namer.value("now", expiry_of(name_expression("now")), form.values);
  return present ? fmt::format("{} AND (attribute_not_exists({}) OR {} > {})", exists, ttl, ttl, now)
                 : fmt::format("{} OR {} <= {}", exists, ttl, now);
}

Piece WritePlanner::presence(bool present, Namer& namer) const {
  Form form;
  form.condition = presence_condition(present, namer, form);
  return piece_of(std::move(form), present ? Cause::kAbsent : Cause::kPresent);
}

void WritePlanner::conditions(Request& request, Namer& namer) const {
  if (table_ == nullptr) return;
  const Failure* otherwise = write_.otherwise.get();
  const auto refuse = [&](Cause cause, int status, bool as_declared) {
    Refusal refusal{.cause = cause, .status = status};
    if (otherwise != nullptr && as_declared) {
      refusal.status = otherwise->status;
      refusal.message = otherwise->message;
      refusal.retries_max = otherwise->retries_max;
      refusal.failure = otherwise;
    }
    request.refusals.push_back(std::move(refusal));
  };
  const bool changes_item = write_.kind == Write::Kind::kUpdate || write_.kind == Write::Kind::kUpsert;
  if (write_.exists == Write::Exists::kPresent) {
    request.pieces.push_back(presence(true, namer));
    refuse(Cause::kAbsent, 404, !write_.condition || !changes_item);
  } else if (write_.exists == Write::Exists::kAbsent) {
    request.pieces.push_back(presence(false, namer));
    refuse(Cause::kPresent, 409, true);
  }
  if (write_.condition && !can_evaluate_condition()) {
    request.holds = of_item(*write_.condition, entity_, scope_.current);
    refuse(Cause::kCondition, 409, true);
  } else if (write_.condition) {
    Form form;
    form.condition = ConditionWriter(design_, entity_, namer, form.names, form.values).text(*write_.condition);
    request.pieces.push_back(piece_of(std::move(form)));
    refuse(Cause::kCondition, 409, true);
  }
  for (const Field& field : entity_.fields) {
    if (!field.revision || write_.kind == Write::Kind::kCheck || write_.is_load) continue;
    if (write_.kind == Write::Kind::kPut && !replaces()) continue;
    Form form;
    form.condition = is_revision(namer.name(field.name, form.names),
                                 namer.value("if_match", value_of(input_expression("if_match"), &field), form.values),
                                 namer.value("zero", value_of(number_expression("0"), &field), form.values));
    Piece piece = piece_of(std::move(form), Cause::kRevision);
    piece.trigger_inputs = {"if_match"};
    request.pieces.push_back(std::move(piece));
    refuse(Cause::kRevision, 409, false);
  }
}

// A status may only change along the flow, or stay the same. A new item may start with any status.
void WritePlanner::flow_piece(Request& request, Namer& namer) const {
  if (write_.is_load) return;
  const bool may_create = replaces() || write_.kind == Write::Kind::kUpsert;
  for (const Flow& flow : entity_.flows) {
    const Field* field = entity_.field(flow.field);
    std::optional<Change> change;
    if (const auto found = changes_.find(flow.field); found != changes_.end()) change = found->second;
    if (auto value = replaces() ? put_value(*field) : std::nullopt) change = {.value = std::move(*value)};
    if (!change) continue;
    Form form;
    const StoredIn place = stored_in(design_, entity_, flow.field);
    const std::string name = namer.name(place.attribute, form.names);
    if (place.key == nullptr && change->value.is(Kind::kText)) {
      std::vector<std::string> from = {namer.value(change->value.text, value_of(change->value, field), form.values)};
      for (const FlowStep& step : flow.steps) {
        if (std::find(step.to.begin(), step.to.end(), change->value.text) == step.to.end()) continue;
        from.push_back(namer.value(step.from, value_of(text_expression(step.from), field), form.values));
      }
      form.condition = fmt::format("{} IN ({})", name, fmt::join(from, ", "));
    } else {
      // The new status is known only at run time, so the list of its allowed predecessors is computed then, as one
      // value.
      std::vector<Expression> choices = {change->value};
      // If a key attribute stores the status, its value is rendered by the key template (of this field alone, by T115).
      const auto as_stored = [&](const std::string& value) {
        if (place.key == nullptr) return text_expression(value);
        std::string text;
        for (const TemplatePart& part : place.key->parts) text += part.is_literal() ? part.literal : value;
        return text_expression(text);
      };
      std::set<std::string> targets;
      for (const FlowStep& step : flow.steps) {
        targets.insert(step.from);  // the status has no predecessor, but an item may keep it
        targets.insert(step.to.begin(), step.to.end());
      }
      for (const std::string& target : targets) {
        std::vector<Expression> from = {as_stored(target)};
        for (const FlowStep& step : flow.steps) {
          if (std::find(step.to.begin(), step.to.end(), target) != step.to.end()) from.push_back(as_stored(step.from));
        }
        choices.push_back(text_expression(target));
        choices.push_back(call_expression("list", std::move(from)));
      }
      ValueSource list = value_of(call_expression("choose", std::move(choices)));
      list.stored = ValueType::kList;
      form.condition =
          fmt::format("contains({}, {})", namer.value("from_" + flow.field, std::move(list), form.values), name);
    }
    if (may_create) form.condition += " OR " + presence_condition(false, namer, form);
    Piece piece = piece_of(std::move(form), Cause::kFlow);
    piece.trigger_inputs = change->trigger_inputs;
    request.pieces.push_back(std::move(piece));
    request.refusals.push_back({.cause = Cause::kFlow, .status = 409});
  }
}

// The conditions that the fields read before are unchanged.
void WritePlanner::observed_pieces(Request& request, Namer& namer) const {
  const auto trigger_inputs = observation_trigger_inputs();
  if (observes_presence_) {
    Form exists = present_form(table_->key.hash[0].name, namer), absent;
    absent.condition = fmt::format("attribute_not_exists({})", namer.name(table_->key.hash[0].name, absent.names));
    Piece piece{.choice = Piece::Choice::kByItem, .cause = Cause::kObserved};
    piece.forms = {std::move(exists), std::move(absent)};
    request.pieces.push_back(std::move(piece));
  }
  for (const std::string& name : observed_) {
    const Field* field = entity_.field(name);
    if (field == nullptr) continue;
    Form same, absent;
    const std::string attribute = stored_in(design_, entity_, name).attribute;
    same.condition = fmt::format("{} = {}", namer.name(attribute, same.names),
                                 namer.value("old_" + name, value_of(current(name), field), same.values));
    absent.condition = fmt::format("attribute_not_exists({})", namer.name(attribute, absent.names));
    // An item written by another program may lack any field.
    Piece piece{.choice = Piece::Choice::kByValue, .cause = Cause::kObserved};
    piece.forms.push_back(std::move(same));
    piece.forms.push_back(std::move(absent));
    piece.trigger_inputs = trigger_inputs;
    request.pieces.push_back(std::move(piece));
  }
  if (observes()) request.refusals.push_back({.cause = Cause::kObserved, .status = 409, .retries_max = kRaceRetries});
}

}  // namespace trestle::design
