#include "copy/state.h"

#include <fmt/format.h>

#include "protocol/client/client_input.h"
#include "protocol/client/client_json.h"
#include "protocol/client/client_output.h"

namespace trestle::copy {
namespace {

constexpr int64_t kFormat = 1;

void write_position(JsonOutput& json, const ShardPosition& position) {
  json.begin_object();
  if (!position.sequence_number.empty()) put(json, "SequenceNumber", position.sequence_number);
  put_flag(json, "Ended", position.ended);
  json.end_object();
}

void write_stream(JsonOutput& json, const StreamState& stream) {
  json.begin_object();
  put(json, "Label", stream.label);
  put(json, "FollowedMs", stream.followed_ms);
  put(json, "Records", stream.records);
  json.key("Shards").begin_object();
  for (const auto& [name, position] : stream.shards) {
    json.key_escaped(name);
    write_position(json, position);
  }
  json.end_object();
  json.end_object();
}

void write_table(JsonOutput& json, const TableState& table) {
  put(json, "Source", table.source);
  put(json, "Target", table.target);
  put(json, "SourceId", table.source_id);
  put(json, "TargetId", table.target_id);
  put(json, "StartedMs", table.started_ms);
  put_flag(json, "Overwrites", table.overwrites);
  put_flag(json, "Removes", table.removes);
  put_list(json, "Segments", table.segments, [](JsonOutput& out, const SegmentState& segment) {
    put_flag(out, "Done", segment.done);
    put(out, "Cursor", segment.cursor);
    put(out, "Items", segment.items);
    put(out, "Bytes", segment.bytes);
  });
  if (!table.stream) return;
  json.key("Stream");
  write_stream(json, *table.stream);
}

Result<void> read_stream(JsonElement json, StreamState& stream) {
  const auto read_shards = [&](JsonElement shards) -> Result<void> {
    TRY_INTO(const JsonInput map, json_map(shards, "java.lang.Object"));
    for (const JsonMember member : map) {
      ShardPosition& position = stream.shards[std::string(member.name)];
      TRY(take_members(member.value, into("SequenceNumber", position.sequence_number), into("Ended", position.ended)));
    }
    return {};
  };
  return take_members(json, into("Label", stream.label), into("FollowedMs", stream.followed_ms),
                      into("Records", stream.records), into("Shards", read_shards));
}

Result<void> read_table(JsonElement json, TableState& table) {
  const auto read_segments = [&](JsonElement list) -> Result<void> {
    TRY_INTO(const JsonArray array, json_list(list));
    for (const JsonElement element : array) {
      SegmentState& segment = table.segments.emplace_back();
      TRY(take_members(element, into("Done", segment.done), into("Cursor", segment.cursor),
                       into("Items", segment.items), into("Bytes", segment.bytes)));
    }
    return {};
  };
  return take_members(json, into("Source", table.source), into("Target", table.target),
                      into("SourceId", table.source_id), into("TargetId", table.target_id),
                      into("StartedMs", table.started_ms), into("Overwrites", table.overwrites),
                      into("Removes", table.removes), into("Segments", read_segments),
                      into("Stream", [&](JsonElement stream) { return read_stream(stream, table.stream.emplace()); }));
}

}  // namespace

std::string state_text(const CopyState& state) {
  std::string text;
  JsonOutput json(text);
  json.begin_object();
  put(json, "Format", kFormat);
  put(json, "From", state.from);
  put(json, "To", state.to);
  put_list(json, "Tables", state.tables, write_table);
  json.end_object();
  text.push_back('\n');
  return text;
}

Result<CopyState> read_state(std::string_view text) {
  CopyState state;
  int64_t format = 0;
  const auto read_tables = [&](JsonElement list) -> Result<void> {
    TRY_INTO(const JsonArray array, json_list(list));
    for (const JsonElement element : array) TRY(read_table(element, state.tables.emplace_back()));
    return {};
  };
  TRY_INTO(const JsonInput input, parse_reply(text));
  TRY(take_members(input, into("Format", format), into("From", state.from), into("To", state.to),
                   into("Tables", read_tables)));
  if (format != kFormat)
    return invalid(fmt::format("its format is {}, but this program only knows {}", format, kFormat));
  return state;
}

}  // namespace trestle::copy
