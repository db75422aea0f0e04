// BatchGetItem and BatchWriteItem.
import { runCases, kNoTable, one, refused } from '../harness/cases.mjs';
import { absent, exact, unordered } from '../harness/match.mjs';
import { kAbsent, kBinaryHash, kHash, kPair } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: value });
const key = (text) => ({ pk: S(text) });
const keys = (count, name = 'k') => Array.from({ length: count }, (_, index) => key(`${name}${index}`));
const put = (Item) => ({ PutRequest: { Item } });
const remove = (Key) => ({ DeleteRequest: { Key } });
const kDuplicates = 'Provided list of item keys contains duplicates';
const kMismatch = 'The provided key element does not match the schema';
const empty = (type) =>
  `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ${type} value. Key: pk`;

runCases('BatchGetItem', [
  {
    name: 'items of two tables, in any order, and only those that are there',
    operation: 'BatchGetItem',
    before: [
      [
        'BatchWriteItem',
        {
          RequestItems: {
            [kHash]: [put({ ...key('bg 1'), a: N('1') }), put({ ...key('bg 2'), a: N('2') })],
            [kPair]: [put({ pk: S('bg'), sk: S('x'), b: N('3') })],
          },
        },
      ],
    ],
    input: {
      RequestItems: {
        [kHash]: { Keys: [key('bg 1'), key('bg 2'), key('bg not there')] },
        [kPair]: { Keys: [{ pk: S('bg'), sk: S('x') }], ConsistentRead: true },
      },
    },
    expect: {
      output: {
        Responses: {
          [kHash]: unordered([
            { ...key('bg 1'), a: N('1') },
            { ...key('bg 2'), a: N('2') },
          ]),
          [kPair]: exact([{ pk: S('bg'), sk: S('x'), b: N('3') }]),
        },
        UnprocessedKeys: exact({}),
      },
    },
  },
  {
    name: 'nothing found is an empty list',
    operation: 'BatchGetItem',
    input: { RequestItems: { [kHash]: { Keys: [key('bg never')] } } },
    expect: { output: { Responses: exact({ [kHash]: [] }), UnprocessedKeys: exact({}) } },
  },
  {
    name: 'a projection per table',
    operation: 'BatchGetItem',
    before: [['PutItem', { TableName: kHash, Item: { ...key('bg 3'), a: N('1'), b: N('2') } }]],
    input: {
      RequestItems: {
        [kHash]: { Keys: [key('bg 3')], ProjectionExpression: '#b', ExpressionAttributeNames: { '#b': 'b' } },
      },
    },
    expect: { output: { Responses: { [kHash]: exact([{ b: N('2') }]) } } },
  },
  {
    name: 'AttributesToGet',
    operation: 'BatchGetItem',
    before: [['PutItem', { TableName: kHash, Item: { ...key('bg 4'), a: N('1'), b: N('2') } }]],
    input: { RequestItems: { [kHash]: { Keys: [key('bg 4')], AttributesToGet: ['a'] } } },
    expect: { output: { Responses: { [kHash]: exact([{ a: N('1') }]) } } },
  },
  {
    name: '100 keys',
    operation: 'BatchGetItem',
    input: { RequestItems: { [kHash]: { Keys: keys(100) } } },
    expect: { output: { UnprocessedKeys: exact({}) } },
  },
  {
    name: '101 keys',
    operation: 'BatchGetItem',
    input: { RequestItems: { [kHash]: { Keys: keys(101) } } },
    expect: refused(
      one(
        `Value at 'RequestItems.${kHash}.member.Keys' failed to satisfy constraint: Member must have length less than or equal to 100`,
      ),
    ),
  },
  {
    name: '101 keys of two tables',
    operation: 'BatchGetItem',
    input: {
      RequestItems: { [kHash]: { Keys: keys(51) }, [kPair]: { Keys: keys(50).map((one) => ({ ...one, sk: S('x') })) } },
    },
    expect: refused('Too many items requested for the BatchGetItem call'),
  },
  {
    name: 'no tables',
    operation: 'BatchGetItem',
    input: { RequestItems: {} },
    expect: refused(
      one("Value at 'RequestItems' failed to satisfy constraint: Member must have length greater than or equal to 1"),
    ),
  },
  {
    name: 'no keys',
    operation: 'BatchGetItem',
    input: { RequestItems: { [kHash]: { Keys: [] } } },
    expect: refused(
      one(
        `Value at 'RequestItems.${kHash}.member.Keys' failed to satisfy constraint: Member must have length greater than or equal to 1`,
      ),
    ),
  },
  {
    name: 'a malformed table name',
    operation: 'BatchGetItem',
    input: { RequestItems: { 'bad!name': { Keys: [{ pk: S('a') }] } } },
    expect: refused(
      one(
        `Value '{"bad!name":{"Keys":[{"pk":{"S":"a"}}]}}' at 'requestItems' failed to satisfy constraint: Map keys must satisfy constraint: [Member must have length less than or equal to 255, Member must have length greater than or equal to 3, Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]`,
      ),
    ),
  },
  {
    name: 'the same key twice',
    operation: 'BatchGetItem',
    input: { RequestItems: { [kHash]: { Keys: [key('x'), key('x')] } } },
    expect: refused(kDuplicates),
  },
  {
    name: 'a table that is not there',
    operation: 'BatchGetItem',
    input: { RequestItems: { [kAbsent]: { Keys: [key('x')] } } },
    expect: kNoTable,
  },
  {
    name: 'one table of two is not there',
    operation: 'BatchGetItem',
    input: { RequestItems: { [kHash]: { Keys: [key('x')] }, [kAbsent]: { Keys: [key('x')] } } },
    expect: kNoTable,
  },
  {
    name: 'a key of the wrong shape',
    operation: 'BatchGetItem',
    input: { RequestItems: { [kPair]: { Keys: [key('x')] } } },
    expect: refused(kMismatch),
  },
  {
    name: 'an empty key',
    operation: 'BatchGetItem',
    input: { RequestItems: { [kBinaryHash]: { Keys: [{ pk: { B: new Uint8Array() } }] } } },
    expect: refused(empty('binary')),
  },
  {
    name: 'AttributesToGet beside a projection',
    operation: 'BatchGetItem',
    input: { RequestItems: { [kHash]: { Keys: [key('x')], AttributesToGet: ['pk'], ProjectionExpression: 'pk' } } },
    expect: refused(
      'Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}',
    ),
  },
  {
    name: 'AttributesToGet on one table and a projection on another',
    operation: 'BatchGetItem',
    input: {
      RequestItems: {
        [kHash]: { Keys: [key('x')], ProjectionExpression: 'pk' },
        [kPair]: { Keys: [{ pk: S('x'), sk: S('y') }], AttributesToGet: ['pk'] },
      },
    },
    expect: { error: 'ValidationException' },
  },
  {
    name: 'a bad projection refuses all of it',
    operation: 'BatchGetItem',
    input: {
      RequestItems: {
        [kHash]: { Keys: [key('x')], ProjectionExpression: 'a, a' },
        [kPair]: { Keys: [{ pk: S('x'), sk: S('y') }], ProjectionExpression: 'a' },
      },
    },
    expect: refused(
      'Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a]',
    ),
  },
]);

