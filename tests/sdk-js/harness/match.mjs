// Compares a reply with what a case expects.
// An expected object is a subset: other keys may be present. An expected list is complete: same length, same order.
// Markers: absent (the key must not be present), exact(value) (no other keys may be present), unordered(list), and any
// function (called with the value, must return true).
import assert from 'node:assert/strict';
import { inspect } from 'node:util';

export const absent = Symbol('absent');
const kExact = Symbol('exact');
const kUnordered = Symbol('unordered');

export const exact = (value) => ({ [kExact]: value });
export const unordered = (list) => ({ [kUnordered]: list });

export const isNumber = (value) => typeof value === 'number';
export const isString = (value) => typeof value === 'string';
export const isDate = (value) => value instanceof Date;
export const matches = (pattern) => (value) => pattern.test(value);

// Bytes are compared as base64, so that Uint8Array and Buffer are equal.
function plain(value) {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
  if (value instanceof Date || typeof value === 'function' || typeof value === 'symbol') return value;
  if (Array.isArray(value)) return value.map(plain);
  if (value !== null && typeof value === 'object') {
    const out = {};
    for (const key of Reflect.ownKeys(value)) {
      if (key === '$metadata' || value[key] === undefined) continue;
      out[key] = plain(value[key]);
    }
    return out;
  }
  return value;
}

export function assertMatches(actual, expected, path = 'output') {
  compare(plain(actual), plain(expected), path);
}

function compare(actual, expected, path) {
  if (expected === absent) {
    assert.equal(actual, undefined, `${path} must be absent, is ${inspect(actual)}`);
  } else if (typeof expected === 'function') {
    assert.ok(expected(actual), `${path} is ${inspect(actual)}, refused by ${expected}`);
  } else if (expected !== null && typeof expected === 'object' && kExact in expected) {
    assert.deepEqual(actual, expected[kExact], path);
  } else if (expected !== null && typeof expected === 'object' && kUnordered in expected) {
    assert.deepEqual(sorted(actual, path), sorted(expected[kUnordered], path), path);
  } else if (Array.isArray(expected)) {
    assert.ok(Array.isArray(actual), `${path} must be a list, is ${inspect(actual)}`);
    assert.equal(actual.length, expected.length, `${path} has ${actual.length} members: ${inspect(actual)}`);
    expected.forEach((member, index) => compare(actual[index], member, `${path}[${index}]`));
  } else if (expected !== null && typeof expected === 'object' && !(expected instanceof Date)) {
    assert.ok(actual !== null && typeof actual === 'object', `${path} must be an object, is ${inspect(actual)}`);
    for (const key of Object.keys(expected)) compare(actual[key], expected[key], `${path}.${key}`);
  } else {
    assert.deepEqual(actual, expected, path);
  }
}

function sorted(list, path) {
  assert.ok(Array.isArray(list), `${path} must be a list, is ${inspect(list)}`);
  return list.map((member) => JSON.stringify(canonical(member))).sort();
}

function canonical(value) {
  if (Array.isArray(value)) return value.map(canonical);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, canonical(value[key])]),
  );
}

// The message is a string, a pattern, or a list of these of which one must match.
export function assertMessage(actual, expected) {
  const choices = Array.isArray(expected) ? expected : [expected];
  const found = choices.some((choice) => (choice instanceof RegExp ? choice.test(actual) : choice === actual));
  if (found) return;
  if (choices.length === 1 && !(choices[0] instanceof RegExp)) assert.equal(shorten(actual), shorten(choices[0]));
  assert.fail(
    `message was\n  ${shorten(actual)}\nexpected${choices.map((choice) => `\n  ${shorten(choice)}`).join('')}`,
  );
}

const shorten = (text) => (String(text).length > 1000 ? `${String(text).slice(0, 1000)}...` : String(text));
