// Refusals of CreateTable, UpdateTable, DescribeTable, DeleteTable and ListTables, with DynamoDB's messages. The
// messages were captured by ack-api-quirks (October 2026) and the suites of dynalite and ScyllaDB.
import { after, before } from 'node:test';
import { kInvalid, one, refused, runCases } from '../harness/cases.mjs';
import { atLeast, longerThan, many, notNull, ofPattern, oneOf, shorterThan } from '../harness/constraints.mjs';
import { createTable, deleteTable } from '../harness/lifecycle.mjs';
import { index, kAbsent, kAll, name, table } from '../harness/tables.mjs';

const kDemand = name('changes-demand'); // on demand, with the global index gsi1 and the local index lsi1
const kUnits = name('changes-units'); // 5 and 6 units, gsi1 with 2 and 2
const kPlain = name('changes-plain'); // on demand, nothing else
const units = (ReadCapacityUnits, WriteCapacityUnits) => ({
  ProvisionedThroughput: { ReadCapacityUnits, WriteCapacityUnits },
});
const warm = (ReadUnitsPerSecond, WriteUnitsPerSecond) => ({
  WarmThroughput: { ReadUnitsPerSecond, WriteUnitsPerSecond },
});
const indexed = (TableName) =>
  table(TableName, { pk: 'S', sk: 'S', g: 'S', l: 'S' }, 'pk', 'sk', {
    GlobalSecondaryIndexes: [index('gsi1', 'g', undefined, kAll)],
    LocalSecondaryIndexes: [index('lsi1', 'pk', 'l', kAll)],
  });

before(async () => {
  const provisioned = indexed(kUnits);
  provisioned.GlobalSecondaryIndexes[0] = { ...provisioned.GlobalSecondaryIndexes[0], ...units(2, 2) };
  await Promise.all([
    createTable(indexed(kDemand)),
    createTable({ ...provisioned, BillingMode: 'PROVISIONED', ...units(5, 6) }),
    createTable(table(kPlain, { pk: 'S' }, 'pk')),
  ]);
});
after(() => Promise.all([kDemand, kUnits, kPlain].map(deleteTable)));

const notFound = (message) => ({
  error: 'ResourceNotFoundException',
  message: `Requested resource not found: ${message}`,
});
const limitExceeded = (message) => ({
  error: 'LimitExceededException',
  message: `Subscriber limit exceeded: ${message}`,
});

const changes = (operation) => (caseName, input, expect) => ({
  name: caseName,
  operation,
  input,
  expect: typeof expect === 'string' || expect instanceof RegExp ? refused(expect) : expect,
});
const update = changes('UpdateTable');
const withDefinitions = (...names) => ({
  AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
});
const updates = (...GlobalSecondaryIndexUpdates) => ({ GlobalSecondaryIndexUpdates });
const updated = (IndexName, more) => updates({ Update: { IndexName, ...more } });
const added = (IndexName, key = 'x') => ({ Create: index(IndexName, key, undefined, kAll) });
const dropped = (IndexName) => ({ Delete: { IndexName } });

// ---- Table names.
for (const operation of ['DescribeTable', 'DeleteTable', 'UpdateTable', 'DescribeTimeToLive', 'UpdateTimeToLive']) {
  const more =
    operation === 'UpdateTable'
      ? { BillingMode: 'PAY_PER_REQUEST' }
      : operation === 'UpdateTimeToLive'
        ? { TimeToLiveSpecification: { AttributeName: 'id', Enabled: true } }
        : {};
  const named = changes(operation);
  runCases(`${operation}, names`, [
    named('none', { ...more }, "The parameter 'TableName' is required but was not present in the request"),
    named('an empty one', { TableName: '', ...more }, many(longerThan('', 'tableName', 3), ofPattern('', 'tableName'))),
    named('one of two letters', { TableName: 'ab', ...more }, one(longerThan('ab', 'tableName', 3))),
    named('one with other characters', { TableName: 'abc;', ...more }, one(ofPattern('abc;', 'tableName'))),
    named('one that is nowhere', { TableName: kAbsent, ...more }, notFound(`Table: ${kAbsent} not found`)),
  ]);
}

