// Values for a rehearsal: possible inputs of a type, as plain values. Pure and deterministic.
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
  size_t index = 0;     // a different value for each, as far as the type has so many
  size_t members = 2;   // of lists, sets and maps, as far as the type allows
  int64_t later_s = 0;  // how much later than the sample's time a time is
};

// A value of the type.
runtime::Plain sample_plain(const SamplePlainRequest& request);
// The plain value of a sample's text (design/sample/sample_value.h); `type` is a scalar.
runtime::Plain plain_of_text(const design::FieldType& type, const std::string& text);

}  // namespace trestle::rehearsal
