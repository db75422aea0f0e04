// User actions on data: tables, items, conflicts, pages, files, PartiQL, streams, settings, backups.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { closeBrowser, fillEditor, open, serve, serveOn, until } from './harness.mjs';

for (const [where, start] of [['embedded', () => serve()], ['on another endpoint', () => serveOn('designs/authz.yaml', '--browse-on')]]) describe('data ' + where, () => {
  let stage, page, server;
  before(async () => { server = await start(); stage = await open({ server }); page = stage.page; });
  after(async () => { try { await stage.close(); } finally { await closeBrowser(); await server.stop(); } });

  test('a table is created by the form, and refused in the API’s own words', async () => {
    await stage.visit('#/');
    await page.getByRole('button', { name: 'Create table' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create table' });
    await dialog.getByLabel('Table name').fill('a!');
    await dialog.getByRole('button', { name: 'Create table' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'validation error' }).waitFor();
    await dialog.getByLabel('Table name').fill('music');
    await dialog.getByLabel('Partition key', { exact: true }).fill('artist');
    await dialog.getByLabel('Sort key', { exact: true }).fill('title');
    await dialog.getByRole('combobox', { name: 'Stream' }).selectOption('NEW_AND_OLD_IMAGES');
    await dialog.getByRole('button', { name: '+ Index' }).click();
    await dialog.getByLabel('Index name').fill('byYear');
    await dialog.getByLabel('Index partition key', { exact: true }).fill('year');
    await dialog.getByRole('combobox', { name: 'Index partition key type' }).selectOption('N');
    await dialog.getByRole('button', { name: 'Create table' }).click();
    await page.getByRole('heading', { name: 'music', level: 1 }).waitFor();
    const { Table } = await stage.aws('DescribeTable', { TableName: 'music' });
    assert.deepEqual(Table.KeySchema, [{ AttributeName: 'artist', KeyType: 'HASH' }, { AttributeName: 'title', KeyType: 'RANGE' }]);
    assert.equal(Table.GlobalSecondaryIndexes[0].IndexName, 'byYear');
    assert.equal(Table.StreamSpecification.StreamViewType, 'NEW_AND_OLD_IMAGES');
  });

  test('an item is added by the typed form', async () => {
    await stage.visit('#/tables/music');
    await page.getByRole('button', { name: 'New item' }).click();
    const dialog = page.getByRole('dialog', { name: 'New item' });
    await dialog.getByLabel('Value of artist').fill('Nina Simone');
    await dialog.getByLabel('Value of title').fill('Sinnerman');
    await dialog.getByRole('button', { name: '+ Attribute' }).click();
    await dialog.getByLabel('Name of new attribute').fill('plays');
    await dialog.getByLabel('Type of plays').selectOption('N');
    await dialog.getByLabel('Value of plays').fill('12345678901234567890123456789');
    await dialog.getByRole('button', { name: '+ Attribute' }).click();
    await dialog.getByLabel('Name of new attribute').fill('tags');
    await dialog.getByLabel('Type of tags').selectOption('SS');
    await dialog.getByLabel('Value of tags').fill('jazz\nlive');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await stage.message('Item created');
    const { Item } = await stage.aws('GetItem', { TableName: 'music', Key: { artist: { S: 'Nina Simone' }, title: { S: 'Sinnerman' } } });
    assert.deepEqual(Item, { artist: { S: 'Nina Simone' }, title: { S: 'Sinnerman' }, plays: { N: '12345678901234567890123456789' }, tags: { SS: ['jazz', 'live'] } });
  });

  test('an item is edited as JSON; sets and long numbers stay what they are', async () => {
    await stage.visit('#/tables/music');
    await page.getByRole('button', { name: 'Nina Simone' }).click();
    const dialog = page.getByRole('dialog', { name: 'Item' });
    await dialog.getByRole('tab', { name: 'JSON', exact: true }).click();
    await fillEditor(page, 'Item as JSON', '{"artist": "Nina Simone", "title": "Sinnerman", "plays": 12345678901234567890123456789, "tags": ["jazz", "live", "long"], "year": 1965, "on": {"label": "Philips"}}');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await stage.message('Item saved');
    const { Item } = await stage.aws('GetItem', { TableName: 'music', Key: { artist: { S: 'Nina Simone' }, title: { S: 'Sinnerman' } } });
    assert.deepEqual(Item.tags, { SS: ['jazz', 'live', 'long'] });
    assert.deepEqual(Item.plays, { N: '12345678901234567890123456789' });
    assert.deepEqual(Item.on, { M: { label: { S: 'Philips' } } });
  });

  test('a concurrent change is not overwritten, and is shown', async () => {
    await stage.visit('#/tables/music');
    await page.getByRole('button', { name: 'Nina Simone' }).click();
    const dialog = page.getByRole('dialog', { name: 'Item' });
    await dialog.getByLabel('Value of year').fill('1966');
    const key = { artist: { S: 'Nina Simone' }, title: { S: 'Sinnerman' } };
    await stage.aws('UpdateItem', { TableName: 'music', Key: key, UpdateExpression: 'SET plays = :p', ExpressionAttributeValues: { ':p': { N: '7' } } });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Somebody changed this item meanwhile').waitFor();
    assert.match(await dialog.locator('tr.changed', { hasText: 'plays' }).innerText(), /7/);
    const read = async () => (await stage.aws('GetItem', { TableName: 'music', Key: key, ConsistentRead: true })).Item;
    assert.deepEqual([(await read()).year, (await read()).plays], [{ N: '1965' }, { N: '7' }]);
    await dialog.getByRole('button', { name: 'Take theirs' }).click();
    await dialog.getByLabel('Value of year').fill('1966');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await stage.message('Item saved');
    assert.deepEqual([(await read()).year, (await read()).plays], [{ N: '1966' }, { N: '7' }]);
  });

  test('a query by key, on an index, with a filter; the request as code', async () => {
    for (let i = 0; i < 5; ++i) await stage.aws('PutItem', { TableName: 'music', Item: { artist: { S: 'Miles Davis' }, title: { S: 'Take ' + i }, year: { N: String(1959 + (i % 2)) } } });
    await stage.visit('#/tables/music');
    await page.getByRole('tab', { name: 'Query' }).click();
    await page.getByLabel('artist', { exact: true }).fill('Miles Davis');
    await page.getByLabel('Condition on title').selectOption('between');
    await page.getByLabel('title', { exact: true }).fill('Take 1');
    await page.getByLabel('title at most').fill('Take 3');
    await page.getByRole('button', { name: '+ Filter' }).click();
    await page.getByLabel('Attribute of filter 1').fill('year');
    await page.getByLabel('Type of filter 1').selectOption('N');
    await page.getByLabel('Value of filter 1').fill('1960');
    await page.keyboard.press('Control+Enter');
    await page.getByText('2 items of 3 scanned').waitFor();
    await page.getByRole('button', { name: /Request and code/ }).click();
    const requests = page.getByRole('region', { name: 'Requests' });
    await requests.getByRole('tab', { name: 'AWS CLI' }).click();
    assert.match(await requests.locator('pre').innerText(), /aws dynamodb query .*--endpoint-url http:[^]*--key-condition-expression/);
    await requests.getByRole('tab', { name: 'Python' }).click();
    assert.match(await requests.locator('pre').innerText(), /client\.query\([^]*"Miles Davis"/);
    await requests.getByRole('tab', { name: 'JavaScript' }).click();
    assert.match(await requests.locator('pre').innerText(), /new QueryCommand\(/);
    assert.match(await requests.locator('.strip').innerText(), /0\.5 units/);
    await page.getByLabel('Table or index').selectOption('byYear');
    await page.getByRole('button', { name: 'Remove filter 1' }).click();
    await page.getByLabel('year', { exact: true }).fill('1959');
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.getByText('3 items · 1 page').waitFor();
  });

  test('ten thousand items are paged through without losing the earlier pages', async () => {
    await stage.aws('CreateTable', { TableName: 'many', BillingMode: 'PAY_PER_REQUEST', KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }, { AttributeName: 'n', KeyType: 'RANGE' }], AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }, { AttributeName: 'n', AttributeType: 'N' }] });
    const all = Array.from({ length: 400 }, (_, batch) => stage.aws('BatchWriteItem', { RequestItems: { many: Array.from({ length: 25 }, (_, i) => ({ PutRequest: { Item: { id: { S: 'one' }, n: { N: String(batch * 25 + i) }, text: { S: 'item ' + (batch * 25 + i) } } } })) } }));
    await Promise.all(all);
    await stage.visit('#/tables/many');
    await page.getByLabel('Page size').fill('2500');
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.getByText('2,500 items · 1 page').waitFor();
    for (const [pages, items] of [[2, '5,000'], [3, '7,500'], [4, '10,000']]) {
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText(`${items} items · ${pages} pages`).waitFor();
    }
    const grid = page.getByRole('region', { name: /Items of many, 10000 rows/ });
    assert.ok((await grid.locator('tbody tr').count()) < 100, 'only the rows in view are in the page');
    await grid.focus();
    await page.keyboard.press('End');
    await grid.getByText('item 9999', { exact: true }).waitFor();
    await page.keyboard.press('Home');
    await grid.getByText('item 0', { exact: true }).waitFor();
  });

  test('items are exported, selected, deleted, and imported again', async () => {
    await stage.visit('#/tables/music');
    const files = {};
    for (const format of ['CSV', 'JSON', 'DynamoDB JSON']) {
      await page.getByRole('button', { name: 'Export' }).click();
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Loaded as ' + format, exact: true }).click()]);
      files[format] = { path: await download.path(), name: download.suggestedFilename() };
    }
    assert.equal((await readFile(files.CSV.path, 'utf8')).split('\r\n').length, 8); // names, six items, the end
    const stored = (await stage.aws('Scan', { TableName: 'music' })).Items;
    const lines = (await readFile(files['DynamoDB JSON'].path, 'utf8')).trim().split('\n').map((line) => JSON.parse(line).Item);
    const sorted = (items) => items.map((item) => JSON.stringify(Object.entries(item).sort())).sort();
    assert.deepEqual(sorted(lines), sorted(stored));
    await page.getByLabel('Select all loaded items').check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog', { name: /Delete 6 items/ }).getByRole('button', { name: 'Delete', exact: true }).click();
    await stage.message('6 items deleted');
    assert.equal((await stage.aws('Scan', { TableName: 'music' })).Count, 0);
    await page.getByRole('button', { name: 'Import' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import into music' });
    await dialog.getByLabel('File to import').setInputFiles({ name: 'music.dynamodb.jsonl', mimeType: 'text/plain', buffer: await readFile(files['DynamoDB JSON'].path) });
    await dialog.getByRole('button', { name: 'Import 6 items' }).click();
    await stage.message('6 items imported');
    assert.deepEqual(sorted((await stage.aws('Scan', { TableName: 'music' })).Items), sorted(stored));
    await page.getByRole('button', { name: 'Import' }).click();
    await dialog.getByLabel('File to import').setInputFiles({ name: 'music.csv', mimeType: 'text/csv', buffer: Buffer.from('artist,title,year\r\n"Bill, Evans",Peace Piece,1958\r\n') });
    await dialog.getByRole('button', { name: 'Import 1 item' }).click();
    await stage.message('1 item imported');
    const { Item } = await stage.aws('GetItem', { TableName: 'music', Key: { artist: { S: 'Bill, Evans' }, title: { S: 'Peace Piece' } } });
    assert.deepEqual(Item.year, { N: '1958' });
  });

  test('an item is duplicated under another key', async () => {
    await stage.visit('#/tables/music');
    await page.getByLabel('Select row 1', { exact: true }).check();
    await page.getByRole('button', { name: 'Duplicate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Duplicate item' });
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByText('An item with this key exists already').waitFor();
    await dialog.getByLabel('Value of title').fill('A copy');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await stage.message('Item created');
    assert.equal((await stage.aws('Scan', { TableName: 'music', FilterExpression: 'title = :t', ExpressionAttributeValues: { ':t': { S: 'A copy' } } })).Count, 1);
  });

  test('a stream is followed, with old and new images side by side', async () => {
    await stage.visit('#/tables/music/stream');
    await page.getByText('following').waitFor();
    const key = { artist: { S: 'Bill, Evans' }, title: { S: 'Peace Piece' } };
    await stage.aws('UpdateItem', { TableName: 'music', Key: key, UpdateExpression: 'SET #y = :y', ExpressionAttributeNames: { '#y': 'year' }, ExpressionAttributeValues: { ':y': { N: '1959' } } });
    const change = page.locator('.changes li.MODIFY').first();
    await change.waitFor();
    assert.match(await change.locator('tr.changed').innerText(), /year\s+1958\s+1959/);
    await stage.aws('DeleteItem', { TableName: 'music', Key: key });
    await page.locator('.changes li.REMOVE').first().waitFor();
  });

  test('PartiQL runs, shows errors, and remembers', async () => {
    await stage.visit('#/partiql');
    await fillEditor(page, 'PartiQL statement', 'SELEC * FROM music');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').filter({ hasText: 'ValidationException' }).waitFor();
    await fillEditor(page, 'PartiQL statement', `SELECT * FROM "music" WHERE artist = 'Miles Davis'`);
    await page.keyboard.press('Control+Enter');
    await page.getByText('5 items · 1 page').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    await page.reload();
    await page.getByRole('complementary', { name: 'Earlier statements' }).getByText('SELEC * FROM music').click();
    await until(async () => /SELEC \*/.test(await page.locator('[data-editor="PartiQL statement"] .cm-content').innerText()), 'the earlier statement in the editor');
  });

  test('settings are changed, and a table deleted once its name is typed', async () => {
    await stage.visit('#/tables/many/settings');
    if (where === 'embedded') await page.getByRole('region', { name: 'Figures of many' }).getByText('10,000').waitFor();
    await page.locator('.setting', { hasText: 'Time to live' }).getByRole('button', { name: 'Turn on' }).click();
    await page.getByLabel('TTL attribute').fill('expires');
    await page.getByRole('dialog').getByRole('button', { name: 'Turn on' }).click();
    await stage.message('Time to live is on');
    await page.locator('.setting', { hasText: 'Tags' }).getByRole('button', { name: 'Add' }).click();
    await page.getByLabel('Tag', { exact: true }).fill('team=data');
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await page.getByText('team=data').waitFor();
    await page.getByRole('button', { name: 'Delete table' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete many?' });
    assert.ok(await dialog.getByRole('button', { name: 'Delete table' }).isDisabled());
    await dialog.getByLabel('Confirmation').fill('many');
    await dialog.getByRole('button', { name: 'Delete table' }).click();
    await stage.message('many is being deleted');
    await until(async () => !(await stage.aws('ListTables', {})).TableNames.includes('many'), 'the table gone');
  });

  test('every setting of a table is changed, and its indexes', async () => {
    await stage.aws('CreateTable', { TableName: 'tuned', BillingMode: 'PAY_PER_REQUEST', KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }], AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }] });
    await stage.visit('#/tables/tuned/settings');
    const setting = (name) => page.locator('.setting', { hasText: name });
    const described = async () => (await stage.aws('DescribeTable', { TableName: 'tuned' })).Table;
    await setting('Billing').getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('Billing mode').selectOption('PROVISIONED');
    await page.getByLabel('Read units').fill('7');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await setting('Billing').getByText('Provisioned: 7 read, 5 write units').waitFor();
    await setting('Stream').getByRole('button', { name: 'Turn on' }).click();
    await setting('Stream').getByText('new and old images').waitFor();
    await setting('Point-in-time recovery').getByRole('button', { name: 'Turn on' }).click();
    await setting('Point-in-time recovery').getByText('on, from').waitFor();
    await setting('Contributor Insights').getByRole('button', { name: 'Turn on' }).click();
    await setting('Contributor Insights').getByText('enabled').waitFor();
    await setting('Deletion protection').getByRole('button', { name: 'Turn on' }).click();
    await setting('Deletion protection').getByRole('button', { name: 'Turn off' }).waitFor();
    assert.equal((await described()).DeletionProtectionEnabled, true);
    await page.getByRole('button', { name: 'Delete table' }).click();
    const confirm = page.getByRole('dialog', { name: 'Delete tuned?' });
    await confirm.getByLabel('Confirmation').fill('tuned');
    await confirm.getByRole('button', { name: 'Delete table' }).click();
    await stage.message('Resource cannot be deleted as it is currently protected'); // the API's message
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create global index' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create global index' });
    await dialog.getByLabel('Index name').fill('byDay');
    await dialog.getByLabel('Index partition key', { exact: true }).fill('day');
    await dialog.getByLabel('Projection', { exact: true }).selectOption('KEYS_ONLY');
    await dialog.getByRole('button', { name: 'Create index' }).click();
    const index = page.getByRole('row', { name: /^byDay/ });
    await index.getByText('keys only').waitFor();
    await until(async () => (await described()).GlobalSecondaryIndexes?.[0].IndexStatus === 'ACTIVE', 'the index');
    await index.getByTitle('Delete index byDay').click();
    await until(async () => !(await described()).GlobalSecondaryIndexes?.length, 'the index gone');
  });

  test('items are read with some attributes, edited as DynamoDB JSON, and exported as a whole', async () => {
    const items = Array.from({ length: 30 }, (_, i) => ({ id: { S: 'i' + i }, n: { N: String(i) }, note: { S: 'x' } }));
    for (const Item of items) await stage.aws('PutItem', { TableName: 'tuned', Item });
    await stage.visit('#/tables/tuned');
    await page.getByLabel('Page size').fill('10');
    await page.getByLabel('Attributes').fill('id, n');
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.getByText('10 items · 1 page').waitFor();
    assert.equal(await page.getByRole('columnheader', { name: 'note' }).count(), 0);
    await page.getByLabel('Attributes').fill('');
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.getByRole('columnheader', { name: 'note' }).waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Everything as JSON', exact: true }).click()]);
    assert.equal(JSON.parse(await readFile(await download.path(), 'utf8')).length, 30);
    await page.locator('.grid .open').first().click();
    const dialog = page.getByRole('dialog', { name: 'Item' });
    await dialog.getByRole('tab', { name: 'DynamoDB JSON' }).click();
    const id = /"i\d+"/.exec(await page.locator('[data-editor="Item as DynamoDB JSON"] .cm-content').innerText())[0].replaceAll('"', '');
    await fillEditor(page, 'Item as DynamoDB JSON', JSON.stringify({ id: { S: id }, raw: { B: 'AQI=' }, numbers: { NS: ['1', '2.5'] } }));
    await dialog.getByRole('button', { name: 'Save' }).click();
    await stage.message('Item saved');
    assert.deepEqual((await stage.aws('GetItem', { TableName: 'tuned', Key: { id: { S: id } } })).Item, { id: { S: id }, raw: { B: 'AQI=' }, numbers: { NS: ['1', '2.5'] } });
  });

  test('a table is backed up and restored', async () => {
    await stage.visit('#/backups');
    await page.getByRole('button', { name: 'Back up a table' }).click();
    await page.getByRole('dialog').getByLabel('Table').selectOption('music');
    await page.getByLabel('Backup name').fill('before');
    await page.getByRole('button', { name: 'Back up', exact: true }).click();
    await page.getByText('available').waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('textbox', { name: 'New table' }).fill('music-again');
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await stage.message('Restore started');
    await until(async () => (await stage.aws('DescribeTable', { TableName: 'music-again' })).Table.TableStatus === 'ACTIVE', 'the restored table');
  });

  test('partitions are shown, the biggest first', async () => {
    await stage.visit('#/tables/music/collections');
    const first = page.locator('.partition').first();
    await first.getByText('Miles Davis').waitFor();
    await first.getByText('big', { exact: true }).waitFor();
    await page.getByLabel('Table or index').selectOption('byYear');
    await page.getByRole('region', { name: 'Partition 1959' }).waitFor();
  });
});
