// User actions on designs: every operation of the five designs from its form, the map, editing into an error and back.
// All of it runs on the embedded store, and on another endpoint (--on).
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { aws, closeBrowser, fillEditor, open, repository, serve, serveOn, until } from './harness.mjs';

after(closeBrowser);

const designNames = ['authz', 'form-bridge', 'parental-control', 'plugin-auth', 'site-catalog'];

const startOn = (...flags) => serveOn('designs', ...flags);

// The order in which the operations are called, so that samples find what earlier calls created: `first`, then the
// other writes, then the reads, then `last`. None may be refused.
const scripts = {
  authz: { first: ['createTenant', 'createUser', 'createRole', 'createPolicy', 'grant'], last: ['revoke', 'deleteUser', 'deleteTenant'] },
  'form-bridge': { first: ['createTenant', 'createDestination', 'mapDomain', 'submit'], last: ['unmapDomain', 'deleteDestination'] },
  'parental-control': { first: ['saveRule', 'deleteRule', 'saveRule'], last: ['endSession'] },
  'plugin-auth': { first: ['createAgency', 'registerSite', 'exchangeKey', 'publishVersion', 'validateKey', 'removeSiteFromAgency', 'addSiteToAgency', 'suspendSite', 'activateSite'], last: ['disableSite'] },
  'site-catalog': { first: ['createSite', 'createGroup', 'addMember', 'addComment', 'rateSite'], last: ['unrateSite', 'deleteComment', 'removeMember', 'deleteGroup', 'deleteSite'] },
};
const apiKey = 'the key of the console tests';

