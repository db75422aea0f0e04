// Plain values and the types of a design: checks and normalises inputs, and converts computed values to the notation of
// their field.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "design/language/design.h"
#include "design/plan/plan.h"
#include "runtime/values/plain.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// Checks the value of an input and normalises it to its type: emails and domains in lower case, numbers canonical,
// times in UTC and at the type's resolution (`2025-10-03T14:00:00Z`), sets sorted. Adds every fault under `path` to
// `faults`; the result is then meaningless. `input` must be neither absent nor null.
Plain check_input(const design::Design& design, const design::FieldType& type, const Plain& input,
                  const std::string& path, std::vector<FieldFault>& faults);

// The refusal (400) that names each fault.
Refused refused_inputs(std::vector<FieldFault> faults);

// Converts a computed value to the field's type: a moment to text or a number at the type's resolution, a number to
// text for a string field, and so on. Refuses (400, with the field) a value that cannot be converted.
Outcome<Plain> convert_to_type(const design::Design& design, const design::FieldType& type, Plain value,
                               const std::string& field);

// Converts a time that a condition compares with a field of a time type. A time between two values of the type becomes
// the earlier one, the later one, or absent, because it equals neither.
Outcome<Plain> convert_compared_time(const design::Design& design, const design::FieldType& type, Plain value,
                                     const std::string& field, design::Rounding rounding);

// Whether values of the type are or contain times.
bool has_times(const design::Design& design, const design::FieldType& type);
// Gives the value, and the values within it, the time forms of its type (Plain::TimeForm).
Plain with_time_forms(const design::Design& design, const design::FieldType& type, Plain value);

// The type of a time to live.
const design::FieldType& epoch_seconds();

// A field's value as text for key templates (FieldValues of design/language/template.h): the digits of an int or epoch,
// true or false for a bool.
std::string key_text(const design::FieldType& type, const Plain& value);
// The reverse of key_text().
Plain from_key_text(const design::FieldType& type, std::string_view text);

}  // namespace trestle::runtime
