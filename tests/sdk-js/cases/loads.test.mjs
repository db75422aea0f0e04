// Imports and bulk puts without an existing bucket. tests/boto3/import_test.py and tests/boto3/bulk_put_test.py test
// those that read a bucket.
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { runCases, expectError, one, refused } from '../harness/cases.mjs';
import { absent, assertMatches, isDate, matches } from '../harness/match.mjs';
import { createTable, deleteTable } from '../harness/lifecycle.mjs';
import { isRealService } from '../harness/endpoint.mjs';
import { kAbsent, name, table } from '../harness/tables.mjs';

const target = name('bulk-put');
const S3Bucket = `trestle-absent-${Date.now().toString(36)}`;
before(() => createTable(table(target, { pk: 'S' }, 'pk')));
after(() => deleteTable(target));

async function ended(describeIt) {
  for (let attempt = 0; attempt < 2400; attempt++) {
    const description = await describeIt();
    if ((description.ImportStatus ?? description.BulkOperationStatus) !== 'IN_PROGRESS') return description;
    await new Promise((resolve) => setTimeout(resolve, isRealService ? 5000 : 50));
  }
  throw new Error('it did not end');
}

function importOf(TableName) {
  return {
    S3BucketSource: { S3Bucket, S3KeyPrefix: 'data/' },
    InputFormat: 'DYNAMODB_JSON',
    TableCreationParameters: { BillingMode: 'PAY_PER_REQUEST', ...table(TableName, { pk: 'S' }, 'pk') },
  };
}

describe('an import', () => {
  test('begins, fails without its bucket, leaves no table, and is listed', async () => {
    const TableName = name('imported');
    const { ImportTableDescription: begun } = await call('ImportTable', importOf(TableName));
    const { ImportArn, TableArn } = begun;
    assertMatches(begun, {
      ImportArn: matches(/^arn:aws:dynamodb:[^:]+:\d{12}:table\/[^/]+\/import\/\d{14}-[0-9a-f]{8}$/),
      ImportStatus: 'IN_PROGRESS',
      TableArn: matches(new RegExp(`:table/${TableName}$`)),
      TableId: matches(/^[0-9a-f-]{36}$/),
      S3BucketSource: { S3Bucket, S3KeyPrefix: 'data/' },
      InputFormat: 'DYNAMODB_JSON',
      InputCompressionType: 'NONE',
      StartTime: isDate,
      EndTime: absent,
      ErrorCount: 0,
      ProcessedItemCount: 0,
      ImportedItemCount: 0,
      ProcessedSizeBytes: absent,
      CloudWatchLogGroupArn: matches(/^arn:aws:logs:/),
      FailureCode: absent,
    });
    const describeIt = async () => (await call('DescribeImport', { ImportArn })).ImportTableDescription;
    assertMatches(await ended(describeIt), {
      ImportArn,
      ImportStatus: 'FAILED',
      FailureCode: 'S3NoSuchBucket',
      FailureMessage: matches(/^The specified bucket does not exist/),
      EndTime: isDate,
    });
    await expectError('DescribeTable', { TableName }, { error: 'ResourceNotFoundException' });
    const { ImportSummaryList } = await call('ListImports', { TableArn });
    assert.equal(ImportSummaryList.length, 1);
    assertMatches(ImportSummaryList[0], { ImportArn, ImportStatus: 'FAILED', TableArn, EndTime: isDate });
  });
});

describe('a bulk put', () => {
  test('begins, fails without its bucket, and is listed', async () => {
    const { BulkOperationDescription: begun } = await call('StartBulkPutItems', {
      TableName: target,
      InputS3Configuration: { S3Bucket, InputFormat: 'ION', InputCompressionType: 'GZIP' },
      OutputS3Configuration: { S3Bucket, OutputType: ['ERROR', 'CONDITION_CHECK_FAILURE'] },
      MaxWriteRequestUnits: 5000,
    });
    const { BulkOperationArn } = begun;
    assertMatches(begun, {
      BulkOperationStatus: 'IN_PROGRESS',
      TableDetails: [{ TableName: target }],
      InputS3Configuration: { S3Bucket, InputFormat: 'ION', InputCompressionType: 'GZIP' },
      OutputS3Configuration: { S3Bucket, OutputType: ['ERROR', 'CONDITION_CHECK_FAILURE'] },
      StartTime: isDate,
      EndTime: absent,
      ProcessedItemCount: 0,
      FailedItemCount: 0,
      MaxWriteRequestUnits: 5000,
      PerformanceTier: 'STANDARD',
    });
    const describeIt = async () => (await call('DescribeBulkOperation', { BulkOperationArn })).BulkOperationDescription;
    assertMatches(await ended(describeIt), { BulkOperationStatus: 'FAILED', FailureCode: 'S3NoSuchBucket' });
    const { BulkOperationsSummaryList } = await call('ListBulkOperations', {});
    assert.ok(BulkOperationsSummaryList.some((summary) => summary.BulkOperationArn === BulkOperationArn));
    await expectError('CancelBulkOperation', { BulkOperationArn }, { error: 'ValidationException' });
  });
});

