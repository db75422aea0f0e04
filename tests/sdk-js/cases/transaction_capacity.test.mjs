// Capacity units of transactions and of batches of statements, with indexes: total, table, global index, local index.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { runCases } from '../harness/cases.mjs';
import { absent, assertMatches, exact } from '../harness/match.mjs';
import { kCapacity, kHash } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const INDEXES = { ReturnConsumedCapacity: 'INDEXES' };
const at = (pk) => ({ pk: S(pk), sk: S('1') });
const put = (Item) => ({ Put: { TableName: kCapacity, Item } });
const remove = (pk) => ({ Delete: { TableName: kCapacity, Key: at(pk) } });
const update = (pk, UpdateExpression, values) => ({
  Update: { TableName: kCapacity, Key: at(pk), UpdateExpression, ExpressionAttributeValues: values },
});
const check = (pk) => ({
  ConditionCheck: { TableName: kCapacity, Key: at(pk), ConditionExpression: 'attribute_exists(pk)' },
});
const units = (CapacityUnits) => ({ CapacityUnits, WriteCapacityUnits: CapacityUnits });
const writes = (total, table, gsi, lsi, TableName = kCapacity) => ({
  TableName,
  CapacityUnits: total,
  WriteCapacityUnits: total,
  Table: units(table),
  ...(gsi ? { GlobalSecondaryIndexes: { gsi: units(gsi) } } : {}),
  ...(lsi ? { LocalSecondaryIndexes: { lsi: units(lsi) } } : {}),
});
const plain = (total, table, gsi, lsi) => ({
  TableName: kCapacity,
  CapacityUnits: total,
  Table: { CapacityUnits: table },
  ...(gsi ? { GlobalSecondaryIndexes: { gsi: { CapacityUnits: gsi } } } : {}),
  ...(lsi ? { LocalSecondaryIndexes: { lsi: { CapacityUnits: lsi } } } : {}),
});
const large = (bytes) => S('x'.repeat(bytes));
const seeded = (Item) => [['PutItem', { TableName: kCapacity, Item }]];

const transaction = (name, TransactItems, expected, before = []) => ({
  name,
  operation: 'TransactWriteItems',
  before,
  input: { TransactItems, ...INDEXES },
  expect: { output: { ConsumedCapacity: exact([writes(...expected)]) } },
});
runCases('a transaction doubles the units of its table alone', [
  transaction('a put into a global index', [put({ ...at('tc1'), gh: S('g') })], [3, 2, 1]),
  transaction('a put into neither index', [put({ ...at('tc2'), beside: S('o') })], [2, 2]),
  transaction('a put into both', [put({ ...at('tc3'), gh: S('g'), lr: S('l'), shown: S('p') })], [4, 2, 1, 1]),
  transaction(
    'a put that changes nothing',
    [put({ ...at('tc4'), gh: S('g'), lr: S('l') })],
    [2, 2],
    seeded({ ...at('tc4'), gh: S('g'), lr: S('l') }),
  ),
  transaction(
    'an update outside the projection',
    [update('tc5', 'SET beside = :v', { ':v': S('o2') })],
    [3, 2, undefined, 1],
    seeded({ ...at('tc5'), gh: S('g'), lr: S('l'), beside: S('o') }),
  ),
  transaction(
    'an update that moves an entry',
    [update('tc6', 'SET gh = :v', { ':v': S('g2') })],
    [5, 2, 2, 1],
    seeded({ ...at('tc6'), gh: S('g'), lr: S('l') }),
  ),
  transaction('a delete', [remove('tc7')], [4, 2, 1, 1], seeded({ ...at('tc7'), gh: S('g'), lr: S('l') })),
  transaction('a check', [check('tc8')], [2, 2], seeded({ ...at('tc8'), gh: S('g'), lr: S('l') })),
  transaction(
    'two puts',
    [put({ ...at('tc9'), gh: S('g'), lr: S('l') }), put({ ...at('tc10'), gh: S('g'), lr: S('l') })],
    [8, 4, 2, 2],
  ),
  transaction(
    'a delete of 3 KB',
    [remove('tc11')],
    [9, 6, 3],
    seeded({ ...at('tc11'), gh: S('g'), shown: large(3000) }),
  ),
  transaction('a put that shrinks', [put(at('tc12'))], [6, 6], seeded({ ...at('tc12'), beside: large(3000) })),
  transaction(
    'an entry of 1.5 KB that moves',
    [update('tc13', 'SET gh = :v', { ':v': S('g9') })],
    [8, 4, 4],
    seeded({ ...at('tc13'), gh: S('g'), shown: large(1500) }),
  ),
  transaction(
    'an update that shrinks an entry',
    [update('tc14', 'SET shown = :v', { ':v': S('p') })],
    [9, 6, 3],
    seeded({ ...at('tc14'), gh: S('g'), shown: large(3000) }),
  ),
  transaction('a check of 3 KB', [check('tc15')], [6, 6], seeded({ ...at('tc15'), beside: large(3000) })),
  transaction(
    'an update that makes the item',
    [update('tc16', 'SET gh = :g, lr = :l', { ':g': S('g'), ':l': S('l') })],
    [4, 2, 1, 1],
  ),
  transaction('a delete of nothing', [remove('tc17')], [2, 2]),
  transaction(
    'a put of 3 KB that changes nothing',
    [put({ ...at('tc18'), gh: S('g'), shown: large(3000) })],
    [6, 6],
    seeded({ ...at('tc18'), gh: S('g'), shown: large(3000) }),
  ),
  {
    name: 'two tables',
    operation: 'TransactWriteItems',
    input: {
      TransactItems: [
        put({ ...at('tc19'), gh: S('g'), lr: S('l') }),
        { Put: { TableName: kHash, Item: { pk: S('tc19') } } },
      ],
      ...INDEXES,
    },
    expect: { output: { ConsumedCapacity: exact([writes(4, 2, 1, 1), writes(2, 2, undefined, undefined, kHash)]) } },
  },
  {
    name: 'TOTAL has the sum alone',
    operation: 'TransactWriteItems',
    input: {
      TransactItems: [put({ ...at('tc20'), gh: S('g'), lr: S('l') })],
      ReturnConsumedCapacity: 'TOTAL',
    },
    expect: {
      output: {
        ConsumedCapacity: exact([{ TableName: kCapacity, CapacityUnits: 4, WriteCapacityUnits: 4 }]),
      },
    },
  },
]);

