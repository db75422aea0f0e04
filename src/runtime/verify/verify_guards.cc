// Verification of guards: an item must have its guards, and a guard must have an owner.
#include <fmt/format.h>

#include "runtime/verify/verify_impl.h"

namespace trestle::runtime {
namespace {

// The attributes in which the guard differs from what it should be, including the TTL attribute, because a guard must
// not expire before its owner. Attributes unknown to the design are allowed.
std::string differences(const design::Table& table, ItemView actual, const Item& expected) {
  std::string words;
  const auto note = [&](std::string_view name, const std::optional<ValueView>& has,
                        const std::optional<ValueView>& expected_value) {
    words += fmt::format("{}{} is {}, should be {}", words.empty() ? "" : "; ", name, value_words(has),
                         value_words(expected_value));
  };
  for (const Field& field : expected.attributes()) {
    const auto has = actual.find(field.name);
    if (!has || *has != field.value) note(field.name, has, field.value);
  }
  const auto expiry = actual.find(table.ttl_attribute);
  if (expiry && !table.ttl_attribute.empty() && !expected.find(table.ttl_attribute))
    note(table.ttl_attribute, expiry, std::nullopt);
  return words;
}

}  // namespace

Outcome<bool> Verification::verify_guards(const design::Table& table, const design::Entity& entity, ItemView item,
                                          const Plain& fields, bool reports) {
  if (has_expired(table, item, clock_.now_ms())) return true;
  bool good = true;
  for (const design::Guard& guard : entity.unique) {
    TRY_INTO(auto expected, form_.guard_item(entity, guard, fields, clock_.now_ms()));
    if (!expected) continue;
    // A guard expires with its owner.
    if (const auto ttl = item.find(table.ttl_attribute); entity.ttl && ttl) {
      ItemEditor editor(*expected);
      editor.set(table.ttl_attribute, *ttl);
      expected = editor.build();
    }
    TRY_INTO(const auto actual, get(table.name, key_of(table, *expected)));
    const std::string differs = actual ? differences(table, *actual, *expected) : "";
    if (actual && differs.empty()) continue;
    good = false;
    if (!reports) return false;
    Fault fault{.kind = "guard",
                .table = table.name,
                .item = key_words(table, item),
                .words = fmt::format("its guard `{}` ({}) ", guard.name, key_words(table, *expected))};
    std::string why;
    if (!actual) {
      fault.words += "is missing";
      if (repairs()) {
        TRY_INTO(why, put_missing(table.name, *expected));
      }
    } else {
      TRY_INTO(const GuardOwner owner, owner_of(table, entity, guard, *actual));
      const bool another = owner.holds && *owner.key != key_of(table, item);
      fault.words += another
                         ? fmt::format("belongs to another item with the same value ({})", key_words(table, *owner.key))
                         : differs;
      if (repairs() && another) {
        why = "left unchanged: the other item has the value and its guard; give this item another value";
      } else if (repairs()) {
        TRY_INTO(why, replace_unchanged(table.name, *actual, *expected));
      }
    }
    if (repairs()) {
      fault.repaired = why.empty();
      fault.repair = why.empty() ? "the guard was created" : why;
    }
    report(std::move(fault));
  }
  return good;
}

// The owner of a guard, whose key is made of the fields that the guard stores.
Outcome<Verification::GuardOwner> Verification::owner_of(const design::Table& table, const design::Entity& entity,
                                                         const design::Guard& guard, ItemView item) {
  Plain owner_fields = Plain::map();
  for (const std::string& name : guard.keeps) {
    if (const auto value = item.find(entity.guard_attribute(table, guard, name)))
      owner_fields.set(name, to_plain(*value));
  }
  GuardOwner owner;
  TRY_INTO(owner.key, form_.key(entity, owner_fields, clock_.now_ms()));
  if (!owner.key) {
    owner.words = "it does not name its owner";
    return owner;
  }
  TRY_INTO(const auto actual, get(table.name, *owner.key));
  if (!actual) {
    owner.words = fmt::format("its owner ({}) does not exist", key_words(table, *owner.key));
    return owner;
  }
  const auto fields = codec_.decode(entity, *actual);
  if (!fields) {
    owner.holds = true;  // an unreadable item may have the guarded value
    return owner;
  }
  TRY_INTO(const auto guard_key, form_.guard_key(entity, guard, *fields, clock_.now_ms()));
  owner.holds = guard_key && *guard_key == key_of(table, item);
  if (!owner.holds) owner.words = fmt::format("its owner ({}) has another value", key_words(table, *owner.key));
  return owner;
}

Outcome<bool> Verification::verify_guard(const design::Table& table, const ItemKind& kind, ItemView item,
                                         bool reports) {
  if (has_expired(table, item, clock_.now_ms())) return true;  // it is about to be deleted
  TRY_INTO(const GuardOwner owner, owner_of(table, *kind.entity, *kind.guard, item));
  if (owner.holds) return true;
  if (!reports) return false;
  Fault fault{.kind = "orphan-guard",
              .table = table.name,
              .item = key_words(table, item),
              .words = fmt::format("guard `{}` of {}: {}", kind.guard->name, kind.entity->name, owner.words)};
  if (repairs()) {
    TRY_INTO(const std::string why, delete_unchanged(table, item));
    fault.repaired = why.empty();
    fault.repair = why.empty() ? "the guard was deleted" : why;
  }
  report(std::move(fault));
  return false;
}

}  // namespace trestle::runtime
