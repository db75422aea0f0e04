// The tables that cases share, created once by run.mjs. Names begin with the run's prefix. Cases use separate keys, so
// that they do not affect each other.
import { prefix } from './endpoint.mjs';

export const name = (suffix) => `${prefix}-${suffix}`;

export const kHash = name('hash'); // pk S
export const kNumberHash = name('number-hash'); // pk N
export const kBinaryHash = name('binary-hash'); // pk B
export const kPair = name('pair'); // pk S, sk S
export const kNumberPair = name('number-pair'); // pk S, sk N
export const kBinaryPair = name('binary-pair'); // pk S, sk B
export const kIndexed = name('indexed'); // pk S, sk S, with every kind of index
export const kCapacity = name('capacity'); // pk S, sk S, one GSI (INCLUDE) and one LSI (ALL)
export const kScan = name('scan'); // pk S, sk N, filled only by scan.test.mjs
export const kAbsent = name('absent'); // never created

const definitions = (types) =>
  Object.entries(types).map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));
export const keySchema = (hash, range) => [
  ...[hash].flat().map((AttributeName) => ({ AttributeName, KeyType: 'HASH' })),
  ...(range === undefined ? [] : [range].flat()).map((AttributeName) => ({ AttributeName, KeyType: 'RANGE' })),
];
export const kAll = { ProjectionType: 'ALL' };
export const kKeysOnly = { ProjectionType: 'KEYS_ONLY' };
export const including = (...names) => ({ ProjectionType: 'INCLUDE', NonKeyAttributes: names });

export function table(TableName, types, hash, range, indexes = {}) {
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: definitions(types),
    KeySchema: keySchema(hash, range),
    ...indexes,
  };
}
export const index = (IndexName, hash, range, Projection) => ({
  IndexName,
  KeySchema: keySchema(hash, range),
  Projection,
});

export const tables = [
  table(kHash, { pk: 'S' }, 'pk'),
  table(kNumberHash, { pk: 'N' }, 'pk'),
  table(kBinaryHash, { pk: 'B' }, 'pk'),
  table(kPair, { pk: 'S', sk: 'S' }, 'pk', 'sk'),
  table(kNumberPair, { pk: 'S', sk: 'N' }, 'pk', 'sk'),
  table(kBinaryPair, { pk: 'S', sk: 'B' }, 'pk', 'sk'),
  table(kScan, { pk: 'S', sk: 'N' }, 'pk', 'sk'),
  table(kIndexed, { pk: 'S', sk: 'S', gh: 'S', gr: 'N', lr: 'S', bh: 'B' }, 'pk', 'sk', {
    GlobalSecondaryIndexes: [
      index('gsi-all', 'gh', 'gr', kAll),
      index('gsi-keys', 'gh', undefined, kKeysOnly),
      index('gsi-include', 'gh', 'gr', including('data')),
      index('gsi-binary', 'bh', undefined, kKeysOnly),
    ],
    LocalSecondaryIndexes: [
      index('lsi-all', 'pk', 'lr', kAll),
      index('lsi-keys', 'pk', 'gr', kKeysOnly),
      index('lsi-include', 'pk', 'gh', including('data')),
    ],
  }),
  table(kCapacity, { pk: 'S', sk: 'S', gh: 'S', lr: 'S' }, 'pk', 'sk', {
    GlobalSecondaryIndexes: [index('gsi', 'gh', undefined, including('shown'))],
    LocalSecondaryIndexes: [index('lsi', 'pk', 'lr', kAll)],
  }),
];
