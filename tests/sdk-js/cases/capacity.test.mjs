// ReturnConsumedCapacity and ReturnItemCollectionMetrics: exact units.
import { before } from 'node:test';
import { call } from '../harness/client.mjs';
import { runCases } from '../harness/cases.mjs';
import { absent, exact } from '../harness/match.mjs';
import { kCapacity, kHash, kPair } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: value });
// An item of kHash with a size of exactly `bytes` bytes.
const sized = (pk, bytes) => ({ pk: S(pk), v: S('x'.repeat(bytes - 2 - pk.length - 1)) });
const total = (TableName, CapacityUnits) => ({ ConsumedCapacity: exact({ TableName, CapacityUnits }) });
const indexes = (TableName, CapacityUnits) => ({
  ConsumedCapacity: exact({ TableName, CapacityUnits, Table: { CapacityUnits } }),
});
const TOTAL = { ReturnConsumedCapacity: 'TOTAL' };
const INDEXES = { ReturnConsumedCapacity: 'INDEXES' };

const write = (name, bytes, units, extra = TOTAL) => ({
  name,
  operation: 'PutItem',
  input: { TableName: kHash, Item: sized(`w ${name}`, bytes), ...extra },
  expect: { output: (extra === TOTAL ? total : indexes)(kHash, units) },
});
runCases('writes are counted in units of 1 KB', [
  write('a small item', 100, 1),
  write('1024 bytes', 1024, 1),
  write('1025 bytes', 1025, 2),
  write('10000 bytes', 10000, 10),
  write('with INDEXES', 1025, 2, INDEXES),
  {
    name: 'NONE says nothing',
    operation: 'PutItem',
    input: { TableName: kHash, Item: { pk: S('w none') }, ReturnConsumedCapacity: 'NONE' },
    expect: { output: exact({}) },
  },
  {
    name: 'a put over a larger item costs the larger',
    operation: 'PutItem',
    before: [['PutItem', { TableName: kHash, Item: sized('w larger', 3000) }]],
    input: { TableName: kHash, Item: { pk: S('w larger') }, ...TOTAL },
    expect: { output: total(kHash, 3) },
  },
  {
    name: 'a delete costs the item',
    operation: 'DeleteItem',
    before: [['PutItem', { TableName: kHash, Item: sized('w delete', 2049) }]],
    input: { TableName: kHash, Key: { pk: S('w delete') }, ...TOTAL },
    expect: { output: total(kHash, 3) },
  },
  {
    name: 'a delete of nothing costs one',
    operation: 'DeleteItem',
    input: { TableName: kHash, Key: { pk: S('w nothing') }, ...TOTAL },
    expect: { output: total(kHash, 1) },
  },
  {
    name: 'an update costs the larger of before and after',
    operation: 'UpdateItem',
    before: [['PutItem', { TableName: kHash, Item: sized('w update', 2049) }]],
    input: {
      TableName: kHash,
      Key: { pk: S('w update') },
      UpdateExpression: 'SET v = :v',
      ExpressionAttributeValues: { ':v': S('') },
      ...TOTAL,
    },
    expect: { output: total(kHash, 3) },
  },
  {
    name: 'an update that creates costs the new item',
    operation: 'UpdateItem',
    input: {
      TableName: kHash,
      Key: { pk: S('w create') },
      UpdateExpression: 'SET v = :v',
      ExpressionAttributeValues: { ':v': S('x'.repeat(1500)) },
      ...INDEXES,
    },
    expect: { output: indexes(kHash, 2) },
  },
  {
    name: 'a batch is summed by table',
    operation: 'BatchWriteItem',
    input: {
      RequestItems: {
        [kHash]: [{ PutRequest: { Item: sized('w b1', 1025) } }, { PutRequest: { Item: sized('w b2', 20) } }],
        [kPair]: [{ DeleteRequest: { Key: { pk: S('w b'), sk: S('none') } } }],
      },
      ...TOTAL,
    },
    expect: {
      output: {
        ConsumedCapacity: (all) =>
          all.length === 2 &&
          all.every((one) => one.CapacityUnits === (one.TableName === kHash ? 3 : 1) && one.Table === undefined),
      },
    },
  },
]);

