#include "rehearsal/input_origins.h"

namespace trestle::rehearsal {

using design::Binding;
using design::Design;
using design::Entity;
using design::Field;
using design::Input;
using design::Operation;

bool sets_expiry(const Entity& entity, const Field& field) {
  if (!entity.ttl || !design::is_time(field.type) || field.automatic || field.touched || entity.in_key(field.name))
    return false;
  bool decides = false;
  design::each_expression(*entity.ttl, [&](const design::Expression& part) { decides |= part.is_name(field.name); });
  return decides;
}

Origins::Origins(const Design& design, const Operation& operation) : design_(design) {
  design::each_access(operation, [&](const design::Access& access) { note(access.entity, access.by); });
  design::each_write(operation, [&](const design::Write& write, const design::Step&) {
    note(write.entity, write.by);
    note(write.entity, write.set);
  });
}

Origin Origins::of(const Input& input) const {
  if (const size_t dot = input.of.find('.'); dot != std::string::npos) {
    if (const Origin known = named(input.of.substr(0, dot), input.of.substr(dot + 1)); known.field != nullptr)
      return known;
  }
  if (const auto bound = bound_.find(input.name); bound != bound_.end()) return bound->second;
  for (const Entity* entity : entities_) {
    if (const Field* field = entity->field(input.name)) return {entity, field};
  }
  for (const Entity& entity : design_.entities) {
    if (const Field* field = entity.field(input.name)) return {&entity, field};
  }
  return {};
}

Origin Origins::named(std::string_view entity_name, std::string_view field_name) const {
  const Entity* entity = design_.entity(entity_name);
  return {entity, entity == nullptr ? nullptr : entity->field(field_name)};
}

void Origins::note(const std::string& entity_name, const std::vector<Binding>& bindings) {
  const Entity* entity = design_.entity(entity_name);
  if (entity == nullptr) return;
  entities_.push_back(entity);
  for (const Binding& binding : bindings) {
    const Field* field = entity->field(binding.field);
    if (field != nullptr && !binding.element && binding.value.is(design::Expression::Kind::kInput))
      bound_.emplace(binding.value.text, Origin{entity, field});
  }
}

}  // namespace trestle::rehearsal
