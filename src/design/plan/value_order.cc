#include "design/plan/value_order.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace trestle::design {

void order_by_operands(std::vector<FieldValue>& fields) {
  std::vector<bool> visited(fields.size(), false);
  std::vector<size_t> order;
  const std::function<void(size_t)> place = [&](size_t i) {
    if (visited[i]) return;
    visited[i] = true;
    each_expression(fields[i].source.expression, [&](const Expression& part) {
      if (!part.is(Expression::Kind::kName)) return;
      const auto operand = std::ranges::find(fields, part.text, &FieldValue::name);
      if (operand != fields.end()) place(static_cast<size_t>(operand - fields.begin()));
    });
    order.push_back(i);
  };
  for (size_t i = 0; i < fields.size(); ++i) place(i);
  if (std::ranges::is_sorted(order)) return;
  std::vector<FieldValue> ordered;
  ordered.reserve(fields.size());
  for (const size_t i : order) ordered.push_back(std::move(fields[i]));
  fields = std::move(ordered);
}

std::vector<std::string> cycle_of(const std::map<std::string, Expression>& values) {
  std::set<std::string> done;
  std::vector<std::string> path, cycle;
  const std::function<void(const std::string&)> visit = [&](const std::string& name) {
    const auto value = values.find(name);
    if (!cycle.empty() || value == values.end() || done.contains(name)) return;
    if (const auto at = std::ranges::find(path, name); at != path.end()) {
      cycle.assign(at, path.end());
      return;
    }
    path.push_back(name);
    each_expression(value->second, [&](const Expression& part) {
      if (part.is(Expression::Kind::kName)) visit(part.text);
    });
    path.pop_back();
    done.insert(name);
  };
  for (const auto& [name, value] : values) visit(name);
  return cycle;
}

}  // namespace trestle::design
