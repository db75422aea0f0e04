// Reads limits, tallies, roles, reactions, claims and alerts.
#include <fmt/format.h>

#include <cstdlib>

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

void Reader::read_claims(const Node& node) {
  if (node.kind != Node::Kind::kList) return wrong(node, "claims", "a list");
  for (const Node& item : node.items) {
    if (!object(item, "claim")) continue;
    const std::string says = text(item.find("says"), "says");
    size_t kinds = 0;
    for (const Entry& entry : item.entries) {
      if (entry.key == "says") continue;
      ++kinds;
      // A map makes one claim per entity, table or operation in it.
      if (entry.value.kind == Node::Kind::kMap) {
        for (const Entry& claim : entry.value.entries) {
          design_.claims.push_back({item.place, says, entry.key, claim.key, texts(&claim.value, entry.key)});
        }
      } else {
        auto values = texts(&entry.value, entry.key);
        design_.claims.push_back({item.place, says, entry.key, values.empty() ? "" : values[0], values});
      }
    }
    if (kinds != 1) wrong(item, "a claim", "`says` and exactly one statement to verify");
  }
}

void Reader::read_alerts(const Node& node) {
  if (!map(node, "alerts")) return;
  for (const Entry& entry : node.entries) {
    if (!object(entry.value, "alert")) continue;
    Alert alert{.name = entry.key, .place = entry.place};
    alert.says = text(entry.value.find("says"), "says");
    alert.table = text(entry.value.find("table"), "table");
    if (const Node* cost = entry.value.find("cost")) {
      alert.cost = std::strtod(cost->text.c_str(), nullptr);
      if (alert.cost <= 0) wrong(*cost, "cost", "a positive number of dollars per month");
    }
    const auto units = [&](std::string_view word) {
      const Node* rate = entry.value.find(word);
      if (rate == nullptr) return 0.0;
      const auto parsed = parse_rate(rate->text);
      if (!parsed || !parsed->per.empty()) wrong(*rate, word, "a rate of units such as 100/s");
      return parsed ? parsed->per_second : 0.0;
    };
    alert.read_units = units("reads");
    alert.write_units = units("writes");
    const bool of_table = alert.read_units > 0 || alert.write_units > 0;
    if (of_table && alert.table.empty() && design_.tables.size() == 1) alert.table = design_.tables[0].name;
    if (of_table == (alert.cost > 0)) wrong(entry.value, "alert", "`cost`, or `table` with `reads` or `writes`");
    if (of_table && design_.table(alert.table) == nullptr) {
      std::vector<std::string> tables;
      for (const Table& table : design_.tables) tables.push_back(table.name);
      unknown(entry.place, "table", alert.table, tables);
    }
    design_.alerts.push_back(std::move(alert));
  }
}

}  // namespace trestle::design
