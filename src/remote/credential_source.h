// The credentials that sign requests. They come from the first of these: explicit settings; the environment
// (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN), unless a profile is set; the profile's files, which
// are read again when they change. If there are no credentials, requests to endpoints other than Amazon's are signed
// with placeholder credentials, because most such endpoints do not check signatures.
//
// Thread-safe. current() takes a lock and, once a second, checks the files for changes.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "http/signature.h"
#include "model/error.h"
#include "remote/aws_profile.h"

namespace trestle {

struct CredentialOptions {
  std::optional<http::Credentials> static_credentials = {};
  std::string profile = {};
  bool required = false;  // fail if there are no credentials
};

class CredentialSource {
 public:
  // Fails if credentials are required and there are none. The error says what to do.
  static Result<std::unique_ptr<CredentialSource>> open(const CredentialOptions& options);

  // Shared because the credentials may be replaced while a request still uses them.
  std::shared_ptr<const http::Credentials> current();
  // The same, but always reads the files first.
  std::shared_ptr<const http::Credentials> reloaded();

 private:
  using FileTimes = std::array<std::filesystem::file_time_type, 2>;

  CredentialSource() = default;
  static Result<http::Credentials> read(const ProfileFiles& files, const std::string& profile);
  FileTimes file_times() const;
  void reload_if_changed(bool at_once) REQUIRES(mutex_);

  // Constant after open.
  bool from_files_ = false;
  ProfileFiles files_;
  std::string profile_;

  Mutex mutex_;
  std::shared_ptr<const http::Credentials> credentials_ GUARDED_BY(mutex_);
  FileTimes times_ GUARDED_BY(mutex_) = {};
  std::chrono::steady_clock::time_point checked_at_ GUARDED_BY(mutex_) = {};
};

}  // namespace trestle
