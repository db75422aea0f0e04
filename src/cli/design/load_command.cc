#include "cli/design/load_command.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/read_file.h"
#include "cli/design/design_place.h"
#include "design/plan/load_operation.h"
#include "runtime/load.h"
#include "runtime/values/plain_json.h"

namespace trestle {
namespace {

constexpr size_t kLoadFileBytesMax = size_t{1} << 30;

struct DesignLoad {
  DesignPlace place;
  std::string file, operation, entity, claims;
  bool replaces = false;
};

// Counts loaded records, and reports those that were refused.
struct LoadResult {
  size_t done = 0, refused = 0;
  void refuse(size_t number, const std::string& why) {
    fmt::print(stderr, "record {}: {}\n", number, why);
    ++refused;
  }
  int end(const std::string& how) const {
    fmt::print("{} of {} records loaded {}\n", done, done + refused, how);
    return refused == 0 ? 0 : 1;
  }
};

int load_at_server(const DesignLoad& options, const std::vector<runtime::Plain>& records) {
  LoadResult loaded;
  const std::string path = fmt::format("{}/{}", served_path(options.place), options.operation);
  for (size_t i = 0; i < records.size(); ++i) {
    const auto answer = send_to_server(options.place, "POST", path, runtime::plain_json(records[i]));
    if (!answer) return print_error(answer.error().message);
    if (answer->status < 300)
      ++loaded.done;
    else
      loaded.refuse(i + 1, answer->body);
  }
  return loaded.end("by " + options.operation);
}

// Calls an operation of the design for each record, and waits until all are durable.
BasicResult<LoadResult, std::string> call_with_records(OpenedDesign& opened, const std::string& name,
                                                       const std::string& claims,
                                                       const std::vector<runtime::Plain>& records, size_t first = 0) {
  runtime::DesignRuntime& runtime = opened.runtime();
  const design::Operation* operation = runtime.design().operation(name);
  if (operation == nullptr)
    return std::unexpected(fmt::format("the design {} has no operation `{}`", runtime.design().name, name));
  TRY_INTO(const runtime::CallContext context, context_of(claims));
  LoadResult loaded;
  Call last;
  for (size_t i = 0; i < records.size(); ++i) {
    Call call;
    const auto reply = runtime.call(*operation, records[i], {}, context, call);
    last.commit = std::max(last.commit, call.commit);
    if (reply)
      ++loaded.done;
    else
      loaded.refuse(first + i + 1, refusal_text(reply.error()));
  }
  const auto durable = opened.designs->database().wait_durable(last);
  if (!durable) return std::unexpected(durable.error().message);
  return loaded;
}

// Loads items of one entity, or of the entities that the file names.
int load_entities(const DesignLoad& options, const std::string& text) {
  if (!options.place.at.empty()) {
    return print_error(fmt::format(
        "a server takes operations only: stop it, or name the endpoint of its tables (--on {})", options.place.at));
  }
  auto opened = open_place(options.place, options.replaces ? EntityLoading::kReplace : EntityLoading::kOnlyNew);
  if (!opened) return print_error(opened.error());
  ServedDesigns& designs = *opened->designs;
  const runtime::ItemCodec codec(opened->runtime().design(), designs.keys(), designs.blobs());
  runtime::EntityReader reader(opened->runtime().design(), designs.database(), codec);
  auto records = reader.read(text, options.entity);
  if (!records) return print_error(fmt::format("{}: {}", options.file, records.error()));
  std::vector<std::pair<std::string, LoadResult>> by_entity;  // in the file's order
  const auto of = [&](const std::string& entity) -> LoadResult& {
    for (auto& [name, loaded] : by_entity) {
      if (name == entity) return loaded;
    }
    return by_entity.emplace_back(entity, LoadResult()).second;
  };
  for (auto& [number, record] : *records) {
    if (!record) {
      of(options.entity.empty() ? "items" : options.entity).refuse(number, record.error());
      continue;
    }
    const auto loaded =
        call_with_records(*opened, "load " + record->entity, {}, {std::move(record->fields)}, number - 1);
    if (!loaded) return print_error(loaded.error());
    of(record->entity).done += loaded->done;
    of(record->entity).refused += loaded->refused;
  }
  if (by_entity.empty()) fmt::print("0 items: {} has no records\n", options.file);
  int status = 0;
  for (const auto& [entity, loaded] : by_entity) status |= loaded.end("as " + entity);
  return status;
}

int load(const DesignLoad& options) {
  const auto text = read_file(options.file, kLoadFileBytesMax);
  if (!text) return print_error(text.error());
  if (options.operation.empty()) return load_entities(options, *text);
  const auto records = runtime::read_records(*text);
  if (!records) return print_error(fmt::format("{}: {}", options.file, records.error()));
  if (!options.place.at.empty()) return load_at_server(options, *records);
  auto opened = open_place(options.place);
  if (!opened) return print_error(opened.error());
  const auto loaded = call_with_records(*opened, options.operation, options.claims, *records);
  if (!loaded) return print_error(loaded.error());
  return loaded->end("by " + options.operation);
}

}  // namespace

void add_load_command(CLI::App& design, int& exit_status) {
  auto options = std::make_shared<DesignLoad>();  // shared with the callback, which outlives this call
  CLI::App* command = design.add_subcommand(
      "load", "Load seed data: call an operation for each record, or store each record as an item of an entity");
  add_place(*command, options->place, true);
  command
      ->add_option(
          "file", options->file,
          "JSON lines, a JSON object or array, or a YAML list; or a map of these by entity. Items may be DynamoDB JSON")
      ->required();
  auto* operation = command->add_option("--operation", options->operation, "Operation to call for each record");
  command->add_option("--entity", options->entity, "Entity of the items; the default is given by the file")
      ->excludes(operation);
  command->add_flag("--replace", options->replaces, "Replace items that already exist")->excludes(operation);
  command->add_option("--caller-claims", options->claims, "Claims of the caller, as a JSON object; not with --at");
  command->callback([options, &exit_status] { exit_status = load(*options); });
}

}  // namespace trestle
