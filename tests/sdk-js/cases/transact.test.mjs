// TransactWriteItems and TransactGetItems.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCases, expectError, kInvalid, kNoTable, one, refused } from '../harness/cases.mjs';
import { call } from '../harness/client.mjs';
import { absent, assertMatches, exact } from '../harness/match.mjs';
import { kAbsent, kBinaryHash, kCapacity, kHash, kIndexed, kNumberPair, kPair } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: value });
const key = (text) => ({ pk: S(text) });
const put = (Item, more = {}) => ({ Put: { TableName: kHash, Item, ...more } });
const remove = (Key, more = {}) => ({ Delete: { TableName: kHash, Key, ...more } });
const check = (Key, ConditionExpression, more = {}) => ({
  ConditionCheck: { TableName: kHash, Key, ConditionExpression, ...more },
});
const update = (Key, UpdateExpression, more = {}) => ({
  Update: { TableName: kHash, Key, UpdateExpression, ...more },
});
const values = (attributes) => ({ ExpressionAttributeValues: attributes });
const get = (Key, more = {}) => ({ Get: { TableName: kHash, Key, ...more } });
const there = (Key, output) => ['GetItem', { TableName: kHash, Key, ConsistentRead: true }, { Item: output }];
const notThere = (Key) => there(Key, absent);

