// Values that are nested too deeply, and which fault of a transaction's actions is reported.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { runCases, expectError, one, refused, kConditionFailed } from '../harness/cases.mjs';
import { kAbsent, kHash } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const deep = (levels) => {
  let value = S('leaf');
  for (let at = 0; at < levels; at++) value = { M: { n: value } };
  return value;
};
const TableName = kAbsent;
const kDeep =
  'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit';
const forKey = (key) => `ExpressionAttributeValues contains invalid value: ${kDeep} for key ${key}`;
const kEmptyName = 'Empty attribute name';
const kSyntax = 'Invalid ConditionExpression: Syntax error; token: "=", near: "= = b"';
const key = (pk) => ({ pk, sk: S('1') });
const put = (Item, more = {}) => ({ Put: { TableName, Item, ...more } });
const remove = (Key, more = {}) => ({ Delete: { TableName, Key, ...more } });
const check = (Key, ConditionExpression, values) => ({
  ConditionCheck: { TableName, Key, ConditionExpression, ExpressionAttributeValues: values },
});
const update = (Key, UpdateExpression, values) => ({
  Update: { TableName, Key, UpdateExpression, ExpressionAttributeValues: values },
});
const nameless = put({ ...key(S('a')), '': S('x') });
const malformed = put(key(S('a')), { ConditionExpression: 'a = = b' });
const unused = update(key(S('a')), 'SET a = :v', { ':v': S('x'), ':u': S('y') });
const kUnused = 'Value provided in ExpressionAttributeValues unused in expressions: keys: {:u}';

const first = (name, TransactItems, message) => ({
  name,
  operation: 'TransactWriteItems',
  input: { TransactItems },
  expect: refused(message),
});
const longCondition = 'a = :v' + ' AND a = :v'.repeat(373);
const longUpdate = `SET ${Array.from({ length: 500 }, (_, at) => `a${at} = :v`).join(', ')}`;
runCases('the actions of a transaction are looked at one by one', [
  first('a deep item, then an empty name', [put({ ...key(S('b')), d: deep(40) }), nameless], kDeep),
  first('an empty name, then a deep item', [nameless, put({ ...key(S('b')), d: deep(100) })], kEmptyName),
  first('both in one item', [put({ ...key(S('a')), '': S('x'), d: deep(100) })], kEmptyName),
  first('both in one item, the other way round', [put({ ...key(S('a')), d: deep(100), '': S('x') })], kEmptyName),
  first(
    'an empty name, then a deep value',
    [nameless, check(key(S('b')), 'd = :deep', { ':deep': deep(100) })],
    kEmptyName,
  ),
  first(
    'a deep value, then an empty name',
    [check(key(S('b')), 'd = :deep', { ':deep': deep(40) }), nameless],
    forKey(':deep'),
  ),
  first(
    'a deep value written, then an empty name',
    [update(key(S('a')), 'SET d = :deep', { ':deep': deep(40) }), nameless],
    forKey(':deep'),
  ),
  first('a deep key, then a malformed condition', [remove(key(deep(40))), malformed], kDeep),
  first('a deep key, then an unused value', [check(key(deep(40)), 'attribute_exists(a)'), unused], kDeep),
  first('a malformed condition, then a deep key', [malformed, remove(key(deep(100)))], kSyntax),
  first('a malformed condition and a deep key', [remove(key(deep(100)), { ConditionExpression: 'a = = b' })], kSyntax),
  first(
    'a condition too long and a deep key',
    [remove(key(deep(100)), { ConditionExpression: longCondition, ExpressionAttributeValues: { ':v': S('x') } })],
    'Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; expression size: 4109',
  ),
  first(
    'an update too long, then a deep key',
    [update(key(S('a')), longUpdate, { ':v': S('x') }), check(key(deep(100)), 'attribute_exists(a)')],
    'Invalid UpdateExpression: Expression size has exceeded the maximum allowed size;',
  ),
  first('an unused value, then a deep key', [unused, check(key(deep(100)), 'attribute_exists(a)')], kUnused),
  first('an unused value, then no table', [unused, put(key(S('a')))], kUnused),
  first('no table, then an unused value', [put(key(S('a'))), unused], kUnused),
  first('33 levels', [check({ pk: S('a') }, 'd = :deep', { ':deep': deep(33) })], forKey(':deep')),
]);

