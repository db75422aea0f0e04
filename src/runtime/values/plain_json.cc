#include "runtime/values/plain_json.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/json/json_string.h"
#include "model/number.h"
#include "runtime/values/moment.h"

namespace trestle::runtime {
namespace {

namespace ondemand = simdjson::ondemand;
using Failed = std::unexpected<std::string>;

// To find duplicates, up to this many members are compared pairwise; the names of more are sorted.
constexpr size_t kFewMembers = 12;

Failed malformed() { return Failed("The text is not valid JSON."); }

std::string_view without_space(std::string_view token) {
  while (!token.empty() &&
         (token.back() == ' ' || token.back() == '\n' || token.back() == '\r' || token.back() == '\t'))
    token.remove_suffix(1);
  return token;
}

// JSON's grammar of numbers, which is narrower than DynamoDB's.
bool is_json_number(std::string_view text) {
  size_t i = 0;
  const auto digits = [&] {
    const size_t start = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i > start;
  };
  if (i < text.size() && text[i] == '-') ++i;
  if (i < text.size() && text[i] == '0') {
    ++i;
  } else if (!digits()) {
    return false;
  }
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (!digits()) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (!digits()) return false;
  }
  return i == text.size();
}

const std::string* name_twice(const Plain::Map& members) {
  if (members.size() <= kFewMembers) {
    for (size_t i = 1; i < members.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (members[i].first == members[j].first) return &members[i].first;
      }
    }
    return nullptr;
  }
  std::vector<const std::string*> names;
  names.reserve(members.size());
  for (const auto& member : members) names.push_back(&member.first);
  std::sort(names.begin(), names.end(), [](const auto* a, const auto* b) { return *a < *b; });
  const auto twice =
      std::adjacent_find(names.begin(), names.end(), [](const auto* a, const auto* b) { return *a == *b; });
  return twice == names.end() ? nullptr : *twice;
}

BasicResult<Plain, std::string> read(ondemand::value value, int depth);

BasicResult<Plain, std::string> read_array(ondemand::array array, int depth) {
  Plain::List elements;
  for (auto element : array) {
    ondemand::value inner;
    if (element.get(inner) != simdjson::SUCCESS) return malformed();
    TRY_INTO(Plain result, read(inner, depth + 1));
    elements.push_back(std::move(result));
  }
  return Plain::list(std::move(elements));
}

BasicResult<Plain, std::string> read_object(ondemand::object object, int depth) {
  Plain::Map members;
  for (auto field : object) {
    std::string_view name;
    ondemand::value inner;
    if (field.error() != simdjson::SUCCESS || field.unescaped_key().get(name) != simdjson::SUCCESS) return malformed();
    std::string copy(name);  // simdjson's buffer is overwritten by the next string
    if (field.value().get(inner) != simdjson::SUCCESS) return malformed();
    TRY_INTO(Plain result, read(inner, depth + 1));
    members.emplace_back(std::move(copy), std::move(result));
  }
  if (const std::string* twice = name_twice(members))
    return Failed(fmt::format("The name `{}` occurs twice in one object.", *twice));
  return Plain::map(std::move(members));
}

BasicResult<Plain, std::string> read(ondemand::value value, int depth) {
  ondemand::json_type type;
  if (value.type().get(type) != simdjson::SUCCESS) return malformed();
  switch (type) {
    case ondemand::json_type::array: {
      if (depth > kJsonDepthMax) return Failed(fmt::format("The JSON is nested deeper than {}.", kJsonDepthMax));
      ondemand::array array;
      if (value.get_array().get(array) != simdjson::SUCCESS) return malformed();
      return read_array(array, depth);
    }
    case ondemand::json_type::object: {
      if (depth > kJsonDepthMax) return Failed(fmt::format("The JSON is nested deeper than {}.", kJsonDepthMax));
      ondemand::object object;
      if (value.get_object().get(object) != simdjson::SUCCESS) return malformed();
      return read_object(object, depth);
    }
    case ondemand::json_type::string: {
      std::string_view text;
      if (value.get_string().get(text) != simdjson::SUCCESS) return malformed();
      return Plain::text(std::string(text));
    }
    case ondemand::json_type::boolean: {
      bool truth = false;
      if (value.get_bool().get(truth) != simdjson::SUCCESS) return malformed();
      return Plain::boolean(truth);
    }
    case ondemand::json_type::null: {
      bool null = false;
      if (value.is_null().get(null) != simdjson::SUCCESS || !null) return malformed();
      return Plain::null();
    }
    case ondemand::json_type::number: {
      const std::string_view written = without_space(value.raw_json_token());
      if (!is_json_number(written)) return malformed();
      auto canonical = canonical_number(written);
      if (!canonical) {
        return Failed(
            fmt::format("The number {} is beyond 38 digits or the range 1E-130 to 9.9E+125.", written.substr(0, 60)));
      }
      return Plain::number(std::move(*canonical));
    }
  }
  return malformed();
}

}  // namespace

