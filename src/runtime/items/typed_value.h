// Plain values and the types of a design: checks and normalises inputs, and converts computed values to the notation of
// their field.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "design/language/design.h"
#include "runtime/values/plain.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// Converts the value of an input to its type: emails and domains folded to lower case, numbers canonical, times
// normalised to the type's resolution (`2025-10-03T14:00:00Z`, with an offset converted to UTC), sets sorted. Adds
// every fault under `path` to `faults`; the result is then meaningless. `input` is neither absent nor null.
Plain checked(const design::Design& design, const design::FieldType& type, const Plain& input, const std::string& path,
              std::vector<FieldFault>& faults);

// The refusal (400) that names each fault.
Refused refused_inputs(std::vector<FieldFault> faults);

// A computed value as the field's type writes it: a moment as text or number of the type's resolution, a number as text
// in a string field, and so on. What cannot be of that type is a fault of the design's or caller's (400 with the
// field).
Outcome<Plain> shaped(const design::Design& design, const design::FieldType& type, Plain value,
                      const std::string& field);

// The type of a time to live.
const design::FieldType& epoch_seconds();

// A field's value as a string for key templates (FieldValues of design/language/template.h): an `int` as its digits, a
// bool as true or false, an epoch as digits.
std::string key_text(const design::FieldType& type, const Plain& value);
// And back.
Plain from_key_text(const design::FieldType& type, std::string_view text);

}  // namespace trestle::runtime