runCases('imports and bulk puts, refused', [
  {
    name: 'a format that there is not',
    operation: 'ImportTable',
    input: { ...importOf(kAbsent), InputFormat: 'XML' },
    expect: refused(
      one(
        "Value 'XML' at 'inputFormat' failed to satisfy constraint: Member must satisfy enum value set: " +
          '[ION, CSV, DYNAMODB_JSON]',
      ),
    ),
  },
  {
    name: 'a token with a dollar sign',
    operation: 'ImportTable',
    input: { ...importOf(kAbsent), ClientToken: 'a$b' },
    expect: refused(
      one(
        "Value 'a$b' at 'clientToken' failed to satisfy constraint: Member must satisfy regular expression pattern: " +
          '^[^\\$]+$',
      ),
    ),
  },
  {
    name: 'a table without its units',
    operation: 'ImportTable',
    input: {
      ...importOf(kAbsent),
      TableCreationParameters: { ...table(kAbsent, { pk: 'S' }, 'pk'), BillingMode: 'PROVISIONED' },
    },
    expect: refused(
      'One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be specified when ' +
        'BillingMode is PROVISIONED',
    ),
  },
  {
    name: 'an import that there is not',
    operation: 'DescribeImport',
    input: { ImportArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/absent/import/01658528578619-c4d4e311' },
    expect: { error: 'ImportNotFoundException' },
  },
  {
    name: 'an ARN that is none of an import',
    operation: 'DescribeImport',
    input: { ImportArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/x/import/01658528578619-c4d4e311' },
    expect: refused('Invalid Import ARN'),
  },
  {
    name: 'a rate below the least',
    operation: 'StartBulkPutItems',
    input: {
      TableName: kAbsent,
      InputS3Configuration: { S3Bucket, InputFormat: 'ION' },
      OutputS3Configuration: { S3Bucket, OutputType: ['ERROR'] },
      MaxWriteRequestUnits: 1023,
    },
    expect: refused(
      one(
        "Value '1023' at 'maxWriteRequestUnits' failed to satisfy constraint: Member must have value greater than or " +
          'equal to 1024',
      ),
    ),
  },
  {
    name: 'a table that there is not',
    operation: 'StartBulkPutItems',
    input: {
      TableName: kAbsent,
      InputS3Configuration: { S3Bucket, InputFormat: 'ION' },
      OutputS3Configuration: { S3Bucket, OutputType: ['ERROR'] },
    },
    expect: { error: 'ResourceNotFoundException', message: 'Requested resource not found' },
  },
]);

// From ScyllaDB's suite, which runs against DynamoDB: the member that each refusal names.
const odd = (caseName, change, message) => ({
  name: caseName,
  operation: 'ImportTable',
  input: { ...importOf(name('never-imported')), ...change },
  expect: refused(message),
});
const source = (change) => ({ S3BucketSource: { S3Bucket, ...change } });
const created = (change) => ({
  TableCreationParameters: { ...table(name('never-imported'), { pk: 'S' }, 'pk'), ...change },
});
runCases('imports, members out of bounds', [
  odd('an unknown format', { InputFormat: 'NOT_A_FORMAT' }, /'inputFormat'/),
  odd('an unknown compression', { InputCompressionType: 'BZIP2' }, /'inputCompressionType'/),
  odd('a long bucket', source({ S3Bucket: 'x'.repeat(256) }), /s3Bucket'/),
  odd('a bucket of other characters', source({ S3Bucket: '-nope!' }), /s3Bucket'/),
  odd('a long prefix', source({ S3KeyPrefix: 'p'.repeat(1025) }), /s3KeyPrefix'/),
  odd('a long name', created({ TableName: 'n'.repeat(256) }), /tableName'/),
  odd('a name of other characters', created({ TableName: 'not a table name!' }), /tableName'/),
  odd(
    'definitions of something else',
    created({ AttributeDefinitions: [{ AttributeName: 'z', AttributeType: 'S' }] }),
    /AttributeDefinitions/,
  ),
  ...['$', 'has$dollar', '$leading', 'trailing$'].map((ClientToken) =>
    odd(`the token ${ClientToken}`, { ClientToken }, /'clientToken'/),
  ),
  {
    name: 'a page of 26',
    operation: 'ListImports',
    input: { PageSize: 26 },
    expect: refused(
      one("Value '26' at 'pageSize' failed to satisfy constraint: Member must have value less than or equal to 25"),
    ),
  },
  {
    name: 'a token that is none',
    operation: 'ListImports',
    input: { NextToken: '0'.repeat(112) },
    expect: { error: 'ValidationException' },
  },
  {
    name: 'an import of a table with a short name',
    operation: 'DescribeImport',
    input: { ImportArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/x/import/01658528578619-c4d4e311' },
    expect: refused(/Import ARN/),
  },
]);
