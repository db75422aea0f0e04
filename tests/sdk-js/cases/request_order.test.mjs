// Which fault batches, transactions and CreateTable report first, and the size limit of expressions.
import { runCases, one, refused } from '../harness/cases.mjs';
import { absent } from '../harness/match.mjs';
import { kAbsent, kAll, kHash, keySchema, name } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const key = (pk) => ({ pk: S(pk) });
const kCapacity =
  "Value 'BOGUS' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]";
const kMetrics =
  "Value 'BOGUS2' at 'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum value set: [SIZE, NONE]";
const both = (...messages) => `${messages.length} validation errors detected: ${messages.join('; ')}`;
const ReturnConsumedCapacity = 'BOGUS';
const ReturnItemCollectionMetrics = 'BOGUS2';

const faulty = (operation, name, input, message, writes) => ({
  name,
  operation,
  input,
  expect: refused(message),
  after: writes ? [['GetItem', { TableName: kHash, Key: key(writes) }, { Item: absent }]] : [],
});
const puts = (table, pk) => ({ RequestItems: { [table]: [{ PutRequest: { Item: key(pk) } }] } });
const gets = (table) => ({ RequestItems: { [table]: { Keys: [key('a')] } } });
const put = (table, pk) => ({ TransactItems: [{ Put: { TableName: table, Item: key(pk) } }] });
const get = (table) => ({ Get: { TableName: table, Key: key('a') } });
runCases('a choice that is none', [
  faulty(
    'BatchWriteItem',
    'of capacity',
    { ...puts(kHash, 'order 1'), ReturnConsumedCapacity },
    one(kCapacity),
    'order 1',
  ),
  faulty(
    'BatchWriteItem',
    'of metrics',
    { ...puts(kHash, 'order 2'), ReturnItemCollectionMetrics },
    one(kMetrics),
    'order 2',
  ),
  faulty(
    'BatchWriteItem',
    'of both',
    { ...puts(kHash, 'order 3'), ReturnConsumedCapacity, ReturnItemCollectionMetrics },
    both(kCapacity, kMetrics),
    'order 3',
  ),
  faulty('BatchWriteItem', 'before the table', { ...puts(kAbsent, 'a'), ReturnConsumedCapacity }, one(kCapacity)),
  faulty('BatchWriteItem', 'before a name', { ...puts('bad!name', 'a'), ReturnConsumedCapacity }, one(kCapacity)),
  faulty('BatchGetItem', 'of capacity', { ...gets(kHash), ReturnConsumedCapacity }, one(kCapacity)),
  faulty('BatchGetItem', 'before the table', { ...gets(kAbsent), ReturnConsumedCapacity }, one(kCapacity)),
  faulty(
    'BatchGetItem',
    'with a name',
    { ...gets('bad!name'), ReturnConsumedCapacity },
    both(
      'Value \'{"bad!name":{"Keys":[{"pk":{"S":"a"}}]}}\' at \'requestItems\' failed to satisfy constraint: Map keys must satisfy constraint: [Member must have length less than or equal to 255, Member must have length greater than or equal to 3, Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]',
      kCapacity,
    ),
  ),
  faulty(
    'TransactWriteItems',
    'of capacity',
    { ...put(kHash, 'order 4'), ReturnConsumedCapacity },
    one(kCapacity),
    'order 4',
  ),
  faulty(
    'TransactWriteItems',
    'of metrics',
    { ...put(kHash, 'order 5'), ReturnItemCollectionMetrics },
    one(kMetrics),
    'order 5',
  ),
  faulty(
    'TransactWriteItems',
    'of both',
    { ...put(kHash, 'order 6'), ReturnConsumedCapacity, ReturnItemCollectionMetrics },
    both(kCapacity, kMetrics),
    'order 6',
  ),
  faulty('TransactWriteItems', 'before the table', { ...put(kAbsent, 'a'), ReturnConsumedCapacity }, one(kCapacity)),
  faulty(
    'TransactWriteItems',
    'before an item twice',
    {
      TransactItems: [...put(kHash, 'order 7').TransactItems, ...put(kHash, 'order 7').TransactItems],
      ReturnConsumedCapacity,
    },
    one(kCapacity),
    'order 7',
  ),
  faulty(
    'TransactWriteItems',
    'after a token too long',
    { ...put(kHash, 'order 8'), ClientRequestToken: 'x'.repeat(37), ReturnConsumedCapacity },
    both(
      `Value '${'x'.repeat(37)}' at 'clientRequestToken' failed to satisfy constraint: Member must have length less than or equal to 36`,
      kCapacity,
    ),
    'order 8',
  ),
  faulty('TransactGetItems', 'of capacity', { TransactItems: [get(kHash)], ReturnConsumedCapacity }, one(kCapacity)),
  faulty(
    'TransactGetItems',
    'before the table',
    { TransactItems: [get(kAbsent)], ReturnConsumedCapacity },
    one(kCapacity),
  ),
  faulty(
    'TransactGetItems',
    'before an item twice',
    { TransactItems: [get(kHash), get(kHash)], ReturnConsumedCapacity },
    one(kCapacity),
  ),
]);

