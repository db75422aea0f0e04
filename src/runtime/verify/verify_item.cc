// Verification of one item: its fields, its computed attributes, its children, and the owner of a child.
#include <fmt/format.h>

#include <algorithm>

#include "design/plan/plan.h"
#include "design/plan/stored_attributes.h"
#include "model/number.h"
#include "runtime/expressions/evaluate.h"
#include "runtime/items/typed_value.h"
#include "runtime/values/plain_json.h"
#include "runtime/verify/verify_impl.h"

namespace trestle::runtime {
namespace {

bool is_key_attribute(const design::Table& table, std::string_view name) {
  return std::ranges::any_of(design::key_attributes(table),
                             [&](const KeyAttribute& attribute) { return attribute.name == name; });
}

bool is_out_of_range(const design::FieldType& type, const Plain& value) {
  if (!value.is(Plain::Kind::kNumber) || !design::is_numeric(type) || design::is_time(type)) return false;
  const auto order = [&](int64_t bound) { return compare_numbers(value.string(), std::to_string(bound)); };
  return (type.min && order(*type.min) < 0) || (type.max && order(*type.max) > 0);
}

}  // namespace

std::string value_words(const std::optional<ValueView>& value) {
  return value ? plain_json(to_plain(*value)) : std::string("absent");
}

// Reports attributes whose type is not the one that the design stores. A repair converts a list to a set or a set to a
// list.
Outcome<bool> Verification::verify_types(const design::Table& table, const design::Entity& entity, ItemView item,
                                         bool reports) {
  bool good = true;
  for (const design::Field& field : entity.fields) {
    const auto actual = item.find(field.name);
    const ValueType expected = design::stored_type(field.type);
    if (!actual || field.type.base == design::BaseType::kAny || design::is_stored_closed(entity, field)) continue;
    if (actual->type() == expected || actual->type() == ValueType::kNull || is_key_attribute(table, field.name))
      continue;
    good = false;
    if (!reports) return false;
    Fault fault{.kind = "field",
                .table = table.name,
                .item = key_words(table, item),
                .words = fmt::format("`{}` is {} of type {}, should be {}", field.name, plain_json(to_plain(*actual)),
                                     type_name(actual->type()), type_name(expected))};
    if (repairs()) {
      std::string why = "left unchanged";
      const Plain decoded = codec_.decode_plain_fields(entity, item).member(field.name);
      const bool converts = actual->type() == ValueType::kList || expected == ValueType::kList;
      const auto result = to_value(decoded, expected);
      if (converts && result && result->view().type() == expected && !elements_of(decoded).empty()) {
        ItemEditor editor(item);
        editor.set(field.name, *result);
        TRY_INTO(why, replace_unchanged(table.name, item, editor.build()));
      }
      fault.repaired = why.empty();
      fault.repair = why.empty() ? "it was converted" : why;
    }
    const bool repaired = fault.repaired;
    report(std::move(fault));
    if (repaired) return false;  // the stored item has changed
  }
  return good;
}

// Reports missing required fields, numbers out of range, and collections that are too large. They are not repaired,
// since only the application knows the right values.
Outcome<bool> Verification::verify_values(const design::Table& table, const design::Entity& entity, ItemView item,
                                          const Plain& fields, bool reports) {
  std::string words;
  for (const design::Field& field : entity.fields) {
    const Plain& actual = fields.member(field.name);
    const bool is_generated = field.automatic || field.touched || field.counter || field.revision ||
                              field.default_value || !field.sha256_of.empty() ||
                              field.extreme != design::Field::Extreme::kNone ||
                              field.type.base == design::BaseType::kSet;
    std::string fault;
    if (!actual.exists()) {
      if (!field.optional && !is_generated && !is_unopened(field.name))
        fault = fmt::format("`{}` is missing", field.name);
    } else if (!field.counter) {
      if (is_out_of_range(field.type, actual))
        fault = fmt::format("`{}` is {}, out of its range", field.name, actual.string());
    }
    const size_t members = actual.is(Plain::Kind::kMap)                                    ? actual.members().size()
                           : actual.is(Plain::Kind::kSet) || actual.is(Plain::Kind::kList) ? actual.elements().size()
                                                                                           : 0;
    const bool is_collection = field.type.base == design::BaseType::kMap || field.type.base == design::BaseType::kSet ||
                               field.type.base == design::BaseType::kList;
    if (fault.empty() && is_collection && field.type.max && members > static_cast<size_t>(*field.type.max))
      fault = fmt::format("`{}` has {} members, more than {}", field.name, members, *field.type.max);
    if (fault.empty() && is_collection && actual.exists() && field.type.min &&
        members < static_cast<size_t>(*field.type.min))
      fault = fmt::format("`{}` has {} members, fewer than {}", field.name, members, *field.type.min);
    if (fault.empty() && field.type.base == design::BaseType::kMap && actual.is(Plain::Kind::kMap)) {
      for (const auto& [name, value] : actual.members()) {
        if (fault.empty() && is_out_of_range(*field.type.element, value))
          fault = fmt::format("`{}.{}` is {}, out of its range", field.name, name, value.string());
      }
    }
    if (!fault.empty()) words += (words.empty() ? "" : "; ") + fault;
  }
  if (words.empty()) return true;
  if (reports)
    report({.kind = "field",
            .table = table.name,
            .item = key_words(table, item),
            .words = words,
            .repair = repairs() ? "left unchanged" : ""});
  return false;
}

Outcome<bool> Verification::verify_attributes(const design::Table& table, const design::Entity& entity, ItemView item,
                                              const Plain& fields, bool reports) {
  TRY_INTO(const auto computed, form_.computed_attributes(entity, fields, clock_.now_ms()));
  std::vector<ComputedAttribute> wrong;
  std::string kind, words;
  for (const ComputedAttribute& attribute : computed) {
    const auto actual = item.find(attribute.name);
    const bool same =
        actual.has_value() == attribute.value.has_value() && (!actual || *actual == attribute.value->view());
    if (same) continue;
    // An item that another program wrote without an expiry must stay: setting one that has passed would delete it.
    if (!actual && attribute.name == table.ttl_attribute &&
        compare_numbers(attribute.value->view().scalar(), std::to_string(clock_.now_ms() / 1000)) <= 0)
      continue;
    if (!reports) return false;
    if (kind.empty())
      kind = table.key.contains(attribute.name)       ? "key"
             : attribute.name == table.type_attribute ? "type"
             : attribute.name == table.ttl_attribute  ? "ttl"
                                                      : "index";
    words += fmt::format("{}{} is {}, should be {}", words.empty() ? "" : "; ", attribute.name, value_words(actual),
                         value_words(attribute.value ? std::optional(attribute.value->view()) : std::nullopt));
    wrong.push_back(attribute);
  }
  if (wrong.empty()) return true;
  Fault fault{.kind = kind, .table = table.name, .item = key_words(table, item), .words = words};
  if (repairs()) {
    const bool moves = kind == "key";
    TRY_INTO(const std::string why,
             moves ? correct_key(table, entity, item, fields, wrong) : correct_attributes(table, item, fields, wrong));
    fault.repaired = why.empty();
    fault.repair = !why.empty() ? why : moves ? "it was moved to its key" : "the attributes were set";
  }
  report(std::move(fault));
  return false;
}

Outcome<std::string> Verification::correct_key(const design::Table& table, const design::Entity& entity, ItemView item,
                                               const Plain& fields, const std::vector<ComputedAttribute>& wrong) {
  ItemEditor moved(item);
  // Fields that only the old key contained become attributes.
  std::vector<Value> values;
  values.reserve(entity.fields.size());
  for (const design::Field& field : entity.fields) {
    const Plain& actual = fields.member(field.name);
    if (!actual.exists() || item.find(field.name)) continue;
    TRY_INTO(Value value, to_value(actual, design::stored_type(field.type)));
    values.push_back(std::move(value));
    moved.set(field.name, values.back());
  }
  for (const ComputedAttribute& attribute : wrong) {
    if (attribute.value)
      moved.set(attribute.name, *attribute.value);
    else
      moved.remove(attribute.name);
  }
  return move_unchanged(table, item, moved.build());
}

Outcome<std::string> Verification::correct_attributes(const design::Table& table, ItemView item, const Plain& fields,
                                                      const std::vector<ComputedAttribute>& wrong) {
  UpdateItemRequest request{.table_name = table.name, .key = key_of(table, item)};
  std::string set, remove, condition;
  NameMap names;
  ValueMap values;
  for (size_t i = 0; i < wrong.size(); ++i) {
    const std::string name = fmt::format("#n{}", i);
    names.emplace_back(name, wrong[i].name);
    if (wrong[i].value) {
      set += fmt::format("{}{} = :v{}", set.empty() ? "SET " : ", ", name, i);
      values.emplace_back(fmt::format(":v{}", i), *wrong[i].value);
    } else {
      remove += fmt::format("{}{}", remove.empty() ? " REMOVE " : ", ", name);
    }
    const auto actual = item.find(wrong[i].name);
    condition += condition.empty() ? "" : " AND ";
    if (actual) {
      condition += fmt::format("{} = :o{}", name, i);
      values.emplace_back(fmt::format(":o{}", i), Value(*actual));
    } else {
      condition += fmt::format("attribute_not_exists({})", name);
    }
  }
  // The fields from which the attributes were computed must be unchanged.
  size_t more = 0;
  for (const auto& [name, plain] : fields.members()) {
    const auto actual = item.find(name);
    const bool is_wrong = std::ranges::find(wrong, name, &ComputedAttribute::name) != wrong.end();
    if (!actual || !is_scalar(actual->type()) || is_wrong || table.key.contains(name)) continue;
    condition += fmt::format(" AND #f{} = :f{}", more, more);
    names.emplace_back(fmt::format("#f{}", more), name);
    values.emplace_back(fmt::format(":f{}", more), Value(*actual));
    ++more;
  }
  request.update_expression = set + remove;
  request.condition.expression = condition;
  request.placeholders.names = std::move(names);
  if (!values.empty()) request.placeholders.values = std::move(values);
  const auto done = database_.update_item(request);
  if (done) return std::string();
  if (done.error().code != ErrorCode::kConditionalCheckFailed) return std::unexpected(refused_by(done.error()));
  return std::string("it has changed in the meantime");
}

// The item of a child with these fields; nothing if its key lacks a field.
Outcome<std::optional<Item>> Verification::child_item(const design::Entity& child, const Plain& fields) {
  TRY_INTO(const auto computed, form_.computed_attributes(child, fields, clock_.now_ms()));
  const design::Table& table = *design_.table(child.table);
  std::vector<std::pair<std::string, Value>> values;
  for (const ComputedAttribute& attribute : computed) {
    if (attribute.value) values.emplace_back(attribute.name, *attribute.value);
  }
  std::vector<Field> key;
  for (const auto& [name, value] : values) {
    if (table.key.contains(name)) key.push_back({name, value});
  }
  if (key.size() != table.key.hash.size() + table.key.range.size()) return std::nullopt;
  const std::string owner = codec_.owner(child, Item(std::move(key)));
  for (const auto& [name, plain] : fields.members()) {
    const auto same = [&, &field = name](const auto& computed_value) { return computed_value.first == field; };
    if (std::any_of(values.begin(), values.end(), same)) continue;
    const auto is_of_field = [&, &field = name](const auto& group) { return group.field == field; };
    const auto pack = std::ranges::find_if(child.packs, is_of_field);
    const auto spill = std::ranges::find_if(child.spills, is_of_field);
    TRY_INTO(Value value, codec_.encode(child, *child.field(name), pack == child.packs.end() ? nullptr : &*pack,
                                        spill == child.spills.end() ? nullptr : &*spill, plain, owner));
    values.emplace_back(name, std::move(value));
  }
  std::vector<Field> attributes;
  for (const auto& [name, value] : values) attributes.push_back({name, value});
  return Item(std::move(attributes));
}

// Sets the fields that differ, and the attributes computed from them, on condition that the child is unchanged. The
// child's own fields are kept.
Outcome<std::string> Verification::correct_child(const design::Table& table, const design::Entity& child, ItemView item,
                                                 const Plain& actual, const Plain& expected) {
  Plain fields = actual;
  for (const auto& [name, value] : expected.members()) fields.set(name, value);
  TRY_INTO(const auto result, child_item(child, fields));
  if (!result || key_of(table, *result) != key_of(table, item))
    return std::string("left unchanged: its key would change");
  ItemEditor editor(item);
  TRY_INTO(const auto computed, form_.computed_attributes(child, fields, clock_.now_ms()));
  for (const ComputedAttribute& attribute : computed) {
    if (attribute.value)
      editor.set(attribute.name, *attribute.value);
    else
      editor.remove(attribute.name);
  }
  for (const auto& [name, value] : expected.members()) {
    const auto stored = result->find(name);
    if (stored && actual.member(name) != value) editor.set(name, *stored);
  }
  return replace_unchanged(table.name, item, editor.build());
}

Outcome<bool> Verification::verify_children(const design::Table& table, const design::Entity& entity, ItemView item,
                                            const Plain& fields, bool reports) {
  if (has_expired(table, item, clock_.now_ms())) return true;  // its children may have been deleted before it
  bool good = true;
  for (const design::Each& each : entity.eaches) {
    const design::Entity* child = design_.entity(each.entity);
    if (child == nullptr) continue;
    const design::Table& where = *design_.table(child->table);
    for (const Plain& member : elements_of(fields.member(each.field))) {
      Plain expected = Plain::map();
      for (const design::Field& field : child->fields) {
        const Plain& copied = field.name == each.member ? member : fields.member(field.name);
        // Fields that are generated when the child is written are not copied from the owner.
        const bool own = field.automatic || field.touched || field.counter || field.revision;
        if (copied.exists() && (!own || child->in_key(field.name))) expected.set(field.name, copied);
      }
      TRY_INTO(const auto key, form_.key(*child, expected, clock_.now_ms()));
      if (!key) continue;
      TRY_INTO(const auto actual, get(where.name, *key));
      Plain has = Plain::map();
      bool agrees = actual.has_value();
      if (actual) {
        auto decoded = codec_.decode(*child, *actual);
        if (!decoded) continue;  // reported where the child itself is checked
        has = std::move(*decoded);
        for (const auto& [name, value] : expected.members()) agrees = agrees && has.member(name) == value;
      }
      if (agrees) continue;
      good = false;
      if (!reports) return false;
      Fault fault{.kind = "child",
                  .table = table.name,
                  .item = key_words(table, item),
                  .words = fmt::format("its {} for {} ({}) {}", child->name, plain_json(member), key_words(where, *key),
                                       actual ? "differs" : "is missing")};
      if (repairs()) {
        std::string why;
        if (actual) {
          TRY_INTO(why, correct_child(where, *child, *actual, has, expected));
        } else {
          TRY_INTO(const auto result, child_item(*child, expected));
          if (result) {
            TRY_INTO(why, put_missing(where.name, *result));
          }
        }
        fault.repaired = why.empty();
        fault.repair = !why.empty() ? why : fmt::format("the {} was {}", child->name, actual ? "corrected" : "created");
      }
      report(std::move(fault));
    }
  }
  return good;
}

Outcome<bool> Verification::verify_child(const design::Table& table, const design::Entity& entity, ItemView item,
                                         const Plain& fields, bool reports) {
  if (has_expired(table, item, clock_.now_ms())) return true;  // its owner may have been deleted before it
  for (const design::Entity& owner : design_.entities) {
    for (const design::Each& each : owner.eaches) {
      if (each.entity != entity.name) continue;
      TRY_INTO(const auto key, form_.key(owner, fields, clock_.now_ms()));
      std::string words = "it does not name its owner";
      if (key) {
        TRY_INTO(const auto actual, get(owner.table, *key));
        const design::Table& where = *design_.table(owner.table);
        if (!actual) {
          words = fmt::format("its {} ({}) does not exist", owner.name, key_words(where, *key));
        } else {
          const auto decoded = codec_.decode(owner, *actual);
          if (!decoded) continue;  // the members of an unreadable owner are unknown
          const Plain::List members = elements_of(decoded->member(each.field));
          const Plain& mine = fields.member(each.member);
          if (std::find(members.begin(), members.end(), mine) != members.end()) continue;
          words = fmt::format("its {} ({}) no longer has {}", owner.name, key_words(where, *key), plain_json(mine));
        }
      }
      if (!reports) return false;
      Fault fault{.kind = "orphan-child", .table = table.name, .item = key_words(table, item), .words = words};
      if (repairs()) {
        TRY_INTO(const std::string why, delete_unchanged(table, item));
        fault.repaired = why.empty();
        fault.repair = why.empty() ? "it was deleted" : why;
      }
      report(std::move(fault));
      return false;
    }
  }
  return true;
}

}  // namespace trestle::runtime
