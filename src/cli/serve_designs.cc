#include "cli/serve_designs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/ascii.h"
#include "base/read_file.h"
#include "base/sha256.h"
#include "cli/design_files.h"
#include "cli/development_key.h"
#include "cli/http_call.h"
#include "cli/missing_operations.h"
#include "cli/s3_blobs.h"
#include "design/check/check.h"
#include "design/check/report.h"
#include "design/cost/price_file.h"
#include "design/plan/load_operation.h"
#include "remote/probe.h"
#include "remote/remote_database.h"
#include "runtime/tables.h"

namespace trestle {
namespace {

using Failed = std::unexpected<std::string>;
using Done = BasicResult<void, std::string>;

// Each line of the key ring is a separate secret, newest first, so that page tokens survive a key rotation.
std::vector<std::string> ring_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(",\n"), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line[0] != '#') lines.emplace_back(line);
  }
  return lines;
}

bool encrypts(const design::Design& design) {
  return std::ranges::any_of(design.entities, [](const design::Entity& entity) {
    return std::ranges::any_of(entity.fields, [](const design::Field& field) { return field.encrypted; });
  });
}

}  // namespace

ServedDesigns::~ServedDesigns() = default;

BasicResult<std::unique_ptr<ServedDesigns>, std::string> ServedDesigns::open(const DesignOptions& options,
                                                                             const Place& place, Database& embedded) {
  std::unique_ptr<ServedDesigns> result(new ServedDesigns());
  result->options_ = options;
  result->place_ = place;
  TRY_INTO(result->call_, endpoint_call(options.endpoints));
  TRY(result->read_designs());
  TRY(result->check_endpoints());
  TRY(result->open_callers());
  TRY(result->open_keys());
  TRY(result->open_blobs());
  TRY(result->open_database(embedded));
  TRY(result->prepare_tables());
  TRY(result->open_runtimes());
  return result;
}

// Applies the flags --table design/table=NAME.
Done ServedDesigns::rename_tables(design::Design& design) {
  for (const std::string& flag : options_.tables) {
    const size_t slash = flag.find('/'), equals = flag.find('=', slash == std::string::npos ? 0 : slash);
    if (slash == std::string::npos || equals == std::string::npos || equals + 1 == flag.size())
      return Failed(fmt::format("--table {}: expected design/table=NAME", flag));
    if (flag.substr(0, slash) != design.name) continue;
    const std::string table = flag.substr(slash + 1, equals - slash - 1);
    if (!design::rename_table(design, table, flag.substr(equals + 1)))
      return Failed(
          fmt::format("--table {}: the design has no table {}, or already has a table with the new name", flag, table));
    renamed_.insert(flag);
  }
  return {};
}

Done ServedDesigns::read_designs() {
  TRY_INTO(const auto files, design_files(options_.files));
  std::set<std::string> names;
  for (const std::string& file : files) {
    TRY_INTO(const std::string text, read_file(file));
    auto design = std::make_unique<design::Design>();
    design::Reading reading = design::read_design(text);
    design::Report report = design::check_design(reading);
    if (report.count(design::Severity::kError) > 0) {
      std::erase_if(report.findings, [](const auto& finding) { return finding.severity != design::Severity::kError; });
      return Failed(fmt::format("{} has errors, so it is not served:\n{}", file, design::report_text(file, report)));
    }
    *design = std::move(reading.design);
    TRY(rename_tables(*design));
    for (const design::Entity& entity : design->entities) {
      if (options_.loads == EntityLoading::kNo) break;
      design->operations.push_back(design::load_operation(entity, options_.loads == EntityLoading::kReplace));
    }
    if (!names.insert(design->name).second)
      return Failed(fmt::format("two designs are called {}: {} is the second", design->name, file));
    sources_[design->name] = text;
    files_[design->name] = file;
    designs_.push_back(std::move(design));
  }
  for (const std::string& flag : options_.tables) {
    if (!renamed_.contains(flag)) return Failed(fmt::format("--table {}: no such design is served", flag));
  }
  if (!files.empty()) {
    std::string wrong;  // without prices, only the monthly cost is missing from the designs' pages
    prices_ = design::find_prices({.region = place_.region, .file = {}, .design_file = files.front()}, wrong);
  }
  return {};
}

