// Tallies through the stream: what its reader writes for the changes that an operation makes.
#include <algorithm>

#include "design/plan_impl.h"
#include "design/plan_write_item.h"

namespace trestle::design {

// What the reader of the stream writes for one item that this operation changes.
void Planner::add_afterwards() {
  std::set<std::string> done;
  each_write(operation_, [&](const Write& write, const Step&) {
    for (const Tally& tally : design_.tallies) {
      const Entity* into = design_.entity(tally.into);
      const Entity* of = design_.entity(tally.of);
      if (!tally.through_stream || tally.of != write.entity || into == nullptr || of == nullptr ||
          write.kind == Write::Kind::kCheck)
        continue;
      // An update that touches nothing the tally counts by leaves it as it is.
      if (write.kind == Write::Kind::kUpdate) {
        std::set<std::string> fields;
        for (const auto* list : {&tally.by, &tally.add}) {
          for (const Binding& binding : *list) {
            fields.merge(fields_of(*of, binding.value));
            if (binding.element) fields.merge(fields_of(*of, *binding.element));
          }
        }
        if (tally.when) fields.merge(fields_of(*of, *tally.when));
        const auto touches = [&](const Binding& binding) { return fields.contains(binding.field); };
        if (std::none_of(write.set.begin(), write.set.end(), touches) &&
            std::none_of(write.add.begin(), write.add.end(), touches))
          continue;
      }
      if (!done.insert(tally.name).second) continue;
      Write target;
      target.kind = Write::Kind::kUpsert;
      target.entity = into->name;
      for (const Binding& by : tally.by)
        target.by.push_back(
            {.field = by.field, .element = {}, .value = of_item(by.value, *of, "new"), .place = by.place});
      for (const Binding& add : tally.add) {
        Binding copy{.field = add.field, .element = {}, .value = of_item(add.value, *of, "new"), .place = add.place};
        if (add.element) copy.element = of_item(*add.element, *of, "new");
        // Tallies of one item share an update, so what one does not count it adds 0 to.
        if (tally.when) {
          copy.value =
              call_expression("if", {of_item(*tally.when, *of, "new"), std::move(copy.value), number_expression("0")});
        }
        target.add.push_back(std::move(copy));
      }
      const WriteScope scope{
          .design = design_, .operation = operation_, .names = known_, .current = "current", .read_before = false};
      Request request = WritePlanner(scope, target, *into).requests()[0];
      request.tally = &tally;
      // Tallies into one item are one update of it.
      if (plan_.afterwards.empty())
        plan_.afterwards.push_back({.kind = PlanStep::Kind::kWrite, .place = tally.place, .name = "tallies"});
      auto& requests = plan_.afterwards[0].requests;
      const auto same =
          std::find_if(requests.begin(), requests.end(), [&](const Request& one) { return one.entity == into; });
      if (same == requests.end()) {
        requests.push_back(std::move(request));
      } else {
        for (Piece& piece : request.pieces) {
          const auto says = [&](const Piece& one) {
            return one.forms[0].text == piece.forms[0].text && one.forms[0].condition == piece.forms[0].condition;
          };
          // A counter that this tally adds to is not also made 0.
          const std::string& attribute =
              piece.forms[0].names.empty() ? piece.forms[0].text : piece.forms[0].names[0].attribute;
          const auto counts = [&](const Piece& one) {
            return !one.forms[0].names.empty() && one.forms[0].names[0].attribute == attribute &&
                   one.forms[0].text.find("if_not_exists(#" + attribute + ", ") != std::string::npos;
          };
          if (std::any_of(same->pieces.begin(), same->pieces.end(), says)) continue;
          if (counts(piece)) continue;
          std::erase_if(same->pieces, counts);
          same->pieces.push_back(std::move(piece));
        }
      }
    }
  });
  if (plan_.afterwards.empty()) return;
  // How far the stream was read is written in the same transaction, so that every change is counted once.
  Request progress{.kind = RequestKind::kPutItem, .table = std::string(kJournalTable)};
  progress.bytes = {200, 200, 300};
  progress.cost.write = write_units(progress.bytes);
  progress.key = {{"PK", value_of(text_expression("STREAM#" + design_.name))},
                  {"SK", value_of(input_expression("stream_shard"))}};
  progress.item = progress.key;
  progress.item.push_back({"sequence_number", value_of(input_expression("sequence_number"))});
  plan_.afterwards[0].requests.push_back(std::move(progress));
  for (PlanStep& step : plan_.afterwards) {
    cost_step(design_, step);
    plan_.afterwards_cost += step.cost;
  }
}

}  // namespace trestle::design
