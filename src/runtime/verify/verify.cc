#include "runtime/verify/verify.h"

#include <fmt/format.h>

#include "runtime/values/ulid.h"
#include "runtime/verify/verify_impl.h"

namespace trestle::runtime {

Outcome<VerifyCounts> verify_design(const design::Design& design, Database& database, const ItemCodec& codec,
                                    const Clock& clock, const VerifyOptions& options,
                                    const std::function<void(const Fault&)>& tell) {
  return Verification(design, database, codec, clock, options, tell).run();
}

Outcome<VerifyCounts> Verification::run() {
  for (const design::Table& table : design_.tables) {
    TRY(each_item(table, [&](ItemView item) {
      ++counts_.items;
      return look_at(table, item);
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

void Verification::found(Fault fault) {
  ++counts_.faults;
  counts_.repaired += fault.repaired ? 1 : 0;
  tell_(fault);
}

// A faulty item is read and checked again: it may have changed since its page was read.
Outcome<void> Verification::look_at(const design::Table& table, ItemView item) {
  TRY_INTO(const bool good, verify_item(table, item, false));
  if (good) return {};
  form_.forget_shard_counts();
  TRY_INTO(const auto now, get(table.name, key_of(table, item)));
  if (now) TRY(verify_item(table, *now, true));
  return {};
}

Outcome<bool> Verification::verify_item(const design::Table& table, ItemView item, bool reports) {
  const ItemKind kind = kind_of(design_, table, item);
  if (kind.entity == nullptr) {
    if (reports) {
      found({.kind = "unknown",
             .table = table.name,
             .item = key_words(table, item),
             .words = "no entity of the design has such a key",
             .repair = options_.repair ? "left as it is" : ""});
    }
    return false;
  }
  if (kind.guard != nullptr) return verify_guard(table, kind, item, reports);
  auto whole = codec_.decode(*kind.entity, item);
  if (!whole) {
    if (reports) {
      found({.kind = "unreadable",
             .table = table.name,
             .item = key_words(table, item),
             .words = whole.error().message,
             .repair = options_.repair ? "left as it is" : ""});
    }
    return false;
  }
  Plain fields = std::move(*whole);
  if (!codec_.is_of(*kind.entity, item)) {
    // Under a former key: the ids that the key has since then are made.
    for (const design::Field& field : kind.entity->fields) {
      const bool makes_itself = field.automatic && !design::is_time(field.type);
      if (makes_itself && kind.entity->in_key(field.name) && !fields.member(field.name).exists())
        fields.set(field.name, Plain::text(make_ulid(clock_.now_ms())));
    }
  }
  TRY_INTO(const bool types, verify_types(table, *kind.entity, item, reports));
  if (!types && options_.repair && reports) {
    TRY_INTO(const auto now, get(table.name, key_of(table, item)));
    if (now && *now != Item(item)) return verify_item(table, *now, reports);
  }
  TRY_INTO(const bool values, verify_values(table, *kind.entity, item, fields, reports));
  TRY_INTO(const bool attributes, verify_attributes(table, *kind.entity, item, fields, reports));
  TRY_INTO(const bool guards, verify_guards(table, *kind.entity, item, fields, reports));
  TRY_INTO(const bool children, verify_children(table, *kind.entity, item, fields, reports));
  TRY_INTO(const bool child, verify_child(table, *kind.entity, item, fields, reports));
  return types && values && attributes && guards && children && child;
}

}  // namespace trestle::runtime
