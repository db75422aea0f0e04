// The values of attributes: the ten types, numbers, sets, depth and size.
import { runCases, one, refused, kInvalid } from '../harness/cases.mjs';
import { exact } from '../harness/match.mjs';
import { kBinaryHash, kHash, kNumberHash, kNumberPair, kPair } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: value });
const bytes = (...values) => Uint8Array.from(values);

// Puts an attribute `v` and expects it back as `stored`.
function roundTrips(name, value, stored = value) {
  const pk = S(`values ${name}`);
  return {
    name,
    operation: 'PutItem',
    input: { TableName: kHash, Item: { pk, v: value } },
    expect: { output: {} },
    after: [['GetItem', { TableName: kHash, Key: { pk }, ConsistentRead: true }, { Item: exact({ pk, v: stored }) }]],
  };
}

runCases('the ten types come back as they went in', [
  roundTrips('a string', S('hello')),
  roundTrips('a string of every plane', S('é € 漢字 \u{1F600} \u0000 \u001f " \\ /')),
  roundTrips('an empty string', S('')),
  roundTrips('a number', N('42')),
  roundTrips('binary', { B: bytes(0, 1, 127, 128, 255) }),
  roundTrips('empty binary', { B: bytes() }),
  roundTrips('true', { BOOL: true }),
  roundTrips('false', { BOOL: false }),
  roundTrips('null', { NULL: true }),
  roundTrips('a string set', { SS: ['a', 'b'] }),
  roundTrips('a number set', { NS: ['1', '2'] }),
  roundTrips('a binary set', { BS: [bytes(1), bytes(2)] }),
  roundTrips('a list', { L: [S('a'), N('1'), { BOOL: true }, { NULL: true }, { L: [] }, { M: {} }] }),
  roundTrips('an empty list', { L: [] }),
  roundTrips('a map', { M: { a: S('x'), b: { M: { c: { L: [N('1')] } } } } }),
  roundTrips('an empty map', { M: {} }),
  roundTrips('map keys of any text', { M: { 'a.b': S('2'), 'a[0]': S('3'), '#x': S('4') } }),
  roundTrips('sets inside documents', { M: { s: { SS: ['a'] }, n: { L: [{ NS: ['1'] }] } } }),
  roundTrips('empty strings inside documents', { M: { s: S(''), l: { L: [S(''), { B: bytes() }] } } }),
  roundTrips('an empty string in a set', { SS: [''] }),
  roundTrips('empty binary in a set', { BS: [bytes()] }),
]);

runCases('sets come back in order', [
  roundTrips('strings by their bytes', { SS: ['b', 'a', '', 'B', 'é'] }, { SS: ['', 'B', 'a', 'b', 'é'] }),
  roundTrips('numbers by their value', { NS: ['10', '9', '-1', '0.5'] }, { NS: ['-1', '0.5', '9', '10'] }),
  roundTrips('binary by its bytes', { BS: [bytes(2), bytes(1, 5), bytes(1)] }, { BS: [bytes(1), bytes(1, 5), bytes(2)] }),
  roundTrips('numbers of a set are normalised', { NS: ['2.0', '1e1'] }, { NS: ['2', '10'] }),
]);

const kThirtyEight = '12345678901234567890123456789012345678';
const number = (text, stored) => roundTrips(`${text} is ${stored}`, N(text), N(stored));
runCases('numbers are exact and normalised', [
  number('0', '0'),
  number('-0', '0'),
  number('-0.0', '0'),
  number('0e125', '0'),
  number('1', '1'),
  number('1.0', '1'),
  number('01', '1'),
  number('0042.1200', '42.12'),
  number('-12.50', '-12.5'),
  number('.5', '0.5'),
  number('1e3', '1000'),
  number('1E+3', '1000'),
  number('12e-3', '0.012'),
  number('100', '100'),
  number(kThirtyEight, kThirtyEight),
  number(`-${kThirtyEight}`, `-${kThirtyEight}`),
  number(`0.${kThirtyEight}`, `0.${kThirtyEight}`),
  number(`${kThirtyEight}000`, `${kThirtyEight}000`),
  number('1E125', `1${'0'.repeat(125)}`),
  number('9.9999999999999999999999999999999999999E125', `${'9'.repeat(38)}${'0'.repeat(88)}`),
  number('-9.9999999999999999999999999999999999999E125', `-${'9'.repeat(38)}${'0'.repeat(88)}`),
  number('1E-130', `0.${'0'.repeat(129)}1`),
  number('-1E-130', `-0.${'0'.repeat(129)}1`),
]);

