// Global and local secondary indexes: projections, sparse indexes, order, pages, Select, and changes by writes.
import { before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { runCases, kInvalid, refused } from '../harness/cases.mjs';
import { absent, exact, unordered } from '../harness/match.mjs';
import { isRealService } from '../harness/endpoint.mjs';
import { kIndexed } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: value });

// Nine rows of one partition of the table; all except the last two have the indexes' keys.
const rows = Array.from({ length: 9 }, (_, index) => ({
  pk: S('indexes'),
  sk: S(`s${index}`),
  ...(index < 7 ? { gh: S(`group ${index % 2}`), gr: N(String((index * 7) % 5)), lr: S(`l${9 - index}`) } : {}),
  data: S(`data ${index}`),
  more: S(`more ${index}`),
}));
const keysOf = ({ pk, sk, ...rest }, ...names) => ({
  pk,
  sk,
  ...Object.fromEntries(names.map((name) => [name, rest[name]])),
});
before(async () => {
  await call('BatchWriteItem', { RequestItems: { [kIndexed]: rows.map((Item) => ({ PutRequest: { Item } })) } });
});

const onIndex = (IndexName, KeyConditionExpression, values, extra = {}) => ({
  TableName: kIndexed,
  IndexName,
  KeyConditionExpression,
  ExpressionAttributeValues: values,
  ...extra,
});
const group = (number) => ({ ':g': S(`group ${number}`) });
const evenByNumber = [0, 4, 2, 6]
  .map((index) => rows[index])
  .sort((a, b) => a.gr.N - b.gr.N || (a.sk.S < b.sk.S ? -1 : 1));

