// The encoding of a table's description in the catalog: tagged fields, so that later versions can add fields.
//
//   table   := 01 (format), field*
//   field   := varint tag, sized payload             sized := varint length, bytes
//   integer := zigzag varint                         flag := 01 (a false flag is omitted)
//   text    := the bytes of the payload
//
// A field with its default value (empty, zero, false, absent) is omitted. A repeated field occurs once per element, in
// order. Fields are written in ascending order of tag and accepted in any order.
//
//   tag  payload                                     tag  payload
//   01   text      name                              0F   integer   throughput decreases today
//   02   text      id                                10   limits    on-demand
//   03   text      ARN                               11   limits    warm
//   04   code      status                            12   flag      deletion protection
//   05   integer   created, ms                       13   code      table class
//   06   attribute definition, repeated              14   integer   table class changed, ms
//   07   key                                         15   sse
//   08   index (nested fields), repeated             16   code      stream view type
//   09   code      billing mode                      17   text      stream label
//   0A   integer   pay per request since, ms         18   text      time to live attribute
//   0B   flag      billing summary shown             19   sized key, sized value: tag, repeated
//   0C   units     throughput                        1A   text      resource policy
//   0D   integer   throughput increased, ms          1B   integer   keyspace
//   0E   integer   throughput decreased, ms          1C   integer enabled ms, integer days: point in time recovery
//   1E   integer   history keyspace                  1D   sized backup ARN, sized table ARN, integer ms: being restored
//   20   insights                                    21   vector index (nested fields), repeated
//   1F   integer   resource policy put, ms
//
//   index fields: 01 text name, 02 flag global, 03 key, 04 code projection type, 05 text non-key attribute (repeated),
//                06 code status, 07 flag backfilling, 08 units throughput, 09 limits on-demand, 0A limits warm,
//                0B integer keyspace, 0C integer throughput increased ms, 0D integer throughput decreased ms,
//                0E integer throughput decreases today, 10 insights
//
//   vector index fields: 01 text name, 02 text vector attribute, 03 integer dimensions, 04 code distance function,
//                05 attribute, 01 HASH | 00 INLINE_FILTER: search schema (repeated), 06 code projection type,
//                07 text non-key attribute (repeated), 08 code status, 09 code backfilling 00 false 01 true,
//                0A integer keyspace
//
//   attribute := sized name, 'S' | 'N' | 'B'
//   key       := varint count, hash attribute*, varint count, range attribute*
//   units     := integer read, integer write
//   limits    := 01 read | 02 write | 03 both, then the integers present
//   insights  := 00 disabled | 01 enabled, 00 accessed and throttled keys | 01 throttled keys,
//                integer enabled ms, integer updated ms
//   sse       := 00 absent | 01 disabled | 02 enabled, sized type, sized key id
//   code      := status 00 CREATING 01 UPDATING 02 DELETING 03 ACTIVE; billing 00 PROVISIONED 01 PAY_PER_REQUEST;
//                projection 00 ALL 01 KEYS_ONLY 02 INCLUDE; class 00 STANDARD 01 STANDARD_INFREQUENT_ACCESS;
//                stream 00 KEYS_ONLY 01 NEW_IMAGE 02 OLD_IMAGE 03 NEW_AND_OLD_IMAGES;
//                distance function 00 COSINE 01 DOT_PRODUCT 02 EUCLIDEAN
//
// A table's counts and sizes are stored elsewhere, and an index's ARN is derived from the table's ARN. An unknown tag
// is an error: acting on an incomplete description could lose data.
//
// These bytes are on disk: never change a code, only add one. Vectors: docs/formats.md, table_encoding_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "model/error.h"
#include "model/table.h"

namespace trestle {

std::string encode_table(const TableDescription& table);
Result<TableDescription> decode_table(std::string_view bytes);

}  // namespace trestle