for (const [where, start] of [['embedded', (...flags) => serve('--memory-store', '--design', 'designs', ...flags)], ['on another endpoint', startOn]]) {
  describe('every operation ' + where, () => {
    let stage, page, server, folder;
    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'trestle-keys-'));
      await writeFile(path.join(folder, 'api-keys'), `tester ${createHash('sha256').update(apiKey).digest('hex')} admin\n`);
      server = await start('--api-keys', path.join(folder, 'api-keys'));
      stage = await open({ server });
      page = stage.page;
    });
    after(async () => { try { await stage.close(); } finally { await server.stop(); await rm(folder, { recursive: true }); } });

    for (const design of designNames) {
      test(`of ${design} succeeds with the samples of its form, and shows its requests`, async () => {
        await stage.visit(`#/designs/${design}/run`);
        await page.locator('.operations a').first().waitFor();
        const listed = await page.locator('.operations a').evaluateAll((links) => links.map((link) => decodeURIComponent(link.hash.split('/').pop())));
        const description = await (await fetch(`${stage.url}/designs/${design}/design.json`)).json();
        assert.deepEqual(listed.toSorted(), description.operations.map((one) => one.name).sort());
        const { first = [], last = [] } = scripts[design];
        const isWrite = (name) => description.operations.find((one) => one.name === name).write;
        const rest = listed.filter((name) => !first.includes(name) && !last.includes(name));
        const bad = [];
        for (const name of [...first, ...rest.filter(isWrite), ...rest.filter((one) => !isWrite(one)), ...last]) {
          await page.locator(`.operations a[href$="/run/${name}"]`).click();
          await page.getByRole('heading', { name, exact: true }).waitFor();
          if (!(await page.getByLabel('Credential', { exact: true }).isVisible())) await page.locator('.who summary').click();
          await page.getByLabel('Kind of credential').selectOption('key');
          await page.getByLabel('Credential', { exact: true }).fill(apiKey);
          await page.getByRole('button', { name: 'Sample' }).click();
          const [reply] = await Promise.all([page.waitForResponse((one) => one.request().method() === 'POST' && one.url().endsWith(`/designs/${design}/${name}`)), page.getByRole('button', { name: 'Call' }).click()]);
          await page.locator('.call .status', { hasText: String(reply.status()) }).waitFor();
          const body = await reply.text();
          if (reply.status() !== 200) bad.push(`${name}: ${reply.status()} ${body.slice(0, 400)} for ${reply.request().postData()}`);
          const { requests } = JSON.parse(body);
          if (requests?.length !== (await page.locator('.made li').count())) bad.push(`${name}: its requests are not shown`);
          if (!requests?.some((one) => one.units > 0)) bad.push(`${name}: its requests have no units`);
        }
        assert.deepEqual(bad, []);
      });
    }
  });

  describe('designs ' + where, () => {
    let stage, page, server;
    before(async () => { server = await start(); stage = await open({ server }); page = stage.page; });
    after(async () => { try { await stage.close(); } finally { await server.stop(); } });

    test('an answer leads on: what was created is read with one click', async () => {
      await stage.visit('#/designs/authz/run/createTenant');
      await page.getByLabel('name', { exact: true }).fill('acme ' + where);
      await page.keyboard.press('Control+Enter');
      await page.locator('.call .status.good').waitFor();
      const id = await page.locator('.record div', { hasText: 'tenantId' }).locator('dd').innerText();
      await page.locator('.onward').getByRole('button', { name: 'tenant', exact: true }).click();
      await page.getByRole('heading', { name: 'tenant', exact: true }).waitFor();
      assert.equal(await page.getByLabel('tenantId', { exact: true }).inputValue(), id);
      await page.getByRole('button', { name: 'Call' }).click();
      await page.locator('.record').getByText('acme ' + where).waitFor();
      const requests = page.getByRole('region', { name: 'Requests made' });
      assert.match(await requests.locator('header').innerText(), /1 request made\s+0\.5 read units[^]*planned: 1 request/);
      await requests.locator('summary').click();
      assert.match(await requests.locator('pre').innerText(), /"TableName": "authz"[^]*"S": "TENANT#/);
      await page.getByRole('tab', { name: 'curl' }).click();
      assert.match(await page.locator('.reply pre').innerText(), /curl 'http[^]*designs\/authz\/tenant'/);
      await page.getByRole('tab', { name: 'TypeScript' }).click();
      assert.match(await page.locator('.reply pre').innerText(), /new AuthzClient\(\{ url: 'http[^]*await client\.tenant\(\{\s+"tenantId"/);
      await page.getByRole('tab', { name: 'Plan' }).click();
      await page.locator('.plan').getByText('GetItem').waitFor();
      await page.getByRole('tab', { name: /History/ }).click();
      assert.equal(await page.locator('.past-calls li').first().locator('b').innerText(), 'tenant');
    });

    test('a list is paged to its end', async () => {
      for (const name of ['page-1', 'page-2', 'page-3']) await fetch(stage.url + '/designs/authz/createPolicy', { method: 'POST', body: JSON.stringify({ policyId: 'id-' + name, name }), headers: { 'Content-Type': 'application/json' } });
      await stage.visit('#/designs/authz/run/policiesByPrefix');
      await page.getByLabel('name', { exact: true }).fill('page-');
      await page.getByLabel('limit', { exact: true }).fill('2');
      await page.getByRole('button', { name: 'Call' }).click();
      const answer = page.getByRole('region', { name: 'Answer', exact: true });
      await answer.getByText('page-2', { exact: true }).waitFor();
      await answer.getByRole('button', { name: 'Next page' }).click();
      await answer.getByText('page-3', { exact: true }).waitFor();
      assert.equal(await answer.getByText('page-2', { exact: true }).count(), 0);
      assert.equal(await answer.getByRole('button', { name: 'Next page' }).count(), 0);
      await answer.locator('.grid .open').first().click(); // a row links to details
      await answer.locator('.onward').getByRole('button', { name: 'policyById', exact: true }).click();
      assert.equal(await page.getByLabel('policyId', { exact: true }).inputValue(), 'id-page-3');
    });

    test('a refusal names the field', async () => {
      await stage.visit('#/designs/authz/run/createUser');
      await page.getByLabel('email', { exact: true }).fill('nobody');
      await page.getByRole('button', { name: 'Call' }).click();
      await page.locator('[data-field="email"] .fault').waitFor();
      await page.locator('.call .status.bad', { hasText: '400' }).waitFor();
    });

    test('editing shows findings as one types, at the line, and they go away again', async () => {
      await stage.visit('#/designs/authz/edit');
      await page.getByText('No errors').waitFor();
      const { source } = await (await fetch(stage.url + '/designs/authz/design.json')).json();
      await fillEditor(page, 'Design file', source.replace('{get: Tenant}', '{get: Tenent}').replace('get: Tenant', 'get: Tenent'));
      await page.locator('.design-editor .status.bad').waitFor();
      await page.locator('.findings .error button').first().click(); // jumps to the line
      await page.locator('[data-editor="Design file"] .cm-lint-marker-error').first().waitFor();
      await fillEditor(page, 'Design file', source);
      await page.getByText('No errors').waitFor();
      assert.ok(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled());
    });
  });
}

test('a caller who is no operator calls without seeing the requests', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'trestle-keys-'));
  await writeFile(path.join(folder, 'api-keys'), `tester ${createHash('sha256').update(apiKey).digest('hex')} readers\n`);
  const stage = await open({ flags: ['--memory-store', '--design', 'designs/site-catalog.yaml', '--api-keys', path.join(folder, 'api-keys')] });
  const { page } = stage;
  await stage.visit('#/designs/site-catalog/run/sites');
  await page.getByRole('button', { name: 'Call' }).click();
  await page.locator('.call .status.good').waitFor();
  await page.getByText('The list is empty.').waitFor();
  assert.equal(await page.locator('.made').count(), 0);
  await stage.close();
  await rm(folder, { recursive: true });
});

