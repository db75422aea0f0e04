// `trestle serve --design`: the designs of a server and the resources they need: key ring, blobs, tables and callers.
#pragma once

#include <CLI/App.hpp>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/callers.h"
#include "api/design_api.h"
#include "api/page_token.h"
#include "base/clock.h"
#include "cli/development_key.h"
#include "design/cost/prices.h"
#include "design/language/design.h"
#include "model/database.h"
#include "remote/probe.h"
#include "runtime/background/background_work.h"
#include "runtime/items/blob_store.h"
#include "runtime/runtime.h"
#include "runtime/values/key_ring.h"
#include "server/auth/browser_access.h"
#include "server/observe/request_log.h"

namespace trestle {

class MetricsText;

// Whether a design gets operations that load its entities' items unchanged (design/plan/load_operation.h).
enum class EntityLoading { kNo, kOnlyNew, kReplace };

struct DesignOptions {
  std::vector<std::string> files;   // or folders
  std::string on;                   // URL of a DynamoDB endpoint; empty: the embedded store
  std::vector<std::string> tables;  // design/table=NAME
  bool create = false;
  bool verify = false;
  std::string keys;
  std::string blobs;        // a folder, or s3://bucket/prefix
  std::string s3_endpoint;  // empty: AWS's
  std::string jwks, jwt_issuer, jwt_audience;
  std::string jwt_groups_claim = "groups";
  std::string api_keys;
  std::string operator_group = "admin";
  std::vector<std::string> endpoints;  // name=URL
  std::vector<std::string> without;    // names of endpoints whose events are discarded
  int64_t blob_age_s = 3'600;
  int64_t reaction_backoff_ms = 200;
  size_t body_kb_max = 1024;
  unsigned workers = 16;
  bool edit = false;       // design files may be saved over HTTP
  bool browse_on = false;  // tables at `on` may be read and written through this server

  bool development_key = false;   // no keys are configured: the server signs tokens with a generated key
  bool stores_elsewhere = false;  // items are stored at `on` and outlive this process, so blobs must too
  bool for_command = false;       // nothing is served; without `blobs`, blobs of items at `on` are unavailable
  EntityLoading loads = EntityLoading::kNo;

  bool can_sign_in() const { return !jwks.empty() || !api_keys.empty(); }
};

void add_design_flags(CLI::App& serve, DesignOptions& options);

class ServedDesigns {
 public:
  struct Place {
    std::string data;     // the server's data folder
    bool memory = false;  // nothing is persisted
    std::string region;
  };
  // Reads and checks the designs, creates or compares their tables, and opens them. The error lists every finding.
  static BasicResult<std::unique_ptr<ServedDesigns>, std::string> open(const DesignOptions& options, const Place& place,
                                                                       Database& embedded);
  ~ServedDesigns();

  // Creates the designs' missing tables in another database, which is to replace the current one.
  BasicResult<void, std::string> create_tables(Database& database) const;

  // For commands that work on one design.
  const std::vector<std::unique_ptr<runtime::DesignRuntime>>& runtimes() const { return runtimes_; }
  Database& database() { return *database_; }
  const runtime::KeyRing* keys() const { return ring_.get(); }
  runtime::BlobStore* blobs() { return blobs_.get(); }
  // Whether the location of the blobs that items refer to is configured.
  bool knows_blobs() const { return knows_blobs_; }
  const Clock& clock() const { return clock_; }

  // Returns the handler of a server with designs; it passes other paths to `next`. Starts the background work (tallies
  // from the stream, reactions, upkeep), which ends with this object. Call once.
  HttpHandler& serve(HttpHandler& next, RequestLog* log, const BrowserAccess& browsers);
  // Waits for calls in progress; see DesignApi::stop().
  void stop_calls();
  std::string metrics_text() const;
  // The startup message: what is served, and at which URLs.
  std::string welcome(const std::string& url) const;

 private:
  ServedDesigns() = default;
  BasicResult<void, std::string> rename_tables(design::Design& design);
  BasicResult<void, std::string> read_designs();
  BasicResult<void, std::string> check_endpoints() const;
  BasicResult<void, std::string> open_keys();
  BasicResult<void, std::string> open_blobs();
  BasicResult<void, std::string> open_callers();
  BasicResult<void, std::string> open_database(Database& embedded);
  BasicResult<void, std::string> prepare_tables();
  BasicResult<void, std::string> open_runtimes();
  // Replaces a design's file if its SHA-256 is still the expected one; the running design does not change.
  runtime::Outcome<void> save(const std::string& design, const std::string& text, std::string_view replaces) const;
  void start_background_work();
  std::map<std::string, api::DesignApi::Background, std::less<>> background_of();
  void write_background_metrics(MetricsText& text) const;
  void write_consumed_units(MetricsText& text) const;

  DesignOptions options_;
  Place place_;
  SystemClock clock_;
  std::vector<std::unique_ptr<design::Design>> designs_;
  std::map<std::string, std::string, std::less<>> sources_;  // text of each design's file
  std::map<std::string, std::string, std::less<>> files_;    // path of each design's file
  std::optional<design::Prices> prices_;
  std::unique_ptr<runtime::KeyRing> ring_;
  std::unique_ptr<api::PageTokens> tokens_;
  std::unique_ptr<runtime::BlobStore> blobs_;
  bool knows_blobs_ = true;
  std::set<std::string> renamed_;                        // the --table flags that were applied
  std::unique_ptr<TemporaryFolder> development_folder_;  // holds the development key if nothing is persisted
  std::string development_key_;                          // path of its file; empty: none
  std::unique_ptr<api::Callers> callers_;
  std::unique_ptr<Database> remote_;       // null: the embedded store
  std::vector<LackingOperation> lacking_;  // operations that the endpoint does not implement
  Database* database_ = nullptr;
  std::vector<std::unique_ptr<runtime::DesignRuntime>> runtimes_;
  runtime::EndpointCall call_;
  std::vector<std::unique_ptr<runtime::BackgroundWork>> background_;  // uses all of the above
  std::unique_ptr<api::DesignApi> api_;                               // uses background_
};

}  // namespace trestle