// A cancelled transaction: the codes in order, and the other members of each reason.
const cancelled = (...reasons) => ({
  error: 'TransactionCanceledException',
  message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons
    .map((reason) => reason.Code)
    .join(', ')}]`,
  reasons,
});
const kNone = { Code: 'None', Message: absent, Item: absent };
const kFailed = { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed', Item: absent };
const invalid = (Message) => ({ Code: 'ValidationError', Message, Item: absent });

// Like runCases, but also checks the reasons of a cancellation.
function runTransactCases(title, cases) {
  runCases(
    title,
    cases.filter((each) => !each.expect.reasons),
  );
  for (const each of cases.filter((other) => other.expect.reasons)) {
    test(`${title} > ${each.operation}: ${each.name}`, async () => {
      for (const [operation, input] of each.before ?? []) await call(operation, input);
      const error = await expectError(each.operation, each.input, each.expect);
      assertMatches(error.CancellationReasons, each.expect.reasons, 'CancellationReasons');
      for (const [operation, input, output] of each.after ?? []) {
        assertMatches(await call(operation, input), output, operation);
      }
    });
  }
}

const write = (name, TransactItems, expect, more = {}) => ({
  name,
  operation: 'TransactWriteItems',
  input: { TransactItems, ...more.input },
  expect,
  before: more.before,
  after: more.after,
});
const read = (name, TransactItems, expect, more = {}) => ({
  name,
  operation: 'TransactGetItems',
  input: { TransactItems, ...more.input },
  expect,
  before: more.before,
});
const stored = (Item) => ['PutItem', { TableName: kHash, Item }];

runTransactCases('TransactWriteItems', [
  write(
    'every kind of action',
    [
      put({ ...key('tw put'), a: N('1') }),
      update(key('tw update'), 'ADD n :one', values({ ':one': N('1') })),
      remove(key('tw delete')),
      check(key('tw check'), 'attribute_exists(pk)'),
    ],
    { output: { ConsumedCapacity: absent, ItemCollectionMetrics: absent } },
    {
      before: [stored({ ...key('tw update'), n: N('41') }), stored(key('tw delete')), stored(key('tw check'))],
      after: [
        there(key('tw put'), exact({ ...key('tw put'), a: N('1') })),
        there(key('tw update'), exact({ ...key('tw update'), n: N('42') })),
        notThere(key('tw delete')),
        there(key('tw check'), exact(key('tw check'))),
      ],
    },
  ),
  write(
    'two tables',
    [put(key('tw two')), { Put: { TableName: kPair, Item: { pk: S('tw two'), sk: S('s') } } }],
    {},
    {
      after: [
        there(key('tw two'), exact(key('tw two'))),
        ['GetItem', { TableName: kPair, Key: { pk: S('tw two'), sk: S('s') } }, { Item: { sk: S('s') } }],
      ],
    },
  ),
  write(
    'an update makes an item',
    [update(key('tw upsert'), 'SET a = :a', values({ ':a': S('x') }))],
    {},
    {
      after: [there(key('tw upsert'), exact({ ...key('tw upsert'), a: S('x') }))],
    },
  ),
  write(
    'an update that only removes makes no item',
    [update(key('tw removes'), 'REMOVE a')],
    {},
    {
      after: [notThere(key('tw removes'))],
    },
  ),
  write(
    '100 items',
    Array.from({ length: 100 }, (_, index) => put(key(`tw 100 ${index}`))),
    {},
    { after: [there(key('tw 100 99'), exact(key('tw 100 99')))] },
  ),
  write(
    'indexes follow',
    [{ Put: { TableName: kIndexed, Item: { pk: S('tw idx'), sk: S('1'), gh: S('tw gh'), gr: N('1') } } }],
    {},
    {
      after: [
        [
          'Query',
          {
            TableName: kIndexed,
            IndexName: 'gsi-all',
            KeyConditionExpression: 'gh = :g',
            ExpressionAttributeValues: { ':g': S('tw gh') },
          },
          { Count: 1 },
        ],
      ],
    },
  ),
  write(
    'names and values without an expression are not looked at',
    [put(key('tw idle'), { ExpressionAttributeNames: { '#a': 'a' }, ...values({ ':v': S('x') }) })],
    {},
  ),
]);

runTransactCases('TransactWriteItems, cancelled', [
  write(
    'a reason for each action, in order',
    [
      put(key('tc new'), { ConditionExpression: 'attribute_not_exists(pk)' }),
      put({ ...key('tc old'), b: N('1') }, { ConditionExpression: 'attribute_not_exists(pk)' }),
    ],
    cancelled(kNone, kFailed),
    { before: [stored(key('tc old'))], after: [notThere(key('tc new')), there(key('tc old'), exact(key('tc old')))] },
  ),
  write(
    'every failed condition is reported',
    [
      check(key('tc absent'), 'attribute_exists(pk)'),
      update(key('tc absent 2'), 'SET a = :a', { ConditionExpression: 'a > :a', ...values({ ':a': N('1') }) }),
      remove(key('tc absent 3'), { ConditionExpression: 'attribute_exists(pk)' }),
    ],
    cancelled(kFailed, kFailed, kFailed),
    { after: [notThere(key('tc absent 2'))] },
  ),
  ...['Put', 'Delete', 'Update', 'ConditionCheck'].map((kind) => {
    const Key = key(`tc item ${kind}`);
    const more = {
      ConditionExpression: 'a = :no',
      ...values({ ':no': S('no') }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    };
    const action = {
      Put: put(Key, more),
      Delete: remove(Key, more),
      Update: update(Key, 'SET a = :no', more),
      ConditionCheck: check(Key, more.ConditionExpression, more),
    }[kind];
    return write(
      `the old item where asked, ${kind}`,
      [action],
      cancelled({ ...kFailed, Item: exact({ ...Key, a: S('x') }) }),
      {
        before: [stored({ ...Key, a: S('x') })],
      },
    );
  }),
  write(
    'no old item where there was none',
    [check(key('tc none'), 'attribute_exists(pk)', { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' })],
    cancelled(kFailed),
  ),
  write(
    'an update whose operand has the wrong type',
    [put(key('tc operand 0')), update(key('tc operand'), 'SET a = a + :one', values({ ':one': N('1') }))],
    cancelled(kNone, invalid('An operand in the update expression has an incorrect data type')),
    { before: [stored({ ...key('tc operand'), a: S('text') })], after: [notThere(key('tc operand 0'))] },
  ),
  write(
    'an update that needs an attribute that is not there',
    [update(key('tc missing'), 'SET a = b', {})],
    cancelled(invalid('The provided expression refers to an attribute that does not exist in the item')),
  ),
  write(
    'an update that makes the item too large',
    [update(key('tc large'), 'SET a = :a', values({ ':a': S('x'.repeat(409_600)) }))],
    cancelled(invalid('Item size to update has exceeded the maximum allowed size')),
  ),
  write(
    'an update of the key',
    [update(key('tc key'), 'SET pk = :a', values({ ':a': S('x') }))],
    cancelled(invalid(`${kInvalid}Cannot update attribute pk. This attribute is part of the key`)),
  ),
  write(
    'a put whose key has the wrong type',
    [put({ pk: N('5') })],
    cancelled(invalid(`${kInvalid}Type mismatch for key pk expected: S actual: N`)),
  ),
  write(
    'a put whose key is no scalar',
    [put({ pk: { L: [S('x')] } })],
    cancelled(invalid(`${kInvalid}Type mismatch for key pk expected: S actual: L`)),
  ),
  write(
    'a put without its key',
    [put(key('tc fine')), put({ a: S('x') })],
    cancelled(kNone, invalid(`${kInvalid}Missing the key pk in the item`)),
    {
      after: [notThere(key('tc fine'))],
    },
  ),
  ...[
    ['Update', update({ pk: N('5') }, 'SET a = :a', values({ ':a': S('x') }))],
    ['Delete', remove({ pk: N('5') })],
    ['ConditionCheck', check({ pk: N('5') }, 'attribute_not_exists(pk)')],
    ['Delete, one attribute too many', remove({ ...key('a'), b: S('x') })],
  ].map(([kind, action]) =>
    write(
      `a key that does not match the schema, ${kind}`,
      [action],
      cancelled(invalid('The provided key element does not match the schema')),
    ),
  ),
  write(
    'a put whose index key has the wrong type',
    [{ Put: { TableName: kCapacity, Item: { pk: S('tc'), sk: S('a'), gh: N('5') } } }],
    cancelled(invalid(`${kInvalid}Type mismatch for Index Key gh Expected: S Actual: N IndexName: gsi`)),
  ),
  write(
    'an update that gives an index key the wrong type',
    [
      {
        Update: {
          TableName: kCapacity,
          Key: { pk: S('tc'), sk: S('b') },
          UpdateExpression: 'SET gh = :v',
          ExpressionAttributeValues: { ':v': { L: [S('x')] } },
        },
      },
    ],
    cancelled(invalid(`${kInvalid}Type mismatch for Index Key gh Expected: S Actual: L IndexName: gsi`)),
  ),
]);

const emptyKey = (type) =>
  refused(
    `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ${type} value. Key: pk`,
  );
const badName = (path) =>
  refused(
    one(
      `Value 'bad!name' at 'transactItems.${path}.tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+`,
    ),
  );
