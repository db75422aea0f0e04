#include "copy/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "copy/definition.h"
#include "copy/extra_items.h"
#include "copy/key_names.h"
#include "copy/progress.h"
#include "copy/scan.h"
#include "copy/verify.h"

namespace trestle::copy {
namespace {

constexpr int64_t kSegmentBytes = int64_t{32} << 20;
constexpr int64_t kSegmentsMax = 1024;

// A table of the copy, as it is on both sides.
struct Table {
  std::string source, target;  // names
  Definition definition;
  std::optional<Definition> at_target = {};  // nothing: the target does not have the table
};

class Copy {
 public:
  Copy(const CopyOptions& options, const CopySides& sides, Stop& stop)
      : options_(options),
        source_(sides.source),
        target_(sides.target),
        stop_(stop),
        pace_{.stop = stop,
              .patience = {.longest_ms = options.patience_ms},
              .write_units = Rate(options.write_units_per_second),
              .items = Rate(options.items_per_second),
              .read_units = Rate(options.read_units_per_second)},
        writer_(target_, pace_) {}

  Result<int> run() {
    TRY(find_tables());
    if (options_.verify_only) return verify();
    TRY(open_state());
    TRY(prepare());
    TRY(scan());
    TRY(remove_extra());
    TRY(follow());
    TRY(finish_tables());
    return options_.verify ? verify() : Result<int>(kDone);
  }
  // Saves the state; to be called after an interruption too.
  Result<void> save() { return state_ != nullptr ? state_->save() : Result<void>(); }
  void say(const std::string& line) { progress_.say(line); }
  std::string state_path() const { return state_ != nullptr ? state_->path() : std::string(); }

 private:
  Result<void> find_tables();
  Result<void> open_state();
  Result<void> prepare();
  Result<void> create(Table& table);
  Result<bool> has_items(const Table& table);
  const TableState* discarded_state_of(const Table& table) const;
  Result<void> begin(Table& table);
  Result<std::optional<StreamState>> find_stream(Table& table);
  Result<void> scan();
  Result<void> remove_extra();
  Result<void> follow();
  Result<void> finish_tables();
  Result<int> verify();

  std::optional<TableState> state_of(const Table& table) const;

