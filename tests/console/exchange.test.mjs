// User actions on buckets, dead letters and hot partitions, and the figures shown with them.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import http from 'node:http';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { closeBrowser, open, repository, serve, until } from './harness.mjs';

after(closeBrowser);

const key = { KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }, { AttributeName: 'n', KeyType: 'RANGE' }], AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }, { AttributeName: 'n', AttributeType: 'N' }], BillingMode: 'PAY_PER_REQUEST' };

// The S3 server of the other tests, which checks every signature.
async function smallS3(...buckets) {
  const program = 'import sys; sys.path.insert(0, "tests"); import harness, small_s3\ns3 = small_s3.SmallS3(*sys.argv[1:])\nprint(s3.url, harness.ACCESS_KEY, harness.SECRET_KEY, flush=True)\nsys.stdin.read()';
  const child = spawn('python3', ['-c', program, ...buckets], { cwd: repository, stdio: ['pipe', 'pipe', 'inherit'] });
  const line = await new Promise((found, failed) => {
    let output = '';
    child.stdout.on('data', (bytes) => { output += bytes; if (output.includes('\n')) found(output); });
    child.once('exit', () => failed(new Error('the S3 server did not start')));
  });
  const [url, id, secret] = line.trim().split(' ');
  return { url, env: { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_REGION: 'us-east-1' }, stop: () => new Promise((resume) => { child.once('exit', resume); child.stdin.end(); }) };
}

describe('buckets', () => {
  test('a table is exported to S3 and imported from there, with its state shown until it is done', async () => {
    const s3 = await smallS3('exports');
    const server = await serve('--buckets', 's3', '--s3-endpoint', s3.url, s3.env);
    const stage = await open({ server });
    const { page } = stage;
    await stage.aws('CreateTable', { TableName: 'songs', ...key });
    for (let i = 0; i < 30; ++i) await stage.aws('PutItem', { TableName: 'songs', Item: { pk: { S: 'p' + (i % 3) }, n: { N: String(i) }, tags: { SS: ['a', 'b' + i] } } });
    await stage.visit('#/backups');
    const startExport = async () => {
      await page.getByRole('button', { name: 'Export a table' }).click();
      const dialog = page.getByRole('dialog', { name: 'Export a table' });
      await dialog.getByLabel('Bucket').fill('exports');
      await dialog.getByLabel('Prefix').fill('console');
      await dialog.getByRole('button', { name: 'Export', exact: true }).click();
    };
    await startExport();
    await stage.message('Point in time recovery is not enabled'); // the API's message
    await page.keyboard.press('Escape');
    await stage.aws('UpdateContinuousBackups', { TableName: 'songs', PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } });
    await startExport();
    await stage.message('Export started');
    const exported = page.getByRole('row', { name: /songs exports\/console/ });
    await exported.getByText('completed').waitFor();
    assert.match(await exported.innerText(), /\b30\b/);
    const { ExportSummaries } = await stage.aws('ListExports', {});
    const id = ExportSummaries[0].ExportArn.split('/').pop();

    const startImport = async (table, bucket, prefix) => {
      await page.getByRole('button', { name: 'Import a table' }).click();
      const dialog = page.getByRole('dialog', { name: 'Import a table' });
      await dialog.getByLabel('New table').fill(table);
      await dialog.getByLabel('Partition key', { exact: true }).fill('pk');
      await dialog.getByLabel('Sort key', { exact: true }).fill('n');
      await dialog.getByLabel('Sort key type').selectOption('N');
      await dialog.getByLabel('Bucket').fill(bucket);
      await dialog.getByLabel('Prefix').fill(prefix);
      await dialog.getByLabel('Compression').selectOption('GZIP');
      await dialog.getByRole('button', { name: 'Import', exact: true }).click();
      await stage.message('Import started');
      return page.getByRole('row', { name: new RegExp('^' + table) });
    };
    const imported = await startImport('again', 'exports', `console/AWSDynamoDB/${id}/data/`);
    await imported.getByText('completed').waitFor();
    assert.match(await imported.innerText(), /\b30\b/);
    const all = async (table) => (await stage.aws('Scan', { TableName: table })).Items.map((item) => JSON.stringify(Object.entries(item).sort())).sort();
    assert.deepEqual(await all('again'), await all('songs'));
    const failed = await startImport('never', 'nowhere', '');
    await failed.getByText('failed', { exact: true }).waitFor();
    assert.match(await failed.innerText(), /bucket does not exist/);
    await stage.close();
    await server.stop();
    await s3.stop();
  });
});