runCases('projections of an index', [
  {
    name: 'ALL',
    operation: 'Query',
    input: onIndex('gsi-all', 'gh = :g', group(0)),
    expect: { output: { Count: 4, Items: unordered(evenByNumber) } },
  },
  {
    name: 'ALL comes in the order of its sort key',
    operation: 'Query',
    input: onIndex('gsi-all', 'gh = :g', group(0)),
    expect: { output: { Items: evenByNumber.map((row) => ({ gr: row.gr })) } },
  },
  {
    name: 'KEYS_ONLY',
    operation: 'Query',
    input: onIndex('gsi-keys', 'gh = :g', group(1)),
    expect: { output: { Count: 3, Items: unordered([1, 3, 5].map((index) => keysOf(rows[index], 'gh'))) } },
  },
  {
    name: 'INCLUDE',
    operation: 'Query',
    input: onIndex('gsi-include', 'gh = :g', group(1)),
    expect: { output: { Items: unordered([1, 3, 5].map((index) => keysOf(rows[index], 'gh', 'gr', 'data'))) } },
  },
  {
    name: 'a local index with ALL, in the order of its sort key',
    operation: 'Query',
    input: onIndex('lsi-all', 'pk = :p', { ':p': S('indexes') }, { ConsistentRead: true }),
    expect: { output: { Count: 7, Items: rows.slice(0, 7).reverse().map(exact) } },
  },
  {
    name: 'a local index with KEYS_ONLY',
    operation: 'Query',
    input: onIndex('lsi-keys', 'pk = :p AND gr = :n', { ':p': S('indexes'), ':n': N('4') }),
    expect: { output: { Items: exact([keysOf(rows[2], 'gr')]) } },
  },
  {
    name: 'a local index with INCLUDE',
    operation: 'Query',
    input: onIndex('lsi-include', 'pk = :p AND gh = :g', { ':p': S('indexes'), ...group(1) }),
    expect: { output: { Items: unordered([1, 3, 5].map((index) => keysOf(rows[index], 'gh', 'data'))) } },
  },
  {
    name: 'a local index fetches what it does not hold',
    operation: 'Query',
    input: onIndex(
      'lsi-keys',
      'pk = :p AND gr = :n',
      { ':p': S('indexes'), ':n': N('4') },
      { Select: 'ALL_ATTRIBUTES' },
    ),
    expect: { output: { Items: exact([rows[2]]) } },
  },
  {
    name: 'a local index fetches an attribute that is asked for',
    operation: 'Query',
    input: onIndex(
      'lsi-keys',
      'pk = :p AND gr = :n',
      { ':p': S('indexes'), ':n': N('4') },
      { ProjectionExpression: 'sk, more' },
    ),
    expect: { output: { Items: exact([{ sk: S('s2'), more: S('more 2') }]) } },
  },
  {
    name: 'ALL_PROJECTED_ATTRIBUTES',
    operation: 'Query',
    input: onIndex(
      'gsi-include',
      'gh = :g AND gr = :n',
      { ...group(0), ':n': N('4') },
      { Select: 'ALL_PROJECTED_ATTRIBUTES' },
    ),
    expect: { output: { Items: exact([keysOf(rows[2], 'gh', 'gr', 'data')]) } },
  },
  {
    name: 'COUNT',
    operation: 'Query',
    input: onIndex('gsi-all', 'gh = :g', group(0), { Select: 'COUNT' }),
    expect: { output: { Count: 4, ScannedCount: 4, Items: absent } },
  },
  {
    name: 'a filter on what the index holds',
    operation: 'Query',
    input: onIndex(
      'gsi-include',
      'gh = :g',
      { ...group(0), ':d': S('data 4') },
      { FilterExpression: '#d = :d', ExpressionAttributeNames: { '#d': 'data' } },
    ),
    expect: { output: { Count: 1, ScannedCount: 4, Items: exact([keysOf(rows[4], 'gh', 'gr', 'data')]) } },
  },
  ...[
    ['gsi-include', 'gh = :g', group(0)],
    ['lsi-keys', 'pk = :p', { ':p': S('indexes') }],
  ].map(([index, condition, values]) => ({
    name: `a filter on what ${index} does not hold`,
    operation: 'Query',
    input: onIndex(index, condition, values, { FilterExpression: 'attribute_exists(more)' }),
    expect: refused(`${kInvalid}Secondary index ${index} does not project one or more filter attributes: [more]`),
  })),
  {
    name: 'a QueryFilter on what the index does not hold',
    operation: 'Query',
    input: {
      TableName: kIndexed,
      IndexName: 'gsi-include',
      KeyConditions: { gh: { ComparisonOperator: 'EQ', AttributeValueList: [group(0)[':g']] } },
      QueryFilter: { more: { ComparisonOperator: 'NOT_NULL' } },
    },
    expect: refused(`${kInvalid}Secondary index gsi-include does not project one or more filter attributes: [more]`),
  },
  {
    name: 'a filter of a Scan on what the index does not hold finds nothing',
    operation: 'Scan',
    input: { TableName: kIndexed, IndexName: 'gsi-include', FilterExpression: 'attribute_exists(more)' },
    expect: { output: { Count: 0 } },
  },
  {
    name: 'a filter on the key of the table',
    operation: 'Query',
    input: onIndex('gsi-all', 'gh = :g', { ...group(0), ':s': S('s4') }, { FilterExpression: 'sk = :s' }),
    expect: { output: { Count: 1, Items: exact([rows[4]]) } },
  },
  {
    name: 'a range backwards',
    operation: 'Query',
    input: onIndex('gsi-all', 'gh = :g AND gr >= :n', { ...group(0), ':n': N('2') }, { ScanIndexForward: false }),
    expect: {
      output: {
        Items: evenByNumber
          .filter((row) => row.gr.N >= 2)
          .reverse()
          .map((row) => ({ gr: row.gr })),
      },
    },
  },
  {
    name: 'the whole index, without the rows that lack its key',
    operation: 'Scan',
    input: {
      TableName: kIndexed,
      IndexName: 'gsi-all',
      FilterExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': S('indexes') },
    },
    expect: { output: { Items: unordered(rows.slice(0, 7)) } },
  },
  {
    name: 'a whole local index',
    operation: 'Scan',
    input: {
      TableName: kIndexed,
      IndexName: 'lsi-include',
      ConsistentRead: true,
      FilterExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': S('indexes') },
    },
    expect: { output: { Items: unordered(rows.slice(0, 7).map((row) => keysOf(row, 'gh', 'data'))) } },
  },
]);

const bad = (name, operation, input, message) => ({
  name,
  operation,
  input: { TableName: kIndexed, ...input },
  expect: refused(message),
});
const kProjected = (index) =>
  `${kInvalid}Select type ALL_ATTRIBUTES is not supported for global secondary index ${index} because its projection type is not ALL`;