const statements = (name, texts, expected, before = []) => ({
  name,
  operation: 'ExecuteTransaction',
  before,
  input: { TransactStatements: texts.map((Statement) => ({ Statement })), ...INDEXES },
  expect: { output: { ConsumedCapacity: exact([writes(...expected)]) } },
});
const insert = (fields) => `INSERT INTO "${kCapacity}" VALUE {${fields}}`;
runCases('ExecuteTransaction likewise', [
  statements('an INSERT into both', [insert("'pk':'te1','sk':'1','gh':'g','lr':'l'")], [4, 2, 1, 1]),
  statements('an INSERT of 3 KB', [insert(`'pk':'te2','sk':'1','gh':'g','shown':'${'x'.repeat(3000)}'`)], [9, 6, 3]),
  statements(
    'an UPDATE that shrinks',
    [`UPDATE "${kCapacity}" SET shown='p' WHERE pk='te3' AND sk='1'`],
    [9, 6, 3],
    seeded({ ...at('te3'), gh: S('g'), shown: large(3000) }),
  ),
  statements(
    'two INSERTs',
    [insert("'pk':'te4','sk':'1','gh':'g','lr':'l'"), insert("'pk':'te5','sk':'1','gh':'g','lr':'l'")],
    [8, 4, 2, 2],
  ),
]);

// A request with the token of a completed one costs as much as reading its items would have cost then.
const repeated = (name, TransactItems, first, second, before) =>
  test(`a repeated transaction > ${name}`, async () => {
    for (const [operation, input] of before) await call(operation, input);
    const input = {
      TransactItems,
      ReturnConsumedCapacity: 'TOTAL',
      ClientRequestToken: `${name.slice(0, 20)} ${Date.now()}`.slice(0, 36),
    };
    const consumed = async () => (await call('TransactWriteItems', input)).ConsumedCapacity;
    assertMatches(await consumed(), exact([{ TableName: kCapacity, CapacityUnits: first, WriteCapacityUnits: first }]));
    const again = exact([{ TableName: kCapacity, CapacityUnits: second, ReadCapacityUnits: second }]);
    assertMatches(await consumed(), again);
    assertMatches(await consumed(), again);
  });
const nineKb = (pk) => seeded({ ...at(pk), shown: large(9000) });
repeated('shrinking put', [put(at('tr1'))], 18, 6, nineKb('tr1'));
repeated('growing put', [put({ ...at('tr2'), shown: large(9000) })], 18, 6, seeded({ ...at('tr2'), beside: S('o') }));
repeated('delete', [remove('tr3')], 18, 6, nineKb('tr3'));
repeated('check', [check('tr4')], 18, 6, nineKb('tr4'));
repeated('delete and put', [remove('tr5'), put({ ...at('tr6'), beside: S('o') })], 20, 8, nineKb('tr5'));
test('a repeated transaction > is charged on what the first saw, not on what is there now', async () => {
  const input = {
    TransactItems: [put({ ...at('tr7'), beside: S('o') })],
    ReturnConsumedCapacity: 'TOTAL',
    ClientRequestToken: `later ${Date.now()}`,
  };
  await call('TransactWriteItems', input);
  await call('PutItem', { TableName: kCapacity, Item: { ...at('tr7'), shown: large(9000) } });
  const { ConsumedCapacity } = await call('TransactWriteItems', input);
  assert.equal(ConsumedCapacity[0].CapacityUnits, 2);
});

