// Tables: creating, describing, listing, changing and deleting them, and all refusals.
import { after, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { runCases, expectError, kInvalid, one, refused } from '../harness/cases.mjs';
import { absent, assertMatches, exact, isDate, isNumber, matches } from '../harness/match.mjs';
import { createTable, deleteTable, waitUntilActive, waitUntilGone } from '../harness/lifecycle.mjs';
import { isRealService } from '../harness/endpoint.mjs';
import {
  including,
  index,
  kAbsent,
  kAll,
  kHash,
  kIndexed,
  kKeysOnly,
  keySchema,
  name,
  table,
} from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const created = [];
const fresh = (suffix) => {
  const TableName = name(`life-${suffix}`);
  created.push(TableName);
  return TableName;
};
after(async () => {
  for (const TableName of created) {
    await call('UpdateTable', { TableName, DeletionProtectionEnabled: false }).catch(() => {});
    await deleteTable(TableName).catch(() => {});
  }
});

const kGone = (TableName) => ({
  error: 'ResourceNotFoundException',
  message: `Requested resource not found: Table: ${TableName} not found`,
});

describe('a table lives', { concurrency: 4 }, () => {
  test('on demand: created, described, listed, refused twice, deleted', async () => {
    const TableName = fresh('on-demand');
    const { TableDescription } = await call('CreateTable', table(TableName, { pk: 'S', sk: 'N' }, 'pk', 'sk'));
    assertMatches(TableDescription, {
      TableName,
      TableStatus: matches(/^(CREATING|ACTIVE)$/),
      KeySchema: exact([
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ]),
      AttributeDefinitions: exact([
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'N' },
      ]),
      BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
      ProvisionedThroughput: { ReadCapacityUnits: 0, WriteCapacityUnits: 0, NumberOfDecreasesToday: 0 },
      TableArn: matches(new RegExp(`^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\\d{12}:table/${TableName}$`)),
      TableId: matches(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      CreationDateTime: isDate,
      ItemCount: 0,
      TableSizeBytes: 0,
      DeletionProtectionEnabled: false,
      GlobalSecondaryIndexes: absent,
      LocalSecondaryIndexes: absent,
    });
    await waitUntilActive(TableName);
    assertMatches(await call('DescribeTable', { TableName }), {
      Table: { TableName, TableStatus: 'ACTIVE', TableId: TableDescription.TableId },
    });
    await expectError('CreateTable', table(TableName, { pk: 'S' }, 'pk'), {
      error: 'ResourceInUseException',
      message: `Table already exists: ${TableName}`,
    });
    const deleted = await call('DeleteTable', { TableName });
    assertMatches(deleted, { TableDescription: { TableName, TableStatus: 'DELETING' } });
    await waitUntilGone(TableName);
    await expectError('DescribeTable', { TableName }, kGone(TableName));
    await expectError(
      'PutItem',
      { TableName, Item: { pk: S('x') } },
      { error: 'ResourceNotFoundException', message: 'Requested resource not found' },
    );
  });

  test('a table of the same name again is empty', async () => {
    const TableName = fresh('again');
    await createTable(table(TableName, { pk: 'S' }, 'pk'));
    await call('PutItem', { TableName, Item: { pk: S('left over') } });
    await call('DeleteTable', { TableName });
    await waitUntilGone(TableName);
    await createTable(table(TableName, { pk: 'S' }, 'pk'));
    assertMatches(await call('Scan', { TableName }), { Count: 0, Items: exact([]) });
  });

  test('provisioned, with indexes', async () => {
    const TableName = fresh('provisioned');
    const throughput = (read, write) => ({
      ProvisionedThroughput: { ReadCapacityUnits: read, WriteCapacityUnits: write },
    });
    await createTable({
      ...table(TableName, { pk: 'S', sk: 'S', g: 'N', l: 'B' }, 'pk', 'sk', {
        GlobalSecondaryIndexes: [{ ...index('gsi', 'g', 'sk', including('x', 'y')), ...throughput(3, 4) }],
        LocalSecondaryIndexes: [index('lsi', 'pk', 'l', kKeysOnly)],
      }),
      BillingMode: 'PROVISIONED',
      ...throughput(5, 6),
    });
    const { Table } = await call('DescribeTable', { TableName });
    assertMatches(Table, {
      ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 6, NumberOfDecreasesToday: 0 },
      GlobalSecondaryIndexes: [
        {
          IndexName: 'gsi',
          IndexStatus: 'ACTIVE',
          IndexArn: `${Table.TableArn}/index/gsi`,
          KeySchema: exact(keySchema('g', 'sk')),
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: (list) => [...list].sort().join() === 'x,y' },
          ProvisionedThroughput: { ReadCapacityUnits: 3, WriteCapacityUnits: 4 },
          ItemCount: 0,
          IndexSizeBytes: 0,
        },
      ],
      LocalSecondaryIndexes: [
        {
          IndexName: 'lsi',
          IndexArn: `${Table.TableArn}/index/lsi`,
          KeySchema: exact(keySchema('pk', 'l')),
          Projection: exact(kKeysOnly),
          ItemCount: 0,
        },
      ],
    });
    const updated = await call('UpdateTable', { TableName, ...throughput(7, 8) });
    assertMatches(updated, { TableDescription: { TableName } });
    await waitUntilActive(TableName);
    assertMatches(await call('DescribeTable', { TableName }), {
      Table: { ProvisionedThroughput: { ReadCapacityUnits: 7, WriteCapacityUnits: 8 } },
    });
    await expectError(
      'UpdateTable',
      { TableName, ...throughput(7, 8) },
      refused(
        'The provisioned throughput for the table will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for the table: 7. Requested ReadCapacityUnits: 7. Current WriteCapacityUnits provisioned for the table: 8. Requested WriteCapacityUnits: 8. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.',
      ),
    );
    await call('UpdateTable', { TableName, BillingMode: 'PAY_PER_REQUEST' });
    await waitUntilActive(TableName);
    assertMatches(await call('DescribeTable', { TableName }), {
      Table: {
        BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
        ProvisionedThroughput: { ReadCapacityUnits: 0 },
      },
    });
  });

  test('its counts follow its items', { skip: isRealService && 'counted every six hours' }, async () => {
    const TableName = fresh('counts');
    await createTable(
      table(TableName, { pk: 'S', g: 'S' }, 'pk', undefined, {
        GlobalSecondaryIndexes: [index('gsi', 'g', undefined, kAll)],
      }),
    );
    for (let number = 0; number < 10; number++) {
      await call('PutItem', { TableName, Item: { pk: S(`p${number}`), ...(number % 2 ? { g: S('g') } : {}) } });
    }
    await call('DeleteItem', { TableName, Key: { pk: S('p0') } });
    assertMatches(await call('DescribeTable', { TableName }), {
      Table: {
        ItemCount: 9,
        TableSizeBytes: 9 * 4 + 5 * 2,
        GlobalSecondaryIndexes: [{ IndexName: 'gsi', ItemCount: 5, IndexSizeBytes: isNumber }],
      },
    });
  });

  test('deletion protection', async () => {
    const TableName = fresh('protected');
    await createTable({ ...table(TableName, { pk: 'S' }, 'pk'), DeletionProtectionEnabled: true });
    assertMatches(await call('DescribeTable', { TableName }), { Table: { DeletionProtectionEnabled: true } });
    await expectError(
      'DeleteTable',
      { TableName },
      refused(
        'Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.',
      ),
    );
    await call('UpdateTable', { TableName, DeletionProtectionEnabled: false });
    await waitUntilActive(TableName);
    await call('DeleteTable', { TableName });
    await waitUntilGone(TableName);
  });

  test('table class and stream specification', async () => {
    const TableName = fresh('class');
    await createTable({ ...table(TableName, { pk: 'S' }, 'pk'), TableClass: 'STANDARD_INFREQUENT_ACCESS' });
    assertMatches(await call('DescribeTable', { TableName }), {
      Table: { TableClassSummary: { TableClass: 'STANDARD_INFREQUENT_ACCESS' } },
    });
    await call('UpdateTable', { TableName, TableClass: 'STANDARD' });
    await waitUntilActive(TableName);
    assertMatches(await call('DescribeTable', { TableName }), {
      Table: { TableClassSummary: { TableClass: 'STANDARD' } },
    });
    await call('UpdateTable', {
      TableName,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    });
    await waitUntilActive(TableName);
    assertMatches(await call('DescribeTable', { TableName }), {
      Table: {
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
        LatestStreamLabel: matches(/^\d{4}-\d\d-\d\dT/),
        LatestStreamArn: matches(new RegExp(`:table/${TableName}/stream/`)),
      },
    });
    await call('UpdateTable', { TableName, StreamSpecification: { StreamEnabled: false } });
    await waitUntilActive(TableName);
  });

  test('an index is built on what is there, follows writes, and is deleted', async () => {
    const TableName = fresh('online');
    await createTable(table(TableName, { pk: 'S' }, 'pk'));
    for (let batch = 0; batch < 4; batch++) {
      const RequestItems = {
        [TableName]: Array.from({ length: 25 }, (_, at) => ({
          PutRequest: { Item: { pk: S(`${batch}-${at}`), g: S(at % 5 ? 'some' : 'other') } },
        })),
      };
      await call('BatchWriteItem', { RequestItems });
    }
    // One row has a value of another type than the index key, so the index omits it.
    await call('PutItem', { TableName, Item: { pk: S('odd one'), g: { N: '1' } } });
    const create = (IndexName, attribute) => ({
      TableName,
      AttributeDefinitions: [{ AttributeName: attribute, AttributeType: 'S' }],
      GlobalSecondaryIndexUpdates: [{ Create: { IndexName, KeySchema: keySchema(attribute), Projection: kAll } }],
    });
    const { TableDescription } = await call('UpdateTable', create('late', 'g'));
    assertMatches(TableDescription, {
      GlobalSecondaryIndexes: [{ IndexName: 'late', IndexStatus: matches(/^(CREATING|ACTIVE)$/) }],
    });
    await call('PutItem', { TableName, Item: { pk: S('during'), g: S('some') } });
    await waitUntilActive(TableName);
    const count = async () =>
      (
        await call('Query', {
          TableName,
          IndexName: 'late',
          KeyConditionExpression: 'g = :g',
          ExpressionAttributeValues: { ':g': S('some') },
          Select: 'COUNT',
        })
      ).Count;
    assert.equal(await count(), 81);
    await call('DeleteItem', { TableName, Key: { pk: S('during') } });
    if (isRealService) await new Promise((resolve) => setTimeout(resolve, 3000));
    assert.equal(await count(), 80);
    await expectError('UpdateTable', create('late', 'g'), { error: 'ValidationException' });
    await expectError(
      'PutItem',
      { TableName, Item: { pk: S('x'), g: { N: '1' } } },
      refused(`${kInvalid}Type mismatch for Index Key g Expected: S Actual: N IndexName: late`),
    );
    await call('UpdateTable', { TableName, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'late' } }] });
    for (;;) {
      const { Table } = await call('DescribeTable', { TableName });
      if (!Table.GlobalSecondaryIndexes?.length && Table.TableStatus === 'ACTIVE') break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await expectError(
      'Query',
      {
        TableName,
        IndexName: 'late',
        KeyConditionExpression: 'g = :g',
        ExpressionAttributeValues: { ':g': S('some') },
      },
      refused('The table does not have the specified index: late'),
    );
    await expectError(
      'UpdateTable',
      { TableName, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'late' } }] },
      { error: 'ResourceNotFoundException', message: /^Requested resource not found/ },
    );
  });
});