const kMany = refused([
  /^1 validation error detected: Value '\[.+\]' at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100$/s,
  one("Value at 'TransactItems' failed to satisfy constraint: Member must have length less than or equal to 100"),
]);
const kFew = refused([
  one("Value '[]' at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1"),
  one("Value at 'TransactItems' failed to satisfy constraint: Member must have length greater than or equal to 1"),
]);
const kTwice = refused('Transaction request cannot include multiple operations on one item');
const kUnused = refused('Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}');
const kCapacityEnum =
  "Value 'BOGUS' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]";
const kMetricsEnum =
  "Value 'BOGUS' at 'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum value set: [SIZE, NONE]";
const kLongToken = 'x'.repeat(37);
const tokenTooLong = (...more) =>
  `Value '${kLongToken}' at 'clientRequestToken' failed to satisfy constraint: Member must have length less than or equal to 36${more
    .map((text) => `; ${text}`)
    .join('')}`;
const kGenericToken =
  "Value at 'ClientRequestToken' failed to satisfy constraint: Member must have length less than or equal to 36";
const deep = (levels) => {
  let value = S('leaf');
  for (let level = 0; level < levels; level++) value = { M: { n: value } };
  return value;
};
const kSyntax = refused('Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "("');
const kDeep = refused(
  'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit',
);
const unused = (Key) => check(Key, 'attribute_not_exists(pk)', values({ ':v': S('x') }));
const elsewhere = { Put: { TableName: kAbsent, Item: key('a') } };