test('with --browse-on the data pages show the endpoint’s tables', async () => {
  const server = await startOn('--browse-on');
  const stage = await open({ server });
  const { page } = stage;
  await fetch(stage.url + '/designs/authz/createTenant', { method: 'POST', body: '{"name": "far"}', headers: { 'Content-Type': 'application/json' } });
  await stage.visit('#/tables/authz');
  await page.getByText('2 items · 1 page').waitFor(); // the tenant and the guard of its name
  await page.getByRole('button', { name: 'New item' }).click();
  const dialog = page.getByRole('dialog', { name: 'New item' });
  await dialog.getByLabel('Value of PK').fill('here');
  await dialog.getByLabel('Value of SK').fill('there');
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await stage.message('Item created');
  const key = { PK: { S: 'here' }, SK: { S: 'there' } };
  assert.deepEqual((await aws(server.behind.url, 'GetItem', { TableName: 'authz', Key: key })).Item, key);
  await page.getByRole('tab', { name: 'Settings' }).click();
  const chart = page.getByRole('region', { name: 'Figures of authz' }).getByRole('img', { name: /^Units of designs/ });
  await until(async () => {
    await fetch(stage.url + '/designs/authz/tenantByName', { method: 'POST', body: '{"name": "far"}', headers: { 'Content-Type': 'application/json' } });
    return /read (?!0 )[\d.]+ \/s/.test(await chart.getAttribute('aria-label'));
  }, 'units of the calls');
  await page.getByLabel('Database').selectOption('embedded');
  await page.getByRole('link', { name: 'Server', exact: true }).click();
  await page.getByText('There are no tables yet').waitFor();
  await stage.close();
  await server.stop();
});

test('with --edit a design is saved, and a file changed meanwhile is not overwritten', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'trestle-edit-'));
  const file = path.join(folder, 'authz.yaml');
  await copyFile(path.join(repository, 'designs/authz.yaml'), file);
  const stage = await open({ flags: ['--memory-store', '--design', file, '--edit'] });
  const { page } = stage;
  await stage.visit('#/designs/authz/edit');
  const source = await readFile(file, 'utf8');
  await fillEditor(page, 'Design file', source + '# one more line\n');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await stage.message('Saved');
  assert.equal(await readFile(file, 'utf8'), source + '# one more line\n');
  await writeFile(file, source + '# by somebody else\n');
  await fillEditor(page, 'Design file', source + '# mine\n');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await stage.message('The file has changed since it was read');
  assert.equal(await readFile(file, 'utf8'), source + '# by somebody else\n');
  await stage.close();
  await rm(folder, { recursive: true });
});

