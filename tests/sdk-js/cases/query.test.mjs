// Query on a table: key conditions, order, pages, filters, Select, and all refusals.
import { before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { runCases, kInvalid, refused } from '../harness/cases.mjs';
import { absent, exact } from '../harness/match.mjs';
import { kAbsent, kBinaryPair, kHash, kNumberPair, kPair } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: value });
const B = (...bytes) => ({ B: Uint8Array.from(bytes) });

// Three partitions with sort keys of each type, written out of order.
const letters = ['c', 'a', 'ab', 'b', 'B', 'é', 'aa'];
const inByteOrder = ['B', 'a', 'aa', 'ab', 'b', 'c', 'é'];
const numbers = ['10', '9', '-1', '0', '1.5', '1E20', '-200', '0.001'];
const inNumberOrder = ['-200', '-1', '0', '0.001', '1.5', '9', '10', '100000000000000000000'];
const binaries = [[255], [0], [1, 2], [1], [128]];
const inBinaryOrder = [[0], [1], [1, 2], [128], [255]];

before(async () => {
  for (const [index, text] of letters.entries()) {
    await call('PutItem', {
      TableName: kPair,
      Item: { pk: S('query'), sk: S(text), n: N(String(index)), kind: S(index % 2 ? 'odd' : 'even') },
    });
  }
  for (const text of numbers) await call('PutItem', { TableName: kNumberPair, Item: { pk: S('query'), sk: N(text) } });
  for (const bytes of binaries)
    await call('PutItem', { TableName: kBinaryPair, Item: { pk: S('query'), sk: B(...bytes) } });
  await call('PutItem', { TableName: kPair, Item: { pk: S('query other'), sk: S('a') } });
  await call('PutItem', { TableName: kHash, Item: { pk: S('query'), v: N('1') } });
});

const values = {
  ':pk': S('query'),
  ':a': S('a'),
  ':ab': S('ab'),
  ':b': S('b'),
  ':z': S('z'),
  ':none': S('none'),
  ':even': S('even'),
  ':two': N('2'),
};
const used = (text) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => new RegExp(`${name}\\b`).test(text)));
const query = (KeyConditionExpression, extra = {}) => ({
  TableName: kPair,
  KeyConditionExpression,
  ExpressionAttributeValues: used(`${KeyConditionExpression} ${extra.FilterExpression ?? ''}`),
  ...extra,
});
const finds = (condition, texts, extra) => ({
  name: `${condition}${extra ? ` ${JSON.stringify(extra)}` : ''}`,
  operation: 'Query',
  input: query(condition, extra),
  expect: {
    output: {
      Count: texts.length,
      Items: texts.map((sk) => ({ pk: S('query'), sk: S(sk) })),
      LastEvaluatedKey: absent,
    },
  },
});

runCases('key conditions', [
  finds('pk = :pk', inByteOrder),
  finds(':pk = pk', inByteOrder),
  finds('pk = :pk', [...inByteOrder].reverse(), { ScanIndexForward: false }),
  finds('pk = :pk AND sk = :ab', ['ab']),
  finds('sk = :ab AND pk = :pk', ['ab']),
  finds('pk = :pk AND sk < :b', ['B', 'a', 'aa', 'ab']),
  finds('pk = :pk AND sk <= :b', ['B', 'a', 'aa', 'ab', 'b']),
  finds('pk = :pk AND sk > :b', ['c', 'é']),
  finds('pk = :pk AND sk >= :b', ['b', 'c', 'é']),
  finds('pk = :pk AND :b <= sk', ['b', 'c', 'é']),
  finds('pk = :pk AND sk BETWEEN :a AND :b', ['a', 'aa', 'ab', 'b']),
  finds('pk = :pk AND sk BETWEEN :a AND :b', ['b', 'ab', 'aa', 'a'], { ScanIndexForward: false }),
  finds('pk = :pk AND begins_with(sk, :a)', ['a', 'aa', 'ab']),
  finds('pk = :pk AND begins_with(sk, :z)', []),
  finds('(pk = :pk) AND (sk = :ab)', ['ab']),
  finds('(pk = :pk AND (sk = :ab))', ['ab']),
  finds('pk = :none', []),
  finds('#p = :pk and #s = :ab', ['ab'], { ExpressionAttributeNames: { '#p': 'pk', '#s': 'sk' } }),
  finds('pk = :pk', inByteOrder, { ConsistentRead: true }),
]);

