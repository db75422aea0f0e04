// UpdateItem's size limits: the resulting item, and a charge for the expression that depends only on the request, may
// each be at most 409,600 bytes. Each case states the charge of a clause; padding in the same request fills the rest
// exactly.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { expectError, kConditionFailed, refused, runCases } from '../harness/cases.mjs';
import { kHash, kPair } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: value });
const kMax = 409_600;
const kTooLarge = refused('Item size to update has exceeded the maximum allowed size');
const pad = (bytes) => S('x'.repeat(bytes));
const element = (step) => String(step).length;
const target = (first, ...rest) => element(first) + rest.reduce((sum, step) => sum + 4 + element(step), 0);
const operand = (...steps) => 1 + steps.reduce((sum, step) => sum + 14 + element(step), 0);
const kUpdate = 3;
const kSet = 19;
const kRemove = 1;

let serial = 0;
const ten = S('y'.repeat(10));
// `clause` is combined with "SET b = :pad".
const charged = (clause, charge, seed, values = {}, names) =>
  test(`UpdateItem charges ${clause} ${charge} bytes`, async () => {
    const expression = clause.startsWith('SET ') ? `SET b = :pad, ${clause.slice(4)}` : `SET b = :pad ${clause}`;
    const padding = kMax - kUpdate - kSet - target('b') - charge;
    const update = async (bytes) => {
      const Key = { pk: S(`s${serial++}`) };
      if (seed) await call('PutItem', { TableName: kHash, Item: { ...Key, ...seed } });
      const input = {
        TableName: kHash,
        Key,
        UpdateExpression: expression,
        ExpressionAttributeValues: { ':pad': pad(bytes), ...values },
        ExpressionAttributeNames: names,
      };
      return { Key, input };
    };
    const fits = await update(padding);
    await call('UpdateItem', fits.input);
    const { Item } = await call('GetItem', { TableName: kHash, Key: fits.Key });
    assert.equal(Item.b.S.length, padding);
    const over = await update(padding + 1);
    await expectError('UpdateItem', over.input, kTooLarge);
  });

describe('what an update expression is charged', () => {
  charged('SET c = :c', kSet + target('c') + 1, undefined, { ':c': S('y') });
  charged('SET #c = :c', kSet + target('c') + 500, undefined, { ':c': S('y'.repeat(500)) }, { '#c': 'c' });
  charged('SET c = abcdefghij', kSet + target('c') + operand('abcdefghij'), { abcdefghij: ten });
  charged('SET c = m.z', kSet + target('c') + operand('m', 'z'), { m: { M: { z: ten } } });
  charged('SET c = m.a.z', kSet + target('c') + operand('m', 'a', 'z'), { m: { M: { a: { M: { z: ten } } } } });
  charged('SET c = l[10]', kSet + target('c') + operand('l', 10), { l: { L: Array(11).fill(S('e')) } });
  charged(
    'SET l = list_append(l, :l)',
    kSet + target('l') + 37 + operand('l') + 14,
    { l: { L: [S('e')] } },
    { ':l': { L: [ten] } },
  );
  charged('SET l = list_append(:a, :c)', kSet + target('l') + 37 + 5 + 14, undefined, {
    ':a': { L: [S('e')] },
    ':c': { L: [ten] },
  });
  charged(
    'SET c = if_not_exists(c, :m)',
    kSet + target('c') + 39 + operand('c') + 105,
    { c: S('c') },
    { ':m': { M: { a: S('y'.repeat(100)) } } },
  );
  charged(
    'SET c = if_not_exists(c, :s), d = if_not_exists(d, :s)',
    2 * (kSet + 1 + 39 + operand('c') + 100),
    { c: S('c'), d: S('d') },
    { ':s': S('s'.repeat(100)) },
  );
  charged('SET n = n + :n', kSet + target('n') + 34 + operand('n') + 2, { n: N('1') }, { ':n': N('1') });
  charged(
    'SET n = n + :n ',
    kSet + target('n') + 34 + operand('n') + 2,
    { n: N('12345678901234567890') },
    { ':n': N('1') },
  );
  charged('SET n = n - :n', kSet + target('n') + 37 + operand('n') + 2, { n: N('1') }, { ':n': N('1') });
  charged('SET c = if_not_exists(c, :v)', kSet + target('c') + 39 + operand('c') + 1, { c: ten }, { ':v': S('v') });
  charged('SET c = if_not_exists(c, :v) ', kSet + target('c') + 39 + operand('c') + 10, undefined, { ':v': ten });
  charged('ADD abcdefghij :n', kSet + target('abcdefghij') + 2, { abcdefghij: N('1') }, { ':n': N('1') });
  charged('ADD ss :s', kSet + target('ss') + 500, { ss: { SS: ['p'] } }, { ':s': { SS: ['s'.repeat(500)] } });
  charged('REMOVE r', kRemove + target('r'), { r: S('z') });
  charged('REMOVE abcdefghij', kRemove + target('abcdefghij'), { abcdefghij: S('r') });
  charged('REMOVE m.yyyyyyyyyy', kRemove + target('m', 'yyyyyyyyyy'), { m: { M: { x: ten, yyyyyyyyyy: S('r') } } });
  charged('REMOVE abcdefghij[1]', kRemove + target('abcdefghij', 1), { abcdefghij: { L: [ten, S('r')] } });
  charged('REMOVE l[10]', kRemove + target('l', 10), { l: { L: Array(11).fill(S('e')) } });
  charged(
    'DELETE abcdefghij :s',
    kRemove + target('abcdefghij'),
    { abcdefghij: { SS: ['p', 'q'.repeat(20)] } },
    { ':s': { SS: ['q'.repeat(20)] } },
  );
  charged('SET d.leaf = :v', kSet + target('d', 'leaf') + 5, { d: { M: {} } }, { ':v': S('12345') });
  charged('SET d[0] = :v', kSet + target('d', 0) + 5, { d: { L: [] } }, { ':v': S('12345') });
});

