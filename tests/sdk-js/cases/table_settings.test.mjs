// Refusals of the operations on a table's tags, time to live, backups, policies, insights, destinations and exports.
// The messages were captured by ack-api-quirks (October 2026) and the suites of dynalite, ScyllaDB and
// nubo-db/dynamodb-conformance.
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { expectError, kInvalid, one, refused, runCases } from '../harness/cases.mjs';
import { assertMatches } from '../harness/match.mjs';
import { atLeast, longerThan, many, notNull, ofPattern, oneOf, shorterThan } from '../harness/constraints.mjs';
import { createTable, deleteTable } from '../harness/lifecycle.mjs';
import { index, kAll, name, table } from '../harness/tables.mjs';

const kSet = name('settings');
const kIndexed = name('settings-indexed');
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

// A case as a function of the table's ARN, which is unknown until the tables exist.
const asked = (operation, caseName, input, expect) =>
  test(`${operation}: ${caseName}`, () =>
    expectError(
      operation,
      typeof input === 'function' ? input() : input,
      typeof expect === 'function' ? expect() : typeof expect === 'string' ? refused(expect) : expect,
    ));
const notFound = (message) => ({
  error: 'ResourceNotFoundException',
  message: `Requested resource not found: ${message}`,
});

const kNoTag = 'The Tag Key provided is invalid, Key: ';
describe('tags', { concurrency: 4 }, () => {
  const tag = (caseName, Tags, expect) => asked('TagResource', caseName, () => ({ ResourceArn: arn, Tags }), expect);
  tag('nothing', [], 'Atleast one Tag needs to be provided as Input.');
  tag('an empty one', [{}], `${kNoTag}null`);
  tag('a value alone', [{ Value: 'x' }], `${kNoTag}null`);
  tag('a key alone', [{ Key: 'x' }], 'The Tag Value provided is invalid, Value: null');
  tag(
    'an empty key',
    [{ Key: '', Value: 'x' }],
    refused(
      /^(The Tag Key provided is invalid, Key: |1 validation error detected: Value '' at 'tags\.1\.member\.key' failed)/,
    ),
  );
  for (const wrong of ['hi!', 'd%g', '"hello"', '->>;-)])']) {
    tag(`the key ${wrong}`, [{ Key: wrong, Value: 'dog' }], `${kNoTag}${wrong}`);
    tag(`the value ${wrong}`, [{ Key: 'dog', Value: wrong }], `The Tag Value provided is invalid, Value: ${wrong}`);
  }
  tag('a key of 129', [{ Key: 'x'.repeat(129), Value: 'dog' }], { error: 'ValidationException' });
  tag('a value of 257', [{ Key: 'dog', Value: 'x'.repeat(257) }], { error: 'ValidationException' });
  tag('a key of AWS', [{ Key: 'aws:mine', Value: 'x' }], 'Tag Key cannot be prefixed with aws:, Key: aws:mine');
  tag(
    'one key twice',
    [
      { Key: 'a', Value: '1' },
      { Key: 'a', Value: '2' },
    ],
    'Duplicate Tag Keys provided as input: Duplicate Tag Key found a',
  );
  tag(
    '51 of them',
    Array.from({ length: 51 }, (_, at) => ({ Key: `k${at}`, Value: '' })),
    'Number of Tags exceed the current limit for the provided ResourceArn',
  );
  asked(
    'UntagResource',
    'nothing',
    () => ({ ResourceArn: arn, TagKeys: [] }),
    'Atleast one Tag Key needs to be provided as Input.',
  );
  asked('UntagResource', 'an empty key', () => ({ ResourceArn: arn, TagKeys: [''] }), kNoTag);
  for (const operation of ['ListTagsOfResource', 'TagResource', 'UntagResource']) {
    const more =
      operation === 'TagResource'
        ? { Tags: [{ Key: 'a', Value: 'b' }] }
        : operation === 'UntagResource'
          ? { TagKeys: ['a'] }
          : {};
    asked(
      operation,
      'of a name',
      () => ({ ResourceArn: 'I_do_not_exist', ...more }),
      `${kInvalid}ARNs must start with 'arn:': I_do_not_exist`,
    );
    asked(
      operation,
      'of an index',
      () => ({ ResourceArn: `${arn}/index/gsi1`, ...more }),
      () =>
        refused(
          `${kInvalid}Invalid resource arn provided, only table or stream is accepted. Provided resource arn: ${arn}/index/gsi1`,
        ),
    );
    asked(
      operation,
      'of another service',
      () => ({ ResourceArn: 'arn:aws:sqs:us-east-1:000000000000:queue', ...more }),
      `${kInvalid}Provided Arn is not a DynamoDB resource arn: arn:aws:sqs:us-east-1:000000000000:queue`,
    );
    asked(
      operation,
      'of a table that is nowhere',
      () => ({ ResourceArn: `${arn}x`, ...more }),
      () =>
        operation === 'UntagResource'
          ? { ...notFound(''), message: 'Requested resource not found' }
          : notFound(`ResourcArn: ${arn}x not found`),
    );
  }
  test('of any language, as long as they may be', async () => {
    const Tags = [
      { Key: 'законные буквы', Value: 'ѮѮѮvalue' },
      { Key: 'א'.repeat(128), Value: 'א'.repeat(256) },
      { Key: ' ', Value: '9' },
      { Key: '7', Value: ' ' },
      { Key: 'empty', Value: '' },
    ];
    await call('TagResource', { ResourceArn: arn, Tags });
    const { Tags: found } = await call('ListTagsOfResource', { ResourceArn: arn });
    for (const tag of Tags)
      assert.ok(
        found.some((one) => one.Key === tag.Key && one.Value === tag.Value),
        tag.Key,
      );
    await call('UntagResource', { ResourceArn: arn, TagKeys: Tags.map((one) => one.Key) });
  });
});

