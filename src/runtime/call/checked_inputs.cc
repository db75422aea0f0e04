#include "runtime/call/checked_inputs.h"

#include <algorithm>

#include "design/plan/stored_attributes.h"
#include "runtime/expressions/evaluate.h"
#include "runtime/items/typed_value.h"

namespace trestle::runtime {
namespace {

// Whether a write that sets its fields from the inputs sets this field from the input or its digest.
bool is_source_of(std::string_view input, const design::Field& field) {
  return field.name == input || field.sha256_of == input;
}

// Whether null in this input removes a field or a member of a map: an update of the operation sets an optional field or
// a member from it.
bool null_removes(const design::Design& design, const design::Operation& operation, const design::Input& input) {
  if (!operation.is_write || !input.optional) return false;
  bool removes = false;
  design::each_step(operation.steps, [&](const design::Step& step) {
    for (const design::Write& write : step.writes) {
      if (write.kind != design::Write::Kind::kUpdate && write.kind != design::Write::Kind::kUpsert) continue;
      const design::Entity* entity = design.entity(write.entity);
      removes |= write.sets_inputs && entity != nullptr && std::ranges::any_of(entity->fields, [&](const auto& field) {
                   return field.optional && is_source_of(input.name, field);
                 });
      for (const design::Binding& set : write.set) {
        const design::Field* target = entity == nullptr ? nullptr : entity->field(set.field);
        removes |= target != nullptr && (target->optional || set.element) &&
                   set.value.is(design::Expression::Kind::kInput) && set.value.text == input.name;
      }
    }
  });
  return removes;
}

// Whether an update sets a field to the input. A field that `set` computes from the input may be computed from null.
bool is_update_of(const design::Design& design, const design::Operation& operation, const design::Input& input) {
  bool updates = false;
  design::each_step(operation.steps, [&](const design::Step& step) {
    for (const design::Write& write : step.writes) {
      const design::Entity* entity = design.entity(write.entity);
      const auto computes = [&](const design::Field& field) {
        return std::ranges::any_of(write.set, [&](const design::Binding& set) {
          return set.field == field.name && !set.element && !set.value.is(design::Expression::Kind::kInput);
        });
      };
      updates |= write.kind == design::Write::Kind::kUpdate && write.sets_inputs && entity != nullptr &&
                 std::ranges::any_of(entity->fields, [&](const auto& field) {
                   return is_source_of(input.name, field) && !computes(field);
                 });
    }
  });
  return updates;
}

// Whether the design does not use an attribute with this name.
bool is_free_attribute(const design::Design& design, const design::Entity& entity, std::string_view name) {
  const design::Table* table = design.table(entity.table);
  // Nor may it be the name of a secret of which only the digest is stored.
  const auto is_known = [&](const design::Field& field) { return is_source_of(name, field); };
  if (table == nullptr || name.empty() || std::ranges::any_of(entity.fields, is_known)) return false;
  if (name == table->type_attribute || name == table->ttl_attribute) return false;
  return std::ranges::none_of(design::key_attributes(*table),
                              [&](const KeyAttribute& attribute) { return attribute.name == name; });
}

// Whether every write of the operation that takes additional attributes can take one with this name.
bool is_additional(const design::Design& design, const design::Operation& operation, std::string_view name) {
  bool takes = operation.additional;
  design::each_write(operation, [&](const design::Write& write, const design::Step&) {
    const design::Entity* entity = write.additional ? design.entity(write.entity) : nullptr;
    takes &= entity == nullptr || is_free_attribute(design, *entity, name);
  });
  return takes;
}

const design::FieldType& any_type() {
  static const design::FieldType type{.base = design::BaseType::kAny};
  return type;
}

}  // namespace

Outcome<std::map<std::string, Plain, std::less<>>> checked_inputs(const design::Design& design,
                                                                  const design::Operation& operation, const Plain& sent,
                                                                  int64_t now_ms,
                                                                  std::map<std::string, Plain, std::less<>>* good) {
  if (!sent.is(Plain::Kind::kMap)) return refuse(400, "The inputs must be a JSON object.");
  std::map<std::string, Plain, std::less<>> inputs;
  std::vector<FieldFault> faults;
  Plain more = Plain::map();
  for (const auto& member : sent.members()) {
    if (operation.input(member.first) != nullptr) continue;
    if (is_additional(design, operation, member.first))
      more.set(member.first, check_input(design, any_type(), member.second, member.first, faults));
    else
      faults.push_back({.field = member.first, .reason = "is unknown"});
  }
  if (operation.additional) inputs["$additional"] = std::move(more);
  for (const design::Input& input : operation.takes) {
    const Plain& value = sent.member(input.name);
    const bool as_stored =
        !input.prefix.empty() && value.is(Plain::Kind::kText) && value.string().starts_with(input.prefix);
    if (as_stored) {
      const Plain bare = Plain::text(value.string().substr(input.prefix.size()));
      inputs[input.name] = check_input(design, input.type, bare, input.name, faults);
    } else if (value.exists()) {
      inputs[input.name] = check_input(design, input.type, value, input.name, faults);
    } else if (value.is(Plain::Kind::kNull) && null_removes(design, operation, input)) {
      inputs[input.name] = Plain::null();
    } else if (value.is(Plain::Kind::kNull) && (!input.optional || is_update_of(design, operation, input))) {
      faults.push_back({.field = input.name, .reason = "must not be null"});
    } else if (!input.optional) {
      faults.push_back({.field = input.name, .reason = "is missing"});
    }
  }
  if (!faults.empty()) {
    if (good != nullptr) {
      *good = inputs;
      for (const FieldFault& fault : faults) good->erase(fault.field.substr(0, fault.field.find_first_of(".[")));
    }
    return std::unexpected(refused_inputs(std::move(faults)));
  }
  for (const design::Input& input : operation.takes) {
    if (!input.default_value || inputs.contains(input.name)) continue;
    TRY_INTO(Plain computed, evaluate(*input.default_value, {.names = &inputs, .now_ms = now_ms}));
    if (!computed.exists()) continue;
    TRY_INTO(inputs[input.name], convert_to_type(design, input.type, std::move(computed), input.name));
  }
  return inputs;
}

}  // namespace trestle::runtime
