// Stream tallies: what the stream reader writes for the changes that an operation makes.
#include <fmt/format.h>

#include <algorithm>

#include "design/plan/plan_impl.h"
#include "design/plan/write/plan_write_item.h"
#include "design/plan/write/plan_write_pieces.h"

namespace trestle::design {

using Kind = Expression::Kind;

namespace {

// The fields that a tally depends on. A change of other fields does not affect its figures.
std::set<std::string> counted_by(const Tally& tally, const Entity& of, bool target_only) {
  std::set<std::string> fields;
  for (const Binding& by : tally.by) fields.merge(fields_of(of, by.value));
  if (target_only) return fields;
  each_figure(tally, [&](const Binding& figure) {
    fields.merge(fields_of(of, figure.value));
    if (figure.element) fields.merge(fields_of(of, *figure.element));
  });
  if (tally.when) fields.merge(fields_of(of, *tally.when));
  return fields;
}

Expression negative(Expression value) {
  return {.kind = Kind::kSubtract, .arguments = {number_expression("0"), std::move(value)}};
}

// The amount that the old or the new item contributes; `image` is "old" or "new".
Expression counted(const Tally& tally, const Entity& of, const Expression& value, std::string_view image) {
  Expression result = of_item(value, of, image);
  // Several tallies share one update, so a tally whose `when` excludes the item adds 0.
  if (tally.when)
    result = call_expression("if", {of_item(*tally.when, of, image), std::move(result), number_expression("0")});
  return result;
}

Write target_of(const Tally& tally, const Entity& of, std::string_view image) {
  Write target;
  target.kind = Write::Kind::kUpsert;
  target.entity = tally.into;
  for (const Binding& by : tally.by)
    target.by.push_back({.field = by.field, .element = {}, .value = of_item(by.value, of, image), .place = by.place});
  return target;
}

// One side of a change: the new item's amounts added, or the old item's amounts subtracted.
Write side_of(const Tally& tally, const Entity& of, std::string_view image) {
  Write target = target_of(tally, of, image);
  for (const Binding& add : tally.add) {
    Expression value = counted(tally, of, add.value, image);
    if (image == "old") value = negative(std::move(value));
    Binding copy{.field = add.field, .element = {}, .value = std::move(value), .place = add.place};
    if (add.element) copy.element = of_item(*add.element, of, image);
    target.add.push_back(std::move(copy));
  }
  for (const TallyExtreme& extreme : tally.extremes) {
    Write::Extreme change{.figure = &extreme, .was = {}, .is = {}};
    (image == "old" ? change.was : change.is) = of_item(extreme.figure.value, of, image);
    target.extremes.push_back(std::move(change));
  }
  return target;
}

// A change that keeps the target: both sides in one write, each figure changed by the difference. Where the name of a
// map member can change, the old member is decreased and the new one increased.
Write difference_of(const Tally& tally, const Entity& of, const WritePlanner& change) {
  Write target = target_of(tally, of, "new");
  for (const Binding& add : tally.add) {
    const bool moves = add.element && change.changes(fields_of(of, *add.element));
    const bool constant = !tally.when && !change.changes(fields_of(of, add.value));
    if (constant && !moves) continue;
    Expression now = counted(tally, of, add.value, "new");
    Expression was = counted(tally, of, add.value, "old");
    Binding copy{.field = add.field, .element = {}, .value = {}, .place = add.place};
    if (moves) {
      copy.element = of_item(*add.element, of, "old");
      copy.value = negative(std::move(was));
      target.add.push_back(copy);
      copy.element = of_item(*add.element, of, "new");
      copy.value = std::move(now);
    } else {
      if (add.element) copy.element = of_item(*add.element, of, "new");
      copy.value = {.kind = Kind::kSubtract, .arguments = {std::move(now), std::move(was)}};
    }
    target.add.push_back(std::move(copy));
  }
  for (const TallyExtreme& extreme : tally.extremes) {
    if (!tally.when && !change.changes(fields_of(of, extreme.figure.value))) continue;
    target.extremes.push_back({.figure = &extreme,
                               .was = of_item(extreme.figure.value, of, "old"),
                               .is = of_item(extreme.figure.value, of, "new")});
  }
  return target;
}

// Subtracts only from an item that exists, and below, from a map that exists.
void only_if_there(const Design& design, Request& request) {
  const Table* table = design.table(request.table);
  if (table == nullptr || table->key.hash.empty()) return;
  Namer namer;
  request.pieces.insert(request.pieces.begin(), piece_of(present_form(table->key.hash[0].name, namer), Cause::kAbsent));
}
void keep_missing_map(Request& request) {
  for (size_t i = 0; i < request.pieces.size(); ++i) {
    Piece& piece = request.pieces[i];
    // The piece of the old member precedes that of the new member, which creates the map.
    const bool again = std::any_of(request.pieces.begin() + static_cast<std::ptrdiff_t>(i) + 1, request.pieces.end(),
                                   [&](const Piece& later) {
                                     return later.choice == Piece::Choice::kByMap && later.attribute == piece.attribute;
                                   });
    if (piece.choice != Piece::Choice::kByMap || !again) continue;
    piece.forms[1].section = Section::kNone;
    piece.forms[1].text.clear();
    piece.forms[1].values.clear();
  }
}

// Tallies with the same target item share one update.
void merge(Request& into, Request&& more) {
  for (Piece& piece : more.pieces) {
    const auto is_same = [&](const Piece& other_piece) {
      return other_piece.forms[0].text == piece.forms[0].text &&
             other_piece.forms[0].condition == piece.forms[0].condition;
    };
    // A counter that this tally adds to must not be set to 0 as well.
    const std::string& attribute =
        piece.forms[0].names.empty() ? piece.forms[0].text : piece.forms[0].names[0].attribute;
    const auto counts = [&](const Piece& other_piece) {
      return !other_piece.forms[0].names.empty() && other_piece.forms[0].names[0].attribute == attribute &&
             other_piece.forms[0].text.find("if_not_exists(#" + attribute + ", ") != std::string::npos;
    };
    if (std::any_of(into.pieces.begin(), into.pieces.end(), is_same) || counts(piece)) continue;
    std::erase_if(into.pieces, counts);
    into.pieces.push_back(std::move(piece));
  }
  for (Request& query : more.extreme_reads) into.extreme_reads.push_back(std::move(query));
}

}  // namespace

// The stream reader's writes for one item that this operation changes. They subtract the amounts of the old item and
// add those of the new one. If the target can change these are two writes; if not, one write with the differences; none
// if all differences are 0.
void Planner::add_afterwards() {
  std::set<std::string> done;
  std::vector<Request> requests;
  const auto add = [&](const Tally& tally, const Write& target, Request::Follows follows) {
    const Entity* into = design_.entity(tally.into);
    const WriteScope scope{
        .design = design_, .operation = operation_, .names = known_, .current = "$current", .read_before = false};
    WritePlanner planner(scope, target, *into);
    planner.observe_nothing();
    Request request = planner.requests()[0];
    request.tally = &tally;
    request.follows = follows;
    // The revision in If-Match belongs to the written item, not to the tally's target.
    std::erase_if(request.pieces, [](const Piece& piece) { return piece.cause == Cause::kRevision; });
    std::erase_if(request.refusals, [](const Refusal& refusal) { return refusal.cause == Cause::kRevision; });
    keep_missing_map(request);
    if (follows == Request::Follows::kOldValue || !tally_may_create(design_, *into)) only_if_there(design_, request);
    const auto same = std::find_if(requests.begin(), requests.end(), [&](const Request& other_request) {
      return other_request.entity == into && other_request.follows == follows;
    });
    if (same == requests.end())
      requests.push_back(std::move(request));
    else
      merge(*same, std::move(request));
  };
  each_write(operation_, [&](const Write& write, const Step&) {
    const Entity* of = design_.entity(write.entity);
    if (of == nullptr || write.kind == Write::Kind::kCheck) return;
    const WriteScope scope{
        .design = design_, .operation = operation_, .names = known_, .current = "$current", .read_before = false};
    const WritePlanner change(scope, write, *of);
    for (const Tally& tally : design_.tallies) {
      if (!tally.through_stream || tally.of != write.entity || design_.entity(tally.into) == nullptr) continue;
      const bool update = write.kind == Write::Kind::kUpdate;
      if (update && !change.changes(counted_by(tally, *of, false))) continue;
      if (!done.insert(tally.name).second) continue;
      const bool makes = write.kind == Write::Kind::kPut && write.exists == Write::Exists::kAbsent;
      const bool removes = write.kind == Write::Kind::kDelete;
      if (update && !change.changes(counted_by(tally, *of, true))) {
        add(tally, difference_of(tally, *of, change), Request::Follows::kNewValue);
        continue;
      }
      if (!makes) add(tally, side_of(tally, *of, "old"), Request::Follows::kOldValue);
      if (!removes) add(tally, side_of(tally, *of, "new"), Request::Follows::kNewValue);
      // A put or upsert usually does not replace an item.
      if (!makes && !removes && !update) {
        for (Request& request : requests) {
          if (request.follows == Request::Follows::kOldValue) request.times_least = request.times_typical = 0;
        }
      }
    }
  });
  // Which value is more extreme depends on the current target, so the target is read first.
  for (const Request& request : requests) {
    const auto by_extreme = [](const Piece& piece) { return piece.choice == Piece::Choice::kByExtreme; };
    if (std::ranges::none_of(request.pieces, by_extreme)) continue;
    PlanStep target{.kind = PlanStep::Kind::kRead, .place = request.tally->place, .name = "target"};
    Request get{.kind = RequestKind::kGetItem, .entity = request.entity, .table = request.table};
    get.fields = request.fields;
    get.key = request.key;
    get.consistent = true;
    get.times_least = request.times_least;
    get.times_typical = request.times_typical;
    cost_read(design_, get);
    target.requests.push_back(std::move(get));
    plan_.afterwards.push_back(std::move(target));
  }
  if (!requests.empty()) {
    plan_.afterwards.push_back({.kind = PlanStep::Kind::kWrite, .place = requests[0].tally->place, .name = "tallies"});
    plan_.afterwards.back().requests = std::move(requests);
  }
  if (plan_.afterwards.empty()) return;
  // The stream checkpoint is written in the same transaction, so that every change is counted once.
  Request progress{.kind = RequestKind::kPutItem, .table = std::string(kJournalTable)};
  progress.bytes = {200, 200, 300};
  progress.cost.write = write_units(progress.bytes);
  progress.key = {{"PK", value_of(text_expression("STREAM#" + design_.name))},
                  {"SK", value_of(input_expression("stream_shard"))}};
  progress.item = progress.key;
  progress.item.push_back({"sequence_number", value_of(input_expression("sequence_number"))});
  plan_.afterwards.back().requests.push_back(std::move(progress));
  for (PlanStep& step : plan_.afterwards) {
    cost_step(design_, step);
    plan_.afterwards_cost += step.cost;
  }
}

}  // namespace trestle::design