runCases('index reads that are refused', [
  bad(
    'a consistent read of a global index',
    'Query',
    { ...onIndex('gsi-all', 'gh = :g', group(0)), ConsistentRead: true },
    'Consistent reads are not supported on global secondary indexes',
  ),
  bad(
    'a consistent read of a global index',
    'Scan',
    { IndexName: 'gsi-all', ConsistentRead: true },
    'Consistent reads are not supported on global secondary indexes',
  ),
  bad(
    'ALL_ATTRIBUTES of KEYS_ONLY',
    'Query',
    { ...onIndex('gsi-keys', 'gh = :g', group(0)), Select: 'ALL_ATTRIBUTES' },
    kProjected('gsi-keys'),
  ),
  bad(
    'ALL_ATTRIBUTES of INCLUDE',
    'Scan',
    { IndexName: 'gsi-include', Select: 'ALL_ATTRIBUTES' },
    kProjected('gsi-include'),
  ),
  bad(
    'a projection of what a global index does not hold',
    'Query',
    { ...onIndex('gsi-keys', 'gh = :g', group(0)), ProjectionExpression: 'more' },
    [/^One or more parameter values were invalid: Global secondary index gsi-keys does not project \[?more\]?$/],
  ),
  bad(
    'the key of the table on an index',
    'Query',
    onIndex('gsi-all', 'pk = :g', group(0)),
    'Query condition missed key schema element: gh',
  ),
  bad(
    'a filter on the key of the index',
    'Query',
    { ...onIndex('gsi-all', 'gh = :g', group(0)), FilterExpression: 'attribute_exists(gr)' },
    'Filter Expression can only contain non-primary key attributes: Primary key attribute: gr',
  ),
  bad(
    'a value of another type',
    'Query',
    onIndex('gsi-all', 'gh = :g AND gr = :g', group(0)),
    `${kInvalid}Condition parameter type does not match schema type`,
  ),
  bad(
    'a start key without the key of the table',
    'Query',
    { ...onIndex('gsi-all', 'gh = :g', group(0)), ExclusiveStartKey: { gh: S('group 0'), gr: N('0') } },
    'The provided starting key is invalid',
  ),
  bad(
    'a start key without the key of the table',
    'Scan',
    { IndexName: 'gsi-all', ExclusiveStartKey: { gh: S('group 0'), gr: N('0') } },
    'The provided starting key is invalid',
  ),
]);

async function pages(operation, input) {
  const items = [];
  const starts = [];
  let ExclusiveStartKey;
  do {
    const page = await call(operation, { TableName: kIndexed, ...input, ExclusiveStartKey });
    items.push(...page.Items);
    ExclusiveStartKey = page.LastEvaluatedKey;
    if (ExclusiveStartKey) starts.push(ExclusiveStartKey);
    assert.ok(starts.length < 100, 'no end of pages');
  } while (ExclusiveStartKey);
  return { items, starts };
}
const names = (items) => items.map((item) => item.sk.S);

describe('pages of an index', () => {
  for (const ScanIndexForward of [true, false]) {
    for (const Limit of [1, 2, 3]) {
      test(`${ScanIndexForward ? 'forwards' : 'backwards'} by ${Limit} through rows of equal keys`, async () => {
        const partition = `equal ${ScanIndexForward} ${Limit}`;
        for (let index = 0; index < 5; index++) {
          const Item = { pk: S(`${partition} ${index % 2}`), sk: S(`s${index}`), gh: S(partition), gr: N('1') };
          await call('PutItem', { TableName: kIndexed, Item });
        }
        if (isRealService) await new Promise((resolve) => setTimeout(resolve, 3000));
        const input = onIndex('gsi-all', 'gh = :g', { ':g': S(partition) }, { Limit, ScanIndexForward });
        const { items, starts } = await pages('Query', input);
        assert.deepEqual(names(items).sort(), ['s0', 's1', 's2', 's3', 's4']);
        const whole = await call('Query', { ...input, Limit: undefined });
        assert.deepEqual(names(items), names(whole.Items));
        for (const start of starts) assert.deepEqual(Object.keys(start).sort(), ['gh', 'gr', 'pk', 'sk']);
      });
    }
  }
  test('a local index by 2', async () => {
    const { items, starts } = await pages('Query', onIndex('lsi-all', 'pk = :p', { ':p': S('indexes') }, { Limit: 2 }));
    assert.deepEqual(
      names(items),
      rows
        .slice(0, 7)
        .reverse()
        .map((row) => row.sk.S),
    );
    for (const start of starts) assert.deepEqual(Object.keys(start).sort(), ['lr', 'pk', 'sk']);
  });
  test('a scan of an index by 3 finds each row once', async () => {
    const { items } = await pages('Scan', { IndexName: 'gsi-keys', Limit: 3 });
    const mine = items.filter((item) => item.pk.S === 'indexes');
    assert.deepEqual(names(mine).sort(), ['s0', 's1', 's2', 's3', 's4', 's5', 's6']);
  });
  test('a scan of an index by segments', async () => {
    const found = [];
    for (let Segment = 0; Segment < 4; Segment++) {
      found.push(...(await pages('Scan', { IndexName: 'gsi-all', Segment, TotalSegments: 4 })).items);
    }
    assert.deepEqual(names(found.filter((item) => item.pk.S === 'indexes')).sort(), [
      's0',
      's1',
      's2',
      's3',
      's4',
      's5',
      's6',
    ]);
  });
});

