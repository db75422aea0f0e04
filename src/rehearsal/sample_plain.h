// Plain values that are valid inputs of a type, for rehearsals. Pure and deterministic.
#pragma once

#include <string_view>

#include "design/language/design.h"
#include "runtime/values/plain.h"

namespace trestle::rehearsal {

struct SamplePlainRequest {
  const design::Design* design = nullptr;
  std::string_view entity;
  std::string_view field;
  const design::FieldType* type = nullptr;
  size_t index = 0;     // different indexes give different values, as far as the type has enough
  size_t members = 2;   // the number of members of lists, sets and maps, as far as the type allows
  int64_t later_s = 0;  // how much later than the sample's times the generated times are
};

// A value of the type.
runtime::Plain sample_plain(const SamplePlainRequest& request);
// The plain value of a sample's text (design/sample/sample_value.h). `type` must be a scalar.
runtime::Plain plain_of_text(const design::FieldType& type, const std::string& text);

}  // namespace trestle::rehearsal