runTransactCases('TransactWriteItems, refused', [
  write('no items', [], kFew),
  write(
    '101 items',
    Array.from({ length: 101 }, (_, index) => put(key(`tr ${index}`))),
    kMany,
  ),
  write(
    'no action',
    [{}],
    refused([
      'Invalid Request: TransactWriteRequest should contain Delete or Put or Update request',
      one(
        "Value '' at 'transactItems' failed to satisfy constraint: TransactWriteRequest should contain Delete or Put or Update or ConditionCheck",
      ),
    ]),
  ),
  write(
    'two actions in one',
    [{ ...put(key('tr a')), ...remove(key('tr b')) }],
    refused('TransactItems can only contain one of Check, Put, Update or Delete'),
  ),
  write('one item twice', [put(key('tr twice')), remove(key('tr twice'))], kTwice, {
    after: [notThere(key('tr twice'))],
  }),
  write(
    'one item twice, as numbers that are equal',
    [
      { Put: { TableName: kNumberPair, Item: { pk: S('tr'), sk: N('1') } } },
      { Delete: { TableName: kNumberPair, Key: { pk: S('tr'), sk: N('1.0') } } },
    ],
    kTwice,
  ),
  write('no such table', [elsewhere], kNoTable),
  write(
    'more than 4 MB',
    Array.from({ length: 12 }, (_, index) => put({ ...key(`tr 4mb ${index}`), a: S('x'.repeat(350_000)) })),
    refused(/./),
  ),
  write(
    'an item of more than 400 KB',
    [put({ ...key('tr 400kb'), a: S('x'.repeat(409_600)) })],
    refused('Item size has exceeded the maximum allowed size'),
  ),
  write('an empty key, Put', [put(key(''))], emptyKey('string')),
  write('an empty key, Update', [update(key(''), 'SET a = :a', values({ ':a': S('x') }))], emptyKey('string')),
  write('an empty key, Delete', [remove(key(''))], emptyKey('string')),
  write('an empty key, ConditionCheck', [check(key(''), 'attribute_not_exists(pk)')], emptyKey('string')),
  write(
    'an empty binary key',
    [{ Put: { TableName: kBinaryHash, Item: { pk: { B: new Uint8Array() } } } }],
    emptyKey('binary'),
  ),
  write(
    'an empty index key, Put',
    [{ Put: { TableName: kCapacity, Item: { pk: S('tr'), sk: S('a'), gh: S('') } } }],
    refused(
      'One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: gsi, IndexKey: gh',
    ),
  ),
  write(
    'an empty index key, Update',
    [
      {
        Update: {
          TableName: kCapacity,
          Key: { pk: S('tr'), sk: S('b') },
          UpdateExpression: 'SET gh = :v',
          ...values({ ':v': S('') }),
        },
      },
    ],
    refused(
      'One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string value.',
    ),
  ),
  write('a bad table name, Put', [{ Put: { TableName: 'bad!name', Item: key('a') } }], badName('1.member.put')),
  write(
    'a bad table name, the second action',
    [put(key('tr first')), { Update: { TableName: 'bad!name', Key: key('a'), UpdateExpression: 'REMOVE a' } }],
    badName('2.member.update'),
    {
      after: [notThere(key('tr first'))],
    },
  ),
  write('a bad table name, Delete', [{ Delete: { TableName: 'bad!name', Key: key('a') } }], badName('1.member.delete')),
  write(
    'a bad table name, ConditionCheck',
    [{ ConditionCheck: { TableName: 'bad!name', Key: key('a'), ConditionExpression: 'attribute_exists(pk)' } }],
    badName('1.member.conditionCheck'),
  ),
  write(
    'an empty condition',
    [put(key('tr e'), { ConditionExpression: '' })],
    refused('Invalid ConditionExpression: The expression can not be empty;'),
  ),
  write('a condition that does not parse', [check(key('tr s'), 'attribute_not_exists(')], kSyntax),
  write('a value that no expression uses', [put(key('tr unused')), unused(key('tr cc'))], kUnused, {
    after: [notThere(key('tr unused'))],
  }),
  write(
    'a number that is none',
    [put({ ...key('tr n'), n: N('abc') })],
    refused('The parameter cannot be converted to a numeric value: abc'),
  ),
  write(
    'a number that is none, in a value',
    [update(key('tr n'), 'SET n = :v', values({ ':v': N('abc') }))],
    refused([
      'ExpressionAttributeValues contains invalid value: The parameter cannot be converted to a numeric value: abc for key :v',
      'The parameter cannot be converted to a numeric value: abc',
    ]),
  ),
  write('a token of more than 36 characters', [put(key('tr t'))], refused([one(tokenTooLong()), one(kGenericToken)]), {
    input: { ClientRequestToken: kLongToken },
  }),
  write('unknown ReturnConsumedCapacity', [put(key('tr rcc'))], refused(one(kCapacityEnum)), {
    input: { ReturnConsumedCapacity: 'BOGUS' },
    after: [notThere(key('tr rcc'))],
  }),
  write('unknown ReturnItemCollectionMetrics', [put(key('tr ricm'))], refused(one(kMetricsEnum)), {
    input: { ReturnItemCollectionMetrics: 'BOGUS' },
  }),
]);

