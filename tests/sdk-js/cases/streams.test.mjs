// Streams: listing, describing and reading them, all refusals, and a replay that rebuilds its table.
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { expectError, kInvalid, one, refused } from '../harness/cases.mjs';
import { absent, assertMatches, exact, isDate, matches } from '../harness/match.mjs';
import { createTable, deleteTable } from '../harness/lifecycle.mjs';
import { isRealService, region } from '../harness/endpoint.mjs';
import { name, table } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: String(value) });
const kKeyLess = 'shardId-00000000000000000000-00000000';
const tables = [];

async function streamTable(suffix, StreamViewType = 'NEW_AND_OLD_IMAGES') {
  const TableName = name(`streams-${suffix}`);
  tables.push(TableName);
  await createTable({
    ...table(TableName, { pk: 'S' }, 'pk'),
    StreamSpecification: { StreamEnabled: true, StreamViewType },
  });
  const { Table } = await call('DescribeTable', { TableName });
  return { TableName, StreamArn: Table.LatestStreamArn, label: Table.LatestStreamLabel };
}
after(() => Promise.all(tables.map(deleteTable)));

async function shardsOf(StreamArn) {
  const shards = [];
  let ExclusiveStartShardId;
  do {
    const { StreamDescription } = await call('DescribeStream', { StreamArn, ExclusiveStartShardId });
    shards.push(...StreamDescription.Shards);
    ExclusiveStartShardId = StreamDescription.LastEvaluatedShardId;
  } while (ExclusiveStartShardId);
  return shards;
}

async function iteratorOf(StreamArn, ShardId, ShardIteratorType = 'TRIM_HORIZON', SequenceNumber = undefined) {
  return (await call('GetShardIterator', { StreamArn, ShardId, ShardIteratorType, SequenceNumber })).ShardIterator;
}