  const CopyOptions& options_;
  Database& source_;
  Database& target_;
  Stop& stop_;
  const SystemClock clock_ = {};
  Pace pace_;
  TargetWriter writer_;
  Progress progress_;
  std::vector<Table> tables_;
  std::unique_ptr<StateFile> state_;
};

std::unexpected<Error> refused(const std::string& words) { return invalid(words); }

Result<std::vector<std::string>> names_at(Database& database) {
  std::vector<std::string> names;
  ListTablesRequest request;
  do {
    TRY_INTO(const auto page, database.list_tables(request));
    names.insert(names.end(), page.table_names.begin(), page.table_names.end());
    request.exclusive_start_table_name = page.last_evaluated_table_name;
  } while (request.exclusive_start_table_name);
  return names;
}

Result<void> Copy::find_tables() {
  std::vector<std::string> names = options_.tables;
  if (names.empty()) {
    TRY_INTO(names, names_at(source_));
  }
  if (names.empty()) return refused(fmt::format("{} has no tables", options_.from));
  std::string differences;
  for (const std::string& name : names) {
    const size_t equals = name.find('=');
    Table table{.source = name.substr(0, equals),
                .target = equals == std::string::npos ? name : name.substr(equals + 1),
                .definition = {}};
    TRY_INTO(auto definition, read_definition(source_, table.source));
    if (!definition) return refused(fmt::format("{} has no table {}", options_.from, table.source));
    table.definition = std::move(*definition);
    TRY_INTO(table.at_target, read_definition(target_, table.target));
    if (!table.at_target && options_.verify_only) {
      return refused(fmt::format("{} has no table {}", options_.to, table.target));
    }
    if (table.at_target && table.at_target->id() == table.definition.id() &&
        table.at_target->table.created_ms == table.definition.table.created_ms) {
      return refused(fmt::format("{} is the same table at the source and at the target", table.source));
    }
    if (table.at_target) {
      for (const std::string& words : differences_of(table.definition, *table.at_target)) {
        const bool is_key = words.starts_with("the key is");
        if (is_key || !options_.any_indexes) differences += fmt::format("\n  {}: {}", table.source, words);
      }
    }
    tables_.push_back(std::move(table));
  }
  if (differences.empty()) return {};
  return refused(fmt::format(
      "tables differ, and existing tables are not altered (--any-indexes allows different indexes, but not keys):{}",
      differences));
}

Result<void> Copy::open_state() {
  const std::string path =
      options_.state.empty() ? default_state_name(options_.from, options_.to, options_.tables) : options_.state;
  TRY_INTO(state_, StateFile::open(path, options_.from, options_.to, options_.restart));
  return {};
}

std::optional<TableState> Copy::state_of(const Table& table) const {
  for (const TableState& table_state : state_->read().tables) {
    if (table_state.source == table.source && table_state.target == table.target) return table_state;
  }
  return std::nullopt;
}

// Everything that must be done before the first item is read.
Result<void> Copy::prepare() {
  int64_t items_before = 0;
  for (Table& table : tables_) {
    const auto known = state_of(table);
    if (!known) {
      TRY(begin(table));
      continue;
    }
    if (!table.at_target || known->source_id != table.definition.id() || known->target_id != table.at_target->id()) {
      return refused(
          fmt::format("the table {} has been created again since the copy began ({}): --restart copies it again",
                      table.source, state_->path()));
    }
    const bool has_stream = table.definition.table.stream.has_value() || options_.enable_stream;
    if (!known->stream && has_stream && !options_.once) {
      return refused(fmt::format(
          "the copy of {} was started with --once, or before the table had a stream ({}), so changes since then are "
          "unknown: --once continues without them, --restart copies again and follows the stream",
          table.source, state_->path()));
    }
    if (known->scanned() && !known->stream && !options_.verify) {
      say(fmt::format("{}: copied before; --restart copies again", table.source));
    }
    items_before += known->items();
  }
  for (const TableState& known : state_->read().tables) {
    const auto same = [&](const Table& table) { return table.source == known.source && table.target == known.target; };
    if (std::ranges::none_of(tables_, same)) {
      return refused(
          fmt::format("{} contains the table {}, which is not among those to copy: use another --state, or "
                      "--restart",
                      state_->path(), known.source));
    }
  }
  TRY(state_->save());
  if (items_before > 0) {
    say(fmt::format("resuming: {} items were copied before ({})", with_thousands(items_before), state_->path()));
  } else {
    say(fmt::format("the state of this copy is in {}: run the same command again to resume", state_->path()));
  }
  return {};
}

// The state of an earlier copy into the same table, which --restart discarded.
const TableState* Copy::discarded_state_of(const Table& table) const {
  for (const TableState& table_state : state_->discarded().tables) {
    if (table_state.source == table.source && table_state.target == table.target && table.at_target &&
        table_state.target_id == table.at_target->id())
      return &table_state;
  }
  return nullptr;
}

Result<void> Copy::begin(Table& table) {
  const TableState* before = discarded_state_of(table);
  bool has_own_items = false, has_other_items = false;
  if (table.at_target) {
    TRY_INTO(const bool any, has_items(table));
    has_own_items = any && before != nullptr && !before->overwrites && !options_.overwrite;
    has_other_items = any && !has_own_items;
    if (has_other_items && !options_.overwrite && before == nullptr) {
      return refused(
          fmt::format("the table {} at the target has items already: --overwrite copies over them", table.target));
    }
  } else {
    TRY(create(table));
  }
  TRY_INTO(auto stream, find_stream(table));
  const TableDescription& description = table.definition.table;
  const int64_t by_size = std::clamp<int64_t>(description.size_bytes / kSegmentBytes, options_.threads, kSegmentsMax);
  TableState state{.source = table.source,
                   .target = table.target,
                   .source_id = table.definition.id(),
                   .target_id = table.at_target->id(),
                   .started_ms = clock_.now_ms(),
                   .overwrites = has_other_items,
                   .removes = has_own_items};
  state.segments.resize(options_.segments != 0 ? options_.segments : static_cast<size_t>(by_size));
  state.stream = std::move(stream);
  state_->change([&](CopyState& all) { all.tables.push_back(std::move(state)); });
  return {};
}

Result<void> Copy::create(Table& table) {
  const auto created =
      target_.create_table(creation_of(table.definition, {.name = table.target, .on_demand = options_.on_demand}));
  if (!created)
    return refused(fmt::format("{} cannot be created at the target: {}", table.target, created.error().message));
  TRY_INTO(auto description, wait_active(target_, table.target, stop_));
  table.at_target = Definition{.table = std::move(description)};
  const size_t indexes = table.definition.table.indexes.size() + table.definition.table.vector_indexes.size();
  say(fmt::format("{}: created at the target, with {} index{}", table.target, indexes, indexes == 1 ? "" : "es"));
  return {};
}

Result<bool> Copy::has_items(const Table& table) {
  ScanRequest request;
  request.table_name = table.target;
  request.limit = 1;
  request.consistent_read = true;
  TRY_INTO(const auto page, target_.scan(request));
  return !page.items.empty();
}

Result<std::optional<StreamState>> Copy::find_stream(Table& table) {
  if (options_.once) return std::nullopt;
  if (!table.definition.table.stream && options_.enable_stream) {
    UpdateTableRequest request{.table_name = table.source};
    request.stream = StreamSpecification{.enabled = true, .view_type = StreamViewType::kNewAndOldImages};
    TRY(source_.update_table(request));
    TRY_INTO(table.definition.table, wait_active(source_, table.source, stop_));
    say(fmt::format("{}: its stream is enabled, and stays enabled", table.source));
  }
  if (!table.definition.table.stream) {
    say(fmt::format("{}: has no stream, so later changes are not copied (--enable-stream enables one)", table.source));
    return std::nullopt;
  }
  TRY_INTO(auto stream, note_stream(source_, table.source, clock_.now_ms()));
  return stream;
}

Result<void> Copy::scan() {
  const ScanProgress before = scan_progress(state_->read());
  if (before.segments_left == 0) return {};
  Figures figures;
  for (const Table& table : tables_) figures.items_total += table.definition.table.item_count;
  progress_.begin("copy", before.items);
  Result<void> saved;
  const auto tick = [&] {
    const ScanProgress now = scan_progress(state_->read());
    figures.items = now.items;
    figures.bytes = now.bytes;
    progress_.show(figures);
    if (auto done = state_->save_now_and_then(); !done) saved = std::move(done);
  };
  TRY(scan_tables({.source = source_, .writer = writer_, .pace = pace_, .state = *state_, .threads = options_.threads},
                  tick));
  TRY(saved);
  TRY(state_->save());
  const ScanProgress now = scan_progress(state_->read());
  say(fmt::format(
      "copied: {} items, {}{}", with_thousands(now.items), bytes_text(now.bytes),
      before.items > 0 ? fmt::format(" ({} of them in this run)", with_thousands(now.items - before.items)) : ""));
  return {};
}

// The earlier run of a restarted copy may have left items that the source has deleted since.
Result<void> Copy::remove_extra() {
  const CopyState state = state_->read();
  for (size_t i = 0; i < state.tables.size(); ++i) {
    const TableState& table_state = state.tables[i];
    if (!table_state.removes) continue;
    const auto table = std::ranges::find_if(
        tables_, [&](const Table& t) { return t.source == table_state.source && t.target == table_state.target; });
    std::atomic<int64_t> items = 0;
    progress_.begin(fmt::format("compare {}", table_state.target), 0);
    TRY_INTO(const int64_t removed, remove_extra_items({.source = source_,
                                                        .target = target_,
                                                        .writer = writer_,
                                                        .pace = pace_,
                                                        .source_table = table_state.source,
                                                        .target_table = table_state.target,
                                                        .key_names = key_names(table->definition.table.key),
                                                        .segments = table_state.segments.size(),
                                                        .threads = options_.threads,
                                                        .items = items},
                                                       [&] { progress_.show({.items = items.load()}); }));
    say(fmt::format("{}: {} items that the source no longer has were removed", table_state.target,
                    with_thousands(removed)));
    state_->change([&](CopyState& all) { all.tables[i].removes = false; });
    TRY(state_->save());
  }
  return {};
}

Result<void> Copy::follow() {
  if (options_.once) return {};
  const FollowParts parts{.source = source_,
                          .writer = writer_,
                          .pace = pace_,
                          .state = *state_,
                          .clock = clock_,
                          .threads = options_.threads};
  progress_.begin("follow", 0);
  int64_t records = 0;
  const auto tick = [&](const FollowProgress& now) {
    records = now.records;
    progress_.show(
        {.items = now.records, .note = fmt::format("{:.1f} s behind", static_cast<double>(now.lag_ms) / 1000)});
  };
  const bool any = std::ranges::any_of(state_->read().tables, [](const TableState& t) { return t.stream.has_value(); });
  if (!any) return {};
  say("following the streams");
  TRY(follow_tables(parts, options_.follow, stop_, {.tick = tick, .say = [&](const std::string& line) { say(line); }}));
  TRY(state_->save());
  say(fmt::format("cut over: {} changes were applied; the target is complete", with_thousands(records)));
  return {};
}

Result<void> Copy::finish_tables() {
  for (const Table& table : tables_) {
    TRY_INTO(const auto words, enable_settings(table.definition, target_, table.target, options_.with_stream, stop_));
    for (const std::string& line : words) say(fmt::format("{}: {}", table.target, line));
  }
  return {};
}

Result<int> Copy::verify() {
  stop_.tolerate(stop_.requests());
  bool same = true;
  for (const Table& table : tables_) {
    TRY_INTO(const auto there, read_definition(target_, table.target));
    if (!there) return refused(fmt::format("the table {} no longer exists at the target", table.target));
    std::atomic<int64_t> items = 0;
    progress_.begin(fmt::format("verify {}", table.source), 0);
    const int64_t total = table.definition.table.item_count + there->table.item_count;
    TRY_INTO(const VerifyReport report,
             verify_table({.source = {source_, table.definition},
                           .target = {target_, *there},
                           .pace = pace_,
                           .now_ms = clock_.now_ms(),
                           .threads = options_.threads,
                           .shown_max = options_.differences_max,
                           .items = items},
                          [&] { progress_.show({.items = items.load(), .items_total = total}); }));
    for (const std::string& line : report_lines(table.source, report)) say(line);
    same &= report.differences == 0;
  }
  return same ? kDone : kDifferent;
}

}  // namespace

int run_copy(const CopyOptions& options, const CopySides& sides, Stop& stop) {
  Copy copy(options, sides, stop);
  const auto ended = copy.run();
  const auto saved = copy.save();
  if (!ended.has_value() && stop.is_requested()) {
    const std::string path = copy.state_path();
    copy.say(path.empty() ? "stopped" : fmt::format("stopped; run the same command again to resume ({})", path));
    return kStopped;
  }
  if (!ended.has_value() || !saved.has_value()) {
    fmt::print(stderr, "trestle copy: {}\n", (ended.has_value() ? saved.error() : ended.error()).message);
    return kFailed;
  }
  return *ended;
}

}  // namespace trestle::copy
