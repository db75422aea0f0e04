// Runs cases. A case is
//   { name, operation, input, expect: { output } | { error, message, status, item },
//     before: [[operation, input], ...], after: [[operation, input, output], ...] }
// `before` prepares, and `after` checks the effects of the operation. Cases of one list may run in any order and
// concurrently: no case may write what another one reads. TRESTLE_SHAKE=50 runs them shuffled, 32 at a time, with
// delays of up to 50 ms before their calls, which reveals cases that do.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { call, shakeMs } from './client.mjs';
import { assertMatches, assertMessage } from './match.mjs';
import { isRealService } from './endpoint.mjs';

const order = (cases) =>
  shakeMs === 0
    ? cases
    : cases
        .map((one) => [Math.random(), one])
        .sort(([left], [right]) => left - right)
        .map(([, one]) => one);

export function runCases(title, cases) {
  describe(title, { concurrency: shakeMs === 0 ? 4 : 32 }, () => {
    const names = new Set();
    for (const one of order(cases)) {
      assert.ok(one.name && one.operation && one.expect, `a case of "${title}" lacks a name, an operation or expect`);
      const name = `${title} > ${one.operation}: ${one.name}`;
      assert.ok(!names.has(name), `two cases are called "${name}"`);
      names.add(name);
      test(name, () => runCase(one));
    }
  });
}

export async function runCase(one) {
  for (const [operation, input] of one.before ?? []) await call(operation, input);
  if (one.expect.error) {
    await expectError(one.operation, one.input, one.expect);
  } else {
    await eventually(one, async () => assertMatches(await call(one.operation, one.input), one.expect.output ?? {}));
  }
  for (const [operation, input, output] of one.after ?? []) {
    assertMatches(await call(operation, input), output, operation);
  }
}

export async function expectError(operation, input, expected) {
  let reply;
  try {
    reply = await call(operation, input);
  } catch (error) {
    assert.equal(error.name, expected.error, `${error.name}: ${error.message}`);
    assert.equal(error.$metadata?.httpStatusCode, expected.status ?? 400, 'HTTP status');
    if (expected.message !== undefined) assertMessage(error.message, expected.message);
    if (expected.item !== undefined) assertMatches(error.Item, expected.item, 'error.Item');
    return error;
  }
  assert.fail(
    `${operation} was accepted, expected ${expected.error}: ${expected.message ?? ''}\n${JSON.stringify(reply).slice(0, 500)}`,
  );
}

// DynamoDB updates an index after its table, with a delay. Other endpoints are not allowed a delay.
async function eventually(one, check) {
  const readsIndex = one.input?.IndexName !== undefined && !one.input.ConsistentRead;
  for (let attempt = 0; ; attempt++) {
    try {
      return await check();
    } catch (error) {
      if (!isRealService || !readsIndex || attempt === 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

// Messages that several files use.
export const one = (message) => `1 validation error detected: ${message}`;
export const kInvalid = 'One or more parameter values were invalid: ';
export const kConditionFailed = { error: 'ConditionalCheckFailedException', message: 'The conditional request failed' };
export const refused = (message) => ({ error: 'ValidationException', message });
export const kNoTable = { error: 'ResourceNotFoundException', message: 'Requested resource not found' };
