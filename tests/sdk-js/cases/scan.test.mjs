// Scan: whole tables, segments, pages, filters, and all refusals.
import { before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { runCases, kNoTable, refused } from '../harness/cases.mjs';
import { absent, exact, unordered } from '../harness/match.mjs';
import { kAbsent, kHash, kScan } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: value });
const kPartitions = 40;
const kRows = 3;
const nameOf = (item) => `${item.pk.S}/${item.sk.N}`;
const everything = Array.from({ length: kPartitions * kRows }, (_, index) => ({
  pk: S(`p${Math.floor(index / kRows)}`),
  sk: N(String(index % kRows)),
  n: N(String(index)),
  kind: S(index % 2 ? 'odd' : 'even'),
}));
const allNames = everything.map(nameOf).sort();

before(async () => {
  for (let start = 0; start < everything.length; start += 25) {
    const RequestItems = { [kScan]: everything.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } })) };
    assert.deepEqual((await call('BatchWriteItem', { RequestItems })).UnprocessedItems, {});
  }
});

async function scanAll(input) {
  const items = [];
  let ExclusiveStartKey;
  let pages = 0;
  do {
    const page = await call('Scan', { TableName: kScan, ...input, ExclusiveStartKey });
    items.push(...page.Items);
    assert.equal(page.Count, page.Items.length);
    ExclusiveStartKey = page.LastEvaluatedKey;
    assert.ok(++pages < 1000, 'no end of pages');
  } while (ExclusiveStartKey);
  return { items, pages };
}

describe('a whole table', () => {
  test('every item once', async () => {
    const { items } = await scanAll({});
    assert.deepEqual(items.map(nameOf).sort(), allNames);
  });
  for (const Limit of [1, 7, 119, 120, 121]) {
    test(`by pages of ${Limit}`, async () => {
      const { items, pages } = await scanAll({ Limit });
      assert.deepEqual(items.map(nameOf).sort(), allNames);
      assert.equal(pages, Math.floor(everything.length / Limit) + 1);
    });
  }
  test('a partition comes in the order of its sort keys', async () => {
    const { items } = await scanAll({});
    const seen = new Map();
    for (const item of items) {
      const last = seen.get(item.pk.S) ?? -1;
      assert.ok(Number(item.sk.N) > last, nameOf(item));
      seen.set(item.pk.S, Number(item.sk.N));
    }
  });
  test('the same order twice', async () => {
    const first = (await scanAll({})).items.map(nameOf);
    assert.deepEqual((await scanAll({ Limit: 11 })).items.map(nameOf), first);
  });
});

describe('segments', () => {
  for (const TotalSegments of [1, 2, 3, 16, 100]) {
    test(`${TotalSegments} of them hold every item once`, async () => {
      const names = [];
      for (let Segment = 0; Segment < TotalSegments; Segment++) {
        names.push(...(await scanAll({ Segment, TotalSegments, Limit: 5 })).items.map(nameOf));
      }
      assert.deepEqual(names.sort(), allNames);
    });
  }
  test('a partition is never split', async () => {
    const owner = new Map();
    for (let Segment = 0; Segment < 7; Segment++) {
      for (const item of (await scanAll({ Segment, TotalSegments: 7 })).items) {
        assert.ok([undefined, Segment].includes(owner.get(item.pk.S)), item.pk.S);
        owner.set(item.pk.S, Segment);
      }
    }
    assert.equal(owner.size, kPartitions);
  });
});

runCases('filters, projections and Select', [
  {
    name: 'a filter',
    operation: 'Scan',
    input: {
      TableName: kScan,
      FilterExpression: 'n < :n AND kind = :k',
      ExpressionAttributeValues: { ':n': N('6'), ':k': S('odd') },
    },
    expect: {
      output: {
        Count: 3,
        ScannedCount: 120,
        Items: unordered([everything[1], everything[3], everything[5]]),
        LastEvaluatedKey: absent,
      },
    },
  },
  {
    name: 'a filter on key attributes',
    operation: 'Scan',
    input: {
      TableName: kScan,
      FilterExpression: 'pk = :p AND sk > :s',
      ExpressionAttributeValues: { ':p': S('p5'), ':s': N('1') },
    },
    expect: { output: { Items: exact([everything[17]]), Count: 1, ScannedCount: 120 } },
  },
  {
    name: 'a projection',
    operation: 'Scan',
    input: {
      TableName: kScan,
      FilterExpression: 'n = :n',
      ProjectionExpression: 'kind',
      ExpressionAttributeValues: { ':n': N('3') },
    },
    expect: { output: { Items: exact([{ kind: S('odd') }]) } },
  },
  {
    name: 'COUNT',
    operation: 'Scan',
    input: { TableName: kScan, Select: 'COUNT' },
    expect: { output: exact({ Count: 120, ScannedCount: 120 }) },
  },
  {
    name: 'COUNT with a filter',
    operation: 'Scan',
    input: {
      TableName: kScan,
      Select: 'COUNT',
      FilterExpression: 'kind = :k',
      ExpressionAttributeValues: { ':k': S('odd') },
    },
    expect: { output: exact({ Count: 60, ScannedCount: 120 }) },
  },
  {
    name: 'a consistent read',
    operation: 'Scan',
    input: { TableName: kScan, ConsistentRead: true, Select: 'COUNT' },
    expect: { output: { Count: 120 } },
  },
]);