BasicResult<Plain, std::string> parse_plain_json(std::string_view json) {
  // The text becomes the only element of an array, so that scalars and containers are read in the same way and simdjson
  // detects trailing text.
  static thread_local ondemand::parser parser;
  static thread_local std::string padded;
  padded.clear();
  padded.reserve(json.size() + 2 + simdjson::SIMDJSON_PADDING);
  padded.push_back('[');
  padded.append(json);
  padded.push_back(']');
  const size_t size = padded.size();
  padded.append(simdjson::SIMDJSON_PADDING, ' ');

  ondemand::document document;
  ondemand::array array;
  if (parser.iterate(padded.data(), size, padded.size()).get(document) != simdjson::SUCCESS ||
      document.get_array().get(array) != simdjson::SUCCESS)
    return malformed();
  BasicResult<Plain, std::string> result = malformed();
  size_t count = 0;
  for (auto element : array) {
    ondemand::value value;
    if (++count > 1 || element.get(value) != simdjson::SUCCESS) return malformed();
    result = read(value, 1);
    if (!result) return result;
  }
  const char* after = nullptr;
  if (document.current_location().get(after) == simdjson::SUCCESS) return malformed();
  constexpr size_t kRetainedBytesMax = 1 << 20;
  if (padded.capacity() > kRetainedBytesMax) std::string().swap(padded);
  return result;
}

void append_plain_json(std::string& out, const Plain& value) {
  switch (value.kind()) {
    case Plain::Kind::kAbsent:
    case Plain::Kind::kNull:
      out += "null";
      return;
    case Plain::Kind::kBool:
      out += value.truth() ? "true" : "false";
      return;
    case Plain::Kind::kNumber:
      out += value.string();
      return;
    case Plain::Kind::kText:
      append_json_string(out, value.string(), ControlEscapes::kHexadecimal);
      return;
    case Plain::Kind::kBinary:
      out.push_back('"');
      append_base64(out, value.string());
      out.push_back('"');
      return;
    case Plain::Kind::kList:
    case Plain::Kind::kSet: {
      out.push_back('[');
      bool first = true;
      for (const Plain& element : value.elements()) {
        if (!first) out.push_back(',');
        first = false;
        append_plain_json(out, element);
      }
      out.push_back(']');
      return;
    }
    case Plain::Kind::kMap: {
      out.push_back('{');
      bool first = true;
      for (const auto& [name, member] : value.members()) {
        if (member.is_absent()) continue;
        if (!first) out.push_back(',');
        first = false;
        append_json_string(out, name, ControlEscapes::kHexadecimal);
        out.push_back(':');
        append_plain_json(out, member);
      }
      out.push_back('}');
      return;
    }
    case Plain::Kind::kMoment:
      out.push_back('"');
      append_time(out, value.integer(), value.integer() % 1000 == 0 ? 1000 : 1);
      out.push_back('"');
      return;
    case Plain::Kind::kDuration:
      out += std::to_string(value.integer());
      return;
  }
}

std::string plain_json(const Plain& value) {
  std::string out;
  append_plain_json(out, value);
  return out;
}

}  // namespace trestle::runtime