// An endpoint that no reaction calls is probably misspelled, so it is an error.
Done ServedDesigns::check_endpoints() const {
  std::set<std::string> called;
  for (const auto& design : designs_) {
    for (const design::Reaction& reaction : design->reactions) {
      if (!reaction.call.empty()) called.insert(reaction.call);
    }
  }
  const std::set<std::string> with = endpoint_names(options_.endpoints);
  const auto check = [&](const std::string& name, std::string_view flag) -> Done {
    if (called.contains(name)) return {};
    return Failed(fmt::format("{} {}: no reaction of the designs calls it{}", flag, name,
                              called.empty() ? "" : fmt::format("; they call {}", fmt::join(called, ", "))));
  };
  for (const std::string& name : with) TRY(check(name, "--endpoint"));
  for (const std::string& name : options_.without) {
    TRY(check(name, "--without"));
    if (with.contains(name)) return Failed(fmt::format("use only one of --without {0} and --endpoint {0}", name));
  }
  return {};
}

Done ServedDesigns::open_callers() {
  api::CallerOptions callers{.rules = {.issuer = options_.jwt_issuer, .audience = options_.jwt_audience},
                             .groups_claim = options_.jwt_groups_claim};
  if (!options_.jwks.empty()) {
    TRY_INTO(callers.jwks, WatchedFile<api::Jwks>::open(options_.jwks));
  } else if (options_.development_key && options_.api_keys.empty()) {
    if (place_.memory) {
      TRY_INTO(development_folder_, TemporaryFolder::make());
    }
    const std::string& folder = place_.memory ? development_folder_->path() : place_.data;
    TRY_INTO(development_key_, development_key_file(folder));
    TRY_INTO(callers.jwks, WatchedFile<api::Jwks>::open(development_key_));
    callers.development = true;
  }
  if (!options_.api_keys.empty()) {
    TRY_INTO(callers.api_keys, WatchedFile<api::ApiKeys>::open(options_.api_keys));
  }
  callers_ = std::make_unique<api::Callers>(std::move(callers));
  return {};
}

Done ServedDesigns::open_keys() {
  std::string text;
  std::string where = options_.keys;
  if (!where.empty()) {
    TRY_INTO(text, read_file(where));
  } else if (const char* keys = std::getenv("TRESTLE_KEYS"); keys != nullptr) {
    text = keys;
    where = "TRESTLE_KEYS";
  } else {
    for (const auto& design : designs_) {
      if (options_.on.empty() || !encrypts(*design)) continue;
      return Failed(
          fmt::format("the design {} encrypts fields: pass the key ring of the data at {} with --keys FILE or "
                      "TRESTLE_KEYS (a server that generated its own has it in the file `keys` of its data folder)",
                      design->name, options_.on));
    }
    if (place_.memory) {
      text = runtime::KeyRing::make_text();
      where = "the key ring";
    } else {
      where = place_.data + "/keys";
      std::error_code error;
      std::filesystem::create_directories(place_.data, error);
      if (!std::filesystem::exists(where, error) && !write_private(where, runtime::KeyRing::make_text()))
        return Failed(fmt::format("{} cannot be written", where));
      TRY_INTO(text, read_file(where));
    }
  }
  auto ring = runtime::KeyRing::parse(text);
  if (!ring.has_value()) return Failed(fmt::format("{}: {}", where, ring.error()));
  ring_ = std::make_unique<runtime::KeyRing>(std::move(*ring));
  tokens_ = std::make_unique<api::PageTokens>(ring_lines(text));
  return {};
}

namespace {

// Stands in for a blob storage whose location is not configured.
class UnknownBlobs final : public runtime::BlobStore {
 public:
  runtime::Outcome<void> put(std::string_view, std::string_view) override { return unknown(); }
  runtime::Outcome<std::string> get(std::string_view) override { return unknown(); }
  runtime::Outcome<void> erase(std::string_view) override { return unknown(); }
  runtime::Outcome<void> each(std::string_view, const std::function<void(std::string_view, int64_t)>&) override {
    return unknown();
  }

 private:
  static std::unexpected<runtime::Refused> unknown() {
    return runtime::refuse(500, "a value is spilled to blob storage: pass --blobs to say where that is");
  }
};

}  // namespace

