// Plans the steps of an operation: reads sent together, writes preceded by the reads they need, cascades, loops.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "design/plan/plan_impl.h"
#include "design/plan/write/plan_write_item.h"
#include "model/limits.h"

namespace trestle::design {

using Kind = Expression::Kind;

namespace {

bool uses_input(const Expression& e, std::string_view name) {
  bool found = false;
  each_expression(e, [&](const Expression& part) { found |= part.is(Kind::kInput) && part.text == name; });
  return found;
}

// The step that reads the item that `write` writes, whenever the write is executed; empty: none.
std::string read_by(const std::map<std::string, const Step*>& found, const Write& write, const Step& step,
                    const Entity& entity) {
  const auto same_condition = [](const std::optional<Expression>& a, const std::optional<Expression>& b) {
    return a && b && expression_text(*a) == expression_text(*b);
  };
  for (const auto& [name, read] : found) {
    const Access* access = &*read->access;
    if (access->entity != write.entity) continue;
    if (read->when && !same_condition(read->when, write.when) && !same_condition(read->when, step.when)) continue;
    const auto value = [&](const std::vector<Binding>& list, const std::string& field) -> std::string {
      for (const Binding& binding : list) {
        if (binding.field == field && !binding.element) return expression_text(binding.value);
      }
      return {};
    };
    const auto fields = fields_of(entity, entity.key);
    const bool same = !fields.empty() && std::all_of(fields.begin(), fields.end(), [&](const std::string& field) {
      const std::string wanted = value(write.by, field);
      return !wanted.empty() && (wanted == fmt::format("${}.{}", name, field) ||
                                 (access->index.empty() && wanted == value(access->by, field)));
    });
    if (same) return name;
  }
  return {};
}

}  // namespace

int64_t loop_members(const Operation& operation, const Step& loop) {
  if (loop.most > 0) return loop.most;
  if (!loop.value) return 0;
  if (loop.value->is(Kind::kCall) && loop.value->text == "list")
    return static_cast<int64_t>(loop.value->arguments.size());
  const Input* input = loop.value->is(Kind::kInput) ? operation.input(loop.value->text) : nullptr;
  const bool many = input != nullptr && (input->type.base == BaseType::kList || input->type.base == BaseType::kSet);
  return many ? input->type.max.value_or(0) : 0;
}

Refusal refusal_of(Cause cause, const Failure* failure, int status) {
  Refusal result{.cause = cause, .status = status};
  if (failure != nullptr) {
    result.status = failure->status;
    result.message = failure->message;
    result.retries_max = failure->retries_max;
    result.failure = failure;
  }
  return result;
}

void Planner::plan_also(const Failure* failure) {
  if (failure == nullptr || failure->also.empty()) return;
  if (std::any_of(plan_.also.begin(), plan_.also.end(), [&](const auto& added) { return added.first == failure; }))
    return;
  plan_.also.emplace_back(failure, std::vector<PlanStep>{});
  const size_t at = plan_.also.size() - 1;
  std::vector<PlanStep> steps;
  const auto found = found_;
  add_steps(failure->also, steps);
  found_ = found;
  plan_.also[at].second = std::move(steps);
}

void Planner::add_read(const Step& step, std::vector<PlanStep>& steps) {
  PlanStep result{.kind = PlanStep::Kind::kRead, .place = step.place, .name = step.name, .when = step.when};
  result.requests = requests_of(*step.access, step.name);
  for (const Request& request : result.requests) shard_step(request, steps);
  if (step.otherwise) result.refusals.push_back(refusal_of(Cause::kAbsent, step.otherwise.get(), 404));
  plan_also(step.otherwise.get());
  cost_step(design_, result);
  steps.push_back(std::move(result));
  const bool reads_one = step.access->one || step.access->kind == Access::Kind::kGet;
  if (reads_one && !step.name.empty() && !step.access->by_guard)
    found_[step.name] = &step;
  else
    found_.erase(step.name);
}

// The items that earlier steps read are stale once this step has written items of their entities: a write that relied
// on them would fail however often it is repeated.
void Planner::forget_written(const Step& step) {
  std::set<std::string> written;
  const auto add = [&](const std::string& name) {
    const Entity* entity = design_.entity(name);
    if (entity == nullptr || !written.insert(name).second) return;
    for (const Each& each : entity->eaches) written.insert(each.entity);
    for (const Tally& tally : design_.tallies) {
      if (tally.of == name && !tally.through_stream) written.insert(tally.into);
    }
  };
  const auto look = [&](const Step& part) {
    for (const Write& write : part.writes) {
      if (write.kind != Write::Kind::kCheck) add(write.entity);
    }
    if (part.kind == Step::Kind::kCascade) add(part.access->entity);
    if (const Limit* limit = design_.limit(part.limit)) add(limit->entity);
  };
  look(step);
  each_step(step.steps, look);
  std::erase_if(found_, [&](const auto& found) { return written.contains(found.second->access->entity); });
}

// After a loop, the result of each of its reads is a list.
void Planner::forget_results(const Step& loop) {
  each_step(loop.steps, [&](const Step& step) {
    if (step.access) found_.erase(step.name);
  });
}

void Planner::add_writes(const Step& step, std::vector<PlanStep>& steps) {
  PlanStep result{.kind = PlanStep::Kind::kWrite, .place = step.place, .name = step.name, .when = step.when};
  for (const Write& write : step.writes) {
    const Entity* entity = design_.entity(write.entity);
    if (entity == nullptr) continue;
    if (!write.raw.empty()) plan_.notes.push_back("raw update: guards, children and tallies are not maintained");
    std::string before = read_by(found_, write, step, *entity);
    // A read hides an expired item, but a write that does not require the item still replaces or removes it.
    if (entity->ttl && write.exists != Write::Exists::kPresent) before.clear();
    WriteScope scope{
        .design = design_, .operation = operation_, .names = known_, .current = before, .read_before = !before.empty()};
    if (before.empty()) scope.current = observed_ == 0 ? "$current" : fmt::format("$current{}", observed_ + 1);
    WritePlanner planner(scope, write, *entity);
    if (planner.observes() && before.empty()) {
      ++observed_;
      PlanStep observe{
          .kind = PlanStep::Kind::kObserve, .place = write.place, .name = scope.current, .when = write.when};
      observe.trigger_inputs = planner.observation_trigger_inputs();
      std::vector<Binding> by = write.by;
      if (write.kind == Write::Kind::kPut) {
        for (const std::string& field : fields_of(*entity, entity->key)) {
          by.push_back({.field = field, .element = {}, .value = planner.key_field(field), .place = write.place});
        }
      }
      Request get = get_request(*entity, by, true);
      // An expired item is replaced or removed like any other: it still counts in tallies and holds guards.
      get.hides_expired &= write.exists == Write::Exists::kPresent;
      cost_read(design_, get);
      shard_step(get, steps);
      observe.requests.push_back(std::move(get));
      if (write.exists == Write::Exists::kPresent) {
        const bool own = write.condition && write.kind == Write::Kind::kUpdate;  // then its `else` is for the
                                                                                 // condition, not for a missing item
        observe.refusals.push_back(refusal_of(Cause::kAbsent, own ? nullptr : write.otherwise.get(), 404));
      }
      cost_step(design_, observe);
      steps.push_back(std::move(observe));
    }
    for (Request& request : planner.requests()) {
      shard_step(request, steps);
      result.requests.push_back(std::move(request));
    }
    plan_also(write.otherwise.get());
  }
  for (const Step& loop : step.steps) result.steps.push_back(loop_of(loop));
  result.next = step.next;
  if (!step.next.empty()) known_.insert(step.name);
  if (result.requests.empty() && result.steps.empty()) return;
  if (journal_ == Journal::kWanted && !in_loop_ && step.next.empty()) {
    result.requests.push_back(journal_request(RequestKind::kPutItem));
    journal_ = Journal::kWritten;
  }
  cost_step(design_, result);
  if (result.items_most > static_cast<int64_t>(kTransactionItemsMax)) {
    plan_.notes.push_back(fmt::format("a transaction of {} items is refused: DynamoDB accepts {}", result.items_most,
                                      kTransactionItemsMax));
  }
  if (result.items_most > 1 && result.bytes_most > static_cast<int64_t>(kTransactionBytesMax)) {
    plan_.notes.push_back(fmt::format("with every item at its largest the transaction has {}; DynamoDB accepts {}",
                                      bytes_text(result.bytes_most),
                                      bytes_text(static_cast<int64_t>(kTransactionBytesMax))));
  }
  steps.push_back(std::move(result));
}

// A loop within a transaction: the reads for each member, then the writes that take part in the transaction.
PlanStep Planner::loop_of(const Step& step) {
  PlanStep result{
      .kind = PlanStep::Kind::kFor, .place = step.place, .name = step.name, .when = step.when, .value = step.value};
  result.members = loop_members(operation_, step);
  result.is_most = true;
  in_loop_ = true;
  const auto found = found_;
  add_steps(step.steps, result.steps);
  found_ = found;
  forget_results(step);
  in_loop_ = false;
  return result;
}

void Planner::add_cascade(const Step& step, std::vector<PlanStep>& steps) {
  const Entity* entity = design_.entity(step.access->entity);
  if (entity == nullptr) return;
  PlanStep result{.kind = PlanStep::Kind::kCascade, .place = step.place, .name = step.name, .when = step.when};
  Access access = *step.access;
  // The query reads only the keys of the items and the fields that their guards and children need.
  std::set<std::string> wanted = fields_of(*entity, entity->key);
  Write write;
  write.kind = Write::Kind::kDelete;
  write.entity = entity->name;
  write.place = step.place;
  for (const std::string& field : fields_of(*entity, entity->key)) {
    write.by.push_back({.field = field,
                        .element = {},
                        .value = member_expression(input_expression("$item"), field),
                        .place = step.place});
  }
  const WriteScope scope{
      .design = design_, .operation = operation_, .names = known_, .current = "$item", .read_before = true};
  WritePlanner planner(scope, write, *entity);
  wanted.insert(planner.observed().begin(), planner.observed().end());
  access.fields = {wanted.begin(), wanted.end()};
  in_cascade_ = true;
  Request query = requests_of(access, "$item")[0];
  in_cascade_ = false;
  query.paging = Request::Paging::kAll;
  shard_step(query, steps);
  result.requests.push_back(std::move(query));
  for (Request& request : planner.requests()) {
    // The caller's If-Match applies to the named item, not to the items deleted with it.
    std::erase_if(request.pieces, [](const Piece& piece) { return piece.cause == Cause::kRevision; });
    std::erase_if(request.refusals, [](const Refusal& refusal) { return refusal.cause == Cause::kRevision; });
    result.requests.push_back(std::move(request));
  }
  cost_step(design_, result);
  if (journal_ == Journal::kWanted && !in_loop_) {
    // No earlier write could record the job, so this step does.
    PlanStep note{.kind = PlanStep::Kind::kWrite, .place = step.place};
    note.requests.push_back(journal_request(RequestKind::kPutItem));
    cost_step(design_, note);
    steps.push_back(std::move(note));
    journal_ = Journal::kWritten;
  }
  steps.push_back(std::move(result));
}

void Planner::add_step(const Step& step, std::vector<PlanStep>& steps) {
  switch (step.kind) {
    case Step::Kind::kFind:
      add_read(step, steps);
      break;
    case Step::Kind::kRequire: {
      PlanStep result{.kind = PlanStep::Kind::kRequire, .place = step.place, .when = step.when, .value = step.value};
      result.refusals.push_back(refusal_of(Cause::kCondition, step.otherwise.get(), 409));
      plan_also(step.otherwise.get());
      steps.push_back(std::move(result));
      break;
    }
    case Step::Kind::kLet: {
      PlanStep result{.kind = PlanStep::Kind::kLet, .place = step.place, .when = step.when};
      for (const Binding& binding : step.values) {
        result.lets.push_back(&binding);
        known_.insert(binding.field);
      }
      steps.push_back(std::move(result));
      break;
    }
    case Step::Kind::kLimit:
      add_limit(step, steps);
      forget_written(step);
      break;
    case Step::Kind::kAtomic: {
      const size_t before = steps.size();
      add_writes(step, steps);
      forget_written(step);
      if (step.undo.empty() || steps.size() == before) break;
      // Items read before the write are stale when it is undone, so the undo reads them again.
      const auto found = std::exchange(found_, {});
      const bool in_loop = std::exchange(in_loop_, true);
      std::vector<PlanStep> undo;
      add_steps(step.undo, undo);
      steps.back().undo = std::move(undo);
      found_ = found;
      in_loop_ = in_loop;
      break;
    }
    case Step::Kind::kCascade:
      add_cascade(step, steps);
      forget_written(step);
      break;
    case Step::Kind::kFor: {
      PlanStep result{
          .kind = PlanStep::Kind::kFor, .place = step.place, .name = step.name, .when = step.when, .value = step.value};
      if (step.value->is(Kind::kCall) && step.value->text == "list") result.members = loop_members(operation_, step);
      // A member finds the items as the earlier members have left them.
      forget_written(step);
      const auto found = found_;
      add_steps(step.steps, result.steps);
      found_ = found;
      forget_results(step);
      cost_step(design_, result);
      steps.push_back(std::move(result));
      break;
    }
  }
}

void Planner::add_steps(const std::vector<Step>& from, std::vector<PlanStep>& steps) {
  for (const Step& step : from) add_step(step, steps);
}

// Groups consecutive reads that do not depend on each other, to be sent together.
void Planner::read_together(std::vector<PlanStep>& steps) const {
  std::vector<PlanStep> result;
  for (PlanStep& step : steps) {
    read_together(step.steps);
    const auto needs = [&](const PlanStep& earlier) {
      return std::any_of(step.requests.begin(), step.requests.end(),
                         [&](const Request& request) {
                           return std::any_of(request.fields.begin(), request.fields.end(),
                                              [&](const FieldValue& field) {
                                                return uses_input(field.source.expression, earlier.name);
                                              }) ||
                                  std::any_of(request.values.begin(), request.values.end(),
                                              [&](const PlannedValue& value) {
                                                return uses_input(value.source.expression, earlier.name);
                                              });
                         }) ||
             (step.when && uses_input(*step.when, earlier.name));
    };
    const auto single = [](const PlanStep& plan_step) {
      return plan_step.kind == PlanStep::Kind::kRead && plan_step.requests.size() == 1 &&
             plan_step.requests[0].cached_s == 0 && plan_step.requests[0].shard == nullptr;
    };
    if (!result.empty() && single(step)) {
      PlanStep& last = result.back();
      const bool group = last.kind == PlanStep::Kind::kRead && last.is_batched;
      const bool fits =
          group ? std::none_of(last.steps.begin(), last.steps.end(), needs) : single(last) && !needs(last);
      if (fits) {
        if (!group) {
          PlanStep both{.kind = PlanStep::Kind::kRead, .place = last.place, .is_batched = true};
          both.cost = last.cost;
          both.steps.push_back(std::move(last));
          last = std::move(both);
        }
        result.back().cost += step.cost;
        result.back().steps.push_back(std::move(step));
        continue;
      }
    }
    result.push_back(std::move(step));
  }
  steps = std::move(result);
}

// The journal entry of a job in progress: after a crash the job is resumed if the entry still exists.
Request Planner::journal_request(RequestKind kind) const {
  Request request{.kind = kind, .table = std::string(kJournalTable)};
  request.bytes = {200, 300, 2048};
  request.cost.write = write_units(request.bytes);
  request.key = {{"PK", value_of(text_expression("JOB#" + design_.name))}, {"SK", value_of(input_expression("$job"))}};
  if (kind != RequestKind::kPutItem) return request;
  request.item = request.key;
  request.item.push_back({"operation", value_of(text_expression(operation_.name))});
  request.item.push_back({"inputs", value_of(input_expression("$inputs"))});
  return request;
}

// The guard that makes the operation idempotent: if the guard exists, its owner is read and returned.
void Planner::add_idempotence() {
  if (operation_.idempotent.empty()) return;
  each_write(operation_, [&](const Write& write, const Step&) {
    const Entity* entity = design_.entity(write.entity);
    const Guard* guard =
        entity == nullptr || write.kind != Write::Kind::kPut ? nullptr : entity->guard(operation_.idempotent);
    if (guard == nullptr || plan_.idempotent != nullptr) return;
    plan_.idempotent = guard;
    Access access{
        .kind = Access::Kind::kGet, .entity = entity->name, .index = guard->name, .by_guard = true, .consistent = true};
    for (const std::string& field : fields_of(*entity, guard->key)) {
      const auto set = std::ranges::find(write.set, field, &Binding::field);
      Expression value = set == write.set.end() ? input_expression(field) : set->value;
      access.by.push_back({.field = field, .element = {}, .value = std::move(value), .place = guard->place});
    }
    PlanStep step{.kind = PlanStep::Kind::kRead, .place = guard->place, .name = "$first"};
    step.requests = requests_of(access, "$first");
    cost_step(design_, step);
    plan_.idempotent_steps.push_back(std::move(step));
  });
  if (plan_.idempotent == nullptr) return;
  const auto writes = [](const auto& self, const PlanStep& step) -> bool {
    return step.kind == PlanStep::Kind::kWrite || step.kind == PlanStep::Kind::kCascade ||
           std::ranges::any_of(step.steps, [&](const PlanStep& inner) { return self(self, inner); });
  };
  const auto puts_guard = [&](const PlanStep& step) {
    return std::ranges::find(step.requests, plan_.idempotent, &Request::guard) != step.requests.end();
  };
  const auto first = std::ranges::find_if(plan_.steps, [&](const PlanStep& step) { return writes(writes, step); });
  if (first == plan_.steps.end() || puts_guard(*first) || std::none_of(first, plan_.steps.end(), puts_guard)) return;
  plan_.idempotent_at = static_cast<size_t>(first - plan_.steps.begin());
  plan_.notes.push_back(fmt::format(
      "before the first write, {}.{} is read: if it has the value, its owner is the answer and nothing is written",
      plan_.idempotent_steps[0].requests[0].entity->name, plan_.idempotent->name));
}

void Planner::total() {
  // Writes of the same entity under different conditions exclude each other: typically one of them is sent.
  std::set<const Entity*> conditional;
  for (PlanStep& step : plan_.steps) {
    const bool sometimes =
        step.kind == PlanStep::Kind::kWrite && step.requests.size() == 1 && step.steps.empty() && step.requests[0].when;
    if (sometimes && !conditional.insert(step.requests[0].entity).second) {
      step.requests[0].times_typical = 0;
      step.cost = Cost::perhaps(step.cost);
    }
    plan_.cost += step.cost;
  }
  const auto count = [&](const auto& self, const std::vector<PlanStep>& steps) -> void {
    for (const PlanStep& step : steps) {
      switch (step.kind) {
        case PlanStep::Kind::kRequire:
        case PlanStep::Kind::kLet:
          break;
        case PlanStep::Kind::kFor:
        case PlanStep::Kind::kCascade:
          plan_.requests_most = -1;
          break;
        case PlanStep::Kind::kLimit:
          plan_.requests_least += 1;
          if (plan_.requests_most >= 0) plan_.requests_most += step.requests[1].times_most > 0 ? 3 : 2;
          break;
        default: {
          if (step.is_batched && !is_batch(step)) {
            self(self, step.steps);
            break;
          }
          const bool alone = step.kind == PlanStep::Kind::kWrite && step.requests.size() == 1 && step.steps.empty();
          const bool sometimes = step.when || (alone && step.requests[0].when) || !step.trigger_inputs.empty() ||
                                 (!step.requests.empty() && step.requests[0].cached_s > 0);
          double most = step.kind == PlanStep::Kind::kWrite || step.is_batched ? 1 : 0;
          double least = most;
          bool endless = false;
          for (const Request& request : step.requests) {
            if (step.kind == PlanStep::Kind::kWrite || step.is_batched) break;
            most += request.times_most * (request.reads_again ? 2 : 1);
            least += request.times_least;
            endless |= request.paging == Request::Paging::kAll;
          }
          // If the write removes an extreme, it is refused once and the remaining items are queried.
          double queries = 0;
          for (const Request& request : step.requests) {
            for (const Request& query : request.extreme_reads) {
              queries += request.times_most;
              endless |= query.paging == Request::Paging::kAll;
            }
          }
          if (queries > 0) most += queries + 1;
          // The reads of a transaction's loops, for each member.
          for (const PlanStep& loop : step.kind == PlanStep::Kind::kWrite ? step.steps : std::vector<PlanStep>()) {
            for (const PlanStep& inner : loop.steps) {
              if (inner.kind == PlanStep::Kind::kRead || inner.kind == PlanStep::Kind::kObserve)
                most += static_cast<double>(loop.members > 0 ? loop.members : kListLimitDefault);
            }
          }
          plan_.requests_least += sometimes ? 0 : static_cast<int64_t>(least);
          if (endless)
            plan_.requests_most = -1;
          else if (plan_.requests_most >= 0)
            plan_.requests_most += static_cast<int64_t>(most);
        }
      }
    }
  };
  count(count, plan_.steps);
  if (plan_.idempotent_at) {
    // The guard, and its owner if there is one.
    const PlanStep& look = plan_.idempotent_steps[0];
    plan_.cost += look.requests[0].cost;
    plan_.requests_least += 1;
    if (plan_.requests_most >= 0) plan_.requests_most += 2;
  }
  if (plan_.requests_most < 0) plan_.requests_most = 0;
}

Plan Planner::plan() {
  plan_.operation = &operation_;
  if (operation_.access) {
    PlanStep step{.kind = PlanStep::Kind::kRead, .place = operation_.access->place, .name = "items"};
    step.requests = requests_of(*operation_.access, {});
    for (const Request& request : step.requests) shard_step(request, plan_.steps);
    const bool reads_one = operation_.access->kind == Access::Kind::kGet || operation_.access->one;
    if (reads_one) {
      step.name = "item";
      step.refusals.push_back({.cause = Cause::kAbsent, .status = 404});
    }
    cost_step(design_, step);
    plan_.steps.push_back(std::move(step));
  }
  each_step(operation_.steps, [&](const Step& step) {
    if (step.kind == Step::Kind::kCascade || !step.undo.empty()) journal_ = Journal::kWanted;
  });
  for (const auto& [input, failure] : operation_.bad) plan_also(failure.get());
  add_steps(operation_.steps, plan_.steps);
  if (journal_ == Journal::kWritten) {
    PlanStep done{.kind = PlanStep::Kind::kWrite, .place = operation_.place};
    done.requests.push_back(journal_request(RequestKind::kDeleteItem));
    cost_step(design_, done);
    plan_.steps.push_back(std::move(done));
  }
  const auto undoes = [](const PlanStep& step) { return !step.undo.empty(); };
  if (std::ranges::any_of(plan_.steps, undoes))
    plan_.notes.push_back(
        "until the operation ends, each write also records its progress in the journal (one more item)");
  read_together(plan_.steps);
  add_idempotence();
  add_afterwards();
  if (operation_.cached_s > 0)
    plan_.notes.push_back(fmt::format("cached for {}, or until this server writes what the operation reads",
                                      duration_text(operation_.cached_s)));
  if (operation_.additional) plan_.notes.emplace_back("additional attributes are written unchanged");
  each_write(operation_, [&](const Write& write, const Step&) {
    if (!write.from.empty())
      plan_.notes.push_back(fmt::format("the new {} has every other attribute of ${}", write.entity, write.from));
  });
  total();
  return std::move(plan_);
}

}  // namespace trestle::design
