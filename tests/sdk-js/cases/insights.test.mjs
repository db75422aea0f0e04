// Contributor Insights of a table and its global index.
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { expectError, one, refused, runCases } from '../harness/cases.mjs';
import { assertMatches, matches } from '../harness/match.mjs';
import { createTable, deleteTable } from '../harness/lifecycle.mjs';
import { index, kAbsent, kAll, name, table } from '../harness/tables.mjs';

const watched = name('watched');
before(() =>
  createTable(
    table(watched, { pk: 'S', sk: 'N', g: 'S' }, 'pk', 'sk', {
      GlobalSecondaryIndexes: [index('by-g', 'g', undefined, kAll)],
    }),
  ),
);
after(() => deleteTable(watched));

const describeInsights = (IndexName) => call('DescribeContributorInsights', { TableName: watched, IndexName });
// DynamoDB needs a few seconds to apply the change.
async function settled(status, IndexName) {
  for (let attempt = 0; attempt < 120; attempt++) {
    const description = await describeInsights(IndexName);
    if (description.ContributorInsightsStatus === status) return description;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`insights did not become ${status}`);
}
const rules = (resource, ...kinds) =>
  kinds.map((kind) => matches(new RegExp(`^DynamoDBContributorInsights-${kind}-${resource}-\\d+$`)));
const update = (more) => call('UpdateContributorInsights', { TableName: watched, ...more });

describe('contributor insights', () => {
  test('are off, then on, for throttled keys only, and off again', async () => {
    const { $metadata: _, ...fresh } = await describeInsights();
    assert.deepEqual(fresh, { TableName: watched, ContributorInsightsStatus: 'DISABLED' });
    assertMatches(await update({ ContributorInsightsAction: 'ENABLE' }), {
      TableName: watched,
      ContributorInsightsStatus: 'ENABLING',
      ContributorInsightsMode: 'ACCESSED_AND_THROTTLED_KEYS',
    });
    assertMatches(await settled('ENABLED'), {
      ContributorInsightsRuleList: rules(watched, 'PKC', 'SKC', 'PKT', 'SKT'),
      ContributorInsightsMode: 'ACCESSED_AND_THROTTLED_KEYS',
    });
    assertMatches(await update({ ContributorInsightsAction: 'ENABLE' }), { ContributorInsightsStatus: 'ENABLED' });
    await update({ ContributorInsightsAction: 'ENABLE', ContributorInsightsMode: 'THROTTLED_KEYS' });
    assertMatches(await settled('ENABLED'), {
      ContributorInsightsRuleList: rules(watched, 'PKT', 'SKT'),
      ContributorInsightsMode: 'THROTTLED_KEYS',
    });
    await update({ ContributorInsightsAction: 'DISABLE' });
    const off = await settled('DISABLED');
    assert.equal(off.ContributorInsightsRuleList, undefined);
    assert.ok(off.LastUpdateDateTime instanceof Date);
  });

  test('of an index are its own, and listed', async () => {
    await update({ IndexName: 'by-g', ContributorInsightsAction: 'ENABLE' });
    assertMatches(await settled('ENABLED', 'by-g'), {
      TableName: watched,
      IndexName: 'by-g',
      ContributorInsightsRuleList: rules(`${watched}-by-g`, 'PKC', 'PKT'),
    });
    const { ContributorInsightsSummaries } = await call('ListContributorInsights', { TableName: watched });
    assert.deepEqual(
      ContributorInsightsSummaries.filter((summary) => summary.IndexName !== undefined),
      [
        {
          TableName: watched,
          IndexName: 'by-g',
          ContributorInsightsStatus: 'ENABLED',
          ContributorInsightsMode: 'ACCESSED_AND_THROTTLED_KEYS',
        },
      ],
    );
  });

  test('of an index that is not there are not found', () =>
    expectError(
      'UpdateContributorInsights',
      { TableName: watched, IndexName: 'ghost', ContributorInsightsAction: 'ENABLE' },
      {
        error: 'ResourceNotFoundException',
        message: `Requested resource not found: Index: ghost not found for table: ${watched}`,
      },
    ));
});

const kNoTable = {
  error: 'ResourceNotFoundException',
  message: `Requested resource not found: Table: ${kAbsent} not found`,
};
runCases('contributor insights, refused', [
  { name: 'no table', operation: 'DescribeContributorInsights', input: { TableName: kAbsent }, expect: kNoTable },
  { name: 'no table', operation: 'ListContributorInsights', input: { TableName: kAbsent }, expect: kNoTable },
  {
    name: 'no table',
    operation: 'UpdateContributorInsights',
    input: { TableName: kAbsent, ContributorInsightsAction: 'ENABLE' },
    expect: kNoTable,
  },
  {
    name: 'no action',
    operation: 'UpdateContributorInsights',
    input: { TableName: kAbsent },
    expect: refused(
      one("Value null at 'contributorInsightsAction' failed to satisfy constraint: Member must not be null"),
    ),
  },
  {
    name: 'a page too large',
    operation: 'ListContributorInsights',
    input: { MaxResults: 101 },
    expect: refused(
      one("Value '101' at 'maxResults' failed to satisfy constraint: Member must have value less than or equal to 100"),
    ),
  },
]);