runCases('order of sort keys', [
  {
    name: 'numbers by value',
    operation: 'Query',
    input: {
      TableName: kNumberPair,
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': S('query') },
    },
    expect: { output: { Items: inNumberOrder.map((sk) => ({ sk: N(sk) })) } },
  },
  {
    name: 'numbers between',
    operation: 'Query',
    input: {
      TableName: kNumberPair,
      KeyConditionExpression: 'pk = :p AND sk BETWEEN :a AND :b',
      ExpressionAttributeValues: { ':p': S('query'), ':a': N('-1.0'), ':b': N('9') },
    },
    expect: { output: { Items: ['-1', '0', '0.001', '1.5', '9'].map((sk) => ({ sk: N(sk) })) } },
  },
  {
    name: 'numbers backwards from a bound',
    operation: 'Query',
    input: {
      TableName: kNumberPair,
      KeyConditionExpression: 'pk = :p AND sk < :a',
      ExpressionAttributeValues: { ':p': S('query'), ':a': N('0.001') },
      ScanIndexForward: false,
    },
    expect: { output: { Items: ['0', '-1', '-200'].map((sk) => ({ sk: N(sk) })) } },
  },
  {
    name: 'binary by bytes, unsigned',
    operation: 'Query',
    input: {
      TableName: kBinaryPair,
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': S('query') },
    },
    expect: { output: { Items: inBinaryOrder.map((bytes) => ({ sk: B(...bytes) })) } },
  },
  {
    name: 'binary by prefix',
    operation: 'Query',
    input: {
      TableName: kBinaryPair,
      KeyConditionExpression: 'pk = :p AND begins_with(sk, :b)',
      ExpressionAttributeValues: { ':p': S('query'), ':b': B(1) },
    },
    expect: { output: { Items: [[1], [1, 2]].map((bytes) => ({ sk: B(...bytes) })) } },
  },
  {
    name: 'a table without a sort key',
    operation: 'Query',
    input: { TableName: kHash, KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': S('query') } },
    expect: { output: { Count: 1, ScannedCount: 1, Items: exact([{ pk: S('query'), v: N('1') }]) } },
  },
]);

runCases('filters, projections and Select', [
  {
    name: 'a filter reads all and returns some',
    operation: 'Query',
    input: query('pk = :pk', { FilterExpression: 'kind = :even' }),
    expect: {
      output: { Count: 4, ScannedCount: 7, Items: ['aa', 'ab', 'c', 'B'].sort().map((sk) => ({ sk: S(sk) })) },
    },
  },
  {
    name: 'a filter after Limit',
    operation: 'Query',
    input: query('pk = :pk', { FilterExpression: 'n = :two', Limit: 2 }),
    expect: {
      output: { Count: 0, ScannedCount: 2, Items: [], LastEvaluatedKey: exact({ pk: S('query'), sk: S('a') }) },
    },
  },
  {
    name: 'a projection',
    operation: 'Query',
    input: query('pk = :pk AND sk = :ab', { ProjectionExpression: 'sk, n' }),
    expect: { output: { Items: exact([{ sk: S('ab'), n: N('2') }]) } },
  },
  {
    name: 'a filter on what is not projected',
    operation: 'Query',
    input: query('pk = :pk', { FilterExpression: 'n = :two', ProjectionExpression: 'sk' }),
    expect: { output: { Count: 1, ScannedCount: 7, Items: exact([{ sk: S('ab') }]) } },
  },
  {
    name: 'Select COUNT',
    operation: 'Query',
    input: query('pk = :pk', { Select: 'COUNT', FilterExpression: 'kind = :even' }),
    expect: { output: { Count: 4, ScannedCount: 7, Items: absent } },
  },
  {
    name: 'Select ALL_ATTRIBUTES',
    operation: 'Query',
    input: query('pk = :pk AND sk = :ab', { Select: 'ALL_ATTRIBUTES' }),
    expect: { output: { Items: exact([{ pk: S('query'), sk: S('ab'), n: N('2'), kind: S('even') }]) } },
  },
  {
    name: 'Select SPECIFIC_ATTRIBUTES',
    operation: 'Query',
    input: query('pk = :pk AND sk = :ab', { Select: 'SPECIFIC_ATTRIBUTES', ProjectionExpression: 'n' }),
    expect: { output: { Items: exact([{ n: N('2') }]) } },
  },
  {
    name: 'Limit of one',
    operation: 'Query',
    input: query('pk = :pk', { Limit: 1 }),
    expect: { output: { Count: 1, ScannedCount: 1, LastEvaluatedKey: exact({ pk: S('query'), sk: S('B') }) } },
  },
  {
    name: 'a start key that was never there',
    operation: 'Query',
    input: query('pk = :pk', { ExclusiveStartKey: { pk: S('query'), sk: S('aab') } }),
    expect: { output: { Items: ['ab', 'b', 'c', 'é'].map((sk) => ({ sk: S(sk) })) } },
  },
  {
    name: 'a start key, backwards',
    operation: 'Query',
    input: query('pk = :pk', { ExclusiveStartKey: { pk: S('query'), sk: S('aa') }, ScanIndexForward: false }),
    expect: { output: { Items: ['a', 'B'].map((sk) => ({ sk: S(sk) })) } },
  },
]);

describe('pages by Limit', () => {
  for (const ScanIndexForward of [true, false]) {
    for (const Limit of [1, 2, 3, 7, 8]) {
      test(`${ScanIndexForward ? 'forwards' : 'backwards'} by ${Limit}`, async () => {
        const found = [];
        let ExclusiveStartKey;
        let pages = 0;
        do {
          const page = await call('Query', query('pk = :pk', { Limit, ScanIndexForward, ExclusiveStartKey }));
          found.push(...page.Items.map((item) => item.sk.S));
          ExclusiveStartKey = page.LastEvaluatedKey;
          assert.ok(++pages <= 8, 'too many pages');
        } while (ExclusiveStartKey);
        assert.deepEqual(found, ScanIndexForward ? inByteOrder : [...inByteOrder].reverse());
        // A page that ends exactly at the last item still has a LastEvaluatedKey: one empty page follows.
        assert.equal(pages, Math.floor(7 / Limit) + 1);
      });
    }
  }
});

const bad = (name, input, message) => ({
  name,
  operation: 'Query',
  input: { TableName: kPair, ...input },
  expect: refused(message),
});
const condition = (KeyConditionExpression, ExpressionAttributeValues, message, extra = {}) =>
  bad(KeyConditionExpression || '(empty)', { KeyConditionExpression, ExpressionAttributeValues, ...extra }, message);
const kSchema = `${kInvalid}Condition parameter type does not match schema type`;
const operand = (name, type) =>
  `Invalid KeyConditionExpression: Incorrect operand type for operator or function; operator or function: ${name}, operand type: ${type}`;
const p = { ':p': S('q') };
runCases('key conditions that are refused', [
  bad(
    'no condition at all',
    {},
    'Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.',
  ),
  condition('', p, 'Invalid KeyConditionExpression: The expression can not be empty;'),
  condition('pk =', p, 'Invalid KeyConditionExpression: Syntax error; token: "<EOF>", near: "="'),
  condition('pk = :p AND', p, 'Invalid KeyConditionExpression: Syntax error; token: "<EOF>", near: "AND"'),
  condition('((pk = :p))', p, 'Invalid KeyConditionExpression: The expression has redundant parentheses;'),
  condition('sk = :p', p, 'Query condition missed key schema element: pk'),
  condition('elsewhere = :p', p, 'Query condition missed key schema element: pk'),
  condition('pk > :p', p, 'Query key condition not supported'),
  condition('begins_with(pk, :p)', p, 'Query key condition not supported'),
  condition('pk = :p OR sk = :p', p, 'Invalid operator used in KeyConditionExpression: OR'),
  condition('NOT pk = :p', p, 'Invalid operator used in KeyConditionExpression: NOT'),
  condition('pk = :p AND sk <> :p', p, 'Invalid operator used in KeyConditionExpression: <>'),
  condition('pk = :p AND sk IN (:p)', p, 'Invalid operator used in KeyConditionExpression: IN'),
  condition('pk = :p AND contains(sk, :p)', p, 'Invalid operator used in KeyConditionExpression: contains'),
  condition('pk = :p AND attribute_exists(sk)', p, 'Invalid operator used in KeyConditionExpression: attribute_exists'),
  condition(
    'pk = :p AND size(sk) = :n',
    { ...p, ':n': N('1') },
    /^(Invalid KeyConditionExpression: )?KeyConditionExpressions cannot contain nested operations$/,
  ),
  condition('pk = :p AND #s.foo = :p', p, [/KeyConditionExpressions cannot have conditions on nested attributes$/], {
    ExpressionAttributeNames: { '#s': 'sk' },
  }),
  condition(
    'pk = sk',
    undefined,
    'Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition',
  ),
  condition(
    ':p = :q',
    { ...p, ':q': S('q') },
    'Invalid condition in KeyConditionExpression: No key attribute specified',
  ),
  condition(
    'pk = :p AND begins_with(:p, sk)',
    p,
    'Invalid condition in KeyConditionExpression: begins_with operator must have the key attribute as its first operand',
  ),
  condition(
    'pk = :p AND sk > :a AND sk < :b',
    { ...p, ':a': S('1'), ':b': S('5') },
    'Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key',
  ),
  condition(
    'pk = :p AND sk > :a AND extra = :b',
    { ...p, ':a': S('1'), ':b': S('5') },
    'The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)',
  ),
  condition(
    'pk = :missing',
    p,
    'Invalid KeyConditionExpression: An expression attribute value used in expression is not defined; attribute value: :missing',
  ),
  condition(
    '#pk = :p',
    p,
    'Invalid KeyConditionExpression: An expression attribute name used in the document path is not defined; attribute name: #pk',
  ),
  condition(
    'pk = :p AND name = :p',
    p,
    'Invalid KeyConditionExpression: Attribute name is a reserved keyword; reserved keyword: name',
  ),
  condition('pk = :p AND begins_with(sk, :v)', { ...p, ':v': N('1') }, operand('begins_with', 'N')),
  condition('pk = :p AND begins_with(sk, :v) ', { ...p, ':v': { BOOL: true } }, operand('begins_with', 'BOOL')),
  condition('pk = :p AND sk < :v', { ...p, ':v': { BOOL: true } }, operand('<', 'BOOL')),
  condition('pk = :p AND :v >= sk', { ...p, ':v': { BOOL: true } }, operand('>=', 'BOOL')),
  condition(
    'pk = :p AND sk BETWEEN :v AND :w',
    { ...p, ':v': { BOOL: false }, ':w': { BOOL: true } },
    operand('BETWEEN', 'BOOL'),
  ),
  condition('pk = :p AND sk = :v', { ...p, ':v': { BOOL: true } }, kSchema),
  condition('pk = :p AND sk = :v ', { ...p, ':v': N('1') }, kSchema),
  condition('pk = :v', { ':v': N('1') }, kSchema),
  condition('pk = :p AND begins_with(sk, :v)  ', { ...p, ':v': S('a') }, kSchema, { TableName: kNumberPair }),
  condition(
    'pk = :p AND sk BETWEEN :b AND :a',
    { ...p, ':a': S('a'), ':b': S('b') },
    'Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {S:b}, upper bound operand: AttributeValue: {S:a}',
  ),
  condition(
    'pk = :p',
    { ':p': S('') },
    /^One or more parameter values (are not valid\.|were invalid:) The AttributeValue for a key attribute cannot contain an empty string value\. Key: pk$/,
  ),
]);

const sound = { KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: p };
runCases(
  'other members that are refused',
  [
    bad(
      'Limit of zero',
      { ...sound, Limit: 0 },
      "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
    ),
    bad(
      'a bad Select',
      { ...sound, Select: 'INVALID_VALUE' },
      "1 validation error detected: Value 'INVALID_VALUE' at 'select' failed to satisfy constraint: Member must satisfy enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]",
    ),
    bad(
      'a bad ReturnConsumedCapacity',
      { ...sound, ReturnConsumedCapacity: 'INVALID' },
      "1 validation error detected: Value 'INVALID' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]",
    ),
    bad(
      'an unused name',
      { ...sound, ExpressionAttributeNames: { '#u': 'x' } },
      'Value provided in ExpressionAttributeNames unused in expressions: keys: {#u}',
    ),
    bad(
      'an unused value',
      { ...sound, ExpressionAttributeValues: { ...p, ':u': S('x') } },
      'Value provided in ExpressionAttributeValues unused in expressions: keys: {:u}',
    ),
    bad(
      'a filter on the partition key',
      { ...sound, FilterExpression: 'pk = :p' },
      'Filter Expression can only contain non-primary key attributes: Primary key attribute: pk',
    ),
    bad(
      'a filter on the sort key',
      { ...sound, FilterExpression: 'sk = :p' },
      'Filter Expression can only contain non-primary key attributes: Primary key attribute: sk',
    ),
    bad(
      'an undefined name in a filter',
      { ...sound, FilterExpression: '#missing = :p' },
      'Invalid FilterExpression: An expression attribute name used in the document path is not defined; attribute name: #missing',
    ),
    bad(
      'an undefined name in a projection',
      { ...sound, ProjectionExpression: '#missing' },
      'Invalid ProjectionExpression: An expression attribute name used in the document path is not defined; attribute name: #missing',
    ),
    bad(
      'a filter that does not parse',
      { ...sound, FilterExpression: 'a = = b' },
      'Invalid FilterExpression: Syntax error; token: "=", near: "= = b"',
    ),
    bad(
      'ALL_ATTRIBUTES with a projection',
      { ...sound, Select: 'ALL_ATTRIBUTES', ProjectionExpression: 'a' },
      /^(One or more parameter values were invalid: )?Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES( results)?$/,
    ),
    bad(
      'COUNT with a projection',
      { ...sound, Select: 'COUNT', ProjectionExpression: 'a' },
      /^(One or more parameter values were invalid: )?Cannot specify the ProjectionExpression when choosing to get only the Count( of items)?$/,
    ),
    bad(
      'ALL_PROJECTED_ATTRIBUTES without an index',
      { ...sound, Select: 'ALL_PROJECTED_ATTRIBUTES' },
      /ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName/,
    ),
    bad('SPECIFIC_ATTRIBUTES without a projection', { ...sound, Select: 'SPECIFIC_ATTRIBUTES' }, /SPECIFIC_ATTRIBUTES/),
    bad(
      'an index that is not there',
      { ...sound, IndexName: 'nosuch' },
      'The table does not have the specified index: nosuch',
    ),
    bad(
      'a start key without the sort key',
      { ...sound, ExclusiveStartKey: { pk: S('q') } },
      'The provided starting key is invalid',
    ),
    bad('a start key of another type', { ...sound, ExclusiveStartKey: { pk: S('q'), sk: N('1') } }, [
      /^The provided starting key is invalid/,
      'The provided key element does not match the schema',
    ]),
    bad(
      'a start key of another partition',
      { ...sound, ExclusiveStartKey: { pk: S('other'), sk: S('a') } },
      'The provided starting key is outside query boundaries based on provided conditions',
    ),
    bad(
      'a start key outside the condition',
      {
        KeyConditionExpression: 'pk = :p AND sk > :b',
        ExpressionAttributeValues: { ...p, ':b': S('b') },
        ExclusiveStartKey: { pk: S('q'), sk: S('a') },
      },
      [
        'The provided starting key does not match the range key predicate',
        'The provided starting key is outside query boundaries based on provided conditions',
      ],
    ),
    bad('a table that is not there', { ...sound, TableName: kAbsent }, ''),
  ].map((one) =>
    one.name === 'a table that is not there'
      ? { ...one, expect: { error: 'ResourceNotFoundException', message: 'Requested resource not found' } }
      : one,
  ),
);
