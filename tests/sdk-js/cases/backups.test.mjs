// Backups, point-in-time recovery and restores.
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { runCases, expectError, one, refused } from '../harness/cases.mjs';
import { assertMatches, exact, matches } from '../harness/match.mjs';
import { createTable, deleteTable, waitUntilActive } from '../harness/lifecycle.mjs';
import { isRealService } from '../harness/endpoint.mjs';
import { kAbsent, name, table } from '../harness/tables.mjs';

const source = name('backed-up');
const restored = name('restored');
const recovered = name('recovered');
let backupArn;
before(async () => {
  await createTable(table(source, { pk: 'S' }, 'pk'));
  await call('PutItem', { TableName: source, Item: { pk: { S: 'a' }, v: { N: '1' } } });
});
after(async () => {
  for (const table of [restored, recovered]) await waitUntilActive(table).catch(() => {});
  await Promise.all([deleteTable(source), deleteTable(restored), deleteTable(recovered)]);
});

async function available(BackupArn) {
  for (let attempt = 0; attempt < 2400; attempt++) {
    const { BackupDescription } = await call('DescribeBackup', { BackupArn });
    if (BackupDescription.BackupDetails.BackupStatus === 'AVAILABLE') return BackupDescription;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${BackupArn} did not become available`);
}
// DynamoDB needs some time after a table is created.
async function patiently(operation, input) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await call(operation, input);
    } catch (error) {
      if (!isRealService || error.name !== 'ContinuousBackupsUnavailableException' || attempt === 30) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

describe('a backup', () => {
  test('is created, described, listed, restored and deleted', async () => {
    const { BackupDetails } = await patiently('CreateBackup', { TableName: source, BackupName: 'nightly' });
    backupArn = BackupDetails.BackupArn;
    assertMatches(BackupDetails, {
      BackupArn: matches(/^arn:aws:dynamodb:[^:]+:\d{12}:table\/[^/]+\/backup\/\d{14}-[0-9a-f]{8}$/),
      BackupName: 'nightly',
      BackupStatus: matches(/^(CREATING|AVAILABLE)$/),
      BackupType: 'USER',
    });
    assertMatches(await available(backupArn), {
      SourceTableDetails: { TableName: source, BillingMode: 'PAY_PER_REQUEST' },
      SourceTableFeatureDetails: exact({}),
    });
    const { BackupSummaries } = await call('ListBackups', { TableName: source });
    assert.deepEqual(
      BackupSummaries.map((summary) => summary.BackupArn),
      [backupArn],
    );
    assertMatches(await call('RestoreTableFromBackup', { TargetTableName: restored, BackupArn: backupArn }), {
      TableDescription: {
        TableName: restored,
        TableStatus: 'CREATING',
        RestoreSummary: { SourceBackupArn: backupArn, RestoreInProgress: true },
      },
    });
    await waitUntilActive(restored);
    assertMatches(await call('GetItem', { TableName: restored, Key: { pk: { S: 'a' } } }), { Item: { v: { N: '1' } } });
    await expectError(
      'RestoreTableFromBackup',
      { TargetTableName: source, BackupArn: backupArn },
      { error: 'TableAlreadyExistsException', message: `Table already exists: ${source}` },
    );
    assertMatches(await call('DeleteBackup', { BackupArn: backupArn }), {
      BackupDescription: { BackupDetails: { BackupArn: backupArn, BackupStatus: 'DELETED' } },
    });
    await expectError(
      'DescribeBackup',
      { BackupArn: backupArn },
      { error: 'BackupNotFoundException', message: `Backup not found: ${backupArn}` },
    );
  });
});

describe('point in time recovery', () => {
  test('is off, then on, and restores', async () => {
    assertMatches(await call('DescribeContinuousBackups', { TableName: source }), {
      ContinuousBackupsDescription: {
        PointInTimeRecoveryDescription: exact({ PointInTimeRecoveryStatus: 'DISABLED' }),
      },
    });
    await expectError(
      'RestoreTableToPointInTime',
      { SourceTableName: source, TargetTableName: recovered, UseLatestRestorableTime: true },
      {
        error: 'PointInTimeRecoveryUnavailableException',
        message: `Point in time recovery is not enabled for table '${source}'`,
      },
    );
    assertMatches(
      await patiently('UpdateContinuousBackups', {
        TableName: source,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
      {
        ContinuousBackupsDescription: {
          ContinuousBackupsStatus: 'ENABLED',
          PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'ENABLED', RecoveryPeriodInDays: 35 },
        },
      },
    );
    await expectError(
      'RestoreTableToPointInTime',
      { SourceTableName: source, TargetTableName: recovered, RestoreDateTime: new Date(0) },
      {
        error: 'InvalidRestoreTimeException',
        message: /^RestoreDateTime '1970-01-01T00:00:00Z' must be within EarliestRestorableDateTime '/,
      },
    );
    assertMatches(
      await call('RestoreTableToPointInTime', {
        SourceTableName: source,
        TargetTableName: recovered,
        UseLatestRestorableTime: true,
      }),
      { TableDescription: { TableStatus: 'CREATING', RestoreSummary: { RestoreInProgress: true } } },
    );
    await waitUntilActive(recovered);
    await call('UpdateContinuousBackups', {
      TableName: source,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false },
    });
  });
});

runCases('recovery, refused', [
  {
    name: 'a table that is not there',
    operation: 'CreateBackup',
    input: { TableName: kAbsent, BackupName: 'nightly' },
    expect: { error: 'TableNotFoundException', message: `Table not found: ${kAbsent}` },
  },
  {
    name: 'a table that is not there',
    operation: 'DescribeContinuousBackups',
    input: { TableName: kAbsent },
    expect: { error: 'TableNotFoundException', message: `Table not found: ${kAbsent}` },
  },
  {
    name: 'no time',
    operation: 'RestoreTableToPointInTime',
    input: { SourceTableName: source, TargetTableName: name('never') },
    expect: refused(
      'Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both',
    ),
  },
  {
    name: 'more days than there are',
    operation: 'UpdateContinuousBackups',
    input: {
      TableName: source,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 36 },
    },
    expect: refused(
      one(
        "Value '36' at 'pointInTimeRecoverySpecification.recoveryPeriodInDays' failed to satisfy constraint: Member " +
          'must have value less than or equal to 35',
      ),
    ),
  },
]);
