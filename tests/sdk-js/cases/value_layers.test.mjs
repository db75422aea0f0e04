// Values that are refused: the message of each operation, for every position of a value in its request. Two layers of
// DynamoDB validate values, with different messages about numbers and about duplicates in sets.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { runCases, expectError, kInvalid, one, refused } from '../harness/cases.mjs';
import { kHash } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: value });
const TableName = kHash;
const Key = { pk: S('value layers') };
const bare = (message) => message;
const inValues = (message) => `ExpressionAttributeValues contains invalid value: ${message} for key :v`;

// operation, position of the value, the request, the layer, and the envelope of the message
const places = [
  ['PutItem', 'an attribute', (v) => ({ TableName, Item: { ...Key, a: v } }), 'current', one],
  [
    'PutItem',
    'inside documents',
    (v) => ({ TableName, Item: { ...Key, a: { M: { x: { L: [v] } } } } }),
    'current',
    one,
  ],
  [
    'PutItem',
    'a condition',
    (v) => ({ TableName, Item: Key, ConditionExpression: 'a = :v', ExpressionAttributeValues: { ':v': v } }),
    'current',
    one,
  ],
  ['PutItem', 'Expected', (v) => ({ TableName, Item: Key, Expected: { a: { Value: v } } }), 'current', one],
  [
    'PutItem',
    'a list of Expected',
    (v) => ({ TableName, Item: Key, Expected: { a: { ComparisonOperator: 'EQ', AttributeValueList: [v] } } }),
    'current',
    one,
  ],
  [
    'UpdateItem',
    'a value',
    (v) => ({ TableName, Key, UpdateExpression: 'SET a = :v', ExpressionAttributeValues: { ':v': v } }),
    'current',
    one,
  ],
  [
    'UpdateItem',
    'AttributeUpdates',
    (v) => ({ TableName, Key, AttributeUpdates: { a: { Action: 'PUT', Value: v } } }),
    'current',
    one,
  ],
  ['UpdateItem', 'the key', (v) => ({ TableName, Key: { pk: v }, UpdateExpression: 'REMOVE a' }), 'current', one],
  [
    'DeleteItem',
    'a condition',
    (v) => ({ TableName, Key, ConditionExpression: 'a = :v', ExpressionAttributeValues: { ':v': v } }),
    'current',
    one,
  ],
  ['DeleteItem', 'the key', (v) => ({ TableName, Key: { pk: v } }), 'current', one],
  ['DeleteItem', 'Expected', (v) => ({ TableName, Key, Expected: { a: { Value: v } } }), 'current', one],
  ['GetItem', 'the key', (v) => ({ TableName, Key: { pk: v } }), 'current', bare],
  ['BatchGetItem', 'a key', (v) => ({ RequestItems: { [TableName]: { Keys: [{ pk: v }] } } }), 'current', bare],
  [
    'Query',
    'the key condition',
    (v) => ({ TableName, KeyConditionExpression: 'pk = :v', ExpressionAttributeValues: { ':v': v } }),
    'current',
    bare,
  ],
  [
    'Query',
    'the filter',
    (v) => ({
      TableName,
      KeyConditionExpression: 'pk = :p',
      FilterExpression: 'a = :v',
      ExpressionAttributeValues: { ':p': S('x'), ':v': v },
    }),
    'current',
    bare,
  ],
  [
    'Query',
    'QueryFilter',
    (v) => ({
      TableName,
      KeyConditions: { pk: { ComparisonOperator: 'EQ', AttributeValueList: [S('x')] } },
      QueryFilter: { a: { ComparisonOperator: 'EQ', AttributeValueList: [v] } },
    }),
    'current',
    bare,
  ],
  [
    'BatchWriteItem',
    'an item',
    (v) => ({ RequestItems: { [TableName]: [{ PutRequest: { Item: { ...Key, a: v } } }] } }),
    'older',
    bare,
  ],
  [
    'BatchWriteItem',
    'a key',
    (v) => ({ RequestItems: { [TableName]: [{ DeleteRequest: { Key: { pk: v } } }] } }),
    'older',
    bare,
  ],
  [
    'TransactWriteItems',
    'an item',
    (v) => ({ TransactItems: [{ Put: { TableName, Item: { ...Key, a: v } } }] }),
    'older',
    bare,
  ],
  [
    'TransactWriteItems',
    'a value',
    (v) => ({
      TransactItems: [
        { Update: { TableName, Key, UpdateExpression: 'SET a = :v', ExpressionAttributeValues: { ':v': v } } },
      ],
    }),
    'older',
    inValues,
  ],
  [
    'TransactWriteItems',
    'a check',
    (v) => ({
      TransactItems: [
        { ConditionCheck: { TableName, Key, ConditionExpression: 'a = :v', ExpressionAttributeValues: { ':v': v } } },
      ],
    }),
    'older',
    inValues,
  ],
  [
    'TransactWriteItems',
    'a key',
    (v) => ({ TransactItems: [{ Delete: { TableName, Key: { pk: v } } }] }),
    'older',
    bare,
  ],
  ['TransactGetItems', 'a key', (v) => ({ TransactItems: [{ Get: { TableName, Key: { pk: v } } }] }), 'older', bare],
  [
    'Scan',
    'the filter',
    (v) => ({ TableName, FilterExpression: 'a = :v', ExpressionAttributeValues: { ':v': v } }),
    'older',
    inValues,
  ],
  [
    'Scan',
    'ScanFilter',
    (v) => ({ TableName, ScanFilter: { a: { ComparisonOperator: 'EQ', AttributeValueList: [v] } } }),
    'older',
    bare,
  ],
];

