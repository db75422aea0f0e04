// The operations that a benchmark measures, each with the request that it repeats.
//   get, put, update, put-if     one random item of the plain table (pk)
//   hot                          like update, but always the same item
//   batch                        BatchWriteItem of 25 items
//   scan                         a Scan page of 100 items from a random position
//   transact-write4              TransactWriteItems of 4 puts; each connection uses separate items, since
//                                transactions on the same item conflict; a connection without items is idle
//   transact-get4                TransactGetItems of 4 items
//   partiql                      a SELECT of one random item of the plain table
//   get-records                  100 records of a stream, from the beginning of a shard; the table is plain,
//                                with a stream
//   query10, query100            the first 10 or all 100 items of a random partition of the ranged table (pk, sk)
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bench/load_loop.h"
#include "bench/request_template.h"

namespace trestle::bench {

enum class TableKind { kPlain, kRanged, kStreamed };

// The size and number of items. The tables are named `table`, `table`-ranged and `table`-streamed.
struct DataShape {
  std::string table;
  uint64_t items = 1000;
  size_t item_bytes = 200;
  std::string shard_iterator = {};  // in the table with a stream
};

std::string table_name(const DataShape& data, TableKind kind);
// The size of the data attribute at which an item has the requested size, as DynamoDB counts it.
size_t data_bytes(const DataShape& data, TableKind kind);
// A BatchWriteItem body for 25 consecutive items.
inline constexpr uint64_t kBatchItems = 25;
inline constexpr uint64_t kTransactItems = 4;
std::string batch_body(const DataShape& data, TableKind kind);

struct Workload {
  std::string_view name;
  std::string_view operation;
  TableKind table;
  std::string (*body)(const DataShape& data);
};

std::span<const Workload> workloads();
const Workload* find_workload(std::string_view name);

// Repeats one workload over random keys.
class WorkloadSource final : public RequestSource {
 public:
  WorkloadSource(const Workload& workload, const RequestContext& context, const DataShape& data, uint64_t seed);
  std::string_view next(size_t connection) override;
  bool accept(size_t connection, const Response& response) override;

 private:
  RequestTemplate request_;
  Random random_;
  const uint64_t items_;
  const bool batch_;
  const bool uses_separate_items_;  // for each connection
};

}  // namespace trestle::bench
