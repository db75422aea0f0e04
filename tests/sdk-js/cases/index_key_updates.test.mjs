// Updates of index key attributes: wrong types, empty and oversized values; and items that an index added later omits.
import { after, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { runCases, expectError, kInvalid, refused, kConditionFailed } from '../harness/cases.mjs';
import { assertMatches, exact } from '../harness/match.mjs';
import { createTable, deleteTable, waitUntilActive } from '../harness/lifecycle.mjs';
import { index, kAll, keySchema, name, table } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: value });
const kKeys = name('index-keys');
await createTable(
  table(kKeys, { pk: 'S', gk: 'S', nk: 'N', bk: 'B', lk: 'S', sk: 'S' }, 'pk', 'sk', {
    GlobalSecondaryIndexes: [
      index('g-zulu', 'gk', undefined, kAll),
      index('g-string', 'gk', undefined, kAll),
      index('g-number', 'nk', undefined, kAll),
      index('g-binary', 'bk', undefined, kAll),
    ],
    LocalSecondaryIndexes: [index('l-string', 'pk', 'lk', kAll)],
  }),
);
const kInverted = name('index-inverted');
await createTable(
  table(kInverted, { pk: 'S', sk: 'S' }, 'pk', 'sk', {
    GlobalSecondaryIndexes: [index('inverted', 'sk', 'pk', kAll)],
  }),
);
const kLater = name('index-later');
after(() => Promise.all([deleteTable(kKeys), deleteTable(kInverted), deleteTable(kLater)]));

let serial = 0;
const seed = { n: N('1'), e: S(''), l: { L: [] }, long: S('x'.repeat(3000)) };
const mismatch = (key, expected, actual, indexName) =>
  `${kInvalid}Type mismatch for Index Key ${key} Expected: ${expected} Actual: ${actual} IndexName: ${indexName}`;
const emptied = (kind) =>
  'One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value ' +
  `that is not supported. The AttributeValue for a key attribute cannot contain an empty ${kind} value.`;
const kUnsupported = 'The update expression attempted to update the secondary index key to unsupported type';
const kTooLong = 'The update expression attempted to update the secondary index key beyond allowed size limits';

const update = (UpdateExpression, values, expect, extra = {}) => {
  const Key = { pk: S(`u ${serial++}`), sk: S('s') };
  return {
    name: `${UpdateExpression} ${JSON.stringify(values ?? {}).slice(0, 60)}${extra.ConditionExpression ?? ''}`,
    operation: 'UpdateItem',
    before: [['PutItem', { TableName: kKeys, Item: { ...Key, ...seed } }]],
    input: {
      TableName: kKeys,
      Key,
      UpdateExpression,
      ExpressionAttributeValues: values,
      ...(UpdateExpression.includes('#') ? { ExpressionAttributeNames: { '#long': 'long' } } : {}),
      ...extra,
    },
    expect: typeof expect === 'string' ? refused(expect) : expect,
    after: [['GetItem', { TableName: kKeys, Key }, { Item: { ...Key, ...seed } }]],
  };
};
const fails = { ConditionExpression: 'attribute_not_exists(pk)' };
runCases('an update of an index key', [
  update('SET gk = :v', { ':v': N('5') }, mismatch('gk', 'S', 'N', 'g-string')),
  update('SET gk = :v', { ':v': { NULL: true } }, mismatch('gk', 'S', 'NULL', 'g-string')),
  update('SET gk = :v', { ':v': { L: [] } }, mismatch('gk', 'S', 'L', 'g-string')),
  update('SET gk = :v', { ':v': { SS: ['a'] } }, mismatch('gk', 'S', 'SS', 'g-string')),
  update('SET nk = :v', { ':v': S('5') }, mismatch('nk', 'N', 'S', 'g-number')),
  update('SET lk = :v', { ':v': N('5') }, mismatch('lk', 'S', 'N', 'l-string')),
  update('SET gk = :v, nk = :w', { ':v': N('5'), ':w': S('a') }, mismatch('nk', 'N', 'S', 'g-number')),
  update('SET gk = n + :v', { ':v': N('5') }, mismatch('gk', 'S', 'N', 'g-string')),
  update('SET gk = list_append(l, :v)', { ':v': { L: [] } }, mismatch('gk', 'S', 'L', 'g-string')),
  update('ADD gk :v', { ':v': N('5') }, mismatch('gk', 'S', 'N', 'g-string')),
  update('SET gk = :v', { ':v': N('5') }, mismatch('gk', 'S', 'N', 'g-string'), fails),
  update('SET gk = :v', { ':v': S('') }, emptied('string')),
  update('SET bk = :v', { ':v': { B: new Uint8Array() } }, emptied('binary')),
  update('SET lk = :v', { ':v': S('') }, emptied('string')),
  update('SET gk = e', undefined, emptied('string')),
  update('SET gk = if_not_exists(zz, :v)', { ':v': S('') }, emptied('string')),
  update('SET gk = :v', { ':v': S('') }, kConditionFailed, fails),
  update('SET gk = n', undefined, kUnsupported),
  update('SET gk = if_not_exists(zz, :v)', { ':v': N('5') }, kUnsupported),
  update('SET gk = #long', undefined, kTooLong),
  update(
    'SET gk = :v',
    { ':v': S('x'.repeat(2049)) },
    `${kInvalid}Size of hashkey has exceeded the maximum size limit of2048 bytes`,
  ),
  update(
    'SET lk = :v',
    { ':v': S('x'.repeat(1025)) },
    `${kInvalid}Aggregated size of all range keys has exceeded the size limit of 1024 bytes`,
  ),
]);

