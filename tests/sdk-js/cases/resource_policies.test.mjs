// Resource policies: put, returned in canonical form, replaced, deleted. DynamoDB needs some time between changes.
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { expectError, kInvalid } from '../harness/cases.mjs';
import { createTable, deleteTable } from '../harness/lifecycle.mjs';
import { isRealService } from '../harness/endpoint.mjs';
import { name, table } from '../harness/tables.mjs';

const guarded = name('guarded');
let arn;
let account;
before(async () => {
  await createTable(table(guarded, { pk: 'S' }, 'pk'));
  arn = (await call('DescribeTable', { TableName: guarded })).Table.TableArn;
  account = arn.split(':')[4];
});
after(() => deleteTable(guarded));

const settle = () => (isRealService ? new Promise((resolve) => setTimeout(resolve, 20_000)) : undefined);
const document = (action) => ({
  Version: '2012-10-17',
  Statement: [
    { Action: [action], Effect: 'Allow', Principal: { AWS: [account] }, Resource: [arn], Sid: 'one' },
  ],
});
const words = 'Resource-based policy not found for the provided ResourceArn: ';

describe('a resource policy', () => {
  test('is put, returned, replaced and deleted', async () => {
    await expectError('GetResourcePolicy', { ResourceArn: arn }, { error: 'PolicyNotFoundException', message: words + arn });
    assert.equal((await call('DeleteResourcePolicy', { ResourceArn: arn })).RevisionId, undefined);
    const put = (action, more) =>
      call('PutResourcePolicy', { ResourceArn: arn, Policy: JSON.stringify(document(action), null, 2), ...more });
    const { RevisionId: first } = await put('dynamodb:GetItem', { ExpectedRevisionId: 'NO_POLICY' });
    await settle();
    const stored = await call('GetResourcePolicy', { ResourceArn: arn });
    assert.equal(stored.RevisionId, first);
    assert.equal(
      stored.Policy,
      `{"Version":"2012-10-17","Statement":[{"Sid":"one","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::${account}:root"},` +
        `"Action":"dynamodb:GetItem","Resource":"${arn}"}]}`,
    );
    assert.equal((await put('dynamodb:GetItem')).RevisionId, first, 'the same again changes nothing');
    const { RevisionId: second } = await put('dynamodb:Query', { ExpectedRevisionId: first });
    assert.ok(second > first);
    await settle();
    await expectError(
      'DeleteResourcePolicy',
      { ResourceArn: arn, ExpectedRevisionId: first },
      {
        error: 'PolicyNotFoundException',
        message:
          `${words}Requested update for policy with revision id ${first}, but the policy associated to target table ` +
          `${guarded} has revision id ${second}.`,
      },
    );
    assert.equal((await call('DeleteResourcePolicy', { ResourceArn: arn })).RevisionId, second);
    await settle();
    await expectError('GetResourcePolicy', { ResourceArn: arn }, { error: 'PolicyNotFoundException', message: words + arn });
  });

  test('is refused where it is not one', async () => {
    const expected = (message) => ({ error: 'ValidationException', message: kInvalid + message });
    const put = (Policy, message) => expectError('PutResourcePolicy', { ResourceArn: arn, Policy }, expected(message));
    await put('{not json', 'Invalid policy document: This policy contains invalid Json');
    await put('{"Version":"2012-10-17","Statement":[]}', 'Invalid policy document: Could not parse the policy: Statement is empty!');
    await put(JSON.stringify(document('dynamodb:GetItem')) + ' '.repeat(20480), 'Maximum policy size of 20480 bytes exceeded');
    await put(
      JSON.stringify(document('dynamodb:GetRecords')),
      'Invalid policy document: The following action names are invalid: "dynamodb:GetRecords"',
    );
    await expectError('GetResourcePolicy', { ResourceArn: guarded }, expected(`ARNs must start with 'arn:': ${guarded}`));
    await expectError(
      'GetResourcePolicy',
      { ResourceArn: `${arn}-missing` },
      {
        error: 'ResourceNotFoundException',
        message: `Requested resource not found: Table: ${guarded}-missing not found`,
      },
    );
  });
});