const read = (name, bytes, units, extra) => ({
  name,
  operation: 'GetItem',
  before: [['PutItem', { TableName: kHash, Item: sized(`r ${name}`, bytes) }]],
  input: { TableName: kHash, Key: { pk: S(`r ${name}`) }, ...TOTAL, ...extra },
  expect: { output: (extra?.ReturnConsumedCapacity ? indexes : total)(kHash, units) },
});
const five = Array.from({ length: 5 }, (_, index) => ({
  pk: S('capacity of a query'),
  sk: S(`s${index}`),
  v: S('x'.repeat(1972)),
}));
before(async () => {
  // Each has 2 + 19 + 2 + 2 + 1 + 1972 = 1998 bytes: five have 9990, which is three units of 4 KB.
  for (const Item of five) await call('PutItem', { TableName: kPair, Item });
});
const query = (extra = {}) => ({
  TableName: kPair,
  KeyConditionExpression: 'pk = :p',
  ExpressionAttributeValues: { ':p': S('capacity of a query') },
  ...TOTAL,
  ...extra,
});
runCases('reads are counted in units of 4 KB, half of it when eventually consistent', [
  read('a small item', 100, 0.5),
  read('a small item, consistent', 100, 1, { ConsistentRead: true }),
  read('4096 bytes', 4096, 0.5),
  read('4097 bytes', 4097, 1),
  read('4097 bytes, consistent', 4097, 2, { ConsistentRead: true }),
  read('a projection saves nothing', 4097, 1, { ProjectionExpression: 'pk' }),
  read('with INDEXES', 100, 0.5, INDEXES),
  {
    name: 'nothing costs as much as a small item',
    operation: 'GetItem',
    input: { TableName: kHash, Key: { pk: S('r nothing') }, ...TOTAL },
    expect: { output: exact({ ConsumedCapacity: { TableName: kHash, CapacityUnits: 0.5 } }) },
  },
  {
    name: 'a batch counts each key by itself',
    operation: 'BatchGetItem',
    before: [['PutItem', { TableName: kHash, Item: sized('r batch', 4097) }]],
    input: {
      RequestItems: { [kHash]: { Keys: [{ pk: S('r batch') }, { pk: S('r no') }, { pk: S('r no 2') }] } },
      ...TOTAL,
    },
    expect: { output: { ConsumedCapacity: exact([{ TableName: kHash, CapacityUnits: 2 }]) } },
  },
  {
    name: 'a consistent batch',
    operation: 'BatchGetItem',
    input: {
      RequestItems: { [kHash]: { Keys: [{ pk: S('r no') }, { pk: S('r no 2') }], ConsistentRead: true } },
      ...INDEXES,
    },
    expect: {
      output: { ConsumedCapacity: exact([{ TableName: kHash, CapacityUnits: 2, Table: { CapacityUnits: 2 } }]) },
    },
  },
  {
    name: 'a query adds up before it rounds',
    operation: 'Query',
    input: query(),
    expect: { output: total(kPair, 1.5) },
  },
  {
    name: 'a consistent query',
    operation: 'Query',
    input: query({ ConsistentRead: true }),
    expect: { output: total(kPair, 3) },
  },
  { name: 'with INDEXES', operation: 'Query', input: query(INDEXES), expect: { output: indexes(kPair, 1.5) } },
  {
    name: 'a filter saves nothing',
    operation: 'Query',
    input: query({ FilterExpression: 'attribute_exists(nope)' }),
    expect: { output: { Count: 0, ScannedCount: 5, ...total(kPair, 1.5) } },
  },
  {
    name: 'a projection saves nothing',
    operation: 'Query',
    input: query({ ProjectionExpression: 'sk' }),
    expect: { output: total(kPair, 1.5) },
  },
  {
    name: 'COUNT saves nothing',
    operation: 'Query',
    input: query({ Select: 'COUNT' }),
    expect: { output: total(kPair, 1.5) },
  },
  { name: 'Limit does', operation: 'Query', input: query({ Limit: 2 }), expect: { output: total(kPair, 0.5) } },
  {
    name: 'a query that finds nothing costs at most half a unit',
    operation: 'Query',
    input: query({ ExpressionAttributeValues: { ':p': S('nothing here') } }),
    expect: {
      output: { ConsumedCapacity: { TableName: kPair, CapacityUnits: (units) => units === 0 || units === 0.5 } },
    },
  },
]);

