#include "cli/design/upkeep_commands.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/design/design_place.h"
#include "runtime/background/lease.h"
#include "runtime/background/stream_tallies.h"
#include "runtime/verify/verify.h"

namespace trestle {
namespace {

int status(const DesignPlace& place, bool dead) {
  if (!place.at.empty())
    return print_answer(send_to_server(place, "GET", served_path(place) + (dead ? "/status?dead" : "/status")));
  auto opened = open_place(place);
  if (!opened) return print_error(opened.error());
  Database& database = opened->designs->database();
  const auto journal = runtime::journal_status(database, opened->runtime().design().name);
  if (!journal) return print_error(journal.error().message);
  const auto text = runtime::status_json(*journal, database, dead);
  if (!text) return print_error(text.error().message);
  fmt::print("{}", *text);
  return 0;
}

int retry(const DesignPlace& place, const std::string& id) {
  if (!place.at.empty())
    return print_answer(
        send_to_server(place, "POST", served_path(place) + (id.empty() ? "/retry" : "/retry?id=" + id)));
  auto opened = open_place(place);
  if (!opened) return print_error(opened.error());
  const auto count = runtime::retry_dead_letters(opened->designs->database(), opened->runtime().design().name, id);
  if (!count) return print_error(count.error().message);
  fmt::print("{} dead letters will be retried when the design is served\n", *count);
  return *count > 0 || id.empty() ? 0 : 1;
}

int verify(const DesignPlace& place, bool repair) {
  auto opened = open_place(place);
  if (!opened) return print_error(opened.error());
  ServedDesigns& designs = *opened->designs;
  const design::Design& design = opened->runtime().design();
  Database& database = designs.database();
  const Clock& clock = designs.clock();
  const runtime::ItemCodec codec(design, designs.keys(), designs.knows_blobs() ? designs.blobs() : nullptr);
  runtime::ItemForm form(design, database, codec);

  // Work that a crash left unfinished is completed first, unless a server is doing it.
  runtime::Lease lease(database, design.name, place.on.empty());
  const auto held = lease.hold(clock.now_ms());
  if (!held) return print_error(held.error().message);
  if (*held) {
    runtime::StreamTallies tallies(design, database, codec, form);
    const auto drained = tallies.drain(clock.now_ms());
    lease.release();
    if (!drained) return print_error(drained.error().message);
  }
  form.forget_shard_counts();
  const auto counts =
      runtime::verify_design(design, database, codec, clock, {.repair = repair}, [&](const runtime::Fault& fault) {
        fmt::print("{}: {} · {}: {}{}\n", fault.kind, fault.table, fault.item, fault.words,
                   fault.repair.empty() ? "" : fmt::format(" -> {}", fault.repair));
      });
  if (!counts) return print_error(counts.error().message);
  fmt::print("{}: {} items, {} faults{}\n", design.name, counts->items, counts->faults,
             repair ? fmt::format(", {} repaired", counts->repaired) : "");
  if (counts->unchecked > 0)
    fmt::print("{} spilled values were not checked: pass --blobs to say where they are stored\n", counts->unchecked);
  return counts->faults == 0 ? 0 : 1;
}

}  // namespace

void add_upkeep_commands(CLI::App& design, int& exit_status) {
  struct Options {
    DesignPlace place;
    bool dead = false;
    std::string id;
    bool repair = false;
  };
  const auto add = [&](const char* name, const char* about, bool may_be_served) {
    auto options = std::make_shared<Options>();  // shared with the callback, which outlives this call
    CLI::App* command = design.add_subcommand(name, about);
    add_place(*command, options->place, may_be_served);
    return std::pair(command, std::move(options));
  };
  {
    const auto [command, options] = add("status", "Show the progress and backlog of a design's background work", true);
    command->add_flag("--dead", options->dead, "Also show the dead letters of reactions");
    command->callback([options, &exit_status] { exit_status = status(options->place, options->dead); });
  }
  {
    const auto [command, options] = add("retry", "Retry dead letters of reactions", true);
    command->add_option("id", options->id, "ID of a dead letter; the default is all");
    command->callback([options, &exit_status] { exit_status = retry(options->place, options->id); });
  }
  {
    const auto [command, options] = add("verify", "Check every item against the design", false);
    command->add_flag("--repair", options->repair, "Repair the faults");
    command->callback([options, &exit_status] { exit_status = verify(options->place, options->repair); });
  }
}

}  // namespace trestle