const kSomething =
  'At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, ' +
  'SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, ' +
  'DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required';
const kOnlyOne = (what) => `${kInvalid}${what} must be the only operation in the request`;
const kDecrease = (unit, where) =>
  `${kInvalid}Requested ${unit} for WarmThroughput for ${where} is lower than current WarmThroughput, decreasing ` +
  'WarmThroughput is not supported';
runCases('UpdateTable, what is asked', [
  update('nothing', { TableName: kPlain }, kSomething),
  update('nothing, of no table', { TableName: kAbsent }, kSomething),
  update('no index updates', { TableName: kPlain, ...updates() }, kSomething),
  update('definitions alone', { TableName: kPlain, ...withDefinitions('pk') }, kSomething),
  update(
    'encryption beside protection',
    { TableName: kPlain, SSESpecification: { Enabled: true }, DeletionProtectionEnabled: false },
    kOnlyOne('Server-Side Encryption modification'),
  ),
  update(
    'the class beside protection',
    { TableName: kPlain, TableClass: 'STANDARD', DeletionProtectionEnabled: false },
    kOnlyOne('TableClass modification'),
  ),
  update(
    'the class beside encryption',
    { TableName: kPlain, TableClass: 'STANDARD', SSESpecification: { Enabled: true } },
    kOnlyOne('Server-Side Encryption modification'),
  ),
  update(
    'protection beside the billing mode',
    { TableName: kPlain, BillingMode: 'PAY_PER_REQUEST', DeletionProtectionEnabled: false },
    kOnlyOne('DeletionProtection modification'),
  ),
  update(
    'warm throughput beside protection',
    { TableName: kPlain, ...warm(12000, 4000), DeletionProtectionEnabled: false },
    kOnlyOne('DeletionProtection modification'),
  ),
  update(
    'warm throughput beside the billing mode',
    { TableName: kPlain, ...warm(12000, 4000), BillingMode: 'PAY_PER_REQUEST' },
    kOnlyOne('WarmThroughput'),
  ),
  update(
    'a maximum beside protection',
    { TableName: kPlain, OnDemandThroughput: { MaxReadRequestUnits: 10 }, DeletionProtectionEnabled: false },
    kOnlyOne('DeletionProtection modification'),
  ),
  update(
    'a maximum beside a stream',
    {
      TableName: kPlain,
      OnDemandThroughput: { MaxReadRequestUnits: 10 },
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
    },
    `${kInvalid}OnDemandThroughput can only be combined with BillingMode in an UpdateTable request`,
  ),
  update(
    'a stream beside units',
    {
      TableName: kUnits,
      ...units(7, 8),
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
    },
    `${kInvalid}You cannot modify stream status while updating table IOPS`,
  ),
  update(
    'an index beside units',
    { TableName: kUnits, ...units(7, 8), ...updates(dropped('gsi1')) },
    `${kInvalid}You cannot create or delete index while updating table IOPS`,
  ),
  update(
    'an index beside a stream',
    {
      TableName: kDemand,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
      ...updates(dropped('gsi1')),
    },
    `${kInvalid}You cannot create or delete index while changing stream status`,
  ),
]);

