// The six modules on a running Trestle: every operation succeeds once, the main refusals are tested, and in the end the
// items match the designs: keys, index entries, guards, child items and expiry.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CreateTableCommand, DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ulid } from 'ulid';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const program = resolve(root, process.env.TRESTLE_BINARY ?? 'build/trestle');
const examples = ['chat', 'iot-readings', 'issue-tracker', 'leaderboard', 'online-shop', 'saas'];
const startTimeoutMs = 120_000;
Object.assign(process.env, { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' });

let server;
let client;
const modules = {};
const succeeded = {};

async function design(command, name, ...flags) {
  const file = join(root, 'designs/examples', `${name}.yaml`);
  return (await promisify(execFile)(program, ['design', command, file, ...flags])).stdout;
}
const exported = async (name, to) => JSON.parse(await design('export', name, '--to', to));

function startServer() {
  server = spawn(program, ['serve', '--memory-store', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolveStart, rejectStart) => {
    let output = '';
    const fail = (reason) => rejectStart(new Error(`${reason}:\n${output}`));
    const timer = setTimeout(fail, startTimeoutMs, 'no endpoint printed');
    server.on('error', fail).on('exit', (code) => fail(`the server ended with ${code}`));
    server.stdout.setEncoding('utf8').on('data', (part) => {
      output += part;
      const endpoint = /http:\/\/127\.0\.0\.1:\d+(?=\s)/.exec(output)?.[0];
      if (!endpoint) return;
      clearTimeout(timer);
      resolveStart(endpoint);
    });
  });
}

async function createTable({ TimeToLiveSpecification: ttl, ...table }) {
  await client.send(new CreateTableCommand(table));
  if (ttl) await client.send(new UpdateTimeToLiveCommand({ ...table, TimeToLiveSpecification: ttl }));
}

async function createTables(name) {
  const { Parameters, Resources } = await exported(name, 'cloudformation');
  for (const { Properties: table } of Object.values(Resources)) {
    delete table.PointInTimeRecoverySpecification;
    if (table.StreamSpecification) table.StreamSpecification.StreamEnabled = true;
    await createTable({ ...table, TableName: Parameters[table.TableName.Ref].Default });
  }
}

// The table in which `trestle design verify` finds unfinished work.
const journal = {
  TableName: 'trestle-journal',
  KeySchema: [
    { AttributeName: 'PK', KeyType: 'HASH' },
    { AttributeName: 'SK', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: ['PK', 'SK'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
  BillingMode: 'PAY_PER_REQUEST',
  TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
};

// Wraps the functions of a module to record which succeeded.
async function watched(name) {
  succeeded[name] = new Set();
  const watch = ([operation, run]) => [
    operation,
    async (...inputs) => {
      const answer = await run(...inputs);
      succeeded[name].add(operation);
      return answer;
    },
  ];
  return Object.fromEntries(Object.entries(await import(`./${name}.mjs`)).map(watch));
}

before(async () => {
  process.env.AWS_ENDPOINT_URL_DYNAMODB = await startServer();
  client = new DynamoDBClient({});
  await createTable(journal);
  for (const name of examples) {
    await createTables(name);
    modules[name] = await watched(name);
  }
});
after(() => server.kill('SIGTERM'));

const refused = (status, call) => assert.rejects(call, { status });
const fields = ({ data }, name) => data.map((item) => item[name]);

// Sets a figure that the design counts from the stream, which the modules do not do.
const setFigure = (TableName, PK, SK, name, value) =>
  client.send(
    new UpdateCommand({
      TableName,
      Key: { PK, SK },
      UpdateExpression: 'SET #name = :value',
      ExpressionAttributeNames: { '#name': name },
      ExpressionAttributeValues: { ':value': value },
    }),
  );

describe('chat', () => {
  test('members post, read and count what they have not read', async () => {
    const chat = modules.chat;
    const { room } = await chat.createRoom({ title: 'Lunch', owner: 'ada' });
    await chat.join({ room, user: 'grace' });
    await refused(409, chat.join({ room, user: 'grace' }));
    await refused(404, chat.join({ room: ulid(), user: 'grace' }));
    await refused(403, chat.post({ room, author: 'eve', text: 'hello' }));
    const sent = [];
    for (const text of ['one', 'two', 'three']) sent.push((await chat.post({ room, author: 'ada', text })).messageId);
    await setFigure('chat', `ROOM#${room}`, 'ROOM', 'messages', 3);
    assert.deepEqual(await chat.unread({ room, user: 'grace' }), { unread: 3, messages: 3 });
    assert.equal((await chat.markRead({ room, user: 'grace' })).read, 3);
    assert.deepEqual(await chat.unread({ room, user: 'grace' }), { unread: 0, messages: 3 });
    await refused(404, chat.markRead({ room, user: 'eve' }));
    const { data, cursor } = await chat.messages({ room }, { limit: 2 });
    assert.deepEqual(fields({ data }, 'text'), ['three', 'two']);
    assert.deepEqual(fields(await chat.messages({ room }, { limit: 2, cursor }), 'text'), ['one']);
    assert.deepEqual(fields(await chat.messagesSince({ room, from: sent[1] }), 'messageId'), sent.slice(1));
    assert.deepEqual(fields(await chat.messagesSince({ room, to: sent[1] }), 'messageId'), sent.slice(0, 2));
    await refused(403, chat.edit({ room, messageId: sent[0], author: 'grace', text: 'x' }));
    await refused(404, chat.edit({ room, messageId: ulid(), author: 'ada', text: 'x' }));
    const edited = await chat.edit({ room, messageId: sent[0], author: 'ada', text: 'first' });
    assert.equal(edited.text, 'first');
    assert.ok(edited.editedAt);
    await chat.deleteMessage({ room, messageId: sent[2] });
    await refused(404, chat.deleteMessage({ room, messageId: sent[2] }));
    assert.deepEqual(fields(await chat.members({ room }), 'user'), ['ada', 'grace']);
    assert.deepEqual(fields(await chat.roomsOf({ user: 'grace' }), 'room'), [room]);
    await chat.rename({ room, title: 'Dinner' });
    assert.equal((await chat.room({ room })).title, 'Dinner');
    await refused(404, chat.rename({ room: ulid(), title: 'x' }));
    await chat.leave({ room, user: 'grace' });
    await refused(404, chat.leave({ room, user: 'grace' }));
    await chat.createRoom({ title: 'Stays', owner: 'ada' });
    await chat.closeRoom({ room });
    await refused(404, chat.closeRoom({ room }));
    assert.deepEqual((await chat.messages({ room })).data, []);
  });
});

describe('iot-readings', () => {
  const today = new Date().toISOString().slice(0, 10);
  const at = (time) => `${today}T${time}.000Z`;

  test('a device records readings, of which the newest is the latest', async () => {
    const iot = modules['iot-readings'];
    const { device, secretHash } = await iot.install({ site: 'roof', model: 'T1', secret: 's3cret' });
    assert.match(secretHash, /^[0-9a-f]{64}$/);
    for (const [time, celsius] of [
      ['09:00:00', 20],
      ['09:30:00', 22.5],
      ['10:15:00', 19],
    ])
      await iot.record({ device, at: at(time), celsius });
    await iot.record({ device, at: at('09:00:00'), celsius: 5, humidity: 40 });
    assert.equal((await iot.latest({ device })).celsius, 19);
    assert.equal((await iot.day({ device, day: today })).data.length, 4);
    assert.deepEqual(
      fields(await iot.between({ device, day: today, from: at('09:30:00'), to: at('09:30:00') }), 'celsius'),
      [22.5],
    );
    await refused(404, iot.record({ device: ulid(), at: at('09:00:00'), celsius: 1 }));
    await iot.record({ device, at: '2020-01-01T00:00:00.000Z', celsius: 1 });
    assert.deepEqual((await iot.day({ device, day: '2020-01-01' })).data, [], 'it has expired');
    await iot.move({ device, site: 'cellar' });
    await refused(404, iot.move({ device: ulid(), site: 'cellar' }));
    assert.deepEqual((await iot.devicesOf({ site: 'roof' })).data, []);
    assert.deepEqual(fields(await iot.devicesOf({ site: 'cellar' }), 'device'), [device]);
    assert.equal((await iot.device({ device })).site, 'cellar');
  });

  test('hourly figures and the removal of a device', async () => {
    const iot = modules['iot-readings'];
    const { device } = await iot.install({ site: 'hall', model: 'T1', secret: 's' });
    await refused(404, iot.averageOf({ device, hour: `${today}-09` }));
    for (const celsius of [20, 21]) await iot.record({ device, at: at('09:00:00'), celsius });
    const key = { PK: `DEVICE#${device}`, SK: `HOUR#${today}-09` };
    const figures = { ...key, device, hour: `${today}-09`, readings: 2, celsius: 41 };
    Object.assign(figures, { Type: 'HourlyFigures', __edb_v__: '1' });
    await client.send(new PutCommand({ TableName: 'readings', Item: figures }));
    assert.deepEqual(await iot.averageOf({ device, hour: `${today}-09` }), { readings: 2, average: 20.5 });
    assert.deepEqual(fields(await iot.hours({ device, from: `${today}-09` }), 'hour'), [`${today}-09`]);
    assert.deepEqual((await iot.hours({ device, from: `${today}-10` })).data, []);
    await client.send(new DeleteCommand({ TableName: 'readings', Key: key })); // verify counts itself
    await iot.remove({ device });
    await refused(404, iot.remove({ device }));
    await refused(404, iot.device({ device }));
    await refused(404, iot.latest({ device }));
  });
});

describe('issue-tracker', () => {
  test('numbers follow each other; state, assignee and labels are indexed', async () => {
    const tracker = modules['issue-tracker'];
    const project = 'TRESTLE';
    await tracker.createProject({ project, name: 'Trestle' });
    await refused(409, tracker.createProject({ project, name: 'again' }));
    await refused(404, tracker.openIssue({ project: 'NONE', title: 'x' }));
    const { number } = await tracker.openIssue({ project, title: 'x', assignee: 'ada', labels: ['bug', 'ui'] });
    const key = { project, number };
    assert.equal((await tracker.openIssue({ project, title: 'y' })).number, number + 1);
    assert.equal((await tracker.project({ project })).lastNumber, number + 1);
    assert.deepEqual(fields(await tracker.issues({ project }), 'number'), [number + 1, number]);
    const labelled = async (label) => fields(await tracker.issuesLabelled({ project, label }), 'number');
    assert.deepEqual(await labelled('bug'), [number]);
    const edited = await tracker.editIssue({ ...key, labels: ['ui', 'later'], body: 'Long.' });
    assert.deepEqual([edited.title, edited.body, edited.rev], ['x', 'Long.', 2]);
    assert.deepEqual([await labelled('bug'), await labelled('ui'), await labelled('later')], [[], [number], [number]]);
    await tracker.editIssue({ ...key, labels: null, title: 'z' });
    assert.deepEqual([await labelled('ui'), (await tracker.issue(key)).title], [[], 'z']);
    await refused(404, tracker.editIssue({ project, number: 99, title: 'x' }));
    await Promise.all(['a', 'b', 'c'].map((label) => tracker.editIssue({ ...key, labels: [label] })));
    const { labels } = await tracker.issue(key);
    assert.deepEqual([labels.length, await labelled(labels[0])], [1, [number]]);
    const inState = async (state) => fields(await tracker.issuesByState({ project, state }), 'number');
    await tracker.closeIssue(key);
    await refused(409, tracker.closeIssue(key));
    await refused(404, tracker.closeIssue({ project, number: 99 }));
    assert.deepEqual([await inState('open'), await inState('closed')], [[number + 1], [number]]);
    const [listed] = (await tracker.issuesOf({ assignee: 'ada', state: 'closed' })).data;
    assert.deepEqual([listed.number, listed.title, listed.body], [number, 'z', undefined]);
    await tracker.reopenIssue(key);
    const of = async (assignee) => fields(await tracker.issuesOf({ assignee, state: 'open' }), 'number');
    await tracker.assign({ ...key, to: 'bob' });
    assert.deepEqual([await of('ada'), await of('bob')], [[], [number]]);
    await tracker.unassign(key);
    await refused(404, tracker.assign({ project, number: 99, to: 'bob' }));
    assert.deepEqual(await of('bob'), []);
    const { commentId } = await tracker.comment({ ...key, author: 'ada', body: 'yes' });
    await refused(404, tracker.comment({ project, number: 99, author: 'ada', body: 'no' }));
    assert.deepEqual(fields(await tracker.comments(key), 'body'), ['yes']);
    await tracker.deleteComment({ ...key, commentId });
    await refused(404, tracker.deleteComment({ ...key, commentId }));
  });
});

describe('leaderboard', () => {
  test('the best score of each player counts, and a name is taken once', async () => {
    const board = modules.leaderboard;
    const players = [];
    for (const name of ['Ada', 'Bob', 'Cy']) players.push((await board.createPlayer({ name })).player);
    await refused(409, board.createPlayer({ name: 'Ada' }));
    for (const [place, points] of [
      [0, 50],
      [1, 900],
      [2, 1000],
      [0, 20],
      [1, 901],
    ])
      await board.submit({ player: players[place], board: 'b', points });
    await refused(404, board.submit({ player: ulid(), board: 'b', points: 1 }));
    assert.deepEqual(fields(await board.top({ board: 'b' }), 'best'), [1000, 901, 50]);
    assert.deepEqual(fields(await board.between({ board: 'b', from: 60, to: 950 }), 'best'), [901]);
    const mine = await board.score({ player: players[0], board: 'b' });
    assert.deepEqual([mine.best, mine.plays], [50, 2]);
    assert.deepEqual(fields(await board.scoresOf({ player: players[0] }), 'board'), ['b']);
    await board.renamePlayer({ player: players[0], name: 'Eva' });
    await refused(409, board.renamePlayer({ player: players[0], name: 'Bob' }));
    await refused(404, board.renamePlayer({ player: ulid(), name: 'Fay' }));
    await refused(404, board.playerByName({ name: 'Ada' }));
    assert.equal((await board.playerByName({ name: 'Eva' })).player, players[0]);
    assert.equal((await board.player({ player: players[0] })).name, 'Eva');
    const submits = Array.from({ length: 8 }, (_, points) => board.submit({ player: players[0], board: 'c', points }));
    await Promise.all(submits);
    const raced = await board.score({ player: players[0], board: 'c' });
    assert.deepEqual([raced.best, raced.plays], [7, 8]);
    await board.withdraw({ player: players[2], board: 'b' });
    await refused(404, board.withdraw({ player: players[2], board: 'b' }));
  });
});

describe('online-shop', () => {
  const stocks = (shop, ...skus) => Promise.all(skus.map(async (sku) => (await shop.product({ sku })).stock));

  async function prepared(name) {
    const shop = modules['online-shop'];
    const { customerId } = await shop.createCustomer({ email: `${name}@Example.com`, name: 'Ada' });
    const skus = [1, 2].map((place) => `${name.toUpperCase()}-${place}`);
    for (const sku of skus) {
      await shop.createProduct({ sku, title: 'A lamp', category: name, price: 9.5 });
      await shop.receiveStock({ sku, quantity: 5 });
    }
    return { shop, customerId, skus };
  }

  test('customers have one email each, and products a category', async () => {
    const { shop, customerId, skus } = await prepared('customers');
    await refused(409, shop.createCustomer({ email: 'CUSTOMERS@example.com', name: 'Eve' }));
    assert.equal((await shop.customerByEmail({ email: 'Customers@example.com' })).customerId, customerId);
    await shop.updateCustomer({ customerId, name: 'Ada L.' });
    await shop.updateCustomer({ customerId, email: 'other@example.com' });
    await refused(404, shop.updateCustomer({ customerId: ulid(), name: 'x' }));
    await refused(404, shop.customerByEmail({ email: 'customers@example.com' }));
    const { email, name } = await shop.customer({ customerId });
    assert.deepEqual([email, name], ['other@example.com', 'Ada L.']);
    await refused(409, shop.createProduct({ sku: skus[0], title: 'x', category: 'c', price: 1 }));
    assert.equal((await shop.reprice({ sku: skus[0], price: 12 })).price, 12);
    await refused(404, shop.reprice({ sku: 'NONE', price: 12 }));
    await shop.returnStock({ sku: skus[0], quantity: 2 });
    assert.deepEqual(fields(await shop.productsOf({ category: 'customers' }), 'stock'), [7, 5]);
  });

  test('an order takes stock, goes its way and gives stock back', async () => {
    const { shop, customerId, skus } = await prepared('orders');
    await refused(404, shop.openOrder({ customerId: ulid() }));
    const { orderId } = await shop.openOrder({ customerId });
    const key = { customerId, orderId };
    await refused(409, shop.place(key));
    await shop.addLine({ ...key, sku: skus[0], quantity: 2 });
    await refused(409, shop.addLine({ ...key, sku: skus[0], quantity: 1 }));
    await refused(409, shop.addLine({ ...key, sku: skus[1], quantity: 6 }));
    await refused(404, shop.addLine({ ...key, sku: 'NONE', quantity: 1 }));
    await shop.addLine({ ...key, sku: skus[1], quantity: 1 });
    assert.deepEqual(await stocks(shop, ...skus), [3, 4]);
    const whole = await shop.order(key);
    assert.deepEqual([whole.total, whole.lines.length, whole.order.lines], [28.5, 2, 2]);
    await shop.removeLine({ ...key, sku: skus[1] });
    await refused(404, shop.removeLine({ ...key, sku: skus[1] }));
    await shop.place(key);
    await refused(409, shop.removeLine({ ...key, sku: skus[0] }));
    await refused(409, shop.ship(key));
    await refused(404, shop.pay({ customerId, orderId: ulid() }));
    await shop.pay(key);
    assert.deepEqual(fields(await shop.ordersByStatus({ status: 'paid' }), 'orderId'), [orderId]);
    await shop.cancel(key);
    await refused(409, shop.cancel(key));
    assert.deepEqual(await stocks(shop, ...skus), [5, 5]);
    const { orderId: second } = await shop.buy({ customerId, lines: [{ sku: skus[0], quantity: 1 }] });
    await shop.pay({ customerId, orderId: second });
    await shop.ship({ customerId, orderId: second });
    await shop.deliver({ customerId, orderId: second });
    await refused(409, shop.cancel({ customerId, orderId: second }));
    assert.deepEqual(fields(await shop.orders({ customerId }), 'status'), ['delivered', 'cancelled']);
    const { data } = await shop.account({ customerId });
    assert.deepEqual([fields({ data: data.Order }, 'orderId'), data.Customer.length], [[second, orderId], 1]);
  });

  test('an order of many lines is bought whole or not at all', async () => {
    const { shop, customerId, skus } = await prepared('buy');
    const lines = skus.map((sku) => ({ sku, quantity: 2 }));
    await refused(409, shop.buy({ customerId, lines: [lines[0], { sku: skus[1], quantity: 6 }] }));
    await refused(404, shop.buy({ customerId, lines: [lines[0], { sku: 'NONE', quantity: 1 }] }));
    await refused(404, shop.buy({ customerId: ulid(), lines }));
    await refused(400, shop.buy({ customerId, lines: [lines[0], lines[0]] }));
    assert.deepEqual(await stocks(shop, ...skus), [5, 5]);
    const ids = [];
    for (let i = 0; i < 2; ++i) ids.push((await shop.buy({ customerId, lines })).orderId);
    assert.deepEqual(await stocks(shop, ...skus), [1, 1]);
    const first = await shop.ordersByStatus({ status: 'placed' }, { limit: 1 });
    const rest = await shop.ordersByStatus({ status: 'placed' }, { limit: 1, before: first.next });
    assert.deepEqual([...fields(first, 'orderId'), ...fields(rest, 'orderId')], [ids[1], ids[0]]);
    for (const orderId of ids) await shop.cancel({ customerId, orderId });
    assert.deepEqual(await stocks(shop, ...skus), [5, 5]);
  });

  test('a reservation holds stock until it ends', async () => {
    const { shop, customerId, skus } = await prepared('reserve');
    const [sku] = skus;
    await refused(409, shop.reserve({ customerId, sku, quantity: 6 }));
    await refused(404, shop.reserve({ customerId, sku: 'NONE', quantity: 1 }));
    const { reservationId } = await shop.reserve({ customerId, sku, quantity: 2 });
    assert.deepEqual(await stocks(shop, sku), [3]);
    const { orderId } = await shop.collect({ sku, reservationId });
    assert.equal((await shop.order({ customerId, orderId })).total, 19);
    await refused(410, shop.collect({ sku, reservationId }));
    const late = await shop.reserve({ customerId, sku, quantity: 1 });
    await setFigure('shop', `PRODUCT#${sku}`, `RESERVED#${late.reservationId}`, 'until', 1);
    await refused(410, shop.collect({ sku, reservationId: late.reservationId }));
    await setFigure('shop', `PRODUCT#${sku}`, `RESERVED#${late.reservationId}`, 'until', late.until);
  });

  test('the last one is sold once', async () => {
    const { shop, customerId, skus } = await prepared('race');
    const buy = () => shop.buy({ customerId, lines: [{ sku: skus[0], quantity: 1 }] });
    const sold = await Promise.allSettled(Array.from({ length: 8 }, buy));
    assert.equal(sold.filter(({ status }) => status === 'fulfilled').length, 5);
    assert.deepEqual(await stocks(shop, skus[0]), [0]);
  });
});

describe('saas', () => {
  test('seats are limited and emails are unique in a tenant', async () => {
    const saas = modules.saas;
    const tenant = 'acme';
    const { user: owner } = await saas.signUp({ tenant, name: 'Acme', email: 'O@example.com' });
    await refused(409, saas.signUp({ tenant, name: 'Other', email: 'x@example.com' }));
    const { user } = await saas.invite({ tenant, email: 'b@example.com' });
    await refused(409, saas.invite({ tenant, email: 'B@example.com' }));
    await refused(404, saas.invite({ tenant: 'none', email: 'b@example.com' }));
    await saas.invite({ tenant, email: 'c@example.com', role: 'admin' });
    await refused(402, saas.invite({ tenant, email: 'd@example.com' }));
    await refused(409, saas.changePlan({ tenant, plan: 'free', seatsMax: 2 }));
    await refused(404, saas.changePlan({ tenant: 'none', plan: 'free', seatsMax: 2 }));
    await saas.removeMember({ tenant, user });
    await refused(404, saas.removeMember({ tenant, user }));
    await refused(409, saas.removeMember({ tenant, user: owner }));
    assert.equal((await saas.tenant({ tenant })).seats, 2);
    assert.equal((await saas.changePlan({ tenant, plan: 'team', seatsMax: 10 })).plan, 'team');
    await saas.invite({ tenant, email: 'b@example.com' });
    assert.deepEqual(fields(await saas.members({ tenant }), 'role').sort(), ['admin', 'member', 'owner']);
    assert.equal((await saas.memberByEmail({ tenant, email: 'o@Example.com' })).user, owner);
    await refused(404, saas.memberByEmail({ tenant, email: 'none@example.com' }));
  });

  test('projects, API keys, and calls that are limited and counted', async () => {
    const saas = modules.saas;
    const tenant = 'globex';
    await saas.signUp({ tenant, name: 'Globex', email: 'o@example.com' });
    const { projectId } = await saas.createProject({ tenant, name: 'Site' });
    await refused(404, saas.createProject({ tenant: 'none', name: 'Site' }));
    await saas.archiveProject({ tenant, projectId });
    await refused(404, saas.archiveProject({ tenant, projectId: ulid() }));
    assert.deepEqual(fields(await saas.projects({ tenant }), 'archived'), [true]);
    const { key } = await saas.createKey({ tenant, label: 'ci' });
    await refused(404, saas.createKey({ tenant: 'none' }));
    await refused(401, saas.call({ key: 'unknown', month: '2026-01' }));
    let calls = 0;
    const call = () => saas.call({ key, month: '2026-01' }).then(({ remaining }) => (++calls, remaining));
    assert.equal(await call(), 59);
    // 130 calls, in at most two windows.
    await refused(
      429,
      (async () => {
        for (let i = 0; i < 130; ++i) await call();
      })(),
    );
    assert.equal((await saas.usage({ tenant, month: '2026-01' })).calls, calls);
    const [{ keyHash }] = (await saas.keys({ tenant })).data;
    await saas.revokeKey({ tenant, keyHash });
    await refused(404, saas.revokeKey({ tenant, keyHash }));
    await refused(401, saas.call({ key, month: '2026-01' }));
  });
});

describe('all', () => {
  for (const name of examples) {
    test(`${name}: every operation of the design has succeeded`, async () => {
      const operations = Object.keys((await exported(name, 'openapi')).paths).map((path) => path.split('/').at(-1));
      assert.deepEqual([...succeeded[name]].sort(), operations.sort());
    });

    // `verify` first counts the stream's records, as a server of the design would. Without an assignee ElectroDB leaves
    // the sort key of the index, which has no effect without its partition key.
    test(`${name}: the items are what the design says`, async () => {
      const verified = design('verify', name, '--on', process.env.AWS_ENDPOINT_URL_DYNAMODB);
      const lines = (await verified.catch(({ stdout }) => stdout)).trim().split('\n');
      assert.match(lines.pop(), /: \d+ items, \d+ faults$/);
      const others = lines.filter((line) => !/ISSUE#.*: GSI2SK is .*, should be absent$/.test(line));
      assert.deepEqual(others, []);
    });
  }
});