// All records so far, in order within a shard. DynamoDB needs some time to return them.
async function recordsOf(StreamArn, count) {
  for (let attempt = 0; ; attempt++) {
    const records = [];
    for (const { ShardId } of await shardsOf(StreamArn)) {
      let ShardIterator = await iteratorOf(StreamArn, ShardId);
      for (let empty = 0; ShardIterator && empty < (isRealService ? 5 : 1);) {
        const page = await call('GetRecords', { ShardIterator });
        records.push(...page.Records);
        empty = page.Records.length > 0 ? 0 : empty + 1;
        ShardIterator = page.NextShardIterator;
      }
    }
    if (!isRealService || attempt === 30 || records.length >= count) {
      assert.equal(records.length, count);
      return records;
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

describe('a stream', { concurrency: 4 }, () => {
  test('is listed and described', async () => {
    const { TableName, StreamArn, label } = await streamTable('described', 'KEYS_ONLY');
    assert.match(
      StreamArn,
      new RegExp(`:table/${TableName}/stream/\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}$`),
    );
    const { Streams } = await call('ListStreams', { TableName });
    assertMatches(Streams, exact([{ StreamArn, TableName, StreamLabel: label }]));
    const { StreamDescription } = await call('DescribeStream', { StreamArn });
    assertMatches(StreamDescription, {
      StreamArn,
      TableName,
      StreamLabel: label,
      StreamStatus: matches(/^ENABL(ED|ING)$/),
      StreamViewType: 'KEYS_ONLY',
      CreationRequestDateTime: isDate,
      KeySchema: exact([{ AttributeName: 'pk', KeyType: 'HASH' }]),
      LastEvaluatedShardId: absent,
    });
    for (const shard of StreamDescription.Shards) {
      assertMatches(shard, {
        ShardId: matches(/^shardId-\d{20}-[0-9a-f]{8}$/),
        SequenceNumberRange: { StartingSequenceNumber: matches(/^\d{21,40}$/), EndingSequenceNumber: absent },
      });
    }
  });

  for (const [view, shows] of Object.entries({
    KEYS_ONLY: [],
    NEW_IMAGE: ['NewImage'],
    OLD_IMAGE: ['OldImage'],
    NEW_AND_OLD_IMAGES: ['NewImage', 'OldImage'],
  })) {
    test(`of ${view} tells INSERT, MODIFY and REMOVE, and nothing of writes that change nothing`, async () => {
      const { TableName, StreamArn } = await streamTable(view.toLowerCase(), view);
      const key = { pk: S('a') };
      const first = { ...key, v: N(1), list: { L: [S('x'), { NULL: true }] } };
      const second = { ...key, v: N(2), bytes: { B: new Uint8Array([0, 255]) } };
      await call('PutItem', { TableName, Item: first });
      await call('PutItem', { TableName, Item: first });
      await call('PutItem', { TableName, Item: second });
      await call('UpdateItem', { TableName, Key: key, UpdateExpression: 'REMOVE nothing' });
      await call('DeleteItem', { TableName, Key: key });
      await call('DeleteItem', { TableName, Key: key });
      const image = (kind, item) => (item !== undefined && shows.includes(kind) ? exact(plainItem(item)) : absent);
      const expected = [
        ['INSERT', first, undefined],
        ['MODIFY', second, first],
        ['REMOVE', undefined, second],
      ];
      const records = await recordsOf(StreamArn, 3);
      expected.forEach(([eventName, after_, before_], i) =>
        assertMatches(records[i], {
          eventName,
          eventSource: 'aws:dynamodb',
          eventVersion: '1.1',
          awsRegion: region,
          eventID: matches(/^[0-9a-f]{32}$/),
          userIdentity: absent,
          dynamodb: {
            Keys: exact(key),
            NewImage: image('NewImage', after_),
            OldImage: image('OldImage', before_),
            StreamViewType: view,
            SequenceNumber: matches(/^\d{21,40}$/),
            ApproximateCreationDateTime: isDate,
          },
        }),
      );
    });
  }

  test('counts the size of a record by its keys and images', async () => {
    const { TableName, StreamArn } = await streamTable('size');
    await call('PutItem', { TableName, Item: { pk: S('test') } });
    const [{ dynamodb }] = await recordsOf(StreamArn, 1);
    assert.equal(dynamodb.SizeBytes, 12);
  });

  test('is closed when it is disabled, and a new one begins when it is enabled again', async () => {
    const { TableName, StreamArn } = await streamTable('disabled');
    await call('PutItem', { TableName, Item: { pk: S('a') } });
    await recordsOf(StreamArn, 1);
    await call('UpdateTable', { TableName, StreamSpecification: { StreamEnabled: false } });
    await call('PutItem', { TableName, Item: { pk: S('b') } });
    const { StreamDescription } = await call('DescribeStream', { StreamArn });
    assertMatches(StreamDescription, { StreamStatus: matches(/^DISABL(ED|ING)$/) });
    for (const { ShardId, SequenceNumberRange } of StreamDescription.Shards) {
      assert.match(SequenceNumberRange.EndingSequenceNumber, /^\d{21,40}$/);
      const page = await call('GetRecords', { ShardIterator: await iteratorOf(StreamArn, ShardId) });
      assert.equal(page.NextShardIterator, undefined);
    }
    await recordsOf(StreamArn, 1);
    if (isRealService) return; // DynamoDB needs some time
    await call('UpdateTable', {
      TableName,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    });
    const { Table } = await call('DescribeTable', { TableName });
    assert.notEqual(Table.LatestStreamArn, StreamArn);
    assert.equal((await call('ListStreams', { TableName })).Streams.length, 2);
  });

  test('replayed rebuilds the table', async () => {
    const { TableName, StreamArn } = await streamTable('replayed');
    const random = generator(20260131);
    for (let i = 0; i < 200; i++) {
      const key = { pk: S(`k${random(12)}`) };
      const kind = random(10);
      if (kind < 4) {
        await call('PutItem', { TableName, Item: { ...key, v: N(random(3)) } });
      } else if (kind < 7) {
        await call('UpdateItem', {
          TableName,
          Key: key,
          UpdateExpression: 'ADD n :one',
          ExpressionAttributeValues: { ':one': N(1) },
        });
      } else if (kind < 9) {
        await call('DeleteItem', { TableName, Key: key });
      } else {
        const keys = [...new Set([random(12), random(12), random(12)])];
        const requests = keys.map((k) => ({ PutRequest: { Item: { pk: S(`k${k}`), batch: N(i) } } }));
        await call('BatchWriteItem', { RequestItems: { [TableName]: requests } });
      }
    }
    const items = new Map();
    for (const { ShardId } of await shardsOf(StreamArn)) {
      let ShardIterator = await iteratorOf(StreamArn, ShardId);
      for (;;) {
        const page = await call('GetRecords', { ShardIterator, Limit: 7 });
        if (page.Records.length === 0) break;
        for (const { dynamodb } of page.Records) {
          assert.deepEqual(dynamodb.OldImage, items.get(dynamodb.Keys.pk.S));
          if (dynamodb.NewImage) items.set(dynamodb.Keys.pk.S, dynamodb.NewImage);
          else items.delete(dynamodb.Keys.pk.S);
        }
        ShardIterator = page.NextShardIterator;
      }
    }
    const { Items } = await call('Scan', { TableName });
    const byKey = (list) => list.sort((a, b) => (a.pk.S < b.pk.S ? -1 : 1));
    assert.deepEqual(byKey([...items.values()]), byKey(Items));
  });
});

describe('shard iterators', () => {
  let stream;
  let shard;
  let numbers;
  before(async () => {
    stream = await streamTable('iterators');
    for (let i = 0; i < 5; i++) await call('PutItem', { TableName: stream.TableName, Item: { pk: S('a'), v: N(i) } });
    numbers = (await recordsOf(stream.StreamArn, 5)).map(({ dynamodb }) => dynamodb.SequenceNumber);
    for (const { ShardId } of await shardsOf(stream.StreamArn)) {
      const page = await call('GetRecords', { ShardIterator: await iteratorOf(stream.StreamArn, ShardId) });
      if (page.Records.length > 0) shard = ShardId;
    }
  });

  test('start where they say', async () => {
    const { StreamArn } = stream;
    const valuesFrom = async (...place) => {
      const page = await call('GetRecords', { ShardIterator: await iteratorOf(StreamArn, shard, ...place) });
      return page.Records.map(({ dynamodb }) => Number(dynamodb.NewImage.v.N));
    };
    assert.deepEqual(await valuesFrom('TRIM_HORIZON'), [0, 1, 2, 3, 4]);
    assert.deepEqual(await valuesFrom('AT_SEQUENCE_NUMBER', numbers[3]), [3, 4]);
    assert.deepEqual(await valuesFrom('AFTER_SEQUENCE_NUMBER', numbers[3]), [4]);
    assert.deepEqual(await valuesFrom('LATEST'), []);
    assert.deepEqual(
      numbers,
      [...numbers].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)),
    );
  });

  test('go on page by page', async () => {
    let ShardIterator = await iteratorOf(stream.StreamArn, shard);
    const sizes = [];
    for (let i = 0; i < 4; i++) {
      const page = await call('GetRecords', { ShardIterator, Limit: 2 });
      sizes.push(page.Records.length);
      ShardIterator = page.NextShardIterator;
    }
    assert.deepEqual(sizes, [2, 2, 1, 0]);
  });

  test('are refused for what is not there', async () => {
    const { StreamArn, TableName } = stream;
    const nobody = StreamArn.replace(TableName, `${TableName}-nobody`);
    const noStream = {
      error: 'ResourceNotFoundException',
      message: `Requested resource not found: Stream: ${nobody} not found`,
    };
    const ask = { ShardIteratorType: 'LATEST' };
    await expectError('DescribeStream', { StreamArn: nobody }, noStream);
    await expectError('GetShardIterator', { StreamArn: nobody, ShardId: shard, ...ask }, noStream);
    await expectError(
      'GetShardIterator',
      { StreamArn, ShardId: kKeyLess, ...ask },
      { error: 'ResourceNotFoundException', message: 'Requested resource not found: Shard does not exist' },
    );
  });

  test('are refused for what cannot be', async () => {
    const { StreamArn } = stream;
    const ShardId = shard;
    await expectError('DescribeStream', { StreamArn: 'x'.repeat(50) }, refused('Invalid StreamArn'));
    await expectError('DescribeStream', {}, refused(one(absentMember('streamArn'))));
    await expectError('GetRecords', { ShardIterator: 'x'.repeat(50) }, refused('Invalid ShardIterator'));
    await expectError('GetRecords', {}, refused(one(absentMember('shardIterator'))));
    await expectError(
      'GetShardIterator',
      { StreamArn, ShardId: 'short', ShardIteratorType: 'LATEST' },
      refused(one(tooShort('short', 'shardId', 28))),
    );
    await expectError(
      'GetShardIterator',
      { StreamArn, ShardId, ShardIteratorType: 'AT_SEQUENCE_NUMBER', SequenceNumber: '1' },
      refused(one(tooShort('1', 'sequenceNumber', 21))),
    );
    await expectError('GetShardIterator', { StreamArn, ShardId, ShardIteratorType: 'AT_SEQUENCE_NUMBER' }, refused());
    await expectError(
      'GetShardIterator',
      { StreamArn, ShardId, ShardIteratorType: 'LATEST', SequenceNumber: numbers[0] },
      refused(),
    );
    const ShardIterator = await iteratorOf(StreamArn, ShardId);
    await expectError(
      'GetRecords',
      { ShardIterator, Limit: 1001 },
      refused(`${kInvalid}Limit should be less than or equal to 1000`),
    );
    await expectError(
      'ListStreams',
      { Limit: 101 },
      refused(`${kInvalid}Limit cannot be greater than the maximum allowed size: 100`),
    );
    await expectError(
      'DescribeStream',
      { StreamArn, Limit: 101 },
      refused(`${kInvalid}Limit cannot be greater than the maximum: 100`),
    );
    for (const [operation, input] of [
      ['ListStreams', {}],
      ['DescribeStream', { StreamArn }],
      ['GetRecords', { ShardIterator }],
    ]) {
      await expectError(
        operation,
        { ...input, Limit: 0 },
        refused(
          one("Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1"),
        ),
      );
    }
  });
});

// From ScyllaDB's suite, which runs against DynamoDB.
describe('streams, asked for what is not there', () => {
  let stream;
  let shard;
  before(async () => {
    stream = await streamTable('asked', 'KEYS_ONLY');
    [{ ShardId: shard }] = await shardsOf(stream.StreamArn);
  });
  const nowhere = 'kossaapaaasdafsdaasdasdasdasasdasfadfadfasdasdas';
  const iterator = (change) => ({
    StreamArn: stream.StreamArn,
    ShardId: shard,
    ShardIteratorType: 'LATEST',
    ...change,
  });

  test('a list after no stream is refused', () =>
    expectError('ListStreams', { TableName: stream.TableName, ExclusiveStartStreamArn: nowhere }, refused()));
  test('a list of a table without streams is empty', async () => {
    const TableName = name('streams-none');
    tables.push(TableName);
    await createTable(table(TableName, { pk: 'S' }, 'pk'));
    assertMatches(await call('ListStreams', { TableName }), { Streams: [] });
  });
  test('shards after one that is not there are none', async () => {
    const ExclusiveStartShardId = 'zzzzzzzzzzzzzzzzzzzzzzzzsfasdgagadfadfgagkjsdfsfsdjfjks';
    const { StreamDescription } = await call('DescribeStream', { StreamArn: stream.StreamArn, ExclusiveStartShardId });
    assert.deepEqual(StreamDescription.Shards, []);
  });
  test('shards after the last are none, and pages are in order', async () => {
    const shards = [];
    let ExclusiveStartShardId;
    do {
      const { StreamDescription } = await call('DescribeStream', {
        StreamArn: stream.StreamArn,
        Limit: 1,
        ExclusiveStartShardId,
      });
      shards.push(...StreamDescription.Shards.map((one) => one.ShardId));
      ExclusiveStartShardId = StreamDescription.LastEvaluatedShardId;
    } while (ExclusiveStartShardId);
    assert.deepEqual(shards, [...shards].sort());
    const { StreamDescription } = await call('DescribeStream', {
      StreamArn: stream.StreamArn,
      ExclusiveStartShardId: shards.at(-1),
    });
    assert.deepEqual(StreamDescription.Shards, []);
  });
  test('iterators of another form are refused', async () => {
    const notFound = { error: 'ResourceNotFoundException' };
    await expectError('GetShardIterator', iterator({ StreamArn: nowhere }), refused());
    await expectError(
      'GetShardIterator',
      iterator({ ShardId: 'semprinidfaasdasfsdvacsdcfsdsvsdvsdvsdvsdvsdv' }),
      notFound,
    );
    await expectError('GetShardIterator', iterator({ ShardId: 'adfasdasdasdasdasdasdasdasdasasdasd' }), notFound);
    await expectError('GetShardIterator', iterator({ ShardIteratorType: 'bulle' }), refused());
    await expectError(
      'GetShardIterator',
      iterator({ SequenceNumber: 'sdfsafglldfngjdafnasdflgnaldklkafdsgklnasdlv' }),
      refused(),
    );
    await expectError('GetShardIterator', iterator({ ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' }), refused());
    await expectError('GetRecords', { ShardIterator: `${nowhere}asdgasdasdgasdg`, Limit: 1000 }, refused());
  });
  test('at and after the sequence number of a shard are places to begin', async () => {
    const [{ SequenceNumberRange }] = await shardsOf(stream.StreamArn);
    for (const ShardIteratorType of ['AT_SEQUENCE_NUMBER', 'AFTER_SEQUENCE_NUMBER']) {
      const SequenceNumber = SequenceNumberRange.StartingSequenceNumber;
      const { ShardIterator } = await call('GetShardIterator', iterator({ ShardIteratorType, SequenceNumber }));
      assert.ok(ShardIterator);
    }
  });
});

const absentMember = (member) => `Value null at '${member}' failed to satisfy constraint: Member must not be null`;
const tooShort = (value, member, min) =>
  `Value '${value}' at '${member}' failed to satisfy constraint: Member must have length greater than or equal to ${min}`;

// An item with its bytes in comparable form.
function plainItem(item) {
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => [
      key,
      value.B ? { B: { bytes: Buffer.from(value.B).toString('base64') } } : value,
    ]),
  );
}

// Generates small numbers that are the same in every run.
function generator(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
