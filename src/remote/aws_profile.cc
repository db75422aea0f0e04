#include "remote/aws_profile.h"

#include "base/ascii.h"
#include "base/read_file.h"
#include "http/signature.h"

namespace trestle {
namespace {

// "[profile name]" has its spaces reduced to one.
std::string section_name(std::string_view line) {
  const std::string_view inside = trimmed(line.substr(1, line.find(']') - 1));
  const size_t space = inside.find_first_of(" \t");
  if (space == std::string_view::npos) return std::string(inside);
  return std::string(inside.substr(0, space)).append(" ").append(trimmed(inside.substr(space)));
}

std::string home_file(const char* name) { return http::environment("HOME") + "/.aws/" + name; }

}  // namespace

ProfileSettings read_section(std::string_view text, std::string_view section) {
  ProfileSettings settings;
  bool here = false;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    if (line[0] == '[') {
      here = section_name(line) == section;
      continue;
    }
    const size_t equals = line.find('=');
    const bool nested = line[0] == ' ' || line[0] == '\t';
    if (!here || nested || equals == std::string_view::npos) continue;
    settings.insert_or_assign(lower(trimmed(line.substr(0, equals))), std::string(trimmed(line.substr(equals + 1))));
  }
  return settings;
}

ProfileFiles profile_files() {
  ProfileFiles files{.credentials = http::environment("AWS_SHARED_CREDENTIALS_FILE"),
                     .config = http::environment("AWS_CONFIG_FILE")};
  if (files.credentials.empty()) files.credentials = home_file("credentials");
  if (files.config.empty()) files.config = home_file("config");
  return files;
}

std::string profile_name(const std::string& requested) {
  if (!requested.empty()) return requested;
  std::string name = http::environment("AWS_PROFILE");
  return name.empty() ? "default" : name;
}

ProfileSettings read_profile(const ProfileFiles& files, const std::string& profile) {
  const std::string config = read_file(files.config).value_or("");
  ProfileSettings settings = read_section(read_file(files.credentials).value_or(""), profile);
  settings.merge(read_section(config, "profile " + profile));
  if (profile == "default") settings.merge(read_section(config, profile));
  return settings;
}

}  // namespace trestle