runTransactCases('TransactWriteItems, which refusal comes first', [
  write(
    'both enumerations in one message',
    [put(key('to a'))],
    refused(`2 validation errors detected: ${kCapacityEnum}; ${kMetricsEnum}`),
    {
      input: { ReturnConsumedCapacity: 'BOGUS', ReturnItemCollectionMetrics: 'BOGUS' },
    },
  ),
  write(
    'the token before ReturnConsumedCapacity',
    [put(key('to b'))],
    refused([`2 validation errors detected: ${tokenTooLong(kCapacityEnum)}`, one(kGenericToken)]),
    {
      input: { ReturnConsumedCapacity: 'BOGUS', ClientRequestToken: kLongToken },
    },
  ),
  write('ReturnConsumedCapacity before a missing table', [elsewhere], refused(one(kCapacityEnum)), {
    input: { ReturnConsumedCapacity: 'BOGUS' },
  }),
  write(
    'ReturnConsumedCapacity before one item twice',
    [put(key('to c')), remove(key('to c'))],
    refused(one(kCapacityEnum)),
    {
      input: { ReturnConsumedCapacity: 'BOGUS' },
    },
  ),
  write(
    'a later bad condition before an earlier missing table',
    [elsewhere, check(key('to d'), 'attribute_not_exists(')],
    kSyntax,
  ),
  write(
    'a bad condition before a later item too deep',
    [check(key('to e'), 'attribute_not_exists('), put({ ...key('to f'), d: deep(32) })],
    kSyntax,
  ),
  write(
    'an item too deep before a later bad condition',
    [put({ ...key('to f'), d: deep(32) }), check(key('to e'), 'attribute_not_exists(')],
    kDeep,
  ),
  write('a later unused value before an earlier missing table', [elsewhere, unused(key('to g'))], kUnused),
  write('an unused value before a later missing table', [unused(key('to g')), elsewhere], kUnused),
  write('an unused value before one item twice', [put(key('to h')), unused(key('to h'))], kUnused, {
    after: [notThere(key('to h'))],
  }),
]);