runCases('UpdateTable, throughput', [
  update(
    'units that are missing',
    { TableName: kUnits, ProvisionedThroughput: {} },
    many(notNull('provisionedThroughput.writeCapacityUnits'), notNull('provisionedThroughput.readCapacityUnits')),
  ),
  update(
    'one that is missing',
    { TableName: kUnits, ProvisionedThroughput: { ReadCapacityUnits: 4 } },
    one(notNull('provisionedThroughput.writeCapacityUnits')),
  ),
  update(
    'units below one',
    { TableName: kUnits, ...units(-1, -1) },
    many(
      atLeast('-1', 'provisionedThroughput.writeCapacityUnits'),
      atLeast('-1', 'provisionedThroughput.readCapacityUnits'),
    ),
  ),
  update(
    'one below, one above',
    { TableName: kUnits, ...units(1000000000001, -1) },
    one(atLeast('-1', 'provisionedThroughput.writeCapacityUnits')),
  ),
  update(
    'both above',
    { TableName: kUnits, ...units(1000000000001, 1000000000001) },
    'Given value 1000000000001 for ReadCapacityUnits is out of bounds',
  ),
  update(
    'writes above',
    { TableName: kUnits, ...units(1000000000000, 1000000000001) },
    'Given value 1000000000001 for WriteCapacityUnits is out of bounds',
  ),
  update(
    'provisioned, the same units',
    { TableName: kUnits, BillingMode: 'PROVISIONED', ...units(5, 6) },
    /^The provisioned throughput for the table will not change\. The requested value equals the current value\. Current ReadCapacityUnits provisioned for the table: 5\. /,
  ),
  update(
    'provisioned without units',
    { TableName: kUnits, BillingMode: 'PROVISIONED' },
    `${kInvalid}ProvisionedThroughput must be specified when BillingMode is PROVISIONED`,
  ),
  update(
    'the same units of an index',
    { TableName: kUnits, ...updated('gsi1', units(2, 2)) },
    'The provisioned throughput for the index gsi1 will not change. The requested value equals the current value. ' +
      'Current ReadCapacityUnits provisioned for index gsi1: 2. Requested ReadCapacityUnits: 2. ' +
      'Current WriteCapacityUnits provisioned for index gsi1: 2. Requested WriteCapacityUnits: 2. ' +
      'Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.',
  ),
  update(
    'provisioned, without the index',
    { TableName: kDemand, BillingMode: 'PROVISIONED', ...units(1, 1) },
    `${kInvalid}ProvisionedThroughput must be specified for index: gsi1`,
  ),
  update(
    'on demand, with units',
    { TableName: kUnits, BillingMode: 'PAY_PER_REQUEST', ...units(5, 6) },
    {
      error: 'ValidationException',
      message: [
        `${kInvalid}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST`,
        `${kInvalid}ProvisionedThroughput cannot be specified when BillingMode is PAY_PER_REQUEST`,
      ],
    },
  ),
  update(
    'a maximum where there are units',
    { TableName: kUnits, OnDemandThroughput: { MaxReadRequestUnits: 10 } },
    `${kInvalid}MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED`,
  ),
  ...[0, -2].map((maximum) =>
    update(
      `a maximum of ${maximum}`,
      { TableName: kPlain, OnDemandThroughput: { MaxReadRequestUnits: maximum, MaxWriteRequestUnits: maximum } },
      `${kInvalid}Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range`,
    ),
  ),
  update(
    'a maximum of writes',
    { TableName: kPlain, OnDemandThroughput: { MaxWriteRequestUnits: 0 } },
    `${kInvalid}Requested MaxWriteRequestUnits for OnDemandThroughput for table is outside of valid range`,
  ),
  ...[
    ['zero', warm(0, 0)],
    ['negative', warm(-1, -1)],
    ['one negative', { WarmThroughput: { ReadUnitsPerSecond: -1 } }],
    ['lower', warm(11999, 4000)],
  ].map(([what, more]) =>
    update(`warm, ${what}`, { TableName: kPlain, ...more }, kDecrease('ReadUnitsPerSecond', 'table')),
  ),
  update('warm, lower writes', { TableName: kPlain, ...warm(12000, 3999) }, kDecrease('WriteUnitsPerSecond', 'table')),
  update(
    'warm, lower in an index',
    { TableName: kDemand, ...updated('gsi1', warm(100, 100)) },
    kDecrease('ReadUnitsPerSecond', 'index gsi1'),
  ),
  update(
    'warm, nothing of an index',
    { TableName: kDemand, ...updated('gsi1', { WarmThroughput: {} }) },
    `${kInvalid}WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified for index: gsi1`,
  ),
  update(
    'warm, nothing of no index',
    { TableName: kDemand, ...updated('ghost', { WarmThroughput: {} }) },
    `${kInvalid}WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified for index: ghost`,
  ),
]);