const kNotNumeric = 'The parameter cannot be converted to a numeric value';
const kOverflow = 'Number overflow. Attempting to store a number with magnitude larger than supported range';
const kUnderflow = 'Number underflow. Attempting to store a number with magnitude smaller than supported range';
const kTooPrecise = 'Attempting to store more than 38 significant digits in a Number';
const badNumbers = [
  ['abc', `${kNotNumeric}: abc`],
  ['', `${kNotNumeric}: `],
  [' 1', `${kNotNumeric}:  1`],
  ['1 ', `${kNotNumeric}: 1 `],
  ['1.2.3', `${kNotNumeric}: 1.2.3`],
  ['1e', `${kNotNumeric}: 1e`],
  ['0x10', `${kNotNumeric}: 0x10`],
  ['NaN', `${kNotNumeric}: NaN`],
  ['Infinity', `${kNotNumeric}: Infinity`],
  ['1e9223372036854775808', `${kNotNumeric}: 1e9223372036854775808`],
  ['1e126', kOverflow],
  ['-1e126', kOverflow],
  ['1e2147483647', kOverflow],
  ['1e2147483648', kOverflow],
  ['1e99999999999', kOverflow],
  ['0e126', kOverflow],
  ['1e-131', kUnderflow],
  ['1e-2147483648', kUnderflow],
  ['1e-99999999999', kUnderflow],
  ['0e-131', kUnderflow],
  [`${kThirtyEight}9`, kTooPrecise],
  [`0.${kThirtyEight}9`, kTooPrecise],
  ['1234567890123456789012345678901234567890.5', kTooPrecise],
];
runCases('numbers that are refused', [
  ...badNumbers.map(([text, message]) => ({
    name: `"${text}" in an item`,
    operation: 'PutItem',
    input: { TableName: kHash, Item: { pk: S('bad number'), v: N(text) } },
    expect: refused(one(message)),
  })),
  {
    name: 'a bad member of a set',
    operation: 'PutItem',
    input: { TableName: kHash, Item: { pk: S('bad number'), v: { NS: ['1', 'x'] } } },
    expect: refused(one(`${kNotNumeric}: x`)),
  },
  {
    name: 'deep inside a document',
    operation: 'PutItem',
    input: { TableName: kHash, Item: { pk: S('bad number'), v: { M: { a: { L: [N('1e126')] } } } } },
    expect: refused(one(kOverflow)),
  },
]);