Done ServedDesigns::open_blobs() {
  const bool spills = std::ranges::any_of(designs_, [](const auto& design) {
    return std::ranges::any_of(design->entities, [](const design::Entity& entity) { return !entity.spills.empty(); });
  });
  if (!spills) return {};
  if (options_.blobs.starts_with("s3://")) {
    TRY_INTO(blobs_, s3_blobs({.place = options_.blobs, .endpoint = options_.s3_endpoint, .region = {}}));
    return {};
  }
  std::string folder = options_.blobs.empty() ? place_.data + "/blobs" : options_.blobs;
  if (place_.memory && options_.blobs.empty() && options_.stores_elsewhere)
    return Failed(
        "a design spills large values: pass --blobs to say where they are stored, a folder or s3://bucket/prefix");
  if (options_.for_command && options_.blobs.empty()) {
    std::error_code error;
    knows_blobs_ = !place_.memory && std::filesystem::is_directory(folder, error);
    if (place_.memory) {
      blobs_ = std::make_unique<UnknownBlobs>();
      return {};
    }
  }
  if (place_.memory && options_.blobs.empty()) {
    folder = (std::filesystem::temp_directory_path() / fmt::format("trestle-blobs-{}", ::getpid())).string();
  }
  auto blobs = runtime::folder_blobs(folder);
  if (!blobs.has_value()) return Failed(fmt::format("the folder of blobs {}: {}", folder, blobs.error().message));
  blobs_ = std::move(*blobs);
  return {};
}

Done ServedDesigns::open_database(Database& embedded) {
  database_ = &embedded;
  if (options_.on.empty()) return {};
  auto remote = RemoteDatabase::open({.endpoint = options_.on});
  if (!remote.has_value()) return Failed(fmt::format("{}: {}", options_.on, remote.error().message));
  remote_ = std::move(*remote);
  database_ = remote_.get();
  auto lacking = probe(*remote_);
  if (!lacking.has_value()) return Failed(fmt::format("{}: {}", options_.on, lacking.error().message));
  lacking_ = std::move(*lacking);
  for (const LackingOperation& missing : lacking_)
    fmt::print("{} lacks {}: {}\n", options_.on, missing.operation, missing.answer);
  return {};
}

Done ServedDesigns::create_tables(Database& database) const {
  for (const auto& design : designs_) {
    auto result = runtime::create_tables(*design, database);
    if (!result.has_value()) return Failed(fmt::format("the tables of {}: {}", design->name, result.error().message));
  }
  return {};
}

Done ServedDesigns::prepare_tables() {
  const bool verifies = options_.verify || (!options_.on.empty() && !options_.create);
  const bool has_ttl =
      std::ranges::none_of(lacking_, [](const auto& missing) { return missing.operation == "UpdateTimeToLive"; });
  std::string differences;
  if (!verifies) TRY(create_tables(*database_));
  for (const auto& design : designs_) {
    auto differ = runtime::verify_tables(*design, *database_, has_ttl);
    if (!differ.has_value()) return Failed(fmt::format("the tables of {}: {}", design->name, differ.error().message));
    for (const std::string& difference : *differ) differences += fmt::format("\n  {}: {}", design->name, difference);
  }
  if (differences.empty()) return {};
  return Failed(fmt::format("tables differ from the designs, and existing tables are not altered:{}{}", differences,
                            verifies ? "\n`trestle serve` with --create creates missing tables" : ""));
}

Done ServedDesigns::open_runtimes() {
  for (const auto& design : designs_) {
    auto runtime = runtime::DesignRuntime::open(
        *design, *database_,
        {.keys = ring_.get(), .blobs = blobs_.get(), .clock = &clock_, .remote = remote_ != nullptr});
    if (!runtime.has_value()) return Failed(fmt::format("the design {}: {}", design->name, runtime.error().message));
    auto resumed = (*runtime)->resume();
    if (!resumed.has_value()) return Failed(fmt::format("the design {}: {}", design->name, resumed.error().message));
    if (*resumed > 0) fmt::print("{}: {} unfinished cascades were resumed and completed\n", design->name, *resumed);
    runtimes_.push_back(std::move(*runtime));
  }
  for (const auto& runtime : runtimes_) {
    const auto plan_of = [&](const design::Operation& operation) -> const design::Plan& {
      return runtime->plan(operation);
    };
    fmt::print("{}", missing_operations_text(lacking_, runtime->design(), plan_of));
  }
  return {};
}

