// Requests with several faults: which one is reported, or which ones are reported together.
import { runCases, kInvalid, one, refused } from '../harness/cases.mjs';
import { kAbsent, kHash, kPair } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: value });
const key = { pk: S('x') };

const kNameNull = "Value null at 'tableName' failed to satisfy constraint: Member must not be null";
const kNameEmpty =
  "Value at 'TableName' failed to satisfy constraint: Member must have length greater than or equal to 1";
const kNamePattern = (name) =>
  `Value '${name}' at 'tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+`;
const kNameLong = (name) =>
  `Value '${name}' at 'tableName' failed to satisfy constraint: Member must have length less than or equal to 255`;
const kCapacityEnum = (value) =>
  `Value '${value}' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]`;
const kValuesEnum =
  'Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]';
const kKeyNull = "Value null at 'key' failed to satisfy constraint: Member must not be null";
const joined = (...messages) => `${messages.length} validation errors detected: ${messages.join('; ')}`;
const kNumberEmpty = 'The parameter cannot be converted to a numeric value: ';

runCases('the table name', [
  ...[
    ['PutItem', { Item: key }],
    ['DeleteItem', { Key: key }],
    ['UpdateItem', { Key: key }],
  ].flatMap(([operation, rest]) => [
    { name: 'is null', operation, input: { ...rest }, expect: refused(one(kNameNull)) },
    { name: 'is empty', operation, input: { TableName: '', ...rest }, expect: refused(one(kNameEmpty)) },
    {
      name: 'has other characters',
      operation,
      input: { TableName: 'bad table!@#', ...rest },
      expect: refused(one(kNamePattern('bad table!@#'))),
    },
    {
      name: 'is too long',
      operation,
      input: { TableName: 'a'.repeat(256), ...rest },
      expect: refused(one(kNameLong('a'.repeat(256)))),
    },
  ]),
  { name: 'is null', operation: 'GetItem', input: { Key: key }, expect: refused(one(kNameNull)) },
  {
    name: 'has other characters',
    operation: 'GetItem',
    input: { TableName: 'x!', Key: key },
    expect: refused(one(kNamePattern('x!'))),
  },
  { name: 'is null', operation: 'Query', input: { KeyConditionExpression: 'a = :a' }, expect: refused(one(kNameNull)) },
  { name: 'is null', operation: 'Scan', input: {}, expect: refused(one(kNameNull)) },
  {
    name: 'has other characters',
    operation: 'Scan',
    input: { TableName: 'a b' },
    expect: refused(one(kNamePattern('a b'))),
  },
]);

runCases('members of single-item writes', [
  {
    name: 'three enums at once',
    operation: 'PutItem',
    input: {
      TableName: kAbsent,
      Item: key,
      ReturnConsumedCapacity: 'INVALID',
      ReturnItemCollectionMetrics: 'INVALID',
      ReturnValues: 'INVALID',
    },
    expect: refused(
      joined(kCapacityEnum('INVALID'), kValuesEnum, 'ReturnItemCollectionMetrics can only be SIZE or NONE'),
    ),
  },
  {
    name: 'two enums at once',
    operation: 'DeleteItem',
    input: { TableName: kAbsent, Key: key, ReturnConsumedCapacity: 'INVALID', ReturnValues: 'INVALID' },
    expect: refused(joined(kCapacityEnum('INVALID'), kValuesEnum)),
  },
  {
    name: 'two enums: the first alone',
    operation: 'UpdateItem',
    input: { TableName: kAbsent, Key: key, ReturnConsumedCapacity: 'INVALID', ReturnValues: 'INVALID' },
    expect: refused(one(kValuesEnum)),
  },
  {
    name: 'an empty table name hides a bad enum',
    operation: 'PutItem',
    input: { TableName: '', Item: {}, ReturnValues: 'INVALID' },
    expect: refused(one(kNameEmpty)),
  },
  {
    name: 'an empty table name hides an empty key',
    operation: 'UpdateItem',
    input: { TableName: '', Key: {} },
    expect: refused(one(kNameEmpty)),
  },
  {
    name: 'an empty table name beside no key',
    operation: 'UpdateItem',
    input: { TableName: '', UpdateExpression: 'SET a = :a', ExpressionAttributeValues: { ':a': S('x') } },
    expect: refused(
      joined(
        "Value '' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 1",
        kKeyNull,
      ),
    ),
  },
  {
    name: 'bad enums, an empty table name and no key',
    operation: 'UpdateItem',
    input: {
      TableName: '',
      UpdateExpression: 'SET a = :a',
      ExpressionAttributeValues: { ':a': S('x') },
      ReturnConsumedCapacity: 'INVALID',
      ReturnValues: 'INVALID',
    },
    expect: refused(
      joined(
        kCapacityEnum('INVALID'),
        "Value '' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 1",
        "Value 'INVALID' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]",
        kKeyNull,
      ),
    ),
  },
  { name: 'no key', operation: 'GetItem', input: { TableName: kAbsent }, expect: refused(one(kKeyNull)) },
  { name: 'no key', operation: 'DeleteItem', input: { TableName: kAbsent }, expect: refused(one(kKeyNull)) },
  {
    name: 'no item',
    operation: 'PutItem',
    input: { TableName: kAbsent },
    expect: refused(one("Value null at 'item' failed to satisfy constraint: Member must not be null")),
  },
]);

