// The interface between clients and storage: DynamoDB's operations as typed calls.
//
// Implementations: the embedded engine (engine/engine.h) and a remote endpoint (remote/). Thread-safe.
//
// Each operation has two forms. The plain form returns once everything that its response depends on, writes and reads
// alike, is durable.
//
//   TRY_INTO(auto reply, database.put_item({.table_name = "music", .item = song}));
//
// The form with a Call returns as soon as the response is known, possibly before it is durable, so that one thread can
// serve many callers while an fsync is in progress. The caller must not send the response before wait_durable(call)
// returns or when_durable(call, then) calls back. This applies to errors too, because a failed condition reveals the
// item it read.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include "model/backup_requests.h"
#include "model/batch_requests.h"
#include "model/contributor_insights_requests.h"
#include "model/error.h"
#include "model/export_requests.h"
#include "model/global_table_requests.h"
#include "model/item_requests.h"
#include "model/kinesis_destination_requests.h"
#include "model/load_requests.h"
#include "model/page_requests.h"
#include "model/policy_requests.h"
#include "model/replica_auto_scaling_requests.h"
#include "model/statement_requests.h"
#include "model/stream_requests.h"
#include "model/table_requests.h"
#include "model/transact_requests.h"
#include "model/vector_requests.h"

namespace trestle {

// The caller of a request, and the commit that its response must wait for.
struct Call {
  std::string caller;   // access key id; empty if callers are unknown
  std::string region;   // the region in the caller's signature; empty if unknown
  uint64_t commit = 0;  // the newest commit that the response depends on; 0: none
  // Set by a caller that must not wait for the disk but can repeat the call where waiting is allowed. An item operation
  // or a search then reads only data in memory, does not wait for a change of its table, and does not take long. If
  // that is not possible, the call has no effect, needs_disk becomes true, and its response or error is meaningless.
  bool cached_reads_only = false;
  bool needs_disk = false;
  bool needs_lock = false;   // with needs_disk: what the call would have waited for is another thread's lock
  std::string table_name;    // the request's table, as written in the request; for metrics and logs
  double refused_units = 0;  // write units charged for failed conditions, which no response reports
  // The database that executed the call, if several are behind one interface (cli/spaces.h), and the databases to which
  // it belongs. Kept alive until the call is durable.
  std::shared_ptr<void> space = {};
  std::shared_ptr<void> spaces = {};
};

#define TRESTLE_OPERATIONS(OPERATION)                                                    \
  OPERATION(BatchExecuteStatement, batch_execute_statement)                              \
  OPERATION(BatchGetItem, batch_get_item)                                                \
  OPERATION(BatchWriteItem, batch_write_item)                                            \
  OPERATION(CancelBulkOperation, cancel_bulk_operation)                                  \
  OPERATION(CreateBackup, create_backup)                                                 \
  OPERATION(CreateGlobalTable, create_global_table)                                      \
  OPERATION(CreateTable, create_table)                                                   \
  OPERATION(DeleteBackup, delete_backup)                                                 \
  OPERATION(DeleteItem, delete_item)                                                     \
  OPERATION(DeleteResourcePolicy, delete_resource_policy)                                \
  OPERATION(DeleteTable, delete_table)                                                   \
  OPERATION(DescribeBackup, describe_backup)                                             \
  OPERATION(DescribeBulkOperation, describe_bulk_operation)                              \
  OPERATION(DescribeContinuousBackups, describe_continuous_backups)                      \
  OPERATION(DescribeImport, describe_import)                                             \
  OPERATION(DescribeContributorInsights, describe_contributor_insights)                  \
  OPERATION(DescribeGlobalTable, describe_global_table)                                  \
  OPERATION(DescribeGlobalTableSettings, describe_global_table_settings)                 \
  OPERATION(DescribeKinesisStreamingDestination, describe_kinesis_streaming_destination) \
  OPERATION(DescribeExport, describe_export)                                             \
  OPERATION(DescribeLimits, describe_limits)                                             \
  OPERATION(DescribeStream, describe_stream)                                             \
  OPERATION(DescribeTable, describe_table)                                               \
  OPERATION(DescribeTableReplicaAutoScaling, describe_table_replica_auto_scaling)        \
  OPERATION(DescribeTimeToLive, describe_time_to_live)                                   \
  OPERATION(DisableKinesisStreamingDestination, disable_kinesis_streaming_destination)   \
  OPERATION(EnableKinesisStreamingDestination, enable_kinesis_streaming_destination)     \
  OPERATION(ExecuteStatement, execute_statement)                                         \
  OPERATION(ExecuteTransaction, execute_transaction)                                     \
  OPERATION(ExportTableToPointInTime, export_table_to_point_in_time)                     \
  OPERATION(GetItem, get_item)                                                           \
  OPERATION(GetRecords, get_records)                                                     \
  OPERATION(GetResourcePolicy, get_resource_policy)                                      \
  OPERATION(GetShardIterator, get_shard_iterator)                                        \
  OPERATION(ImportTable, import_table)                                                   \
  OPERATION(ListBackups, list_backups)                                                   \
  OPERATION(ListBulkOperations, list_bulk_operations)                                    \
  OPERATION(ListImports, list_imports)                                                   \
  OPERATION(ListContributorInsights, list_contributor_insights)                          \
  OPERATION(ListGlobalTables, list_global_tables)                                        \
  OPERATION(ListExports, list_exports)                                                   \
  OPERATION(ListStreams, list_streams)                                                   \
  OPERATION(ListTables, list_tables)                                                     \
  OPERATION(ListTagsOfResource, list_tags_of_resource)                                   \
  OPERATION(PutItem, put_item)                                                           \
  OPERATION(PutResourcePolicy, put_resource_policy)                                      \
  OPERATION(Query, query)                                                                \
  OPERATION(RestoreTableFromBackup, restore_table_from_backup)                           \
  OPERATION(RestoreTableToPointInTime, restore_table_to_point_in_time)                   \
  OPERATION(Scan, scan)                                                                  \
  OPERATION(SearchVectors, search_vectors)                                               \
  OPERATION(StartBulkPutItems, start_bulk_put_items)                                     \
  OPERATION(TagResource, tag_resource)                                                   \
  OPERATION(TransactGetItems, transact_get_items)                                        \
  OPERATION(TransactWriteItems, transact_write_items)                                    \
  OPERATION(UntagResource, untag_resource)                                               \
  OPERATION(UpdateContinuousBackups, update_continuous_backups)                          \
  OPERATION(UpdateContributorInsights, update_contributor_insights)                      \
  OPERATION(UpdateGlobalTable, update_global_table)                                      \
  OPERATION(UpdateGlobalTableSettings, update_global_table_settings)                     \
  OPERATION(UpdateItem, update_item)                                                     \
  OPERATION(UpdateKinesisStreamingDestination, update_kinesis_streaming_destination)     \
  OPERATION(UpdateTable, update_table)                                                   \
  OPERATION(UpdateTableReplicaAutoScaling, update_table_replica_auto_scaling)            \
  OPERATION(UpdateTimeToLive, update_time_to_live)

class Database {
 public:
  virtual ~Database() = default;

  // Chooses the data that the call will see, if it is executed later by another thread. Pass `space` and `spaces` on to
  // the call there.
  virtual void bind(Call&) {}

  // Blocks until the commit that the response depends on is durable. Fails if that is no longer possible.
  virtual Result<void> wait_durable(const Call& call) = 0;
  // Calls `then` once that commit is durable: on another thread, or immediately on this one.
  virtual void when_durable(const Call& call, std::move_only_function<void(Result<void>)> then) = 0;
  // With relaxed durability, commits are buffered in memory: this call passes them to the operating system, so that
  // they survive the end of the process. Call it before sending responses whose call.commit is 0; one call covers any
  // number of responses. If it fails, the responses must not be sent.
  virtual Result<void> flush_log() { return {}; }

#define TRESTLE_DECLARE(Name, name)                                                  \
  virtual Result<Name##Response> name(const Name##Request& request, Call& call) = 0; \
  Result<Name##Response> name(const Name##Request& request);
  TRESTLE_OPERATIONS(TRESTLE_DECLARE)
#undef TRESTLE_DECLARE
};

}  // namespace trestle
