#include "access/credentials.h"

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/read_file.h"

namespace trestle {

namespace {

// The section being parsed, and the settings found in it so far.
struct Section {
  Credential credential;
  size_t line = 0;
  bool open = false;
};

}  // namespace

BasicResult<Credentials, std::string> Credentials::parse(std::string_view text) {
  Credentials credentials;
  Section section;
  const auto error_at = [](size_t line, std::string_view why) {
    return std::unexpected(fmt::format("credentials line {}: {}", line, why));
  };
  const auto add = [&](Credential credential) {
    const std::string key = credential.access_key_id;
    return credentials.by_access_key_.emplace(key, std::move(credential)).second;
  };
  const auto close_section = [&]() -> BasicResult<void, std::string> {
    if (!section.open) return {};
    const Credential& c = section.credential;
    if (c.access_key_id.empty() || c.secret_access_key.empty()) {
      return error_at(section.line,
                      fmt::format("profile '{}' needs aws_access_key_id and aws_secret_access_key", c.profile));
    }
    if (!add(c)) return error_at(section.line, "duplicate access key");
    section = {};
    return {};
  };

  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text = end == text.npos ? std::string_view{} : text.substr(end + 1);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      TRY(close_section());
      if (line.back() != ']') return error_at(number, "a profile's name must end with ]");
      section = {.credential = {.profile = std::string(trimmed(line.substr(1, line.size() - 2)))},
                 .line = number,
                 .open = true};
      continue;
    }
    const size_t equals = line.find('=');
    const std::string_view name = trimmed(line.substr(0, equals));
    if (section.open && equals != line.npos && name.find_first_of(" \t") == name.npos) {
      const std::string value(trimmed(line.substr(equals + 1)));
      if (name == "aws_access_key_id") section.credential.access_key_id = value;
      if (name == "aws_secret_access_key") section.credential.secret_access_key = value;
      if (name == "aws_session_token") section.credential.session_token = value;
      continue;
    }
    const size_t blank = line.find_first_of(" \t");
    const std::string_view secret = blank == line.npos ? std::string_view{} : trimmed(line.substr(blank));
    if (secret.empty() || secret.find_first_of(" \t") != secret.npos) {
      return error_at(number, "expected [profile], a setting of a profile, or ACCESS_KEY SECRET");
    }
    if (!add({.access_key_id = std::string(line.substr(0, blank)), .secret_access_key = std::string(secret)})) {
      return error_at(number, "duplicate access key");
    }
  }
  TRY(close_section());
  if (credentials.by_access_key_.empty())
    return std::unexpected(std::string("credentials: the file contains no credentials"));
  return credentials;
}

BasicResult<Credentials, std::string> Credentials::load(const std::string& file) {
  TRY_INTO(const std::string text, read_file(file));
  return parse(text);
}

const Credential* Credentials::find(std::string_view access_key_id) const {
  const auto found = by_access_key_.find(access_key_id);
  return found == by_access_key_.end() ? nullptr : &found->second;
}

}  // namespace trestle
