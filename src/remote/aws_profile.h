// Reads a profile from the AWS command line's files: ~/.aws/credentials and ~/.aws/config, or the files named by
// AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace trestle {

// The settings of a section of a file, by name in lower case. Nested settings (indented lines) are omitted.
using ProfileSettings = std::map<std::string, std::string, std::less<>>;

// The settings of the section called `section` in a file's text; empty if there is none.
ProfileSettings read_section(std::string_view text, std::string_view section);

struct ProfileFiles {
  std::string credentials;  // paths
  std::string config;
};
ProfileFiles profile_files();
// `requested` if it is not empty, else AWS_PROFILE, else "default".
std::string profile_name(const std::string& requested);

// The settings of a profile from both files; the credentials file takes precedence.
ProfileSettings read_profile(const ProfileFiles& files, const std::string& profile);

}  // namespace trestle
