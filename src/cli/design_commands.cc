#include "cli/design_commands.h"

#include <fmt/format.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/http_call.h"
#include "cli/serve_designs.h"
#include "design/reader.h"
#include "design/text_file.h"
#include "engine/engine.h"
#include "runtime/lease.h"
#include "runtime/load.h"
#include "runtime/plain_json.h"
#include "runtime/stream_tallies.h"
#include "runtime/verify.h"

namespace trestle {
namespace {

using runtime::Plain;

int complain(const std::string& what) {
  fmt::print(stderr, "trestle: {}\n", what);
  return 1;
}

// Where the data is.
struct Place {
  std::string design;  // a file, or a name
  std::string data = "data";
  std::string on;  // a DynamoDB endpoint
  std::string at;  // a running `trestle serve --design`
  std::string token;
  std::string keys, blobs, s3_endpoint;
};

void add_place(CLI::App& command, Place& place, bool may_be_served) {
  command.add_option("design", place.design, "Design file, or its name")->required();
  command.add_option("--data", place.data, "Data folder of a server that is not running")->capture_default_str();
  command.add_option("--on", place.on, "DynamoDB endpoint that holds the tables");
  command.add_option("--keys", place.keys, "Key ring, as for serve")->check(CLI::ExistingFile);
  command.add_option("--blobs", place.blobs, "Where blobs are, as for serve");
  command.add_option("--s3-endpoint", place.s3_endpoint, "Endpoint of their bucket, as for serve");
  if (!may_be_served) return;
  command.add_option("--at", place.at, "URL of a running server that has the design loaded");
  command.add_option("--token", place.token, "Bearer token for that server");
}

// The file of a design by its name: as it is, in designs/, or where the package puts it.
std::string file_of(const std::string& design) {
  for (const std::string& path :
       {design, "designs/" + design + ".yaml", "/usr/share/trestle/designs/" + design + ".yaml"}) {
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) return path;
  }
  return design;
}

// The name of a design by its file.
std::string name_of(const std::string& design) {
  const auto text = design::read_text_file(file_of(design));
  if (!text) return design;
  return design::read_design(*text).design.name;
}

// One design, opened on its data.
struct Opened {
  std::unique_ptr<Engine> engine;
  std::unique_ptr<ServedDesigns> designs;
  runtime::DesignRuntime& runtime() { return *designs->runtimes()[0]; }
};

BasicResult<Opened, std::string> open_place(const Place& place) {
  Opened opened;
  EngineOptions engine;
  engine.store.folder = place.data;
  engine.store.in_memory = !place.on.empty();
  engine.expiry.interval_ms = 0;
  engine.throttles = false;
  auto made = Engine::open(std::move(engine));
  if (!made.has_value()) {
    return std::unexpected(
        fmt::format("{} (if a server runs on {}, name it with --at URL)", made.error().message, place.data));
  }
  opened.engine = std::move(*made);
  DesignOptions options;
  options.files = {file_of(place.design)};
  options.on = place.on;
  options.keys = place.keys;
  options.blobs = place.blobs;
  options.s3_endpoint = place.s3_endpoint;
  TRY_INTO(opened.designs,
           ServedDesigns::open(options, {.data = place.data, .memory = !place.on.empty(), .region = "us-east-1"},
                               *opened.engine));
  return opened;
}

std::string words_of(const runtime::Refused& refused) {
  std::string words = fmt::format("{} ({})", refused.message, refused.status);
  for (const runtime::FieldFault& fault : refused.fields) words += fmt::format("\n  {}: {}", fault.field, fault.reason);
  return words;
}

// ---- call

struct CallOptions {
  Place place;
  std::string operation;
  std::string claims;
  bool all = false;
  std::vector<std::string> inputs;  // name=value
};

// `--field value`: JSON if it reads as that and is no text, else the text itself.
BasicResult<Plain, std::string> inputs_of(const std::vector<std::string>& words) {
  Plain inputs = Plain::map();
  for (size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--") || words[i].size() < 3)
      return std::unexpected(fmt::format("`{}`: --field value is expected", words[i]));
    const size_t equals = words[i].find('=');
    const std::string name = words[i].substr(2, equals == std::string::npos ? equals : equals - 2);
    if (equals == std::string::npos && i + 1 >= words.size())
      return std::unexpected(fmt::format("--{} has no value", name));
    const std::string text = equals == std::string::npos ? words[++i] : words[i].substr(equals + 1);
    inputs.set(name, Plain::text(text));
  }
  return inputs;
}

// Text as the operation's input wants it: numbers, truth values, lists and maps are read as JSON.
void shape_inputs(const design::Operation& operation, Plain& inputs) {
  for (auto& [name, value] : inputs.members()) {
    const design::Input* input = operation.input(name);
    if (input == nullptr) continue;
    const ValueType stored = design::stored_type(input->type);
    if (stored == ValueType::kString && value.string() != "null") continue;
    if (auto parsed = runtime::parse_plain_json(value.string())) value = std::move(*parsed);
  }
}

// The list's own options are not inputs.
runtime::ListOptions take_list_options(Plain& inputs) {
  runtime::ListOptions list;
  if (const Plain& limit = inputs.member("limit"); limit.exists()) {
    list.limit = std::atoll(limit.string().c_str());
    inputs.erase("limit");
  }
  if (const Plain& descending = inputs.member("descending"); descending.exists()) {
    list.descending = descending.string() == "true";
    inputs.erase("descending");
  }
  return list;
}

int call_served(const CallOptions& options, Plain inputs) {
  const std::string name = name_of(options.place.design);
  const auto text = design::read_text_file(file_of(options.place.design));
  if (text) {
    const design::Reading reading = design::read_design(*text);
    if (const design::Operation* operation = reading.design.operation(options.operation))
      shape_inputs(*operation, inputs);
  }
  if (const Plain& limit = inputs.member("limit"); limit.is(Plain::Kind::kText)) {
    if (auto number = runtime::parse_plain_json(limit.string())) inputs.set("limit", *number);
  }
  Plain::List items;
  for (;;) {
    HttpCall call{.url = options.place.at, .path = fmt::format("/designs/{}/{}", name, options.operation)};
    call.headers = {{"Content-Type", "application/json"}};
    if (!options.place.token.empty()) call.headers.emplace_back("Authorization", "Bearer " + options.place.token);
    call.body = runtime::plain_json(inputs);
    const auto answer = call_http(call);
    if (!answer) return complain(answer.error().message);
    if (answer->status >= 300) {
      fmt::print(stderr, "{}\n", answer->body);
      return 1;
    }
    auto reply = runtime::parse_plain_json(answer->body);
    const bool goes_on = options.all && reply && reply->member("items").is(Plain::Kind::kList);
    if (!goes_on) {
      fmt::print("{}\n", answer->body);
      return 0;
    }
    for (Plain& item : reply->set("items", reply->member("items")).elements()) items.push_back(std::move(item));
    const Plain& next = reply->member("next");
    if (!next.exists()) break;
    inputs.set("next", next);
  }
  fmt::print("{}\n", runtime::plain_json(Plain::map({{"items", Plain::list(std::move(items))}})));
  return 0;
}

int call_operation(const CallOptions& options, const std::vector<std::string>& words) {
  auto inputs = inputs_of(words);
  if (!inputs) return complain(inputs.error());
  if (!options.place.at.empty()) return call_served(options, std::move(*inputs));
  auto opened = open_place(options.place);
  if (!opened) return complain(opened.error());
  runtime::DesignRuntime& runtime = opened->runtime();
  const design::Operation* operation = runtime.design().operation(options.operation);
  if (operation == nullptr) {
    return complain(fmt::format("the design {} has no operation `{}`", runtime.design().name, options.operation));
  }
  runtime::CallContext context;
  if (!options.claims.empty()) {
    auto claims = runtime::parse_plain_json(options.claims);
    if (!claims) return complain("--caller-claims: " + claims.error());
    context.caller = std::move(*claims);
  }
  runtime::ListOptions list = runtime.is_list(*operation) ? take_list_options(*inputs) : runtime::ListOptions{};
  shape_inputs(*operation, *inputs);
  Plain::List items;
  for (;;) {
    Call call;
    auto reply = runtime.call(*operation, *inputs, list, context, call);
    const auto durable = opened->designs->database().wait_durable(call);
    if (!durable) return complain(durable.error().message);
    if (!reply) return complain(words_of(reply.error()));
    if (!options.all || !reply->body.member("items").is(Plain::Kind::kList)) {
      fmt::print("{}\n", runtime::plain_json(reply->body));
      return 0;
    }
    const Plain::List& page = reply->body.member("items").elements();
    items.insert(items.end(), page.begin(), page.end());
    if (!reply->position) break;
    list.position = *reply->position;
  }
  fmt::print("{}\n", runtime::plain_json(Plain::map({{"items", Plain::list(std::move(items))}})));
  return 0;
}

// ---- load

struct LoadOptions {
  Place place;
  std::string file, operation, claims;
};

int load(const LoadOptions& options) {
  const auto text = design::read_text_file(options.file);
  if (!text) return complain(fmt::format("{} cannot be read", options.file));
  auto records = runtime::read_records(*text);
  if (!records) return complain(fmt::format("{}: {}", options.file, records.error()));
  size_t done = 0, refused = 0;
  const auto tell = [&](size_t number, const std::string& why) {
    fmt::print(stderr, "record {}: {}\n", number, why);
    ++refused;
  };
  if (!options.place.at.empty()) {
    const std::string name = name_of(options.place.design);
    for (size_t i = 0; i < records->size(); ++i) {
      HttpCall call{.url = options.place.at, .path = fmt::format("/designs/{}/{}", name, options.operation)};
      call.headers = {{"Content-Type", "application/json"}};
      if (!options.place.token.empty()) call.headers.emplace_back("Authorization", "Bearer " + options.place.token);
      call.body = runtime::plain_json((*records)[i]);
      const auto answer = call_http(call);
      if (!answer) return complain(answer.error().message);
      if (answer->status < 300)
        ++done;
      else
        tell(i + 1, answer->body);
    }
  } else {
    auto opened = open_place(options.place);
    if (!opened) return complain(opened.error());
    runtime::DesignRuntime& runtime = opened->runtime();
    const design::Operation* operation = runtime.design().operation(options.operation);
    if (operation == nullptr)
      return complain(fmt::format("the design {} has no operation `{}`", runtime.design().name, options.operation));
    runtime::CallContext context;
    if (!options.claims.empty()) {
      auto claims = runtime::parse_plain_json(options.claims);
      if (!claims) return complain("--caller-claims: " + claims.error());
      context.caller = std::move(*claims);
    }
    Call last;
    for (size_t i = 0; i < records->size(); ++i) {
      Call call;
      const auto reply = runtime.call(*operation, (*records)[i], {}, context, call);
      last.commit = std::max(last.commit, call.commit);
      if (reply)
        ++done;
      else
        tell(i + 1, words_of(reply.error()));
    }
    const auto durable = opened->designs->database().wait_durable(last);
    if (!durable) return complain(durable.error().message);
  }
  fmt::print("{} of {} records loaded by {}\n", done, records->size(), options.operation);
  return refused == 0 ? 0 : 1;
}

// ---- status, retry

int status(const Place& place, bool dead) {
  if (!place.at.empty()) {
    HttpCall call{.method = "GET",
                  .url = place.at,
                  .path = fmt::format("/designs/{}/status{}", name_of(place.design), dead ? "?dead" : "")};
    if (!place.token.empty()) call.headers.emplace_back("Authorization", "Bearer " + place.token);
    const auto answer = call_http(call);
    if (!answer) return complain(answer.error().message);
    fmt::print(answer->status < 300 ? stdout : stderr, "{}\n", answer->body);
    return answer->status < 300 ? 0 : 1;
  }
  auto opened = open_place(place);
  if (!opened) return complain(opened.error());
  Database& database = opened->designs->database();
  const auto known = runtime::journal_status(database, opened->runtime().design().name);
  if (!known) return complain(known.error().message);
  const auto text = runtime::status_json(*known, database, dead);
  if (!text) return complain(text.error().message);
  fmt::print("{}", *text);
  return 0;
}

int retry(const Place& place, const std::string& id) {
  if (!place.at.empty()) {
    HttpCall call{.url = place.at,
                  .path = fmt::format("/designs/{}/retry{}", name_of(place.design), id.empty() ? "" : "?id=" + id)};
    if (!place.token.empty()) call.headers.emplace_back("Authorization", "Bearer " + place.token);
    const auto answer = call_http(call);
    if (!answer) return complain(answer.error().message);
    fmt::print(answer->status < 300 ? stdout : stderr, "{}\n", answer->body);
    return answer->status < 300 ? 0 : 1;
  }
  auto opened = open_place(place);
  if (!opened) return complain(opened.error());
  const auto asked = runtime::retry_dead_letters(opened->designs->database(), opened->runtime().design().name, id);
  if (!asked) return complain(asked.error().message);
  fmt::print("{} dead letters will be tried again when the design is served\n", *asked);
  return *asked > 0 || id.empty() ? 0 : 1;
}

// ---- verify

int verify(const Place& place, bool repair) {
  auto opened = open_place(place);
  if (!opened) return complain(opened.error());
  ServedDesigns& designs = *opened->designs;
  const design::Design& design = opened->runtime().design();
  Database& database = designs.database();
  const Clock& clock = designs.clock();
  const runtime::ItemCodec codec(design, designs.keys(), designs.blobs());
  runtime::ItemForm form(design, database, codec);

  // What a crash left is ended first, unless a server is at work on it.
  runtime::Lease lease(database, design.name, place.on.empty());
  const auto held = lease.hold(clock.now_ms());
  if (!held) return complain(held.error().message);
  if (*held) {
    runtime::StreamTallies tallies(design, database, codec, form);
    const auto drained = tallies.drain(clock.now_ms());
    lease.release();
    if (!drained) return complain(drained.error().message);
  }
  form.forget_shard_counts();
  const auto counts =
      runtime::verify_design(design, database, codec, clock, {.repair = repair}, [&](const runtime::Fault& fault) {
        fmt::print("{}: {} · {}: {}{}\n", fault.kind, fault.table, fault.item, fault.words,
                   fault.repair.empty() ? "" : fmt::format(" -> {}", fault.repair));
      });
  if (!counts) return complain(counts.error().message);
  fmt::print("{}: {} items, {} faults{}\n", design.name, counts->items, counts->faults,
             repair ? fmt::format(", {} repaired", counts->repaired) : "");
  return counts->faults == 0 ? 0 : 1;
}

}  // namespace

