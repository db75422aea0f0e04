#include "server/operations.h"

#include <algorithm>
#include <array>
#include <concepts>

#include "access/admission.h"
#include "model/item_operations.h"
#include "protocol/shapes/server_json.h"
#include "protocol/tables/describe_endpoints_json.h"

namespace trestle {
namespace {

template <class Request>
void note_table(const Request& request, Call& call) {
  if constexpr (requires { call.table_name = request.table_name; }) call.table_name = request.table_name;
}

// Runs a request if it is admitted.
template <class Request, class Run>
auto call_admitted(const Request& request, Admission* admission, Run run) -> decltype(run(request)) {
  if (admission != nullptr) TRY(admission->admit(request));
  return run(request);
}

// Statements that access control refuses get their errors individually; the others run.
template <class Run>
Result<BatchExecuteStatementResponse> call_admitted(const BatchExecuteStatementRequest& request, Admission* admission,
                                                    Run run) {
  if (admission == nullptr) return run(request);
  std::vector<std::optional<Error>> refused = admission->admit_each(request);
  BatchExecuteStatementRequest rest{.statements = {}, .return_consumed_capacity = request.return_consumed_capacity};
  for (size_t i = 0; i < refused.size(); ++i) {
    if (!refused[i]) rest.statements.push_back(request.statements[i]);
  }
  if (rest.statements.size() == refused.size()) return run(request);
  BatchExecuteStatementResponse answer;
  if (!rest.statements.empty()) {
    TRY_INTO(answer, run(rest));
  }
  for (size_t i = 0; i < refused.size(); ++i) {
    if (!refused[i]) continue;
    BatchStatementResponse response;
    response.error = std::move(refused[i]);
    answer.responses.insert(answer.responses.begin() + static_cast<std::ptrdiff_t>(i), std::move(response));
  }
  return answer;
}

#define TRESTLE_RUN(Name, name)                                                                                      \
  Result<void> run_##name(Database& database, JsonInput input, Call& call, Admission* admission, std::string& out) { \
    TRY_INTO(const Name##Request request, read_##name##_json(input));                                                \
    note_table(request, call);                                                                                       \
    const auto run = [&](const Name##Request& admitted) { return database.name(admitted, call); };                   \
    TRY_INTO(const Name##Response response, call_admitted(request, admission, run));                                 \
    write_##name##_json(response, out);                                                                              \
    return {};                                                                                                       \
  }
TRESTLE_OPERATIONS(TRESTLE_RUN)
#undef TRESTLE_RUN

// An operation that does not read items and is not named like a read is assumed to change tables, so that a new one
// cannot block an event loop.
template <class Request>
constexpr Work work_of(std::string_view name) {
  if (std::same_as<Request, SearchVectorsRequest>) return Work::kSearch;
  if (kReadsItems<Request>) return Work::kItems;
  for (const std::string_view reads : {"Get", "Describe", "List"}) {
    if (name.starts_with(reads)) return Work::kItems;
  }
  return Work::kTableChange;
}

#define TRESTLE_ROW(Name, name) Operation{#Name, work_of<Name##Request>(#Name), run_##name},
// Sorted by name.
constexpr auto kOperations = [] {
  auto rows = std::to_array<Operation>({TRESTLE_OPERATIONS(TRESTLE_ROW)});
  std::sort(rows.begin(), rows.end(), [](const Operation& a, const Operation& b) { return a.name < b.name; });
  return rows;
}();
#undef TRESTLE_ROW

}  // namespace

const Operation* find_operation(std::string_view name) {
  const auto it = std::lower_bound(kOperations.begin(), kOperations.end(), name,
                                   [](const Operation& row, std::string_view wanted) { return row.name < wanted; });
  return it != kOperations.end() && it->name == name ? &*it : nullptr;
}

bool is_dynamodb_service(std::string_view service) {
  return service == "DynamoDB_20120810" || service == "DynamoDB_20111205" || service == "DynamoDBStreams_20120810";
}

}  // namespace trestle
