#include "cli/serve/serve_options.h"

#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>

namespace trestle {
namespace {

void add_listening_flags(CLI::App& serve, ServeOptions& options) {
  serve.add_option("--port", options.port, "Port to listen on; 0 picks a free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  serve
      .add_option("--bind", options.bind,
                  "Address to listen on; localhost is 127.0.0.1 and ::1. Any address but loopback needs --credentials "
                  "or --open")
      ->capture_default_str();
  serve.add_flag("--open", options.open,
                 "Let anyone who can reach the server read and write everything, for tests in containers: listens on "
                 "all addresses unless --bind is given, and accepts any access key. Not with --credentials, "
                 "--policies, --audit, --tls-certificate, --jwks, --api-keys, --on or --edit");
}

void add_storage_flags(CLI::App& serve, ServeOptions& options) {
  serve.add_option("--data", options.data, "Data folder; created if it does not exist. Not needed with --on")
      ->capture_default_str();
  serve.add_flag("--memory-store", options.memory_store, "Keep everything in memory, for tests; --data is not used");
  serve.add_option("--buckets", options.buckets,
                   "Where imports, bulk puts and exports find buckets: a folder with one subfolder per bucket, or s3 "
                   "(see --s3-endpoint). The default is the folder `buckets` in the data folder");
  serve
      .add_option("--durability", options.durability,
                  "sync: an acknowledged write survives power loss. relaxed: it survives a crash of this program, but "
                  "power loss may lose the last seconds")
      ->check(CLI::IsMember({"sync", "relaxed"}))
      ->capture_default_str();
  serve
      .add_option("--cache-mb", options.cache_mb,
                  "Memory for cached data and write buffers, in MB; the program needs up to 150 MB more")
      ->check(CLI::Range(size_t{8}, size_t{1} << 20))
      ->capture_default_str();
  serve
      .add_option("--vector-memory-mb", options.vector_memory_mb,
                  "Memory for vector indexes, in MB; an index that does not fit is searched on disk")
      ->check(CLI::Range(size_t{0}, size_t{1} << 20))
      ->capture_default_str();
  serve.add_option("--region", options.region, "Region in ARNs")->capture_default_str();
}

void add_access_flags(CLI::App& serve, ServeOptions& options) {
  serve
      .add_option("--credentials", options.credentials,
                  "File of access keys, in the format of the AWS CLI's credentials file; requests must then be signed "
                  "with one of them. Without it any signature is accepted, but only from this machine")
      ->check(CLI::ExistingFile);
  serve
      .add_option("--policies", options.policies,
                  "JSON file with the permissions of users, as IAM policies (docs/access.md); reloaded when it "
                  "changes. Everything it does not allow is denied. Needs --credentials")
      ->check(CLI::ExistingFile);
  serve.add_option("--audit", options.audit, "Audit log file: one line of JSON for each request");
  serve.add_option("--audit-mb", options.audit_mb, "Size at which the audit log is rotated, in MB")
      ->check(CLI::Range(size_t{1}, size_t{1} << 20))
      ->capture_default_str();
  serve.add_option("--audit-keep", options.audit_keep, "Number of rotated audit logs to keep")
      ->check(CLI::Range(size_t{0}, size_t{1000}))
      ->capture_default_str();
  auto* certificate = serve.add_option("--tls-certificate", options.tls_certificate,
                                       "Certificate chain (PEM): serve HTTPS instead of HTTP");
  auto* key = serve.add_option("--tls-key", options.tls_key, "Private key (PEM) of the certificate");
  certificate->check(CLI::ExistingFile)->needs(key);
  key->check(CLI::ExistingFile)->needs(certificate);
}

void add_limit_flags(CLI::App& serve, ServeOptions& options) {
  serve.add_option("--threads", options.threads, "Event loops, each with a thread; 0: one per core")
      ->check(CLI::Range(0u, 1024u))
      ->capture_default_str();
  serve
      .add_option("--connections-max", options.connections_max,
                  "Maximum number of open connections; more are refused with 503")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  serve
      .add_option(
          "--buffers-mb-max", options.buffers_mb_max,
          "Memory for unfinished requests and unsent replies of all connections, in MB; when it is exceeded, requests "
          "are refused with 503, and connections whose clients do not read their replies are closed early")
      ->check(CLI::Range(size_t{1}, size_t{1} << 20))
      ->capture_default_str();
  serve.add_option("--body-mb-max", options.body_mb_max, "Largest request body, in MB")
      ->check(CLI::Range(size_t{1}, size_t{1024}))
      ->capture_default_str();
  serve.add_option("--idle-timeout-ms", options.idle_timeout_ms, "Close a connection that is idle for this long")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  serve
      .add_option("--write-timeout-ms", options.write_timeout_ms,
                  "Close a connection whose client reads no byte of the reply for this long")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  serve
      .add_option("--header-timeout-ms", options.header_timeout_ms,
                  "Close a connection whose headers take this long to arrive")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

void add_table_work_flags(CLI::App& serve, ServeOptions& options) {
  serve.add_option("--ttl-sweep-ms", options.ttl_sweep_ms, "How often to delete expired items; 0: never")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  serve.add_option("--stream-shard-ms", options.stream_shard_ms, "How long a shard of a stream stays open")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  serve.add_option("--stream-retention-ms", options.stream_retention_ms, "How long a record of a stream is kept")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  serve
      .add_option("--throttle", options.throttle,
                  "provisioned: requests beyond a table's provisioned units, or its on-demand maximums, are throttled "
                  "as in DynamoDB. none: no throttling")
      ->check(CLI::IsMember({"provisioned", "none"}))
      ->capture_default_str();
}

void add_insight_flags(CLI::App& serve, ServeOptions& options) {
  serve.add_flag("--metrics", options.metrics,
                 "Serve GET /metrics even if other machines can reach it; on a loopback address it is always served");
  serve.add_flag("--insights", options.insights,
                 "Serve GET /insights, which shows item keys, even with --credentials or if other machines can reach "
                 "it; on a loopback address without --credentials it is always served");
  serve
      .add_option("--log", options.log,
                  "Requests to log on standard error, one line of JSON each: none, errors (status 500 and above), all")
      ->check(CLI::IsMember({"none", "errors", "all"}))
      ->capture_default_str();
}

void add_browser_flags(CLI::App& serve, ServeOptions& options) {
  serve.add_option("--cors", options.cors,
                   "Origin whose web pages may call the server, such as https://app.example.com; may be repeated; * is "
                   "any. Without it, only pages of the server itself may");
  serve.add_option(
      "--host", options.hosts,
      "Host name under which clients may call a server that does not authenticate them, in addition to localhost and "
      "loopback addresses (with --open: names and addresses of local networks); may be repeated");
}

void add_test_flags(CLI::App& serve, ServeOptions& options) {
  serve
      .add_option("--tables", options.tables,
                  "File of tables to create unless they exist: a CloudFormation template, a Terraform configuration, "
                  "the JSON of CreateTable or DescribeTable, or a design; may be repeated")
      ->group("Tests");
  serve
      .add_option("--seed", options.seeds,
                  "File of items to load into tables that are empty: FILE in the format of batch-write-item, or "
                  "TABLE=FILE with items or the lines of an export; may be repeated")
      ->group("Tests");
  serve
      .add_option("--transient-statuses", options.transient_status_ms,
                  "Show tables as CREATING, UPDATING and DELETING for this many milliseconds after a change, as "
                  "DynamoDB does; 500 if no number is given")
      ->expected(0, 1)
      ->default_str("500")
      ->check(CLI::Range(int64_t{0}, int64_t{3'600'000}))
      ->group("Tests");
  serve
      .add_flag("--isolate", options.isolate,
                "Give each access key and region its own tables, as DynamoDB Local does without -sharedDb; not with "
                "--credentials, --audit or --design")
      ->group("Tests");
}

}  // namespace

void add_serve_flags(CLI::App& serve, ServeOptions& options) {
  add_listening_flags(serve, options);
  add_storage_flags(serve, options);
  add_access_flags(serve, options);
  add_limit_flags(serve, options);
  add_table_work_flags(serve, options);
  add_insight_flags(serve, options);
  add_browser_flags(serve, options);
  add_test_flags(serve, options);
  add_design_flags(serve, options.designs);
}

void complete_options(ServeOptions& options, bool data_is_given) {
  options.both_loopbacks = options.bind == "localhost";
  if (options.both_loopbacks) options.bind = options.open ? "0.0.0.0" : "127.0.0.1";
  // With --on, designs store nothing in the data folder.
  options.designs.stores_elsewhere = !options.designs.on.empty() && !options.memory_store && !data_is_given;
  if (options.designs.stores_elsewhere) options.memory_store = true;
}

}  // namespace trestle
