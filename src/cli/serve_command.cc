#include "cli/serve_command.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/design/place.h"
#include "cli/on_api.h"
#include "cli/reset_api.h"
#include "cli/serve_designs.h"
#include "cli/spaces.h"
#include "console/console.h"
#include "design/cost/price_file.h"
#include "engine/engine.h"
#include "fixtures/fixtures.h"
#include "s3/s3_buckets.h"
#include "server/dynamodb_api.h"
#include "server/http/listener.h"
#include "server/observe/insights_page.h"
#include "server/observe/metrics_page.h"

namespace trestle {
namespace {

struct ServeOptions {
  std::string bind = "localhost";
  bool both_loopbacks = false;  // `bind` is 127.0.0.1, and ::1 listens too
  uint16_t port = 8000;
  std::string data = "data";
  bool memory_store = false;
  std::string durability = "sync";
  size_t cache_mb = 256;
  size_t vector_memory_mb = 1024;
  unsigned threads = 0;
  std::string region = "us-east-1";
  std::string credentials;
  std::string policies;
  std::string audit;
  size_t audit_mb = 100;
  size_t audit_keep = 5;
  std::string tls_certificate;
  std::string tls_key;
  size_t connections_max = 10'000;
  size_t body_mb_max = 16;
  int64_t idle_timeout_ms = 120'000;
  int64_t header_timeout_ms = 10'000;
  int64_t write_timeout_ms = SessionOptions{}.write_timeout_ms;
  size_t buffers_mb_max = SessionOptions{}.buffered_bytes_max >> 20;
  std::vector<std::string> cors;
  std::vector<std::string> hosts;
  int64_t ttl_sweep_ms = 2'000;
  int64_t stream_shard_ms = StreamUpkeepOptions{}.shard_ms;
  int64_t stream_retention_ms = StreamUpkeepOptions{}.retention_ms;
  std::string throttle = "provisioned";
  bool metrics = false;
  bool insights = false;
  std::string log = "errors";
  std::string buckets;
  std::vector<std::string> tables;
  std::vector<std::string> seeds;
  int64_t transient_status_ms = 0;
  DesignOptions designs;
};

void add_flags(CLI::App& serve, ServeOptions& options) {
  serve.add_option("--port", options.port, "Port to listen on; 0 picks a free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  serve
      .add_option(
          "--bind", options.bind,
          "Address to listen on; localhost is 127.0.0.1 and ::1. Any but a loopback address needs --credentials")
      ->capture_default_str();
  serve.add_option("--data", options.data, "Folder of the data; made if it is not there. With --on none is needed")
      ->capture_default_str();
  serve.add_flag("--memory-store", options.memory_store, "Keep everything in memory, for tests; --data is not used");
  serve.add_option("--buckets", options.buckets,
                   "Where imports, bulk puts and exports find buckets: a folder whose folders they are, or s3 (then "
                   "--s3-endpoint says where). Without it they are the folders of buckets/ in the data folder");
  serve
      .add_option("--durability", options.durability,
                  "sync: an acknowledged write survives power loss. relaxed: it survives the end of this program, but "
                  "power loss may take the last seconds")
      ->check(CLI::IsMember({"sync", "relaxed"}))
      ->capture_default_str();
  serve
      .add_option("--cache-mb", options.cache_mb,
                  "Memory for cached data and write buffers, in MB; the program needs up to 150 more")
      ->check(CLI::Range(size_t{8}, size_t{1} << 20))
      ->capture_default_str();
  serve
      .add_option("--vector-memory-mb", options.vector_memory_mb,
                  "Memory for vector indexes, in MB; one that does not fit is searched on disk")
      ->check(CLI::Range(size_t{0}, size_t{1} << 20))
      ->capture_default_str();
  serve.add_option("--threads", options.threads, "Event loops, each with a thread; 0 is one per core")
      ->check(CLI::Range(0u, 1024u))
      ->capture_default_str();
  serve.add_option("--region", options.region, "Region that ARNs name")->capture_default_str();
  serve
      .add_option("--credentials", options.credentials,
                  "File of access keys, as the AWS CLI's credentials file; requests must then be signed by one of "
                  "them. Without it any signature is accepted, but only from this machine")
      ->check(CLI::ExistingFile);
  serve
      .add_option("--policies", options.policies,
                  "File of JSON that says what users may do, in IAM's policies (docs/access.md); read again when it "
                  "changes. What it does not allow is denied. Needs --credentials")
      ->check(CLI::ExistingFile);
  serve.add_option("--audit", options.audit, "File to write a line of JSON to for each request: who did what");
  serve.add_option("--audit-mb", options.audit_mb, "Size at which the audit log is renamed and begun anew, in MB")
      ->check(CLI::Range(size_t{1}, size_t{1} << 20))
      ->capture_default_str();
  serve.add_option("--audit-keep", options.audit_keep, "Renamed audit logs to keep")
      ->check(CLI::Range(size_t{0}, size_t{1000}))
      ->capture_default_str();
  auto* certificate = serve.add_option("--tls-certificate", options.tls_certificate,
                                       "Certificate chain (PEM): serve HTTPS instead of HTTP");
  auto* key = serve.add_option("--tls-key", options.tls_key, "Private key (PEM) of the certificate");
  certificate->check(CLI::ExistingFile)->needs(key);
  key->check(CLI::ExistingFile)->needs(certificate);
  serve.add_option("--connections-max", options.connections_max, "Connections at once; more are refused with 503")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  serve
      .add_option("--buffers-mb-max", options.buffers_mb_max,
                  "Memory for unfinished requests and unsent replies of all connections, in MB; beyond it requests are "
                  "refused with 503, and connections that do not take their replies are closed early")
      ->check(CLI::Range(size_t{1}, size_t{1} << 20))
      ->capture_default_str();
  serve.add_option("--body-mb-max", options.body_mb_max, "Largest request body, in MB")
      ->check(CLI::Range(size_t{1}, size_t{1024}))
      ->capture_default_str();
  serve
      .add_option("--ttl-sweep-ms", options.ttl_sweep_ms,
                  "How often to look for items whose time to live is over; 0 leaves them")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  serve.add_option("--stream-shard-ms", options.stream_shard_ms, "How long a shard of a stream stays open")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  serve.add_option("--stream-retention-ms", options.stream_retention_ms, "How long a record of a stream is kept")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  serve.add_flag("--metrics", options.metrics,
                 "Serve GET /metrics also where others can reach it; on a loopback address it always is");
  serve.add_flag(
      "--insights", options.insights,
      "Serve GET /insights, which shows keys of items, also with --credentials or where others can reach it; "
      "on a loopback address without --credentials it always is");
  serve
      .add_option(
          "--log", options.log,
          "Requests to log on standard error, a line of JSON each: none, errors (answers of 500 and above), all")
      ->check(CLI::IsMember({"none", "errors", "all"}))
      ->capture_default_str();
  serve
      .add_option("--throttle", options.throttle,
                  "provisioned: requests beyond a table's provisioned units, or its on-demand maximums, are refused as "
                  "DynamoDB does. none: they are not")
      ->check(CLI::IsMember({"provisioned", "none"}))
      ->capture_default_str();
  serve.add_option("--idle-timeout-ms", options.idle_timeout_ms, "Close a connection idle for so long")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  serve
      .add_option("--write-timeout-ms", options.write_timeout_ms,
                  "Close a connection that takes no byte of its reply for so long")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  serve.add_option("--cors", options.cors,
                   "Origin whose web pages may call the server, such as https://app.example.com; may be repeated; * is "
                   "any. Without it only pages of the server itself may");
  serve.add_option("--host", options.hosts,
                   "Name under which callers may reach a server that does not verify them, besides localhost and "
                   "loopback addresses; may be repeated");
  serve.add_option("--header-timeout-ms", options.header_timeout_ms, "Close a connection whose headers take so long")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

void add_test_flags(CLI::App& serve, ServeOptions& options) {
  serve
      .add_option("--tables", options.tables,
                  "File of tables to create unless they exist: a CloudFormation template, a Terraform configuration, "
                  "the JSON of CreateTable or DescribeTable, or a design; may be repeated")
      ->group("Tests");
  serve
      .add_option("--seed", options.seeds,
                  "File of items to load into tables that are empty: FILE as batch-write-item takes them, or "
                  "TABLE=FILE of items or of an export's lines; may be repeated")
      ->group("Tests");
  serve
      .add_option("--transient-statuses", options.transient_status_ms,
                  "Show tables as CREATING, UPDATING and DELETING for so many milliseconds after a change, as DynamoDB "
                  "does: 500, unless a number is given")
      ->expected(0, 1)
      ->default_str("500")
      ->check(CLI::Range(int64_t{0}, int64_t{3'600'000}))
      ->group("Tests");
}

bool is_loopback(const std::string& address) {
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, address.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  return inet_pton(AF_INET6, address.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

BasicResult<ListenerOptions, std::string> listener_options(const ServeOptions& options) {
  ListenerOptions listener{.address = options.bind, .port = options.port, .loops = options.threads};
  if (options.both_loopbacks) listener.second_address = "::1";
  listener.connections_max = options.connections_max;
  listener.session.idle_timeout_ms = options.idle_timeout_ms;
  listener.session.header_timeout_ms = options.header_timeout_ms;
  listener.session.write_timeout_ms = options.write_timeout_ms;
  listener.session.buffered_bytes_max = options.buffers_mb_max << 20;
  listener.session.limits.body_bytes_max = options.body_mb_max << 20;
  if (!options.tls_certificate.empty()) {
    TRY_INTO(listener.tls, TlsContext::load(options.tls_certificate, options.tls_key));
  }
  return listener;
}

// Null: none are configured.
BasicResult<std::unique_ptr<WatchedFile<IdentityPolicies>>, std::string> load_policies(const ServeOptions& options) {
  if (options.policies.empty()) return nullptr;
  if (options.credentials.empty()) {
    return std::unexpected(std::string("--policies needs --credentials: without them nobody knows who calls"));
  }
  return WatchedFile<IdentityPolicies>::open(options.policies);
}

BasicResult<std::unique_ptr<AuditLog>, std::string> open_audit(const ServeOptions& options) {
  if (options.audit.empty()) return nullptr;
  return AuditLog::open({.file = options.audit, .bytes_max = options.audit_mb << 20, .kept_files = options.audit_keep});
}

// Null: there are none.
BasicResult<std::shared_ptr<Buckets>, std::string> open_buckets(const ServeOptions& options) {
  if (options.buckets == "s3") {
    TRY_INTO(auto client, S3Client::open({.endpoint = options.designs.s3_endpoint, .region = {}}));
    return s3_buckets(std::move(client));
  }
  if (!options.buckets.empty()) return folder_buckets(options.buckets);
  if (options.memory_store) return nullptr;
  return folder_buckets(options.data + "/buckets");
}

EngineOptions engine_options(const ServeOptions& options, std::shared_ptr<Buckets> buckets) {
  return {
      .store = {.folder = options.data,
                .in_memory = options.memory_store,
                .durability = options.durability == "sync" ? Durability::kSync : Durability::kRelaxed,
                .cache_bytes = options.cache_mb << 20},
      .region = options.region,
      .expiry = {.interval_ms = options.ttl_sweep_ms},
      .streams = {.shard_ms = options.stream_shard_ms,
                  .retention_ms = options.stream_retention_ms,
                  .trim_interval_ms = std::min(StreamUpkeepOptions{}.trim_interval_ms, options.stream_retention_ms)},
      .buckets = std::move(buckets),
      .vectors = {.memory_bytes = options.vector_memory_mb << 20},
      .throttles = options.throttle == "provisioned",
      .transient_status_ms = options.transient_status_ms,
  };
}

LogLevel log_level(const std::string& name) {
  if (name == "all") return LogLevel::kAll;
  return name == "none" ? LogLevel::kNone : LogLevel::kErrors;
}

void print_welcome(const ServeOptions& options, uint16_t port, const ServedDesigns* designs) {
  const char* scheme = options.tls_certificate.empty() ? "http" : "https";
  const std::string host = options.bind.find(':') == std::string::npos ? options.bind : "[" + options.bind + "]";
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
  fmt::print("Callers: {}\n", options.credentials.empty() ? "anyone on this machine; any access key will do"
                                                          : "those with a key in " + options.credentials);
  if (!options.policies.empty()) fmt::print("Access: as the policies in {} say\n", options.policies);
  fmt::print("Point an SDK at it, for instance: aws dynamodb list-tables --endpoint-url {}\n", url);
  fmt::print("Console: {}/console/\n", url);
  if (designs != nullptr) fmt::print("{}", designs->welcome(url));
  std::fflush(stdout);
}

// Why POST /reset is refused; empty: it is not.
std::string refusal_of_reset(const ServeOptions& options) {
  if (!options.memory_store) return "POST /reset needs --memory-store: a server does not erase its data folder.";
  if (!options.designs.on.empty()) return "POST /reset cannot be combined with --on: the data is elsewhere.";
  if (!options.credentials.empty()) return "POST /reset cannot be combined with --credentials.";
  if (!options.audit.empty()) return "POST /reset cannot be combined with --audit.";
  return {};
}

// Blocks the signals that end the program, so that only wait_for_stop sees them. Threads made later inherit it.
sigset_t block_stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // Files of keys and policies are read again whenever they change, so there is nothing to reload.
  ::signal(SIGHUP, SIG_IGN);
  return signals;
}

// `started`: it listened.
int serve(const ServeOptions& options, bool& started) {
  if (options.credentials.empty() && !is_loopback(options.bind)) {
    return complain(
        fmt::format("{} can be reached by others, and without --credentials anyone could read and write: give "
                    "a credentials file, or bind a loopback address such as 127.0.0.1",
                    options.bind));
  }
  if (!options.designs.files.empty() && !options.designs.can_sign_in() && !is_loopback(options.bind)) {
    return complain(
        fmt::format("{} can be reached by others, and without --jwks or --api-keys anyone could call the "
                    "designs: give one of them, or bind a loopback address such as 127.0.0.1",
                    options.bind));
  }
  if (options.designs.browse_on && (options.designs.on.empty() || !options.policies.empty())) {
    return complain("--browse-on needs --on, and cannot be combined with --policies, which do not cover that endpoint");
  }
  std::unique_ptr<Credentials> credentials;
  if (!options.credentials.empty()) {
    auto loaded = Credentials::load(options.credentials);
    if (!loaded.has_value()) return complain(loaded.error());
    credentials = std::make_unique<Credentials>(std::move(*loaded));
  }
  auto identities = load_policies(options);
  if (!identities.has_value()) return complain(identities.error());
  auto audit = open_audit(options);
  if (!audit.has_value()) return complain(audit.error());
  auto listening = listener_options(options);
  if (!listening.has_value()) return complain(listening.error());

  auto buckets = open_buckets(options);
  if (!buckets.has_value()) return complain(buckets.error());

  auto fixtures =
      fixtures::Fixtures::read({.tables = options.tables, .seeds = options.seeds, .region = options.region});
  if (!fixtures.has_value()) return complain(fixtures.error());

  const sigset_t stop_signals = block_stop_signals();
  const EngineOptions made_of = engine_options(options, std::move(*buckets));
  auto opened = Engine::open(made_of);
  if (!opened.has_value()) return complain(opened.error().message);
  const ServedDesigns* with_tables = nullptr;  // the designs, once they are open
  // A server that can be emptied has its engine behind Spaces.
  const std::string no_reset = refusal_of_reset(options);
  std::shared_ptr<Engine> engine;
  std::unique_ptr<Spaces> spaces;
  if (no_reset.empty()) {
    const auto open_engine = [&](const SpaceName&) -> BasicResult<std::unique_ptr<Engine>, std::string> {
      auto fresh = Engine::open(made_of);
      if (!fresh.has_value()) return std::unexpected(fresh.error().message);
      if (with_tables != nullptr) TRY(with_tables->create_tables(**fresh));
      TRY(fixtures->apply(**fresh));
      return std::move(*fresh);
    };
    spaces =
        std::make_unique<Spaces>(Spaces::Options{.open = open_engine, .region = options.region}, std::move(*opened));
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
    served.development_key = is_loopback(options.bind);
    auto loaded = ServedDesigns::open(
        served, {.data = options.data, .memory = options.memory_store, .region = options.region}, database);
    if (!loaded.has_value()) return complain(loaded.error());
    designs = std::move(*loaded);
    with_tables = designs.get();
  }
  if (const auto applied = fixtures->apply(*current()); !applied.has_value()) return complain(applied.error());
  std::atomic<const Listener*> front{nullptr};  // known only once it listens
  std::unique_ptr<AccessControl> access;
  if (credentials != nullptr || *audit != nullptr) {
    access = std::make_unique<AccessControl>(AccessControlOptions{.catalog = engine->catalog(),
                                                                  .region = options.region,
                                                                  .credentials = credentials.get(),
                                                                  .policies = std::move(*identities)});
  }
  const BrowserAccess browsers{.origins = options.cors, .hosts = options.hosts};
  DynamoDbApiOptions api_options{.credentials = credentials.get(),
                                 .region = options.region,
                                 .metrics = &metrics,
                                 .log = &log,
                                 .access = access.get(),
                                 .audit = audit->get(),
                                 .browsers = browsers};
  const bool serves_metrics = options.metrics || is_loopback(options.bind);
  std::optional<UnitPrices> unit_prices;
  std::string no_prices;  // a region without a price file: there are no figures of cost
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
  const bool serves_insights = options.insights || (is_loopback(options.bind) && credentials == nullptr);
  if (serves_insights) {
    api_options.insights_page = [&](std::string_view query) { return insights_page(*current(), query); };
  }
  api_options.searches_take_long = [&] { return !current()->vectors().all_in_memory(); };
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
  if (!listener.has_value()) return complain(listener.error());
  front = listener->get();
  started = true;
  print_welcome(options, (*listener)->port(), designs.get());

  int signal_number = 0;
  sigwait(&stop_signals, &signal_number);
  (*listener)->stop();
  reset_api.stop();
  // Answers that wait for the disk use both APIs, which go before the engine does.
  api.stop();
  if (designs) designs->stop_calls();
  current()->wait_for_callbacks();
  return 0;
}

}  // namespace

void add_serve_command(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<ServeOptions>();  // shared with the callback, which outlives this call
  CLI::App* command = app.add_subcommand("serve", "Serve DynamoDB's API from a data folder");
  add_flags(*command, *options);
  add_test_flags(*command, *options);
  add_design_flags(*command, options->designs);
  command->callback([options, command, &exit_status] {
    options->both_loopbacks = options->bind == "localhost";
    if (options->both_loopbacks) options->bind = "127.0.0.1";
    // Designs on another endpoint store nothing here.
    const bool data_is_given = options->memory_store || command->get_option("--data")->count() > 0;
    options->designs.stores_elsewhere = !options->designs.on.empty() && !data_is_given;
    if (options->designs.stores_elsewhere) options->memory_store = true;
    std::error_code error;
    const bool is_new = !options->memory_store && !std::filesystem::exists(options->data, error);
    bool started = false;
    exit_status = serve(*options, started);
    if (is_new && !started) std::filesystem::remove_all(options->data, error);
  });
}

}  // namespace trestle
