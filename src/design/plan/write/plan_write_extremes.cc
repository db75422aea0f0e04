// Plans how the request for a tally's target updates the least and greatest values.
#include <fmt/format.h>

#include <algorithm>

#include "design/plan/extreme_read.h"
#include "design/plan/write/plan_write_item.h"

namespace trestle::design {

void WritePlanner::extreme_piece(Request& request, const Write::Extreme& extreme, Namer& namer) const {
  const Field* field = entity_.field(extreme.figure->figure.field);
  if (field == nullptr) return;
  const bool greatest = extreme.figure->greatest;
  const Expression none = input_expression("$none");
  Form sets{.section = Section::kSet}, stays, replaced{.section = Section::kSet}, removed{.section = Section::kRemove};
  const std::string name = namer.name(field->name, sets.names);
  const std::string value = namer.value(field->name, stored(*field, extreme.is.value_or(none)), sets.values);
  sets.text = fmt::format("{} = {}", name, value);
  sets.condition = fmt::format("attribute_not_exists({}) OR {} {} {}", name, name, greatest ? "<=" : ">=", value);
  const Expression beyond = extreme.was ? *extreme.was : extreme.is.value_or(none);
  stays.condition = fmt::format("{} {} {}", namer.name(field->name, stays.names), greatest ? ">" : "<",
                                namer.value(field->name + "_was", stored(*field, beyond), stays.values));
  Piece piece{.choice = Piece::Choice::kByExtreme, .attribute = field->name, .cause = Cause::kForm};
  piece.forms = {std::move(sets), std::move(stays)};
  const Field* revision = revision_of(entity_);
  if (field->extreme == Field::Extreme::kNone && revision != nullptr) {
    const auto if_found = [&](Form& form) {
      const Expression found = member_expression(input_expression("$found"), revision->name);
      form.condition = is_revision(namer.name(revision->name, form.names),
                                   namer.value("found", value_of(found, revision), form.values),
                                   namer.value("zero", value_of(number_expression("0"), revision), form.values));
    };
    const std::string left = namer.name(field->name, replaced.names);
    const Expression next = member_expression(input_expression("$left"), extreme.figure->figure.value.text);
    replaced.text =
        fmt::format("{} = {}", left, namer.value(field->name + "_left", stored(*field, next), replaced.values));
    removed.text = namer.name(field->name, removed.names);
    if_found(replaced);
    if_found(removed);
    piece.forms.push_back(std::move(replaced));
    piece.forms.push_back(std::move(removed));
    if (extreme.was) {
      const auto by = std::ranges::find_if(design_.tallies, [&](const Tally& tally) {
        return std::ranges::any_of(tally.extremes,
                                   [&](const TallyExtreme& tally_extreme) { return &tally_extreme == extreme.figure; });
      });
      if (auto query = extreme_query(design_, *by, *extreme.figure, by->through_stream ? 0 : 1))
        request.extreme_reads.push_back(std::move(*query));
    }
  }
  request.pieces.push_back(std::move(piece));
}

}  // namespace trestle::design
