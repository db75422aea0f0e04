// The legacy parameters that expressions replaced: Expected, AttributeUpdates, KeyConditions, QueryFilter, ScanFilter,
// AttributesToGet and ConditionalOperator.
import { before } from 'node:test';
import { call } from '../harness/client.mjs';
import { runCases, kConditionFailed, kInvalid, one, refused } from '../harness/cases.mjs';
import { absent, exact, unordered } from '../harness/match.mjs';
import { kAbsent, kHash, kNumberPair, kPair } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: value });
const compare = (ComparisonOperator, ...AttributeValueList) => ({
  ComparisonOperator,
  ...(AttributeValueList.length === 0 ? {} : { AttributeValueList }),
});
const kMixed = (legacy, expressions) =>
  `Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {${legacy}} Expression parameters: {${expressions}}`;

// An item that is put again with Expected, so nothing changes if the condition holds.
const Key = { pk: S('the item of legacy.test') };
const item = {
  ...Key,
  s: S('hello'),
  n: N('10'),
  b: { B: Uint8Array.from([1, 2, 3]) },
  ss: { SS: ['a', 'b'] },
  ns: { NS: ['1', '2'] },
  l: { L: [S('x'), N('1')] },
  nothing: { NULL: true },
};
before(() => call('PutItem', { TableName: kHash, Item: item }));
const expected = (Expected, ConditionalOperator) => ({ TableName: kHash, Item: item, Expected, ConditionalOperator });
const described = (value) => JSON.stringify(value, (key, inner) => (inner instanceof Uint8Array ? [...inner] : inner));
const holds = (Expected, operator) => ({
  name: described(Expected) + (operator ?? ''),
  operation: 'PutItem',
  input: expected(Expected, operator),
  expect: { output: {} },
});
const fails = (Expected, operator) => ({
  name: described(Expected) + (operator ?? ''),
  operation: 'PutItem',
  input: expected(Expected, operator),
  expect: kConditionFailed,
});
runCases('Expected that holds', [
  holds({ s: { Value: S('hello') } }),
  holds({ s: { Exists: true, Value: S('hello') } }),
  holds({ absent: { Exists: false } }),
  holds({ s: { ComparisonOperator: 'EQ', Value: S('hello') } }),
  holds({ s: compare('EQ', S('hello')) }),
  holds({ n: compare('EQ', N('10.0')) }),
  holds({ ss: compare('EQ', { SS: ['b', 'a'] }) }),
  holds({ s: compare('NE', S('other')) }),
  holds({ absent: compare('NE', S('x')) }),
  holds({ n: compare('LT', N('11')) }),
  holds({ n: compare('LE', N('10')) }),
  holds({ n: compare('GT', N('9')) }),
  holds({ n: compare('GE', N('10')) }),
  holds({ s: compare('NOT_NULL') }),
  holds({ nothing: compare('NOT_NULL') }),
  holds({ absent: compare('NULL') }),
  holds({ s: compare('CONTAINS', S('ell')) }),
  holds({ ss: compare('CONTAINS', S('a')) }),
  holds({ ns: compare('CONTAINS', N('1.0')) }),
  holds({ l: compare('CONTAINS', S('x')) }),
  holds({ s: compare('NOT_CONTAINS', S('z')) }),
  holds({ s: compare('BEGINS_WITH', S('he')) }),
  holds({ b: compare('BEGINS_WITH', { B: Uint8Array.from([1, 2]) }) }),
  holds({ s: compare('IN', S('x'), S('hello')) }),
  holds({ n: compare('BETWEEN', N('1'), N('10')) }),
  holds({ s: compare('EQ', S('hello')), n: compare('EQ', N('10')) }),
  holds({ s: compare('EQ', S('hello')), n: compare('EQ', N('10')) }, 'AND'),
  holds({ s: compare('EQ', S('no')), n: compare('EQ', N('10')) }, 'OR'),
]);
runCases('Expected that fails', [
  fails({ s: { Value: S('no') } }),
  fails({ absent: { Value: S('x') } }),
  fails({ s: { Exists: false } }),
  fails({ s: compare('EQ', N('1')) }),
  fails({ s: compare('NE', S('hello')) }),
  fails({ s: compare('LT', N('1')) }),
  fails({ absent: compare('LT', N('1')) }),
  fails({ s: compare('NULL') }),
  fails({ absent: compare('NOT_NULL') }),
  fails({ s: compare('CONTAINS', S('z')) }),
  fails({ s: compare('NOT_CONTAINS', S('ell')) }),
  fails({ s: compare('IN', S('x'), S('y')) }),
  fails({ n: compare('BETWEEN', N('11'), N('20')) }),
  fails({ s: compare('EQ', S('hello')), n: compare('EQ', N('1')) }),
  fails({ s: compare('EQ', S('no')), n: compare('EQ', N('1')) }, 'OR'),
]);
const bad = (name, Expected, message, extra = {}) => ({
  name,
  operation: 'DeleteItem',
  input: { TableName: kAbsent, Key, Expected, ...extra },
  expect: refused(one(message)),
});
runCases('Expected that is refused', [
  bad(
    'Exists without a value',
    { a: { Exists: true } },
    `${kInvalid}Value must be provided when Exists is true for Attribute: a`,
  ),
  bad('nothing at all', { a: {} }, `${kInvalid}Value must be provided when Exists is null for Attribute: a`),
  bad(
    'not there, with a value',
    { a: { Exists: false, Value: S('x') } },
    `${kInvalid}Value cannot be used when Exists is false for Attribute: a`,
  ),
  bad(
    'a value and a list',
    { a: { Value: S('x'), ...compare('EQ', S('x')) } },
    `${kInvalid}Value and AttributeValueList cannot be used together for Attribute: a`,
  ),
  bad(
    'Exists and an operator',
    { a: { Exists: true, ...compare('EQ', S('x')) } },
    `${kInvalid}Exists and ComparisonOperator cannot be used together for Attribute: a`,
  ),
  bad(
    'an operator without a value',
    { a: compare('EQ') },
    `${kInvalid}Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: a`,
  ),
  bad(
    'a list without an operator',
    { a: { AttributeValueList: [S('x')] } },
    `${kInvalid}AttributeValueList can only be used with a ComparisonOperator for Attribute: a`,
  ),
  bad(
    'one bound',
    { a: compare('BETWEEN', S('x')) },
    `${kInvalid}Invalid number of argument(s) for the BETWEEN ComparisonOperator`,
  ),
  bad(
    'two values',
    { a: compare('EQ', S('x'), S('y')) },
    `${kInvalid}Invalid number of argument(s) for the EQ ComparisonOperator`,
  ),
  bad(
    'a value for NULL',
    { a: compare('NULL', S('x')) },
    `${kInvalid}Invalid number of argument(s) for the NULL ComparisonOperator`,
  ),
  bad('a condition beside it', { a: { Exists: false } }, kMixed('Expected', 'ConditionExpression'), {
    ConditionExpression: 'attribute_exists(a)',
  }),
  bad(
    'names beside it',
    { a: { Exists: false } },
    'ExpressionAttributeNames can only be specified when using expressions',
    { ExpressionAttributeNames: { '#a': 'a' } },
  ),
  bad(
    'an operator over one',
    { a: { Exists: false } },
    'ConditionalOperator can only be used when Filter or Expected has two or more elements',
    { ConditionalOperator: 'AND' },
  ),
]);