const cancelled = async (action, code, message) => {
  const error = await expectError(
    'TransactWriteItems',
    { TransactItems: [action] },
    { error: 'TransactionCanceledException' },
  );
  assert.equal(error.CancellationReasons[0].Code, code);
  assert.equal(error.CancellationReasons[0].Message, message);
};
describe('a value of 32 levels in a transaction', () => {
  const Key = { pk: S('deep transaction') };
  test('is not stored', () =>
    cancelled(
      {
        Update: {
          TableName: kHash,
          Key,
          UpdateExpression: 'SET d = :deep',
          ExpressionAttributeValues: { ':deep': deep(32) },
        },
      },
      'ValidationError',
      'Nesting Levels have exceeded supported limits',
    ));
  test('can be compared by an update', () =>
    cancelled(
      {
        Update: {
          TableName: kHash,
          Key,
          UpdateExpression: 'SET touched = :t',
          ConditionExpression: 'd = :deep',
          ExpressionAttributeValues: { ':t': S('y'), ':deep': deep(32) },
        },
      },
      'ConditionalCheckFailed',
      'The conditional request failed',
    ));
  test('can be compared by a check', () =>
    cancelled(
      {
        ConditionCheck: {
          TableName: kHash,
          Key,
          ConditionExpression: 'd = :deep',
          ExpressionAttributeValues: { ':deep': deep(32) },
        },
      },
      'ConditionalCheckFailed',
      'The conditional request failed',
    ));
  test('one of 31 levels is stored', async () => {
    const value = deep(31);
    await call('TransactWriteItems', {
      TransactItems: [
        {
          Update: {
            TableName: kHash,
            Key,
            UpdateExpression: 'SET d = :deep',
            ExpressionAttributeValues: { ':deep': value },
          },
        },
      ],
    });
    assert.deepEqual((await call('GetItem', { TableName: kHash, Key })).Item.d, value);
  });
});

const compared = (levels) => ({
  TableName: kHash,
  Key: { pk: S('deep update') },
  UpdateExpression: 'SET touched = :t',
  ConditionExpression: 'd = :deep',
  ExpressionAttributeValues: { ':t': S('y'), ':deep': deep(levels) },
});
runCases('a condition value of UpdateItem', [
  { name: '31 levels', operation: 'UpdateItem', input: compared(31), expect: kConditionFailed },
  { name: '32 levels', operation: 'UpdateItem', input: compared(32), expect: refused(one(kDeep)) },
  { name: '63 levels', operation: 'UpdateItem', input: compared(63), expect: refused(forKey(':deep')) },
  { name: '100 levels', operation: 'UpdateItem', input: compared(100), expect: refused(forKey(':deep')) },
]);

const kOperatorOlder =
  "Value 'XOR' at 'conditionalOperator' failed to satisfy constraint: Member must satisfy enum value set: [OR, AND]";
const kReturnOlder =
  "Value 'BOGUS' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]";
const expected = (levels) => ({
  Expected: { a: { Value: deep(levels) }, b: { Exists: false } },
  ConditionalOperator: 'XOR',
});
const condition = (levels) => ({
  ConditionExpression: '#d = :deep',
  ExpressionAttributeNames: { '#d': 'd' },
  ExpressionAttributeValues: { ':deep': deep(levels) },
});
runCases('what is nested very deep is looked at in the older layer', [
  {
    name: 'an operator of PutItem',
    operation: 'PutItem',
    input: { TableName, Item: key(S('a')), ...expected(100) },
    expect: refused(one(kOperatorOlder)),
  },
  {
    name: 'an operator of UpdateItem',
    operation: 'UpdateItem',
    input: { TableName, Key: key(S('a')), AttributeUpdates: { x: { Action: 'PUT', Value: S('1') } }, ...expected(100) },
    expect: refused(one(kOperatorOlder)),
  },
  {
    name: 'ReturnValues of DeleteItem, beside a condition',
    operation: 'DeleteItem',
    input: { TableName, Key: key(S('a')), ...condition(63), ReturnValues: 'BOGUS' },
    expect: refused(one(kReturnOlder)),
  },
  {
    name: 'ReturnValues of DeleteItem, beside Expected',
    operation: 'DeleteItem',
    input: { TableName, Key: key(S('a')), Expected: { d: { Value: deep(63) } }, ReturnValues: 'BOGUS' },
    expect: refused(one(kReturnOlder)),
  },
  {
    name: 'ReturnValues of DeleteItem, beside the key',
    operation: 'DeleteItem',
    input: { TableName, Key: key(deep(100)), ReturnValues: 'BOGUS' },
    expect: refused(one(kReturnOlder)),
  },
  {
    name: 'UPDATED_NEW of DeleteItem',
    operation: 'DeleteItem',
    input: { TableName, Key: key(S('a')), ...condition(100), ReturnValues: 'UPDATED_NEW' },
    expect: refused('ReturnValues can only be ALL_OLD or NONE'),
  },
]);
