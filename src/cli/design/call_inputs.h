// The inputs of a call on the command line.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/runtime.h"

namespace trestle {

// Reads `--field value` and `--field=value` as inputs that are text.
BasicResult<runtime::Plain, std::string> inputs_of(const std::vector<std::string>& words);

// Converts text inputs to the types of the operation's inputs: numbers, booleans, lists and maps are parsed as JSON.
void shape_inputs(const design::Operation& operation, runtime::Plain& inputs);

// Removes `limit` and `descending`, which are options of a list and not inputs, and returns them.
runtime::ListOptions take_list_options(runtime::Plain& inputs);

}  // namespace trestle
