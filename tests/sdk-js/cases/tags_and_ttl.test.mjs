// Tags of a table, and its time to live.
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { runCases, expectError, one, refused } from '../harness/cases.mjs';
import { assertMatches, exact, matches } from '../harness/match.mjs';
import { createTable, deleteTable } from '../harness/lifecycle.mjs';
import { isRealService } from '../harness/endpoint.mjs';
import { kAbsent, kHash, name, table } from '../harness/tables.mjs';

const tagged = name('tagged');
const expiring = name('expiring');
let arn;
before(async () => {
  await createTable({ ...table(tagged, { pk: 'S' }, 'pk'), Tags: [{ Key: 'made', Value: 'with it' }] });
  await createTable(table(expiring, { pk: 'S' }, 'pk'));
  arn = (await call('DescribeTable', { TableName: tagged })).Table.TableArn;
});
after(() => Promise.all([deleteTable(tagged), deleteTable(expiring)]));

const sorted = (list) => list.map((tag) => `${tag.Key}=${tag.Value}`).sort();
async function tagsAre(expected) {
  let found;
  for (let attempt = 0; attempt < (isRealService ? 30 : 1); attempt++) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, 500));
    found = sorted((await call('ListTagsOfResource', { ResourceArn: arn })).Tags);
    if (found.join() === expected.join()) break;
  }
  assert.deepEqual(found, expected);
}

describe('tags', () => {
  test('are added, replaced and removed', async () => {
    await tagsAre(['made=with it']);
    await call('TagResource', {
      ResourceArn: arn,
      Tags: [
        { Key: 'env', Value: 'test' },
        { Key: 'team', Value: 'red' },
      ],
    });
    await tagsAre(['env=test', 'made=with it', 'team=red']);
    await call('TagResource', {
      ResourceArn: arn,
      Tags: [
        { Key: 'env', Value: 'live' },
        { Key: 'empty', Value: '' },
      ],
    });
    await tagsAre(['empty=', 'env=live', 'made=with it', 'team=red']);
    await call('UntagResource', { ResourceArn: arn, TagKeys: ['team', 'empty', 'not there'] });
    await tagsAre(['env=live', 'made=with it']);
  });
  test('are refused without a key', async () => {
    await expectError(
      'TagResource',
      { ResourceArn: arn, Tags: [] },
      refused('Atleast one Tag needs to be provided as Input.'),
    );
    await expectError(
      'UntagResource',
      { ResourceArn: arn, TagKeys: [] },
      refused('Atleast one Tag Key needs to be provided as Input.'),
    );
  });
  test('are listed in one answer, fifty of them', async () => {
    const Tags = Array.from({ length: 49 }, (_, at) => ({ Key: `many ${String(at).padStart(2, '0')}`, Value: 'x' }));
    await call('UntagResource', { ResourceArn: arn, TagKeys: ['env'] });
    await call('TagResource', { ResourceArn: arn, Tags });
    const listed = await call('ListTagsOfResource', { ResourceArn: arn });
    assert.equal(listed.Tags.length, 50);
    assert.equal(listed.NextToken, undefined);
    await call('UntagResource', { ResourceArn: arn, TagKeys: Tags.map((tag) => tag.Key) });
    await call('TagResource', { ResourceArn: arn, Tags: [{ Key: 'env', Value: 'live' }] });
  });
  test('of a table that is not there are refused', async () => {
    const ResourceArn = arn.replace(/[^/]+$/, kAbsent);
    const expected = { error: 'ResourceNotFoundException', message: /^Requested resource not found/ };
    await expectError('ListTagsOfResource', { ResourceArn }, expected);
    await expectError('TagResource', { ResourceArn, Tags: [{ Key: 'a', Value: 'b' }] }, expected);
    await expectError('UntagResource', { ResourceArn, TagKeys: ['a'] }, expected);
  });
  test('of something that is not an ARN are refused', async () => {
    await expectError(
      'TagResource',
      { ResourceArn: 'not-a-valid-arn', Tags: [{ Key: 'a', Value: 'b' }] },
      { error: 'ValidationException' },
    );
  });
});

describe('time to live', () => {
  test('is off, then on, then cannot be set again to the same', async () => {
    assertMatches(await call('DescribeTimeToLive', { TableName: expiring }), {
      TimeToLiveDescription: exact({ TimeToLiveStatus: 'DISABLED' }),
    });
    const TimeToLiveSpecification = { Enabled: true, AttributeName: 'expires' };
    assertMatches(await call('UpdateTimeToLive', { TableName: expiring, TimeToLiveSpecification }), {
      TimeToLiveSpecification: exact(TimeToLiveSpecification),
    });
    assertMatches(await call('DescribeTimeToLive', { TableName: expiring }), {
      TimeToLiveDescription: { TimeToLiveStatus: matches(/^ENABL(ED|ING)$/), AttributeName: 'expires' },
    });
    await expectError(
      'UpdateTimeToLive',
      { TableName: expiring, TimeToLiveSpecification },
      {
        error: 'ValidationException',
        message: [
          /TimeToLive is already enabled/,
          /^Time to live has been modified multiple times within a fixed interval/,
        ],
      },
    );
  });
  test('is refused to be turned off where it is off', async () => {
    await expectError(
      'UpdateTimeToLive',
      { TableName: kHash, TimeToLiveSpecification: { Enabled: false, AttributeName: 'a' } },
      refused('TimeToLive is already disabled'),
    );
  });
});
runCases('time to live, refused', [
  {
    name: 'a table that is not there',
    operation: 'DescribeTimeToLive',
    input: { TableName: kAbsent },
    expect: { error: 'ResourceNotFoundException', message: /^Requested resource not found/ },
  },
  {
    name: 'a table that is not there',
    operation: 'UpdateTimeToLive',
    input: { TableName: kAbsent, TimeToLiveSpecification: { Enabled: true, AttributeName: 'a' } },
    expect: { error: 'ResourceNotFoundException', message: /^Requested resource not found/ },
  },
  {
    name: 'an empty attribute name',
    operation: 'UpdateTimeToLive',
    input: { TableName: kHash, TimeToLiveSpecification: { Enabled: true, AttributeName: '' } },
    expect: refused(/Member must have length greater than or equal to 1|attributeName/i),
  },
  {
    name: 'no specification',
    operation: 'UpdateTimeToLive',
    input: { TableName: kHash },
    expect: refused(
      one("Value null at 'timeToLiveSpecification' failed to satisfy constraint: Member must not be null"),
    ),
  },
]);