const batch = (name, texts, expected, before = []) => ({
  name,
  operation: 'BatchExecuteStatement',
  before,
  input: { Statements: texts.map((Statement) => ({ Statement })), ...INDEXES },
  expect: { output: { ConsumedCapacity: expected === absent ? absent : exact([plain(...expected)]) } },
});
const select = (pk) => `SELECT * FROM "${kCapacity}" WHERE pk='${pk}' AND sk='1'`;
runCases('a batch of statements counts the ones that failed', [
  batch('one INSERT', [insert("'pk':'tb1','sk':'1','gh':'g'")], [2, 1, 1]),
  batch('one outside the indexes', [insert("'pk':'tb2','sk':'1','beside':'o'")], [1, 1]),
  batch('two', [insert("'pk':'tb3','sk':'1','gh':'g'"), insert("'pk':'tb4','sk':'1','gh':'g'")], [4, 2, 2]),
  batch(
    'one duplicate and one good INSERT',
    [insert("'pk':'tb5','sk':'1','gh':'g'"), insert("'pk':'tb6','sk':'1','gh':'g'")],
    [3, 1, 1],
    seeded({ ...at('tb5'), gh: S('g') }),
  ),
  batch('one duplicate alone', [insert("'pk':'tb7','sk':'1','gh':'g'")], absent, seeded(at('tb7'))),
  batch(
    'duplicates of items of 1, 1 and 3 KB',
    [
      insert("'pk':'tb8','sk':'1'"),
      insert("'pk':'tb9','sk':'1'"),
      insert("'pk':'tb10','sk':'1'"),
      insert("'pk':'tb11','sk':'1','gh':'g'"),
    ],
    [7, 1, 1],
    [...seeded(at('tb8')), ...seeded(at('tb9')), ...seeded({ ...at('tb10'), shown: large(3000) })],
  ),
  batch(
    'an UPDATE that shrinks',
    [`UPDATE "${kCapacity}" SET shown='p' WHERE pk='tb12' AND sk='1'`],
    [6, 3, 3],
    seeded({ ...at('tb12'), gh: S('g'), shown: large(3000) }),
  ),
  batch(
    'a DELETE',
    [`DELETE FROM "${kCapacity}" WHERE pk='tb13' AND sk='1'`],
    [3, 1, 1, 1],
    seeded({ ...at('tb13'), gh: S('g'), lr: S('l') }),
  ),
  batch('two reads', [select('tb14'), select('tb15')], [1, 1], [...seeded(at('tb14')), ...seeded(at('tb15'))]),
]);

runCases('a batch of statements as a whole', [
  {
    name: 'reads and writes do not go together',
    operation: 'BatchExecuteStatement',
    input: { Statements: [{ Statement: select('tb16') }, { Statement: insert("'pk':'tb16','sk':'1'") }] },
    expect: {
      error: 'ValidationException',
      message: 'Read and write requests together in the same batch is not supported.',
    },
  },
  ...[
    ['two INSERTs of one item', [insert("'pk':'tb17','sk':'1'"), insert("'pk':'tb17','sk':'1','a':1")]],
    ['two SELECTs of one item', [select('tb18'), select('tb18')]],
    [
      'an UPDATE and a DELETE',
      [
        `UPDATE "${kCapacity}" SET a=1 WHERE pk='tb19' AND sk='1'`,
        `DELETE FROM "${kCapacity}" WHERE sk='1' AND pk='tb19'`,
      ],
    ],
  ].map(([name, texts]) => ({
    name: `${name} are refused`,
    operation: 'BatchExecuteStatement',
    input: { Statements: texts.map((Statement) => ({ Statement })) },
    expect: { error: 'ValidationException', message: 'Provided list of item keys contains duplicates' },
  })),
  {
    name: 'keys that only look alike are two items',
    operation: 'BatchExecuteStatement',
    input: {
      Statements: [
        { Statement: insert("'pk':'tb20#S:b','sk':'c'") },
        { Statement: insert("'pk':'tb20','sk':'b#S:c'") },
      ],
      ...INDEXES,
    },
    expect: { output: { ConsumedCapacity: exact([plain(2, 2)]) } },
  },
]);
