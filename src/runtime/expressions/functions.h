// The functions of the design language, by name. They are in functions.cc (values) and collection_functions.cc (lists,
// sets, maps and results). Internal to the evaluator.
//
// A function receives evaluated arguments, at least its declared minimum number. For an absent argument, a function
// returns an absent value, unless it tests for absence.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "runtime/expressions/evaluate.h"
#include "runtime/expressions/operand.h"

namespace trestle::runtime {

class Arguments {
 public:
  Arguments(const design::Expression& call, const Scope& scope, std::vector<Operand>& values)
      : call_(call), scope_(scope), values_(values) {}
  size_t size() const { return values_.size(); }
  const Operand& operator[](size_t i) const { return values_[i]; }
  const design::Expression& expression(size_t i) const { return call_.arguments[i]; }
  const Scope& scope() const { return scope_; }

 private:
  const design::Expression& call_;
  const Scope& scope_;
  std::vector<Operand>& values_;
};

struct Function {
  Outcome<Operand> (*call)(const Arguments&) = nullptr;
  size_t least = 0;  // minimum number of arguments
};

const std::vector<std::pair<std::string_view, Function>>& collection_functions();

// The number of members of a list, set or map; 0 for anything else.
size_t count_of(const Plain& value);

}  // namespace trestle::runtime