runTransactCases('TransactGetItems', [
  read(
    'items in order, and nothing for one that is not there',
    [get(key('tg 2')), get(key('tg none')), get(key('tg 1'))],
    {
      output: {
        Responses: exact([{ Item: { ...key('tg 2'), a: N('2') } }, {}, { Item: { ...key('tg 1'), a: N('1') } }]),
        ConsumedCapacity: absent,
      },
    },
    { before: [stored({ ...key('tg 1'), a: N('1') }), stored({ ...key('tg 2'), a: N('2') })] },
  ),
  read(
    'projections',
    [
      get(key('tg p'), { ProjectionExpression: '#b', ExpressionAttributeNames: { '#b': 'b' } }),
      get(key('tg q'), { ProjectionExpression: 'nothing' }),
    ],
    {
      output: { Responses: exact([{ Item: { b: N('2') } }, {}]) },
    },
    { before: [stored({ ...key('tg p'), a: N('1'), b: N('2') }), stored(key('tg q'))] },
  ),
  read(
    '100 items',
    Array.from({ length: 100 }, (_, index) => get(key(`tg ${index}`))),
    { output: { Responses: (list) => list.length === 100 } },
  ),
  read(
    'two read units for each item, there or not',
    [get(key('tg cap')), get(key('tg no cap'))],
    {
      output: { ConsumedCapacity: exact([{ TableName: kHash, CapacityUnits: 4, ReadCapacityUnits: 4 }]) },
    },
    { before: [stored(key('tg cap'))], input: { ReturnConsumedCapacity: 'TOTAL' } },
  ),
  read(
    'read units by 4 KB, table by table',
    [get(key('tg large')), { Get: { TableName: kPair, Key: { pk: S('tg'), sk: S('none') } } }],
    {
      output: {
        ConsumedCapacity: exact([
          {
            TableName: kHash,
            CapacityUnits: 4,
            ReadCapacityUnits: 4,
            Table: { CapacityUnits: 4, ReadCapacityUnits: 4 },
          },
          {
            TableName: kPair,
            CapacityUnits: 2,
            ReadCapacityUnits: 2,
            Table: { CapacityUnits: 2, ReadCapacityUnits: 2 },
          },
        ]),
      },
    },
    { before: [stored({ ...key('tg large'), a: S('x'.repeat(4096)) })], input: { ReturnConsumedCapacity: 'INDEXES' } },
  ),
  read('no items', [], kFew),
  read(
    '101 items',
    Array.from({ length: 101 }, (_, index) => get(key(`tg ${index}`))),
    kMany,
  ),
  read('one item twice', [get(key('tg 1')), get(key('tg 1'))], kTwice),
  read('no such table', [{ Get: { TableName: kAbsent, Key: key('a') } }], kNoTable),
  read('an empty key', [get(key(''))], emptyKey('string')),
  read(
    'no key attribute',
    [get(key('tg fine')), get({})],
    cancelled(kNone, invalid('The provided key element does not match the schema')),
  ),
  read(
    'a projection that does not parse',
    [get(key('tg s'), { ProjectionExpression: '!!!' })],
    refused('Invalid ProjectionExpression: Syntax error; token: "!", near: "!!"'),
  ),
  read(
    'a number that is none',
    [get({ pk: N('abc') })],
    refused('The parameter cannot be converted to a numeric value: abc'),
  ),
  read(
    'unknown ReturnConsumedCapacity before a missing table',
    [{ Get: { TableName: kAbsent, Key: key('a') } }],
    refused(one(kCapacityEnum)),
    {
      input: { ReturnConsumedCapacity: 'BOGUS' },
    },
  ),
]);

runTransactCases('TransactWriteItems, capacity', [
  write(
    'two write units for each item',
    [put(key('tp 1')), put(key('tp 2'))],
    {
      output: { ConsumedCapacity: exact([{ TableName: kHash, CapacityUnits: 4, WriteCapacityUnits: 4 }]) },
    },
    { input: { ReturnConsumedCapacity: 'TOTAL' } },
  ),
  write(
    'a check counts as a write',
    [check(key('tp check'), 'attribute_not_exists(pk)'), put({ ...key('tp 3'), a: S('x'.repeat(1500)) })],
    {
      output: { ConsumedCapacity: exact([{ TableName: kHash, CapacityUnits: 6, WriteCapacityUnits: 6 }]) },
    },
    { input: { ReturnConsumedCapacity: 'TOTAL' } },
  ),
  write(
    'indexes do not count double',
    [{ Put: { TableName: kCapacity, Item: { pk: S('tp'), sk: S('1'), gh: S('g'), lr: S('l') } } }],
    {
      output: {
        ConsumedCapacity: [
          {
            CapacityUnits: 4,
            WriteCapacityUnits: 4,
            Table: exact({ CapacityUnits: 2, WriteCapacityUnits: 2 }),
            GlobalSecondaryIndexes: exact({ gsi: { CapacityUnits: 1, WriteCapacityUnits: 1 } }),
            LocalSecondaryIndexes: exact({ lsi: { CapacityUnits: 1, WriteCapacityUnits: 1 } }),
          },
        ],
        ItemCollectionMetrics: exact({
          [kCapacity]: [{ ItemCollectionKey: { pk: S('tp') }, SizeEstimateRangeGB: [0, 1] }],
        }),
      },
    },
    {
      before: [['DeleteItem', { TableName: kCapacity, Key: { pk: S('tp'), sk: S('1') } }]],
      input: { ReturnConsumedCapacity: 'INDEXES', ReturnItemCollectionMetrics: 'SIZE' },
    },
  ),
]);