void add_design_data_commands(CLI::App& app, int& exit_status) {
  CLI::App* design = app.get_subcommand("design");

  auto call = std::make_shared<CallOptions>();  // shared with the callbacks, which outlive this call; so are the others
  CLI::App* calls = design->add_subcommand("call", "Call an operation: --field value ..., and print its reply");
  add_place(*calls, call->place, true);
  calls->add_option("operation", call->operation, "The operation")->required();
  calls->add_option("--caller-claims", call->claims, "Who calls, as a JSON object of a token's claims; not with --at");
  calls->add_flag("--all", call->all, "Of a list, every page");
  calls->add_option("--input", call->inputs, "An input as name=value, where it is called like a flag of this command")
      ->allow_extra_args(false);
  calls->allow_extras();
  calls->callback([call, calls, &exit_status] {
    std::vector<std::string> words = calls->remaining();
    for (const std::string& input : call->inputs) words.push_back("--" + input);
    exit_status = call_operation(*call, words);
  });

  auto loading = std::make_shared<LoadOptions>();
  CLI::App* loads = design->add_subcommand("load", "Load seed data: each record of a file by an operation");
  add_place(*loads, loading->place, true);
  loads->add_option("file", loading->file, "JSON lines, a JSON array or a YAML list")->required();
  loads->add_option("--operation", loading->operation, "The operation that takes each record")->required();
  loads->add_option("--caller-claims", loading->claims,
                    "Who calls, as a JSON object of a token's claims; not with --at");
  loads->callback([loading, &exit_status] { exit_status = load(*loading); });

  struct StatusOptions {
    Place place;
    bool dead = false;
    std::string id;
    bool repair = false;
  };
  auto shown = std::make_shared<StatusOptions>();
  CLI::App* shows = design->add_subcommand("status", "What a design's background work has done and has to do");
  add_place(*shows, shown->place, true);
  shows->add_flag("--dead", shown->dead, "Also the dead letters of reactions");
  shows->callback([shown, &exit_status] { exit_status = status(shown->place, shown->dead); });

  auto retried = std::make_shared<StatusOptions>();
  CLI::App* retries = design->add_subcommand("retry", "Try dead letters of reactions again");
  add_place(*retries, retried->place, true);
  retries->add_option("id", retried->id, "One dead letter; else all");
  retries->callback([retried, &exit_status] { exit_status = retry(retried->place, retried->id); });

  auto verified = std::make_shared<StatusOptions>();
  CLI::App* verifies = design->add_subcommand("verify", "Compare every item with what the design says");
  add_place(*verifies, verified->place, false);
  verifies->add_flag("--repair", verified->repair, "Mend what is wrong");
  verifies->callback([verified, &exit_status] { exit_status = verify(verified->place, verified->repair); });
}

}  // namespace trestle
