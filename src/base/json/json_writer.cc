#include "base/json/json_writer.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/json/json_string.h"

namespace trestle {
namespace {

constexpr size_t kLineMax = 100;

}  // namespace

std::string json_quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text, ControlEscapes::kHexadecimal);
  return out;
}

Json Json::object(std::initializer_list<Member> members) {
  Json result;
  result.kind_ = Kind::kObject;
  result.text_.clear();
  for (const Member& member : members) result.set(member.first, member.second);
  return result;
}

Json Json::array(std::initializer_list<Json> values) {
  Json result;
  result.kind_ = Kind::kArray;
  result.text_.clear();
  result.values_ = values;
  return result;
}

Json Json::strings(const std::vector<std::string>& values) {
  Json result = array();
  for (const std::string& value : values) result.add(value);
  return result;
}

Json Json::number(std::string text) {
  Json result;
  result.text_ = std::move(text);
  return result;
}

Json& Json::set(std::string_view name, Json value) {
  CHECK(kind_ == Kind::kObject);
  for (Member& member : members_) {
    if (member.first == name) {
      member.second = std::move(value);
      return *this;
    }
  }
  members_.emplace_back(std::string(name), std::move(value));
  return *this;
}

Json& Json::add(Json value) {
  CHECK(kind_ == Kind::kArray);
  values_.push_back(std::move(value));
  return *this;
}

const Json* Json::find(std::string_view name) const {
  for (const Member& member : members_) {
    if (member.first == name) return &member.second;
  }
  return nullptr;
}

// Whether the value fits on one line: all of its members are leaves, and the line is short enough.
bool Json::fits_one_line(size_t indent) const {
  const auto leaf = [](const Json& value) { return value.empty(); };
  for (const Json& value : values_) {
    if (!leaf(value)) return false;
  }
  for (const Member& member : members_) {
    if (!leaf(member.second)) return false;
  }
  std::string line;
  write_line(line);
  return indent + line.size() <= kLineMax;
}

void Json::write_line(std::string& out) const {
  if (kind_ == Kind::kLiteral) {
    out += text_;
  } else if (kind_ == Kind::kString) {
    out += json_quoted(text_);
  } else if (kind_ == Kind::kArray) {
    out.push_back('[');
    for (size_t i = 0; i < values_.size(); ++i) {
      if (i > 0) out += ", ";
      values_[i].write_line(out);
    }
    out.push_back(']');
  } else {
    out.push_back('{');
    for (size_t i = 0; i < members_.size(); ++i) {
      if (i > 0) out += ", ";
      out += json_quoted(members_[i].first) + ": ";
      members_[i].second.write_line(out);
    }
    out.push_back('}');
  }
}

void Json::write(std::string& out, size_t indent) const {
  if (empty() || fits_one_line(indent)) return write_line(out);
  const bool is_list = kind_ == Kind::kArray;
  const std::string margin(indent + 2, ' ');
  out.push_back(is_list ? '[' : '{');
  for (size_t i = 0; i < size(); ++i) {
    out += i == 0 ? "\n" : ",\n";
    out += margin;
    if (!is_list) out += json_quoted(members_[i].first) + ": ";
    (is_list ? values_[i] : members_[i].second).write(out, indent + 2);
  }
  out += "\n" + std::string(indent, ' ');
  out.push_back(is_list ? ']' : '}');
}

std::string Json::line() const {
  std::string out;
  write_line(out);
  return out;
}

std::string Json::text() const {
  std::string out;
  write(out, 0);
  return out + "\n";
}

}  // namespace trestle
