#include "cli/development_key.h"

#include <fmt/format.h>

#include <CLI/Validators.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "api/jwt.h"
#include "base/base64.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/read_file.h"
#include "cli/design/design_place.h"
#include "runtime/values/ulid.h"

namespace trestle {
namespace {

using runtime::Plain;

constexpr size_t kKeyBytes = 32;

struct TokenOptions {
  std::string data = "data";
  std::string subject, groups, groups_claim = "groups";
  std::vector<std::string> claims;  // name=value
  double hours = 12;
};

Plain::List names_in(std::string_view text) {
  Plain::List names;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    if (end > 0) names.push_back(Plain::text(std::string(text.substr(0, end))));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

int issue(const TokenOptions& options) {
  const auto file = development_key_file(options.data);
  if (!file) return print_error(file.error());
  const auto text = read_file(*file);
  if (!text) return print_error(text.error());
  const auto keys = api::Jwks::parse(*text);
  if (!keys) return print_error(fmt::format("{}: {}", *file, keys.error()));
  const int64_t now_s = SystemClock().now_ms() / 1000;
  Plain claims = Plain::map({{"sub", Plain::text(options.subject)}});
  if (!options.groups.empty()) claims.set(options.groups_claim, Plain::list(names_in(options.groups)));
  for (const std::string& claim : options.claims) {
    const size_t equals = claim.find('=');
    if (equals == std::string::npos || equals == 0)
      return print_error(fmt::format("--claim {}: expected name=value", claim));
    claims.set(claim.substr(0, equals), Plain::text(claim.substr(equals + 1)));
  }
  claims.set("iat", Plain::number(now_s));
  claims.set("exp", Plain::number(now_s + static_cast<int64_t>(options.hours * 3600)));
  fmt::print("{}\n", api::signed_token(keys->keys()[0], claims));
  return 0;
}

}  // namespace

BasicResult<std::unique_ptr<TemporaryFolder>, std::string> TemporaryFolder::make() {
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) / "trestle-XXXXXX").string();
  if (error || mkdtemp(path.data()) == nullptr)
    return std::unexpected("cannot create a temporary folder for the development key");
  return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(std::move(path)));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

bool write_private(const std::string& path, const std::string& text) {
  const File file(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  return file.write(text) && file.sync();
}

BasicResult<std::string, std::string> development_key_file(const std::string& data) {
  const std::string file = data + "/development-key.json";
  std::error_code error;
  if (std::filesystem::exists(file, error)) return file;
  std::filesystem::create_directories(data, error);
  const std::string text =
      fmt::format("{{\"keys\": [{{\"kty\": \"oct\", \"alg\": \"HS256\", \"kid\": \"development\", \"k\": \"{}\"}}]}}\n",
                  base64url_text(runtime::random_bytes(kKeyBytes)));
  // Another process may create it at the same time.
  if (!write_private(file, text) && !std::filesystem::exists(file, error))
    return std::unexpected(fmt::format("{} cannot be written", file));
  return file;
}

void add_token_command(CLI::App& design, int& exit_status) {
  auto options = std::make_shared<TokenOptions>();  // shared with the callback, which outlives this call
  CLI::App* command = design.add_subcommand(
      "token", "Issue a token for a server on this machine that has neither --jwks nor --api-keys");
  command->add_option("--sub", options->subject, "The caller's name: caller.sub")->required();
  command->add_option("--groups", options->groups, "The caller's groups, a,b: caller.groups");
  command->add_option("--claim", options->claims, "Another claim of the token, name=value; may be repeated");
  command->add_option("--hours", options->hours, "How long the token is valid")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--jwt-groups-claim", options->groups_claim, "The claim to use as caller.groups, as for serve")
      ->capture_default_str();
  command->add_option("--data", options->data, "Data folder of the server, which holds the key")->capture_default_str();
  command->callback([options, &exit_status] { exit_status = issue(*options); });
}

}  // namespace trestle
