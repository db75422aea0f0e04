// Global secondary indexes whose key has several attributes: up to four partition and four sort key attributes.
import { after, before } from 'node:test';
import { call } from '../harness/client.mjs';
import { runCases, refused } from '../harness/cases.mjs';
import { absent, exact, unordered } from '../harness/match.mjs';
import { createTable, deleteTable } from '../harness/lifecycle.mjs';
import { index, kAll, kKeysOnly, keySchema, name, table } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: value });
const kWide = name('wide');

const rows = [
  { pk: 'p1', a: 'T', b: 'live', c: 'b', d: 'r1' },
  { pk: 'p2', a: 'T', b: 'live', c: 'a', d: 'r2' },
  { pk: 'p3', a: 'T', b: 'live', c: 'a', d: 'r1' },
  { pk: 'p4', a: 'T', b: 'draft', c: 'c', d: 'r1' },
  { pk: 'p5', a: 'F', b: 'live', c: 'a', d: 'r0' },
  { pk: 'p6', a: 'T', b: 'live', d: 'r1' },
].map((row) => ({ h: S('o1'), ...Object.fromEntries(Object.entries(row).map(([key, value]) => [key, S(value)])) }));
const pairs = [
  { pk: S('q1'), h1: S('x'), h2: N('1'), n: N('10') },
  { pk: S('q2'), h1: S('x'), h2: N('1'), n: N('9') },
  { pk: S('q3'), h1: S('x'), h2: N('2'), n: N('1') },
  { pk: S('q4'), h1: S('x1'), h2: N('1'), n: N('1') },
  { pk: S('q5'), h1: S('x'), n: N('1') },
];

before(async () => {
  await createTable(
    table(kWide, { pk: 'S', h: 'S', a: 'S', b: 'S', c: 'S', d: 'S', h1: 'S', h2: 'N', n: 'N' }, 'pk', undefined, {
      GlobalSecondaryIndexes: [
        index('ranges', 'h', ['a', 'b', 'c', 'd'], kAll),
        index('hashes', ['h1', 'h2'], 'n', kKeysOnly),
      ],
    }),
  );
  for (const Item of [...rows, ...pairs]) await call('PutItem', { TableName: kWide, Item });
});
after(() => deleteTable(kWide));

const values = {
  ':h': S('o1'),
  ':a': S('T'),
  ':b': S('live'),
  ':c': S('a'),
  ':d': S('r'),
  ':x': S('r1'),
  ':h1': S('x'),
  ':h2': N('1'),
  ':n': N('9'),
};
const used = (text) => Object.fromEntries(Object.entries(values).filter(([key]) => new RegExp(`${key}\\b`).test(text)));
const query = (IndexName, KeyConditionExpression, extra = {}) => ({
  TableName: kWide,
  IndexName,
  KeyConditionExpression,
  ExpressionAttributeValues: used(KeyConditionExpression),
  ...extra,
});
const finds = (condition, keys, extra) => ({
  name: `${condition}${extra ? ` ${JSON.stringify(extra)}` : ''}`,
  operation: 'Query',
  input: query('ranges', condition, extra),
  expect: { output: { Items: keys.map((pk) => ({ pk: S(pk) })) } },
});
runCases('four sort attributes', [
  finds('h = :h', ['p5', 'p4', 'p3', 'p2', 'p1']),
  finds('h = :h', ['p1', 'p2', 'p3', 'p4', 'p5'], { ScanIndexForward: false }),
  finds('h = :h AND a = :a', ['p4', 'p3', 'p2', 'p1']),
  finds('h = :h AND a = :a AND b = :b', ['p3', 'p2', 'p1']),
  finds('h = :h AND a = :a AND b < :b', ['p4']),
  finds('h = :h AND a = :a AND b = :b AND c = :c', ['p3', 'p2']),
  finds('h = :h AND a = :a AND b = :b AND c > :c', ['p1']),
  finds('h = :h AND a = :a AND b = :b AND c = :c AND begins_with(d, :d)', ['p3', 'p2']),
  finds('h = :h AND a = :a AND b = :b AND c = :c AND d BETWEEN :x AND :x', ['p3']),
  finds('h = :h AND a = :a AND b = :b AND c = :c AND d > :x', ['p2']),
  finds('b = :b AND h = :h AND a = :a', ['p3', 'p2', 'p1']),
  {
    name: 'a page carries every key attribute',
    operation: 'Query',
    input: query('ranges', 'h = :h AND a = :a', { Limit: 2 }),
    expect: {
      output: {
        Items: [{ pk: S('p4') }, { pk: S('p3') }],
        LastEvaluatedKey: exact({ pk: S('p3'), h: S('o1'), a: S('T'), b: S('live'), c: S('a'), d: S('r1') }),
      },
    },
  },
  {
    name: 'the next page',
    operation: 'Query',
    input: query('ranges', 'h = :h AND a = :a', {
      ExclusiveStartKey: { pk: S('p3'), h: S('o1'), a: S('T'), b: S('live'), c: S('a'), d: S('r1') },
    }),
    expect: { output: { Items: [{ pk: S('p2') }, { pk: S('p1') }], LastEvaluatedKey: absent } },
  },
  {
    name: 'an item without one of them is not in the index',
    operation: 'Scan',
    input: { TableName: kWide, IndexName: 'ranges' },
    expect: { output: { Items: unordered(rows.slice(0, 5)) } },
  },
]);

