// The descriptions of tables, and the refusals of CreateTable and ListTables. The messages were captured by
// ack-api-quirks (October 2026) and the suites of dynalite, ScyllaDB and nubo-db/dynamodb-conformance.
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { expectError, kInvalid, one, refused, runCases } from '../harness/cases.mjs';
import { absent, assertMatches, exact, isDate, matches } from '../harness/match.mjs';
import { atMost, longerThan, many, notNull, ofPattern, oneOf, shorterThan } from '../harness/constraints.mjs';
import { createTable, deleteTable, waitUntilActive, waitUntilGone } from '../harness/lifecycle.mjs';
import { including, index, kAll, name, table } from '../harness/tables.mjs';

const kSet = name('defined');
const kIndexed = name('defined-indexed');
let arn;
before(async () => {
  await createTable(table(kSet, { pk: 'S' }, 'pk'));
  await createTable(
    table(kIndexed, { pk: 'S', sk: 'S', g: 'S' }, 'pk', 'sk', {
      GlobalSecondaryIndexes: [index('gsi1', 'g', undefined, kAll)],
      LocalSecondaryIndexes: [index('lsi1', 'pk', 'g', kAll)],
    }),
  );
  arn = (await call('DescribeTable', { TableName: kSet })).Table.TableArn;
});
after(() => Promise.all([deleteTable(kSet), deleteTable(kIndexed)]));