// Each step changes one row; the index must show it in the next read.
const follow = (name, steps) =>
  test(name, async () => {
    const pk = S(`follow ${name}`);
    const Key = { pk, sk: S('s') };
    const read = async (IndexName, gh) => (await call('Query', onIndex(IndexName, 'gh = :g', { ':g': S(gh) }))).Items;
    for (const [operation, input, gh, expected] of steps) {
      await call(operation, {
        TableName: kIndexed,
        ...(operation === 'PutItem' ? { Item: { ...Key, ...input } } : { Key, ...input }),
      });
      if (isRealService) await new Promise((resolve) => setTimeout(resolve, 2000));
      const items = await read('gsi-include', gh);
      assert.deepEqual(items, expected === null ? [] : [{ ...Key, ...expected }], JSON.stringify([operation, input]));
    }
  });
describe('an index follows its table', { concurrency: 2 }, () => {
  const set = (UpdateExpression, ExpressionAttributeValues) => ({ UpdateExpression, ExpressionAttributeValues });
  follow('a row gains and loses its key', [
    ['PutItem', { data: S('1') }, 'f1', null],
    [
      'UpdateItem',
      set('SET gh = :g, gr = :n', { ':g': S('f1'), ':n': N('1') }),
      'f1',
      { gh: S('f1'), gr: N('1'), data: S('1') },
    ],
    ['UpdateItem', set('REMOVE gr'), 'f1', null],
    ['UpdateItem', set('SET gr = :n', { ':n': N('2') }), 'f1', { gh: S('f1'), gr: N('2'), data: S('1') }],
    ['DeleteItem', {}, 'f1', null],
  ]);
  follow('a row moves', [
    ['PutItem', { gh: S('f2'), gr: N('1') }, 'f2', { gh: S('f2'), gr: N('1') }],
    ['UpdateItem', set('SET gh = :g', { ':g': S('f2 moved') }), 'f2', null],
    ['UpdateItem', set('SET gr = :n', { ':n': N('9') }), 'f2 moved', { gh: S('f2 moved'), gr: N('9') }],
    ['PutItem', { gh: S('f2'), gr: N('3') }, 'f2 moved', null],
    ['PutItem', { gh: S('f2'), gr: N('3') }, 'f2', { gh: S('f2'), gr: N('3') }],
  ]);
  follow(
    'a projected value changes',
    [
      [
        'PutItem',
        { gh: S('f3'), gr: N('1'), data: S('a'), more: S('b') },
        'f3',
        { gh: S('f3'), gr: N('1'), data: S('a') },
      ],
      ['UpdateItem', set('SET #d = :d', { ':d': S('z') }), 'f3', { gh: S('f3'), gr: N('1'), data: S('z') }],
      ['UpdateItem', set('SET more = :d', { ':d': S('z') }), 'f3', { gh: S('f3'), gr: N('1'), data: S('z') }],
      ['UpdateItem', set('REMOVE #d'), 'f3', { gh: S('f3'), gr: N('1') }],
    ].map(([operation, input, ...rest]) => [
      operation,
      /#d/.test(input.UpdateExpression ?? '') ? { ...input, ExpressionAttributeNames: { '#d': 'data' } } : input,
      ...rest,
    ]),
  );
});