const legacy = (Value, message) => {
  const Key = { pk: S(`l ${serial++}`), sk: S('s') };
  return {
    name: `AttributeUpdates with ${JSON.stringify(Value)}`,
    operation: 'UpdateItem',
    input: { TableName: kKeys, Key, AttributeUpdates: { gk: { Action: 'PUT', Value } } },
    expect: refused(message),
  };
};
const statement = (text, message) => {
  const pk = `p ${serial++}`;
  return {
    name: text,
    operation: 'ExecuteStatement',
    before: [['PutItem', { TableName: kKeys, Item: { pk: S(pk), sk: S('s'), ...seed } }]],
    input: { Statement: `UPDATE "${kKeys}" SET ${text} WHERE pk='${pk}' AND sk='s'` },
    expect: refused(message),
  };
};
runCases('an update of an index key by other means', [
  legacy(N('5'), mismatch('gk', 'S', 'N', 'g-string')),
  legacy({ NULL: true }, mismatch('gk', 'S', 'NULL', 'g-string')),
  legacy(
    S(''),
    'One or more parameter values are not valid. A value specified for a secondary index key is not supported. The ' +
      'AttributeValue for a key attribute cannot contain an empty string value. IndexName: g-string, IndexKey: gk',
  ),
  statement('gk=5', mismatch('gk', 'S', 'N', 'g-string')),
  statement('gk=NULL', mismatch('gk', 'S', 'NULL', 'g-string')),
  statement("gk=''", emptied('string')),
  statement('gk=n', kUnsupported),
]);

runCases('a key that is part of an index key too', [
  {
    name: 'may not be longer than that allows',
    operation: 'UpdateItem',
    input: { TableName: kInverted, Key: { pk: S('x'.repeat(1025)), sk: S('s') } },
    expect: refused(`${kInvalid}Aggregated size of all range keys has exceeded the size limit of 1024 bytes`),
  },
  {
    name: 'nor may it be for an update that writes something else',
    operation: 'UpdateItem',
    input: {
      TableName: kInverted,
      Key: { pk: S('x'.repeat(1025)), sk: S('s') },
      UpdateExpression: 'SET a = :v',
      ExpressionAttributeValues: { ':v': N('1') },
    },
    expect: refused(`${kInvalid}Aggregated size of all range keys has exceeded the size limit of 1024 bytes`),
  },
]);