// The same fault, with the message of each operation.
const kOlderEmpty = kNotNumeric;
runCases(
  'a bad number in the words of each operation',
  [
    ['abc', `${kNotNumeric}: abc`, `${kNotNumeric}: abc`],
    ['', `${kNotNumeric}: `, kOlderEmpty],
    ['1e126', kOverflow, kOverflow],
    ['1e2147483647', kOverflow, kUnderflow],
  ].flatMap(([text, current, older]) => [
    {
      name: `"${text}" as a key`,
      operation: 'GetItem',
      input: { TableName: kHash, Key: { pk: N(text) } },
      expect: refused(current),
    },
    {
      name: `"${text}" as a key`,
      operation: 'DeleteItem',
      input: { TableName: kHash, Key: { pk: N(text) } },
      expect: refused(one(current)),
    },
    {
      name: `"${text}" as a key`,
      operation: 'UpdateItem',
      input: { TableName: kHash, Key: { pk: N(text) } },
      expect: refused(one(current)),
    },
    {
      name: `"${text}" as a key`,
      operation: 'BatchGetItem',
      input: { RequestItems: { [kHash]: { Keys: [{ pk: N(text) }] } } },
      expect: refused(current),
    },
    {
      name: `"${text}" in an update value`,
      operation: 'UpdateItem',
      input: {
        TableName: kHash,
        Key: { pk: S('x') },
        UpdateExpression: 'SET v = :v',
        ExpressionAttributeValues: { ':v': N(text) },
      },
      expect: refused(one(current)),
    },
    {
      name: `"${text}" in AttributeUpdates`,
      operation: 'UpdateItem',
      input: { TableName: kHash, Key: { pk: S('x') }, AttributeUpdates: { v: { Action: 'PUT', Value: N(text) } } },
      expect: refused(one(current)),
    },
    {
      name: `"${text}" in a condition value`,
      operation: 'DeleteItem',
      input: {
        TableName: kHash,
        Key: { pk: S('x') },
        ConditionExpression: 'v = :v',
        ExpressionAttributeValues: { ':v': N(text) },
      },
      expect: refused(one(current)),
    },
    {
      name: `"${text}" in Expected`,
      operation: 'PutItem',
      input: { TableName: kHash, Item: { pk: S('x') }, Expected: { v: { Value: N(text) } } },
      expect: refused(one(current)),
    },
    {
      name: `"${text}" in a filter value`,
      operation: 'Query',
      input: {
        TableName: kHash,
        KeyConditionExpression: 'pk = :p',
        FilterExpression: 'v = :v',
        ExpressionAttributeValues: { ':p': S('x'), ':v': N(text) },
      },
      expect: refused(current),
    },
    {
      name: `"${text}" in a filter value`,
      operation: 'Scan',
      input: { TableName: kHash, FilterExpression: 'v = :v', ExpressionAttributeValues: { ':v': N(text) } },
      expect: refused(`ExpressionAttributeValues contains invalid value: ${older} for key :v`),
    },
    {
      name: `"${text}" in an item`,
      operation: 'BatchWriteItem',
      input: { RequestItems: { [kHash]: [{ PutRequest: { Item: { pk: S('x'), v: N(text) } } }] } },
      expect: refused(older),
    },
  ]),
);

const kDuplicates = [
  {
    name: 'strings',
    set: { SS: ['b', 'a', 'b'] },
    current: `${kInvalid}Input collection ["a", "b", "b"] contains duplicates.`,
    older: `${kInvalid}Input collection [b, a, b] contains duplicates.`,
  },
  {
    name: 'binary',
    set: { BS: [bytes(255), bytes(0), bytes(0)] },
    current: `${kInvalid}Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.`,
    older: `${kInvalid}Input collection [/w==, AA==, AA==]of type BS contains duplicates.`,
  },
  {
    name: 'numbers',
    set: { NS: ['2', '1', '2'] },
    current: `${kInvalid}Input collection contains duplicates.`,
    older: 'Input collection contains duplicates',
  },
];
runCases(
  'sets with duplicates are refused',
  kDuplicates.flatMap(({ name, set, current, older }) => [
    {
      name: `${name} in an item`,
      operation: 'PutItem',
      input: { TableName: kHash, Item: { pk: S('duplicates'), v: set } },
      expect: refused(one(current)),
    },
    {
      name: `${name} in a condition value`,
      operation: 'UpdateItem',
      input: {
        TableName: kHash,
        Key: { pk: S('duplicates') },
        UpdateExpression: 'SET a = :a',
        ConditionExpression: 'v = :v',
        ExpressionAttributeValues: { ':a': N('1'), ':v': set },
      },
      expect: refused(one(current)),
    },
    {
      name: `${name} in a key`,
      operation: 'DeleteItem',
      input: { TableName: kHash, Key: { pk: set } },
      expect: refused(one(current)),
    },
    {
      name: `${name} in a key`,
      operation: 'GetItem',
      input: { TableName: kHash, Key: { pk: set } },
      expect: refused(current),
    },
    {
      name: `${name} in a key condition value`,
      operation: 'Query',
      input: { TableName: kHash, KeyConditionExpression: 'pk = :v', ExpressionAttributeValues: { ':v': set } },
      expect: refused(current),
    },
    {
      name: `${name} in a start key`,
      operation: 'Query',
      input: {
        TableName: kHash,
        KeyConditionExpression: 'pk = :v',
        ExpressionAttributeValues: { ':v': S('x') },
        ExclusiveStartKey: { pk: set },
      },
      expect: refused(current),
    },
    {
      name: `${name} in QueryFilter`,
      operation: 'Query',
      input: {
        TableName: kHash,
        KeyConditions: { pk: { ComparisonOperator: 'EQ', AttributeValueList: [S('x')] } },
        QueryFilter: { v: { ComparisonOperator: 'EQ', AttributeValueList: [set] } },
      },
      expect: refused(current),
    },
    {
      name: `${name} in an item`,
      operation: 'BatchWriteItem',
      input: { RequestItems: { [kHash]: [{ PutRequest: { Item: { pk: S('duplicates'), v: set } } }] } },
      expect: refused(older),
    },
    {
      name: `${name} in a delete key`,
      operation: 'BatchWriteItem',
      input: { RequestItems: { [kHash]: [{ DeleteRequest: { Key: { pk: set } } }] } },
      expect: refused(older),
    },
  ]),
);