const kWriteEmpty = [
  'The requestItems parameter is required for BatchWriteItem',
  one("Value at 'RequestItems' failed to satisfy constraint: Member must have length greater than or equal to 1"),
];
const kMapValue =
  'Map value must satisfy constraint: [Member must have length less than or equal to 25, Member must have length greater than or equal to 1]';
const batch = (...requests) => ({ RequestItems: { [kHash]: requests } });
runCases('BatchWriteItem', [
  {
    name: 'puts and deletes in two tables',
    operation: 'BatchWriteItem',
    before: [['PutItem', { TableName: kHash, Item: key('bw gone') }]],
    input: {
      RequestItems: {
        [kHash]: [put({ ...key('bw 1'), a: N('1') }), remove(key('bw gone')), remove(key('bw never'))],
        [kPair]: [put({ pk: S('bw'), sk: S('x') })],
      },
    },
    expect: { output: { UnprocessedItems: exact({}), ConsumedCapacity: absent, ItemCollectionMetrics: absent } },
    after: [
      [
        'GetItem',
        { TableName: kHash, Key: key('bw 1'), ConsistentRead: true },
        { Item: exact({ ...key('bw 1'), a: N('1') }) },
      ],
      ['GetItem', { TableName: kHash, Key: key('bw gone'), ConsistentRead: true }, exact({})],
      [
        'GetItem',
        { TableName: kPair, Key: { pk: S('bw'), sk: S('x') }, ConsistentRead: true },
        { Item: exact({ pk: S('bw'), sk: S('x') }) },
      ],
    ],
  },
  {
    name: '25 requests',
    operation: 'BatchWriteItem',
    input: batch(...keys(25, 'bw 25 ').map(put)),
    expect: { output: { UnprocessedItems: exact({}) } },
  },
  {
    name: '26 requests',
    operation: 'BatchWriteItem',
    input: batch(...keys(26, 'bw 26 ').map(put)),
    expect: refused([
      new RegExp(
        `^1 validation error detected: Value '\\{${kHash}=\\[.+\\]\\}' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: \\[Member must have length less than or equal to 25, Member must have length greater than or equal to 1\\]$`,
        's',
      ),
      one(
        `Value at 'RequestItems.${kHash}.member' failed to satisfy constraint: Member must have length less than or equal to 25`,
      ),
    ]),
    after: [['GetItem', { TableName: kHash, Key: key('bw 26 0') }, exact({})]],
  },
  {
    name: '26 requests in two tables',
    operation: 'BatchWriteItem',
    input: {
      RequestItems: { [kHash]: keys(13).map(put), [kPair]: keys(13).map((one) => put({ ...one, sk: S('x') })) },
    },
    expect: refused('Too many items requested for the BatchWriteItem call'),
  },
  { name: 'no tables', operation: 'BatchWriteItem', input: { RequestItems: {} }, expect: refused(kWriteEmpty) },
  {
    name: 'no requests',
    operation: 'BatchWriteItem',
    input: batch(),
    expect: refused(one(`Value '{${kHash}=[]}' at 'requestItems' failed to satisfy constraint: ${kMapValue}`)),
  },
  {
    name: 'a malformed table name',
    operation: 'BatchWriteItem',
    input: { RequestItems: { 'bad!name': [put(key('x'))] } },
    expect: refused(
      /^1 validation error detected: Value '\{bad!name=\[WriteRequest\(putRequest=PutRequest\(item=\{pk=.+\}.*\)\]\}' at 'requestItems' failed to satisfy constraint: Map keys must satisfy constraint: \[Member must have length less than or equal to 255, Member must have length greater than or equal to 3, Member must satisfy regular expression pattern: \[a-zA-Z0-9_.-\]\+\]$/,
    ),
  },
  {
    name: 'the same key put twice',
    operation: 'BatchWriteItem',
    input: batch(put(key('x')), put(key('x'))),
    expect: refused(kDuplicates),
  },
  {
    name: 'the same key put and deleted',
    operation: 'BatchWriteItem',
    input: batch(put(key('x')), remove(key('x'))),
    expect: refused(kDuplicates),
  },
  {
    name: 'a table that is not there',
    operation: 'BatchWriteItem',
    input: { RequestItems: { [kAbsent]: [put(key('x'))] } },
    expect: kNoTable,
  },
  {
    name: 'an item without its key',
    operation: 'BatchWriteItem',
    input: batch(put({ other: S('x') })),
    expect: refused(kMismatch),
  },
  {
    name: 'an item with a key of another type',
    operation: 'BatchWriteItem',
    input: batch(put({ pk: N('5') })),
    expect: refused(kMismatch),
  },
  {
    name: 'an item with a key that is a list',
    operation: 'BatchWriteItem',
    input: batch(put({ pk: { L: [S('x')] } })),
    expect: refused(kMismatch),
  },
  {
    name: 'a delete of another key',
    operation: 'BatchWriteItem',
    input: batch(remove({ other: S('x') })),
    expect: refused(kMismatch),
  },
  {
    name: 'an empty key',
    operation: 'BatchWriteItem',
    input: batch(put({ pk: S('') })),
    expect: refused(empty('string')),
  },
  {
    name: 'an empty binary key',
    operation: 'BatchWriteItem',
    input: { RequestItems: { [kBinaryHash]: [remove({ pk: { B: new Uint8Array() } })] } },
    expect: refused(empty('binary')),
  },
  {
    name: 'one bad request of two writes nothing',
    operation: 'BatchWriteItem',
    input: batch(put(key('bw half')), put({ pk: N('1') })),
    expect: refused(kMismatch),
    after: [['GetItem', { TableName: kHash, Key: key('bw half'), ConsistentRead: true }, exact({})]],
  },
  {
    name: 'a request that is neither put nor delete',
    operation: 'BatchWriteItem',
    input: batch({}),
    expect: { error: 'ValidationException' },
  },
]);
