#include "remote/credential_source.h"

#include <fmt/format.h>

namespace trestle {

Result<http::Credentials> CredentialSource::read(const ProfileFiles& files, const std::string& profile) {
  const ProfileSettings settings = read_profile(files, profile);
  const auto setting = [&](std::string_view name) {
    const auto found = settings.find(name);
    return found == settings.end() ? std::string{} : found->second;
  };
  http::Credentials credentials{.access_key = setting("aws_access_key_id"),
                                .secret_key = setting("aws_secret_access_key"),
                                .session_token = setting("aws_session_token")};
  if (!credentials.access_key.empty() && !credentials.secret_key.empty()) return credentials;
  for (const std::string_view other : {"role_arn", "sso_session", "sso_start_url", "credential_process"}) {
    if (settings.contains(other)) {
      return failure(
          ErrorCode::kAccessDenied,
          fmt::format("the AWS profile {} takes its credentials from {}, which is not supported: put them "
                      "into the environment first (aws configure export-credentials --profile {} --format env)",
                      profile, other, profile));
    }
  }
  return failure(ErrorCode::kAccessDenied,
                 fmt::format("no AWS credentials: neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY nor the profile "
                             "{} of {}",
                             profile, files.credentials));
}

Result<std::unique_ptr<CredentialSource>> CredentialSource::open(const CredentialOptions& options) {
  std::unique_ptr<CredentialSource> source(new CredentialSource);
  std::optional<http::Credentials> found = options.static_credentials;
  if (!found && options.profile.empty()) found = http::credentials_from_environment();
  if (!found) {
    source->files_ = profile_files();
    source->profile_ = profile_name(options.profile);
    source->from_files_ = true;
    auto read = CredentialSource::read(source->files_, source->profile_);
    if (read.has_value()) {
      found = std::move(*read);
    } else if (options.required || !options.profile.empty()) {
      return std::unexpected(read.error());
    } else {
      found = http::Credentials{.access_key = "trestle", .secret_key = "trestle"};
    }
  }
  MutexLock lock(source->mutex_);
  source->credentials_ = std::make_shared<const http::Credentials>(std::move(*found));
  if (source->from_files_) source->times_ = source->file_times();
  source->checked_at_ = std::chrono::steady_clock::now();
  return source;
}

CredentialSource::FileTimes CredentialSource::file_times() const {
  std::error_code absent;  // if a file is missing, its time is the least possible one
  return {std::filesystem::last_write_time(files_.credentials, absent),
          std::filesystem::last_write_time(files_.config, absent)};
}

// If the files have no credentials, they are incomplete or wrong, and the old credentials remain in use.
void CredentialSource::reload_if_changed(bool at_once) {
  const auto now = std::chrono::steady_clock::now();
  if (!at_once && now - checked_at_ < std::chrono::seconds(1)) return;
  checked_at_ = now;
  const FileTimes times = file_times();
  if (!at_once && times == times_) return;
  times_ = times;
  auto read = CredentialSource::read(files_, profile_);
  if (!read.has_value() || *read == *credentials_) return;
  credentials_ = std::make_shared<const http::Credentials>(std::move(*read));
}

std::shared_ptr<const http::Credentials> CredentialSource::current() {
  MutexLock lock(mutex_);
  if (from_files_) reload_if_changed(false);
  return credentials_;
}

std::shared_ptr<const http::Credentials> CredentialSource::reloaded() {
  MutexLock lock(mutex_);
  if (from_files_) reload_if_changed(true);
  return credentials_;
}

}  // namespace trestle
