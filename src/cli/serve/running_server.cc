#include "cli/serve/running_server.h"

#include "cli/serve/component_options.h"
#include "cli/serve/serve_checks.h"
#include "console/console.h"
#include "design/cost/price_file.h"
#include "s3/s3_buckets.h"
#include "server/observe/insights_page.h"

namespace trestle {
namespace {

// Null if none are configured.
BasicResult<std::unique_ptr<Credentials>, std::string> load_credentials(const ServeOptions& options) {
  if (options.credentials.empty()) return nullptr;
  TRY_INTO(auto loaded, Credentials::load(options.credentials));
  return std::make_unique<Credentials>(std::move(loaded));
}

// Null if none are configured.
BasicResult<std::unique_ptr<WatchedFile<IdentityPolicies>>, std::string> load_policies(const ServeOptions& options) {
  if (options.policies.empty()) return nullptr;
  if (options.credentials.empty()) {
    return std::unexpected(std::string("--policies needs --credentials: without them callers are not identified"));
  }
  return WatchedFile<IdentityPolicies>::open(options.policies);
}

BasicResult<std::unique_ptr<AuditLog>, std::string> open_audit(const ServeOptions& options) {
  if (options.audit.empty()) return nullptr;
  return AuditLog::open(
      {.file = options.audit, .bytes_max = options.audit_mb << 20, .rotated_files = options.audit_keep});
}

// Null if there are none.
BasicResult<std::shared_ptr<Buckets>, std::string> open_buckets(const ServeOptions& options) {
  if (options.buckets == "s3") {
    TRY_INTO(auto client, S3Client::open({.endpoint = options.designs.s3_endpoint, .region = {}}));
    return s3_buckets(std::move(client));
  }
  if (!options.buckets.empty()) return folder_buckets(options.buckets);
  if (options.memory_store) return nullptr;
  return folder_buckets(options.data + "/buckets");
}

// The prices of cost metrics. A region without a price file has none.
std::optional<UnitPrices> find_unit_prices(const ServeOptions& options) {
  std::string no_prices;
  const std::string design_file = options.designs.files.empty() ? std::string() : options.designs.files.front();
  const auto prices =
      design::find_prices({.region = options.region, .file = {}, .design_file = design_file}, no_prices);
  if (!prices) return std::nullopt;
  return UnitPrices{
      .read_million = prices->read_million, .write_million = prices->write_million, .currency = prices->currency};
}

}  // namespace

BasicResult<ServerFiles, std::string> ServerFiles::read(const ServeOptions& options) {
  ServerFiles files;
  TRY_INTO(files.credentials, load_credentials(options));
  TRY_INTO(files.policies, load_policies(options));
  TRY_INTO(files.audit, open_audit(options));
  TRY_INTO(files.listener, listener_options(options));
  TRY_INTO(files.buckets, open_buckets(options));
  return files;
}

RunningServer::RunningServer(const ServeOptions& options, ServerFiles files)
    : options_(options),
      files_(std::move(files)),
      browsers_{.origins = options.cors, .hosts = options.hosts, .local_networks = options.open},
      serves_metrics_(!options.isolate && (options.metrics || trusts_callers(options))),
      serves_insights_(!options.isolate &&
                       (options.insights || (trusts_callers(options) && files_.credentials == nullptr))),
      log_(log_level(options.log)),
      unit_prices_(find_unit_prices(options)) {}

RunningServer::~RunningServer() = default;

BasicResult<std::unique_ptr<RunningServer>, std::string> RunningServer::open(const ServeOptions& options,
                                                                             ServerFiles files) {
  std::unique_ptr<RunningServer> server(new RunningServer(options, std::move(files)));
  TRY_INTO(server->engines_, ServedEngines::open(options, std::move(server->files_.buckets)));
  TRY(server->open_designs());
  TRY(server->engines_->apply_fixtures());
  server->open_access();
  server->open_api();
  server->open_handlers();
  return server;
}

BasicResult<void, std::string> RunningServer::open_designs() {
  if (options_.designs.files.empty()) return {};
  DesignOptions served = options_.designs;
  served.development_key = trusts_callers(options_);
  TRY_INTO(designs_, ServedDesigns::open(
                         served, {.data = options_.data, .memory = options_.memory_store, .region = options_.region},
                         engines_->database()));
  engines_->set_designs(*designs_);
  return {};
}

void RunningServer::open_access() {
  if (files_.credentials == nullptr && files_.audit == nullptr) return;
  resources_.emplace(engines_->only()->catalog());
  access_ = std::make_unique<AccessControl>(AccessControlOptions{.resources = *resources_,
                                                                 .region = options_.region,
                                                                 .credentials = files_.credentials.get(),
                                                                 .policies = std::move(files_.policies)});
}

void RunningServer::open_api() {
  DynamoDbApiOptions api{.credentials = files_.credentials.get(),
                         .region = options_.region,
                         .metrics = &metrics_,
                         .log = &log_,
                         .access = access_.get(),
                         .audit = files_.audit.get(),
                         .browsers = browsers_,
                         .has_workers = true};
  if (serves_metrics_) api.metrics_page = [this] { return metrics_text(); };
  if (serves_insights_) {
    api.insights_page = [this](std::string_view query) { return insights_page(*engines_->only(), query); };
  }
  api_.emplace(engines_->database(), clock_, std::move(api));
}

std::string RunningServer::metrics_text() {
  const Listener* listener = counted_listener_.load();
  std::string page =
      metrics_page(metrics_, *engines_->only(), listener ? listener->counts() : ListenerCounts{}, unit_prices_);
  if (files_.audit != nullptr) page += files_.audit->metrics_text();
  return designs_ ? page + designs_->metrics_text() : page;
}

void RunningServer::open_handlers() {
  HttpHandler* next = designs_ ? &designs_->serve(*api_, &log_, browsers_) : static_cast<HttpHandler*>(&*api_);
  const bool browses = options_.designs.browse_on && designs_ != nullptr && !options_.designs.on.empty();
  if (browses) {
    next = &on_api_.emplace(
        designs_->database(), clock_,
        DynamoDbApiOptions{
            .credentials = files_.credentials.get(), .region = options_.region, .log = &log_, .browsers = browsers_},
        *next);
  }
  reset_api_.emplace(ResetApi::Parts{.next = *next,
                                     .browsers = browsers_,
                                     .refusal = engines_->reset_refusal(),
                                     .reset = [this] { return engines_->reset(); },
                                     .clean_up = [this] { engines_->release_retired(); }});
  console_ =
      std::make_unique<console::Console>(*reset_api_, console::ConsoleFacts{.version = TRESTLE_VERSION,
                                                                            .region = options_.region,
                                                                            .signs = files_.credentials != nullptr,
                                                                            .metrics = serves_metrics_,
                                                                            .insights = serves_insights_,
                                                                            .designs = designs_ != nullptr,
                                                                            .edits = options_.designs.edit,
                                                                            .browses = browses,
                                                                            .on = options_.designs.on});
}

BasicResult<void, std::string> RunningServer::listen() {
  TRY_INTO(listener_, Listener::start(*console_, std::move(files_.listener)));
  counted_listener_ = listener_.get();
  return {};
}

void RunningServer::stop() {
  listener_->stop();
  reset_api_->stop();
  // Replies that wait for the disk use both APIs, which are destroyed before the engine.
  api_->stop();
  if (designs_) designs_->stop_calls();
  engines_->wait_for_callbacks();
}

}  // namespace trestle
