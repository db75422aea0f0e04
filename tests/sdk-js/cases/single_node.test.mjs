// Global tables (version 2017), Kinesis destinations and auto scaling of replicas, for a table that has none of them.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { one, refused, runCases } from '../harness/cases.mjs';
import { assertMatches } from '../harness/match.mjs';
import { isRealService } from '../harness/endpoint.mjs';
import { kAbsent, kHash } from '../harness/tables.mjs';

const kStream = 'arn:aws:kinesis:us-east-1:000000000000:stream/trestle-absent';
const kLegacy =
  'One or more parameter values were invalid: DynamoDB global tables version 2017.11.29 is not supported. We ' +
  'recommend using DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).';
const kState = 'Table is not in a valid state to enable Kinesis Streaming Destination: ';
const notGlobal = (error, table) => ({ error, message: `Global table with name: '${table}' does not exist.` });
const kNoTable = {
  error: 'ResourceNotFoundException',
  message: `Requested resource not found: Table: ${kAbsent} not found`,
};

runCases('global tables', [
  {
    name: 'there are none',
    operation: 'ListGlobalTables',
    input: { Limit: 1 },
    expect: { output: { GlobalTables: [] } },
  },
  {
    name: 'none can be made',
    operation: 'CreateGlobalTable',
    input: { GlobalTableName: kHash, ReplicationGroup: [{ RegionName: 'us-east-1' }, { RegionName: 'us-west-2' }] },
    expect: refused(kLegacy),
  },
  {
    name: 'no replica can be made',
    operation: 'UpdateGlobalTable',
    input: { GlobalTableName: kAbsent, ReplicaUpdates: [{ Create: { RegionName: 'us-west-2' } }] },
    expect: refused(kLegacy),
  },
  ...['DescribeGlobalTable', 'DescribeGlobalTableSettings'].map((operation) => ({
    name: 'of a table that is not global',
    operation,
    input: { GlobalTableName: kHash },
    expect: notGlobal('GlobalTableNotFoundException', kHash),
  })),
  {
    name: 'of a table that is not global',
    operation: 'UpdateGlobalTableSettings',
    input: { GlobalTableName: kHash, GlobalTableBillingMode: 'PAY_PER_REQUEST' },
    expect: notGlobal('GlobalTableNotFoundException', kHash),
  },
]);

runCases('auto scaling of replicas', [
  ...[kHash, kAbsent].map((TableName) => ({
    name: `of ${TableName === kHash ? 'a table without replicas' : 'no table'}`,
    operation: 'DescribeTableReplicaAutoScaling',
    input: { TableName },
    expect: notGlobal('ResourceNotFoundException', TableName),
  })),
  {
    name: 'of a table without replicas',
    operation: 'UpdateTableReplicaAutoScaling',
    input: { TableName: kHash, ReplicaUpdates: [{ RegionName: 'us-west-2' }] },
    expect: notGlobal('ResourceNotFoundException', kHash),
  },
]);

runCases('kinesis destinations', [
  {
    name: 'a table has none',
    operation: 'DescribeKinesisStreamingDestination',
    input: { TableName: kHash },
    expect: { output: { TableName: kHash, KinesisDataStreamDestinations: [] } },
  },
  {
    name: 'none to disable',
    operation: 'DisableKinesisStreamingDestination',
    input: { TableName: kHash, StreamArn: kStream },
    expect: refused(`${kState}KinesisStreamingDestination must be ACTIVE to perform DISABLE operation.`),
  },
  {
    name: 'none to change',
    operation: 'UpdateKinesisStreamingDestination',
    input: { TableName: kHash, StreamArn: kStream },
    expect: refused(
      `${kState}No streaming destination with streamArn: ${kStream} found for table with tableName: ${kHash}`,
    ),
  },
  {
    name: 'a precision there is not',
    operation: 'EnableKinesisStreamingDestination',
    input: {
      TableName: kHash,
      StreamArn: kStream,
      EnableKinesisStreamingConfiguration: { ApproximateCreationDateTimePrecision: 'DAY' },
    },
    expect: refused(
      one(
        "Value 'DAY' at 'enableKinesisStreamingConfiguration.approximateCreationDateTimePrecision' failed to satisfy " +
          'constraint: Member must satisfy enum value set: [MILLISECOND, MICROSECOND]',
      ),
    ),
  },
  ...['Describe', 'Enable', 'Disable', 'Update'].map((verb) => ({
    name: 'of no table',
    operation: `${verb}KinesisStreamingDestination`,
    input: { TableName: kAbsent, ...(verb === 'Describe' ? {} : { StreamArn: kStream }) },
    expect: kNoTable,
  })),
]);

describe('a kinesis destination', () => {
  test('that cannot be reached is refused here, and fails later there', async () => {
    const enabling = call('EnableKinesisStreamingDestination', { TableName: kHash, StreamArn: kStream });
    if (isRealService) {
      assertMatches(await enabling, { DestinationStatus: 'ENABLING' });
    } else {
      await assert.rejects(enabling, { name: 'ValidationException', message: /Trestle has no Kinesis data streams/ });
    }
  });
});