describe('a design', () => {
  let stage, page;
  before(async () => { stage = await open({ flags: ['--memory-store', '--design', 'designs'] }); page = stage.page; });
  after(() => stage.close());

  test('the map lights an operation’s path, and a click runs it', async () => {
    await stage.visit('#/designs/authz');
    const operation = page.locator('.document text[data-operation="tenantByName"]');
    await operation.hover();
    await page.locator('.document svg.lit').waitFor();
    assert.equal(await page.locator('.document path.on[data-operation="tenantByName"]').count(), 1);
    assert.ok((await page.locator('.document path.on:not([data-operation])').count()) >= 1);
    await operation.click();
    await page.getByRole('heading', { name: 'tenantByName', exact: true }).waitFor();
    await page.locator('.call .status').waitFor(); // a read runs immediately, with its sample
    await stage.visit('#/designs/authz');
    await page.locator('.document text[data-operation="createTenant"]').click();
    await page.getByRole('heading', { name: 'createTenant', exact: true }).waitFor();
    assert.equal(await page.locator('.call .status').count(), 0, 'a write waits');
  });

  test('the document has entities, access patterns, findings and cost', async () => {
    await stage.visit('#/designs/site-catalog');
    for (const title of ['Map', 'Entities', 'Access patterns: reads', 'Aggregate view', 'Cost', 'Findings']) await page.locator('.document').getByRole('heading', { name: title, exact: true }).waitFor();
  });

  test('the editor completes the words of designs and its names', async () => {
    await stage.visit('#/designs/authz/edit');
    const content = page.locator('[data-editor="Design file"] .cm-content');
    await content.click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type('\n  more: {get: Ten');
    await page.locator('[data-editor="Design file"] .cm-tooltip-autocomplete li', { hasText: 'TenantGrant' }).first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Undo all' }).click();
    await page.getByText('No errors').waitFor();
  });

  test('rows of lists and records are added and removed in the form', async () => {
    await stage.visit('#/designs/parental-control/run/registerApp');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByLabel('appName', { exact: true }).fill('TikTok');
    for (let i = 0; i < 3; ++i) await page.getByTitle('Add to defaultPorts', { exact: true }).click();
    await page.getByRole('button', { name: 'Remove defaultPorts 3' }).click();
    await page.getByLabel('defaultPorts 1 port', { exact: true }).fill('443');
    await page.getByLabel('defaultPorts 2 port', { exact: true }).fill('8443');
    await page.getByTitle('Add to domains', { exact: true }).click();
    await page.getByLabel('domains 1', { exact: true }).fill('*.tiktok.com');
    const [reply] = await Promise.all([page.waitForResponse((one) => one.url().endsWith('/registerApp')), page.getByRole('button', { name: 'Call' }).click()]);
    const sent = JSON.parse(reply.request().postData());
    assert.deepEqual(sent.defaultPorts.map((one) => one.port), [443, 8443]);
    assert.deepEqual(sent.domains, ['*.tiktok.com']);
    assert.equal(reply.status(), 200, await reply.text());
  });

  test('a cheaper or dearer plan is shown beside the file', async () => {
    await stage.visit('#/designs/authz/edit');
    const { source } = await (await fetch(stage.url + '/designs/authz/design.json')).json();
    await fillEditor(page, 'Design file', source.replaceAll('size: 500B', 'size: 9KB'));
    await page.getByRole('tab', { name: /Changed plans \d+/ }).click();
    await page.locator('.beside .plan').first().waitFor();
    await page.getByRole('button', { name: 'Undo all' }).click();
    await page.getByText('No plan differs').waitFor();
  });

  test('background work is shown', async () => {
    await stage.visit('#/designs/form-bridge/background');
    await page.getByText('stream records applied').waitFor();
    await page.getByText('There are none.').waitFor();
  });

  test('the explorer’s old addresses lead to the same operation', async () => {
    await page.goto(stage.url + '/designs/authz/#createTenant');
    await page.getByRole('heading', { name: 'createTenant', exact: true }).waitFor();
    await page.goto(stage.url + '/');
    await page.getByRole('navigation', { name: 'Tables and designs' }).waitFor();
  });

  test('rows of a design’s table are coloured by entity', async () => {
    await fetch(stage.url + '/designs/authz/createTenant', { method: 'POST', body: '{"name": "colours"}', headers: { 'Content-Type': 'application/json' } });
    await stage.visit('#/tables/authz/collections');
    await page.locator('.partition tr.e .label', { hasText: 'Tenant' }).first().waitFor();
    await until(async () => (await page.locator('.legend .label').count()) === 5, 'a legend of five entities');
  });
});
