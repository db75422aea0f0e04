#include "runtime/background/reaction_inputs.h"

#include <algorithm>

#include "runtime/expressions/evaluate.h"

namespace trestle::runtime {

Plain reaction_inputs(const design::Reaction& reaction, const design::Operation& operation, const Scope& scope) {
  Plain inputs = Plain::map();
  for (const design::Input& input : operation.takes) {
    const auto bound = std::ranges::find(reaction.with, input.name, &design::Binding::field);
    Plain value;
    if (bound != reaction.with.end()) {
      if (auto evaluated = evaluate(bound->value, scope)) value = std::move(*evaluated);
    } else {
      const auto name = scope.names->find(input.name);
      const Plain named = name == scope.names->end() ? Plain() : name->second;
      const Plain& new_value = scope.new_item->member(input.name);
      const Plain& field = new_value.exists() ? new_value : scope.old_item->member(input.name);
      const bool field_first = !reaction.run.empty();
      value = (field_first ? field.exists() : !named.exists()) ? field : named;
    }
    if (value.exists()) inputs.set(input.name, std::move(value));
  }
  return inputs;
}

}  // namespace trestle::runtime
