// The maximum size of a reply: 1 MB read by a Query or a Scan, 16 MB returned by a BatchGetItem.
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { createTable, deleteTable } from '../harness/lifecycle.mjs';
import { name, table } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: String(value) });
const kPages = name('pages');
const kBig = name('big');
const kRows = 40;
const kRowBytes = 60_000;
const kMegabyte = 1024 * 1024;

before(async () => {
  await Promise.all([
    createTable(table(kPages, { pk: 'S', sk: 'N' }, 'pk', 'sk')),
    createTable(table(kBig, { pk: 'S' }, 'pk')),
  ]);
  const v = S('x'.repeat(kRowBytes - 20));
  for (let start = 0; start < kRows; start += 20) {
    const requests = Array.from({ length: 20 }, (_, at) => ({
      PutRequest: { Item: { pk: S('p'), sk: N(start + at), v } },
    }));
    await call('BatchWriteItem', { RequestItems: { [kPages]: requests } });
  }
});
after(() => Promise.all([deleteTable(kPages), deleteTable(kBig)]));

const query = (extra = {}) => ({
  TableName: kPages,
  KeyConditionExpression: 'pk = :p',
  ExpressionAttributeValues: { ':p': S('p') },
  ProjectionExpression: 'sk',
  ...extra,
});
// A page contains rows up to 1 MB read, whatever is filtered or projected.
const kPerPage = (count) => count === Math.floor(kMegabyte / kRowBytes) || count === Math.ceil(kMegabyte / kRowBytes);

async function allPages(operation, input) {
  const pages = [];
  let ExclusiveStartKey;
  do {
    const page = await call(operation, { ...input, ExclusiveStartKey });
    pages.push(page);
    ExclusiveStartKey = page.LastEvaluatedKey;
    assert.ok(pages.length < 50, 'no end of pages');
  } while (ExclusiveStartKey);
  return pages;
}
const numbers = (pages) => pages.flatMap((page) => page.Items.map((item) => Number(item.sk.N)));
const inOrder = Array.from({ length: kRows }, (_, at) => at);

describe('a page of 1 MB', { concurrency: 2 }, () => {
  test('a query', async () => {
    const pages = await allPages('Query', query());
    assert.ok(kPerPage(pages[0].ScannedCount), `${pages[0].ScannedCount} rows`);
    assert.deepEqual(pages[0].LastEvaluatedKey, { pk: S('p'), sk: N(pages[0].ScannedCount - 1) });
    assert.deepEqual(numbers(pages), inOrder);
  });
  test('a query backwards', async () => {
    const pages = await allPages('Query', query({ ScanIndexForward: false }));
    assert.ok(kPerPage(pages[0].ScannedCount), `${pages[0].ScannedCount} rows`);
    assert.deepEqual(numbers(pages), [...inOrder].reverse());
  });
  test('a filter that keeps nothing reads as much', async () => {
    const pages = await allPages('Query', query({ FilterExpression: 'attribute_not_exists(v)' }));
    assert.equal(pages.length, Math.ceil(kRows / pages[0].ScannedCount));
    assert.ok(kPerPage(pages[0].ScannedCount), `${pages[0].ScannedCount} rows`);
    assert.equal(pages[0].Count, 0);
    assert.ok(pages[0].LastEvaluatedKey);
  });
  test('a count reads as much', async () => {
    const pages = await allPages('Query', query({ ProjectionExpression: undefined, Select: 'COUNT' }));
    assert.ok(kPerPage(pages[0].Count), `${pages[0].Count} rows`);
    assert.equal(
      pages.reduce((sum, page) => sum + page.Count, 0),
      kRows,
    );
  });
  test('a smaller Limit ends a page first', async () => {
    const page = await call('Query', query({ Limit: 5 }));
    assert.equal(page.Count, 5);
    assert.ok(page.LastEvaluatedKey);
  });
  test('a larger Limit does not hold it up', async () => {
    const page = await call('Query', query({ Limit: 35 }));
    assert.ok(kPerPage(page.Count), `${page.Count} rows`);
  });
  test('a scan', async () => {
    const pages = await allPages('Scan', { TableName: kPages, ProjectionExpression: 'sk' });
    assert.ok(kPerPage(pages[0].ScannedCount), `${pages[0].ScannedCount} rows`);
    assert.deepEqual(numbers(pages), inOrder);
  });
  test('whole rows', async () => {
    const pages = await allPages('Scan', { TableName: kPages });
    assert.deepEqual(numbers(pages), inOrder);
    assert.ok(pages.every((page) => page.Items.every((item) => item.v.S.length === kRowBytes - 20)));
  });
});

describe('a reply of 16 MB', () => {
  test('a batch returns what fits and names the rest', async () => {
    const kItems = 48;
    const v = S('y'.repeat(390_000));
    for (let start = 0; start < kItems; start += 12) {
      const requests = Array.from({ length: 12 }, (_, at) => ({
        PutRequest: { Item: { pk: S(`b${start + at}`), v } },
      }));
      const { UnprocessedItems } = await call('BatchWriteItem', { RequestItems: { [kBig]: requests } });
      assert.deepEqual(UnprocessedItems, {});
    }
    const seen = [];
    let RequestItems = {
      [kBig]: { Keys: Array.from({ length: kItems }, (_, at) => ({ pk: S(`b${at}`) })), ConsistentRead: true },
    };
    let replies = 0;
    while (Object.keys(RequestItems).length > 0) {
      const { Responses, UnprocessedKeys } = await call('BatchGetItem', { RequestItems });
      const items = Responses[kBig];
      const bytes = items.reduce((sum, item) => sum + item.v.S.length, 0);
      assert.ok(items.length > 0 && bytes <= 16 * kMegabyte, `${items.length} items, ${bytes} bytes`);
      seen.push(...items.map((item) => item.pk.S));
      if (replies === 0) {
        assert.equal(items.length + UnprocessedKeys[kBig].Keys.length, kItems);
        assert.equal(UnprocessedKeys[kBig].ConsistentRead, true);
      }
      RequestItems = UnprocessedKeys;
      assert.ok(++replies < kItems, 'no end of replies');
    }
    assert.ok(replies >= 2, `${replies} replies`);
    assert.deepEqual(seen.sort(), Array.from({ length: kItems }, (_, at) => `b${at}`).sort());
  });
});