// One index projects `shown` in addition to the keys, the other all attributes.
const key = (text) => ({ pk: S(text), sk: S('1') });
const arms = (CapacityUnits, table, gsi, lsi) => ({
  ConsumedCapacity: exact({
    TableName: kCapacity,
    CapacityUnits,
    Table: { CapacityUnits: table },
    ...(gsi ? { GlobalSecondaryIndexes: { gsi: { CapacityUnits: gsi } } } : {}),
    ...(lsi ? { LocalSecondaryIndexes: { lsi: { CapacityUnits: lsi } } } : {}),
  }),
});
const put = (name, rest, expected) => ({
  name,
  operation: 'PutItem',
  input: { TableName: kCapacity, Item: { ...key(`put ${name}`), ...rest }, ...INDEXES },
  expect: { output: expected },
});
const whole = { gh: S('g'), lr: S('l'), shown: S('p'), unseen: S('o') };
const update = (name, UpdateExpression, expected, ExpressionAttributeValues) => ({
  name,
  operation: 'UpdateItem',
  before: [['PutItem', { TableName: kCapacity, Item: { ...key(`update ${name}`), ...whole } }]],
  input: { TableName: kCapacity, Key: key(`update ${name}`), UpdateExpression, ExpressionAttributeValues, ...INDEXES },
  expect: { output: expected },
});
const v = { ':v': S('changed') };
runCases('indexes are counted by what they store', [
  put('in no index', { a: S('x') }, arms(1, 1)),
  put('in the global index', { gh: S('g'), shown: S('p') }, arms(2, 1, 1)),
  put('in the local index', { lr: S('l') }, arms(2, 1, 0, 1)),
  put('in both', whole, arms(3, 1, 1, 1)),
  put('only what is projected counts', { gh: S('g'), unseen: S('x'.repeat(1500)) }, arms(3, 2, 1)),
  put('all of it counts in the local index', { lr: S('l'), unseen: S('x'.repeat(1500)) }, arms(4, 2, 0, 2)),
  {
    name: 'TOTAL folds them in',
    operation: 'PutItem',
    input: { TableName: kCapacity, Item: { ...key('total'), ...whole }, ...TOTAL },
    expect: { output: { ConsumedCapacity: exact({ TableName: kCapacity, CapacityUnits: 3 }) } },
  },
  {
    name: 'the same item again costs the indexes nothing',
    operation: 'PutItem',
    before: [['PutItem', { TableName: kCapacity, Item: { ...key('again'), ...whole } }]],
    input: { TableName: kCapacity, Item: { ...key('again'), ...whole }, ...INDEXES },
    expect: { output: arms(1, 1) },
  },
  update('a unseen attribute', 'SET unseen = :v', arms(2, 1, 0, 1), v),
  update('a shown attribute', 'SET shown = :v', arms(3, 1, 1, 1), v),
  update('the key of the global index: delete and insert', 'SET gh = :v', arms(4, 1, 2, 1), v),
  update('the key of the global index removed', 'REMOVE gh', arms(3, 1, 1, 1)),
  update('the key of the local index: delete and insert', 'SET lr = :v', arms(3, 1, 0, 2), v),
  {
    name: 'a delete costs each index the item was in',
    operation: 'DeleteItem',
    before: [['PutItem', { TableName: kCapacity, Item: { ...key('gone'), ...whole } }]],
    input: { TableName: kCapacity, Key: key('gone'), ...INDEXES },
    expect: { output: arms(3, 1, 1, 1) },
  },
  {
    name: 'a batch adds up the indexes it touched',
    operation: 'BatchWriteItem',
    input: {
      RequestItems: {
        [kCapacity]: [
          { PutRequest: { Item: { ...key('batch 1'), gh: S('g'), shown: S('p') } } },
          { PutRequest: { Item: { ...key('batch 2'), unseen: S('o') } } },
        ],
      },
      ...INDEXES,
    },
    expect: {
      output: {
        ConsumedCapacity: exact([
          {
            TableName: kCapacity,
            CapacityUnits: 3,
            Table: { CapacityUnits: 2 },
            GlobalSecondaryIndexes: { gsi: { CapacityUnits: 1 } },
          },
        ]),
      },
    },
  },
  {
    name: 'a query of an index is counted on the index',
    operation: 'Query',
    before: [['PutItem', { TableName: kCapacity, Item: { ...key('index read'), gh: S('index read') } }]],
    input: {
      TableName: kCapacity,
      IndexName: 'gsi',
      KeyConditionExpression: 'gh = :g',
      ExpressionAttributeValues: { ':g': S('index read') },
      ...INDEXES,
    },
    expect: {
      output: {
        ConsumedCapacity: exact({
          TableName: kCapacity,
          CapacityUnits: 0.5,
          Table: { CapacityUnits: 0 },
          GlobalSecondaryIndexes: { gsi: { CapacityUnits: 0.5 } },
        }),
      },
    },
  },
  {
    name: 'a query of a local index is counted on the index',
    operation: 'Query',
    before: [['PutItem', { TableName: kCapacity, Item: { ...key('local read'), lr: S('x') } }]],
    input: {
      TableName: kCapacity,
      IndexName: 'lsi',
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': S('local read') },
      ConsistentRead: true,
      ...INDEXES,
    },
    expect: {
      output: {
        ConsumedCapacity: exact({
          TableName: kCapacity,
          CapacityUnits: 1,
          Table: { CapacityUnits: 0 },
          LocalSecondaryIndexes: { lsi: { CapacityUnits: 1 } },
        }),
      },
    },
  },
]);

