// T5..: expiry, secrets, packing, streams, rate windows.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/ascii.h"
#include "design/check/check_impl.h"

namespace trestle::design {
namespace {

bool same_but_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && a != b &&
         std::equal(a.begin(), a.end(), b.begin(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

void expiry(const CheckContext& context, const Entity& entity, Findings& findings) {
  const Table* table = context.design.table(entity.table);
  if (table == nullptr) return;
  if (entity.ttl && table->ttl_attribute.empty()) {
    findings.add("T503", Severity::kError, entity.ttl_place,
                 fmt::format("{} expires, and the table {} has no TTL attribute: nothing is ever removed", entity.name,
                             table->name),
                 fmt::format("say `ttl: ttl` in table {}", table->name));
  }
  for (const Field& field : entity.fields) {
    if (table->ttl_attribute.empty()) continue;
    if (field.name != table->ttl_attribute) continue;
    if (!is_numeric(field.type)) {
      findings.add("T501", Severity::kError, field.place,
                   fmt::format("the TTL attribute `{}` of {} is {}: TTL ignores every value that is not a Number",
                               field.name, entity.name, type_text(field.type)),
                   "make it an epoch: Unix seconds as a Number");
    } else if (field.type.milliseconds) {
      findings.add(
          "T501", Severity::kError, field.place,
          fmt::format(
              "the TTL attribute `{}` of {} counts milliseconds: TTL reads seconds, so items live for millennia",
              field.name, entity.name),
          "make it an epoch in seconds");
    }
    if (!entity.ttl || entity.ttl->is_name(field.name)) continue;
    findings.add("T514", Severity::kError, entity.ttl_place,
                 fmt::format("{} expires at `{}`, and the TTL attribute `{}` stores the field of that name instead",
                             entity.name, expression_text(*entity.ttl), field.name),
                 fmt::format("say `ttl: {}` in {}, or give the TTL attribute of table {} another name", field.name,
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
      fmt::format("TTL reads the attribute `{}`, and {} write `{}`: names differ by case, so nothing ever expires",
                  table.ttl_attribute, fmt::join(entities, ", "), written),
      fmt::format("name both `{}`", written));
}

void stored_forms(const Entity& entity, Findings& findings) {
  for (const Pack& pack : entity.packs) {
    if (!pack.base64) continue;
    findings.add(
        "T505", Severity::kWarning, pack.place,
        fmt::format("`{}` is packed and then written as base64 text, a third larger: {:.0f}% saved become {:.0f}%",
                    pack.field, pack.saves * 100, (1 - (1 - pack.saves) * 4 / 3) * 100),
        "store it as Binary");
  }
  for (const Field& field : entity.fields) {
    if (field.secret && !field.encrypted && field.sha256_of.empty() && field.type.base != BaseType::kSha256) {
      findings.add(
          "T506", Severity::kWarning, field.place,
          fmt::format(
              "the secret `{}` is stored in plain text: everyone who can read the table, a backup or an export has it",
              field.name),
          "say `encrypted`, or store only its sha256");
    }
    if (field.encrypted) {
      for (const IndexEntry& entry : entity.index) {
        const bool used =
            std::any_of(entry.key.begin(), entry.key.end(), [&](const Template& t) { return t.uses(field.name); });
        if (used) {
          findings.add(
              "T507", Severity::kError, entry.place,
              fmt::format("`{}` is encrypted with a new nonce each time, so no two writes of it make the same key",
                          field.name),
              "index its sha256");
        }
      }
    }
  }
}

// TTL deletes within days. Until then an upsert finds the expired item and adds to data that should be gone.
void revived(const CheckContext& context, const Entity& entity, Findings& findings) {
  if (!entity.ttl) return;
  const bool own_time = std::any_of(entity.fields.begin(), entity.fields.end(),
                                    [&](const Field& f) { return is_time(f.type) && entity.in_key(f.name); });
  if (own_time) return;  // another period is another item
  for (const auto& [operation, write, together, on_failure] : context.writes_to(entity.name)) {
    if (write->kind != Write::Kind::kUpsert || (write->add.empty() && write->raw.empty())) continue;
    findings.add("T510", Severity::kWarning, write->place,
                 fmt::format("`{}` adds to a {} that may have expired and not been removed yet: the old figures remain",
                             operation->name, entity.name),
                 "put a time into the key (`epoch(1h)`, `date`), so that each period is a separate item");
  }
}

// TTL deletes an item alone: the children that `each` wrote for it stay, unless they expire, too.
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
        fmt::format("a {} expires, and its {} items do not: TTL deletes the {} alone, and they stay without it",
                    entity.name, child->name, entity.name),
        fmt::format("give {} the fields of the expiry and the same `ttl`, or a reaction to `expire` that "
                    "deletes them",
                    child->name));
  }
}

// What a reaction calls must be given all that it takes.
void reaction_inputs(const CheckContext& context, const Reaction& reaction, Findings& findings) {
  const Operation* operation = context.design.operation(reaction.run);
  const Entity* entity = context.design.entity(reaction.entity);
  if (operation == nullptr || entity == nullptr) return;
  if (!operation->is_write) {
    findings.add("T511", Severity::kError, reaction.place,
                 fmt::format("reaction `{}` does `{}`, which changes nothing", reaction.name, operation->name),
                 "name an operation of `writes`");
  }
  for (const Input& input : operation->takes) {
    const auto says = [&](const Binding& binding) { return binding.field == input.name; };
    if (input.optional || entity->field(input.name) != nullptr || input.name == "event" ||
        std::any_of(reaction.with.begin(), reaction.with.end(), says))
      continue;
    findings.add("T511", Severity::kError, reaction.place,
                 fmt::format("reaction `{}` does not say what `{}` of `{}` is, and {} has no such field", reaction.name,
                             input.name, operation->name, entity->name),
                 fmt::format("say `with: {{{}: old.field}}`", input.name));
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
      findings.add(
          "T508", Severity::kError, tally.place,
          fmt::format("tally `{}` reads the stream of {}, whose table has none with both images", tally.name, tally.of),
          "say `stream: new-and-old` in its table");
    }
  }
  for (const Reaction& reaction : context.design.reactions) {
    reaction_inputs(context, reaction, findings);
    if (!has_stream(reaction.entity)) {
      findings.add("T508", Severity::kError, reaction.place,
                   fmt::format("reaction `{}` reads the stream of {}, whose table has none with both images",
                               reaction.name, reaction.entity),
                   "say `stream: new-and-old` in its table");
    }
  }
}

void windows(const CheckContext& context, Findings& findings) {
  for (const Limit& limit : context.design.limits) {
    const Entity* entity = context.design.entity(limit.entity);
    if (entity == nullptr) continue;
    const Field* count = entity->field("count");
    const Field* budget = entity->field("budget");
    const bool slice = std::any_of(entity->fields.begin(), entity->fields.end(), [&](const Field& f) {
      return f.type.base == BaseType::kEpoch && entity->in_key(f.name) && f.type.resolution_ms == limit.slice_s * 1000;
    });
    if (count == nullptr || !count->counter || budget == nullptr || !slice || limit.slice_s <= 0 ||
        limit.window_s % limit.slice_s != 0) {
      findings.add("T509", Severity::kError, limit.place,
                   fmt::format("limit `{}` counts in {}, which must have `count: counter`, `budget: int`, and in its "
                               "key an epoch({}) that divides the window",
                               limit.name, entity->name, duration_text(limit.slice_s)),
                   "give it those fields");
    }
  }
}

// When an item stops being valid, by the name of the field. Null: nothing says so.
const Field* validity_of(const Entity& entity) {
  const auto found = std::find_if(entity.fields.begin(), entity.fields.end(), [](const Field& field) {
    const std::string name = lower(field.name);
    return is_time(field.type) && (name.starts_with("expire") || name.starts_with("expiry") ||
                                   name.starts_with("valid_until") || name.starts_with("validuntil"));
  });
  return found == entity.fields.end() ? nullptr : &*found;
}

// T512: the TTL attribute is written by hand, and a read of one item does not ask whether its time is over.
void expired_reads(const CheckContext& context, const Operation& operation, const Access& access, Findings& findings) {
  const Entity* entity = context.design.entity(access.entity);
  bool one = access.one || access.kind == Access::Kind::kGet;
  if (access.kind == Access::Kind::kRaw) {
    const RawReach reach = raw_reach_of(context, operation, access);
    if (reach.space == nullptr || reach.meant.empty()) return;
    entity = reach.meant[0]->entity;
    const auto& equal = reach.condition.equal;
    one = one || std::all_of(equal.begin(), equal.end(), [](bool e) { return e; });
  }
  const Table* table = entity == nullptr ? nullptr : context.design.table(entity->table);
  const Field* until = entity == nullptr ? nullptr : validity_of(*entity);
  if (!one || table == nullptr || until == nullptr || entity->ttl || table->ttl_attribute.empty()) return;
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
      fmt::format("`{}` finds {} whose `{}` is over: TTL removes items within days, not at their time, and nothing "
                  "compares it",
                  operation.name, entity->name, until->name),
      fmt::format("say `ttl: {}` in the entity, which hides what has expired, or compare it with `now`", until->name));
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
