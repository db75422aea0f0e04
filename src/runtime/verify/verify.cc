#include "runtime/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>

#include "design/plan/plan.h"
#include "runtime/values/ulid.h"
#include "runtime/verify/verify_impl.h"

namespace trestle::runtime {

Outcome<VerifyCounts> verify_design(const design::Design& design, Database& database, const ItemCodec& codec,
                                    const Clock& clock, const VerifyOptions& options,
                                    const std::function<void(const Fault&)>& on_fault) {
  return Verification(design, database, codec, clock, options, on_fault).run();
}

Outcome<VerifyCounts> Verification::run() {
  for (const design::Table& table : design_.tables) {
    TRY(each_item(table, [&](ItemView item) {
      ++counts_.items;
      return check_item(table, item);
    }));
  }
  if (!design_.tallies.empty()) TRY(verify_tallies());
  return counts_;
}

Outcome<void> Verification::each_item(const design::Table& table, const std::function<Outcome<void>(ItemView)>& visit) {
  ScanRequest scan;
  scan.table_name = table.name;
  scan.consistent_read = true;
  do {
    const auto page = database_.scan(scan);
    if (!page) return std::unexpected(refused_by(page.error()));
    for (size_t i = 0; i < page->items.size(); ++i) TRY(visit(page->items[i]));
    scan.exclusive_start_key = page->last_evaluated_key;
  } while (scan.exclusive_start_key);
  return {};
}

Outcome<std::optional<Item>> Verification::get(const std::string& table, const Item& key) {
  auto found = database_.get_item({.table_name = table, .key = key, .consistent_read = true});
  if (!found) return std::unexpected(refused_by(found.error()));
  return std::move(found->item);
}

bool Verification::is_unopened(std::string_view field) const {
  return std::ranges::any_of(unopened_, [&](const design::Field* unopened) { return unopened->name == field; });
}

bool Verification::follows_from_unopened(const design::Entity& entity) const {
  const auto in_template = [&](const design::Template& key) {
    return std::ranges::any_of(key.fields(), [&](const std::string& name) { return is_unopened(name); });
  };
  const auto in_entry = [&](const design::IndexEntry& entry) {
    return std::ranges::any_of(design::fields_deciding(entity, entry),
                               [&](const std::string& name) { return is_unopened(name); });
  };
  bool in_expiry = false;
  if (entity.ttl) {
    design::each_expression(*entity.ttl, [&](const design::Expression& part) {
      in_expiry |= part.is(design::Expression::Kind::kName) && is_unopened(part.text);
    });
  }
  return in_expiry || std::ranges::any_of(entity.index, in_entry) || std::ranges::any_of(entity.key, in_template) ||
         std::ranges::any_of(entity.unique, [&](const design::Guard& guard) {
           return std::ranges::any_of(guard.key, in_template) ||
                  std::ranges::any_of(guard.keeps, [&](const std::string& name) { return is_unopened(name); });
         });
}

void Verification::report(Fault fault) {
  if (options_.repair && !unopened_.empty())
    fault.repair = "left unchanged: it has a spilled value, and there is no blob storage";
  ++counts_.faults;
  counts_.repaired += fault.repaired ? 1 : 0;
  on_fault_(fault);
}

// Checks an item. A faulty item is read and checked again, because it may have changed since its page was read.
Outcome<void> Verification::check_item(const design::Table& table, ItemView item) {
  TRY_INTO(const bool good, verify_item(table, item, false));
  if (good) return {};
  form_.forget_shard_counts();
  TRY_INTO(const auto now, get(table.name, key_of(table, item)));
  if (now) TRY(verify_item(table, *now, true));
  return {};
}

Outcome<bool> Verification::verify_item(const design::Table& table, ItemView item, bool reports) {
  unopened_.clear();
  const ItemKind kind = kind_of(design_, table, item);
  if (kind.entity == nullptr) {
    if (reports) {
      report({.kind = "unknown",
              .table = table.name,
              .item = key_words(table, item),
              .words = "no entity of the design has such a key",
              .repair = options_.repair ? "left unchanged" : ""});
    }
    return false;
  }
  if (kind.guard != nullptr) return verify_guard(table, kind, item, reports);
  auto whole = codec_.decode(*kind.entity, item, unopened_);
  if (!whole) {
    unopened_.clear();
    if (reports) {
      report({.kind = "unreadable",
              .table = table.name,
              .item = key_words(table, item),
              .words = whole.error().message,
              .repair = options_.repair ? "left unchanged" : ""});
    }
    return false;
  }
  Plain fields = std::move(*whole);
  if (!reports) counts_.unchecked += static_cast<int64_t>(unopened_.size());
  if (!codec_.is_of(*kind.entity, item)) {
    // An item with a former key: generate the ids that have been added to the key since.
    for (const design::Field& field : kind.entity->fields) {
      const bool makes_itself = field.automatic && !design::is_time(field.type);
      if (makes_itself && kind.entity->in_key(field.name) && !fields.member(field.name).exists())
        fields.set(field.name, Plain::text(make_ulid(clock_.now_ms())));
    }
  }
  TRY_INTO(const bool types, verify_types(table, *kind.entity, item, reports));
  if (!types && repairs() && reports) {
    TRY_INTO(const auto now, get(table.name, key_of(table, item)));
    if (now && *now != Item(item)) return verify_item(table, *now, reports);
  }
  TRY_INTO(const bool values, verify_values(table, *kind.entity, item, fields, reports));
  if (follows_from_unopened(*kind.entity)) return types && values;
  TRY_INTO(const bool attributes, verify_attributes(table, *kind.entity, item, fields, reports));
  TRY_INTO(const bool guards, verify_guards(table, *kind.entity, item, fields, reports));
  TRY_INTO(const bool children, verify_children(table, *kind.entity, item, fields, reports));
  TRY_INTO(const bool child, verify_child(table, *kind.entity, item, fields, reports));
  return types && values && attributes && guards && children && child;
}

}  // namespace trestle::runtime
