// T348, T501 to T503, T505 to T514: expiry, secrets, packing, streams, reactions and rate limits.
#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "design/check/check_impl.h"

namespace trestle::design {
namespace {

bool same_but_case(std::string_view a, std::string_view b) { return a != b && equals_ignoring_case(a, b); }

// Whether a value of the expression may be a duration, such as `30d`, instead of a time.
bool may_be_duration(const Expression& value) {
  using Kind = Expression::Kind;
  const auto& arguments = value.arguments;
  if (value.is(Kind::kDuration)) return true;
  if (value.is(Kind::kAdd) || value.is(Kind::kSubtract)) return std::ranges::all_of(arguments, may_be_duration);
  if (value.is(Kind::kMultiply) || value.is(Kind::kDivide)) return std::ranges::any_of(arguments, may_be_duration);
  if (!value.is(Kind::kCall)) return false;
  if (value.text == "coalesce") return std::ranges::any_of(arguments, may_be_duration);
  const bool chooses = value.text == "choose";
  if (!chooses && value.text != "if") return false;
  // The results of if(c, a, b) and of choose(x, 'a', 1, 'b', 2, other).
  for (size_t i = chooses ? 2 : 1; i < arguments.size(); ++i) {
    const bool is_result = !chooses || i % 2 == 0 || i + 1 == arguments.size();
    if (is_result && may_be_duration(arguments[i])) return true;
  }
  return false;
}

void expiry(const CheckContext& context, const Entity& entity, Findings& findings) {
  const Table* table = context.design.table(entity.table);
  if (table == nullptr) return;
  if (entity.ttl && may_be_duration(*entity.ttl)) {
    findings.add("T348", Severity::kError, entity.ttl_place,
                 fmt::format("{} expires at `{}`, which is a duration and not a time: writes are refused", entity.name,
                             expression_text(*entity.ttl)),
                 fmt::format("add it to a time: `ttl: created_at + {}`", expression_text(*entity.ttl)));
  }
  if (entity.ttl && table->ttl_attribute.empty()) {
    findings.add("T503", Severity::kError, entity.ttl_place,
                 fmt::format("{} expires, but table {} has no TTL attribute: DynamoDB never deletes its items",
                             entity.name, table->name),
                 fmt::format("declare `ttl: ttl` in table {}", table->name));
  }
  for (const Field& field : entity.fields) {
    if (table->ttl_attribute.empty()) continue;
    if (field.name != table->ttl_attribute) continue;
    if (!is_numeric(field.type)) {
      findings.add("T501", Severity::kError, field.place,
                   fmt::format("the TTL attribute `{}` of {} has type {}: TTL ignores every value that is not a Number",
                               field.name, entity.name, type_text(field.type)),
                   "declare it as epoch: Unix seconds as a Number");
    } else if (field.type.milliseconds) {
      findings.add(
          "T501", Severity::kError, field.place,
          fmt::format(
              "the TTL attribute `{}` of {} is in milliseconds: TTL reads it as seconds, so items live for millennia",
              field.name, entity.name),
          "declare it as epoch, in seconds");
    }
    if (!entity.ttl || entity.ttl->is_name(field.name)) continue;
    findings.add("T514", Severity::kError, entity.ttl_place,
                 fmt::format("{} expires at `{}`, and the TTL attribute `{}` stores the field of that name instead",
                             entity.name, expression_text(*entity.ttl), field.name),
                 fmt::format("write `ttl: {}` in {}, or give the TTL attribute of table {} another name", field.name,
                             entity.name, table->name));
  }
}

void ttl_name(const CheckContext& context, const Table& table, Findings& findings) {
  std::vector<std::string> entities;
  std::string written;
  for (const Entity& entity : context.design.entities) {
    if (entity.table != table.name || entity.field(table.ttl_attribute) != nullptr) continue;
    for (const Field& field : entity.fields) {
      if (!same_but_case(field.name, table.ttl_attribute)) continue;
      entities.push_back(entity.name);
      written = field.name;
    }
  }
  if (entities.empty()) return;
  findings.add(
      "T502", Severity::kError, table.ttl_place,
      fmt::format("TTL reads the attribute `{}`, but {} write `{}`: the names differ in case, so nothing ever expires",
                  table.ttl_attribute, fmt::join(entities, ", "), written),
      fmt::format("use the name `{}` for both", written));
}

void stored_forms(const Entity& entity, Findings& findings) {
  for (const Pack& pack : entity.packs) {
    if (!pack.base64) continue;
    findings.add("T505", Severity::kWarning, pack.place,
                 fmt::format("`{}` is packed and then stored as base64 text, which is a third larger: a saving of "
                             "{:.0f}% becomes {:.0f}%",
                             pack.field, pack.saves * 100, (1 - (1 - pack.saves) * 4 / 3) * 100),
                 "store it as Binary");
  }
  for (const Field& field : entity.fields) {
    if (field.secret && !field.encrypted && field.sha256_of.empty() && field.type.base != BaseType::kSha256) {
      findings.add("T506", Severity::kWarning, field.place,
                   fmt::format("the secret `{}` is stored in plain text: anyone who can read the table, a backup or an "
                               "export can read it",
                               field.name),
                   "declare it `encrypted`, or store only its sha256");
    }
    if (field.encrypted) {
      for (const IndexEntry& entry : entity.index) {
        const bool used =
            std::any_of(entry.key.begin(), entry.key.end(), [&](const Template& t) { return t.uses(field.name); });
        if (used) {
          findings.add(
              "T507", Severity::kError, entry.place,
              fmt::format(
                  "`{}` is encrypted with a new nonce on each write, so the same value never produces the same key",
                  field.name),
              "index its sha256");
        }
      }
    }
  }
}

// T510: TTL deletes within days. Until then an upsert finds the expired item and adds to outdated values.
void revived(const CheckContext& context, const Entity& entity, Findings& findings) {
  if (!entity.ttl) return;
  const bool own_time = std::any_of(entity.fields.begin(), entity.fields.end(),
                                    [&](const Field& f) { return is_time(f.type) && entity.in_key(f.name); });
  if (own_time) return;  // each period has its own item
  for (const auto& [operation, write, writes_in_transaction, on_failure] : context.writes_to(entity.name)) {
    if (write->kind != Write::Kind::kUpsert || (write->add.empty() && write->raw.empty())) continue;
    findings.add(
        "T510", Severity::kWarning, write->place,
        fmt::format("`{}` adds to a {} that may have expired but not been deleted yet: the old values are included",
                    operation->name, entity.name),
        "put a time into the key (`epoch(1h)`, `date`), so that each period is a separate item");
  }
}

// T513: TTL deletes only the item itself. Children written by `each` remain unless they expire too.
void left_children(const CheckContext& context, const Entity& entity, Findings& findings) {
  if (!entity.ttl) return;
  const bool reacts = std::ranges::any_of(context.design.reactions, [&](const Reaction& reaction) {
    return reaction.entity == entity.name && reaction.on_expire;
  });
  for (const Each& each : entity.eaches) {
    const Entity* child = context.design.entity(each.entity);
    if (child == nullptr || child->ttl || reacts) continue;
    findings.add(
        "T513", Severity::kError, each.place,
        fmt::format(
            "a {} expires, but its {} items do not: TTL deletes only the {}, and the children remain without it",
            entity.name, child->name, entity.name),
        fmt::format("give {} the same fields and `ttl`, or delete the items in a reaction to `expire`", child->name));
  }
}

// T511: a reaction must supply every input of the operation that it runs, and the operation must be a write.
void reaction_inputs(const CheckContext& context, const Reaction& reaction, Findings& findings) {
  const Operation* operation = context.design.operation(reaction.run);
  const Entity* entity = context.design.entity(reaction.entity);
  if (operation == nullptr || entity == nullptr) return;
  if (!operation->is_write) {
    findings.add("T511", Severity::kError, reaction.place,
                 fmt::format("reaction `{}` runs `{}`, which is a read", reaction.name, operation->name),
                 "name an operation from `writes`");
  }
  for (const Input& input : operation->takes) {
    const auto says = [&](const Binding& binding) { return binding.field == input.name; };
    if (input.optional || entity->field(input.name) != nullptr || input.name == "event" ||
        std::any_of(reaction.with.begin(), reaction.with.end(), says))
      continue;
    findings.add("T511", Severity::kError, reaction.place,
                 fmt::format("reaction `{}` does not supply the input `{}` of `{}`, and {} has no field of that name",
                             reaction.name, input.name, operation->name, entity->name),
                 fmt::format("add `with: {{{}: old.field}}`", input.name));
  }
}

void streams(const CheckContext& context, Findings& findings) {
  const auto has_stream = [&](std::string_view name) {
    const Entity* entity = context.design.entity(name);
    const Table* table = entity == nullptr ? nullptr : context.design.table(entity->table);
    return table == nullptr || table->stream == StreamViewType::kNewAndOldImages;
  };
  for (const Tally& tally : context.design.tallies) {
    if (tally.through_stream && !has_stream(tally.of)) {
      findings.add("T508", Severity::kError, tally.place,
                   fmt::format("tally `{}` reads the stream of {}, but its table has no stream with new and old images",
                               tally.name, tally.of),
                   "declare `stream: new-and-old` in its table");
    }
  }
  for (const Reaction& reaction : context.design.reactions) {
    reaction_inputs(context, reaction, findings);
    if (!has_stream(reaction.entity)) {
      findings.add(
          "T508", Severity::kError, reaction.place,
          fmt::format("reaction `{}` reads the stream of {}, but its table has no stream with new and old images",
                      reaction.name, reaction.entity),
          "declare `stream: new-and-old` in its table");
    }
  }
}

void windows(const CheckContext& context, Findings& findings) {
  for (const Limit& limit : context.design.limits) {
    const Entity* entity = context.design.entity(limit.entity);
    if (entity == nullptr) continue;
    const Field* count = entity->field("count");
    const Field* budget = entity->field("budget");
    const Field* slice = slice_of(*entity);
    const bool fits =
        slice != nullptr && entity->in_key(slice->name) && slice->type.resolution_ms == limit.slice_s * 1000;
    if (count == nullptr || !count->counter || budget == nullptr || !fits || limit.slice_s <= 0 ||
        limit.window_s % limit.slice_s != 0) {
      findings.add("T509", Severity::kError, limit.place,
                   fmt::format("limit `{}` counts in {}, which must have the fields `count: counter` and `budget: "
                               "int`, and in its key an epoch({}) field that divides the window",
                               limit.name, entity->name, duration_text(limit.slice_s)),
                   "add these fields");
      continue;
    }
    // The earlier slices of a window are read with one query.
    if (limit.window_s <= limit.slice_s || !entity->key[0].uses(slice->name)) continue;
    findings.add("T509", Severity::kError, entity->key[0].place,
                 fmt::format("limit `{}` reads the earlier slices of its window with one query, but the partition key "
                             "of {} contains `{}`: each slice is in a partition of its own",
                             limit.name, entity->name, slice->name),
                 fmt::format("put `{}` into the sort key, behind the fields that distinguish callers", slice->name));
  }
}

// The time field whose name says that the item is valid until then. Null if there is none.
const Field* validity_of(const Entity& entity) {
  const auto found = std::find_if(entity.fields.begin(), entity.fields.end(), [](const Field& field) {
    const std::string name = lower(field.name);
    return is_time(field.type) && (name.starts_with("expire") || name.starts_with("expiry") ||
                                   name.starts_with("valid_until") || name.starts_with("validuntil"));
  });
  return found == entity.fields.end() ? nullptr : &*found;
}

// T512: operations write the TTL attribute themselves, and a read of one item does not check whether it has expired.
void expired_reads(const CheckContext& context, const Operation& operation, const Access& access, Findings& findings) {
  const Entity* entity = context.design.entity(access.entity);
  bool reads_one = access.one || access.kind == Access::Kind::kGet;
  if (access.kind == Access::Kind::kRaw) {
    const RawReach reach = raw_reach_of(context, operation, access);
    if (reach.space == nullptr || reach.intended.empty()) return;
    entity = reach.intended[0]->entity;
    const auto& equal = reach.condition.equal;
    reads_one = reads_one || std::all_of(equal.begin(), equal.end(), [](bool e) { return e; });
  }
  const Table* table = entity == nullptr ? nullptr : context.design.table(entity->table);
  const Field* until = entity == nullptr ? nullptr : validity_of(*entity);
  if (!reads_one || table == nullptr || until == nullptr || entity->ttl || table->ttl_attribute.empty()) return;
  const std::string ttl = lower(table->ttl_attribute);
  const bool expires = std::any_of(entity->fields.begin(), entity->fields.end(),
                                   [&](const Field& field) { return lower(field.name) == ttl; });
  const auto compares = [&](const std::optional<Expression>& e) { return e && names_field(*e, until->name); };
  bool compared = compares(access.filter);
  each_step(operation.steps, [&](const Step& step) {
    if (step.value)
      each_expression(*step.value, [&](const Expression& e) { compared = compared || e.text == until->name; });
    for (const Write& write : step.writes) compared = compared || compares(write.condition);
  });
  if (!expires || compared) return;
  findings.add(
      "T512", Severity::kNote, access.place,
      fmt::format("`{}` can return {} items whose `{}` has passed: TTL deletes items within days, not at that time, "
                  "and the operation does not compare it",
                  operation.name, entity->name, until->name),
      fmt::format("declare `ttl: {}` in the entity, which hides expired items, or compare it with `now`", until->name));
}

}  // namespace

void check_lifecycle(const CheckContext& context, Findings& findings) {
  for (const Table& table : context.design.tables) ttl_name(context, table, findings);
  for (const Entity& entity : context.design.entities) {
    expiry(context, entity, findings);
    stored_forms(entity, findings);
    revived(context, entity, findings);
    left_children(context, entity, findings);
  }
  for (const Operation& operation : context.design.operations) {
    each_access(operation, [&](const Access& access) { expired_reads(context, operation, access, findings); });
  }
  streams(context, findings);
  windows(context, findings);
}

}  // namespace trestle::design
