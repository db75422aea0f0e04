// Plans the pieces of an update or upsert in order, and in particular those that set whole attributes: fields,
// attributes of index entries, the expiry.
#include <fmt/format.h>

#include <algorithm>

#include "design/language/raw_update.h"
#include "design/plan/write/plan_write_item.h"
#include "design/plan/write/plan_write_pieces.h"

namespace trestle::design {

using Kind = Expression::Kind;

namespace {

// Sets the attribute if the item lacks it.
Form initial_value_form(const std::string& attribute, const std::string& placeholder, ValueSource value, Namer& namer) {
  Form form{.section = Section::kSet, .effect = Form::Effect::kInitialValue};
  const std::string name = namer.name(attribute, form.names);
  form.text =
      fmt::format("{} = if_not_exists({}, {})", name, name, namer.value(placeholder, std::move(value), form.values));
  return form;
}

// The effect of a clause of a raw update.
Form::Effect effect_of(const Form& clause) {
  if (clause.values.size() != 1) return Form::Effect::kOther;
  if (clause.section == Section::kAdd) return Form::Effect::kAmount;
  if (clause.section != Section::kSet || clause.names.empty()) return Form::Effect::kOther;
  const std::string& name = clause.names[0].placeholder;
  const std::string& value = clause.values[0].placeholder;
  if (clause.text == fmt::format("{} = if_not_exists({}, {})", name, name, value)) return Form::Effect::kInitialValue;
  const bool adds = clause.text == fmt::format("{} = {} + {}", name, name, value);
  return adds ? Form::Effect::kAmount : Form::Effect::kOther;
}

}  // namespace

void WritePlanner::set_piece(Request& request, const Field& field, const Change& change, Namer& namer) const {
  const StoredIn place = stored_in(design_, entity_, field.name);
  if (place.key != nullptr) return;  // written by the piece of its index entry
  if (field.extreme != Field::Extreme::kNone) {
    // `min<T>` and `max<T>`: written only if the value is smaller or greater than the stored one.
    const bool min = field.extreme == Field::Extreme::kMin;
    Form keeps, replaces;
    const auto say = [&](Form& form) {
      return std::pair(namer.name(place.attribute, form.names),
                       namer.value(field.name, stored(field, change.value), form.values));
    };
    const auto [current, value] = say(keeps);
    keeps.condition = fmt::format("{} {} {}", current, min ? "<=" : ">", value);
    const auto [name, placeholder] = say(replaces);
    replaces.section = Section::kSet;
    replaces.text = fmt::format("{} = {}", name, placeholder);
    replaces.condition = fmt::format("attribute_not_exists({}) OR {} {} {}", name, name, min ? ">" : "<=", placeholder);
    Piece piece{.choice = min ? Piece::Choice::kByMin : Piece::Choice::kByMax,
                .attribute = place.attribute,
                .cause = Cause::kForm};
    piece.forms =
        min ? std::vector{std::move(keeps), std::move(replaces)} : std::vector{std::move(replaces), std::move(keeps)};
    request.pieces.push_back(std::move(piece));
    return;
  }
  Form set, remove;
  if (change.initial) {
    Piece piece{.choice = Piece::Choice::kByValue};
    set.section = Section::kSet;
    set.text = fmt::format("{} = {}", namer.name(place.attribute, set.names),
                           namer.value(field.name, stored(field, change.value), set.values));
    piece.forms = {std::move(set),
                   initial_value_form(place.attribute, field.name + "_initial", stored(field, *change.initial), namer)};
    request.pieces.push_back(std::move(piece));
    return;
  }
  remove.section = Section::kRemove;
  remove.text = namer.name(place.attribute, remove.names);
  if (change.value.is(Kind::kNull)) {
    request.pieces.push_back(piece_of(std::move(remove)));
    return;
  }
  set.section = Section::kSet;
  set.text = fmt::format("{} = {}", namer.name(place.attribute, set.names),
                         namer.value(field.name, stored(field, change.value), set.values));
  // Only values from outside the write can be absent.
  bool outside = false;
  each_expression(change.value, [&](const Expression& part) {
    outside |= part.is(Kind::kInput) || part.is_name("caller") || (part.is(Kind::kCall) && part.text == "packing");
  });
  const bool can_go = field.optional && outside;
  Piece piece{.choice = can_go ? Piece::Choice::kByValue : Piece::Choice::kOnly};
  piece.forms.push_back(std::move(set));
  if (can_go) piece.forms.push_back(std::move(remove));
  piece.trigger_inputs = change.trigger_inputs;
  request.pieces.push_back(std::move(piece));
}

void WritePlanner::initial_value_piece(Request& request, const Field& field, Expression value, Namer& namer) const {
  const StoredIn place = stored_in(design_, entity_, field.name);
  if (place.key != nullptr) return;
  request.pieces.push_back(
      piece_of(initial_value_form(place.attribute, field.name, stored(field, std::move(value)), namer)));
}

// Rewrites every index attribute that depends on a changed field.
void WritePlanner::entry_pieces(Request& request, Namer& namer) const {
  const bool upsert = write_.kind == Write::Kind::kUpsert && may_create_;
  for (const EntryAttribute& entry_attribute : entry_attributes(design_, entity_)) {
    const auto fields = fields_of(entity_, entry_attribute);
    const bool once = std::any_of(fields.begin(), fields.end(),
                                  [&](const std::string& field) { return initial_values_.contains(field); });
    const bool changed = changes(fields);
    if (!changed && !upsert) continue;
    const bool leaves = unread(entry_attribute) == Unread::kLeaves;
    if (leaves && (is_blind_ || !changed)) continue;
    Form set, remove;
    set.section = Section::kSet;
    const std::string name = namer.name(entry_attribute.attribute->name, set.names);
    const std::string value = namer.value(entry_attribute.attribute->name,
                                          key_value(*entry_attribute.key, *entry_attribute.attribute,
                                                    entry_attribute.is_field ? nullptr : entry_attribute.entry),
                                          set.values);
    if (once && !changed) set.effect = Form::Effect::kInitialValue;
    set.text = once && !changed ? fmt::format("{} = if_not_exists({}, {})", name, name, value)
                                : fmt::format("{} = {}", name, value);
    remove.section = Section::kRemove;
    remove.text = namer.name(entry_attribute.attribute->name, remove.names);
    // An update has read every field it needs, and an item written by another program may lack one of them. An upsert
    // leaves attributes that it does not know unchanged.
    const bool may_lack = !upsert || is_sparse(entity_, *entry_attribute.entry);
    Piece piece{.choice = may_lack ? Piece::Choice::kByValue : Piece::Choice::kOnly};
    piece.forms.push_back(std::move(set));
    if (may_lack) piece.forms.push_back(std::move(remove));
    if (!upsert || leaves) piece.trigger_inputs = trigger_inputs_of(fields);
    request.pieces.push_back(std::move(piece));
  }
}

void WritePlanner::ttl_piece(Request& request, Namer& namer) const {
  if (entity_.expiry_attribute(*table_) == nullptr) return;
  const auto fields = fields_of(entity_, *entity_.ttl);
  const bool upsert = write_.kind == Write::Kind::kUpsert;
  const bool changed = changes(fields);
  if (!upsert && !changed) return;
  const bool leaves = unread_expiry() == Unread::kLeaves;
  if (leaves && (is_blind_ || !changed)) return;
  Piece piece = expiry_piece(namer);
  if (!upsert || leaves) piece.trigger_inputs = trigger_inputs_of(fields);
  // The fields that determine the expiry are set only on creation, and so is the expiry.
  const bool once = std::ranges::any_of(
      fields, [&](const std::string& field) { return initial_values_.contains(field) && !observed_.contains(field); });
  if (once && !changed) {
    Form& set = piece.forms.front();
    set.effect = Form::Effect::kInitialValue;
    const std::string& name = set.names.front().placeholder;
    set.text = fmt::format("{} = if_not_exists({}, {})", name, name, set.values.front().placeholder);
  }
  request.pieces.push_back(std::move(piece));
}

// Sets the TTL attribute to the time of expiry, or removes it if the item never expires.
Piece WritePlanner::expiry_piece(Namer& namer) const {
  Form form{.section = Section::kSet}, remove{.section = Section::kRemove};
  form.text = fmt::format("{} = {}", namer.name(table_->ttl_attribute, form.names),
                          namer.value(table_->ttl_attribute, expiry_of(*entity_.ttl), form.values));
  const auto decides = fields_of(entity_, *entity_.ttl);
  const bool optional = std::any_of(decides.begin(), decides.end(), [&](const std::string& name) {
    const Field* field = entity_.field(name);
    return field != nullptr && field->optional;
  });
  Piece piece = piece_of(std::move(form));
  if (write_.kind != Write::Kind::kUpsert || optional) {
    remove.text = namer.name(table_->ttl_attribute, remove.names);
    piece.choice = Piece::Choice::kByValue;
    piece.forms.push_back(std::move(remove));
  }
  return piece;
}

// A raw update of the design file, unchanged: #name is the attribute of that name, :name the operation's value of that
// name.
void WritePlanner::fill_raw(Request& request) const {
  for (const RawClause& clause : read_raw_update(write_.raw).clauses) {
    Form form{.section = clause.section, .text = clause.text};
    for (const std::string& name : clause.names)
      form.names.push_back({.placeholder = name, .attribute = name.substr(1), .member = {}});
    // A member of a map or list does not have the type of the whole field.
    const bool nested = clause.text.find_first_of(".[") != std::string::npos;
    const Field* field = nested ? nullptr : entity_.field(clause.attribute);
    for (const std::string& value : clause.values)
      form.values.push_back({value, value_of(input_expression(std::string_view(value).substr(1)), field)});
    form.effect = effect_of(form);
    request.pieces.push_back(piece_of(std::move(form)));
  }
}

void WritePlanner::fill_update(Request& request) {
  if (table_ == nullptr) return;
  Namer namer;
  // The placeholders of earlier pieces keep their meaning.
  for (const Piece& piece : request.pieces) {
    for (const Form& form : piece.forms) {
      std::vector<PlannedName> names;
      std::vector<PlannedValue> values;
      for (const PlannedName& name : form.names) {
        if (!name.member) namer.name(name.attribute, names);
      }
      for (const PlannedValue& value : form.values)
        namer.value(std::string_view(value.placeholder).substr(1), value.source, values);
    }
  }
  if (write_.kind == Write::Kind::kUpsert) {
    if (!table_->type_attribute.empty()) {
      Form form{.section = Section::kSet};
      form.text = fmt::format("{} = {}", namer.name(table_->type_attribute, form.names),
                              namer.value("Type", value_of(text_expression(entity_.type)), form.values));
      request.pieces.push_back(piece_of(std::move(form)));
    }
    for (const Field& field : entity_.fields) {
      const Binding* by = bound(write_.by, field.name);
      const Binding* key = by != nullptr ? by : entity_.in_key(field.name) ? bound(write_.set, field.name) : nullptr;
      if (key != nullptr && !table_->key.contains(field.name))
        set_piece(request, field, {.value = key->value, .trigger_inputs = {}, .adds = false}, namer);
    }
  }
  for (const Field& field : entity_.fields) {
    const auto change = changes_.find(field.name);
    if (change != changes_.end() && !change->second.adds) set_piece(request, field, change->second, namer);
    if (change != changes_.end() && change->second.sum) sum_piece(request, field, change->second, namer);
    if (initial_values_.contains(field.name)) initial_value_piece(request, field, initial_value(field), namer);
    if (write_.kind == Write::Kind::kUpsert && may_create_ && field.counter && (change == changes_.end()))
      initial_value_piece(request, field, number_expression("0"), namer);
  }
  for (const Binding& set : write_.set) {
    if (set.element) member_piece(request, set, namer);
  }
  for (const Binding& add : write_.add) add_piece(request, add, namer);
  for (const Write::Extreme& extreme : write_.extremes) extreme_piece(request, extreme, namer);
  for (const Field& field : entity_.fields) {
    if (!field.revision) continue;
    Form form{.section = Section::kAdd, .effect = Form::Effect::kAmount};
    form.text = fmt::format("{} {}", namer.name(field.name, form.names),
                            namer.value("one", value_of(number_expression("1"), &field), form.values));
    request.pieces.push_back(piece_of(std::move(form)));
  }
  for (const Binding& take : write_.take) {
    const Field* field = entity_.field(take.field);
    if (field == nullptr) continue;
    request.pieces.push_back(set_change(take, Section::kDelete, namer));
    if (field->type.min) limit_refusal(request, *field);
  }
  list_pieces(request, namer);
  entry_pieces(request, namer);
  ttl_piece(request, namer);
}

}  // namespace trestle::design