runCases('UpdateTable, indexes', [
  update(
    'an update that is empty',
    { TableName: kDemand, ...updates({ Update: {} }) },
    one(notNull('globalSecondaryIndexUpdates.1.member.update.indexName')),
  ),
  update(
    'units of an index that are missing',
    { TableName: kDemand, ...updated('gsi1', { ProvisionedThroughput: {} }) },
    many(
      notNull('globalSecondaryIndexUpdates.1.member.update.provisionedThroughput.writeCapacityUnits'),
      notNull('globalSecondaryIndexUpdates.1.member.update.provisionedThroughput.readCapacityUnits'),
    ),
  ),
  update(
    'units of an index on demand',
    { TableName: kDemand, ...updated('gsi1', units(1, 1)) },
    {
      error: 'ValidationException',
      message: [
        `${kInvalid}The only Updates for index: gsi1 when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput`,
        `${kInvalid}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: gsi1 when BillingMode is PAY_PER_REQUEST`,
      ],
    },
  ),
  ...[
    ['nothing of an index', {}],
    ['an empty maximum of an index', { OnDemandThroughput: {} }],
  ].map(([what, more]) =>
    update(
      what,
      { TableName: kDemand, ...updated('gsi1', more) },
      `${kInvalid}The only Updates for index: gsi1 when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput`,
    ),
  ),
  update(
    'a maximum of an index of zero',
    { TableName: kDemand, ...updated('gsi1', { OnDemandThroughput: { MaxReadRequestUnits: 0 } }) },
    `${kInvalid}Requested MaxReadRequestUnits for OnDemandThroughput for index : gsi1 is outside of valid range`,
  ),
  update(
    'a maximum of no index',
    { TableName: kDemand, ...updated('ghost', { OnDemandThroughput: {} }) },
    notFound(`Index ghost for table ${kDemand}`),
  ),
  update(
    'units of no index',
    { TableName: kUnits, ...updated('ghost', units(1, 1)) },
    notFound(`Index ghost for table ${kUnits}`),
  ),
  update(
    'no index to delete',
    { TableName: kDemand, ...updates(dropped('ghost')) },
    notFound(`Index ghost for table ${kDemand}`),
  ),
  update(
    'a local index to delete',
    { TableName: kDemand, ...updates(dropped('lsi1')) },
    'Cannot delete an index that is not a GlobalSecondaryIndex: lsi1',
  ),
  update(
    'a local index to update',
    { TableName: kUnits, ...updated('lsi1', units(1, 1)) },
    'Cannot update an index that is not a GlobalSecondaryIndex: lsi1',
  ),
  update(
    'a name that is taken',
    { TableName: kDemand, ...withDefinitions('x'), ...updates(added('gsi1')) },
    'Attempting to create an index which already exists',
  ),
  update(
    'a name that is taken, with a key that is not defined',
    { TableName: kDemand, ...updates(added('gsi1', 'nowhere')) },
    { error: 'ValidationException' },
  ),
  update(
    'the name of a local index',
    { TableName: kDemand, ...withDefinitions('x'), ...updates(added('lsi1')) },
    'Attempting to create an index which already exists',
  ),
  update(
    'no definitions',
    { TableName: kDemand, ...updates(added('gsi2', 'g')) },
    `${kInvalid}AttributeDefinitions is not specified for index: gsi2`,
  ),
  update(
    'two at a time',
    { TableName: kDemand, ...withDefinitions('x'), ...updates(added('gsi2'), added('gsi3')) },
    limitExceeded('Only 1 online index can be created or deleted simultaneously per table'),
  ),
  update(
    'two to delete at a time',
    { TableName: kDemand, ...updates(dropped('gsi1'), dropped('gsi2')) },
    limitExceeded('Only 1 online index can be created or deleted simultaneously per table'),
  ),
  update(
    'one to create, one to delete',
    { TableName: kDemand, ...withDefinitions('x'), ...updates(added('gsi2'), dropped('gsi1')) },
    limitExceeded('Only 1 online index can be created or deleted simultaneously per table'),
  ),
  update(
    'two actions in one',
    { TableName: kDemand, ...withDefinitions('x'), ...updates({ ...added('gsi2'), ...dropped('gsi1') }) },
    `${kInvalid}Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object`,
  ),
  update(
    'no action in one',
    { TableName: kDemand, ...updates({}) },
    `${kInvalid}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null`,
  ),
  update(
    'one index twice',
    { TableName: kDemand, ...updates(dropped('gsi1'), dropped('gsi1')) },
    `${kInvalid}Only one global secondary index update per index is allowed simultaneously. Index: gsi1`,
  ),
  update(
    'an attribute of another type',
    {
      TableName: kDemand,
      AttributeDefinitions: [{ AttributeName: 'g', AttributeType: 'N' }],
      ...updates(added('gsi2', 'g')),
    },
    `${kInvalid}Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. Existing schema: Schema:[SchemaElement: key{g:S:HASH}] New schema: Schema:[SchemaElement: key{g:N:HASH}]`,
  ),
  update(
    'a name of 256',
    { TableName: kDemand, ...withDefinitions('x'), ...updates(added('n'.repeat(256))) },
    one(shorterThan('n'.repeat(256), 'globalSecondaryIndexUpdates.1.member.create.indexName', 255)),
  ),
]);