const bad = (name, input, message) => ({
  name,
  operation: 'Scan',
  input: { TableName: kHash, ...input },
  expect: refused(message),
});
const values = { ':v': S('x') };
runCases('scans that are refused', [
  { name: 'a table that is not there', operation: 'Scan', input: { TableName: kAbsent }, expect: kNoTable },
  bad(
    'Limit of zero',
    { Limit: 0 },
    "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
  ),
  bad(
    'a segment without a total',
    { Segment: 0 },
    'The TotalSegments parameter is required but was not present in the request when Segment parameter is present',
  ),
  bad(
    'a total without a segment',
    { TotalSegments: 4 },
    'The Segment parameter is required but was not present in the request when parameter TotalSegments is present',
  ),
  bad(
    'a segment past the total',
    { Segment: 5, TotalSegments: 5 },
    'The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 5 is not less than TotalSegments: 5',
  ),
  bad(
    'a negative segment',
    { Segment: -1, TotalSegments: 5 },
    "1 validation error detected: Value '-1' at 'segment' failed to satisfy constraint: Member must have value greater than or equal to 0",
  ),
  bad(
    'no segments',
    { Segment: 0, TotalSegments: 0 },
    "1 validation error detected: Value '0' at 'totalSegments' failed to satisfy constraint: Member must have value greater than or equal to 1",
  ),
  bad(
    'a million and one segments',
    { Segment: 0, TotalSegments: 1000001 },
    "1 validation error detected: Value '1000001' at 'totalSegments' failed to satisfy constraint: Member must have value less than or equal to 1000000",
  ),
  bad(
    'a bad Select',
    { Select: 'X' },
    "1 validation error detected: Value 'X' at 'select' failed to satisfy constraint: Member must satisfy enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]",
  ),
  bad('an empty filter', { FilterExpression: '' }, 'Invalid FilterExpression: The expression can not be empty;'),
  bad(
    'a filter that does not parse',
    { FilterExpression: 'a =' },
    'Invalid FilterExpression: Syntax error; token: "<EOF>", near: "="',
  ),
  bad(
    'a reserved word',
    { FilterExpression: 'name = :v', ExpressionAttributeValues: values },
    'Invalid FilterExpression: Attribute name is a reserved keyword; reserved keyword: name',
  ),
  bad(
    'an operand of the wrong type',
    { FilterExpression: 'begins_with(a, :n)', ExpressionAttributeValues: { ':n': N('5') } },
    'Invalid FilterExpression: Incorrect operand type for operator or function; operator or function: begins_with, operand type: N',
  ),
  bad(
    'an undefined name in a projection that matches nothing',
    { FilterExpression: 'pk = :v', ExpressionAttributeValues: values, ProjectionExpression: '#u' },
    'Invalid ProjectionExpression: An expression attribute name used in the document path is not defined; attribute name: #u',
  ),
  bad('values without an expression', { ExpressionAttributeValues: values }, [
    'ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null',
    'ExpressionAttributeValues can only be specified when using expressions',
  ]),
  bad(
    'an unused value',
    { FilterExpression: 'attribute_exists(a)', ExpressionAttributeValues: values },
    'Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}',
  ),
  bad('an index that is not there', { IndexName: 'nosuch' }, 'The table does not have the specified index: nosuch'),
  bad(
    'ALL_PROJECTED_ATTRIBUTES without an index',
    { Select: 'ALL_PROJECTED_ATTRIBUTES' },
    /ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName/,
  ),
  bad(
    'ALL_ATTRIBUTES with a projection',
    { Select: 'ALL_ATTRIBUTES', ProjectionExpression: 'pk' },
    /Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES/,
  ),
  bad(
    'a start key of the wrong shape',
    { ExclusiveStartKey: { other: S('x') } },
    'The provided starting key is invalid: The provided key element does not match the schema',
  ),
  bad(
    'a filter of 4097 bytes',
    { FilterExpression: `a = :v${' '.repeat(4091)}`, ExpressionAttributeValues: values },
    'Invalid FilterExpression: Expression size has exceeded the maximum allowed size; expression size: 4097',
  ),
  bad(
    'an empty set in a value',
    { FilterExpression: 'a = :s', ExpressionAttributeValues: { ':s': { SS: [] } } },
    'ExpressionAttributeValues contains invalid value: One or more parameter values were invalid: An string set  may not be empty for key :s',
  ),
]);