const kTtl = 'timeToLiveSpecification';
runCases('time to live, more that is refused', [
  ...[
    ['nothing', {}, many(notNull(`${kTtl}.attributeName`), notNull(`${kTtl}.enabled`))],
    ['no attribute', { Enabled: true }, one(notNull(`${kTtl}.attributeName`))],
    ['neither on nor off', { AttributeName: 'hello' }, one(notNull(`${kTtl}.enabled`))],
    ['an empty attribute', { AttributeName: '', Enabled: true }, one(longerThan('', `${kTtl}.attributeName`, 1))],
    [
      'an attribute of 256',
      { AttributeName: 'x'.repeat(256), Enabled: true },
      one(shorterThan('x'.repeat(256), `${kTtl}.attributeName`, 255)),
    ],
  ].map(([caseName, TimeToLiveSpecification, message]) => ({
    name: caseName,
    operation: 'UpdateTimeToLive',
    input: { TableName: kSet, TimeToLiveSpecification },
    expect: refused(message),
  })),
]);
describe('time to live', () => {
  test('of another attribute is refused, on and off', async () => {
    const set = (Enabled, AttributeName) => ({
      TableName: kIndexed,
      TimeToLiveSpecification: { Enabled, AttributeName },
    });
    await call('UpdateTimeToLive', set(true, 'ttl'));
    const other = refused('TimeToLive is active on a different AttributeName: current AttributeName is ttl');
    await expectError('UpdateTimeToLive', set(true, 'new'), other);
    await expectError('UpdateTimeToLive', set(false, 'dog'), other);
    await expectError('UpdateTimeToLive', set(true, 'ttl'), refused('TimeToLive is already enabled'));
    assertMatches(await call('UpdateTimeToLive', set(false, 'ttl')), { TimeToLiveSpecification: { Enabled: false } });
  });
});

const kRecovery = 'pointInTimeRecoverySpecification';
const recovery = (caseName, PointInTimeRecoverySpecification, message) => ({
  name: caseName,
  operation: 'UpdateContinuousBackups',
  input: { TableName: kSet, PointInTimeRecoverySpecification },
  expect: refused(message),
});
const simple = (operation, caseName, input, expect) => ({
  name: caseName,
  operation,
  input,
  expect: typeof expect === 'string' ? refused(expect) : expect,
});
const kBackup = 'arn:aws:dynamodb:us-east-1:000000000000:table/nowhere/backup/01658528578619-c4d4e311';
const restore = (caseName, change, message) =>
  simple(
    'RestoreTableFromBackup',
    caseName,
    { TargetTableName: name('never-made'), BackupArn: kBackup, ...change },
    message,
  );