describe('ListTables', () => {
  test('lists by pages, in order, each once', async () => {
    const seen = [];
    let ExclusiveStartTableName;
    do {
      const page = await call('ListTables', { Limit: 3, ExclusiveStartTableName });
      assert.ok(page.TableNames.length <= 3);
      seen.push(...page.TableNames);
      ExclusiveStartTableName = page.LastEvaluatedTableName;
      if (ExclusiveStartTableName) assert.equal(ExclusiveStartTableName, page.TableNames.at(-1));
    } while (ExclusiveStartTableName);
    assert.equal(new Set(seen).size, seen.length);
    for (const wanted of [kHash, kIndexed]) assert.ok(seen.includes(wanted), wanted);
    if (!isRealService) assert.deepEqual(seen, [...seen].sort());
  });
});
runCases('ListTables, refused', [
  {
    name: 'Limit of zero',
    operation: 'ListTables',
    input: { Limit: 0 },
    expect: refused(
      one("Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1"),
    ),
  },
  {
    name: 'Limit of 101',
    operation: 'ListTables',
    input: { Limit: 101 },
    expect: refused(
      one("Value '101' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 100"),
    ),
  },
  {
    name: 'a malformed start',
    operation: 'ListTables',
    input: { ExclusiveStartTableName: 'a!' },
    expect: refused(
      /Value 'a!' at 'exclusiveStartTableName' failed to satisfy constraint: Member must satisfy regular expression pattern: \[a-zA-Z0-9_\.-\]\+/,
    ),
  },
  {
    name: 'a start past the end',
    operation: 'ListTables',
    input: { ExclusiveStartTableName: 'zzzzzzzz' },
    expect: { output: { LastEvaluatedTableName: absent } },
  },
]);