const SIZE = { ReturnItemCollectionMetrics: 'SIZE' };
const collection = (pk) => exact({ ItemCollectionKey: { pk: S(pk) }, SizeEstimateRangeGB: [0, 1] });
runCases('item collections', [
  {
    name: 'of a table with a local index',
    operation: 'PutItem',
    input: { TableName: kCapacity, Item: { ...key('icm 1'), n: N('1') }, ...SIZE },
    expect: { output: { ItemCollectionMetrics: collection('icm 1') } },
  },
  {
    name: 'of an update',
    operation: 'UpdateItem',
    input: {
      TableName: kCapacity,
      Key: key('icm 2'),
      UpdateExpression: 'SET a = :v',
      ExpressionAttributeValues: v,
      ...SIZE,
    },
    expect: { output: { ItemCollectionMetrics: collection('icm 2') } },
  },
  {
    name: 'of a delete',
    operation: 'DeleteItem',
    before: [['PutItem', { TableName: kCapacity, Item: key('icm 3') }]],
    input: { TableName: kCapacity, Key: key('icm 3'), ...SIZE },
    expect: { output: { ItemCollectionMetrics: collection('icm 3') } },
  },
  {
    name: 'of a batch',
    operation: 'BatchWriteItem',
    input: { RequestItems: { [kCapacity]: [{ PutRequest: { Item: key('icm 4') } }] }, ...SIZE },
    expect: { output: { ItemCollectionMetrics: { [kCapacity]: [collection('icm 4')] } } },
  },
  {
    name: 'NONE says nothing',
    operation: 'PutItem',
    input: { TableName: kCapacity, Item: key('icm 5'), ReturnItemCollectionMetrics: 'NONE' },
    expect: { output: { ItemCollectionMetrics: absent } },
  },
  {
    name: 'a table without a local index has none',
    operation: 'PutItem',
    input: { TableName: kHash, Item: { pk: S('icm 6') }, ...SIZE },
    expect: { output: { ItemCollectionMetrics: absent } },
  },
]);
