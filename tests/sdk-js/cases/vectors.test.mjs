// Vector indexes and SearchVectors, through the SDK.
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { expectError } from '../harness/cases.mjs';
import { assertMatches } from '../harness/match.mjs';
import { createTable, deleteTable } from '../harness/lifecycle.mjs';
import { kAll, kKeysOnly, name, table } from '../harness/tables.mjs';

const searched = name('searched');
const numbers = (...values) => values.map((value) => ({ N: String(value) }));
const kFunctions = { cosine: 'COSINE', euclidean: 'EUCLIDEAN', dot: 'DOT_PRODUCT' };
const vectorIndex = (IndexName, DistanceFunction, more = {}) => ({
  IndexName,
  VectorAttribute: { AttributeName: 'embedding' },
  Dimensions: 3,
  DistanceFunction,
  Projection: kAll,
  ...more,
});
const kSchema = [
  { AttributeName: 'tenant', SearchSchemaElementType: 'HASH' },
  { AttributeName: 'kind', SearchSchemaElementType: 'INLINE_FILTER' },
];
const kVectors = { a: [1, 0, 0], b: [0, 1, 0], c: [-1, 0, 0], d: [0.6, 0.8, 0] };

const search = (IndexName, more = {}) =>
  call('SearchVectors', { TableName: searched, IndexName, SearchVector: numbers(1, 0, 0), TopK: 10, ...more });
const keysOf = ({ SearchResults }) => SearchResults.map((result) => result.Item.pk.S);