runCases('backups and restores, more that is refused', [
  recovery('nothing', {}, one(notNull(`${kRecovery}.pointInTimeRecoveryEnabled`))),
  recovery(
    'no days',
    { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 0 },
    one(atLeast('0', `${kRecovery}.recoveryPeriodInDays`)),
  ),
  recovery(
    'no days, off',
    { PointInTimeRecoveryEnabled: false, RecoveryPeriodInDays: 0 },
    one(atLeast('0', `${kRecovery}.recoveryPeriodInDays`)),
  ),
  recovery(
    'days below zero',
    { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: -1 },
    one(atLeast('-1', `${kRecovery}.recoveryPeriodInDays`)),
  ),
  recovery(
    'days of what is off',
    { PointInTimeRecoveryEnabled: false, RecoveryPeriodInDays: 3 },
    'Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.',
  ),
  simple(
    'CreateBackup',
    'an empty name',
    { TableName: kSet, BackupName: '' },
    many(ofPattern('', 'backupName'), longerThan('', 'backupName', 3)),
  ),
  ...['DescribeBackup', 'DeleteBackup'].map((operation) =>
    simple(operation, 'an empty ARN', { BackupArn: '' }, 'Invalid Backup ARN'),
  ),
  simple('ListBackups', 'a limit of zero', { Limit: 0 }, one(atLeast('0', 'limit'))),
  simple(
    'ListBackups',
    'an end before the beginning',
    { TimeRangeLowerBound: new Date(2e12), TimeRangeUpperBound: new Date(1e12) },
    `${kInvalid}Time range lower bound must be less than or equal to upper bound`,
  ),
  restore(
    'an empty target',
    { TargetTableName: '' },
    'TableName must be at least 3 characters long and at most 255 characters long',
  ),
  restore(
    'an empty mode',
    { BillingModeOverride: '' },
    one(oneOf('', 'billingModeOverride', 'PROVISIONED, PAY_PER_REQUEST')),
  ),
  restore(
    'no units',
    { ProvisionedThroughputOverride: {} },
    many(
      notNull('provisionedThroughputOverride.writeCapacityUnits'),
      notNull('provisionedThroughputOverride.readCapacityUnits'),
    ),
  ),
  restore(
    'an empty index',
    { GlobalSecondaryIndexOverride: [{}] },
    many(
      ...['indexName', 'keySchema', 'projection'].map((member) =>
        notNull(`globalSecondaryIndexOverride.1.member.${member}`),
      ),
    ),
  ),
  restore(
    'an empty local index',
    { LocalSecondaryIndexOverride: [{}] },
    many(
      ...['indexName', 'keySchema', 'projection'].map((member) =>
        notNull(`localSecondaryIndexOverride.1.member.${member}`),
      ),
    ),
  ),
  restore(
    'an empty key of encryption',
    { SSESpecificationOverride: { Enabled: true, SSEType: 'KMS', KMSMasterKeyId: '' } },
    one(longerThan('', 'sSESpecificationOverride.kMSMasterKeyId', 1)),
  ),
  simple(
    'RestoreTableToPointInTime',
    'two times',
    {
      SourceTableName: kSet,
      TargetTableName: name('never-made'),
      UseLatestRestorableTime: true,
      RestoreDateTime: new Date(),
    },
    'Invalid Request: Both RestoreDateTime and UseLatestRestorableTime cannot be set for point-in-time restore request. Please specify either RestoreDateTime time or UseLatestRestorableTime',
  ),
  simple(
    'RestoreTableToPointInTime',
    'no source',
    { TargetTableName: name('never-made'), UseLatestRestorableTime: true },
    "The parameter 'TableName' is required but was not present in the request",
  ),
  simple(
    'DescribeContinuousBackups',
    'no table',
    {},
    "The parameter 'TableName' is required but was not present in the request",
  ),
]);

