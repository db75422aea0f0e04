// Access keys and their secrets, read from a file. Immutable, hence thread-safe.
//
// The file is either an AWS credentials file,
//   [profile name]
//   aws_access_key_id = AKID...
//   aws_secret_access_key = ...
//   aws_session_token = ...          (optional; requests must then carry it)
// or lines of the form "ACCESS_KEY SECRET", or a mix of both. Lines that begin with # or ; are comments.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace trestle {

struct Credential {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;  // empty: none
  std::string profile;        // the section of the file; empty for an "ACCESS_KEY SECRET" line
};

class Credentials {
 public:
  // The error names the line.
  static BasicResult<Credentials, std::string> parse(std::string_view text);
  static BasicResult<Credentials, std::string> load(const std::string& file);

  // Null if the key is unknown.
  const Credential* find(std::string_view access_key_id) const;
  size_t size() const { return by_access_key_.size(); }

 private:
  std::map<std::string, Credential, std::less<>> by_access_key_;
};

}  // namespace trestle
