// Writes attribute values and items as JSON.
#include "base/base64.h"
#include "protocol/json/attribute_value_json.h"
#include "protocol/json/json_output.h"

namespace trestle {
namespace {

void append_set_json(std::string& out, ValueView value) {
  const bool binary = value.type() == ValueType::kBinarySet;
  out.push_back('[');
  bool first = true;
  for (std::string_view element : value.set()) {
    if (!first) out.push_back(',');
    first = false;
    if (binary) {
      out.push_back('"');
      append_base64(out, element);
      out.push_back('"');
    } else {
      append_json_string(out, element);
    }
  }
  out.push_back(']');
}

// Appends "name":{"S":"text"} with a single capacity check; most of a reply consists of such fields. Returns false if
// it is not a string or number, or needs escapes.
bool append_plain_field(std::string& out, const Field& field) {
  const ValueType type = field.value.type();
  if (type != ValueType::kString && type != ValueType::kNumber) return false;
  const std::string_view text = field.value.scalar();
  if (!is_plain_json(field.name) || !is_plain_json(text)) return false;
  constexpr size_t kAroundBytes = std::string_view(R"("":{"S":""})").size();
  const size_t begin = out.size();
  const size_t end = begin + field.name.size() + text.size() + kAroundBytes;
  // libstdc++ 12 passes the capacity instead of the requested size if it has reallocated.
  out.resize_and_overwrite(end, [&](char* bytes, size_t) {
    char* at = bytes + begin;
    const auto put = [&at](std::string_view piece) { at += piece.copy(at, piece.size()); };
    *at++ = '"';
    put(field.name);
    put(type == ValueType::kString ? R"(":{"S":")" : R"(":{"N":")");
    put(text);
    put(R"("})");
    return end;
  });
  return true;
}

void append_fields_json(std::string& out, MapView fields) {
  out.push_back('{');
  bool first = true;
  for (const Field& field : fields) {
    if (!first) out.push_back(',');
    first = false;
    if (append_plain_field(out, field)) continue;
    append_json_string(out, field.name);
    out.push_back(':');
    append_value_json(out, field.value);
  }
  out.push_back('}');
}

}  // namespace

void append_value_json(std::string& out, ValueView value) {
  switch (value.type()) {
    case ValueType::kNull:
      out.append("{\"NULL\":true}");
      return;
    case ValueType::kBool:
      out.append(value.boolean() ? "{\"BOOL\":true}" : "{\"BOOL\":false}");
      return;
    case ValueType::kString:
      out.append("{\"S\":");
      append_json_string(out, value.scalar());
      break;
    case ValueType::kNumber:
      out.append("{\"N\":\"").append(value.scalar()).push_back('"');
      break;
    case ValueType::kBinary:
      out.append("{\"B\":\"");
      append_base64(out, value.scalar());
      out.push_back('"');
      break;
    case ValueType::kStringSet:
    case ValueType::kNumberSet:
    case ValueType::kBinarySet:
      out.append("{\"").append(type_name(value.type())).append("\":");
      append_set_json(out, value);
      break;
    case ValueType::kList: {
      out.append("{\"L\":[");
      bool first = true;
      for (const ValueView element : value.list()) {
        if (!first) out.push_back(',');
        first = false;
        append_value_json(out, element);
      }
      out.push_back(']');
      break;
    }
    case ValueType::kMap:
      out.append("{\"M\":");
      append_fields_json(out, value.map());
      break;
  }
  out.push_back('}');
}

void append_item_json(std::string& out, ItemView item) { append_fields_json(out, item.attributes()); }

}  // namespace trestle
