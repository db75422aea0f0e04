// Finds the entity field that an input of an operation stands for.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "design/language/design.h"

namespace trestle::rehearsal {

// The lifetime of samples that expire: an expired item would be absent to every operation.
inline constexpr int64_t kLifetimeSeconds = 30 * 86'400;

// Whether the caller sets the item's expiry through the field.
bool sets_expiry(const design::Entity& entity, const design::Field& field);

struct Origin {
  const design::Entity* entity = nullptr;
  const design::Field* field = nullptr;
};

class Origins {
 public:
  Origins(const design::Design& design, const design::Operation& operation);
  // Null if the input stands for no field.
  Origin of(const design::Input& input) const;

 private:
  Origin named(std::string_view entity_name, std::string_view field_name) const;
  void note(const std::string& entity_name, const std::vector<design::Binding>& bindings);

  const design::Design& design_;
  std::vector<const design::Entity*> entities_;
  std::map<std::string, Origin, std::less<>> bound_;
};

}  // namespace trestle::rehearsal
