// Signing in: the console signs like any client, keeps the key only in memory, and has no more permissions than the
// key.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { closeBrowser, open } from './harness.mjs';

describe('access', () => {
  let stage, page, folder;
  const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trestle-access-'));
    await writeFile(path.join(folder, 'credentials'), `[reader]\naws_access_key_id = AKIAREADER0000000000\naws_secret_access_key = ${secret}\n[owner]\naws_access_key_id = AKIAOWNER00000000000\naws_secret_access_key = ${secret}2\n`);
    const allow = (...actions) => ({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: actions, Resource: '*' }] });
    await writeFile(path.join(folder, 'policies.json'), JSON.stringify({ users: { reader: { policies: [allow('dynamodb:ListTables', 'dynamodb:DescribeTable', 'dynamodb:Scan')] }, owner: { policies: [allow('dynamodb:*')] } } }));
    stage = await open({ flags: ['--memory-store', '--credentials', path.join(folder, 'credentials'), '--policies', path.join(folder, 'policies.json')] });
    page = stage.page;
  });
  after(async () => { try { await stage.close(); } finally { await closeBrowser(); await rm(folder, { recursive: true }); } });

  const signIn = async (id, key) => {
    const dialog = page.getByRole('dialog', { name: 'Sign in' });
    await dialog.waitFor();
    await dialog.getByLabel('Access key ID').fill(id);
    await dialog.getByLabel('Secret access key').fill(key);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    return dialog;
  };

  test('a wrong secret is refused; the right one opens the console', async () => {
    await stage.visit('#/');
    const dialog = await signIn('AKIAOWNER00000000000', 'wrong');
    await dialog.getByRole('alert').waitFor();
    await signIn('AKIAOWNER00000000000', secret + '2');
    await stage.message('Signed in');
    await page.getByText('There are no tables yet').waitFor();
    await page.getByRole('button', { name: 'Create table' }).click();
    const create = page.getByRole('dialog', { name: 'Create table' });
    await create.getByLabel('Table name').fill('guarded');
    await create.getByRole('button', { name: 'Create table' }).click();
    await page.getByRole('heading', { name: 'guarded', level: 1 }).waitFor();
  });

  test('the secret is stored nowhere', async () => {
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
    assert.ok(!stored.includes(secret));
    await page.reload();
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor();
  });

  test('policies apply: a reader may look and not write', async () => {
    await stage.visit('#/tables/guarded');
    await signIn('AKIAREADER0000000000', secret);
    await page.getByText('This table has no items.').waitFor();
    await page.getByRole('button', { name: 'New item' }).click();
    const dialog = page.getByRole('dialog', { name: 'New item' });
    await dialog.getByLabel('Value of PK').fill('a');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByRole('alert').filter({ hasText: 'not authorized to perform: dynamodb:PutItem' }).waitFor();
  });
});