void ServedDesigns::start_background_work() {
  for (const auto& runtime : runtimes_) {
    const design::Design& design = runtime->design();
    const bool spills = std::ranges::any_of(design.entities, [](const auto& entity) { return !entity.spills.empty(); });
    runtime::BackgroundOptions background{.keys = ring_.get(),
                                          .blobs = spills ? blobs_.get() : nullptr,
                                          .remote = remote_ != nullptr,
                                          .call = call_,
                                          .endpoints = endpoint_names(options_.endpoints),
                                          .without = {options_.without.begin(), options_.without.end()}};
    background.blob_age_ms = options_.blob_age_s * 1000;
    background.blob_sweep_ms = std::min(background.blob_sweep_ms, std::max<int64_t>(1'000, background.blob_age_ms));
    background.backoff.base_ms = options_.reaction_backoff_ms;
    background_.push_back(
        std::make_unique<runtime::BackgroundWork>(*runtime, *database_, clock_, std::move(background)));
    background_.back()->start();
    for (const std::string& endpoint : background_.back()->status().waits_for) {
      fmt::print(
          "{0}: reactions wait for --endpoint {1}=URL, at most 24 hours; pass --without {1} to discard their events\n",
          design.name, endpoint);
    }
  }
}

HttpHandler& ServedDesigns::serve(HttpHandler& next, RequestLog* log, const BrowserAccess& browsers) {
  start_background_work();
  api::DesignApi::Save save_file;
  if (options_.edit) {
    save_file = [this](const std::string& design, const std::string& text, std::string_view replaces) {
      return save(design, text, replaces);
    };
  }
  std::vector<runtime::DesignRuntime*> runtimes;
  for (const auto& runtime : runtimes_) runtimes.push_back(runtime.get());
  api_ = std::make_unique<api::DesignApi>(api::DesignApi::Parts{.designs = std::move(runtimes),
                                                                .database = *database_,
                                                                .callers = *callers_,
                                                                .tokens = *tokens_,
                                                                .clock = clock_,
                                                                .next = next,
                                                                .background = background_of(),
                                                                .sources = sources_,
                                                                .prices = prices_ ? &*prices_ : nullptr,
                                                                .save = std::move(save_file)},
                                          api::DesignApiOptions{.body_bytes_max = options_.body_kb_max << 10,
                                                                .workers = options_.workers,
                                                                .remote = remote_ != nullptr,
                                                                .log = log,
                                                                .browsers = browsers,
                                                                .operator_group = options_.operator_group});
  return *api_;
}

runtime::Outcome<void> ServedDesigns::save(const std::string& design, const std::string& text,
                                           std::string_view replaces) const {
  const std::string& file = files_.find(design)->second;
  const auto now = read_file(file);
  if (!now) return runtime::refuse(500, now.error());
  std::string digest;
  append_hex(digest, sha256(*now));
  if (digest != replaces) return runtime::refuse(409, "The file has changed since it was read.");
  // Written to another file and renamed, so that a reader sees either the old or the new file.
  const std::string beside = fmt::format("{}.{}.new", file, ::getpid());
  std::error_code error;
  if (write_private(beside, text)) {
    std::filesystem::permissions(beside, std::filesystem::status(file, error).permissions(), error);
    std::filesystem::rename(beside, file, error);
    if (!error) return {};
  }
  std::filesystem::remove(beside, error);
  return runtime::refuse(500, fmt::format("{} cannot be written.", file));
}

// How the API reports background work and retries dead letters.
std::map<std::string, api::DesignApi::Background, std::less<>> ServedDesigns::background_of() {
  std::map<std::string, api::DesignApi::Background, std::less<>> all;
  for (const auto& entry : background_) {
    runtime::BackgroundWork* work = entry.get();
    const std::string name = work->status().design;
    all[name] = {
        .status = [this, work](bool dead) { return runtime::status_json(work->status(), *database_, dead); },
        .retry = [this, name](const std::string& id) { return runtime::retry_dead_letters(*database_, name, id); }};
  }
  return all;
}

void ServedDesigns::stop_calls() {
  if (api_) api_->stop();
}

std::string ServedDesigns::welcome(const std::string& url) const {
  std::string out =
      fmt::format("Designs: {}/designs{}\n", url, options_.on.empty() ? "" : fmt::format(", on {}", options_.on));
  for (const auto& design : designs_) out += fmt::format("  {}/designs/{}/\n", url, design->name);
  if (!development_key_.empty()) {
    out += fmt::format(
        "Callers of designs: anyone on this machine; --jwks or --api-keys admit others. To issue a token for trying "
        "them:\n"
        "  trestle design token --sub alice --groups admin --data {}\n",
        place_.memory ? development_folder_->path() : place_.data);
  } else if (!options_.can_sign_in()) {
    out += "Callers of designs: anyone on this machine, without signing in; --jwks or --api-keys let callers sign in\n";
  }
  return out;
}

}  // namespace trestle
