// A profile of the AWS command line's files: ~/.aws/credentials and ~/.aws/config, or where
// AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE say.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace trestle {

// Settings of a section of a file, by name in lower case. Nested settings (indented lines) are left out.
using ProfileSettings = std::map<std::string, std::string, std::less<>>;

// The section of a file's text that is called `section`; empty when there is none.
ProfileSettings read_section(std::string_view text, std::string_view section);

struct ProfileFiles {
  std::string credentials;  // paths
  std::string config;
};
ProfileFiles profile_files();
// `asked` if set, else AWS_PROFILE, else "default".
std::string profile_name(const std::string& asked);

// The settings of a profile from both files; the credentials file takes precedence.
ProfileSettings read_profile(const ProfileFiles& files, const std::string& profile);

}  // namespace trestle