const put = (name, v, message) => ({
  name,
  operation: 'PutItem',
  input: { TableName: kHash, Item: { pk: S('refused value'), v } },
  expect: refused(one(message)),
});
runCases('values that are refused', [
  put('an empty string set', { SS: [] }, `${kInvalid}An string set  may not be empty`),
  put('an empty number set', { NS: [] }, `${kInvalid}An number set  may not be empty`),
  put('an empty binary set', { BS: [] }, `${kInvalid}Binary sets should not be empty`),
  put('an empty set inside a map', { M: { s: { SS: [] } } }, `${kInvalid}An string set  may not be empty`),
  put('an empty text in a number set', { NS: [''] }, `${kNotNumeric}: `),
  put('equal numbers written differently', { NS: ['1', '1.0'] }, `${kInvalid}Input collection contains duplicates.`),
  put('two empty strings in a set', { SS: ['', ''] }, `${kInvalid}Input collection ["", ""] contains duplicates.`),
  put('null that is false', { NULL: false }, `${kInvalid}Null attribute value types must have the value of true`),
]);

const nested = (depth) => (depth === 0 ? S('leaf') : { M: { n: nested(depth - 1) } });
const nestedList = (depth) => (depth === 0 ? S('leaf') : { L: [nestedList(depth - 1)] });
const kTooDeep =
  'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit';
runCases('documents are at most 32 levels deep', [
  roundTrips('31 maps around a string', nested(31)),
  roundTrips('31 lists around a string', nestedList(31)),
  put('32 maps around a string', nested(32), kTooDeep),
  put('32 lists around a string', nestedList(32), kTooDeep),
  put('60 maps around a string', nested(60), kTooDeep),
  {
    name: '32 maps in a batch',
    operation: 'BatchWriteItem',
    input: { RequestItems: { [kHash]: [{ PutRequest: { Item: { pk: S('deep'), v: nested(32) } } }] } },
    expect: refused(kTooDeep),
  },
  {
    name: 'a condition value of 31 maps is compared',
    operation: 'UpdateItem',
    input: {
      TableName: kHash,
      Key: { pk: S('deep condition') },
      UpdateExpression: 'SET a = :a',
      ConditionExpression: 'd = :d',
      ExpressionAttributeValues: { ':a': S('x'), ':d': nested(31) },
    },
    expect: { error: 'ConditionalCheckFailedException' },
  },
  {
    name: 'a condition value of 32 maps is refused',
    operation: 'UpdateItem',
    input: {
      TableName: kHash,
      Key: { pk: S('deep condition') },
      UpdateExpression: 'SET a = :a',
      ConditionExpression: 'd = :d',
      ExpressionAttributeValues: { ':a': S('x'), ':d': nested(32) },
    },
    expect: refused(one(kTooDeep)),
  },
]);