// DynamoDB takes minutes to create an index, and a moment more until searches use it.
async function searchable(IndexName, count, more) {
  for (let attempt = 0; attempt < 2400; attempt++) {
    try {
      const found = await search(IndexName, more);
      if (found.SearchResults.length === count) return found;
    } catch (error) {
      if (!/does not have the specified index|Cannot search backfilling/.test(error.message)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`${IndexName} did not become searchable`);
}
const kOne = { SearchConditionExpression: 'tenant = :t', ExpressionAttributeValues: { ':t': { S: 'one' } } };

before(async () => {
  await createTable(
    table(searched, { pk: 'S', tenant: 'S', kind: 'S' }, 'pk', undefined, {
      VectorIndexes: [
        ...Object.entries(kFunctions).map(([key, value]) => vectorIndex(key, value)),
        vectorIndex('schema', 'COSINE', { SearchSchema: kSchema, Projection: kKeysOnly }),
      ],
    }),
  );
  for (const [pk, vector] of Object.entries(kVectors)) {
    const Item = {
      pk: { S: pk },
      label: { S: `item ${pk}` },
      tenant: { S: pk < 'c' ? 'one' : 'two' },
      kind: { S: pk === 'a' ? 'x' : 'y' },
      embedding: { L: numbers(...vector) },
    };
    await call('PutItem', { TableName: searched, Item });
  }
  for (const key of Object.keys(kFunctions)) await searchable(key, 4);
  await searchable('schema', 2, kOne);
});
after(() => deleteTable(searched));

describe('SearchVectors', () => {
  const order = { cosine: 'adbc', euclidean: 'adbc', dot: 'adbc' };
  const scores = {
    cosine: [0, 0.4, 1, 2],
    euclidean: [0, Math.sqrt(0.8), Math.SQRT2, 2],
    dot: [1, 0.6, 0, -1],
  };
  for (const key of Object.keys(kFunctions)) {
    test(`by ${kFunctions[key]} finds the most alike first`, async () => {
      const found = await search(key);
      assert.equal(keysOf(found).join(''), order[key]);
      found.SearchResults.forEach((result, at) =>
        assert.ok(Math.abs(result.Score - Math.fround(scores[key][at])) < 1e-6, `${result.Score}`),
      );
    });
  }

  test('tells the vector only to those who name it', async () => {
    const [first] = (await search('cosine', { TopK: 1 })).SearchResults;
    assert.deepEqual(Object.keys(first.Item).sort(), ['kind', 'label', 'pk', 'tenant']);
    const [named] = (await search('cosine', { TopK: 1, ProjectionExpression: 'pk, embedding' })).SearchResults;
    assert.deepEqual(
      named.Item.embedding.L.map((value) => Number(value.N)),
      [1, 0, 0],
    );
  });

  test('looks in one partition, and through its filters', async () => {
    assert.deepEqual(keysOf(await search('schema', kOne)), ['a', 'b']);
    const filtered = await search('schema', {
      SearchConditionExpression: '#t = :t AND kind = :k',
      ExpressionAttributeNames: { '#t': 'tenant' },
      ExpressionAttributeValues: { ':t': { S: 'two' }, ':k': { S: 'y' } },
    });
    assert.deepEqual(keysOf(filtered), ['d', 'c']);
  });

  test('tells what it consumed, alike for TOTAL and INDEXES', async () => {
    const total = (await search('cosine', { ReturnConsumedCapacity: 'TOTAL' })).ConsumedCapacity;
    assert.deepEqual(Object.keys(total), ['VectorSearchRequestBytes']);
    assert.equal((await search('cosine')).ConsumedCapacity, undefined);
  });

  const refusals = [
    [{ TopK: 101 }, "Provided TopK value '101' is out of valid range. The value must be between 1 and 100 inclusive"],
    [{ SearchVector: numbers(1, 0) }, 'Input search vector dimension 2 does not match vector index dimension 3'],
    [{ IndexName: 'schema' }, 'SearchConditionExpression must be provided when SearchSchema has a HASH key'],
    [{ IndexName: 'absent' }, 'The table does not have the specified index: absent'],
    [
      { SearchVector: [{ L: numbers(1, 0, 0) }] },
      'Search vector contains invalid values. All values in the search vector must be a 32-bit floating-point number ' +
        'attribute',
    ],
  ];
  for (const [more, message] of refusals) {
    test(`refuses ${JSON.stringify(more)}`, () =>
      expectError(
        'SearchVectors',
        { TableName: searched, IndexName: 'cosine', SearchVector: numbers(1, 0, 0), TopK: 1, ...more },
        { error: 'ValidationException', message },
      ));
  }
});

describe('a write to a vector index', () => {
  test('tells its bytes for each index that it changed', async () => {
    const item = { pk: { S: 'e' }, embedding: { L: numbers(0, 0, 1) } };
    const put = () => call('PutItem', { TableName: searched, Item: item, ReturnConsumedCapacity: 'INDEXES' });
    assertMatches((await put()).ConsumedCapacity, {
      CapacityUnits: 1,
      VectorIndexes: { cosine: { VectorWriteRequestBytes: 1024 }, dot: { VectorWriteRequestBytes: 1024 } },
    });
    assert.equal((await put()).ConsumedCapacity.VectorIndexes, undefined);
    await call('DeleteItem', { TableName: searched, Key: { pk: item.pk } });
  });

  test('refuses a vector that does not fit', () =>
    expectError(
      'PutItem',
      { TableName: searched, Item: { pk: { S: 'f' }, embedding: { L: numbers(1, 0) } } },
      {
        error: 'ValidationException',
        message:
          'One or more parameter values were invalid. Invalid size for parameter embedding, Expected: 3, Actual: 2 ' +
          'IndexName: cosine',
      },
    ));
});

describe('UpdateTable', () => {
  test('adds a vector index, which fills, and deletes it', async () => {
    const updates = (update) => ({ TableName: searched, VectorIndexUpdates: [update] });
    assertMatches(await call('UpdateTable', updates({ Create: vectorIndex('later', 'EUCLIDEAN') })), {
      TableDescription: { TableStatus: 'UPDATING' },
    });
    assert.equal(keysOf(await searchable('later', 4)).join(''), 'adbc');
    await call('UpdateTable', updates({ Delete: { IndexName: 'later' } }));
    for (let attempt = 0; attempt < 600; attempt++) {
      const { Table } = await call('DescribeTable', { TableName: searched });
      if (Table.VectorIndexes.every((index) => index.IndexName !== 'later')) return;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    assert.fail('the index was not deleted');
  });
});
