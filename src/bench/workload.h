// The operations a benchmark measures, each as the request it repeats.
//   get, put, update, put-if     one random item of the plain table (pk)
//   hot                          the same update, always of the same item
//   batch                        BatchWriteItem of 25 items
//   scan                         a Scan page of 100 items from a random place
//   transact-write4              TransactWriteItems of 4 puts; each connection uses separate items, since
//                                transactions on one item conflict; a connection without items idles
//   transact-get4                TransactGetItems of 4 items
//   partiql                      a SELECT of one random item of the plain table
//   get-records                  100 records of a stream, from the beginning of a shard; its table is plain,
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

// How large the items are and how many; their tables are named `table`, `table`-ranged and `table`-streamed.
struct DataShape {
  std::string table;
  uint64_t items = 1000;
  size_t item_bytes = 200;
  std::string shard_iterator = {};  // of the table with a stream
};

std::string table_name(const DataShape& data, TableKind kind);
// The width of the data attribute that makes an item of the asked size, as DynamoDB counts it.
size_t data_bytes(const DataShape& data, TableKind kind);
// A BatchWriteItem body for 25 items that follow one another.
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

// Repeats one workload over random keys for as long as the loop asks.
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
  const bool apart_;  // each connection uses separate items
};

}  // namespace trestle::bench