const kOverflow = 'Number overflow. Attempting to store a number with magnitude larger than supported range';
const kUnderflow = 'Number underflow. Attempting to store a number with magnitude smaller than supported range';
const kNotNumeric = 'The parameter cannot be converted to a numeric value';
// value, message of the current layer, message of the older one
const faults = [
  ['abc', N('abc'), `${kNotNumeric}: abc`, `${kNotNumeric}: abc`],
  ['an empty number', N(''), `${kNotNumeric}: `, kNotNumeric],
  ['1e126', N('1e126'), kOverflow, kOverflow],
  ['1e2147483647', N('1e2147483647'), kOverflow, kUnderflow],
  ['a member that is no number', { NS: ['1', 'abc'] }, `${kNotNumeric}: abc`, `${kNotNumeric}: abc`],
  [
    'a string twice',
    { SS: ['b', 'a', 'b'] },
    `${kInvalid}Input collection ["a", "b", "b"] contains duplicates.`,
    `${kInvalid}Input collection [b, a, b] contains duplicates.`,
  ],
  [
    'bytes twice',
    { BS: [Buffer.from([255]), Buffer.from([0]), Buffer.from([0])] },
    `${kInvalid}Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.`,
    `${kInvalid}Input collection [/w==, AA==, AA==]of type BS contains duplicates.`,
  ],
  [
    'a number twice',
    { NS: ['2', '1', '2'] },
    `${kInvalid}Input collection contains duplicates.`,
    'Input collection contains duplicates',
  ],
];
for (const [name, value, current, older] of faults) {
  runCases(
    name,
    places.map(([operation, place, input, layer, wrapped]) => ({
      name: `as ${place}`,
      operation,
      input: input(value),
      expect: refused(wrapped(layer === 'current' ? current : older)),
    })),
  );
}

runCases(
  'numbers that PutItem refuses',
  [
    ['1e99999999999', kOverflow],
    ['-1e99999999999', kOverflow],
    ['1e-99999999999', kUnderflow],
    ['1e2147483648', kOverflow],
    ['1e-2147483648', kUnderflow],
    ['1e-131', kUnderflow],
    ['1.2.3', `${kNotNumeric}: 1.2.3`],
    [' 1', `${kNotNumeric}:  1`],
    ['1 ', `${kNotNumeric}: 1 `],
    ['0x10', `${kNotNumeric}: 0x10`],
    ['1e', `${kNotNumeric}: 1e`],
    ['NaN', `${kNotNumeric}: NaN`],
    ['Infinity', `${kNotNumeric}: Infinity`],
    ['1234567890123456789012345678901234567890', 'Attempting to store more than 38 significant digits in a Number'],
    ['1+2', `${kNotNumeric}: 1+2`],
    ['+e2', `${kNotNumeric}: +e2`],
  ].map(([number, message]) => ({
    name: `"${number}"`,
    operation: 'PutItem',
    input: { TableName, Item: { ...Key, a: N(number) } },
    expect: refused(one(message)),
  })),
);

// One byte, plus one for each two significant digits (counted separately before and after the point), plus one for a
// minus sign.
const sizes = {
  0: 1,
  1: 2,
  10: 2,
  100: 2,
  12: 2,
  123: 3,
  1234: 3,
  123456: 4,
  '-1': 3,
  '-12': 3,
  '-123': 4,
  0.5: 2,
  0.05: 2,
  0.123: 3,
  1.5: 3,
  3.14: 3,
  3.14159: 5,
  '-3.14159': 6,
  12.34: 3,
  '0042.1200': 3,
  '1E125': 2,
  '1E-130': 2,
  '12345678901234567890123456789012345678': 20,
};
describe('the size of a number', () => {
  for (const [number, bytes] of Object.entries(sizes)) {
    test(`${number} has ${bytes} bytes`, async () => {
      const item = (total) => {
        const pk = `number ${number}`;
        return { pk: S(pk), n: N(number), p: S('x'.repeat(total - 2 - pk.length - 1 - bytes - 1)) };
      };
      await call('PutItem', { TableName, Item: item(409_600) });
      await expectError(
        'PutItem',
        { TableName, Item: item(409_601) },
        refused('Item size has exceeded the maximum allowed size'),
      );
    });
  }
  for (const [sent, stored] of [
    ['0042.1200', '42.12'],
    ['1E125', `1${'0'.repeat(125)}`],
    ['+5', '5'],
    ['-0', '0'],
    ['1e2', '100'],
  ]) {
    test(`${sent} is stored as ${stored.slice(0, 10)}`, async () => {
      const at = { pk: S(`kept ${sent}`) };
      await call('PutItem', { TableName, Item: { ...at, n: N(sent) } });
      assert.equal((await call('GetItem', { TableName, Key: at })).Item.n.N, stored);
    });
  }
});
