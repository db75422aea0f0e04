// PutResourcePolicy, GetResourcePolicy and DeleteResourcePolicy. As in DynamoDB, a revision is the time of the change
// in milliseconds. A policy takes effect before the response. In DynamoDB a change takes seconds, during which it
// rejects other changes.
#include <fmt/format.h>

#include <algorithm>

#include "engine/tables/key_definition.h"
#include "engine/tables/table_definition.h"
#include "engine/tables/table_operations.h"

namespace trestle {
namespace {

constexpr std::string_view kNoPolicy = "NO_POLICY";

// The resource that a ResourceArn names.
struct PolicyPlace {
  std::string table_name;
  std::string stream_label;  // empty: the table itself
};

// The current policy.
struct CurrentPolicy {
  std::string_view text;  // empty: none
  int64_t revision_ms = 0;
};

std::vector<std::string_view> parts_of(std::string_view arn) {
  std::vector<std::string_view> parts;
  while (parts.size() < 5) {
    const size_t colon = arn.find(':');
    if (colon == std::string_view::npos) break;
    parts.push_back(arn.substr(0, colon));
    arn.remove_prefix(colon + 1);
  }
  parts.push_back(arn);
  return parts;
}

Result<PolicyPlace> read_place(std::string_view arn, std::string_view region, std::string_view account) {
  if (!arn.starts_with("arn:")) return invalid_parameter(fmt::format("ARNs must start with 'arn:': {}", arn));
  const auto parts = parts_of(arn);
  const auto not_dynamodb = [&] {
    return invalid_parameter(fmt::format("Provided Arn is not a DynamoDB resource arn: {}", arn));
  };
  constexpr std::string_view kTable = "table/";
  if (parts.size() != 6 || parts[2] != "dynamodb" || !parts[5].starts_with(kTable)) return not_dynamodb();
  if (parts[4] != account) {
    return invalid("This action is only supported by accounts that match the resource owner\u2019s account.");
  }
  if (parts[1] != "aws" || parts[3] != region) {
    return invalid_parameter(fmt::format("Invalid resource Arn: {}", arn));
  }
  const std::string_view rest = parts[5].substr(kTable.size());
  const size_t slash = rest.find('/');
  if (slash == 0 || rest.empty()) return not_dynamodb();
  PolicyPlace place{.table_name = std::string(rest.substr(0, slash)), .stream_label = {}};
  if (slash == std::string_view::npos) return place;
  const std::string_view child = rest.substr(slash + 1);
  constexpr std::string_view kStream = "stream/";
  if (child.starts_with("index/")) {
    return invalid_parameter(
        fmt::format("Invalid resource arn provided, only table or stream is accepted. Provided resource arn: {}", arn));
  }
  if (!child.starts_with(kStream) || child.size() == kStream.size()) return not_dynamodb();
  place.stream_label = child.substr(kStream.size());
  return place;
}

Result<std::shared_ptr<const TableVersion>> find_policy_table(const Catalog& catalog, const std::string& name) {
  auto table = catalog.find(name);
  TRY(catalog.check_certain(name));
  if (!table || table->description.status == Status::kCreating) return std::unexpected(table_not_found(name));
  return table;
}

Result<std::shared_ptr<const Stream>> find_policy_stream(const StreamCatalog& streams, std::string_view arn,
                                                         const PolicyPlace& place) {
  auto stream = streams.find(arn);
  if (stream) return stream;
  return failure(ErrorCode::kResourceNotFound,
                 fmt::format("Requested resource not found: Stream: {} not found for Table: {}", place.stream_label,
                             place.table_name));
}

CurrentPolicy current_policy(const TableDescription& table) {
  // Older versions of Trestle stored no revision.
  const int64_t revision_ms = table.resource_policy_ms != 0 ? table.resource_policy_ms : table.created_ms;
  return {.text = table.resource_policy, .revision_ms = revision_ms};
}
CurrentPolicy current_policy(const Stream& stream) {
  return {.text = stream.resource_policy, .revision_ms = stream.resource_policy_ms};
}

std::unexpected<Error> policy_not_found(std::string_view what) {
  return failure(ErrorCode::kPolicyNotFound,
                 fmt::format("Resource-based policy not found for the provided ResourceArn: {}", what));
}

Result<void> check_revision(const CurrentPolicy& current, const std::optional<std::string>& expected,
                            const PolicyPlace& place) {
  if (!expected) return {};
  if (*expected == kNoPolicy) {
    if (current.text.empty()) return {};
    return policy_not_found(fmt::format(
        "Requested policy update expecting none to be present for table {}, but a policy exists with revision id {}.",
        place.table_name, current.revision_ms));
  }
  if (current.text.empty()) {
    return policy_not_found(
        fmt::format("Requested update for policy with revision id {}, but table {} has no associated policy.",
                    *expected, place.table_name));
  }
  if (*expected == std::to_string(current.revision_ms)) return {};
  return policy_not_found(
      fmt::format("Requested update for policy with revision id {}, but the policy associated to target table {} has "
                  "revision id {}.",
                  *expected, place.table_name, current.revision_ms));
}

// The new policy of a resource; empty text removes it.
struct PolicyChange {
  std::string text;
  std::optional<std::string> expected_revision_id;
  int64_t now_ms = 0;
};
struct ChangedPolicy {
  int64_t before_ms = 0;  // revision before the change; 0: no policy
  int64_t after_ms = 0;   // revision after the change; 0: no policy
};

Result<ChangedPolicy> plan_change(const CurrentPolicy& current, const PolicyChange& change, const PolicyPlace& place) {
  TRY(check_revision(current, change.expected_revision_id, place));
  ChangedPolicy changed{.before_ms = current.text.empty() ? 0 : current.revision_ms, .after_ms = 0};
  if (change.text.empty()) return changed;
  // Putting the same policy again does not change its revision.
  changed.after_ms =
      change.text == current.text ? current.revision_ms : std::max(change.now_ms, current.revision_ms + 1);
  return changed;
}

Result<ChangedPolicy> change_policy(Catalog& catalog, std::string_view arn, const PolicyPlace& place,
                                    const PolicyChange& change) {
  ChangedPolicy changed;
  if (place.stream_label.empty()) {
    TRY_INTO(const auto table, find_policy_table(catalog, place.table_name));
    TRY_INTO(changed, plan_change(current_policy(table->description), change, place));
    if (changed.before_ms == changed.after_ms) return changed;
    TRY(catalog.change(place.table_name, [&](TableDescription next) -> Result<TableDescription> {
      const int64_t before_ms = current_policy(next).revision_ms;
      TRY_INTO(changed, plan_change(current_policy(next), change, place));
      next.resource_policy = change.text;
      // The revision of a removed policy is retained, so that the next policy gets a later one.
      next.resource_policy_ms = changed.after_ms != 0 ? changed.after_ms : before_ms;
      return next;
    }));
    return changed;
  }
  TRY(catalog.edit_streams([&](StreamCatalog& streams) -> Result<void> {
    TRY_INTO(const auto stream, find_policy_stream(streams, arn, place));
    TRY_INTO(changed, plan_change(current_policy(*stream), change, place));
    if (changed.before_ms == changed.after_ms) return {};
    return streams.set_policy(stream->id, change.text, changed.after_ms);
  }));
  return changed;
}

}  // namespace

Result<PutResourcePolicyResponse> put_resource_policy(TableParts& parts, const PutResourcePolicyRequest& request,
                                                      Call& call) {
  TRY_INTO(const PolicyPlace place, read_place(request.resource_arn, parts.options.region, parts.options.account));
  if (request.policy.empty()) {
    return invalid_parameter("Invalid policy document: This policy contains invalid Json");
  }
  TRY_INTO(const ChangedPolicy changed, change_policy(*parts.catalog, request.resource_arn, place,
                                                      {.text = request.policy,
                                                       .expected_revision_id = request.expected_revision_id,
                                                       .now_ms = parts.options.clock->now_ms()}));
  call.commit = parts.catalog->streams().commit_seen();
  return PutResourcePolicyResponse{.revision_id = std::to_string(changed.after_ms)};
}

Result<DeleteResourcePolicyResponse> delete_resource_policy(TableParts& parts,
                                                            const DeleteResourcePolicyRequest& request, Call& call) {
  TRY_INTO(const PolicyPlace place, read_place(request.resource_arn, parts.options.region, parts.options.account));
  TRY_INTO(const ChangedPolicy changed,
           change_policy(*parts.catalog, request.resource_arn, place,
                         {.text = {}, .expected_revision_id = request.expected_revision_id, .now_ms = 0}));
  call.commit = parts.catalog->streams().commit_seen();
  DeleteResourcePolicyResponse response;
  if (changed.before_ms != 0) response.revision_id = std::to_string(changed.before_ms);
  return response;
}

Result<GetResourcePolicyResponse> get_resource_policy(TableParts& parts, const GetResourcePolicyRequest& request,
                                                      Call& call) {
  TRY_INTO(const PolicyPlace place, read_place(request.resource_arn, parts.options.region, parts.options.account));
  const auto reply = [&](const CurrentPolicy& current) -> Result<GetResourcePolicyResponse> {
    if (current.text.empty()) return policy_not_found(request.resource_arn);
    return GetResourcePolicyResponse{.policy = std::string(current.text),
                                     .revision_id = std::to_string(current.revision_ms)};
  };
  if (place.stream_label.empty()) {
    TRY_INTO(const auto table, find_policy_table(*parts.catalog, place.table_name));
    return reply(current_policy(table->description));
  }
  TRY_INTO(const auto stream, find_policy_stream(parts.catalog->streams(), request.resource_arn, place));
  call.commit = parts.catalog->streams().commit_seen();
  return reply(current_policy(*stream));
}

}  // namespace trestle