// An item's size is that of its names and values. The limit is exact, so it can measure the size of a value.
const kItemBytesMax = 409_600;
const kTooLarge = 'Item size has exceeded the maximum allowed size';
const kTooLargeForms = [kTooLarge, one(kTooLarge)];
function sizedPair(name, value, valueBytes) {
  const pk = `size ${name}`;
  const item = (total) => {
    const used = 2 + Buffer.byteLength(pk) + 1 + valueBytes + 1;
    return { pk: S(pk), v: value, p: S('x'.repeat(total - used)) };
  };
  return [
    {
      name: `${name}: fits exactly`,
      operation: 'PutItem',
      input: { TableName: kHash, Item: item(kItemBytesMax) },
      expect: { output: {} },
      after: [['DeleteItem', { TableName: kHash, Key: { pk: S(pk) } }, {}]],
    },
    {
      name: `${name}: one byte over`,
      operation: 'PutItem',
      input: { TableName: kHash, Item: item(kItemBytesMax + 1) },
      expect: refused(kTooLargeForms),
    },
  ];
}
runCases('the size of an item is counted to the byte', [
  ...[
    ['0', 1],
    ['-0', 1],
    ['1', 2],
    ['12', 2],
    ['123', 3],
    ['1234', 3],
    [kThirtyEight, 20],
    ['0042', 2],
    ['100', 2],
    ['1010', 3],
    ['0.0000001', 2],
    ['1E125', 2],
    ['1E-100', 2],
    ['1.5', 3],
    ['1.200', 3],
    ['1.234', 4],
    ['3.14159', 5],
    ['100.5', 4],
    ['0.15', 2],
    ['-42', 3],
  ].flatMap(([text, size]) => sizedPair(`the number ${text} is ${size}`, N(text), size)),
  ...sizedPair('a string is its UTF-8 bytes', S('é漢\u{1F600}'), 9),
  ...sizedPair('binary is its bytes', { B: bytes(1, 2, 3) }, 3),
  ...sizedPair('a boolean is 1', { BOOL: true }, 1),
  ...sizedPair('null is 1', { NULL: true }, 1),
  ...sizedPair('a string set is its members', { SS: ['ab', 'cde'] }, 5),
  ...sizedPair('an empty map is 3', { M: {} }, 3),
  ...sizedPair('an empty list is 3', { L: [] }, 3),
  ...sizedPair('a map is 3, and 1 more for each entry', { M: { ab: S('cde'), f: S('g') } }, 3 + 2 + 3 + 1 + 1 + 2),
  ...sizedPair('a list is 3, and 1 more for each member', { L: [S('cde'), S('g')] }, 3 + 3 + 1 + 2),
  {
    name: 'an item of a batch, one byte over',
    operation: 'BatchWriteItem',
    input: {
      RequestItems: { [kHash]: [{ PutRequest: { Item: { pk: S('batch'), p: S('x'.repeat(kItemBytesMax - 7)) } } }] },
    },
    expect: refused(kTooLarge),
  },
  {
    name: 'an update that grows an item past the limit',
    operation: 'UpdateItem',
    before: [['PutItem', { TableName: kHash, Item: { pk: S('grown'), a: S('x'.repeat(300_000)) } }]],
    input: {
      TableName: kHash,
      Key: { pk: S('grown') },
      UpdateExpression: 'SET b = :b',
      ExpressionAttributeValues: { ':b': S('x'.repeat(150_000)) },
    },
    expect: refused('Item size to update has exceeded the maximum allowed size'),
    after: [
      [
        'GetItem',
        { TableName: kHash, Key: { pk: S('grown') }, ProjectionExpression: 'pk, b' },
        { Item: exact({ pk: S('grown') }) },
      ],
    ],
  },
]);

runCases('names of attributes', [
  {
    name: '65535 bytes',
    operation: 'PutItem',
    input: { TableName: kHash, Item: { pk: S('long name'), ['n'.repeat(65_535)]: N('1') } },
    expect: { output: {} },
    after: [['DeleteItem', { TableName: kHash, Key: { pk: S('long name') } }, {}]],
  },
  {
    name: '65536 bytes',
    operation: 'PutItem',
    input: { TableName: kHash, Item: { pk: S('long name'), ['n'.repeat(65_536)]: N('1') } },
    expect: refused(/Attribute name is too large, must be less than 65536 bytes$/),
  },
]);