const deep = (levels) => {
  let value = S('leaf');
  for (let step = 0; step < levels; step++) value = { M: { n: value } };
  return value;
};
const kSyntax = 'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "("';
const kDeep =
  'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit';
const kUnused = 'Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}';
const malformed = {
  ConditionCheck: { TableName: kHash, Key: key('order 9'), ConditionExpression: 'attribute_not_exists(' },
};
const idle = {
  ConditionCheck: {
    TableName: kHash,
    Key: key('order 9'),
    ConditionExpression: 'attribute_not_exists(pk)',
    ExpressionAttributeValues: { ':v': S('x') },
  },
};
const item = (table, Item) => ({ Put: { TableName: table, Item } });
const tooDeep = item(kHash, { ...key('order 10'), d: deep(32) });
runCases('the order of a transaction', [
  faulty(
    'TransactWriteItems',
    'no table, then a malformed condition',
    { TransactItems: [item(kAbsent, key('a')), malformed] },
    kSyntax,
  ),
  faulty(
    'TransactWriteItems',
    'a malformed condition, then a deep item',
    { TransactItems: [malformed, tooDeep] },
    kSyntax,
  ),
  faulty(
    'TransactWriteItems',
    'a deep item, then a malformed condition',
    { TransactItems: [tooDeep, malformed] },
    kDeep,
  ),
  faulty(
    'TransactWriteItems',
    'no table, then an unused value',
    { TransactItems: [item(kAbsent, key('a')), idle] },
    kUnused,
  ),
  faulty(
    'TransactWriteItems',
    'an unused value, then no table',
    { TransactItems: [idle, item(kAbsent, key('a'))] },
    kUnused,
  ),
  faulty(
    'TransactWriteItems',
    'an item twice and an unused value',
    { TransactItems: [item(kHash, key('order 9')), idle] },
    kUnused,
    'order 9',
  ),
]);

const pay = { BillingMode: 'PAY_PER_REQUEST' };
const strings = (...names) => names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' }));
const shortIndex = (indexName, member) =>
  `Value '${indexName}' at '${member}.1.member.indexName' failed to satisfy constraint: Member must have length greater than or equal to 3`;
const indexed = (lsi, gsi) => ({
  TableName: name('order-indexes'),
  ...pay,
  AttributeDefinitions: strings('pk', 'sk'),
  KeySchema: keySchema('pk', 'sk'),
  LocalSecondaryIndexes: [{ IndexName: lsi, KeySchema: keySchema('pk', 'lr'), Projection: kAll }],
  GlobalSecondaryIndexes: [{ IndexName: gsi, KeySchema: keySchema('gh'), Projection: kAll }],
});
runCases('CreateTable', [
  faulty(
    'CreateTable',
    'short names of both kinds of index',
    indexed('l1', 'g1'),
    both(shortIndex('g1', 'globalSecondaryIndexes'), shortIndex('l1', 'localSecondaryIndexes')),
  ),
  faulty(
    'CreateTable',
    'whatever their names are',
    indexed('aa', 'zz'),
    both(shortIndex('zz', 'globalSecondaryIndexes'), shortIndex('aa', 'localSecondaryIndexes')),
  ),
  faulty(
    'CreateTable',
    'a billing mode that is none',
    {
      TableName: name('order-billing'),
      AttributeDefinitions: strings('pk'),
      KeySchema: keySchema('pk'),
      BillingMode: 'NONE',
    },
    /'billingMode'.*\[PROVISIONED, PAY_PER_REQUEST\]/,
  ),
  faulty(
    'CreateTable',
    'an attribute twice in the key',
    { TableName: name('order-twice'), ...pay, AttributeDefinitions: strings('pk'), KeySchema: keySchema('pk', 'pk') },
    /Invalid KeySchema/,
  ),
  faulty(
    'CreateTable',
    'three attributes in the key',
    {
      TableName: name('order-three'),
      ...pay,
      AttributeDefinitions: strings('pk', 'sk', 'tk'),
      KeySchema: keySchema('pk', ['sk', 'tk']),
    },
    /Member must have length less than or equal to 2/,
  ),
  faulty(
    'CreateTable',
    'INCLUDE without attributes',
    {
      ...indexed('lsi', 'gsi'),
      LocalSecondaryIndexes: undefined,
      AttributeDefinitions: strings('pk', 'sk', 'gh'),
      GlobalSecondaryIndexes: [
        { IndexName: 'gsi', KeySchema: keySchema('gh'), Projection: { ProjectionType: 'INCLUDE' } },
      ],
    },
    'One or more parameter values were invalid: ProjectionType is INCLUDE, but NonKeyAttributes is not specified',
  ),
  faulty(
    'CreateTable',
    'a view of a stream that is off',
    {
      TableName: name('order-stream'),
      ...pay,
      AttributeDefinitions: strings('pk'),
      KeySchema: keySchema('pk'),
      StreamSpecification: { StreamEnabled: false, StreamViewType: 'KEYS_ONLY' },
    },
    'One or more parameter values were invalid: Table is being created with a stream disabled, UpdateViewType should not be specified',
  ),
]);

