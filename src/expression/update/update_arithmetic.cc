#include "expression/update/update_arithmetic.h"

#include "model/number.h"

namespace trestle {

Result<void> append_sum(std::string& out, ValueView a, ValueView b, Arithmetic operation) {
  const Number x = number_of(a.scalar());
  const Number y = number_of(b.scalar());
  TRY_INTO(const Number sum, operation == Arithmetic::kAdd ? add(x, y) : subtract(x, y));
  append_number(out, sum.text());
  return {};
}

void append_concatenation(std::string& out, ValueView a, ValueView b) {
  const size_t start = begin_list(out, a.list().size() + b.list().size());
  for (ValueView element : a.list()) out.append(element.bytes());
  for (ValueView element : b.list()) out.append(element.bytes());
  end_container(out, start);
}

void append_union(std::string& out, ValueView a, ValueView b) {
  std::vector<std::string_view> elements;
  const SetView old = a.set();
  elements.reserve(old.size() + b.set().size());
  for (std::string_view element : old) elements.push_back(element);
  for (std::string_view element : b.set()) {
    if (!old.contains(element)) elements.push_back(element);
  }
  append_set(out, a.type(), std::move(elements));
}

bool append_difference(std::string& out, ValueView a, ValueView b) {
  std::vector<std::string_view> elements;
  elements.reserve(a.set().size());
  for (std::string_view element : a.set()) {
    if (!b.set().contains(element)) elements.push_back(element);
  }
  if (elements.empty()) return false;
  append_set(out, a.type(), std::move(elements));
  return true;
}

}  // namespace trestle