const kHashTooLong = `${kInvalid}Size of hashkey has exceeded the maximum size limit of2048 bytes`;
const kRangeTooLong = `${kInvalid}Aggregated size of all range keys has exceeded the size limit of 1024 bytes`;
const emptyKey = (type, name = 'pk') =>
  `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ${type} value. Key: ${name}`;
runCases('keys have their own sizes', [
  {
    name: 'a partition key of 2048 bytes',
    operation: 'PutItem',
    input: { TableName: kHash, Item: { pk: S('k'.repeat(2048)) } },
    expect: { output: {} },
  },
  {
    name: 'a partition key of 2049 bytes',
    operation: 'PutItem',
    input: { TableName: kHash, Item: { pk: S('k'.repeat(2049)) } },
    expect: refused(kHashTooLong),
  },
  {
    name: 'a partition key of 2049 bytes in 683 characters',
    operation: 'PutItem',
    input: { TableName: kHash, Item: { pk: S('漢'.repeat(683)) } },
    expect: refused(kHashTooLong),
  },
  {
    name: 'a partition key of 2049 bytes',
    operation: 'GetItem',
    input: { TableName: kHash, Key: { pk: S('k'.repeat(2049)) } },
    expect: refused(kHashTooLong),
  },
  {
    name: 'a sort key of 1024 bytes',
    operation: 'PutItem',
    input: { TableName: kPair, Item: { pk: S('long sort key'), sk: S('k'.repeat(1024)) } },
    expect: { output: {} },
  },
  {
    name: 'a sort key of 1025 bytes',
    operation: 'PutItem',
    input: { TableName: kPair, Item: { pk: S('long sort key'), sk: S('k'.repeat(1025)) } },
    expect: refused(kRangeTooLong),
  },
  {
    name: 'an empty string key',
    operation: 'PutItem',
    input: { TableName: kHash, Item: { pk: S('') } },
    expect: refused(emptyKey('string')),
  },
  {
    name: 'an empty string key',
    operation: 'GetItem',
    input: { TableName: kHash, Key: { pk: S('') } },
    expect: refused(emptyKey('string')),
  },
  ...['GetItem', 'DeleteItem', 'UpdateItem'].map((operation) => ({
    name: 'an empty binary key',
    operation,
    input: { TableName: kBinaryHash, Key: { pk: { B: bytes() } } },
    expect: refused(emptyKey('binary')),
  })),
  {
    name: 'an empty binary key',
    operation: 'PutItem',
    input: { TableName: kBinaryHash, Item: { pk: { B: bytes() } } },
    expect: refused(emptyKey('binary')),
  },
  {
    name: 'an empty sort key',
    operation: 'PutItem',
    input: { TableName: kPair, Item: { pk: S('x'), sk: S('') } },
    expect: refused(emptyKey('string', 'sk')),
  },
  {
    name: 'a number key is the same however it is written',
    operation: 'GetItem',
    before: [['PutItem', { TableName: kNumberHash, Item: { pk: N('123.0'), a: S('x') } }]],
    input: { TableName: kNumberHash, Key: { pk: N('1.23e2') } },
    expect: { output: { Item: exact({ pk: N('123'), a: S('x') }) } },
  },
  {
    name: 'a binary key',
    operation: 'GetItem',
    before: [['PutItem', { TableName: kBinaryHash, Item: { pk: { B: bytes(0, 255, 0) }, a: S('x') } }]],
    input: { TableName: kBinaryHash, Key: { pk: { B: bytes(0, 255, 0) } } },
    expect: { output: { Item: exact({ pk: { B: bytes(0, 255, 0) }, a: S('x') }) } },
  },
  {
    name: 'a number sort key of 38 digits',
    operation: 'GetItem',
    before: [['PutItem', { TableName: kNumberPair, Item: { pk: S('digits'), sk: N(kThirtyEight) } }]],
    input: { TableName: kNumberPair, Key: { pk: S('digits'), sk: N(`${kThirtyEight.slice(0, -1)}9`) } },
    expect: { output: exact({}) },
  },
]);
