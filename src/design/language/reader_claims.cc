// Reads claims and alerts.
#include <cstdlib>

#include "design/language/reader_impl.h"

namespace trestle::design {

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