test('ClientRequestToken: the same request again has no effect, and counts as reading', async () => {
  const input = {
    ClientRequestToken: `token-${Date.now()}`,
    ReturnConsumedCapacity: 'TOTAL',
    TransactItems: [update(key('ti count'), 'ADD n :one', values({ ':one': N('1') }))],
  };
  await call('DeleteItem', { TableName: kHash, Key: key('ti count') });
  assertMatches((await call('TransactWriteItems', input)).ConsumedCapacity, [
    { WriteCapacityUnits: 2, ReadCapacityUnits: absent },
  ]);
  for (let again = 0; again < 3; again++) {
    assertMatches((await call('TransactWriteItems', input)).ConsumedCapacity, [
      { ReadCapacityUnits: 2, WriteCapacityUnits: absent },
    ]);
  }
  assertMatches(await call('GetItem', { TableName: kHash, Key: key('ti count') }), { Item: { n: N('1') } });
});

test('ClientRequestToken: another request is refused, whatever differs', async () => {
  const ClientRequestToken = `mismatch-${Date.now()}`;
  const first = put({ ...key('ti other'), a: N('1') });
  await call('TransactWriteItems', { ClientRequestToken, TransactItems: [first] });
  for (const TransactItems of [
    [put({ ...key('ti other'), a: N('2') })],
    [put({ ...key('ti other'), a: N('1') }, { ConditionExpression: 'attribute_exists(pk)' })],
    [first, put(key('ti more'))],
    [remove(key('ti other'))],
  ]) {
    await expectError(
      'TransactWriteItems',
      { ClientRequestToken, TransactItems },
      { error: 'IdempotentParameterMismatchException' },
    );
  }
  assertMatches(await call('GetItem', { TableName: kHash, Key: key('ti other') }), { Item: { a: N('1') } });
});

test('ClientRequestToken: a cancelled transaction leaves the token unused', async () => {
  const input = {
    ClientRequestToken: `cancelled-${Date.now()}`,
    TransactItems: [put({ ...key('ti later'), a: N('1') }, { ConditionExpression: 'attribute_exists(pk)' })],
  };
  await call('DeleteItem', { TableName: kHash, Key: key('ti later') });
  await expectError('TransactWriteItems', input, { error: 'TransactionCanceledException' });
  await call('PutItem', { TableName: kHash, Item: key('ti later') });
  await call('TransactWriteItems', input);
  assertMatches(await call('GetItem', { TableName: kHash, Key: key('ti later') }), { Item: { a: N('1') } });
});

test('ClientRequestToken: sent many times at once, it takes effect once', async () => {
  const input = {
    ClientRequestToken: `at-once-${Date.now()}`,
    TransactItems: [update(key('ti race'), 'ADD n :one', values({ ':one': N('1') }))],
  };
  await call('DeleteItem', { TableName: kHash, Key: key('ti race') });
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => call('TransactWriteItems', input)));
  for (const { reason } of outcomes)
    assert.ok(!reason || reason.name === 'TransactionInProgressException', String(reason));
  assertMatches(await call('GetItem', { TableName: kHash, Key: key('ti race') }), { Item: { n: N('1') } });
});
