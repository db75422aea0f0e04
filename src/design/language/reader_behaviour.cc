// Reads limits, tallies, roles and reactions.
#include "design/language/reader_impl.h"
#include "design/language/vocabulary.h"

namespace trestle::design {

void Reader::read_limits(const Node& node) {
  if (!map(node, "limits")) return;
  for (const Entry& entry : node.entries) {
    if (!object(entry.value, "limit")) continue;
    Limit limit{.name = entry.key, .place = entry.place};
    limit.entity = text(entry.value.find("in"), "in");
    limit.window_s = duration(entry.value.find("window"), "window");
    limit.slice_s =
        entry.value.find("slice") != nullptr ? duration(entry.value.find("slice"), "slice") : limit.window_s;
    limit.max = integer(entry.value.find("max"), "max").value_or(1);
    design_.limits.push_back(std::move(limit));
  }
}

void Reader::read_tallies(const Node& node) {
  if (!map(node, "tallies")) return;
  for (const Entry& entry : node.entries) {
    if (!object(entry.value, "tally")) continue;
    Tally tally{.name = entry.key, .place = entry.place};
    tally.of = text(entry.value.find("of"), "of");
    tally.into = text(entry.value.find("into"), "into");
    if (const Node* by = entry.value.find("by")) tally.by = bindings(*by, false);
    if (const Node* add = entry.value.find("add")) tally.add = bindings(*add, false);
    for (const bool greatest : {false, true}) {
      const Node* extremes = entry.value.find(greatest ? "max" : "min");
      if (extremes == nullptr) continue;
      for (Binding& figure : bindings(*extremes, false))
        tally.extremes.push_back({.greatest = greatest, .figure = std::move(figure)});
    }
    if (tally.add.empty() && tally.extremes.empty()) wrong(entry.value, "tally", "at least one of add, min and max");
    tally.when = expression(entry.value.find("when"));
    if (const Node* through = entry.value.find("through")) {
      tally.through_stream = through->text == "stream";
      if (!tally.through_stream && through->text != "transaction") wrong(*through, "through", "transaction or stream");
    }
    design_.tallies.push_back(std::move(tally));
  }
}

void Reader::read_roles(const Node& node) {
  if (!map(node, "roles")) return;
  for (const Entry& entry : node.entries) {
    if (auto rule = expression(&entry.value)) design_.roles.push_back({entry.key, entry.place, std::move(*rule)});
  }
}

void Reader::read_reactions(const Node& node) {
  if (!map(node, "reactions")) return;
  for (const Entry& entry : node.entries) {
    if (!object(entry.value, "reaction")) continue;
    Reaction reaction{.name = entry.key, .place = entry.place};
    reaction.entity = text(entry.value.find("on"), "on");
    reaction.call = text(entry.value.find("call"), "call");
    reaction.run = text(entry.value.find("do"), "do");
    reaction.then = text(entry.value.find("then"), "then");
    if (reaction.call.empty() == reaction.run.empty()) wrong(entry.value, "reaction", "either `call` or `do`");
    if (!reaction.run.empty() && (!reaction.then.empty() || entry.value.find("send") != nullptr))
      wrong(entry.value, "reaction", "`with` for the inputs of `do`, and no `send` or `then`");
    reaction.ask = text(entry.value.find("ask"), "ask");
    if (const Node* format = entry.value.find("format")) {
      reaction.cloud_event = format->text == "cloudevent";
      if (!reaction.cloud_event && format->text != "json") wrong(*format, "format", "json or cloudevent");
    }
    reaction.retries = integer(entry.value.find("retries"), "retries").value_or(8);
    reaction.condition = expression(entry.value.find("if"));
    if (const Node* with = entry.value.find("with")) reaction.with = bindings(*with, false);
    if (const Node* send = entry.value.find("send")) reaction.send = bindings(*send, false);
    if (const Node* when = entry.value.find("when")) {
      const auto events = texts(when, "when");
      const auto has = [&](std::string_view event) {
        return std::find(events.begin(), events.end(), event) != events.end();
      };
      reaction.on_insert = has("insert");
      reaction.on_modify = has("modify");
      reaction.on_remove = has("remove");
      reaction.on_expire = has("expire");
    }
    design_.reactions.push_back(std::move(reaction));
  }
}

}  // namespace trestle::design
