// Exports without an existing bucket. tests/boto3/export_test.py tests the objects written to a bucket.
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { runCases, expectError, one, refused } from '../harness/cases.mjs';
import { assertMatches, matches } from '../harness/match.mjs';
import { createTable, deleteTable } from '../harness/lifecycle.mjs';
import { isRealService } from '../harness/endpoint.mjs';
import { kAbsent, name, table } from '../harness/tables.mjs';

const source = name('exported');
const S3Bucket = `trestle-absent-${Date.now().toString(36)}`;
let TableArn;
before(async () => {
  await createTable(table(source, { pk: 'S' }, 'pk'));
  TableArn = (await call('DescribeTable', { TableName: source })).Table.TableArn;
});
after(() => deleteTable(source));

async function ended(ExportArn) {
  for (let attempt = 0; attempt < 2400; attempt++) {
    const { ExportDescription } = await call('DescribeExport', { ExportArn });
    if (ExportDescription.ExportStatus !== 'IN_PROGRESS') return ExportDescription;
    await new Promise((resolve) => setTimeout(resolve, isRealService ? 5000 : 50));
  }
  throw new Error(`${ExportArn} did not end`);
}

describe('an export', () => {
  test('needs recovery, begins, fails without its bucket, and is listed', async () => {
    await expectError(
      'ExportTableToPointInTime',
      { TableArn, S3Bucket },
      {
        error: 'PointInTimeRecoveryUnavailableException',
        message: `Point in time recovery is not enabled for table '${source}'`,
      },
    );
    await call('UpdateContinuousBackups', {
      TableName: source,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
    const input = { TableArn, S3Bucket, S3Prefix: 'nightly', ClientToken: 'sdk-js-token' };
    const { ExportDescription } = await call('ExportTableToPointInTime', input);
    const { ExportArn } = ExportDescription;
    assertMatches(ExportDescription, {
      ExportArn: matches(/^arn:aws:dynamodb:[^:]+:\d{12}:table\/[^/]+\/export\/\d{14}-[0-9a-f]{8}$/),
      ExportStatus: 'IN_PROGRESS',
      TableArn,
      S3Bucket,
      S3Prefix: 'nightly',
      S3SseAlgorithm: 'AES256',
      ExportFormat: 'DYNAMODB_JSON',
      ClientToken: 'sdk-js-token',
    });
    assert.deepEqual(ExportDescription.StartTime, ExportDescription.ExportTime);
    assert.equal((await call('ExportTableToPointInTime', input)).ExportDescription.ExportArn, ExportArn);
    await expectError(
      'ExportTableToPointInTime',
      { ...input, ExportFormat: 'ION' },
      {
        error: 'ExportConflictException',
        message: 'Export conflict: Duplicate request detected with conflicting parameters',
      },
    );
    assertMatches(await ended(ExportArn), {
      ExportStatus: 'FAILED',
      FailureCode: 'S3NoSuchBucket',
      FailureMessage: matches(/^The specified bucket does not exist/),
      EndTime: matches(/./),
    });
    assertMatches(await call('ListExports', { TableArn }), {
      ExportSummaries: [{ ExportArn, ExportStatus: 'FAILED', ExportType: 'FULL_EXPORT' }],
    });
    await expectError(
      'ExportTableToPointInTime',
      { TableArn, S3Bucket, ExportTime: new Date(Date.now() + 3600_000) },
      { error: 'InvalidExportTimeException', message: 'Export Time is invalid' },
    );
    const from = new Date(Math.floor(Date.now() / 1000) * 1000 - 600_000);
    await expectError(
      'ExportTableToPointInTime',
      {
        TableArn,
        S3Bucket,
        ExportType: 'INCREMENTAL_EXPORT',
        IncrementalExportSpecification: { ExportFromTime: from },
      },
      {
        error: 'InvalidExportTimeException',
        message:
          'Incremental export period from time cannot be less than the table creation time : ' +
          from.toISOString().replace('.000Z', 'Z'),
      },
    );
    const absent = `${TableArn}/export/01577836800000-00000001`;
    await expectError(
      'DescribeExport',
      { ExportArn: absent },
      { error: 'ExportNotFoundException', message: `Export not found: Export not found: ${absent}` },
    );
  });
});

runCases('exports, refused', [
  {
    name: 'a name instead of an ARN',
    operation: 'ExportTableToPointInTime',
    input: { TableArn: kAbsent, S3Bucket },
    expect: refused('One or more parameter values were invalid: tableArn is not a valid ARN'),
  },
  {
    name: 'no bucket',
    operation: 'ExportTableToPointInTime',
    input: { TableArn: 'arn', S3Bucket: '' },
    expect: refused(
      one(
        "Value '' at 's3Bucket' failed to satisfy constraint: Member must satisfy regular expression pattern: " +
          '^[a-z0-9A-Z]+[\\.\\-\\w]*[a-z0-9A-Z]+$',
      ),
    ),
  },
  {
    name: 'a format that there is not',
    operation: 'ExportTableToPointInTime',
    input: { TableArn: 'arn', S3Bucket, ExportFormat: 'CSV' },
    expect: refused(
      one(
        "Value 'CSV' at 'exportFormat' failed to satisfy constraint: Member must satisfy enum value set: " +
          '[ION, DYNAMODB_JSON]',
      ),
    ),
  },
  {
    name: 'no ARN of an export',
    operation: 'DescribeExport',
    input: { ExportArn: 'x'.repeat(40) },
    expect: refused('Invalid Export ARN'),
  },
  {
    name: 'a token that is none',
    operation: 'ListExports',
    input: { NextToken: 'bogus' },
    expect: refused('Invalid Request: Provided nextToken is invalid: bogus'),
  },
  {
    name: 'more than a page has',
    operation: 'ListExports',
    input: { MaxResults: 26 },
    expect: refused(
      one("Value '26' at 'maxResults' failed to satisfy constraint: Member must have value less than or equal to 25"),
    ),
  },
]);

// From ScyllaDB's suite, which runs against DynamoDB: the member that each refusal names.
const odd = (member, value, message) => ({
  name: `${member} = ${JSON.stringify(value) ?? 'nothing'}`,
  operation: 'ExportTableToPointInTime',
  input: { TableArn: `arn:aws:dynamodb:us-east-1:000000000000:table/${kAbsent}`, S3Bucket, [member]: value },
  expect: refused(message),
});
runCases('exports, members out of bounds', [
  odd('ExportType', 'QWERTY', /'exportType'/),
  odd('ExportType', '', /'exportType'/),
  odd('ClientToken', '', /'clientToken'/),
  odd('ExportFormat', '', /'exportFormat'/),
  odd('ExportFormat', 'QWERTY', /'exportFormat'/),
  odd('S3Prefix', '', /s3Prefix/i),
  odd('S3Bucket', undefined, /'s3Bucket'/),
  odd('TableArn', undefined, /'tableArn'/),
  odd('TableArn', '\t', /tableArn/i),
  odd('TableArn', 'QWERTY', /tableArn/i),
  odd('S3BucketOwner', '', /'s3BucketOwner'/),
  odd('S3SseAlgorithm', '', /'s3SseAlgorithm'/),
  odd('S3SseAlgorithm', 'QWERTY', /'s3SseAlgorithm'/),
  {
    name: 'a table that is not there',
    operation: 'ExportTableToPointInTime',
    input: { TableArn: `arn:aws:dynamodb:us-east-1:000000000000:table/${kAbsent}`, S3Bucket },
    expect: { error: 'TableNotFoundException', message: /not found/ },
  },
  {
    name: 'the ARN of a table',
    operation: 'DescribeExport',
    input: { ExportArn: `arn:aws:dynamodb:us-east-1:000000000000:table/${kAbsent}` },
    expect: refused('Invalid Export ARN'),
  },
  {
    name: 'a text for an ARN',
    operation: 'DescribeExport',
    input: { ExportArn: 'qwerty:aws:dynamodb:us-east-1:000000000000:table/nonexistent_table_xyz' },
    expect: refused('Invalid Export ARN'),
  },
]);