describe('dead letters', () => {
  test('an abandoned event is shown with its reason, tried again, and gone', async () => {
    let status = 500;
    const taken = [];
    const firewall = http.createServer((request, reply) => {
      let body = '';
      request.on('data', (bytes) => { body += bytes; });
      request.on('end', () => { if (status === 200) taken.push(JSON.parse(body)); reply.writeHead(status, { 'Content-Type': 'application/json' }); reply.end(status === 200 ? '{}' : '{"reason": "the firewall sleeps"}'); });
    });
    await new Promise((resume) => firewall.listen(0, '127.0.0.1', resume));
    const stage = await open({ flags: ['--memory-store', '--design', path.join('designs', 'parental-control.yaml'), '--endpoint', `firewall=http://127.0.0.1:${firewall.address().port}/`, '--reaction-backoff-ms', '1'] });
    const { page } = stage;
    const call = async (operation, inputs) => {
      const reply = await fetch(`${stage.url}/designs/parental-control/${operation}`, { method: 'POST', body: JSON.stringify(inputs), headers: { 'Content-Type': 'application/json' } });
      assert.equal(reply.status, 200, await reply.clone().text());
    };
    const policy = (phone) => ({ childPhoneNumber: phone, parentEmail: 'p@example.com', blockedApps: [{ appName: 'TikTok', ports: [{ port: 443, protocol: 'TCP' }], domains: ['*.tiktok.com'], ipRanges: [] }], timeWindows: [{ startTime: '22:00', endTime: '06:00', days: ['MON'] }] });
    await stage.visit('#/designs/parental-control/background');
    await page.getByText('There are none.').waitFor();
    for (const phone of ['+15550000001', '+15550000002']) await call('createPolicy', policy(phone));
    const letters = page.locator('.letters > li');
    await until(async () => (await letters.count()) === 2, 'two dead letters');
    assert.match(await letters.first().innerText(), /policyChanged[^]*the firewall sleeps/);
    assert.equal(await page.locator('.figures .bad', { hasText: 'dead letters' }).locator('b').innerText(), '2');
    status = 200;
    const first = letters.filter({ hasText: '+15550000001' });
    await first.getByRole('button', { name: 'Try again' }).click();
    await stage.message('1 will be tried again');
    await until(async () => (await letters.count()) === 1, 'one letter less');
    assert.deepEqual(taken.map((one) => one.item?.childPhoneNumber ?? one.childPhoneNumber), ['+15550000001']);
    await page.getByRole('button', { name: 'Try all again' }).click();
    await page.getByText('There are none.').waitFor();
    await until(() => taken.length === 2, 'the second event');
    await stage.close();
    await new Promise((resume) => { firewall.closeAllConnections(); firewall.close(resume); });
  });
});

describe('hot partitions', () => {
  test('Contributor Insights marks the hottest partitions of the table and of an index', async () => {
    const stage = await open();
    const { page } = stage;
    await stage.aws('CreateTable', { TableName: 'visits', ...key, AttributeDefinitions: [...key.AttributeDefinitions, { AttributeName: 'city', AttributeType: 'S' }], GlobalSecondaryIndexes: [{ IndexName: 'byCity', KeySchema: [{ AttributeName: 'city', KeyType: 'HASH' }], Projection: { ProjectionType: 'ALL' } }] });
    for (let i = 0; i < 12; ++i) await stage.aws('PutItem', { TableName: 'visits', Item: { pk: { S: 'p' + (i % 4) }, n: { N: String(i) }, city: { S: i % 2 ? 'Bern' : 'Oslo' } } });
    for (const index of ['', 'byCity']) {
      await stage.visit('#/tables/visits/collections');
      await page.getByLabel('Table or index').selectOption(index);
      await page.getByRole('button', { name: 'Turn on' }).click();
      await stage.message('counted by partition');
    }
    const query = (index, name, value, times) => Promise.all(Array.from({ length: times }, () => stage.aws('Query', { TableName: 'visits', ...(index ? { IndexName: index } : {}), KeyConditionExpression: '#k = :v', ExpressionAttributeNames: { '#k': name }, ExpressionAttributeValues: { ':v': { S: value } } })));
    await query('', 'pk', 'p2', 20);
    await query('', 'pk', 'p1', 5);
    await query('byCity', 'city', 'Oslo', 9);
    await stage.visit('#/tables/visits/collections');
    await page.getByLabel('Order').selectOption('hottest');
    const first = page.locator('.partition').first();
    await first.getByText(/^hot: /).waitFor();
    const heat = async (name) => Number(/\d+/.exec(await page.getByRole('region', { name: 'Partition ' + name, exact: true }).locator('.chip.hot').innerText())[0]);
    assert.equal(await first.getAttribute('aria-label'), 'Partition p2');
    assert.ok(await heat('p2') >= 20 && await heat('p1') >= 5 && await heat('p2') > await heat('p1'));
    assert.equal(await page.getByRole('region', { name: 'Partition p3' }).locator('.chip.hot').count(), 0);
    await page.getByLabel('Table or index').selectOption('byCity');
    await page.getByRole('region', { name: 'Partition Oslo' }).locator('.chip.hot').waitFor();
    assert.equal(await page.locator('.partition').first().getAttribute('aria-label'), 'Partition Oslo');
    await stage.close();
  });
});

describe('figures', () => {
  test('consumed units are drawn for the table and the server', async () => {
    const stage = await open();
    const { page } = stage;
    await stage.aws('CreateTable', { TableName: 'metered', ...key });
    await stage.visit('#/tables/metered/settings');
    const chart = page.getByRole('region', { name: 'Figures of metered' }).getByRole('img', { name: /^Consumed units/ });
    await chart.waitFor();
    await until(async () => {
      await stage.aws('PutItem', { TableName: 'metered', Item: { pk: { S: 'a' }, n: { N: '1' }, text: { S: 'x'.repeat(3000) } } });
      await stage.aws('GetItem', { TableName: 'metered', Key: { pk: { S: 'a' }, n: { N: '1' } } });
      return /read [1-9][\d.,]* \/s, write [1-9][\d.,]* \/s/.test(await chart.getAttribute('aria-label'));
    }, 'a rate of reads and writes');
    await stage.visit('#/');
    await page.getByRole('region', { name: 'Figures of the server' }).getByRole('img', { name: /^Consumed units/ }).waitFor();
    await stage.close();
  });
});