const never = name('never');
const create = (caseName, change, message) => ({
  name: caseName,
  operation: 'CreateTable',
  input: { ...table(never, { pk: 'S' }, 'pk'), ...change },
  expect: refused(message),
});
const element = (AttributeName, KeyType) => ({ AttributeName, KeyType });
const attribute = (AttributeName, AttributeType = 'S') => ({ AttributeName, AttributeType });
const five = { ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 5 } };
const undefinedKeys = (keys, definitions) =>
  `${kInvalid}Some index key attributes are not defined in AttributeDefinitions. Keys: [${keys}], AttributeDefinitions: [${definitions}]`;
const kTwoOfThree = { AttributeDefinitions: [attribute('pk'), attribute('sk')], KeySchema: keySchema('pk', 'sk') };
runCases('CreateTable, refused', [
  create(
    'no name',
    { TableName: undefined },
    "The parameter 'TableName' is required but was not present in the request",
  ),
  create(
    'a name of two',
    { TableName: 'ab' },
    one("Value 'ab' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 3"),
  ),
  create(
    'a name of 256',
    { TableName: 'a'.repeat(256) },
    one(
      `Value '${'a'.repeat(256)}' at 'tableName' failed to satisfy constraint: Member must have length less than or equal to 255`,
    ),
  ),
  create(
    'a name with other characters',
    { TableName: 'abc;' },
    one(
      "Value 'abc;' at 'tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
    ),
  ),
  create(
    'a bad key type',
    { KeySchema: [element('pk', 'INVALID')] },
    one(
      "Value 'INVALID' at 'keySchema.1.member.keyType' failed to satisfy constraint: Member must satisfy enum value set: [HASH, RANGE]",
    ),
  ),
  create(
    'a bad attribute type',
    { AttributeDefinitions: [attribute('pk', 'INVALID')] },
    one(
      "Value 'INVALID' at 'attributeDefinitions.1.member.attributeType' failed to satisfy constraint: Member must satisfy enum value set: [B, N, S]",
    ),
  ),
  create(
    'a bad billing mode',
    { BillingMode: 'INVALID_MODE' },
    one(
      "Value 'INVALID_MODE' at 'billingMode' failed to satisfy constraint: Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]",
    ),
  ),
  create(
    'no key',
    { KeySchema: [] },
    one("Value '[]' at 'keySchema' failed to satisfy constraint: Member must have length greater than or equal to 1"),
  ),
  create(
    'three key elements',
    {
      AttributeDefinitions: [attribute('a'), attribute('b'), attribute('c')],
      KeySchema: [element('a', 'HASH'), element('b', 'RANGE'), element('c', 'RANGE')],
    },
    /^1 validation error detected: Value '\[.*\]' at 'keySchema' failed to satisfy constraint: Member must have length less than or equal to 2$/,
  ),
  create(
    'provisioned without throughput',
    { BillingMode: 'PROVISIONED' },
    `${kInvalid}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED`,
  ),
  create(
    'on demand with throughput',
    five,
    `${kInvalid}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST`,
  ),
  create(
    'no throughput at all',
    { BillingMode: undefined, ProvisionedThroughput: { ReadCapacityUnits: 0, WriteCapacityUnits: 1 } },
    one(
      "Value '0' at 'provisionedThroughput.readCapacityUnits' failed to satisfy constraint: Member must have value greater than or equal to 1",
    ),
  ),
  create(
    'a key attribute that is not defined',
    { AttributeDefinitions: [attribute('other')] },
    undefinedKeys('pk', 'other'),
  ),
  create(
    'fewer definitions than keys',
    { KeySchema: keySchema('pk', 'sk') },
    'Invalid KeySchema: Some index key attribute have no definition',
  ),
  create(
    'one attribute as both keys',
    { KeySchema: keySchema('pk', 'pk') },
    'Invalid KeySchema: Some index key attribute have no definition',
  ),
  create(
    'one attribute as both keys, beside another',
    { AttributeDefinitions: [attribute('pk'), attribute('sk')], KeySchema: keySchema('pk', 'pk') },
    'Both the Hash Key and the Range Key element in the KeySchema have the same name',
  ),
  create(
    'a sort key first',
    { KeySchema: [element('pk', 'RANGE')] },
    'Invalid KeySchema: The first KeySchemaElement is not a HASH key type',
  ),
  create(
    'two partition keys',
    {
      AttributeDefinitions: [attribute('pk'), attribute('sk')],
      KeySchema: [element('pk', 'HASH'), element('sk', 'HASH')],
    },
    'Invalid KeySchema: The second KeySchemaElement is not a RANGE key type',
  ),
  create(
    'a definition too many',
    { AttributeDefinitions: [attribute('pk'), attribute('more')] },
    `${kInvalid}Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions`,
  ),
  create(
    'no local indexes in the list',
    { ...kTwoOfThree, LocalSecondaryIndexes: [] },
    `${kInvalid}List of LocalSecondaryIndexes is empty`,
  ),
  create(
    'no global indexes in the list',
    { GlobalSecondaryIndexes: [] },
    `${kInvalid}List of GlobalSecondaryIndexes is empty`,
  ),
  create(
    'a local index without a sort key of the table',
    { AttributeDefinitions: [attribute('pk'), attribute('l')], LocalSecondaryIndexes: [index('lsi', 'pk', 'l', kAll)] },
    `${kInvalid}Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex`,
  ),
  create(
    'a local index without a sort key',
    { ...kTwoOfThree, LocalSecondaryIndexes: [index('lsi', 'pk', undefined, kAll)] },
    `${kInvalid}Index KeySchema does not have a range key for index: lsi`,
  ),
  create(
    'a local index of another partition key',
    { ...kTwoOfThree, LocalSecondaryIndexes: [index('lsi', 'sk', 'pk', kAll)] },
    `${kInvalid}Index KeySchema does not have the same leading hash key as table KeySchema for index: lsi. index hash key: sk, table hash key: pk`,
  ),
  create(
    'an index key that is not defined',
    { GlobalSecondaryIndexes: [index('gsi', 'g', undefined, kAll)] },
    undefinedKeys('g', 'pk'),
  ),
  create(
    'an index without a projection type',
    {
      AttributeDefinitions: [attribute('pk'), attribute('g')],
      GlobalSecondaryIndexes: [index('gsi', 'g', undefined, {})],
    },
    `${kInvalid}Unknown ProjectionType: null`,
  ),
  create(
    'KEYS_ONLY with attributes',
    {
      AttributeDefinitions: [attribute('pk'), attribute('g')],
      GlobalSecondaryIndexes: [index('gsi', 'g', undefined, { ProjectionType: 'KEYS_ONLY', NonKeyAttributes: ['x'] })],
    },
    `${kInvalid}ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified`,
  ),
  create(
    'INCLUDE without attributes',
    {
      AttributeDefinitions: [attribute('pk'), attribute('g')],
      GlobalSecondaryIndexes: [index('gsi', 'g', undefined, { ProjectionType: 'INCLUDE' })],
    },
    new RegExp(`^${kInvalid}.*INCLUDE`),
  ),
  create(
    'two indexes of one name',
    {
      AttributeDefinitions: [attribute('pk'), attribute('g')],
      GlobalSecondaryIndexes: [index('same', 'g', undefined, kAll), index('same', 'g', undefined, kAll)],
    },
    `${kInvalid}Duplicate index name: same`,
  ),
  create(
    'an index with throughput on demand',
    {
      AttributeDefinitions: [attribute('pk'), attribute('g')],
      GlobalSecondaryIndexes: [{ ...index('gsi', 'g', undefined, kAll), ...five }],
    },
    `${kInvalid}ProvisionedThroughput should not be specified for index: gsi when BillingMode is PAY_PER_REQUEST`,
  ),
  create(
    'six local indexes',
    {
      ...kTwoOfThree,
      LocalSecondaryIndexes: Array.from({ length: 6 }, (_, at) => index(`lsi${at}`, 'pk', 'sk', kAll)),
    },
    `${kInvalid}Number of LocalSecondaryIndexes exceeds per-table limit of 5`,
  ),
  create(
    '21 global indexes',
    {
      AttributeDefinitions: [attribute('pk'), attribute('g')],
      GlobalSecondaryIndexes: Array.from({ length: 21 }, (_, at) => index(`gsi${at}`, 'g', undefined, kAll)),
    },
    `${kInvalid}GlobalSecondaryIndex count exceeds the per-table limit of 20`,
  ),
  create(
    'index names too short: the global one first',
    {
      ...kTwoOfThree,
      LocalSecondaryIndexes: [index('l1', 'pk', 'lr', kAll)],
      GlobalSecondaryIndexes: [index('g1', 'gh', undefined, kAll)],
    },
    "2 validation errors detected: Value 'g1' at 'globalSecondaryIndexes.1.member.indexName' failed to satisfy constraint: Member must have length greater than or equal to 3; Value 'l1' at 'localSecondaryIndexes.1.member.indexName' failed to satisfy constraint: Member must have length greater than or equal to 3",
  ),
  create(
    'a key name of 256 bytes',
    { AttributeDefinitions: [attribute('k'.repeat(256))], KeySchema: keySchema('k'.repeat(256)) },
    /25[56]/,
  ),
  create(
    'a view type for a stream that is off',
    { StreamSpecification: { StreamEnabled: false, StreamViewType: 'NEW_IMAGE' } },
    /.+/,
  ),
]);

