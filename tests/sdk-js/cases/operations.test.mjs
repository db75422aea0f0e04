// Every operation that the SDK knows, of both services, is answered.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as sdk from '@aws-sdk/client-dynamodb';
import * as streamsSdk from '@aws-sdk/client-dynamodb-streams';
import { call } from '../harness/client.mjs';

const operations = [...Object.keys(sdk), ...Object.keys(streamsSdk)]
  .filter((key) => /^[A-Z]\w+Command$/.test(key))
  .map((key) => key.slice(0, -'Command'.length));

describe('operations of the SDK', () => {
  test('are as many as we know of', () => assert.ok(new Set(operations).size >= 66, String(operations.length)));
  for (const operation of operations) {
    test(`${operation} is answered`, async () => {
      // The reply to a request without parameters.
      const name = await call(operation, {}).then(
        () => '',
        (error) => error.name,
      );
      assert.notEqual(name, 'UnknownOperationException');
      assert.doesNotMatch(name, /^(TypeError|InternalServerError|InternalFailure)$/);
    });
  }
});