let serial = 0;
const becomes = (name, AttributeUpdates, from, to) => {
  const pk = S(`legacy update ${serial++}`);
  return {
    name,
    operation: 'UpdateItem',
    before: from === null ? [] : [['PutItem', { TableName: kHash, Item: { pk, ...from } }]],
    input: { TableName: kHash, Key: { pk }, AttributeUpdates, ReturnValues: 'ALL_NEW' },
    expect: { output: to === null ? {} : { Attributes: exact({ pk, ...to }) } },
    after: [
      [
        'GetItem',
        { TableName: kHash, Key: { pk }, ConsistentRead: true },
        to === null ? exact({}) : { Item: exact({ pk, ...to }) },
      ],
    ],
  };
};
runCases('AttributeUpdates', [
  becomes('PUT', { a: { Action: 'PUT', Value: S('x') } }, { a: S('old'), b: S('kept') }, { a: S('x'), b: S('kept') }),
  becomes('PUT is the default', { a: { Value: S('x') } }, null, { a: S('x') }),
  becomes('ADD to a number', { n: { Action: 'ADD', Value: N('5') } }, { n: N('10') }, { n: N('15') }),
  becomes('ADD to nothing', { n: { Action: 'ADD', Value: N('5') } }, null, { n: N('5') }),
  becomes(
    'ADD to a set',
    { s: { Action: 'ADD', Value: { SS: ['c'] } } },
    { s: { SS: ['a'] } },
    { s: { SS: ['a', 'c'] } },
  ),
  becomes(
    'ADD to a list',
    { l: { Action: 'ADD', Value: { L: [S('c')] } } },
    { l: { L: [S('a')] } },
    { l: { L: [S('a'), S('c')] } },
  ),
  becomes('DELETE', { a: { Action: 'DELETE' } }, { a: S('x'), b: S('y') }, { b: S('y') }),
  becomes(
    'DELETE from a set',
    { s: { Action: 'DELETE', Value: { SS: ['a'] } } },
    { s: { SS: ['a', 'b'] } },
    { s: { SS: ['b'] } },
  ),
  becomes('DELETE of the last member', { s: { Action: 'DELETE', Value: { SS: ['a'] } } }, { s: { SS: ['a'] } }, {}),
  becomes(
    'several at once',
    { a: { Action: 'PUT', Value: S('x') }, n: { Action: 'ADD', Value: N('9') }, c: { Action: 'DELETE' } },
    { n: N('1'), c: S('gone') },
    { a: S('x'), n: N('10') },
  ),
  becomes('a name with dots is a name', { 'a.b': { Value: S('x') } }, {}, { 'a.b': S('x') }),
]);
const badUpdate = (name, AttributeUpdates, message, extra = {}) => ({
  name,
  operation: 'UpdateItem',
  input: { TableName: kHash, Key, AttributeUpdates, ...extra },
  expect: refused(message),
});
runCases('AttributeUpdates that are refused', [
  badUpdate(
    'PUT without a value',
    { a: { Action: 'PUT' } },
    one(`${kInvalid}Only DELETE action is allowed when no attribute value is specified`),
  ),
  badUpdate(
    'ADD of a string',
    { a: { Action: 'ADD', Value: S('x') } },
    one(`${kInvalid}ADD action is not supported for the type S`),
  ),
  badUpdate(
    'DELETE of a string',
    { a: { Action: 'DELETE', Value: S('x') } },
    one(`${kInvalid}DELETE action with value is not supported for the type S`),
  ),
  badUpdate(
    'the key',
    { pk: { Value: S('x') } },
    `${kInvalid}Cannot update attribute pk. This attribute is part of the key`,
  ),
  badUpdate('ADD to a string', { s: { Action: 'ADD', Value: N('1') } }, 'Type mismatch for attribute to update'),
  badUpdate('an expression beside it', { a: { Value: S('x') } }, one(kMixed('AttributeUpdates', 'UpdateExpression')), {
    UpdateExpression: 'REMOVE a',
  }),
  badUpdate(
    'both beside both',
    { a: { Value: S('x') } },
    one(kMixed('AttributeUpdates, Expected', 'UpdateExpression, ConditionExpression')),
    { Expected: { a: { Exists: false } }, UpdateExpression: 'REMOVE a', ConditionExpression: 'attribute_exists(a)' },
  ),
]);

