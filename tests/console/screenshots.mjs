// Creates the pictures of docs/console from a server with some data: node screenshots.mjs
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { closeBrowser, open, repository } from './harness.mjs';

const folder = path.join(repository, 'docs/console');
await mkdir(folder, { recursive: true });
const call = async (stage, design, operation, inputs) => {
  const reply = await fetch(`${stage.url}/designs/${design}/${operation}`, { method: 'POST', body: JSON.stringify(inputs), headers: { 'Content-Type': 'application/json' } });
  return (await reply.json()).item;
};

const stage = await open({ flags: ['--memory-store', '--design', 'designs'], viewport: { width: 1360, height: 850 } });
const { page } = stage;
const artists = ['Nina Simone', 'Miles Davis', 'Alice Coltrane', 'Bill Evans', 'Mary Lou Williams', 'Abbey Lincoln'];
await stage.aws('CreateTable', { TableName: 'music', BillingMode: 'PAY_PER_REQUEST', KeySchema: [{ AttributeName: 'artist', KeyType: 'HASH' }, { AttributeName: 'title', KeyType: 'RANGE' }],
  AttributeDefinitions: ['artist', 'title', 'genre'].map((name) => ({ AttributeName: name, AttributeType: 'S' })), StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  GlobalSecondaryIndexes: [{ IndexName: 'byGenre', KeySchema: [{ AttributeName: 'genre', KeyType: 'HASH' }], Projection: { ProjectionType: 'ALL' } }] });
for (let i = 0; i < 60; ++i) {
  await stage.aws('PutItem', { TableName: 'music', Item: { artist: { S: artists[i % 6] }, title: { S: `Take ${String(i).padStart(2, '0')}` }, genre: { S: ['jazz', 'modal', 'spiritual'][i % 3] }, year: { N: String(1955 + i % 17) }, plays: { N: String((i * 7919) % 10007) }, live: { BOOL: i % 4 === 0 }, tags: { SS: ['vinyl', 'take-' + (i % 5)] }, studio: { M: { city: { S: 'New York' }, room: { N: String(i % 3) } } } } });
}
const tenants = [];
for (const name of ['acme', 'globex', 'initech']) tenants.push(await call(stage, 'authz', 'createTenant', { name }));
const users = [];
for (const name of ['ada', 'grace', 'edsger', 'barbara']) users.push(await call(stage, 'authz', 'createUser', { email: name + '@example.com', givenName: name[0].toUpperCase() + name.slice(1) }));
const role = await call(stage, 'authz', 'createRole', { name: 'editor', scope: 'tenant' });
for (const user of users) await call(stage, 'authz', 'grant', { tenantId: tenants[0].tenantId, userId: user.userId, roles: [role?.roleId ?? '01ARZ3NDEKTSV4RRFFQ69G5FAV'] });

const shoot = async (name, fragment, act) => {
  await stage.visit(fragment);
  await act?.();
  await page.waitForTimeout(500); // transitions and late figures
  await page.screenshot({ path: path.join(folder, name + '.png') });
};
await shoot('server', '#/', async () => { // with some traffic for the charts
  for (let i = 0; i < 240; ++i) {
    const batch = 3 + Math.round(9 * Math.abs(Math.sin(i / 25)));
    await Promise.all(Array.from({ length: batch }, () => stage.aws(i % 3 ? 'Query' : 'Scan', { TableName: 'music', ...(i % 3 ? { KeyConditionExpression: 'artist = :a', ExpressionAttributeValues: { ':a': { S: artists[i % 6] } } } : {}) })));
    await page.waitForTimeout(60);
  }
});
await shoot('items', '#/tables/music', async () => {
  await page.getByRole('tab', { name: 'Query' }).click();
  await page.getByLabel('artist', { exact: true }).fill('Nina Simone');
  await page.getByRole('button', { name: /^Run/ }).click();
  await page.getByText('10 items · 1 page').waitFor();
  await page.getByRole('button', { name: /Request and code/ }).click();
  await page.getByRole('tab', { name: 'AWS CLI' }).click();
});
await shoot('item', '#/tables/music', () => page.getByRole('button', { name: 'Nina Simone' }).first().click());
await shoot('collections', '#/tables/authz/collections', () => page.locator('.partition tr.e').first().waitFor());
await shoot('design', '#/designs/authz', () => page.locator('.document text[data-operation="authorization"]').hover());
await shoot('run', '#/designs/authz/run/authorization', async () => {
  await page.getByLabel('tenantId', { exact: true }).fill(tenants[0].tenantId);
  await page.getByLabel('userId', { exact: true }).fill(users[0].userId);
  await page.getByRole('button', { name: 'Call' }).click();
  await page.locator('.call .status.good').waitFor();
});
await page.setViewportSize({ width: 390, height: 800 });
await shoot('phone', '#/tables/music/collections', () => page.locator('.partition').first().waitFor());
await page.setViewportSize({ width: 1360, height: 850 });
await page.emulateMedia({ colorScheme: 'dark' });
await shoot('table', '#/tables/music/settings', async () => { // with some traffic for the charts
  for (let i = 0; i < 200; ++i) {
    await Promise.all(Array.from({ length: 2 + i % 7 }, (_, n) => n % 3 ? stage.aws('Query', { TableName: 'music', KeyConditionExpression: 'artist = :a', ExpressionAttributeValues: { ':a': { S: artists[i % 6] } } })
      : stage.aws('UpdateItem', { TableName: 'music', Key: { artist: { S: artists[n % 6] }, title: { S: 'Take 0' + n % 6 } }, UpdateExpression: 'SET heard = :n', ExpressionAttributeValues: { ':n': { N: String(i) } } })));
    await page.waitForTimeout(60);
  }
});
await shoot('edit', '#/designs/authz/edit', async () => {
  await page.locator('[data-editor="Design file"] .cm-content').waitFor();
  await page.locator('[data-editor="Design file"] .cm-line').nth(18).click();
  await page.keyboard.press('End');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await page.locator('.findings li').first().waitFor();
});
await shoot('stream', '#/tables/music/stream', async () => {
  await page.getByText('following').waitFor();
  await stage.aws('UpdateItem', { TableName: 'music', Key: { artist: { S: 'Nina Simone' }, title: { S: 'Take 00' } }, UpdateExpression: 'SET plays = plays + :one REMOVE live', ExpressionAttributeValues: { ':one': { N: '1' } } });
  await page.locator('.changes li').first().waitFor();
});
await stage.close();
await closeBrowser();