describe('a table as it is described', { concurrency: 4 }, () => {
  test('on demand, with nothing set', async () => {
    const { Table } = await call('DescribeTable', { TableName: kSet });
    assertMatches(Table, {
      TableStatus: 'ACTIVE',
      BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST', LastUpdateToPayPerRequestDateTime: isDate },
      ProvisionedThroughput: exact({ NumberOfDecreasesToday: 0, ReadCapacityUnits: 0, WriteCapacityUnits: 0 }),
      WarmThroughput: exact({ ReadUnitsPerSecond: 12000, WriteUnitsPerSecond: 4000, Status: 'ACTIVE' }),
      DeletionProtectionEnabled: false,
      SSEDescription: absent,
      StreamSpecification: absent,
      LatestStreamArn: absent,
      TableClassSummary: absent,
      RestoreSummary: absent,
      OnDemandThroughput: absent,
      Replicas: absent,
      GlobalTableVersion: absent,
      ArchivalSummary: absent,
    });
    assert.deepEqual(Table.BillingModeSummary.LastUpdateToPayPerRequestDateTime, Table.CreationDateTime);
    assertMatches(await call('DescribeTable', { TableName: arn }), { Table: { TableId: Table.TableId } });
  });
  test('an index on demand has no units, and warm ones', async () => {
    const { Table } = await call('DescribeTable', { TableName: kIndexed });
    assertMatches(Table.GlobalSecondaryIndexes, [
      {
        ProvisionedThroughput: { ReadCapacityUnits: 0, WriteCapacityUnits: 0 },
        WarmThroughput: { ReadUnitsPerSecond: 12000, WriteUnitsPerSecond: 4000, Status: 'ACTIVE' },
        Backfilling: absent,
      },
    ]);
  });
  test('provisioned: no summary of the mode, warm as its units', async () => {
    const TableName = name('settings-units');
    const units = (read, write) => ({
      ProvisionedThroughput: { ReadCapacityUnits: read, WriteCapacityUnits: write },
    });
    await createTable({ ...table(TableName, { pk: 'S' }, 'pk'), BillingMode: undefined, ...units(2, 3) });
    assertMatches((await call('DescribeTable', { TableName })).Table, {
      BillingModeSummary: absent,
      ProvisionedThroughput: exact({ NumberOfDecreasesToday: 0, ReadCapacityUnits: 2, WriteCapacityUnits: 3 }),
      WarmThroughput: { ReadUnitsPerSecond: 2, WriteUnitsPerSecond: 3 },
    });
    await call('UpdateTable', { TableName, ...units(3, 3) });
    await waitUntilActive(TableName);
    await call('UpdateTable', { TableName, ...units(1, 1) });
    await waitUntilActive(TableName);
    assertMatches((await call('DescribeTable', { TableName })).Table, {
      ProvisionedThroughput: {
        NumberOfDecreasesToday: 1,
        LastIncreaseDateTime: isDate,
        LastDecreaseDateTime: isDate,
        ReadCapacityUnits: 1,
      },
      WarmThroughput: { ReadUnitsPerSecond: 3, WriteUnitsPerSecond: 3 },
    });
    await expectError(
      'UpdateTable',
      { TableName, WarmThroughput: { ReadUnitsPerSecond: 1, WriteUnitsPerSecond: 1 } },
      refused(
        `${kInvalid}Requested ReadUnitsPerSecond for WarmThroughput for table is lower than current WarmThroughput, decreasing WarmThroughput is not supported`,
      ),
    );
    await call('UpdateTable', { TableName, BillingMode: 'PAY_PER_REQUEST' });
    await waitUntilActive(TableName);
    await call('UpdateTable', { TableName, BillingMode: 'PROVISIONED', ...units(1, 1) });
    await waitUntilActive(TableName);
    assertMatches((await call('DescribeTable', { TableName })).Table, {
      BillingModeSummary: { BillingMode: 'PROVISIONED', LastUpdateToPayPerRequestDateTime: isDate },
      WarmThroughput: { ReadUnitsPerSecond: 12000, WriteUnitsPerSecond: 4000 },
    });
    await deleteTable(TableName);
  });
  test('deleted: its schema and indexes are left out', async () => {
    const TableName = name('settings-gone');
    await createTable(
      table(TableName, { pk: 'S', sk: 'S', g: 'S' }, 'pk', 'sk', {
        GlobalSecondaryIndexes: [index('gsi1', 'g', undefined, kAll)],
        LocalSecondaryIndexes: [index('lsi1', 'pk', 'g', kAll)],
      }),
    );
    const { TableDescription } = await call('DeleteTable', { TableName });
    assertMatches(TableDescription, {
      TableName,
      TableStatus: 'DELETING',
      TableId: matches(/^[0-9a-f-]{36}$/),
      TableArn: matches(/^arn:/),
      CreationDateTime: absent,
      KeySchema: absent,
      AttributeDefinitions: absent,
      GlobalSecondaryIndexes: absent,
      LocalSecondaryIndexes: absent,
      BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST', LastUpdateToPayPerRequestDateTime: isDate },
      ProvisionedThroughput: exact({ NumberOfDecreasesToday: 0, ReadCapacityUnits: 0, WriteCapacityUnits: 0 }),
      ItemCount: 0,
      TableSizeBytes: 0,
    });
    await waitUntilGone(TableName);
  });
  test('the class is described if it was requested, and only then', async () => {
    const TableName = name('settings-class');
    await createTable({ ...table(TableName, { pk: 'S' }, 'pk'), TableClass: 'STANDARD' });
    assertMatches((await call('DescribeTable', { TableName })).Table, {
      TableClassSummary: exact({ TableClass: 'STANDARD' }),
    });
    await call('UpdateTable', { TableName, TableClass: 'STANDARD_INFREQUENT_ACCESS' });
    await waitUntilActive(TableName);
    assertMatches((await call('DescribeTable', { TableName })).Table, {
      TableClassSummary: { TableClass: 'STANDARD_INFREQUENT_ACCESS', LastUpdateDateTime: isDate },
    });
    await deleteTable(TableName);
  });
  test('a stream that is on is not changed, and leaves its ARN', async () => {
    const TableName = name('settings-stream');
    await createTable({
      ...table(TableName, { pk: 'S' }, 'pk'),
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
    });
    for (const StreamViewType of ['KEYS_ONLY', 'OLD_IMAGE']) {
      await expectError(
        'UpdateTable',
        { TableName, StreamSpecification: { StreamEnabled: true, StreamViewType } },
        refused(`Table already has an enabled stream: TableName: ${TableName}`),
      );
    }
    await call('UpdateTable', { TableName, StreamSpecification: { StreamEnabled: false } });
    await waitUntilActive(TableName);
    assertMatches((await call('DescribeTable', { TableName })).Table, {
      StreamSpecification: absent,
      LatestStreamArn: matches(/\/stream\//),
      LatestStreamLabel: matches(/^\d{4}-/),
    });
    await deleteTable(TableName);
  });
  test('attributes come sorted by name, indexes in the order of the request', async () => {
    const TableName = name('settings-order');
    await createTable(
      table(TableName, { pk: 'S', b: 'S', a: 'S' }, 'pk', undefined, {
        GlobalSecondaryIndexes: [index('zzz', 'b', undefined, including('y', 'x')), index('aaa', 'a', undefined, kAll)],
      }),
    );
    const { Table } = await call('DescribeTable', { TableName });
    assert.deepEqual(
      Table.AttributeDefinitions.map((one) => one.AttributeName),
      ['a', 'b', 'pk'],
    );
    assert.deepEqual(
      Table.GlobalSecondaryIndexes.map((one) => one.IndexName),
      ['zzz', 'aaa'],
    );
    assert.deepEqual(Table.GlobalSecondaryIndexes[0].Projection.NonKeyAttributes, ['x', 'y']);
    await call('UpdateTable', { TableName, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'aaa' } }] });
    await waitUntilActive(TableName);
    assertMatches((await call('DescribeTable', { TableName })).Table, {
      AttributeDefinitions: [{ AttributeName: 'b' }, { AttributeName: 'pk' }],
    });
    await deleteTable(TableName);
  });
});