const whole = (Key, bytes) => {
  const used = Object.entries(Key).reduce((sum, [name, { S: text }]) => sum + name.length + text.length, 0);
  return pad(bytes - used - 1);
};
const set = (TableName, Key, value, more = {}) => ({
  TableName,
  Key,
  UpdateExpression: 'SET b = :pad',
  ExpressionAttributeValues: { ':pad': value },
  ...more,
});
const short = { pk: S('K') };
const sorted = { pk: S('K'), sk: S('a') };
const long = { pk: S('k'.repeat(100)) };
runCases('the limits of UpdateItem', [
  {
    name: 'a short key: 19 bytes less than the item may have',
    operation: 'UpdateItem',
    input: set(kHash, short, whole(short, kMax - 19)),
    expect: { output: {} },
  },
  {
    name: 'one byte more is too much',
    operation: 'UpdateItem',
    input: set(kHash, { pk: S('L') }, whole(short, kMax - 18)),
    expect: kTooLarge,
  },
  {
    name: 'a sort key is not charged either',
    operation: 'UpdateItem',
    input: set(kPair, sorted, whole(sorted, kMax - 16)),
    expect: { output: {} },
  },
  {
    name: 'nor is more than that left over',
    operation: 'UpdateItem',
    input: set(kPair, { pk: S('L'), sk: S('a') }, whole(sorted, kMax - 15)),
    expect: kTooLarge,
  },
  {
    name: 'a long key: the item may have all',
    operation: 'UpdateItem',
    input: set(kHash, long, whole(long, kMax)),
    expect: { output: {} },
  },
  {
    name: 'and no more',
    operation: 'UpdateItem',
    input: set(kHash, { pk: S('l'.repeat(100)) }, whole(long, kMax + 1)),
    expect: kTooLarge,
  },
  {
    name: 'the charge is looked at before the condition',
    operation: 'UpdateItem',
    input: set(kHash, { pk: S('M') }, whole(short, kMax), { ConditionExpression: 'attribute_exists(pk)' }),
    expect: kTooLarge,
  },
  {
    name: 'the item after it',
    operation: 'UpdateItem',
    input: set(kHash, { pk: S('m'.repeat(100)) }, whole(long, kMax + 1), {
      ConditionExpression: 'attribute_exists(pk)',
    }),
    expect: kConditionFailed,
  },
  {
    name: 'AttributeUpdates have no charge',
    operation: 'UpdateItem',
    input: {
      TableName: kHash,
      Key: { pk: S('N') },
      AttributeUpdates: { b: { Action: 'PUT', Value: whole(short, kMax) } },
    },
    expect: { output: {} },
  },
  {
    name: 'AttributeUpdates one byte over',
    operation: 'UpdateItem',
    input: {
      TableName: kHash,
      Key: { pk: S('O') },
      AttributeUpdates: { b: { Action: 'PUT', Value: whole(short, kMax + 1) } },
    },
    expect: kTooLarge,
  },
  {
    name: 'a PartiQL UPDATE has no charge',
    operation: 'ExecuteStatement',
    before: [['PutItem', { TableName: kHash, Item: { pk: S('P') } }]],
    input: { Statement: `UPDATE "${kHash}" SET b = ? WHERE pk = 'P'`, Parameters: [whole(short, kMax)] },
    expect: { output: {} },
  },
  {
    name: 'nor has a transaction',
    operation: 'TransactWriteItems',
    input: { TransactItems: [{ Update: set(kHash, { pk: S('Q') }, whole(short, kMax)) }] },
    expect: { output: {} },
  },
]);