const cancelled = (name, UpdateExpression, values, reason) => ({
  name,
  UpdateExpression,
  values,
  reason,
});
describe('a transaction that updates an index key', () => {
  for (const one of [
    cancelled('of another type', 'SET gk = :v', { ':v': N('5') }, mismatch('gk', 'S', 'N', 'g-string')),
    cancelled('copied of another type', 'SET gk = n', undefined, kUnsupported),
  ]) {
    test(one.name, async () => {
      const Key = { pk: S(`t ${serial++}`), sk: S('s') };
      await call('PutItem', { TableName: kKeys, Item: { ...Key, ...seed } });
      const error = await expectError(
        'TransactWriteItems',
        {
          TransactItems: [
            {
              Update: {
                TableName: kKeys,
                Key,
                UpdateExpression: one.UpdateExpression,
                ExpressionAttributeValues: one.values,
              },
            },
          ],
        },
        { error: 'TransactionCanceledException' },
      );
      assertMatches(error.CancellationReasons, exact([{ Code: 'ValidationError', Message: one.reason }]));
    });
  }
  test('only the first of several faults is reported', async () => {
    const put = (pk, gk) => ({ Put: { TableName: kKeys, Item: { pk: S(pk), sk: S('s'), gk } } });
    const error = await expectError(
      'TransactWriteItems',
      { TransactItems: [put('t first', S('ok')), put('t second', N('5')), put('t third', N('5'))] },
      {
        error: 'TransactionCanceledException',
        message:
          'Transaction cancelled, please refer cancellation reasons for specific reasons [None, ValidationError, None]',
      },
    );
    assert.deepEqual(
      error.CancellationReasons.map((reason) => reason.Code),
      ['None', 'ValidationError', 'None'],
    );
  });
});

test('an index added later leaves out items whose key does not fit it, and they can be updated', async () => {
  await createTable(table(kLater, { pk: 'S' }, 'pk'));
  const put = (pk, gk) => call('PutItem', { TableName: kLater, Item: { pk: S(pk), gk } });
  await put('fits', S('a'));
  await put('number', N('1'));
  await put('null', { NULL: true });
  await put('empty', S(''));
  await put('long', S('x'.repeat(2049)));
  await call('PutItem', { TableName: kLater, Item: { pk: S('none') } });
  await call('UpdateTable', {
    TableName: kLater,
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'gk', AttributeType: 'S' },
    ],
    GlobalSecondaryIndexUpdates: [{ Create: { IndexName: 'late', KeySchema: keySchema('gk'), Projection: kAll } }],
  });
  await waitUntilActive(kLater);
  const scan = () => call('Scan', { TableName: kLater, IndexName: 'late' });
  assert.deepEqual(
    (await scan()).Items.map((item) => item.pk.S),
    ['fits'],
  );
  for (const pk of ['number', 'null', 'empty', 'long', 'none', 'fits']) {
    await call('UpdateItem', {
      TableName: kLater,
      Key: { pk: S(pk) },
      UpdateExpression: 'SET touched = :v',
      ExpressionAttributeValues: { ':v': N('1') },
    });
  }
  assert.deepEqual(
    (await scan()).Items.map((item) => [item.pk.S, item.touched.N]),
    [['fits', '1']],
  );
  await expectError(
    'UpdateItem',
    {
      TableName: kLater,
      Key: { pk: S('number') },
      UpdateExpression: 'SET gk = :v',
      ExpressionAttributeValues: { ':v': N('2') },
    },
    refused(mismatch('gk', 'S', 'N', 'late')),
  );
  await call('UpdateItem', {
    TableName: kLater,
    Key: { pk: S('number') },
    UpdateExpression: 'SET gk = :v',
    ExpressionAttributeValues: { ':v': S('b') },
  });
  assert.equal((await scan()).Count, 2);
});