const create = (caseName, change, expect) => ({
  name: caseName,
  operation: 'CreateTable',
  input: { ...table(name('never-made'), { pk: 'S' }, 'pk'), ...change },
  expect: typeof expect === 'string' ? refused(expect) : expect,
});
const defined = (...names) => names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' }));
const gsi = (...change) => ({
  AttributeDefinitions: defined('pk', 'g'),
  GlobalSecondaryIndexes: change.map((one) => ({ ...index('gsi1', 'g', undefined, kAll), ...one })),
});
const element = (AttributeName, KeyType) => ({ AttributeName, KeyType });
const kStart = [ofPattern('a;', 'exclusiveStartTableName'), longerThan('a;', 'exclusiveStartTableName', 3)];
const kLimit = atMost('500', 'limit', 100);
runCases('CreateTable, more that is refused', [
  create(
    'an empty definition',
    { AttributeDefinitions: [{}] },
    many(
      notNull('attributeDefinitions.1.member.attributeType'),
      notNull('attributeDefinitions.1.member.attributeName'),
    ),
  ),
  create(
    'an empty key element',
    { KeySchema: [{}] },
    many(notNull('keySchema.1.member.attributeName'), notNull('keySchema.1.member.keyType')),
  ),
  create('an empty mode', { BillingMode: '' }, one(oneOf('', 'billingMode', 'PROVISIONED, PAY_PER_REQUEST'))),
  create(
    'an empty view',
    { StreamSpecification: { StreamEnabled: true, StreamViewType: '' } },
    one(oneOf('', 'streamSpecification.streamViewType', 'OLD_IMAGE, KEYS_ONLY, NEW_AND_OLD_IMAGES, NEW_IMAGE')),
  ),
  create(
    'a stream without a view',
    { StreamSpecification: { StreamEnabled: true } },
    `${kInvalid}Table is being created with a stream enabled, UpdateViewType is required`,
  ),
  create(
    'a view without a stream',
    { StreamSpecification: { StreamEnabled: false, StreamViewType: 'NEW_IMAGE' } },
    `${kInvalid}Table is being created with a stream disabled, UpdateViewType should not be specified`,
  ),
  create(
    'an empty key of encryption',
    { SSESpecification: { Enabled: true, SSEType: 'KMS', KMSMasterKeyId: '' } },
    one(longerThan('', 'sSESpecification.kMSMasterKeyId', 1)),
  ),
  create(
    'a type of encryption that is off',
    { SSESpecification: { Enabled: false, SSEType: 'KMS' } },
    `${kInvalid}SSEType can not be specified if Enabled is false`,
  ),
  create(
    'a key of encryption that is off',
    { SSESpecification: { Enabled: false, KMSMasterKeyId: 'alias/x' } },
    `${kInvalid}KMSMasterKeyId can not be specified if Enabled is false`,
  ),
  create(
    'a key of encryption without a type',
    { SSESpecification: { Enabled: true, KMSMasterKeyId: 'alias/x' } },
    `${kInvalid}SSEType KMS is required if KMSMasterKeyId is specified`,
  ),
  create(
    'encryption by AES256',
    { SSESpecification: { Enabled: true, SSEType: 'AES256' } },
    `${kInvalid}SSEType AES256 is not supported`,
  ),
  create(
    'a class that is none',
    { TableClass: 'standard' },
    'Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS].',
  ),
  create('an empty tag', { Tags: [{}] }, 'The Tag Key provided is invalid, Key: null'),
  create(
    '100 tags',
    { Tags: Array.from({ length: 100 }, (_, at) => ({ Key: `k${at}`, Value: '' })) },
    'Number of Tags exceed the current limit for the provided ResourceArn',
  ),
  create(
    'a policy that is empty',
    { ResourcePolicy: '' },
    `${kInvalid}Invalid policy document: This policy contains invalid Json`,
  ),
  create(
    'a policy of nothing',
    { ResourcePolicy: '{}' },
    `${kInvalid}Invalid policy document: Syntax error at position (1,3)`,
  ),
  create(
    'a maximum of zero',
    { OnDemandThroughput: { MaxReadRequestUnits: 0 } },
    `${kInvalid}Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range`,
  ),
  create(
    'a maximum of -1',
    { OnDemandThroughput: { MaxWriteRequestUnits: -2 } },
    `${kInvalid}Requested MaxWriteRequestUnits for OnDemandThroughput for table is outside of valid range`,
  ),
  create(
    'a maximum beside units',
    {
      BillingMode: 'PROVISIONED',
      ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
      OnDemandThroughput: { MaxReadRequestUnits: 5 },
    },
    refused([
      `${kInvalid}MaxReadRequestUnits for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED.`,
      `${kInvalid}MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED`,
    ]),
  ),
  create(
    'warm below what every table has',
    { WarmThroughput: { ReadUnitsPerSecond: -1, WriteUnitsPerSecond: -1 } },
    refused(
      /^One or more parameter values were invalid: Requested ReadUnitsPerSecond for WarmThroughput for table is lower than initial throughput for OnDemand\. See: https:\/\/docs\.aws\.amazon\.com\/amazondynamodb\/latest\/developerguide\/on-demand-capacity-mode\.html#on-demand-cap/,
    ),
  ),
  create(
    'warm below its units',
    {
      BillingMode: 'PROVISIONED',
      ProvisionedThroughput: { ReadCapacityUnits: 10, WriteCapacityUnits: 10 },
      WarmThroughput: { ReadUnitsPerSecond: 5, WriteUnitsPerSecond: 10 },
    },
    `${kInvalid}Requested ReadUnitsPerSecond for WarmThroughput for table is lower than ReadCapacityUnits of ProvisionedThroughput`,
  ),
  create(
    'one attribute twice',
    {
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'pk', AttributeType: 'N' },
      ],
    },
    refused(
      /^(One or more parameter values were invalid: )?(Attribute Name is duplicated|Duplicate AttributeName in AttributeDefinitions): pk$/,
    ),
  ),
  create(
    'an index without a name',
    gsi({ IndexName: '' }),
    many(
      longerThan('', 'globalSecondaryIndexes.1.member.indexName', 3),
      ofPattern('', 'globalSecondaryIndexes.1.member.indexName'),
    ),
  ),
  create(
    'an index without a projection',
    gsi({ Projection: undefined }),
    one(notNull('globalSecondaryIndexes.1.member.projection')),
  ),
  create(
    'an index of an unknown projection',
    gsi({ Projection: { ProjectionType: 'all' } }),
    one(oneOf('all', 'globalSecondaryIndexes.1.member.projection.projectionType', 'ALL, INCLUDE, KEYS_ONLY')),
  ),
  create(
    'INCLUDE of nothing',
    gsi({ Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: [] } }),
    one(longerThan('[]', 'globalSecondaryIndexes.1.member.projection.nonKeyAttributes', 1)),
  ),
  create(
    'INCLUDE without attributes',
    gsi({ Projection: { ProjectionType: 'INCLUDE' } }),
    `${kInvalid}ProjectionType is INCLUDE, but NonKeyAttributes is not specified`,
  ),
  create(
    'ALL with attributes',
    gsi({ Projection: { ProjectionType: 'ALL', NonKeyAttributes: ['x'] } }),
    `${kInvalid}ProjectionType is ALL, but NonKeyAttributes is specified`,
  ),
  create(
    'INCLUDE of one twice',
    gsi({ Projection: including('x', 'x') }),
    `${kInvalid}Duplicate element in NonKeyAttributes: x`,
  ),
  create(
    'INCLUDE of 21',
    gsi({ Projection: including(...Array.from({ length: 21 }, (_, at) => `x${at}`)) }),
    refused(
      /at 'globalSecondaryIndexes\.1\.member\.projection\.nonKeyAttributes' failed to satisfy constraint: Member must have length less than or equal to 20$/,
    ),
  ),
  create(
    'a sort key first',
    { AttributeDefinitions: defined('pk', 'sk'), KeySchema: [element('sk', 'RANGE'), element('pk', 'HASH')] },
    'Invalid KeySchema: The first KeySchemaElement is not a HASH key type',
  ),
  create(
    'a sort key first in an index',
    { ...gsi({ KeySchema: [element('g', 'RANGE'), element('pk', 'HASH')] }) },
    'Invalid KeySchema: The first KeySchemaElement is not a HASH key type',
  ),
  create(
    'five partition attributes',
    {
      AttributeDefinitions: defined('pk', 'a', 'b', 'c', 'd', 'e'),
      GlobalSecondaryIndexes: [index('gsi1', ['a', 'b', 'c', 'd', 'e'], undefined, kAll)],
    },
    `${kInvalid}The KeySchema exceeds the maximum allowed number of HASH key attributes`,
  ),
  create(
    'five sort attributes',
    {
      AttributeDefinitions: defined('pk', 'a', 'b', 'c', 'd', 'e'),
      GlobalSecondaryIndexes: [index('gsi1', 'pk', ['a', 'b', 'c', 'd', 'e'], kAll)],
    },
    `${kInvalid}The KeySchema exceeds the maximum allowed number of RANGE key attributes`,
  ),
  create(
    'a partition attribute after a sort attribute',
    {
      AttributeDefinitions: defined('pk', 'a', 'b'),
      GlobalSecondaryIndexes: [
        {
          ...index('gsi1', 'a', undefined, kAll),
          KeySchema: [element('a', 'HASH'), element('b', 'RANGE'), element('pk', 'HASH')],
        },
      ],
    },
    `${kInvalid}All HASH key attributes must precede RANGE key attributes in the KeySchema`,
  ),
  create(
    'one attribute twice in a key',
    { AttributeDefinitions: defined('pk', 'a', 'b'), GlobalSecondaryIndexes: [index('gsi1', ['a', 'a'], 'b', kAll)] },
    'The KeySchema contains multiple key attributes with the same name',
  ),
  create(
    'a definition that nothing uses',
    { AttributeDefinitions: defined('pk', 'g', 'more'), GlobalSecondaryIndexes: [index('gsi1', 'g', undefined, kAll)] },
    refused(
      /^One or more parameter values were invalid: Some AttributeDefinitions are not used\. AttributeDefinitions: \[.*\], keys used: \[.*\]$/,
    ),
  ),
  create(
    'units for an index that are missing',
    { ...gsi({}), BillingMode: 'PROVISIONED', ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 } },
    `${kInvalid}ProvisionedThroughput is not specified for index: gsi1`,
  ),
  {
    name: 'the names before a start',
    operation: 'ListTables',
    input: { ExclusiveStartTableName: '' },
    expect: refused(many(ofPattern('', 'exclusiveStartTableName'), longerThan('', 'exclusiveStartTableName', 3))),
  },
  {
    name: 'three faults in their order',
    operation: 'ListTables',
    input: { ExclusiveStartTableName: 'a;', Limit: 500 },
    expect: refused([many(...kStart, kLimit), many(kLimit, ...kStart)]),
  },
  {
    name: 'a long start',
    operation: 'ListTables',
    input: { ExclusiveStartTableName: 'a'.repeat(256) },
    expect: refused(one(shorterThan('a'.repeat(256), 'exclusiveStartTableName', 255))),
  },
]);