runCases('tables that are not there', [
  { name: 'described', operation: 'DescribeTable', input: { TableName: kAbsent }, expect: kGone(kAbsent) },
  { name: 'deleted', operation: 'DeleteTable', input: { TableName: kAbsent }, expect: kGone(kAbsent) },
  {
    name: 'changed',
    operation: 'UpdateTable',
    input: { TableName: kAbsent, BillingMode: 'PAY_PER_REQUEST' },
    expect: kGone(kAbsent),
  },
]);

runCases('UpdateTable, refused', [
  {
    name: 'nothing to change',
    operation: 'UpdateTable',
    input: { TableName: kHash },
    expect: refused(
      /^At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates( or|,) SSESpecification( or|,) ReplicaUpdates( or .*|, .*)? is required$/,
    ),
  },
  {
    name: 'provisioned without throughput',
    operation: 'UpdateTable',
    input: { TableName: kHash, BillingMode: 'PROVISIONED' },
    expect: refused(`${kInvalid}ProvisionedThroughput must be specified when BillingMode is PROVISIONED`),
  },
  {
    name: 'throughput on demand',
    operation: 'UpdateTable',
    input: { TableName: kHash, ...five },
    expect: refused(
      `${kInvalid}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST`,
    ),
  },
  {
    name: 'an index update that does nothing',
    operation: 'UpdateTable',
    input: { TableName: kHash, GlobalSecondaryIndexUpdates: [{}] },
    expect: refused(
      `${kInvalid}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null`,
    ),
  },
  {
    name: 'two updates of one index',
    operation: 'UpdateTable',
    input: {
      TableName: kIndexed,
      GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'gsi-all' } }, { Delete: { IndexName: 'gsi-all' } }],
    },
    expect: refused(
      `${kInvalid}Only one global secondary index update per index is allowed simultaneously. Index: gsi-all`,
    ),
  },
  {
    name: 'an index on an attribute that is not defined',
    operation: 'UpdateTable',
    input: { TableName: kHash, GlobalSecondaryIndexUpdates: [{ Create: index('late', 'unknown', undefined, kAll) }] },
    expect: { error: 'ValidationException' },
  },
  {
    name: 'an index that is not there',
    operation: 'UpdateTable',
    input: { TableName: kHash, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'nosuch' } }] },
    expect: { error: 'ResourceNotFoundException', message: /^Requested resource not found/ },
  },
]);