runCases('UpdateTable, streams, class, encryption', [
  update(
    'a stream without a view',
    { TableName: kPlain, StreamSpecification: { StreamEnabled: true } },
    `${kInvalid}If stream is being enabled then UpdateViewType is required`,
  ),
  update(
    'no stream, with a view',
    { TableName: kPlain, StreamSpecification: { StreamEnabled: false, StreamViewType: 'KEYS_ONLY' } },
    `${kInvalid}If stream is being disabled, then UpdateViewType must not be specified`,
  ),
  update(
    'no stream to disable',
    { TableName: kPlain, StreamSpecification: { StreamEnabled: false } },
    `Table has no stream to disable: TableName: ${kPlain}`,
  ),
  ...['', 'Fisk'].map((view) =>
    update(
      `the view "${view}"`,
      { TableName: kPlain, StreamSpecification: { StreamEnabled: true, StreamViewType: view } },
      one(oneOf(view, 'streamSpecification.streamViewType', 'OLD_IMAGE, KEYS_ONLY, NEW_AND_OLD_IMAGES, NEW_IMAGE')),
    ),
  ),
  ...['junk', 'standard'].map((TableClass) =>
    update(
      `the class ${TableClass}`,
      { TableName: kPlain, TableClass },
      'Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS].',
    ),
  ),
  update(
    'encryption that is there already',
    { TableName: kPlain, SSESpecification: { Enabled: false } },
    `${kInvalid}Table is already encrypted by default`,
  ),
  update(
    'a type of encryption that is off',
    { TableName: kPlain, SSESpecification: { Enabled: false, SSEType: 'KMS' } },
    `${kInvalid}SSEType can not be specified if Enabled is false`,
  ),
  update(
    'encryption by AES256',
    { TableName: kPlain, SSESpecification: { Enabled: true, SSEType: 'AES256' } },
    `${kInvalid}SSEType AES256 is not supported`,
  ),
  update(
    'an empty key',
    { TableName: kPlain, SSESpecification: { Enabled: true, SSEType: 'KMS', KMSMasterKeyId: '' } },
    one(longerThan('', 'sSESpecification.kMSMasterKeyId', 1)),
  ),
  update(
    'definitions that are empty',
    { TableName: kPlain, DeletionProtectionEnabled: false, AttributeDefinitions: [{}] },
    many(
      notNull('attributeDefinitions.1.member.attributeType'),
      notNull('attributeDefinitions.1.member.attributeName'),
    ),
  ),
  update(
    'a definition without a type',
    {
      TableName: kPlain,
      DeletionProtectionEnabled: false,
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: '' }],
    },
    one(oneOf('', 'attributeDefinitions.1.member.attributeType', 'B, N, S')),
  ),
]);