runCases('insights, destinations, global tables and exports, more that is refused', [
  simple(
    'UpdateContributorInsights',
    'an empty action',
    { TableName: kSet, ContributorInsightsAction: '' },
    one(oneOf('', 'contributorInsightsAction', 'ENABLE, DISABLE')),
  ),
  simple(
    'UpdateContributorInsights',
    'an empty mode',
    { TableName: kSet, ContributorInsightsAction: 'ENABLE', ContributorInsightsMode: '' },
    one(oneOf('', 'contributorInsightsMode', 'THROTTLED_KEYS, ACCESSED_AND_THROTTLED_KEYS')),
  ),
  simple(
    'UpdateContributorInsights',
    'an empty index',
    { TableName: kSet, IndexName: '', ContributorInsightsAction: 'ENABLE' },
    'IndexName must be at least 3 characters long and at most 255 characters long',
  ),
  simple(
    'DescribeContributorInsights',
    'an empty index',
    { TableName: kSet, IndexName: '' },
    'IndexName must be at least 3 characters long and at most 255 characters long',
  ),
  simple(
    'EnableKinesisStreamingDestination',
    'an empty ARN',
    { TableName: kSet, StreamArn: '' },
    one(longerThan('', 'streamArn', 37)),
  ),
  simple(
    'DescribeGlobalTable',
    'an empty name',
    { GlobalTableName: '' },
    'TableName must be at least 3 characters long and at most 255 characters long',
  ),
  simple(
    'DescribeGlobalTableSettings',
    'an empty name',
    { GlobalTableName: '' },
    'TableName must be at least 3 characters long and at most 255 characters long',
  ),
  simple(
    'UpdateGlobalTable',
    'an empty update',
    { GlobalTableName: kSet, ReplicaUpdates: [{}] },
    'One or more parameter values were invalid',
  ),
  simple(
    'UpdateGlobalTableSettings',
    'an empty update',
    { GlobalTableName: kSet, ReplicaSettingsUpdate: [{}] },
    one(notNull('replicaSettingsUpdate.1.member.regionName')),
  ),
  simple(
    'ExportTableToPointInTime',
    'an empty ARN',
    { TableArn: '', S3Bucket: 'bucket' },
    'Invalid TableArn: Invalid Table ARN',
  ),
  simple(
    'ImportTable',
    'options of another format',
    {
      S3BucketSource: { S3Bucket: 'bucket' },
      InputFormat: 'DYNAMODB_JSON',
      InputFormatOptions: { Csv: { Delimiter: ',' } },
      TableCreationParameters: table(name('never-made'), { pk: 'S' }, 'pk'),
    },
    'Invalid Request: Unsupported InputFormatOptions for the given input format: DYNAMODB_JSON.',
  ),
]);

describe('resource policies, more that is refused', { concurrency: 4 }, () => {
  const put = (caseName, Policy, message) =>
    asked(
      'PutResourcePolicy',
      caseName,
      () => ({ ResourceArn: arn, Policy }),
      `${kInvalid}Invalid policy document: ${message}`,
    );
  put('nothing', '', 'This policy contains invalid Json');
  put('a list', '[]', 'This policy contains invalid Json');
  put('an empty object', '{}', 'Syntax error at position (1,3)');
  put('null', 'null', 'This text appears not to be a policy');
  put('an empty statement', '{"Version":"2012-10-17","Statement":[{}]}', 'Missing required field Effect');
  put('no statements', '{"Version":"2012-10-17","Statement":[]}', 'Could not parse the policy: Statement is empty!');
  asked(
    'DeleteResourcePolicy',
    'an empty revision',
    () => ({ ResourceArn: arn, ExpectedRevisionId: '' }),
    one(longerThan('', 'expectedRevisionId', 1)),
  );
  asked(
    'GetResourcePolicy',
    'of an index',
    () => ({ ResourceArn: `${arn}/index/gsi1` }),
    () =>
      refused(
        `${kInvalid}Invalid resource arn provided, only table or stream is accepted. Provided resource arn: ${arn}/index/gsi1`,
      ),
  );
  asked(
    'GetResourcePolicy',
    'of another service',
    { ResourceArn: 'arn:aws:sqs:us-east-1:000000000000:queue' },
    `${kInvalid}Provided Arn is not a DynamoDB resource arn: arn:aws:sqs:us-east-1:000000000000:queue`,
  );
});