// Expressions of exactly `bytes` bytes.
const filled = (bytes, start, joiner, clause) => {
  const parts = [];
  let size = start.length;
  for (;;) {
    const next = clause(parts.length, 40);
    const more = (parts.length > 0 ? joiner.length : 0) + next.length;
    if (size + more > bytes) break;
    parts.push(next);
    size += more;
  }
  parts[parts.length - 1] = clause(parts.length - 1, 40 + bytes - size);
  return { text: start + parts.join(joiner), count: parts.length };
};
const attribute = (at, length) => `${'a'.repeat(length - String(at).length - 1)}x${at}`;
const valuesOf = (count) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`:v${at}`, S('x')]));
const conditionOf = (bytes) =>
  filled(bytes, '', ' AND ', (at, length) => `attribute_not_exists(${attribute(at, length)})`).text;
const projectionOf = (bytes) => filled(bytes, '', ', ', attribute).text;
const updateOf = (bytes) => {
  const { text, count } = filled(bytes, 'SET ', ', ', (at, length) => `${attribute(at, length)} = :v${at}`);
  return { UpdateExpression: text, ExpressionAttributeValues: valuesOf(count) };
};
const filterOf = (bytes) => {
  const { text, count } = filled(bytes, '', ' OR ', (at, length) => `${attribute(at, length)} = :v${at}`);
  return { FilterExpression: text, ExpressionAttributeValues: valuesOf(count) };
};
const kTooLong = /Expression size has exceeded the maximum allowed size/;
const TableName = kHash;
const limited = [
  ['UpdateItem', (bytes, pk) => ({ TableName, Key: key(pk), ...updateOf(bytes) })],
  ['PutItem', (bytes, pk) => ({ TableName, Item: key(pk), ConditionExpression: conditionOf(bytes) })],
  ['DeleteItem', (bytes, pk) => ({ TableName, Key: key(pk), ConditionExpression: conditionOf(bytes) })],
  ['GetItem', (bytes, pk) => ({ TableName, Key: key(pk), ProjectionExpression: projectionOf(bytes) })],
  ['Scan', (bytes) => ({ TableName, ...filterOf(bytes) })],
  [
    'Query',
    (bytes, pk) => {
      const { FilterExpression, ExpressionAttributeValues } = filterOf(bytes);
      return {
        TableName,
        KeyConditionExpression: 'pk = :pk',
        FilterExpression,
        ExpressionAttributeValues: { ...ExpressionAttributeValues, ':pk': S(pk) },
      };
    },
  ],
  [
    'TransactWriteItems',
    (bytes, pk) => ({
      TransactItems: [{ Put: { TableName, Item: key(pk), ConditionExpression: conditionOf(bytes) } }],
    }),
  ],
  [
    'TransactGetItems',
    (bytes, pk) => ({
      TransactItems: [{ Get: { TableName, Key: key(pk), ProjectionExpression: projectionOf(bytes) } }],
    }),
  ],
  [
    'BatchGetItem',
    (bytes, pk) => ({ RequestItems: { [TableName]: { Keys: [key(pk)], ProjectionExpression: projectionOf(bytes) } } }),
  ],
];
runCases(
  'an expression of 4096 bytes',
  limited.map(([operation, input]) => ({
    name: 'is taken',
    operation,
    input: input(4096, `size ${operation}`),
    expect: { output: {} },
  })),
);
runCases(
  'an expression of 4097 bytes',
  limited.map(([operation, input]) => ({
    name: 'is refused',
    operation,
    input: input(4097, `size over ${operation}`),
    expect: refused(kTooLong),
  })),
);
runCases('the size of an expression', [
  {
    name: 'does not count what its names stand for',
    operation: 'GetItem',
    input: {
      TableName,
      Key: key('size names'),
      ProjectionExpression: Array.from({ length: 30 }, (_, at) => `#a${at}`).join(', '),
      ExpressionAttributeNames: Object.fromEntries(
        Array.from({ length: 30 }, (_, at) => [`#a${at}`, `${'n'.repeat(246)}q${at}`]),
      ),
    },
    expect: { output: {} },
  },
]);