runCases('which fault wins in a single-item operation', [
  {
    name: 'mixed parameters before a bad value',
    operation: 'PutItem',
    input: {
      TableName: kAbsent,
      Item: { pk: N('') },
      Expected: { a: { Exists: false } },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
    expect: refused(
      one(
        'Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}',
      ),
    ),
  },
  {
    name: 'a bad value before a bad condition',
    operation: 'PutItem',
    input: { TableName: kAbsent, Item: { pk: N('') }, ConditionExpression: '(' },
    expect: refused(one(kNumberEmpty)),
  },
  {
    name: 'a bad condition before a missing table',
    operation: 'PutItem',
    input: { TableName: kAbsent, Item: key, ConditionExpression: 'a = = b' },
    expect: refused(one('Invalid ConditionExpression: Syntax error; token: "=", near: "= = b"')),
  },
  {
    name: 'an unused value before a missing table',
    operation: 'DeleteItem',
    input: {
      TableName: kAbsent,
      Key: key,
      ConditionExpression: 'attribute_exists(a)',
      ExpressionAttributeValues: { ':u': S('x') },
    },
    expect: refused(one('Value provided in ExpressionAttributeValues unused in expressions: keys: {:u}')),
  },
  {
    name: 'a missing table before a key of the wrong shape',
    operation: 'GetItem',
    input: { TableName: kAbsent, Key: { nothing: N('1') } },
    expect: { error: 'ResourceNotFoundException', message: 'Requested resource not found' },
  },
  {
    name: 'a bad value in the key before a missing table',
    operation: 'GetItem',
    input: { TableName: kAbsent, Key: { pk: N('abc') } },
    expect: refused('The parameter cannot be converted to a numeric value: abc'),
  },
  {
    name: 'a bad projection before a missing table',
    operation: 'GetItem',
    input: { TableName: kAbsent, Key: key, ProjectionExpression: 'a, a' },
    expect: refused(/^Invalid ProjectionExpression: Two document paths overlap/),
  },
  {
    name: 'a key of the wrong shape before a condition that fails',
    operation: 'DeleteItem',
    input: { TableName: kPair, Key: key, ConditionExpression: 'attribute_exists(a)' },
    expect: refused('The provided key element does not match the schema'),
  },
  {
    name: 'a missing key before a condition that fails',
    operation: 'PutItem',
    input: { TableName: kHash, Item: { a: S('x') }, ConditionExpression: 'attribute_exists(a)' },
    expect: refused(`${kInvalid}Missing the key pk in the item`),
  },
  {
    name: 'a name that is malformed before a condition that does not parse',
    operation: 'PutItem',
    input: { TableName: kAbsent, Item: key, ConditionExpression: '(', ExpressionAttributeNames: { bad: 'x' } },
    expect: refused(one('ExpressionAttributeNames contains invalid key: Syntax error; key: "bad"')),
  },
  {
    name: 'updating a key attribute before a condition that fails',
    operation: 'UpdateItem',
    input: {
      TableName: kHash,
      Key: key,
      UpdateExpression: 'SET pk = :v',
      ConditionExpression: 'attribute_exists(nothing)',
      ExpressionAttributeValues: { ':v': S('x') },
    },
    expect: refused(`${kInvalid}Cannot update attribute pk. This attribute is part of the key`),
  },
]);

const operand =
  'Invalid KeyConditionExpression: Incorrect operand type for operator or function; operator or function: begins_with, operand type: N';
const undefinedValue =
  'Invalid KeyConditionExpression: An expression attribute value used in expression is not defined; attribute value: :missing';
const query = (name, TableName, KeyConditionExpression, ExpressionAttributeValues, expect) => ({
  name,
  operation: 'Query',
  input: { TableName, KeyConditionExpression, ExpressionAttributeValues },
  expect,
});
runCases('which fault wins in a Query or a Scan', [
  query(
    'an undefined value before a bad operand, as written',
    kPair,
    'pk = :missing AND begins_with(sk, :n)',
    { ':n': N('1') },
    refused(undefinedValue),
  ),
  query(
    'a bad operand before an undefined value, as written',
    kPair,
    'begins_with(sk, :n) AND pk = :missing',
    { ':n': N('1') },
    refused(operand),
  ),
  query(
    'a bad operand before one condition too many',
    kPair,
    'pk = :p AND begins_with(sk, :n) AND sk > :s',
    { ':p': S('q'), ':n': N('1'), ':s': S('a') },
    refused(operand),
  ),
  query(
    'a bad operand before a missing table',
    kAbsent,
    'pk = :p AND begins_with(sk, :n)',
    { ':p': S('q'), ':n': N('1') },
    refused(operand),
  ),
  query(
    'a missing table when the condition is sound',
    kAbsent,
    'pk = :p AND begins_with(sk, :s)',
    { ':p': S('q'), ':s': S('a') },
    { error: 'ResourceNotFoundException', message: 'Requested resource not found' },
  ),
  {
    name: 'a bad ConditionalOperator before a bad Select',
    operation: 'Query',
    input: {
      TableName: kAbsent,
      KeyConditions: { pk: { ComparisonOperator: 'EQ', AttributeValueList: [S('a')] } },
      QueryFilter: { b: { ComparisonOperator: 'NULL' }, c: { ComparisonOperator: 'NULL' } },
      ConditionalOperator: 'XOR',
      Select: 'BOGUS',
    },
    expect: refused('Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]'),
  },
  {
    name: 'a bad filter before a missing table',
    operation: 'Scan',
    input: { TableName: kAbsent, FilterExpression: 'a = = b' },
    expect: refused('Invalid FilterExpression: Syntax error; token: "=", near: "= = b"'),
  },
  {
    name: 'a segment without a total before a missing table',
    operation: 'Scan',
    input: { TableName: kAbsent, Segment: 1 },
    expect: refused(
      'The TotalSegments parameter is required but was not present in the request when Segment parameter is present',
    ),
  },
]);

const kMetricsEnum =
  "Value 'BOGUS' at 'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum value set: [SIZE, NONE]";
const kKeysPattern =
  'Map keys must satisfy constraint: [Member must have length less than or equal to 255, Member must have length greater than or equal to 3, Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]';
const puts = (table) => ({ [table]: [{ PutRequest: { Item: key } }] });
runCases('which fault wins in a batch', [
  {
    name: 'both enums together',
    operation: 'BatchWriteItem',
    input: { RequestItems: puts(kAbsent), ReturnConsumedCapacity: 'BOGUS', ReturnItemCollectionMetrics: 'BOGUS' },
    expect: refused(joined(kCapacityEnum('BOGUS'), kMetricsEnum)),
  },
  {
    name: 'an enum before a missing table',
    operation: 'BatchWriteItem',
    input: { RequestItems: puts(kAbsent), ReturnConsumedCapacity: 'BOGUS' },
    expect: refused(one(kCapacityEnum('BOGUS'))),
  },
  {
    name: 'an enum alone over a malformed table name',
    operation: 'BatchWriteItem',
    input: { RequestItems: puts('bad!name'), ReturnConsumedCapacity: 'BOGUS' },
    expect: refused(one(kCapacityEnum('BOGUS'))),
  },
  {
    name: 'an enum before a missing table',
    operation: 'BatchGetItem',
    input: { RequestItems: { [kAbsent]: { Keys: [key] } }, ReturnConsumedCapacity: 'BOGUS' },
    expect: refused(one(kCapacityEnum('BOGUS'))),
  },
  {
    name: 'an enum together with a malformed table name',
    operation: 'BatchGetItem',
    input: { RequestItems: { 'bad!name': { Keys: [{ pk: S('a') }] } }, ReturnConsumedCapacity: 'BOGUS' },
    expect: refused(
      joined(
        `Value '{"bad!name":{"Keys":[{"pk":{"S":"a"}}]}}' at 'requestItems' failed to satisfy constraint: ${kKeysPattern}`,
        kCapacityEnum('BOGUS'),
      ),
    ),
  },
]);
