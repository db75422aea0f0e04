#include "cli/serve_options.h"

#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>

namespace trestle {
namespace {

void add_server_flags(CLI::App& serve, ServeOptions& options) {
  serve.add_option("--port", options.port, "Port to listen on; 0 picks a free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  serve
      .add_option("--bind", options.bind,
                  "Address to listen on; localhost is 127.0.0.1 and ::1. Any but a loopback address needs "
                  "--credentials or --open")
      ->capture_default_str();
  serve.add_flag(
      "--open", options.open,
      "Let anyone who can reach the server read and write everything, for tests in containers: it listens on "
      "all addresses, unless --bind is given, and any access key will do. Not with flags for production");
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
                   "loopback addresses (with --open: names and addresses of local networks); may be repeated");
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
  serve
      .add_flag("--isolate", options.isolate,
                "Give each access key and region its own tables, as DynamoDB Local does without -sharedDb; not with "
                "--credentials, --audit or --design")
      ->group("Tests");
}

}  // namespace

void add_serve_flags(CLI::App& serve, ServeOptions& options) {
  add_server_flags(serve, options);
  add_test_flags(serve, options);
  add_design_flags(serve, options.designs);
}

}  // namespace trestle
