// The flags of `trestle serve` for designs.
#include <CLI/App.hpp>
#include <CLI/Validators.hpp>

#include "cli/serve_designs.h"

namespace trestle {
namespace {

void add_deployment_flags(CLI::App& serve, DesignOptions& options) {
  serve.add_option("--design", options.files, "Design file to run, or a folder of *.yaml; may be repeated")
      ->check(CLI::ExistingPath)
      ->group("Designs");
  serve
      .add_option("--on", options.on,
                  "DynamoDB endpoint that the designs run on, instead of the embedded store: "
                  "https://dynamodb.<region>.amazonaws.com. Credentials come from the environment and profile files")
      ->group("Designs");
  serve
      .add_option("--table", options.tables,
                  "Another name for a table of a design: design/table=NAME; may be repeated. Commands on the design's "
                  "data need it too")
      ->group("Designs");
  auto* create =
      serve.add_flag("--create", options.create, "Create the designs' missing tables; the default without --on");
  auto* verify =
      serve.add_flag("--verify", options.verify,
                     "Only compare the designs' tables, and refuse to start if they differ; the default with --on");
  create->excludes(verify)->group("Designs");
  verify->group("Designs");
}

void add_secret_and_blob_flags(CLI::App& serve, DesignOptions& options) {
  serve
      .add_option("--keys", options.keys,
                  "Key ring that seals encrypted fields and page tokens: lines of an id and 32 bytes in base64, newest "
                  "first. The default is the variable TRESTLE_KEYS, or else the file `keys` in the data folder, "
                  "created if it does not exist")
      ->check(CLI::ExistingFile)
      ->group("Designs");
  serve
      .add_option("--blobs", options.blobs,
                  "Where values that are too large for an item are stored: a folder or s3://bucket/prefix. The default "
                  "is the folder `blobs` in the data folder")
      ->group("Designs");
  serve
      .add_option(
          "--s3-endpoint", options.s3_endpoint,
          "Endpoint of that bucket, if it is not Amazon's. Credentials come from the environment and profile files")
      ->group("Designs");
  serve
      .add_option("--blob-age-s", options.blob_age_s,
                  "Age in seconds at which a blob that no item refers to is deleted")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group("Designs");
}

void add_caller_flags(CLI::App& serve, DesignOptions& options) {
  serve.add_option("--jwks", options.jwks, "Keys that sign callers' tokens (JWKS file; reloaded when it changes)")
      ->check(CLI::ExistingFile)
      ->group("Callers of designs");
  serve.add_option("--jwt-issuer", options.jwt_issuer, "Refuse tokens of other issuers (iss)")
      ->group("Callers of designs");
  serve.add_option("--jwt-audience", options.jwt_audience, "Refuse tokens for other audiences (aud)")
      ->group("Callers of designs");
  serve
      .add_option("--jwt-groups-claim", options.jwt_groups_claim,
                  "The claim to use as caller.groups: a name, or a path such as realm_access.roles")
      ->capture_default_str()
      ->group("Callers of designs");
  serve
      .add_option(
          "--api-keys", options.api_keys,
          "Services that may call with X-Api-Key: lines of a name, the key's SHA-256 in hexadecimal and groups a,b")
      ->check(CLI::ExistingFile)
      ->group("Callers of designs");
  serve
      .add_option("--operator-group", options.operator_group,
                  "Group of the callers who may see a design's background work and dead letters, and retry them. If no "
                  "sign-in is configured, every caller on this machine may")
      ->capture_default_str()
      ->group("Callers of designs");
}

void add_reaction_flags(CLI::App& serve, DesignOptions& options) {
  serve
      .add_option("--endpoint", options.endpoints,
                  "HTTP endpoint that reactions call: name=URL; may be repeated. Without it, their events wait")
      ->group("Designs");
  serve
      .add_option("--without", options.without,
                  "Name of an endpoint that is not used: its events are discarded instead of waiting")
      ->group("Designs");
  serve
      .add_option("--reaction-backoff-ms", options.reaction_backoff_ms,
                  "Longest wait before the first retry of a reaction; it doubles with each retry, up to 30 s")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group("Designs");
}

void add_console_flags(CLI::App& serve, DesignOptions& options) {
  serve
      .add_flag("--edit", options.edit,
                "Let the console save design files. The running designs do not change until the next start")
      ->group("Designs");
  serve
      .add_flag("--browse-on", options.browse_on,
                "Serve DynamoDB's API for the tables at --on, with this server's credentials, as POST /on: the console "
                "then shows them. Every caller of this server can read and write them")
      ->group("Designs");
}

void add_design_limit_flags(CLI::App& serve, DesignOptions& options) {
  serve.add_option("--design-body-kb-max", options.body_kb_max, "Largest request body of a design's operation, in KB")
      ->check(CLI::Range(size_t{1}, size_t{1} << 20))
      ->capture_default_str()
      ->group("Designs");
  serve.add_option("--design-threads", options.workers, "Threads for operations that may block")
      ->check(CLI::Range(1u, 1024u))
      ->capture_default_str()
      ->group("Designs");
}

}  // namespace

void add_design_flags(CLI::App& serve, DesignOptions& options) {
  add_deployment_flags(serve, options);
  add_secret_and_blob_flags(serve, options);
  add_caller_flags(serve, options);
  add_reaction_flags(serve, options);
  add_console_flags(serve, options);
  add_design_limit_flags(serve, options);
}

}  // namespace trestle
