// DynamoDB's published limits. Sizes are in bytes as DynamoDB counts them (model/value.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace trestle {

inline constexpr size_t kItemBytesMax = 400 * 1024;
// DynamoDB's messages for an item that is too large and for an update that would produce one.
inline constexpr const char* kItemTooLarge = "Item size has exceeded the maximum allowed size";
inline constexpr const char* kUpdatedItemTooLarge = "Item size to update has exceeded the maximum allowed size";
inline constexpr size_t kReadUnitBytes = 4096;  // for consistent reads; other reads cost half a unit
inline constexpr size_t kWriteUnitBytes = 1024;
inline constexpr size_t kNameLengthMin = 3;  // of tables, indexes and backups
inline constexpr size_t kNameLengthMax = 255;
inline constexpr size_t kHashKeyBytesMax = 2048;
inline constexpr size_t kRangeKeyBytesMax = 1024;
inline constexpr size_t kAttributeNameBytesMax = 65535;
inline constexpr size_t kDefinedNameLengthMax = 255;  // of attributes that a table definition names
inline constexpr unsigned kNestingDepthMax = 32;
inline constexpr size_t kPageBytesMax = 1024 * 1024;
inline constexpr size_t kBatchReplyBytesMax = 16 * 1024 * 1024;
inline constexpr size_t kBatchGetKeysMax = 100;
inline constexpr size_t kBatchWriteRequestsMax = 25;
inline constexpr size_t kTransactionItemsMax = 100;
inline constexpr size_t kTransactionBytesMax = 4 * 1024 * 1024;
inline constexpr size_t kRequestTokenLengthMax = 36;
inline constexpr size_t kExpressionBytesMax = 4096;
inline constexpr size_t kExpressionOperatorsMax = 300;
inline constexpr size_t kInOperandsMax = 100;
inline constexpr size_t kStatementLengthMax = 8192;
inline constexpr size_t kBatchStatementsMax = 25;
inline constexpr size_t kGlobalIndexesMax = 20;
inline constexpr size_t kLocalIndexesMax = 5;
inline constexpr size_t kProjectedAttributesMax = 100;
inline constexpr size_t kKeyAttributesMax = 4;  // per key type of a global index
inline constexpr size_t kVectorIndexesMax = 5;
inline constexpr int64_t kVectorDimensionsMax = 4096;
inline constexpr size_t kInlineFiltersMax = 18;  // per vector index
inline constexpr int64_t kTopKMax = 100;
inline constexpr size_t kSearchReplyBytesMax = 16 * 1024 * 1024;
inline constexpr size_t kTagsMax = 50;
inline constexpr size_t kTablesMax = 2500;
inline constexpr int64_t kTablesPerPage = 100;  // of ListTables
inline constexpr int64_t kImportsPerPage = 25;
inline constexpr int64_t kExportsPerPage = 25;
inline constexpr size_t kRestoresMax = 50;         // concurrent
inline constexpr size_t kStreamRecordsMax = 1000;  // per GetRecords
inline constexpr int64_t kStreamListMax = 100;     // streams per ListStreams, shards per DescribeStream
inline constexpr size_t kArnLengthMin = 37;        // of streams, backups, exports and other things of a table
inline constexpr size_t kArnLengthMax = 1024;
inline constexpr size_t kPolicyResourceLengthMax = 1283;
inline constexpr size_t kPolicyBytesMax = 20'480;
inline constexpr size_t kKmsKeyIdLengthMax = 2048;  // of exports and bulk puts
inline constexpr size_t kScanSegmentsMax = 1'000'000;

}  // namespace trestle
