#include "design/plan/load_operation.h"

#include "design/plan/plan_impl.h"

namespace trestle::design {
namespace {

// The value of a field that the record lacks. Nothing if the field is optional, or if the record must have it.
std::optional<Expression> missing_value(const Field& field) {
  if (!field.sha256_of.empty()) return call_expression("sha256", {input_expression(field.sha256_of)});
  if (field.touched) return name_expression("now");
  if (field.default_value) return field.default_value;
  if (field.automatic) return generated_value(field);
  if (field.counter) return number_expression("0");
  if (field.revision) return number_expression("1");
  return std::nullopt;
}

}  // namespace

Operation load_operation(const Entity& entity, bool replaces) {
  Operation operation{.name = "load " + entity.name, .place = entity.place, .is_write = true};
  Write write{.kind = Write::Kind::kPut, .place = entity.place, .entity = entity.name};
  write.exists = replaces ? Write::Exists::kEither : Write::Exists::kAbsent;
  write.otherwise = std::make_shared<const Failure>(Failure{.status = 409});
  for (const Field& field : entity.fields) {
    auto result = missing_value(field);
    // A counter may have any value, because operations and tallies may add any amount.
    operation.takes.push_back({.name = field.name,
                               .place = field.place,
                               .type = field.counter ? FieldType{.base = BaseType::kNumber} : field.type,
                               .optional = result.has_value() || field.optional});
    if (!field.sha256_of.empty() && entity.field(field.sha256_of) == nullptr &&
        operation.input(field.sha256_of) == nullptr)
      operation.takes.push_back({.name = field.sha256_of, .place = field.place, .type = {}, .optional = true});
    Expression input = input_expression(field.name);
    Binding set{.field = field.name};
    set.value = result ? call_expression("coalesce", {std::move(input), std::move(*result)}) : std::move(input);
    write.set.push_back(std::move(set));
  }
  Step step{.kind = Step::Kind::kAtomic, .place = entity.place};
  write.additional = true;
  write.is_load = true;
  step.writes.push_back(std::move(write));
  operation.steps.push_back(std::move(step));
  operation.additional = true;
  return operation;
}

}  // namespace trestle::design
