#include "protocol/json/java_text.h"

#include <array>
#include <string_view>

namespace trestle {
namespace {

// The text of a JSON member; empty for null.
std::string_view text_of(JsonElement json) {
  std::string_view text;
  return json.get_string().get(text) == simdjson::SUCCESS ? text : std::string_view();
}

void append_attribute_value(std::string& out, JsonElement value);

void append_item(std::string& out, JsonElement item) {
  out.push_back('{');
  bool first = true;
  for (const auto field : simdjson::dom::object(item.get_object().value_unsafe())) {
    if (!first) out.append(", ");
    first = false;
    out.append(field.key).push_back('=');
    append_attribute_value(out, field.value);
  }
  out.push_back('}');
}

void append_member(std::string& out, JsonElement json) {
  switch (json.type()) {
    case simdjson::dom::element_type::STRING:
      out.append(text_of(json));
      return;
    case simdjson::dom::element_type::BOOL:
      out.append(json.get_bool().value_unsafe() ? "true" : "false");
      return;
    case simdjson::dom::element_type::OBJECT:
      append_item(out, json);
      return;
    case simdjson::dom::element_type::ARRAY: {
      out.push_back('[');
      bool first = true;
      for (const JsonElement element : simdjson::dom::array(json.get_array().value_unsafe())) {
        if (!first) out.append(", ");
        first = false;
        if (element.is_object()) {
          append_attribute_value(out, element);
        } else {
          out.append(text_of(element));
        }
      }
      out.push_back(']');
      return;
    }
    default:
      out.append("null");
      return;
  }
}

void append_attribute_value(std::string& out, JsonElement value) {
  // DynamoDB's internal member names, in its order; only some of them are in the API.
  struct Member {
    std::string_view shown;
    std::string_view name;
  };
  static constexpr std::array<Member, 16> kMembers = {{
      {"s", "S"},
      {"n", "N"},
      {"b", "B"},
      {"iNT", ""},
      {"dECIMAL", ""},
      {"dOUBLE", ""},
      {"sS", "SS"},
      {"nS", "NS"},
      {"bS", "BS"},
      {"iNTSET", ""},
      {"dECIMALSET", ""},
      {"dOUBLESET", ""},
      {"m", "M"},
      {"l", "L"},
      {"nULL", "NULL"},
      {"bOOL", "BOOL"},
  }};
  out.append("AttributeValue(");
  bool first = true;
  for (const Member& member : kMembers) {
    if (!first) out.append(", ");
    first = false;
    out.append(member.shown).push_back('=');
    JsonElement inner;
    if (!member.name.empty() && value.at_key(member.name).get(inner) == simdjson::SUCCESS) {
      append_member(out, inner);
    } else {
      out.append("null");
    }
  }
  out.push_back(')');
}

void append_request(std::string& out, JsonElement write, std::string_view request, std::string_view subject,
                    std::string_view shown) {
  JsonElement inner;
  if (write.at_key(request).get(inner) != simdjson::SUCCESS || inner.is_null()) {
    out.append("null");
    return;
  }
  out.append(request).push_back('(');
  out.append(shown).push_back('=');
  JsonElement item;
  if (inner.at_key(subject).get(item) == simdjson::SUCCESS && item.is_object()) {
    append_item(out, item);
  } else {
    out.append("null");
  }
  out.append(", workloadProfileName=null)");
}

}  // namespace

std::string java_request_items(JsonElement request_items) {
  std::string out = "{";
  bool first_table = true;
  for (const auto table : simdjson::dom::object(request_items.get_object().value_unsafe())) {
    if (!table.value.is_array()) continue;
    if (!first_table) out.append(", ");
    first_table = false;
    out.append(table.key).append("=[");
    bool first = true;
    for (const JsonElement write : simdjson::dom::array(table.value.get_array().value_unsafe())) {
      if (write.is_null()) continue;
      if (!first) out.append(", ");
      first = false;
      out.append("WriteRequest(putRequest=");
      append_request(out, write, "PutRequest", "Item", "item");
      out.append(", deleteRequest=");
      append_request(out, write, "DeleteRequest", "Key", "key");
      out.push_back(')');
    }
    out.push_back(']');
  }
  return out.append("}");
}

}  // namespace trestle