runCases('the account', [
  {
    name: 'limits',
    operation: 'DescribeLimits',
    input: {},
    expect: {
      output: {
        AccountMaxReadCapacityUnits: isNumber,
        AccountMaxWriteCapacityUnits: isNumber,
        TableMaxReadCapacityUnits: isNumber,
        TableMaxWriteCapacityUnits: isNumber,
      },
    },
  },
  {
    name: 'endpoints',
    operation: 'DescribeEndpoints',
    input: {},
    expect: { output: { Endpoints: [{ Address: matches(/.+/), CachePeriodInMinutes: isNumber }] } },
  },
]);

describe('throughput that changes', () => {
  const tableName = name('old-units');
  after(() => deleteTable(tableName));
  test('is described as it was until it has changed', async () => {
    await createTable({
      ...table(tableName, { pk: 'S', gh: 'S' }, 'pk', undefined, {
        GlobalSecondaryIndexes: [
          {
            ...index('gsi', 'gh', undefined, kAll),
            ProvisionedThroughput: { ReadCapacityUnits: 3, WriteCapacityUnits: 4 },
          },
        ],
      }),
      BillingMode: 'PROVISIONED',
      ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 6 },
    });
    const updated = await call('UpdateTable', {
      TableName: tableName,
      ProvisionedThroughput: { ReadCapacityUnits: 7, WriteCapacityUnits: 8 },
      GlobalSecondaryIndexUpdates: [
        { Update: { IndexName: 'gsi', ProvisionedThroughput: { ReadCapacityUnits: 9, WriteCapacityUnits: 10 } } },
      ],
    });
    assertMatches(updated.TableDescription, {
      TableStatus: 'UPDATING',
      ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 6 },
      GlobalSecondaryIndexes: [
        { IndexStatus: 'UPDATING', ProvisionedThroughput: { ReadCapacityUnits: 3, WriteCapacityUnits: 4 } },
      ],
    });
    await waitUntilActive(tableName);
    assertMatches((await call('DescribeTable', { TableName: tableName })).Table, {
      ProvisionedThroughput: { ReadCapacityUnits: 7, WriteCapacityUnits: 8 },
      GlobalSecondaryIndexes: [{ ProvisionedThroughput: { ReadCapacityUnits: 9, WriteCapacityUnits: 10 } }],
    });
  });
  test('a maximum of -1 is none', async () => {
    const limited = name('no-maximum');
    await createTable({
      ...table(limited, { pk: 'S' }, 'pk'),
      OnDemandThroughput: { MaxReadRequestUnits: 10, MaxWriteRequestUnits: 20 },
    });
    await call('UpdateTable', { TableName: limited, OnDemandThroughput: { MaxReadRequestUnits: -1 } });
    await waitUntilActive(limited);
    assertMatches((await call('DescribeTable', { TableName: limited })).Table, {
      OnDemandThroughput: exact({ MaxWriteRequestUnits: 20 }),
    });
    await deleteTable(limited);
  });
});
