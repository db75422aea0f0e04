// Verification of tallies: recounts items and compares the result with the stored figures.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "design/plan/extreme_read.h"
#include "design/plan/plan.h"
#include "model/number.h"
#include "runtime/background/tally_letters.h"
#include "runtime/background/tally_update.h"
#include "runtime/items/typed_value.h"
#include "runtime/values/moment.h"
#include "runtime/values/plain_json.h"
#include "runtime/values/ulid.h"
#include "runtime/verify/verify_impl.h"

namespace trestle::runtime {
namespace {

constexpr size_t kSharesMax = 1024;

// When an item was last written, as far as its automatic fields show it; 0: unknown.
int64_t written_ms(const design::Entity& entity, const Plain& fields) {
  int64_t newest = 0;
  for (const design::Field& field : entity.fields) {
    const Plain& value = fields.member(field.name);
    if (!field.automatic && !field.touched) continue;
    std::optional<int64_t> ms;
    if (value.is(Plain::Kind::kText) && field.type.base == design::BaseType::kTime) ms = parse_time(value.string());
    if (value.is(Plain::Kind::kText) && field.type.base == design::BaseType::kUlid) ms = ulid_time(value.string());
    if (value.is(Plain::Kind::kNumber) && field.type.base == design::BaseType::kEpoch)
      ms = std::atoll(value.string().c_str()) * (field.type.milliseconds ? 1 : 1000);
    newest = std::max(newest, ms.value_or(0));
  }
  return newest;
}

bool is_in_share(const std::string& target, size_t share, size_t shares) {
  return shares == 1 || std::hash<std::string>{}(target) % shares == share;
}

}  // namespace

// Counts all items, keeping only the targets in the share or, if `only` is not null, the targets in it.
Outcome<TallyTargets> Verification::recount(size_t share, size_t shares, bool& too_many,
                                            const std::map<std::string, TallyTarget>* only) {
  TallyTargets counted;
  for (const design::Table& table : design_.tables) {
    const bool has_sources = std::any_of(design_.tallies.begin(), design_.tallies.end(), [&](const auto& tally) {
      const design::Entity* of = design_.entity(tally.of);
      return of != nullptr && of->table == table.name;
    });
    if (!has_sources) continue;
    TRY(each_item(table, [&](ItemView item) -> Outcome<void> {
      if (too_many) return {};
      const ItemKind kind = kind_of(design_, table, item);
      if (kind.entity == nullptr || kind.guard != nullptr) return {};
      TallyTargets targets;
      const auto read = counted_fields(design_, codec_, *kind.entity, item);
      if (!read) {
        uncounted_.insert(kind.entity->name);  // its figures cannot be verified
        return {};
      }
      const Plain& fields = *read;
      const int64_t written = written_ms(*kind.entity, fields);
      const auto added = change_.add(*kind.entity, fields, {}, 1, true, clock_.now_ms(), targets);
      // Skip items that the stream reader cannot count either.
      if (!added && added.error().status != 400) return std::unexpected(added.error());
      for (auto& [name, target] : targets) {
        if (only != nullptr ? !only->contains(name) : !is_in_share(name, share, shares)) continue;
        const auto [at, fresh] = counted.emplace(name, target);
        at->second.newest_ms = std::max(at->second.newest_ms, written);
        if (fresh) continue;
        TallyChange::add_amounts(at->second, target);
        for (const auto& [field, figure] : target.extremes) {
          auto& stored = at->second.extremes.emplace(field, figure).first->second.rows[{}].after;
          merge_extreme(figure.extreme->greatest, stored, figure.change().after);
        }
      }
      too_many = only == nullptr && counted.size() > options_.targets_max;
      return {};
    }));
  }
  return counted;
}

// The targets whose figures differ from the recount, including stored targets for which nothing is counted.
Outcome<std::map<std::string, Verification::TallyState>> Verification::compare_tallies(
    TallyTargets counted, size_t share, size_t shares, const std::map<std::string, TallyTarget>* only) {
  std::map<std::string, TallyState> states;
  const auto take = [&](const std::string& name, const design::Entity& entity, const TallyTarget* target,
                        ItemView item) -> Outcome<void> {
    TallyState state;
    if (target != nullptr) state.target = *target;
    state.target.entity = &entity;
    state.exists = !item.empty();
    if (state.exists) (void)codec_.decode(entity, item, state.unopened);  // figures can be compared even if this fails
    if (state.exists) state.target.key = key_of(*design_.table(entity.table), item);
    for (const design::Tally& tally : design_.tallies) {
      if (tally.into != entity.name || item.empty()) continue;
      for (const design::Binding& binding : tally.add) {
        const auto value = item.find(binding.field);
        if (!value) continue;
        if (!binding.element && value->type() == ValueType::kNumber)
          state.figures[{binding.field, {}}] = value->scalar();
        if (!binding.element || value->type() != ValueType::kMap) continue;
        for (const Field& member : value->map()) {
          if (member.value.type() == ValueType::kNumber)
            state.figures[{binding.field, std::string(member.name)}] = member.value.scalar();
        }
      }
    }
    for (const design::Tally& tally : design_.tallies) {
      if (tally.into != entity.name) continue;
      for (const design::TallyExtreme& extreme : tally.extremes) {
        const std::string& field = extreme.figure.field;
        const auto actual = item.empty() ? std::nullopt : item.find(field);
        const auto counted_as = state.target.extremes.find(field);
        std::optional<Value> expected;
        if (counted_as != state.target.extremes.end()) expected = counted_as->second.change().after;
        std::optional<Value> stored;
        if (actual) stored = Value(*actual);
        // A figure that never comes back may be more extreme than all remaining items.
        if (design::never_comes_back(design_, tally, extreme)) merge_extreme(extreme.greatest, expected, stored);
        if (stored == expected) continue;
        state.stored_extremes[field] = std::move(stored);
        state.extremes[field] = std::move(expected);
      }
    }
    if (const design::Field* revision = design::revision_of(entity); revision != nullptr && state.exists) {
      if (const auto value = item.find(revision->name)) state.revision = Value(*value);
    }
    // A figure of 0 is equivalent to an absent one.
    std::erase_if(state.figures, [](const auto& figure) { return figure.second == "0"; });
    std::erase_if(state.target.amounts, [](const auto& amount) { return amount.second == "0"; });
    if (state.figures == state.target.amounts && state.extremes.empty() && state.target.fault.empty()) return {};
    // Nothing is counted in an item that does not exist and that no tally may create. Figures to which unreadable items
    // contribute are unknown.
    if (!state.exists && !design::tally_may_create(design_, entity)) return {};
    const auto unsure = [&](const design::Tally& tally) {
      return tally.into == entity.name && uncounted_.contains(tally.of);
    };
    if (std::any_of(design_.tallies.begin(), design_.tallies.end(), unsure)) return {};
    // An expired target is not created again by a recount of items that outlive it.
    if (!state.exists) {
      TRY_INTO(const bool gone, may_have_expired(state.target));
      if (gone) return {};
    }
    states.emplace(name, std::move(state));
    return {};
  };
  for (const design::Table& table : design_.tables) {
    const bool has_targets = std::any_of(design_.tallies.begin(), design_.tallies.end(), [&](const auto& tally) {
      const design::Entity* into = design_.entity(tally.into);
      return into != nullptr && into->table == table.name;
    });
    if (!has_targets) continue;
    TRY(each_item(table, [&](ItemView item) -> Outcome<void> {
      const ItemKind kind = kind_of(design_, table, item);
      if (kind.entity == nullptr || kind.guard != nullptr) return {};
      const auto into = [&](const design::Tally& tally) { return tally.into == kind.entity->name; };
      if (std::none_of(design_.tallies.begin(), design_.tallies.end(), into)) return {};
      const std::string name = table.name + '\n' + key_of(table, item).bytes();
      if (only != nullptr ? !only->contains(name) : !is_in_share(name, share, shares)) return {};
      const auto target = counted.find(name);
      TRY(take(name, *kind.entity, target == counted.end() ? nullptr : &target->second, item));
      if (target != counted.end()) counted.erase(target);
      return {};
    }));
  }
  for (const auto& [name, target] : counted) TRY(take(name, *target.entity, &target, ItemView()));
  return states;
}

// The target was written when its newest item was counted, so its earliest possible expiry follows from that time:
// hourly figures retained for 72 hours exist that long after the last submission of the hour. If the expiry depends on
// fields that are neither touched nor part of the key, it is unknown, and the target may have expired.
Outcome<bool> Verification::may_have_expired(const TallyTarget& target) {
  const design::Entity& entity = *target.entity;
  const design::Table& table = *design_.table(entity.table);
  if (!entity.ttl || table.ttl_attribute.empty()) return false;
  Plain fields = target.fields;
  for (const design::Field& field : entity.fields) {
    if (!field.touched || target.newest_ms == 0) continue;
    TRY_INTO(Plain touched, convert_to_type(design_, field.type, Plain::moment(target.newest_ms), field.name));
    fields.set(field.name, std::move(touched));
  }
  TRY_INTO(const auto computed, form_.computed_attributes(entity, fields, clock_.now_ms()));
  for (const ComputedAttribute& attribute : computed) {
    if (attribute.name != table.ttl_attribute || !attribute.value) continue;
    return compare_numbers(attribute.value->view().scalar(), std::to_string(clock_.now_ms() / 1000)) <= 0;
  }
  return true;
}

// The amounts to add to the figures. Figures are set instead if the difference is not a valid number; `fault` says why
// one cannot be set.
Verification::TallyDifference Verification::difference_of(const TallyState& state) {
  TallyDifference difference{.target = state.target, .assigned = {}, .fault = {}};
  auto& amounts = difference.target.amounts;
  amounts.clear();
  for (const auto* side : {&state.target.amounts, &state.figures}) {
    for (const auto& [figure, amount] : *side) {
      const auto expected = state.target.amounts.find(figure), actual = state.figures.find(figure);
      const auto more = subtract(number_of(expected == state.target.amounts.end() ? "0" : expected->second),
                                 number_of(actual == state.figures.end() ? "0" : actual->second));
      if (more && more->is_zero()) continue;
      if (more) {
        amounts[figure] = more->text();
      } else if (figure.member.empty()) {
        difference.assigned[figure.field] = expected == state.target.amounts.end() ? "0" : expected->second;
      } else {
        difference.fault = more.error().message;
        return difference;
      }
    }
  }
  // The next verification finds the rest.
  while (amounts.size() > kTallyFiguresMax) amounts.erase(std::prev(amounts.end()));
  difference.target.extremes.clear();
  difference.target.assigned = state.extremes;
  for (const auto& [field, expected] : difference.assigned)
    difference.target.assigned[field] = Value::number(std::string_view(expected));
  return difference;
}

// The fields that a tally sets in its target, as they are stored. Nothing: the item does not exist.
Outcome<std::optional<Plain>> Verification::stored_fields(const TallyTarget& target) {
  TRY_INTO(const auto item, get(target.entity->table, target.key));
  if (!item) return std::nullopt;
  Plain fields = Plain::map();
  for (const design::Tally& tally : design_.tallies) {
    if (tally.into != target.entity->name) continue;
    for (const design::Binding& binding : tally.by)
      fields.set(binding.field, codec_.decode_plain_fields(*target.entity, *item).member(binding.field));
  }
  return fields;
}

// Adds the condition that the figures are those from which the difference was computed.
void Verification::require_figures(const TallyState& state, const TallyDifference& difference, TransactWrite& write) {
  NameMap& names = *write.placeholders.names;
  if (!write.placeholders.values) write.placeholders.values.emplace();
  std::string condition = write.condition.expression.value_or("");
  size_t i = 0;
  for (const auto& [figure, amount] : difference.target.amounts) {
    const std::string name = fmt::format("#x{}", i);
    names.emplace_back(name, figure.field);
    std::string path = name;
    if (!figure.member.empty()) {
      names.emplace_back(fmt::format("#y{}", i), figure.member);
      path += fmt::format(".#y{}", i);
    }
    const auto actual = state.figures.find(figure);
    condition += fmt::format("{}{}", condition.empty() ? "" : " AND ",
                             actual == state.figures.end()
                                 ? fmt::format("(attribute_not_exists({}) OR {} = :x{})", path, path, i)
                                 : fmt::format("{} = :x{}", path, i));
    write.placeholders.values->emplace_back(
        fmt::format(":x{}", i), Value::number(std::string_view(actual == state.figures.end() ? "0" : actual->second)));
    ++i;
  }
  const auto require = [&](const std::string& field, const std::optional<Value>& actual) {
    const std::string name = fmt::format("#x{}", i), value = fmt::format(":x{}", i);
    names.emplace_back(name, field);
    condition += fmt::format("{}{}", condition.empty() ? "" : " AND ",
                             actual ? name + " = " + value : fmt::format("attribute_not_exists({})", name));
    if (actual) write.placeholders.values->emplace_back(value, *actual);
    ++i;
  };
  for (const auto& [field, actual] : state.stored_extremes) require(field, actual);
  for (const auto& [field, expected] : difference.assigned) {
    const auto actual = state.figures.find({field, {}});
    require(field, actual == state.figures.end() ? std::nullopt
                                                 : std::optional(Value::number(std::string_view(actual->second))));
  }
  const design::Field* revision = design::revision_of(*state.target.entity);
  if (!state.extremes.empty() && revision != nullptr) require(revision->name, state.revision);
  write.condition.expression = condition;
}

// Sets the figures to the recount, on condition that they are unchanged.
Outcome<std::string> Verification::repair_tally(const TallyState& state) {
  if (!state.target.fault.empty()) return std::string("the counted amount is out of range");
  TallyDifference difference = difference_of(state);
  if (!difference.fault.empty()) return difference.fault;
  TallyTarget& target = difference.target;
  if (target.fields.is_absent() || target.fields.members().empty()) {
    TRY_INTO(auto fields, stored_fields(target));
    if (!fields) return std::string("it no longer exists");
    target.fields = std::move(*fields);
  }
  TallyUpdate update(design_, form_, codec_, target, clock_.now_ms());
  const ExtremeQuery query{.design = design_, .codec = codec_, .form = form_, .send = {}};  // nothing is read again
  for (int tries = 0; tries < 3; ++tries) {
    TRY_INTO(TransactWrite write, update.write());
    require_figures(state, difference, write);
    UpdateItemRequest request{.table_name = write.table_name, .key = write.item};
    request.update_expression = write.update_expression;
    request.condition.expression = write.condition.expression;
    request.condition.return_item_on_failure = true;
    request.placeholders = std::move(write.placeholders);
    const auto done = database_.update_item(request);
    if (done) return std::string();
    if (done.error().code == ErrorCode::kValidation) return done.error().message;
    if (done.error().code != ErrorCode::kConditionalCheckFailed) return std::unexpected(refused_by(done.error()));
    const auto& item = done.error().item;
    const bool there = item != nullptr && !item->bytes().empty();
    TRY_INTO(const bool counts, update.adapt(there ? std::optional(item->view()) : std::nullopt, query));
    if (!counts) return std::string("it no longer exists");
  }
  return std::string("it has changed in the meantime");
}

Outcome<void> Verification::verify_tallies() {
  unopened_.clear();
  std::map<std::string, Value> letters;
  std::set<std::string> differing;  // the letter ids of targets whose figures differ and have not been repaired
  const auto streams = [](const design::Tally& tally) { return tally.through_stream; };
  if (options_.repair && std::ranges::any_of(design_.tallies, streams)) {
    TRY_INTO(letters, tally_letters(database_, design_.name));
  }
  size_t shares = 1;
  for (size_t share = 0; share < shares; ++share) {
    bool too_many = false;
    TRY_INTO(auto counted, recount(share, shares, too_many, nullptr));
    if (too_many) {
      if (shares >= kSharesMax) return refuse(500, "There are more tally targets than can be counted.");
      shares *= 2;
      share = static_cast<size_t>(-1);  // from the beginning, with smaller shares
      continue;
    }
    TRY_INTO(auto differ, compare_tallies(std::move(counted), share, shares, nullptr));
    if (differ.empty()) continue;
    for (const auto& [name, state] : differ) differing.insert(tally_letter_id(name));
    // Tallies through the stream may just be late: only a difference that persists for a while is a fault.
    sleep_for_ms(options_.sleeper, options_.recheck_delay_ms);
    std::map<std::string, TallyTarget> only;
    for (const auto& [name, state] : differ) only.emplace(name, state.target);
    TRY_INTO(auto again, recount(0, 1, too_many, &only));
    TRY_INTO(const auto still, compare_tallies(std::move(again), 0, 1, &only));
    for (const auto& [name, state] : still) {
      const auto before = differ.find(name);
      if (before == differ.end() || before->second.figures != state.figures ||
          before->second.target.amounts != state.target.amounts || before->second.extremes != state.extremes ||
          before->second.stored_extremes != state.stored_extremes)
        continue;
      // Something has been counted in the target since the first check.
      if (!state.extremes.empty() && before->second.revision != state.revision) continue;
      const design::Table& table = *design_.table(state.target.entity->table);
      std::string words = state.exists ? "" : "it is missing";
      if (!state.target.fault.empty())
        words += fmt::format("{}its items cannot be counted: {}", words.empty() ? "" : "; ", state.target.fault);
      for (const auto* side : {&state.target.amounts, &state.figures}) {
        for (const auto& [figure, amount] : *side) {
          const auto expected = state.target.amounts.find(figure), actual = state.figures.find(figure);
          const std::string right = expected == state.target.amounts.end() ? "0" : expected->second;
          const std::string stored = actual == state.figures.end() ? "0" : actual->second;
          if (right == stored || (side == &state.figures && expected != state.target.amounts.end())) continue;
          words += fmt::format("{}{}{} is {}, counted {}", words.empty() ? "" : "; ", figure.field,
                               figure.member.empty() ? "" : fmt::format("[{}]", figure.member), stored, right);
        }
      }
      for (const auto& [field, expected] : state.extremes) {
        const auto text = [](const std::optional<Value>& value) {
          return value ? plain_json(to_plain(*value)) : std::string("absent");
        };
        words += fmt::format("{}{} is {}, should be {}", words.empty() ? "" : "; ", field,
                             text(state.stored_extremes.at(field)), text(expected));
      }
      Fault fault{.kind = "tally",
                  .table = table.name,
                  .item = key_words(table, state.target.key),
                  .words = words,
                  .entity = state.target.entity->name};
      unopened_ = state.unopened;
      if (repairs()) {
        TRY_INTO(const std::string why, repair_tally(state));
        fault.repaired = why.empty();
        if (fault.repaired) differing.erase(tally_letter_id(name));
        fault.repair = why.empty() ? "the figures were set to the recount" : why;
      }
      report(std::move(fault));
      unopened_.clear();
    }
  }
  for (const auto& [id, failures] : letters) {
    if (!differing.contains(id) && uncounted_.empty()) TRY(delete_tally_letter(database_, design_.name, id, failures));
  }
  return {};
}

}  // namespace trestle::runtime