const rows = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'].map((sk, index) => ({
  pk: S('legacy'),
  sk: S(sk),
  val: N(String(index)),
  tag: S(index % 2 ? 'odd' : 'even'),
}));
before(async () => {
  for (const Item of rows) await call('PutItem', { TableName: kPair, Item });
});
const whole = { pk: compare('EQ', S('legacy')) };
const query = (KeyConditions, extra = {}) => ({
  TableName: kPair,
  KeyConditions: { ...whole, ...KeyConditions },
  ...extra,
});
const finds = (name, input, names) => ({
  name,
  operation: 'Query',
  input,
  expect: { output: { Count: names.length, Items: names.map((sk) => ({ sk: S(sk) })) } },
});
runCases('KeyConditions and QueryFilter', [
  finds('the partition', query({}), ['alpha', 'beta', 'delta', 'epsilon', 'gamma']),
  finds('EQ', query({ sk: compare('EQ', S('beta')) }), ['beta']),
  finds('LT', query({ sk: compare('LT', S('beta')) }), ['alpha']),
  finds('LE', query({ sk: compare('LE', S('beta')) }), ['alpha', 'beta']),
  finds('GT', query({ sk: compare('GT', S('delta')) }), ['epsilon', 'gamma']),
  finds('GE', query({ sk: compare('GE', S('delta')) }), ['delta', 'epsilon', 'gamma']),
  finds('BEGINS_WITH', query({ sk: compare('BEGINS_WITH', S('al')) }), ['alpha']),
  finds('BETWEEN', query({ sk: compare('BETWEEN', S('beta'), S('epsilon')) }), ['beta', 'delta', 'epsilon']),
  finds('backwards', query({}, { ScanIndexForward: false }), ['gamma', 'epsilon', 'delta', 'beta', 'alpha']),
  finds('a filter', query({}, { QueryFilter: { val: compare('GE', N('3')) } }), ['delta', 'epsilon']),
  finds('two filters', query({}, { QueryFilter: { val: compare('GE', N('3')), tag: compare('EQ', S('odd')) } }), [
    'delta',
  ]),
  finds(
    'either filter',
    query({}, { QueryFilter: { val: compare('EQ', N('0')), tag: compare('EQ', S('odd')) }, ConditionalOperator: 'OR' }),
    ['alpha', 'beta', 'delta'],
  ),
  finds(
    'KeyConditions beside a filter expression',
    query({}, { FilterExpression: 'val = :v', ExpressionAttributeValues: { ':v': N('4') } }),
    ['epsilon'],
  ),
  {
    name: 'AttributesToGet',
    operation: 'Query',
    input: query({ sk: compare('EQ', S('beta')) }, { AttributesToGet: ['val', 'nope'] }),
    expect: { output: { Items: exact([{ val: N('1') }]) } },
  },
]);
const badQuery = (name, input, message) => ({
  name,
  operation: 'Query',
  input: { TableName: kPair, ...input },
  expect: refused(message),
});
runCases('KeyConditions that are refused', [
  badQuery(
    'an expression beside it',
    { KeyConditions: whole, KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': S('x') } },
    kMixed('KeyConditions', 'KeyConditionExpression'),
  ),
  badQuery(
    'a filter beside an expression',
    {
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': S('x') },
      QueryFilter: { a: compare('NULL') },
    },
    kMixed('QueryFilter', 'KeyConditionExpression'),
  ),
  badQuery(
    'no partition',
    { KeyConditions: { sk: compare('EQ', S('x')) } },
    'Query condition missed key schema element: pk',
  ),
  badQuery(
    'a range of partitions',
    { KeyConditions: { pk: compare('GT', S('x')) } },
    'Query key condition not supported',
  ),
  badQuery(
    'an operator that has no order',
    { KeyConditions: { ...whole, sk: compare('NE', S('x')) } },
    'Attempted conditional constraint is not an indexable operation',
  ),
  badQuery(
    'CONTAINS',
    { KeyConditions: { ...whole, sk: compare('CONTAINS', S('x')) } },
    'Attempted conditional constraint is not an indexable operation',
  ),
  badQuery(
    'a value of another type',
    { KeyConditions: { ...whole, sk: compare('EQ', N('1')) } },
    `${kInvalid}Condition parameter type does not match schema type`,
  ),
  badQuery(
    'bounds the wrong way around',
    { KeyConditions: { ...whole, sk: compare('BETWEEN', S('z'), S('a')) } },
    'The BETWEEN condition was provided a range where the lower bound is greater than the upper bound',
  ),
  badQuery(
    'bounds of two types',
    { KeyConditions: { ...whole, sk: compare('BETWEEN', S('a'), N('1')) } },
    `${kInvalid}AttributeValues inside AttributeValueList must be of same type`,
  ),
  badQuery(
    'too few values',
    { KeyConditions: { ...whole, sk: compare('BETWEEN', S('a')) } },
    `${kInvalid}Invalid number of argument(s) for the BETWEEN ComparisonOperator`,
  ),
  badQuery(
    'an operator that a set does not have',
    { KeyConditions: whole, QueryFilter: { a: compare('LT', { SS: ['x'] }) } },
    `${kInvalid}ComparisonOperator LT is not valid for SS AttributeValue type`,
  ),
  badQuery(
    'BEGINS_WITH a number',
    { TableName: kNumberPair, KeyConditions: { ...whole, sk: compare('BEGINS_WITH', N('1')) } },
    `${kInvalid}ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type`,
  ),
  badQuery(
    'a filter on a key',
    { KeyConditions: whole, QueryFilter: { sk: compare('EQ', S('x')) } },
    'QueryFilter can only contain non-primary key attributes: Primary key attribute: sk',
  ),
  badQuery(
    'the same attribute twice',
    { KeyConditions: whole, AttributesToGet: ['a', 'a'] },
    `${kInvalid}Duplicate value in attribute name: a`,
  ),
]);

const only = { pk: compare('EQ', S('legacy')) };
const scan = (name, ScanFilter, names, extra = {}) => ({
  name,
  operation: 'Scan',
  input: { TableName: kPair, ScanFilter, AttributesToGet: ['sk'], ...extra },
  expect: { output: { Items: unordered(names.map((sk) => ({ sk: S(sk) }))) } },
});
runCases('ScanFilter', [
  scan('EQ', only, ['alpha', 'beta', 'gamma', 'delta', 'epsilon']),
  scan('two', { ...only, val: compare('GT', N('2')) }, ['delta', 'epsilon']),
  scan('IN', { ...only, val: compare('IN', N('1'), N('4')) }, ['beta', 'epsilon']),
  scan('NOT_CONTAINS', { ...only, sk: compare('NOT_CONTAINS', S('l')) }, ['beta', 'gamma']),
  scan('BEGINS_WITH', { ...only, sk: compare('BEGINS_WITH', S('g')) }, ['gamma']),
  scan('NULL', { ...only, val: compare('NULL') }, []),
  {
    name: 'an expression beside it',
    operation: 'Scan',
    input: { TableName: kAbsent, ScanFilter: only, FilterExpression: 'attribute_exists(a)' },
    expect: refused(kMixed('ScanFilter', 'FilterExpression')),
  },
  {
    name: 'AttributesToGet beside a projection',
    operation: 'Scan',
    input: { TableName: kAbsent, AttributesToGet: ['a'], ProjectionExpression: 'a' },
    expect: refused(kMixed('AttributesToGet', 'ProjectionExpression')),
  },
]);

runCases('AttributesToGet', [
  {
    name: 'some of the attributes',
    operation: 'GetItem',
    input: { TableName: kHash, Key, AttributesToGet: ['s', 'nope'] },
    expect: { output: { Item: exact({ s: S('hello') }) } },
  },
  {
    name: 'none of the attributes',
    operation: 'GetItem',
    input: { TableName: kHash, Key, AttributesToGet: ['nope'] },
    expect: { output: { Item: exact({}), ConsumedCapacity: absent } },
  },
  {
    name: 'no names',
    operation: 'GetItem',
    input: { TableName: kHash, Key, AttributesToGet: [] },
    expect: refused(/Member must have length greater than or equal to 1$/),
  },
  {
    name: 'the same name twice',
    operation: 'GetItem',
    input: { TableName: kHash, Key, AttributesToGet: ['a', 'a'] },
    expect: refused(`${kInvalid}Duplicate value in attribute name: a`),
  },
  {
    name: 'a projection beside it',
    operation: 'GetItem',
    input: { TableName: kHash, Key, AttributesToGet: ['a'], ProjectionExpression: 'a' },
    expect: refused(kMixed('AttributesToGet', 'ProjectionExpression')),
  },
]);
