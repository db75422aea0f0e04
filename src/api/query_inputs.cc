#include "api/query_inputs.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <optional>

#include "base/percent_encoding.h"
#include "model/number.h"
#include "runtime/values/plain_json.h"

namespace trestle::api {
namespace {

using design::BaseType;
using design::FieldType;
using runtime::Plain;

// Decodes form encoding, where a plus is a blank.
std::string decoded(std::string_view text) {
  std::string blanks(text);
  for (char& c : blanks) {
    if (c == '+') c = ' ';
  }
  return percent_decode(blanks);
}

Plain number_or_text(std::string text) {
  auto canonical = canonical_number(text);
  return canonical.has_value() ? Plain::number(std::move(*canonical)) : Plain::text(std::move(text));
}

Plain boolean_or_text(std::string text) {
  if (text == "true" || text == "false") return Plain::boolean(text == "true");
  return Plain::text(std::move(text));
}

Plain json_or_text(std::string text) {
  auto json = runtime::parse_plain_json(text);
  return json.has_value() ? std::move(*json) : Plain::text(std::move(text));
}

Plain typed(const FieldType& type, std::string text) {
  switch (type.base) {
    case BaseType::kInt:
    case BaseType::kNumber:
    case BaseType::kMoney:
    case BaseType::kEpoch:
      return number_or_text(std::move(text));
    case BaseType::kBool:
      return boolean_or_text(std::move(text));
    case BaseType::kRecord:
    case BaseType::kMap:
    case BaseType::kAny:
    case BaseType::kList:
    case BaseType::kSet:
      return json_or_text(std::move(text));
    default:
      return Plain::text(std::move(text));
  }
}

bool takes_several(const FieldType& type) { return type.base == BaseType::kList || type.base == BaseType::kSet; }

// Converts one parameter; `earlier` is the value of a previous one with the same name, if any.
std::optional<Plain> value_of(const std::string& name, std::string text, const Plain& earlier,
                              const design::Operation& operation, bool is_list) {
  const design::Input* input = operation.input(name);
  if (input != nullptr && takes_several(input->type)) {
    Plain::List values = earlier.is(Plain::Kind::kList) ? earlier.elements() : Plain::List{};
    // A list may also be given as one JSON array.
    if (earlier.is_absent() && text.starts_with('[')) {
      if (Plain whole = json_or_text(text); whole.is(Plain::Kind::kList)) return whole;
    }
    values.push_back(typed(*input->type.element, std::move(text)));
    return Plain::list(std::move(values));
  }
  if (!earlier.is_absent()) return std::nullopt;
  if (input != nullptr) return typed(input->type, std::move(text));
  if (is_list && name == "limit") return number_or_text(std::move(text));
  if (is_list && name == "descending") return boolean_or_text(std::move(text));
  return Plain::text(std::move(text));
}

}  // namespace

runtime::Outcome<Plain> query_inputs(std::string_view query, const design::Operation& operation, bool is_list) {
  Plain inputs = Plain::map();
  runtime::Refused refused{.status = 400, .message = "Some query parameters are invalid.", .fields = {}};
  while (!query.empty()) {
    const std::string_view parameter = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(parameter.size() + 1, query.size()));
    if (parameter.empty()) continue;
    const size_t equals = std::min(parameter.find('='), parameter.size());
    const std::string name = decoded(parameter.substr(0, equals));
    std::string text = equals < parameter.size() ? decoded(parameter.substr(equals + 1)) : std::string();
    if (!simdjson::validate_utf8(name.data(), name.size()) || !simdjson::validate_utf8(text.data(), text.size())) {
      refused.fields.push_back(
          {.field = simdjson::validate_utf8(name.data(), name.size()) ? name : "?", .reason = "is not UTF-8"});
      continue;
    }
    auto value = value_of(name, std::move(text), inputs.member(name), operation, is_list);
    if (value) {
      inputs.set(name, std::move(*value));
    } else {
      refused.fields.push_back({.field = name, .reason = "is given twice"});
    }
  }
  if (!refused.fields.empty()) return std::unexpected(std::move(refused));
  return inputs;
}

}  // namespace trestle::api
