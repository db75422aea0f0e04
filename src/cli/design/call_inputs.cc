#include "cli/design/call_inputs.h"

#include <fmt/format.h>

#include <cstdlib>

#include "runtime/values/plain_json.h"

namespace trestle {

using runtime::Plain;

BasicResult<Plain, std::string> inputs_of(const std::vector<std::string>& words) {
  Plain inputs = Plain::map();
  for (size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--") || words[i].size() < 3)
      return std::unexpected(fmt::format("expected --field value, got `{}`", words[i]));
    const size_t equals = words[i].find('=');
    const std::string name = words[i].substr(2, equals == std::string::npos ? equals : equals - 2);
    if (equals == std::string::npos && i + 1 >= words.size())
      return std::unexpected(fmt::format("--{} has no value", name));
    const std::string text = equals == std::string::npos ? words[++i] : words[i].substr(equals + 1);
    inputs.set(name, Plain::text(text));
  }
  return inputs;
}

void shape_inputs(const design::Operation& operation, Plain& inputs) {
  for (auto& [name, value] : inputs.members()) {
    const design::Input* input = operation.input(name);
    if (input == nullptr) continue;
    const ValueType stored = design::stored_type(input->type);
    if (stored == ValueType::kString && value.string() != "null") continue;
    if (auto parsed = runtime::parse_plain_json(value.string())) value = std::move(*parsed);
  }
}

runtime::ListOptions take_list_options(Plain& inputs) {
  runtime::ListOptions list;
  if (const Plain& limit = inputs.member("limit"); limit.exists()) {
    list.limit = std::atoll(limit.string().c_str());
    inputs.erase("limit");
  }
  if (const Plain& descending = inputs.member("descending"); descending.exists()) {
    list.descending = descending.string() == "true";
    inputs.erase("descending");
  }
  return list;
}

}  // namespace trestle