const kNeeds = (missing, present) =>
  `RANGE key attributes ${missing} must have equality conditions specified in the query because a condition is present on key attribute ${present}`;
const ends = (text) => new RegExp(`${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
runCases('conditions that are refused', [
  {
    name: 'a gap',
    operation: 'Query',
    input: query('ranges', 'h = :h AND a = :a AND c = :c'),
    expect: refused(ends(kNeeds('b', 'c'))),
  },
  {
    name: 'a range before the last',
    operation: 'Query',
    input: query('ranges', 'h = :h AND a = :a AND b > :b AND c = :c'),
    expect: refused(ends(kNeeds('b', 'c'))),
  },
  {
    name: 'the first is skipped',
    operation: 'Query',
    input: query('ranges', 'h = :h AND b = :b'),
    expect: refused(ends(kNeeds('a', 'b'))),
  },
  {
    name: 'no partition',
    operation: 'Query',
    input: query('ranges', 'a = :a'),
    expect: refused('Query condition missed key schema element: h'),
  },
  { name: 'half a partition', operation: 'Query', input: query('hashes', 'h1 = :h1'), expect: refused(/h2/) },
  {
    name: 'a range over the partition',
    operation: 'Query',
    input: query('hashes', 'h1 = :h1 AND h2 > :h2'),
    expect: { error: 'ValidationException' },
  },
  {
    name: 'a filter on a key attribute',
    operation: 'Query',
    input: { ...query('ranges', 'h = :h'), FilterExpression: 'attribute_exists(c)' },
    expect: refused('Filter Expression can only contain non-primary key attributes: Primary key attribute: c'),
  },
]);

runCases('two partition attributes', [
  {
    name: 'both together are one partition',
    operation: 'Query',
    input: query('hashes', 'h1 = :h1 AND h2 = :h2'),
    expect: { output: { Items: exact([pairs[1], pairs[0]]) } },
  },
  {
    name: 'in any order',
    operation: 'Query',
    input: query('hashes', 'n > :n AND h2 = :h2 AND h1 = :h1'),
    expect: { output: { Items: exact([pairs[0]]) } },
  },
  {
    name: 'the index holds what has both',
    operation: 'Scan',
    input: { TableName: kWide, IndexName: 'hashes' },
    expect: { output: { Items: unordered(pairs.slice(0, 4)) } },
  },
]);

// In a separate list, because the scan above reads the whole table.
runCases('a row that moves', [
  {
    name: 'a row follows when it loses one and gains it again',
    operation: 'UpdateItem',
    before: [
      ['PutItem', { TableName: kWide, Item: { pk: S('q9'), h1: S('y'), h2: N('1'), n: N('1') } }],
      ['UpdateItem', { TableName: kWide, Key: { pk: S('q9') }, UpdateExpression: 'REMOVE h2' }],
    ],
    input: {
      TableName: kWide,
      Key: { pk: S('q9') },
      UpdateExpression: 'SET h2 = :n, h1 = :h',
      ExpressionAttributeValues: { ':n': N('7'), ':h': S('y9') },
    },
    expect: { output: {} },
    after: [
      [
        'Query',
        { ...query('hashes', 'h1 = :h1 AND h2 = :h2'), ExpressionAttributeValues: { ':h1': S('y9'), ':h2': N('7') } },
        { Items: exact([{ pk: S('q9'), h1: S('y9'), h2: N('7'), n: N('1') }]) },
      ],
      [
        'Query',
        { ...query('hashes', 'h1 = :h1 AND h2 = :h2'), ExpressionAttributeValues: { ':h1': S('y'), ':h2': N('1') } },
        { Items: exact([]) },
      ],
      ['DeleteItem', { TableName: kWide, Key: { pk: S('q9') } }, {}],
    ],
  },
]);

runCases('descriptions', [
  {
    name: 'the schema is described in its order',
    operation: 'DescribeTable',
    input: { TableName: kWide },
    expect: {
      output: {
        Table: {
          GlobalSecondaryIndexes: (all) =>
            JSON.stringify(
              all
                .find((one) => one.IndexName === 'ranges')
                .KeySchema.map((one) => `${one.KeyType} ${one.AttributeName}`),
            ) === JSON.stringify(['HASH h', 'RANGE a', 'RANGE b', 'RANGE c', 'RANGE d']),
        },
      },
    },
  },
]);

const letters = ['a', 'b', 'c', 'd', 'e'];
const withSchema = (KeySchema, extra = {}) => ({
  ...table(name('never'), { pk: 'S', a: 'S', b: 'S', c: 'S', d: 'S', e: 'S' }, 'pk', undefined, {
    GlobalSecondaryIndexes: [{ IndexName: 'idx', KeySchema, Projection: kAll }],
  }),
  ...extra,
});
const element = (AttributeName, KeyType) => ({ AttributeName, KeyType });
runCases('schemas that are refused', [
  {
    name: 'five partition attributes',
    operation: 'CreateTable',
    input: withSchema(keySchema(letters)),
    expect: { error: 'ValidationException' },
  },
  {
    name: 'five sort attributes',
    operation: 'CreateTable',
    input: withSchema(keySchema('pk', letters)),
    expect: { error: 'ValidationException' },
  },
  {
    name: 'a partition attribute after a sort attribute',
    operation: 'CreateTable',
    input: withSchema([element('a', 'HASH'), element('b', 'RANGE'), element('c', 'HASH')]),
    expect: { error: 'ValidationException' },
  },
  {
    name: 'no partition attribute',
    operation: 'CreateTable',
    input: withSchema([element('a', 'RANGE'), element('b', 'RANGE')]),
    expect: { error: 'ValidationException' },
  },
  {
    name: 'the same attribute twice',
    operation: 'CreateTable',
    input: withSchema([element('a', 'HASH'), element('a', 'HASH')]),
    expect: { error: 'ValidationException' },
  },
  {
    name: 'several attributes in a local index',
    operation: 'CreateTable',
    input: {
      ...table(name('never'), { pk: 'S', a: 'S', b: 'S' }, 'pk', 'a', {
        LocalSecondaryIndexes: [index('lsi', 'pk', ['a', 'b'], kAll)],
      }),
    },
    expect: { error: 'ValidationException' },
  },
]);
