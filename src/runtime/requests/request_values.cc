#include "runtime/requests/request_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "model/limits.h"
#include "model/number.h"
#include "runtime/expressions/evaluate.h"
#include "runtime/expressions/operand.h"
#include "runtime/items/item_form.h"
#include "runtime/items/typed_value.h"
#include "runtime/values/moment.h"

namespace trestle::runtime {

using design::Template;
using design::TemplatePart;
using design::ValueSource;

namespace {

constexpr std::string_view kLastCharacter = "\xF4\x8F\xBF\xBF";  // U+10FFFF
constexpr std::string_view kLeastText = "\x01";

std::string greatest_number() {
  return std::string(kNumberDigitsMax, '9') + std::string(kNumberExponentMax + 1 - kNumberDigitsMax, '0');
}

bool is_scalar(const Plain& value) {
  return !value.is(Plain::Kind::kList) && !value.is(Plain::Kind::kSet) && !value.is(Plain::Kind::kMap);
}

// A computed value may be out of the field's range; inputs have already been checked.
bool is_in_range(const design::FieldType& type, const Plain& value) {
  if (!value.is(Plain::Kind::kNumber) || !design::is_numeric(type) || design::is_time(type)) return true;
  if (type.min && compare_numbers(value.string(), std::to_string(*type.min)) < 0) return false;
  return !type.max || compare_numbers(value.string(), std::to_string(*type.max)) <= 0;
}

bool is_in_range(const design::Field& field, const Plain& value) {
  return field.counter || field.revision || is_in_range(field.type, value);
}

// A value computed from the item conflicts with the item's state; an input is invalid.
Refused out_of_range(const design::Request& request, const ValueSource& source, const std::string& field) {
  if (source.expression.is(design::Expression::Kind::kInput))
    return refused_inputs({{.field = source.expression.text, .reason = "would leave its range"}});
  return {.status = 409, .message = fmt::format("`{}` of {} would leave its range.", field, request.entity->name)};
}

// A counter takes any amount, so its values need not be whole numbers.
const design::FieldType& value_type(const design::Field& field) {
  static const design::FieldType number{.base = design::BaseType::kNumber};
  return field.counter ? number : field.type;
}

// A computed collection that would have too many or too few members conflicts with the item's state, like a number that
// would leave its range. DynamoDB has no empty sets: an optional set without members is absent.
Outcome<void> check_size(const design::Request& request, const ValueSource& source, const design::Field& field,
                         const Plain& value) {
  const design::FieldType& type = field.type;
  const bool is_set = type.base == design::BaseType::kSet;
  const bool is_list = value.is(Plain::Kind::kList) || value.is(Plain::Kind::kSet);
  if (source.expression.is(design::Expression::Kind::kInput)) return {};
  if (!(is_list && (is_set || type.base == design::BaseType::kList)) &&
      !(value.is(Plain::Kind::kMap) && type.base == design::BaseType::kMap))
    return {};
  const size_t size = !is_list ? value.members().size()
                      : is_set ? Plain::set(value.elements()).elements().size()
                               : value.elements().size();
  if (is_set && size == 0 && (field.optional || !type.min)) return {};
  const auto count = static_cast<int64_t>(size);
  if ((!type.min || count >= *type.min) && (!type.max || count <= *type.max)) return {};
  return refuse(409, fmt::format("`{}` of {} must have {} members.", field.name, request.entity->name,
                                 type.min && type.max ? fmt::format("between {} and {}", *type.min, *type.max)
                                 : type.min           ? fmt::format("at least {}", *type.min)
                                                      : fmt::format("at most {}", *type.max)));
}

// The value of a map member that is set or added to, in the type of the map's members.
Outcome<Plain> member_value(const RequestParts& parts, const design::Request& request, const ValueSource& source,
                            Plain value) {
  if (!value.exists() || source.member_type == nullptr) return value;
  const bool is_input = source.expression.is(design::Expression::Kind::kInput);
  const std::string name = is_input ? source.expression.text : source.map != nullptr ? source.map->name : "value";
  TRY_INTO(value, convert_to_type(parts.design, *source.member_type, std::move(value), name));
  if (source.map != nullptr && !is_in_range(*source.member_type, value))
    return std::unexpected(out_of_range(request, source, source.map->name));
  return value;
}

Value key_value(std::string_view text, ValueType type) {
  switch (type) {
    case ValueType::kNumber: {
      const auto number = canonical_number(text);
      return Value::number(number ? std::string_view(*number) : std::string_view("0"));
    }
    case ValueType::kBinary:
      return Value::binary(text);
    default:
      return Value::string(text);
  }
}

// Whether the value equals the one in the item that is updated or copied. Another program may have stored it in a form
// that the field's type does not have; it is then kept unchanged.
bool is_as_stored(const RequestParts& parts, const design::Request& request, std::string_view field,
                  const Plain& value) {
  for (const std::string& step : {request.current, request.extras_from}) {
    const Plain* item = step.empty() ? nullptr : parts.name(step);
    if (item != nullptr && item->is(Plain::Kind::kMap) && item->member(field) == value) return true;
  }
  return false;
}

// Renders a key by its template. If `last` is not null, it is the value of the last field. Nothing if a field is
// missing.
Outcome<std::optional<std::string>> key_text_of(const RequestParts& parts, const PreparedRequest& prepared,
                                                const Template& key, const Plain& fields, const Plain* last = nullptr) {
  const design::Entity* entity = prepared.request.entity;
  std::string text;
  for (size_t i = 0; i < key.parts.size(); ++i) {
    const TemplatePart& part = key.parts[i];
    if (part.is_literal()) {
      text += part.literal;
      continue;
    }
    std::string value;
    const design::FieldType* type = nullptr;
    const design::Shard* shard = entity == nullptr ? nullptr : entity->shard(part.field);
    if (shard != nullptr) {
      if (prepared.request.fan_out && parts.shard) {
        value = std::to_string(*parts.shard);
      } else {
        const Plain& of = fields.member(shard->of);
        const design::Field* field = entity->field(shard->of);
        if (!of.exists() || field == nullptr) return std::nullopt;
        const auto counts = parts.state.shard_counts.find(shard->field);
        const std::string hashed = key_text(field->type, of);
        value =
            std::to_string(counts != parts.state.shard_counts.end() ? counts->second->shard_of(hashed)
                                                                    : ShardCounts(*shard, Plain()).shard_of(hashed));
      }
    } else {
      const Plain& field_value = last != nullptr && i + 1 == key.parts.size() ? *last : fields.member(part.field);
      const bool raw = prepared.request.raw;
      const design::Field* field = raw || entity == nullptr ? nullptr : entity->field(part.field);
      if (!field_value.exists() || (field == nullptr && !raw)) return std::nullopt;
      value = raw ? text_of(field_value).value_or("") : key_text(field->type, field_value);
      if (field != nullptr) type = &field->type;
    }
    text += design::render(part, value, type);
  }
  return text;
}

// An index entry exists if and only if all fields of its templates exist and its condition holds. A required field that
// the plan did not read exists in every item and is not changed by this write.
Outcome<bool> entry_exists(const RequestParts& parts, const PreparedRequest& prepared, const design::IndexEntry& entry,
                           const Plain& fields) {
  const auto is_unchanged = [&](const std::string& name) {
    const design::Field* field = prepared.request.entity->field(name);
    return field != nullptr && !field->optional &&
           std::ranges::none_of(prepared.request.fields,
                                [&](const design::FieldValue& known_value) { return known_value.name == name; });
  };
  for (const Template& key : entry.key) {
    for (const TemplatePart& part : key.parts) {
      if (part.is_literal()) continue;
      const design::Shard* shard = prepared.request.entity->shard(part.field);
      const std::string& name = shard == nullptr ? part.field : shard->of;
      if (!fields.member(name).exists() && !is_unchanged(name)) return false;
    }
  }
  if (!entry.condition) return true;
  return holds(*entry.condition, parts.scope(&fields));
}

// The number of digits that Unix times of the type have in text keys, which are in the order of the times only if all
// have the same number.
size_t epoch_digits(const design::FieldType& type) { return type.resolution_ms == 1 ? 13 : 10; }

Outcome<void> check_epochs(const PreparedRequest& prepared, const Template& key, const Plain& fields) {
  const design::Entity* entity = prepared.request.entity;
  for (const TemplatePart& part : key.parts) {
    const design::Field* field = entity == nullptr || part.is_literal() ? nullptr : entity->field(part.field);
    if (field == nullptr || field->type.base != design::BaseType::kEpoch) continue;
    const Plain& value = fields.member(field->name);
    if (part.format.kind != design::Format::Kind::kPlain || !value.is(Plain::Kind::kNumber)) continue;
    const std::string text = key_text(field->type, value);
    if (text.size() == epoch_digits(field->type) && is_digit(text[0])) continue;
    return std::unexpected(refused_inputs(
        {{.field = field->name,
          .reason = "must be a time from September 2001 to November 2286, because it is part of a key"}}));
  }
  return {};
}

Outcome<std::optional<Value>> range_end(const RequestParts& parts, const PreparedRequest& prepared,
                                        const ValueSource& source, const Plain& fields) {
  const bool from = source.kind == ValueSource::Kind::kKeyFrom;
  TRY_INTO(Plain end, evaluate(source.expression, parts.scope(&fields)));
  if (end.exists() && source.field != nullptr) {
    TRY_INTO(end, convert_to_type(parts.design, value_type(*source.field), std::move(end), source.field->name));
  }
  if (end.exists()) {
    if (source.stored == ValueType::kString && source.field != nullptr && end.is(Plain::Kind::kNumber) &&
        source.field->type.base == design::BaseType::kEpoch) {
      // Outside the times that keys contain, an end before or after all of them.
      const std::string greatest(epoch_digits(source.field->type), '9');
      if (compare_numbers(end.string(), "1" + std::string(greatest.size() - 1, '0')) < 0) end = Plain::number(0);
      if (compare_numbers(end.string(), greatest) > 0) end = Plain::number(from ? greatest + "9" : greatest);
    }
    TRY_INTO(auto text, key_text_of(parts, prepared, source.key, fields, &end));
    if (!text) return std::nullopt;
    if (!from && source.more_follows && source.stored == ValueType::kString)
      text->append(source.delimiter).append(kLastCharacter);
    return key_value(*text, source.stored);
  }
  if (source.stored == ValueType::kNumber) return Value::number((from ? "-" : "") + greatest_number());
  Template start = source.key;
  if (!start.parts.empty() && !start.parts.back().is_literal()) start.parts.pop_back();
  TRY_INTO(auto text, key_text_of(parts, prepared, start, fields));
  if (!text) return std::nullopt;
  if (!from) *text += kLastCharacter;
  if (text->empty()) *text = kLeastText;
  return key_value(*text, source.stored);
}

bool is_range_key(const design::Table& table, std::string_view attribute) {
  const auto has = [&](const KeySchema& key) {
    return std::ranges::find(key.range, attribute, &KeyAttribute::name) != key.range.end();
  };
  return has(table.key) || std::ranges::any_of(table.indexes, [&](const auto& index) { return has(index.key); });
}

}  // namespace

// Not NULL, because `<` and begins_with() do not accept it.
Value absent_value(const ValueSource& source) {
  const bool binary = source.stored == ValueType::kBinary || source.stored == ValueType::kBinarySet;
  return binary ? Value::string("(absent)") : Value::binary("(absent)");
}

Outcome<void> check_key_value(const PreparedRequest& prepared, const ValueSource& source, std::string_view attribute,
                              const Plain& fields, const std::optional<Value>& value) {
  using Kind = ValueSource::Kind;
  const bool is_key = source.kind == Kind::kKey || source.kind == Kind::kKeyFrom || source.kind == Kind::kKeyTo;
  if (!is_key || !value || value->view().type() == ValueType::kNumber) return {};
  if (prepared.table == nullptr) return {};
  std::string_view text = value->view().scalar();
  if (source.kind == Kind::kKeyTo && text.size() > kLastCharacter.size() && text.ends_with(kLastCharacter))
    text.remove_suffix(kLastCharacter.size());
  const size_t bytes = text.size();
  const size_t most = is_range_key(*prepared.table, attribute) ? kRangeKeyBytesMax : kHashKeyBytesMax;
  if (bytes > 0 && bytes <= most) return {};
  std::string longest;
  size_t longest_bytes = 0;
  for (const std::string& name : source.key.fields()) {
    const Plain& field = fields.member(name);
    const bool has_bytes = field.is(Plain::Kind::kText) || field.is(Plain::Kind::kBinary);
    const size_t size = has_bytes ? field.string().size() : 0;
    if (longest.empty() || size > longest_bytes) longest = name;
    longest_bytes = std::max(longest_bytes, size);
  }
  return std::unexpected(
      refused_inputs({{.field = longest,
                       .reason = bytes == 0 ? "must not be empty, because it is a key"
                                            : fmt::format("is too long for a key, whose limit is {} bytes", most)}}));
}

// The key attribute that the key condition compares with the planned value.
static std::string_view key_attribute_of(const design::Request& request, const design::PlannedValue& planned) {
  const auto is_range_end = planned.source.kind != ValueSource::Kind::kKey;
  for (const design::PlannedName& name : request.names) {
    const bool is_same =
        std::string_view(name.placeholder).substr(1) == std::string_view(planned.placeholder).substr(1);
    if (is_same || (is_range_end && request.key_condition.contains(name.placeholder + " BETWEEN")))
      return name.attribute;
  }
  return {};
}

// Whether a condition of the request checks the number's range and no value is computed from it. Another update of the
// item in the same transaction may then bring it back into its range.
static bool is_summed_within_range(const design::Request& request, const std::string& field) {
  return !request.computed_from.contains(field) && std::ranges::any_of(request.pieces, [&](const design::Piece& piece) {
    return piece.cause == design::Cause::kRange && piece.forms[0].names[0].attribute == field;
  });
}

Outcome<Plain> fields_of(const RequestParts& parts, const PreparedRequest& prepared, const Plain* owner,
                         const Plain* member) {
  const design::RequestKind kind = prepared.request.kind;
  const bool writes = kind == design::RequestKind::kPutItem || kind == design::RequestKind::kUpdateItem;
  Plain fields = Plain::map();
  if (member != nullptr) fields.set("member", *member);
  for (const design::FieldValue& planned_field : prepared.request.fields) {
    const bool is_member =
        member != nullptr && prepared.request.each != nullptr && planned_field.name == prepared.request.each->member;
    if (owner != nullptr && !is_member) {
      const Plain& has = owner->member(planned_field.name);
      if (!has.is_absent()) {
        fields.set(planned_field.name, has);
        continue;
      }
    }
    TRY_INTO(Plain value, evaluate(planned_field.source.expression, parts.scope(&fields)));
    // The key of a child that goes away contains the member as the owner has it.
    const bool is_old_member = is_member && prepared.request.follows == design::Request::Follows::kOldValue;
    if (value.exists() && planned_field.field != nullptr && !is_old_member &&
        !is_as_stored(parts, prepared.request, planned_field.name, value)) {
      if (writes) TRY(check_size(prepared.request, planned_field.source, *planned_field.field, value));
      TRY_INTO(value,
               convert_to_type(parts.design, value_type(*planned_field.field), std::move(value), planned_field.name));
      if (writes && !is_in_range(*planned_field.field, value) &&
          !is_summed_within_range(prepared.request, planned_field.name)) {
        return std::unexpected(out_of_range(prepared.request, planned_field.source, planned_field.name));
      }
    }
    if (!value.is_absent()) fields.set(planned_field.name, std::move(value));
  }
  return fields;
}

static std::unexpected<Refused> unnamed_member(const design::Expression& name) {
  constexpr std::string_view kReason = "must not be empty: it names a member of a map";
  if (name.is(design::Expression::Kind::kInput))
    return std::unexpected(refused_inputs({{.field = name.text, .reason = std::string(kReason)}}));
  return std::unexpected(
      Refused{.status = 400, .message = fmt::format("`{}` {}.", design::expression_text(name), kReason)});
}

Outcome<std::string> member_name(const RequestParts& parts, const design::Expression& expression, const Plain& fields) {
  TRY_INTO(const Plain name, evaluate(expression, parts.scope(&fields)));
  switch (name.kind()) {
    case Plain::Kind::kText:
    case Plain::Kind::kNumber:
      if (name.string().empty()) return unnamed_member(expression);
      return name.string();
    case Plain::Kind::kBool:
      return std::string(name.truth() ? "true" : "false");
    case Plain::Kind::kMoment:
      return time_text(name.integer(), 1000);
    default:
      return refuse(400, fmt::format("`{}` is not a name for a member of a map.", design::expression_text(expression)));
  }
}

Outcome<std::optional<Value>> value_of(const RequestParts& parts, const PreparedRequest& prepared,
                                       const ValueSource& source, const Plain& fields, design::Section section) {
  switch (source.kind) {
    case ValueSource::Kind::kKey: {
      if (source.entry != nullptr) {
        TRY_INTO(const bool exists, entry_exists(parts, prepared, *source.entry, fields));
        if (!exists) return std::nullopt;
      }
      TRY_INTO(const auto text, key_text_of(parts, prepared, source.key, fields));
      if (!text) return std::nullopt;
      if (source.stored == ValueType::kString) TRY(check_epochs(prepared, source.key, fields));
      return key_value(*text, source.stored);
    }
    case ValueSource::Kind::kKeyFrom:
    case ValueSource::Kind::kKeyTo:
      return range_end(parts, prepared, source, fields);
    case ValueSource::Kind::kExpiry: {
      TRY_INTO(Plain time, evaluate(source.expression, parts.scope(&fields)));
      return expiry_value(parts.design, std::move(time));
    }
    case ValueSource::Kind::kMapOf: {
      TRY_INTO(const std::string member, member_name(parts, *source.member, fields));
      TRY_INTO(Plain value, evaluate(source.expression, parts.scope(&fields)));
      TRY_INTO(value, member_value(parts, prepared.request, source, std::move(value)));
      if (!value.exists()) return std::nullopt;
      return to_value(Plain::map({{member, std::move(value)}}), ValueType::kMap);
    }
    case ValueSource::Kind::kExpression:
      break;
  }
  Plain value;
  ValueType stored = source.stored;
  // A value that the field cannot have equals none of its values. It is compared as it is.
  const auto convert = [&](const design::FieldType& type, Plain from, const std::string& name) -> Outcome<Plain> {
    if (!source.is_compared) return convert_to_type(parts.design, type, std::move(from), name);
    auto converted = design::is_time(type) ? convert_compared_time(parts.design, type, from, name, source.rounding)
                                           : convert_to_type(parts.design, type, from, name);
    if (converted || converted.error().status != 400) return converted;
    stored = natural_type(from, ValueType::kString);
    return from;
  };
  if (const auto field = prepared.field_of.find(&source); field != prepared.field_of.end()) {
    value = fields.member(prepared.request.fields[field->second].name);
  } else {
    TRY_INTO(value, evaluate(source.expression, parts.scope(&fields)));
    if (value.exists() && source.field != nullptr) {
      const design::FieldType* type = &value_type(*source.field);
      const bool many = type->base == design::BaseType::kSet || type->base == design::BaseType::kList;
      if (many && is_scalar(value)) {
        // A single member, to be added to a set or compared by a condition.
        if (section == design::Section::kAdd || section == design::Section::kDelete) {
          value = Plain::set({std::move(value)});
        } else {
          type = type->element.get();
          stored = design::stored_type(*type);
        }
      }
      if (!is_as_stored(parts, prepared.request, source.field->name, value)) {
        if (section == design::Section::kSet) TRY(check_size(prepared.request, source, *source.field, value));
        TRY_INTO(value, convert(*type, std::move(value), source.field->name));
      }
    }
  }
  if (!value.exists()) return std::nullopt;
  if (value.is(Plain::Kind::kSet) && value.elements().empty()) return std::nullopt;
  if (source.member_type != nullptr) {
    stored = design::stored_type(*source.member_type);
    if (source.is_compared) {
      TRY_INTO(value, convert(*source.member_type, std::move(value), "value"));
    } else {
      TRY_INTO(value, member_value(parts, prepared.request, source, std::move(value)));
    }
    if (!value.exists()) return std::nullopt;
    return to_value(value, stored);
  }
  if (source.field == nullptr) {
    const bool exact = source.is_compared && value.is(Plain::Kind::kMoment) && value.integer() % 1000 != 0;
    if (value.is(Plain::Kind::kMoment)) value = Plain::text(time_text(value.integer(), exact ? 1 : 1000));
    return to_value(value, natural_type(value, stored));
  }
  if (source.field->encrypted || source.pack != nullptr || source.spill != nullptr) {
    TRY_INTO(const auto key, key_of(parts, prepared, fields));
    return parts.codec.encode(*prepared.request.entity, *source.field, source.pack, source.spill, value,
                              parts.codec.owner(*prepared.request.entity, key ? key->view() : ItemView()));
  }
  return to_value(value, stored);
}

Outcome<std::optional<Item>> key_of(const RequestParts& parts, const PreparedRequest& prepared, const Plain& fields) {
  std::vector<Value> values;
  values.reserve(prepared.request.key.size());
  std::vector<Field> attributes;
  for (const design::PlannedValue& part : prepared.request.key) {
    TRY_INTO(auto value, value_of(parts, prepared, part.source, fields));
    if (!value) return std::nullopt;
    TRY(check_key_value(prepared, part.source, part.placeholder, fields, value));
    // A field that is part of a key must not be empty, even if the key as a whole is not.
    for (const TemplatePart& piece : part.source.key.parts) {
      const Plain& field = fields.member(piece.field);
      if (!piece.is_literal() && field.is(Plain::Kind::kText) && field.string().empty())
        return std::unexpected(
            refused_inputs({{.field = piece.field, .reason = "must not be empty, because it is part of a key"}}));
    }
    values.push_back(std::move(*value));
    attributes.push_back({part.placeholder, values.back().view()});
  }
  return Item(std::move(attributes));
}

Outcome<std::optional<GetItemRequest>> get_request(const RequestParts& parts, const PreparedRequest& prepared) {
  TRY_INTO(const Plain fields, fields_of(parts, prepared));
  TRY_INTO(auto key, key_of(parts, prepared, fields));
  if (!key) return std::nullopt;
  GetItemRequest request{.table_name = prepared.request.table, .key = std::move(*key)};
  request.consistent_read = prepared.request.consistent;
  if (!prepared.projection.empty()) {
    request.projection.expression = prepared.projection;
    request.names = prepared.names;
  }
  return request;
}

Outcome<std::optional<QueryRequest>> query_request(const RequestParts& parts, const PreparedRequest& prepared,
                                                   const Plain& fields, bool descending) {
  const design::Request& request = prepared.request;
  QueryRequest query;
  query.table_name = request.table;
  if (!request.index.empty()) query.index_name = request.index;
  if (request.kind == design::RequestKind::kQuery) query.key_condition_expression = request.key_condition;
  if (!request.filter.empty()) query.filter_expression = request.filter;
  if (!prepared.projection.empty() && !request.reads_again) query.projection.expression = prepared.projection;
  query.consistent_read = request.consistent;
  query.scan_index_forward = !descending;
  NameMap names = prepared.names;
  for (const design::PlannedName& name : request.names) {
    if (!name.member) continue;
    TRY_INTO(std::string member, member_name(parts, *name.member, fields));
    names.emplace_back(name.placeholder, std::move(member));
  }
  if (!names.empty()) query.placeholders.names = std::move(names);
  ValueMap values;
  size_t from = 0, to = 0;  // index + 1 in `values`; 0: none
  for (const design::PlannedValue& planned : request.values) {
    TRY_INTO(auto value, value_of(parts, prepared, planned.source, fields));
    const bool of_key =
        planned.source.kind != ValueSource::Kind::kExpression && planned.source.kind != ValueSource::Kind::kExpiry;
    if (!value && of_key) return std::nullopt;
    TRY(check_key_value(prepared, planned.source, key_attribute_of(request, planned), fields, value));
    values.emplace_back(planned.placeholder, value ? std::move(*value) : absent_value(planned.source));
    if (planned.source.kind == ValueSource::Kind::kKeyFrom) from = values.size();
    if (planned.source.kind == ValueSource::Kind::kKeyTo) to = values.size();
  }
  if (from != 0 && to != 0) {
    const auto order = compare(values[from - 1].second, values[to - 1].second);
    if (order && *order > 0) return std::nullopt;
  }
  if (!values.empty()) query.placeholders.values = std::move(values);
  return query;
}

}  // namespace trestle::runtime
