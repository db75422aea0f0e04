#include "cli/serve/serve_command.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/design/place.h"
#include "cli/on_api.h"
#include "cli/reset_api.h"
#include "cli/serve/component_options.h"
#include "cli/serve/serve_checks.h"
#include "cli/serve/serve_options.h"
#include "cli/serve_designs.h"
#include "cli/spaces.h"
#include "console/console.h"
#include "design/cost/price_file.h"
#include "engine/engine.h"
#include "fixtures/fixtures.h"
#include "s3/s3_buckets.h"
#include "server/dynamodb_api.h"
#include "server/engine_resources.h"
#include "server/http/listener.h"
#include "server/observe/insights_page.h"
#include "server/observe/metrics_page.h"

namespace trestle {
namespace {

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

// Whether the address is a wildcard: clients reach the server by another address.
bool is_any_address(const std::string& address) { return address == "0.0.0.0" || address == "::"; }

std::string callers_text(const ServeOptions& options) {
  if (!options.credentials.empty()) return "those with a key in " + options.credentials;
  return options.open ? "ANYONE who can reach this server; any access key will do"
                      : "anyone on this machine; any access key will do";
}

void print_welcome(const ServeOptions& options, uint16_t port, const ServedDesigns* designs) {
  const char* scheme = options.tls_certificate.empty() ? "http" : "https";
  const std::string address = is_any_address(options.bind) ? "127.0.0.1" : options.bind;
  const std::string host = address.find(':') == std::string::npos ? address : "[" + address + "]";
  const std::string url = fmt::format("{}://{}:{}", scheme, host, port);
  fmt::print("Trestle {} serves DynamoDB's API on {}\n", TRESTLE_VERSION, url);
  if (options.designs.stores_elsewhere) {
    fmt::print("Data of designs: at {}; other tables are in memory, gone when it stops\n", options.designs.on);
  } else if (options.memory_store) {
    fmt::print("Data: in memory, gone when it stops\n");
  } else {
    fmt::print("Data: {} ({})\n", options.data,
               options.durability == "sync" ? "every acknowledged write is durable" : "relaxed durability");
  }
  fmt::print("Callers: {}\n", callers_text(options));
  if (!options.policies.empty()) fmt::print("Access: policies in {}\n", options.policies);
  fmt::print("Point an SDK at it, for instance: aws dynamodb list-tables --endpoint-url {}\n", url);
  fmt::print("Console: {}/console/\n", url);
  if (designs != nullptr) fmt::print("{}", designs->welcome(url));
  std::fflush(stdout);
  if (options.open) {
    fmt::print(stderr,
               "WARNING: --open: this server does not authenticate clients and listens on {}. Anyone who can reach "
               "port {} can read, change "
               "and delete all data. Only for tests and development.\n",
               is_any_address(options.bind) ? "every address of this machine" : options.bind, port);
  }
}

// Blocks the signals that end the program, so that only wait_for_stop sees them. Threads created later inherit the
// mask.
sigset_t block_stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // Files of keys and policies are reloaded whenever they change, so SIGHUP has nothing to do.
  ::signal(SIGHUP, SIG_IGN);
  return signals;
}

// `started` is set once the server listens.
int serve(const ServeOptions& options, bool& started) {
  if (const std::string why = refusal_of_callers(options); !why.empty()) return print_error(why);
  if (options.designs.browse_on && (options.designs.on.empty() || !options.policies.empty())) {
    return print_error(
        "--browse-on needs --on, and cannot be combined with --policies, which do not cover that endpoint");
  }
  if (const std::string why = refusal_of_isolation(options); !why.empty()) return print_error(why);
  std::unique_ptr<Credentials> credentials;
  if (!options.credentials.empty()) {
    auto loaded = Credentials::load(options.credentials);
    if (!loaded.has_value()) return print_error(loaded.error());
    credentials = std::make_unique<Credentials>(std::move(*loaded));
  }
  auto identities = load_policies(options);
  if (!identities.has_value()) return print_error(identities.error());
  auto audit = open_audit(options);
  if (!audit.has_value()) return print_error(audit.error());
  auto listening = listener_options(options);
  if (!listening.has_value()) return print_error(listening.error());

  auto buckets = open_buckets(options);
  if (!buckets.has_value()) return print_error(buckets.error());

  auto fixtures =
      fixtures::Fixtures::read({.tables = options.tables, .seeds = options.seeds, .region = options.region});
  if (!fixtures.has_value()) return print_error(fixtures.error());

  const sigset_t stop_signals = block_stop_signals();
  const EngineOptions engine_settings = engine_options(options, std::move(*buckets));
  EngineOptions first_engine_settings = engine_settings;
  if (options.isolate) first_engine_settings.store.in_memory = true;
  auto opened = Engine::open(first_engine_settings);
  if (!opened.has_value()) return print_error(opened.error().message);
  if (options.isolate) {
    // No caller has a space yet: this engine only tests whether the fixtures can be applied.
    if (const auto applied = fixtures->apply(**opened); !applied.has_value()) return print_error(applied.error());
    opened->reset();
  }
  const ServedDesigns* with_tables = nullptr;  // the designs, once they are open
  // A server that can be reset, or has several engines, has them behind Spaces.
  const std::string no_reset = refusal_of_reset(options);
  std::shared_ptr<Engine> engine;
  std::unique_ptr<Spaces> spaces;
  if (no_reset.empty() || options.isolate) {
    const auto open_engine = [&](const SpaceName& name) -> BasicResult<std::unique_ptr<Engine>, std::string> {
      auto fresh = Engine::open(options.isolate ? space_options(engine_settings, name) : engine_settings);
      if (!fresh.has_value()) return std::unexpected(fresh.error().message);
      if (with_tables != nullptr) TRY(with_tables->create_tables(**fresh));
      TRY(fixtures->apply(**fresh));
      return std::move(*fresh);
    };
    spaces = std::make_unique<Spaces>(
        Spaces::Options{.open = open_engine, .isolate = options.isolate, .region = options.region}, std::move(*opened));
  } else {
    engine = std::move(*opened);
  }
  const auto current = [&] { return spaces ? spaces->only() : engine; };
  Database& database = spaces ? static_cast<Database&>(*spaces) : *engine;
  const SystemClock clock;
  RequestMetrics metrics;
  RequestLog log(log_level(options.log));
  std::unique_ptr<ServedDesigns> designs;
  if (!options.designs.files.empty()) {
    DesignOptions served = options.designs;
    served.development_key = trusts_callers(options);
    auto loaded = ServedDesigns::open(
        served, {.data = options.data, .memory = options.memory_store, .region = options.region}, database);
    if (!loaded.has_value()) return print_error(loaded.error());
    designs = std::move(*loaded);
    with_tables = designs.get();
  }
  if (!options.isolate) {
    if (const auto applied = fixtures->apply(*current()); !applied.has_value()) return print_error(applied.error());
  }
  std::atomic<const Listener*> front{nullptr};  // set once it listens
  std::optional<EngineResources> resources;
  std::unique_ptr<AccessControl> access;
  if (credentials != nullptr || *audit != nullptr) {
    resources.emplace(engine->catalog());
    access = std::make_unique<AccessControl>(AccessControlOptions{.resources = *resources,
                                                                  .region = options.region,
                                                                  .credentials = credentials.get(),
                                                                  .policies = std::move(*identities)});
  }
  const BrowserAccess browsers{.origins = options.cors, .hosts = options.hosts, .local_networks = options.open};
  DynamoDbApiOptions api_options{.credentials = credentials.get(),
                                 .region = options.region,
                                 .metrics = &metrics,
                                 .log = &log,
                                 .access = access.get(),
                                 .audit = audit->get(),
                                 .browsers = browsers};
  const bool serves_metrics = !options.isolate && (options.metrics || trusts_callers(options));
  std::optional<UnitPrices> unit_prices;
  std::string no_prices;  // a region without a price file has no cost metrics
  const std::string design_file = options.designs.files.empty() ? std::string() : options.designs.files.front();
  if (const auto prices =
          design::find_prices({.region = options.region, .file = {}, .design_file = design_file}, no_prices)) {
    unit_prices = UnitPrices{
        .read_million = prices->read_million, .write_million = prices->write_million, .currency = prices->currency};
  }
  if (serves_metrics) {
    api_options.metrics_page = [&] {
      const Listener* listening_now = front.load();
      std::string page =
          metrics_page(metrics, *current(), listening_now ? listening_now->counts() : ListenerCounts{}, unit_prices);
      if (*audit != nullptr) page += (*audit)->metrics_text();
      return designs ? page + designs->metrics_text() : page;
    };
  }
  const bool serves_insights =
      !options.isolate && (options.insights || (trusts_callers(options) && credentials == nullptr));
  if (serves_insights) {
    api_options.insights_page = [&](std::string_view query) { return insights_page(*current(), query); };
  }
  api_options.has_workers = true;
  DynamoDbApi api(database, clock, std::move(api_options));
  HttpHandler& apis = designs ? designs->serve(api, &log, browsers) : static_cast<HttpHandler&>(api);
  const bool browses_on = options.designs.browse_on && designs != nullptr && !options.designs.on.empty();
  std::unique_ptr<OnApi> on_api;
  if (browses_on) {
    on_api = std::make_unique<OnApi>(
        designs->database(), clock,
        DynamoDbApiOptions{
            .credentials = credentials.get(), .region = options.region, .log = &log, .browsers = browsers},
        apis);
  }
  ResetApi reset_api({.next = on_api ? static_cast<HttpHandler&>(*on_api) : apis,
                      .browsers = browsers,
                      .refusal = no_reset,
                      .reset = [&] { return spaces->reset(); },
                      .clean_up = [&] { spaces->release_retired(); }});
  console::Console handler(reset_api, {.version = TRESTLE_VERSION,
                                       .region = options.region,
                                       .signs = credentials != nullptr,
                                       .metrics = serves_metrics,
                                       .insights = serves_insights,
                                       .designs = designs != nullptr,
                                       .edits = options.designs.edit,
                                       .browses = browses_on,
                                       .on = options.designs.on});
  auto listener = Listener::start(handler, std::move(*listening));
  if (!listener.has_value()) return print_error(listener.error());
  front = listener->get();
  started = true;
  print_welcome(options, (*listener)->port(), designs.get());

  int signal_number = 0;
  sigwait(&stop_signals, &signal_number);
  (*listener)->stop();
  reset_api.stop();
  // Replies that wait for the disk use both APIs, which are destroyed before the engine.
  api.stop();
  if (designs) designs->stop_calls();
  if (spaces) {
    spaces->wait_for_callbacks();
  } else {
    engine->wait_for_callbacks();
  }
  return 0;
}

}  // namespace

void add_serve_command(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<ServeOptions>();  // shared with the callback, which outlives this call
  CLI::App* command = app.add_subcommand("serve", "Serve DynamoDB's API from a data folder");
  add_serve_flags(*command, *options);
  command->callback([options, command, &exit_status] {
    complete_options(*options, command->get_option("--data")->count() > 0);
    std::error_code error;
    const bool is_new = !options->memory_store && !std::filesystem::exists(options->data, error);
    bool started = false;
    exit_status = serve(*options, started);
    if (is_new && !started) std::filesystem::remove_all(options->data, error);
  });
}

}  // namespace trestle
