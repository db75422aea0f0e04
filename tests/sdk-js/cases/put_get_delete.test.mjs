// PutItem, GetItem and DeleteItem: their effects, their results, and all refusals.
import { runCases, kConditionFailed, kInvalid, kNoTable, one, refused } from '../harness/cases.mjs';
import { absent, exact } from '../harness/match.mjs';
import { kAbsent, kHash, kIndexed, kPair } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: value });
const key = (text) => ({ pk: S(text) });
const kMismatch = 'The provided key element does not match the schema';

runCases('PutItem', [
  {
    name: 'replaces the whole item',
    operation: 'PutItem',
    before: [['PutItem', { TableName: kHash, Item: { ...key('put 1'), a: S('old'), b: S('gone') } }]],
    input: { TableName: kHash, Item: { ...key('put 1'), a: S('new') } },
    expect: { output: exact({}) },
    after: [
      [
        'GetItem',
        { TableName: kHash, Key: key('put 1'), ConsistentRead: true },
        { Item: exact({ ...key('put 1'), a: S('new') }) },
      ],
    ],
  },
  {
    name: 'ALL_OLD returns what it replaced',
    operation: 'PutItem',
    before: [['PutItem', { TableName: kHash, Item: { ...key('put 2'), a: S('old') } }]],
    input: { TableName: kHash, Item: key('put 2'), ReturnValues: 'ALL_OLD' },
    expect: { output: exact({ Attributes: { ...key('put 2'), a: S('old') } }) },
  },
  {
    name: 'ALL_OLD returns nothing when there was nothing',
    operation: 'PutItem',
    input: { TableName: kHash, Item: key('put 3'), ReturnValues: 'ALL_OLD' },
    expect: { output: exact({}) },
  },
  {
    name: 'a condition that fails leaves the item alone',
    operation: 'PutItem',
    before: [['PutItem', { TableName: kHash, Item: { ...key('put 4'), a: S('old') } }]],
    input: { TableName: kHash, Item: key('put 4'), ConditionExpression: 'attribute_not_exists(pk)' },
    expect: { ...kConditionFailed, item: absent },
    after: [['GetItem', { TableName: kHash, Key: key('put 4') }, { Item: exact({ ...key('put 4'), a: S('old') }) }]],
  },
  {
    name: 'a condition that fails returns the item when asked',
    operation: 'PutItem',
    before: [['PutItem', { TableName: kHash, Item: { ...key('put 5'), a: S('old') } }]],
    input: {
      TableName: kHash,
      Item: key('put 5'),
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
    expect: { ...kConditionFailed, item: exact({ ...key('put 5'), a: S('old') }) },
  },
  {
    name: 'a table that is not there',
    operation: 'PutItem',
    input: { TableName: kAbsent, Item: key('x') },
    expect: kNoTable,
  },
  {
    name: 'an item without its key',
    operation: 'PutItem',
    input: { TableName: kHash, Item: { a: S('x') } },
    expect: refused(`${kInvalid}Missing the key pk in the item`),
  },
  {
    name: 'an item without its sort key',
    operation: 'PutItem',
    input: { TableName: kPair, Item: key('x') },
    expect: refused(`${kInvalid}Missing the key sk in the item`),
  },
  {
    name: 'an item without either key names the first',
    operation: 'PutItem',
    input: { TableName: kPair, Item: {} },
    expect: refused(`${kInvalid}Missing the key pk in the item`),
  },
  {
    name: 'a key of another type',
    operation: 'PutItem',
    input: { TableName: kHash, Item: { pk: N('1') } },
    expect: refused(`${kInvalid}Type mismatch for key pk expected: S actual: N`),
  },
  {
    name: 'a key that is a list',
    operation: 'PutItem',
    input: { TableName: kHash, Item: { pk: { L: [] } } },
    expect: refused(`${kInvalid}Type mismatch for key pk expected: S actual: L`),
  },
  {
    name: 'an index key of another type',
    operation: 'PutItem',
    input: { TableName: kIndexed, Item: { pk: S('x'), sk: S('y'), gr: S('not a number') } },
    expect: refused(
      new RegExp(
        `^${kInvalid}Type mismatch for Index Key gr Expected: N Actual: S IndexName: (gsi-all|gsi-include|lsi-keys)$`,
      ),
    ),
  },
  {
    name: 'an index key that is empty',
    operation: 'PutItem',
    input: { TableName: kIndexed, Item: { pk: S('x'), sk: S('y'), lr: S('') } },
    expect: refused(
      'One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: lsi-all, IndexKey: lr',
    ),
  },
  {
    name: 'a binary index key that is empty',
    operation: 'PutItem',
    input: { TableName: kIndexed, Item: { pk: S('x'), sk: S('y'), bh: { B: new Uint8Array() } } },
    expect: refused(
      'One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty binary value. IndexName: gsi-binary, IndexKey: bh',
    ),
  },
  ...['ALL_NEW', 'UPDATED_NEW', 'UPDATED_OLD'].map((ReturnValues) => ({
    name: `ReturnValues ${ReturnValues}`,
    operation: 'PutItem',
    input: { TableName: kHash, Item: key('x'), ReturnValues },
    expect: refused(one('ReturnValues can only be ALL_OLD or NONE')),
  })),
]);

runCases('GetItem', [
  {
    name: 'an item',
    operation: 'GetItem',
    before: [['PutItem', { TableName: kPair, Item: { pk: S('get 1'), sk: S('a'), v: N('1') } }]],
    input: { TableName: kPair, Key: { pk: S('get 1'), sk: S('a') } },
    expect: { output: exact({ Item: { pk: S('get 1'), sk: S('a'), v: N('1') } }) },
  },
  {
    name: 'an item that is not there',
    operation: 'GetItem',
    input: { TableName: kHash, Key: key('never put') },
    expect: { output: exact({}) },
  },
  {
    name: 'reads a write at once',
    operation: 'GetItem',
    before: [['PutItem', { TableName: kHash, Item: { ...key('get 2'), v: N('2') } }]],
    input: { TableName: kHash, Key: key('get 2'), ConsistentRead: true },
    expect: { output: { Item: exact({ ...key('get 2'), v: N('2') }) } },
  },
  {
    name: 'a table that is not there',
    operation: 'GetItem',
    input: { TableName: kAbsent, Key: key('x') },
    expect: kNoTable,
  },
  {
    name: 'too few key attributes',
    operation: 'GetItem',
    input: { TableName: kPair, Key: key('x') },
    expect: refused(kMismatch),
  },
  {
    name: 'too many key attributes',
    operation: 'GetItem',
    input: { TableName: kHash, Key: { pk: S('x'), sk: S('y') } },
    expect: refused(kMismatch),
  },
  {
    name: 'another key attribute',
    operation: 'GetItem',
    input: { TableName: kHash, Key: { other: S('x') } },
    expect: refused(kMismatch),
  },
  {
    name: 'a key of another type',
    operation: 'GetItem',
    input: { TableName: kHash, Key: { pk: N('1') } },
    expect: refused(kMismatch),
  },
  { name: 'an empty key', operation: 'GetItem', input: { TableName: kHash, Key: {} }, expect: refused(kMismatch) },
]);

const stored = {
  a: S('x'),
  b: S('y'),
  m: { M: { p: N('1'), q: { M: { r: N('2'), s: N('3') } } } },
  l: { L: [S('l0'), S('l1'), { M: { z: S('zz'), y: S('yy') } }] },
  'dotted.name': S('odd'),
};
const projected = (ProjectionExpression, expected, ExpressionAttributeNames) => ({
  name: `projects ${ProjectionExpression}`,
  operation: 'GetItem',
  before: [['PutItem', { TableName: kHash, Item: { ...key(`projection ${ProjectionExpression}`), ...stored } }]],
  input: {
    TableName: kHash,
    Key: key(`projection ${ProjectionExpression}`),
    ProjectionExpression,
    ExpressionAttributeNames,
  },
  expect: { output: { Item: exact(expected) } },
});
const badProjection = (ProjectionExpression, message, ExpressionAttributeNames) => ({
  name: `projection refused: ${ProjectionExpression || '(empty)'}`.slice(0, 80),
  operation: 'GetItem',
  input: { TableName: kAbsent, Key: key('x'), ProjectionExpression, ExpressionAttributeNames },
  expect: refused(`Invalid ProjectionExpression: ${message}`),
});
const overlap = (first, second) =>
  `Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [${first}], path two: [${second}]`;
runCases('projections', [
  projected('a', { a: S('x') }),
  projected('a, b', { a: S('x'), b: S('y') }),
  projected('a,b', { a: S('x'), b: S('y') }),
  projected('m.p', { m: { M: { p: N('1') } } }),
  projected('m.q.r, m.q.s', { m: { M: { q: { M: { r: N('2'), s: N('3') } } } } }),
  projected('l[2].z', { l: { L: [{ M: { z: S('zz') } }] } }),
  projected('l[1], l[0]', { l: { L: [S('l0'), S('l1')] } }),
  projected('l[2].y, l[0]', { l: { L: [S('l0'), { M: { y: S('yy') } }] } }),
  projected('nothing', {}),
  projected('m.nothing, a', { a: S('x') }),
  projected('l[9]', {}),
  projected('a.b', {}),
  projected(
    '#d, #m.#p',
    { 'dotted.name': S('odd'), m: { M: { p: N('1') } } },
    { '#d': 'dotted.name', '#m': 'm', '#p': 'p' },
  ),
  projected('pk', { pk: S('projection pk') }),
  badProjection('', 'The expression can not be empty;'),
  badProjection('!!! INVALID !!!', 'Syntax error; token: "!", near: "!!"'),
  badProjection('a b', 'Syntax error; token: "b", near: "a b"'),
  badProjection('a,', 'Syntax error; token: "<EOF>", near: ","'),
  badProjection('a[', 'Syntax error; token: "<EOF>", near: "["'),
  badProjection('a[b]', 'Syntax error; token: "b", near: "[b]"'),
  badProjection('a..b', 'Syntax error; token: ".", near: "..b"'),
  badProjection(':v', 'Syntax error; token: ":v", near: ":v"'),
  badProjection('name', 'Attribute name is a reserved keyword; reserved keyword: name'),
  badProjection('a.Status', 'Attribute name is a reserved keyword; reserved keyword: Status'),
  badProjection('#n', 'An expression attribute name used in the document path is not defined; attribute name: #n'),
  badProjection('a, a', overlap('a', 'a')),
  badProjection('a, a.b', overlap('a', 'a, b')),
  badProjection('a.b, a', overlap('a, b', 'a')),
  badProjection('a[1], a[1].b', overlap('a, [1]', 'a, [1], b')),
  badProjection('#x, #y', overlap('a', 'a'), { '#x': 'a', '#y': 'a' }),
  badProjection(
    'a.b, a[1]',
    'Two document paths conflict with each other; must remove or rewrite one of these paths; path one: [a, b], path two: [a, [1]]',
  ),
  badProjection(`a${' '.repeat(4096)}`, 'Expression size has exceeded the maximum allowed size; expression size: 4097'),
  {
    name: 'an unused name',
    operation: 'GetItem',
    input: { TableName: kAbsent, Key: key('x'), ProjectionExpression: 'a', ExpressionAttributeNames: { '#u': 'u' } },
    expect: refused('Value provided in ExpressionAttributeNames unused in expressions: keys: {#u}'),
  },
  {
    name: 'names without a projection',
    operation: 'GetItem',
    input: { TableName: kAbsent, Key: key('x'), ExpressionAttributeNames: { '#u': 'u' } },
    expect: refused('ExpressionAttributeNames can only be specified when using expressions'),
  },
  {
    name: 'a bad name',
    operation: 'GetItem',
    input: { TableName: kAbsent, Key: key('x'), ProjectionExpression: 'a', ExpressionAttributeNames: { u: 'u' } },
    expect: refused('ExpressionAttributeNames contains invalid key: Syntax error; key: "u"'),
  },
]);

runCases('DeleteItem', [
  {
    name: 'removes an item',
    operation: 'DeleteItem',
    before: [['PutItem', { TableName: kHash, Item: key('delete 1') }]],
    input: { TableName: kHash, Key: key('delete 1') },
    expect: { output: exact({}) },
    after: [['GetItem', { TableName: kHash, Key: key('delete 1'), ConsistentRead: true }, exact({})]],
  },
  {
    name: 'is content with nothing to remove',
    operation: 'DeleteItem',
    input: { TableName: kHash, Key: key('delete 2'), ReturnValues: 'ALL_OLD' },
    expect: { output: exact({}) },
  },
  {
    name: 'ALL_OLD returns what it removed',
    operation: 'DeleteItem',
    before: [['PutItem', { TableName: kHash, Item: { ...key('delete 3'), a: S('x') } }]],
    input: { TableName: kHash, Key: key('delete 3'), ReturnValues: 'ALL_OLD' },
    expect: { output: exact({ Attributes: { ...key('delete 3'), a: S('x') } }) },
  },
  {
    name: 'a condition that holds',
    operation: 'DeleteItem',
    before: [['PutItem', { TableName: kHash, Item: { ...key('delete 4'), a: N('1') } }]],
    input: {
      TableName: kHash,
      Key: key('delete 4'),
      ConditionExpression: 'a = :a',
      ExpressionAttributeValues: { ':a': N('1') },
    },
    expect: { output: {} },
    after: [['GetItem', { TableName: kHash, Key: key('delete 4') }, exact({})]],
  },
  {
    name: 'a condition that fails',
    operation: 'DeleteItem',
    before: [['PutItem', { TableName: kHash, Item: { ...key('delete 5'), a: N('1') } }]],
    input: {
      TableName: kHash,
      Key: key('delete 5'),
      ConditionExpression: 'a = :a',
      ExpressionAttributeValues: { ':a': N('2') },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
    expect: { ...kConditionFailed, item: exact({ ...key('delete 5'), a: N('1') }) },
    after: [
      ['GetItem', { TableName: kHash, Key: key('delete 5') }, { Item: exact({ ...key('delete 5'), a: N('1') }) }],
    ],
  },
  {
    name: 'a condition on nothing fails',
    operation: 'DeleteItem',
    input: { TableName: kHash, Key: key('delete 6'), ConditionExpression: 'attribute_exists(pk)' },
    expect: kConditionFailed,
  },
  {
    name: 'a table that is not there',
    operation: 'DeleteItem',
    input: { TableName: kAbsent, Key: key('x') },
    expect: kNoTable,
  },
  {
    name: 'too few key attributes',
    operation: 'DeleteItem',
    input: { TableName: kPair, Key: key('x') },
    expect: refused(kMismatch),
  },
  ...['ALL_NEW', 'UPDATED_NEW', 'UPDATED_OLD'].map((ReturnValues) => ({
    name: `ReturnValues ${ReturnValues}`,
    operation: 'DeleteItem',
    input: { TableName: kHash, Key: key('x'), ReturnValues },
    expect: refused(one('ReturnValues can only be ALL_OLD or NONE')),
  })),
  {
    name: 'an empty condition',
    operation: 'DeleteItem',
    input: { TableName: kHash, Key: key('x'), ConditionExpression: '' },
    expect: refused(one('Invalid ConditionExpression: The expression can not be empty;')),
  },
  {
    name: 'names without an expression',
    operation: 'DeleteItem',
    input: { TableName: kHash, Key: key('x'), ExpressionAttributeNames: { '#a': 'a' } },
    expect: refused(one('ExpressionAttributeNames can only be specified when using expressions')),
  },
  {
    name: 'no values in the map',
    operation: 'DeleteItem',
    input: {
      TableName: kHash,
      Key: key('x'),
      ConditionExpression: 'attribute_exists(a)',
      ExpressionAttributeValues: {},
    },
    expect: refused(one('ExpressionAttributeValues must not be empty')),
  },
]);
