// Attribute names: empty names and names over 64 KB are refused wherever a request contains one.
import { runCases, kInvalid, one, refused } from '../harness/cases.mjs';
import { kHash } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const Key = { pk: S('names') };
const TableName = kHash;
const kLong = 'n'.repeat(65536);
const kLongest = 'n'.repeat(65535);
const kTooLarge = `${kInvalid}Attribute name is too large, must be less than 65536 bytes`;
const kEmpty = 'Empty attribute name';
const forName = (fault) => `ExpressionAttributeNames contains invalid value: ${fault} for key #a`;
const v = { ':v': S('x') };

// Every way to name an attribute, and the envelope of its error message.
const ways = [
  ['PutItem', 'in an item', (name) => ({ TableName, Item: { ...Key, [name]: S('x') } }), one],
  ['PutItem', 'in a map', (name) => ({ TableName, Item: { ...Key, m: { M: { [name]: S('x') } } } }), one],
  ['PutItem', 'in Expected', (name) => ({ TableName, Item: Key, Expected: { [name]: { Exists: false } } }), one],
  ['DeleteItem', 'in Expected', (name) => ({ TableName, Key, Expected: { [name]: { Exists: false } } }), one],
  [
    'UpdateItem',
    'in AttributeUpdates',
    (name) => ({ TableName, Key, AttributeUpdates: { [name]: { Value: S('x') } } }),
    one,
  ],
  [
    'UpdateItem',
    'in Expected',
    (name) => ({ TableName, Key, AttributeUpdates: { a: { Value: S('x') } }, Expected: { [name]: { Exists: false } } }),
    one,
  ],
  [
    'UpdateItem',
    'in a value',
    (name) => ({
      TableName,
      Key,
      UpdateExpression: 'SET a = :m',
      ExpressionAttributeValues: { ':m': { M: { [name]: S('x') } } },
    }),
    one,
  ],
  [
    'UpdateItem',
    'written',
    (name) => ({
      TableName,
      Key,
      UpdateExpression: 'SET #a = :v',
      ExpressionAttributeNames: { '#a': name },
      ExpressionAttributeValues: v,
    }),
    (fault) => one(forName(fault)),
  ],
  [
    'UpdateItem',
    'in a condition',
    (name) => ({
      TableName,
      Key,
      UpdateExpression: 'SET a = :v',
      ConditionExpression: 'attribute_not_exists(#a)',
      ExpressionAttributeNames: { '#a': name },
      ExpressionAttributeValues: v,
    }),
    (fault) => one(forName(fault)),
  ],
  [
    'PutItem',
    'in a condition',
    (name) => ({
      TableName,
      Item: Key,
      ConditionExpression: 'attribute_not_exists(#a)',
      ExpressionAttributeNames: { '#a': name },
    }),
    (fault) => one(forName(fault)),
  ],
  [
    'TransactWriteItems',
    'written',
    (name) => ({
      TransactItems: [
        {
          Update: {
            TableName,
            Key,
            UpdateExpression: 'SET #a = :v',
            ExpressionAttributeNames: { '#a': name },
            ExpressionAttributeValues: v,
          },
        },
      ],
    }),
    forName,
  ],
  [
    'TransactWriteItems',
    'in a Put',
    (name) => ({ TransactItems: [{ Put: { TableName, Item: { ...Key, [name]: S('x') } } }] }),
    (fault) => fault,
  ],
  [
    'GetItem',
    'projected',
    (name) => ({ TableName, Key, ProjectionExpression: '#a', ExpressionAttributeNames: { '#a': name } }),
    forName,
  ],
  ['GetItem', 'in AttributesToGet', (name) => ({ TableName, Key, AttributesToGet: [name] }), (fault) => fault],
  ['GetItem', 'in the key', (name) => ({ TableName, Key: { [name]: S('x') } }), (fault) => fault],
  [
    'Scan',
    'in ScanFilter',
    (name) => ({ TableName, ScanFilter: { [name]: { ComparisonOperator: 'NULL' } } }),
    (fault) => fault,
  ],
  [
    'Query',
    'in QueryFilter',
    (name) => ({
      TableName,
      KeyConditions: { pk: { ComparisonOperator: 'EQ', AttributeValueList: [S('x')] } },
      QueryFilter: { [name]: { ComparisonOperator: 'NULL' } },
    }),
    (fault) => fault,
  ],
  [
    'BatchWriteItem',
    'in a put',
    (name) => ({ RequestItems: { [TableName]: [{ PutRequest: { Item: { ...Key, [name]: S('x') } } }] } }),
    (fault) => fault,
  ],
  [
    'BatchGetItem',
    'in AttributesToGet',
    (name) => ({ RequestItems: { [TableName]: { Keys: [Key], AttributesToGet: [name] } } }),
    (fault) => fault,
  ],
];
runCases(
  'an attribute without a name',
  ways.map(([operation, name, input, wrapped]) => ({
    name,
    operation,
    input: input(''),
    expect: refused(wrapped(kEmpty)),
  })),
);
runCases(
  'an attribute whose name is too long',
  ways.map(([operation, name, input, wrapped]) => ({
    name,
    operation,
    input: input(kLong),
    expect: refused(wrapped(kTooLarge)),
  })),
);
runCases('the longest name', [
  {
    name: 'can be written by an update and put back',
    operation: 'UpdateItem',
    input: {
      TableName,
      Key: { pk: S('longest name') },
      UpdateExpression: 'SET #a = :v',
      ExpressionAttributeNames: { '#a': kLongest },
      ExpressionAttributeValues: v,
    },
    expect: { output: {} },
    after: [['PutItem', { TableName, Item: { pk: S('longest name'), [kLongest]: S('y') } }, {}]],
  },
]);
