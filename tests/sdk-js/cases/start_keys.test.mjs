// ExclusiveStartKey of Query, and Query's messages about keys with several HASH attributes and about Select.
import { after, before } from 'node:test';
import { call } from '../harness/client.mjs';
import { runCases, refused } from '../harness/cases.mjs';
import { absent } from '../harness/match.mjs';
import { createTable, deleteTable } from '../harness/lifecycle.mjs';
import { index, kAll, kHash, kIndexed, kPair, name, table } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: value });
const kMany = name('many-hash');
before(async () => {
  await createTable(
    table(kMany, { pk: 'S', h1: 'S', h2: 'S', h3: 'S', r1: 'S', r2: 'S' }, 'pk', undefined, {
      GlobalSecondaryIndexes: [index('many', ['h1', 'h2', 'h3'], ['r1', 'r2'], kAll)],
    }),
  );
  await call('PutItem', { TableName: kHash, Item: { pk: S('start key') } });
});
after(() => deleteTable(kMany));

const kMismatch = 'The provided key element does not match the schema';
const kInvalidKey = 'The provided starting key is invalid';
const start = (name, TableName, ExclusiveStartKey, expect, more = {}) => ({
  name,
  operation: 'Query',
  input: {
    TableName,
    KeyConditionExpression: 'pk = :p',
    ExpressionAttributeValues: { ':p': S('start key') },
    ExclusiveStartKey,
    ...more,
  },
  expect: typeof expect === 'string' ? refused(expect) : expect,
});
runCases('where a query starts', [
  start('a sort key of another type', kPair, { pk: S('start key'), sk: N('1') }, kMismatch),
  start('a partition key of another type', kPair, { pk: N('1'), sk: S('a') }, kMismatch),
  start('a partition key of another type, without a sort key', kHash, { pk: N('1') }, kMismatch),
  start('a binary sort key', kPair, { pk: S('start key'), sk: { B: Buffer.from('a') } }, kMismatch),
  start('no sort key', kPair, { pk: S('start key') }, kInvalidKey),
  start('another attribute', kPair, { pk: S('start key'), other: S('a') }, kInvalidKey),
  start('one attribute too many', kPair, { pk: S('start key'), sk: S('a'), other: S('a') }, kInvalidKey),
  start(
    'another partition',
    kPair,
    { pk: S('elsewhere'), sk: S('a') },
    'The provided starting key is outside query boundaries based on provided conditions',
  ),
  start('an index key of another type', kIndexed, { pk: S('start key'), sk: S('a'), lr: N('1') }, kMismatch, {
    IndexName: 'lsi-all',
  }),
  start('an index without the table key', kIndexed, { pk: S('start key'), lr: S('a') }, kInvalidKey, {
    IndexName: 'lsi-all',
  }),
  start(
    'a table without a sort key',
    kHash,
    { pk: S('start key') },
    'The provided exclusive start key is invalid: The query can return at most one row and cannot be restarted',
  ),
  {
    name: 'a table without a sort key has no next page',
    operation: 'Query',
    input: {
      TableName: kHash,
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': S('start key') },
      Limit: 1,
    },
    expect: { output: { Count: 1, LastEvaluatedKey: absent } },
  },
]);

const many = (condition, message) => ({
  name: condition,
  operation: 'Query',
  input: {
    TableName: kMany,
    IndexName: 'many',
    KeyConditionExpression: condition,
    ExpressionAttributeValues: Object.fromEntries([...new Set(condition.match(/:\w+/g))].map((key) => [key, S('x')])),
  },
  expect: message ? refused(message) : { output: { Count: 0 } },
});
const lacking = (names) => `HASH key attributes ${names} must have equality conditions specified in the query`;
runCases('a key of several HASH attributes', [
  many('h1 = :a AND h2 = :b AND h3 = :c'),
  many('h3 = :a AND h1 = :b AND h2 = :c AND r1 > :d'),
  many('h1 = :a', lacking('h2, h3')),
  many('h1 = :a AND h3 = :b', lacking('h2')),
  many('h1 = :a AND h2 = :b AND h3 > :c', lacking('h3')),
  many('h1 = :a AND h2 = :b AND begins_with(h3, :c)', lacking('h3')),
  many('h1 = :a AND h2 BETWEEN :b AND :c AND h3 = :d', lacking('h2')),
  many('r1 = :a', lacking('h1, h2, h3')),
  many(
    'h1 = :a AND h2 = :b AND h3 = :c AND r2 = :d',
    'RANGE key attributes r1 must have equality conditions specified in the query because a condition is present on key attribute r2',
  ),
  many(
    'h1 = :a AND h2 = :b AND h3 = :c AND r1 > :d AND r2 = :e',
    'RANGE key attributes r1 must have equality conditions specified in the query because a condition is present on key attribute r2',
  ),
]);

const kSpecific = 'Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES';
runCases('SPECIFIC_ATTRIBUTES without a projection', [
  {
    name: 'of Query',
    operation: 'Query',
    input: {
      TableName: kHash,
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': S('x') },
      Select: 'SPECIFIC_ATTRIBUTES',
    },
    expect: refused(`1 validation error detected: ${kSpecific}`),
  },
  {
    name: 'of Scan',
    operation: 'Scan',
    input: { TableName: kHash, Select: 'SPECIFIC_ATTRIBUTES' },
    expect: refused(kSpecific),
  },
]);
