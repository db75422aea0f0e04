// One item: its computed attributes and its children; a child and its owner.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/evaluate.h"
#include "runtime/plain_json.h"
#include "runtime/typed_value.h"
#include "runtime/verify_impl.h"

namespace trestle::runtime {
namespace {

std::string words_of(const std::optional<ValueView>& value) {
  return value ? plain_json(to_plain(*value)) : std::string("absent");
}

}  // namespace

// Fields as they are stored, also where a damaged key attribute hides one that the key's template would give.
Plain Verification::fields_of(const design::Entity& entity, ItemView item) const {
  return codec_.decode_plain_fields(entity, item);
}

Outcome<bool> Verification::judge_attributes(const design::Table& table, const design::Entity& entity, ItemView item,
                                             const Plain& fields, bool tells) {
  TRY_INTO(const auto formed, form_.computed(entity, fields, clock_.now_ms()));
  struct Wrong {
    std::string name;
    std::optional<Value> should;
  };
  std::vector<Wrong> wrong;
  std::string kind, words;
  for (const FormedAttribute& attribute : formed) {
    const auto is = item.find(attribute.name);
    const bool same = is.has_value() == attribute.value.has_value() && (!is || *is == attribute.value->view());
    if (same) continue;
    if (!tells) return false;
    if (kind.empty())
      kind = table.key.contains(attribute.name)       ? "key"
             : attribute.name == table.type_attribute ? "type"
             : attribute.name == table.ttl_attribute  ? "ttl"
                                                      : "index";
    words += fmt::format("{}{} is {}, should be {}", words.empty() ? "" : "; ", attribute.name, words_of(is),
                         words_of(attribute.value ? std::optional(attribute.value->view()) : std::nullopt));
    wrong.push_back({attribute.name, attribute.value});
  }
  if (wrong.empty()) return true;
  Fault fault{.kind = kind, .table = table.name, .item = key_words(table, item), .words = words};
  if (options_.repair && kind == "key") {
    ItemEditor moved(item);
    for (const Wrong& one : wrong) {
      if (one.should)
        moved.set(one.name, *one.should);
      else
        moved.remove(one.name);
    }
    TRY_INTO(const std::string why, move_unchanged(table, item, moved.build()));
    fault.repaired = why.empty();
    fault.repair = why.empty() ? "it was moved to its key" : why;
  } else if (options_.repair) {
    UpdateItemRequest request{.table_name = table.name, .key = key_of(table, item)};
    std::string set, remove, condition;
    NameMap names;
    ValueMap values;
    for (size_t i = 0; i < wrong.size(); ++i) {
      const std::string name = fmt::format("#n{}", i);
      names.emplace_back(name, wrong[i].name);
      if (wrong[i].should) {
        set += fmt::format("{}{} = :v{}", set.empty() ? "SET " : ", ", name, i);
        values.emplace_back(fmt::format(":v{}", i), *wrong[i].should);
      } else {
        remove += fmt::format("{}{}", remove.empty() ? " REMOVE " : ", ", name);
      }
      const auto is = item.find(wrong[i].name);
      condition += condition.empty() ? "" : " AND ";
      if (is) {
        condition += fmt::format("{} = :o{}", name, i);
        values.emplace_back(fmt::format(":o{}", i), Value(*is));
      } else {
        condition += fmt::format("attribute_not_exists({})", name);
      }
    }
    // The fields that they were computed from must still be the same.
    size_t more = 0;
    for (const auto& [name, plain] : fields.members()) {
      const auto is = item.find(name);
      const bool is_wrong =
          std::any_of(wrong.begin(), wrong.end(), [&, &field = name](const Wrong& one) { return one.name == field; });
      if (!is || !is_scalar(is->type()) || is_wrong || table.key.contains(name)) continue;
      condition += fmt::format(" AND #f{} = :f{}", more, more);
      names.emplace_back(fmt::format("#f{}", more), name);
      values.emplace_back(fmt::format(":f{}", more), Value(*is));
      ++more;
    }
    request.update_expression = set + remove;
    request.condition.expression = condition;
    request.placeholders.names = std::move(names);
    if (!values.empty()) request.placeholders.values = std::move(values);
    const auto done = database_.update_item(request);
    if (!done && done.error().code != ErrorCode::kConditionalCheckFailed)
      return std::unexpected(refused_by(done.error()));
    fault.repaired = done.has_value();
    fault.repair = done ? "the attributes were set" : "it was changed meanwhile";
  }
  found(std::move(fault));
  return false;
}

// The child of one member: its other fields are the owner's of the same name.
Outcome<std::optional<Item>> Verification::child_item(const design::Entity& child, const design::Each& each,
                                                      const Plain& owner, const Plain& member) {
  Plain fields = Plain::map();
  for (const design::Field& field : child.fields) {
    const Plain& is = field.name == each.member ? member : owner.member(field.name);
    if (is.exists()) fields.set(field.name, is);
  }
  const int64_t now_ms = clock_.now_ms();
  TRY_INTO(const auto formed, form_.computed(child, fields, now_ms));
  std::vector<std::pair<std::string, Value>> values;
  for (const FormedAttribute& attribute : formed) {
    if (attribute.value) values.emplace_back(attribute.name, *attribute.value);
  }
  for (const auto& [name, plain] : fields.members()) {
    const auto same = [&, &field = name](const auto& one) { return one.first == field; };
    if (std::any_of(values.begin(), values.end(), same)) continue;
    TRY_INTO(Value value, to_value(plain, design::stored_type(child.field(name)->type)));
    values.emplace_back(name, std::move(value));
  }
  const design::Table& table = *design_.table(child.table);
  std::vector<Field> attributes;
  for (const auto& [name, value] : values) attributes.push_back({name, value});
  Item made(std::move(attributes));
  if (key_of(table, made).attributes().size() != table.key.hash.size() + table.key.range.size()) return std::nullopt;
  return made;
}

Outcome<bool> Verification::judge_children(const design::Table& table, const design::Entity& entity, ItemView item,
                                           const Plain& fields, bool tells) {
  bool good = true;
  for (const design::Each& each : entity.eaches) {
    const design::Entity* child = design_.entity(each.entity);
    if (child == nullptr) continue;
    const design::Table& where = *design_.table(child->table);
    for (const Plain& member : elements_of(fields.member(each.field))) {
      TRY_INTO(const auto should, child_item(*child, each, fields, member));
      if (!should) continue;
      TRY_INTO(const auto is, get(where.name, key_of(where, *should)));
      // What is made at its own time, or from other attributes, is not its owner's to say.
      const auto as_it_should = [&](const Field& attribute) {
        const design::Field* field = child->field(attribute.name);
        if (field == nullptr || field->automatic || field->touched || field->counter || field->revision) return true;
        const auto has = is->find(attribute.name);
        return has && *has == attribute.value;
      };
      bool agrees = is.has_value();
      if (is) {
        for (const Field& attribute : should->attributes()) agrees = agrees && as_it_should(attribute);
      }
      if (agrees) continue;
      good = false;
      if (!tells) return false;
      Fault fault{.kind = "child",
                  .table = table.name,
                  .item = key_words(table, item),
                  .words = fmt::format("its {} for {} ({}) {}", child->name, plain_json(member),
                                       key_words(where, *should), is ? "says otherwise" : "is missing")};
      if (options_.repair) {
        // One that says otherwise is made anew, unless it was changed since.
        std::string why;
        if (is) {
          TRY_INTO(why, delete_unchanged(where, *is));
        }
        if (why.empty()) {
          TRY_INTO(why, put_missing(where.name, *should));
        }
        fault.repaired = why.empty();
        fault.repair = why.empty() ? fmt::format("the {} was made", child->name) : why;
      }
      found(std::move(fault));
    }
  }
  return good;
}

Outcome<bool> Verification::judge_child(const design::Table& table, const design::Entity& entity, ItemView item,
                                        const Plain& fields, bool tells) {
  for (const design::Entity& owner : design_.entities) {
    for (const design::Each& each : owner.eaches) {
      if (each.entity != entity.name) continue;
      TRY_INTO(const auto key, form_.key(owner, fields, clock_.now_ms()));
      std::string words = "it does not name its owner";
      if (key) {
        TRY_INTO(const auto is, get(owner.table, *key));
        const design::Table& where = *design_.table(owner.table);
        if (!is) {
          words = fmt::format("its {} ({}) is not there", owner.name, key_words(where, *key));
        } else {
          const Plain::List members = elements_of(fields_of(owner, *is).member(each.field));
          const Plain& mine = fields.member(each.member);
          if (std::find(members.begin(), members.end(), mine) != members.end()) continue;
          words = fmt::format("its {} ({}) no longer has {}", owner.name, key_words(where, *key), plain_json(mine));
        }
      }
      if (!tells) return false;
      Fault fault{.kind = "orphan-child", .table = table.name, .item = key_words(table, item), .words = words};
      if (options_.repair) {
        TRY_INTO(const std::string why, delete_unchanged(table, item));
        fault.repaired = why.empty();
        fault.repair = why.empty() ? "it was deleted" : why;
      }
      found(std::move(fault));
      return false;
    }
  }
  return true;
}

}  // namespace trestle::runtime
